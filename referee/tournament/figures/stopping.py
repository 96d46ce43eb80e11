"""When a tournament may end before all is played: what is known after some of its deals, and what is not.

It is looked at after 2, 4, 8, ... deals and at the end, and each p-value is multiplied by the number of looks
(Bonferroni), so that whoever looks again and again finds no more by chance than whoever looks once. Two bots are
settled when one is better, or when they are nearer to each other than a difference that matters: a wrong claim about
any pair, at any look, has a probability of at most LEVEL.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import ceil, log, log2, sqrt

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.figures.compare import Comparer
from referee.tournament.figures.means import Estimate, p_of
from referee.tournament.figures.ranks import LEVEL, Contrast, settled
from referee.tournament.figures.ratings import RatedBots, chance_interval

MOST_NAMED = 3
"""So many undecided pairs are named."""

SMALL = 8.0
"""By how many parts of its degrees of freedom an interval must be narrower than what is asked for.

A tournament that ends when its intervals are narrow ends sooner where bots happen to scatter little, or to win more
than they should, so that the intervals at the end hold too seldom (Chow and Robbins 1965 have it for means of one
sample). With more blocks than seem enough the end depends less on such luck.
"""

Pair = tuple[str, str]


class Progress(Struct, frozen=True, kw_only=True):
    """How many deals have been played."""

    played: int
    planned: int
    """How many there are at most."""

    def __str__(self) -> str:
        return f"{self.played} of {self.planned} deals"

    @property
    def is_look(self) -> bool:
        """Whether it is looked after this deal."""
        return self.played >= self.planned or (self.played > 1 and self.played.bit_count() == 1)

    @property
    def next_look(self) -> int:
        """After how many deals it is looked next."""
        return min(self.planned, max(2, 1 << self.played.bit_length()))


def looks_of(planned: int) -> int:
    """How often a tournament of so many deals is looked at: after 2, 4, 8, ... deals, and at the end."""
    return max(1, ceil(log2(planned))) if planned > 0 else 1


class Known(Struct, frozen=True, kw_only=True):
    """What is known of the bots that are ranked."""

    differences: Mapping[Pair, Estimate]
    """By pair, in the order of names."""
    intervals: Sequence[Estimate]
    """Of each bot, the figure of the table."""
    best: Sequence[str]
    """The bots, the best first."""
    scale: Callable[[float], float] = float
    """Makes of a difference in match points what `differences` are."""


def by_means(comparer: Comparer, bots: Sequence[str], games: Sequence[str]) -> Known | None:
    """What means of match points say; None where not all bots have played every game."""
    figures, names = comparer.points, sorted(bots)
    if not all(figures.has_block(bot, game) for bot in names for game in games):
        return None
    means = {bot: round(figures.mean(bot, games), 9) for bot in names}
    return Known(
        differences={pair: figures.difference(*pair, games) for pair in combinations(names, 2)},
        intervals=[figures.estimate(bot, games) for bot in names],
        best=sorted(names, key=lambda bot: (-means[bot], bot)),
    )


def by_ratings(field: RatedBots, bots: Sequence[str]) -> Known | None:
    """What ratings say, where line-ups are a sample; None where not all bots have played.

    A difference d in match points at a table of two is a chance of (1 + d) / 2.
    """
    names = sorted(bots)
    if not all(field.blocks(bot) for bot in names):
        return None
    best = sorted(names, key=lambda bot: (-field.strength[bot], bot))
    differences = {pair: field.difference(*pair) for pair in combinations(names, 2)}
    middle = best[len(best) // 2]
    intervals = [_as_chance(field.difference(bot, middle)) for bot in names if bot != middle]
    return Known(
        differences=differences, intervals=intervals, best=best, scale=lambda points: log((1 + points) / (1 - points))
    )


def _as_chance(difference: Estimate) -> Estimate:
    if (ends := chance_interval(difference)) is None:
        return Estimate(mean=0.5)
    return replace(difference, mean=sum(ends) / 2, low=ends[0], high=ends[1])


class Compared(Struct, frozen=True, kw_only=True):
    """What is known of all pairs at a look."""

    apart: tuple[Pair, ...]
    """Those of which the first is better."""
    near: tuple[Pair, ...]
    """Those that are nearer to each other than the difference that matters."""
    open: tuple[Pair, ...]
    """All others."""

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.apart) + len(self.near) + len(self.open)

    def undecided(self, when: str | None, best: Sequence[str]) -> tuple[Pair, ...]:
        """The open pairs that matter: all of them, or those between the top and the rest. `best` has the best first."""
        if when is None:
            return ()
        if when == "all":
            return self.open
        top = set(best[: top_of(when)])
        return tuple(pair for pair in self.open if (pair[0] in top) != (pair[1] in top))


class Look(Struct, frozen=True, kw_only=True):
    """What is known at a look."""

    is_settled: bool
    """Whether everything holds that [stop] asks for."""
    words: str
    """What is settled or not, and after how many deals. It names no bots."""
    undecided: tuple[Pair, ...] = ()
    """The pairs that are to be settled and are not."""

    @property
    def with_pairs(self) -> str:
        """The words, and which pairs are undecided."""
        some = ", ".join(f"{one} - {other}" for one, other in self.undecided[:MOST_NAMED])
        more = f" and {len(self.undecided) - MOST_NAMED} more" if len(self.undecided) > MOST_NAMED else ""
        return f"{self.words}: {some}{more}" if self.undecided else self.words


def no_look(progress: Progress) -> Look | None:
    """What is said after a deal at which it is not looked; None where it is."""
    if progress.is_look:
        return None
    words = f"after {progress} nothing is judged; the next look is after {progress.next_look}"
    return Look(is_settled=False, words=words)


def judge(
    known: Known | None, progress: Progress, *, when: str | None, difference: float, precision: float | None
) -> Look:
    """What is known at this look, where `when`, `difference` and `precision` are those of [stop] in a config."""
    if known is None:
        return Look(is_settled=False, words=f"after {progress} not all bots have played every game")
    looks = looks_of(progress.planned) if when is not None else 1
    compared = compared_at(known, difference, looks)
    undecided = compared.undecided(when, known.best)
    lacking = []
    if undecided:
        are = "is" if len(undecided) == 1 else "are"
        lacking.append(f"{len(undecided)} of {compared.pairs} pairs {are} undecided")
    if precision is not None and not _are_within(known.intervals, precision):
        lacking.append(_too_wide(known.intervals, precision, progress))
    claims = " and ".join(_claims(compared, known.best, when=when, difference=difference, precision=precision))
    words = f"after {progress} {'; '.join(lacking)}" if lacking else f"{claims} after {progress}"
    return Look(is_settled=not lacking and progress.played > 1, words=words, undecided=undecided)


def compared_at(known: Known, difference: float, looks: int = 1) -> Compared:
    """What is known of all pairs.

    Pairs are apart by Holm's method over all of them, as in the table of ranks. They are near if an interval that holds
    for all pairs together (Bonferroni) lies within `difference` of 0 on both sides.
    """
    gaps = known.differences
    contrasts = [
        Contrast(better=one if gap.mean > 0 else other, worse=other if gap.mean > 0 else one, p=p_of(gap, looks))
        for (one, other), gap in gaps.items()
    ]
    apart = [(one.better, one.worse) for one in settled(contrasts)]
    rest = [pair for pair in gaps if pair not in apart and pair[::-1] not in apart]
    room = known.scale(difference)

    def is_near(gap: Estimate) -> bool:
        left = round(room - abs(gap.mean), 9)
        return left > 0 and len(gaps) * p_of(replace(gap, mean=left), looks) / 2 < LEVEL

    near = tuple(pair for pair in rest if is_near(gaps[pair]))
    return Compared(apart=tuple(apart), near=near, open=tuple(pair for pair in rest if pair not in near))


def top_of(when: str) -> int:
    """How many are the best in `top N`."""
    return int(when.removeprefix("top "))


def saved_words(played: int, planned: int) -> str:
    """What stopping has saved, such as `840 of 2,800 matches played, 1,960 saved`."""
    return f"{played:,} of {planned:,} matches played, {planned - played:,} saved"


def _reach(one: Estimate) -> float | None:
    """How far an end of an interval is from its mean at most; None where there is no interval."""
    if one.low is None or one.high is None:
        return None
    return round(max(one.mean - one.low, one.high - one.mean), 9)


def _are_within(intervals: Sequence[Estimate], precision: float) -> bool:
    """Whether all intervals are narrow enough, as SMALL has it."""
    judged = [(_reach(one), 1 + SMALL / one.df if one.df else 1.0) for one in intervals]
    return all(reach is not None and round(reach * factor, 9) <= precision for reach, factor in judged)


def _too_wide(intervals: Sequence[Estimate], asked: float, progress: Progress) -> str:
    """That intervals are too wide; and how wide they will be at the end, since errors go with the root of deals."""
    reaches = [_reach(one) for one in intervals]
    widest = max((reach for reach in reaches if reach is not None), default=0.0)
    if None in reaches:
        return f"not all intervals are known, where ± {asked:g} is asked for"
    text = f"the widest interval is ± {widest:.3f}, where {asked:g} is asked for"
    if widest <= asked:
        return f"the widest interval is ± {widest:.3f}, which is not yet reliably within {asked:g}"
    at_end = widest * sqrt(progress.played / progress.planned)
    if at_end <= asked or progress.played >= progress.planned:
        return text
    return f"{text} (all {progress.planned} deals will give about {at_end:.3f})"


def _claims(
    compared: Compared, best: Sequence[str], *, when: str | None, difference: float, precision: float | None
) -> list[str]:
    """What is settled, in words."""
    claims = []
    if when == "all":
        near = f" ({len(compared.near)} nearer than {difference:g})" if compared.near else ""
        claims.append(
            f"all {compared.pairs} pairs are settled{near}" if compared.pairs > 1 else f"the pair is settled{near}"
        )
    elif when is not None:
        count = top_of(when)
        claims.append("the best bot is settled" if count == 1 else f"the top {count} are settled")
    if precision is not None:
        claims.append(f"all {len(best)} intervals are within ± {precision:g}")
    return claims
