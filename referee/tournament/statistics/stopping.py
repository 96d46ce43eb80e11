"""When a tournament may end before all is played: what is settled at a look, and what is not.

Two bots are settled when one is surely better, or when they are surely nearer to each other than a difference that
matters. Both are judged with p-values that count how often is looked (`looks.py`) and how many pairs there are, so that
a wrong claim about any pair, at any look, has a probability of at most LEVEL. A claim depends on the results of this
look alone, so the table that is made of them says the same. All is in match points.

This module must not know where results are kept, or what is played next.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import ceil, sqrt

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.plan.lineups import AllLineups
from referee.tournament.plan.rounds import Field, Past, StopRules
from referee.tournament.plan.schedule import PlannedVariant, all_lineups
from referee.tournament.statistics.blocks import Blocks
from referee.tournament.statistics.looks import look_step, looks_of, p_at_look
from referee.tournament.statistics.means import Estimate, Figures
from referee.tournament.statistics.ranks import LEVEL, Contrast
from referee.tournament.statistics.ranks import settled as surely

MOST_TOLD = 3
"""So many undecided pairs are told by name."""

SMALL = 8.0
"""By how many parts of its degrees of freedom an interval must be narrower than what is asked for.

A tournament that ends when its intervals are narrow ends sooner where bots happen to scatter little, or to win more
than they should, so that the intervals at the end hold too seldom (Chow and Robbins 1965 have it for means of one
sample). With more blocks than seem enough the end depends less on such luck. Two bots alone whose intervals are judged
as they are hold in 91 to 95 % of tournaments, with this in 94 to 95 %.
"""

Pair = tuple[str, str]


class Parts(Struct, frozen=True, kw_only=True):
    """How much of the plan has been played."""

    played: int
    planned: int
    """How many there are at most."""

    def __str__(self) -> str:
        return f"{self.played} of {self.planned} deals"

    @property
    def looks(self) -> int:
        """How many looks count in p-values."""
        return looks_of(self.planned)

    @property
    def is_look(self) -> bool:
        """Whether it is looked after this part."""
        return self.played % look_step(self.planned) == 0 or self.played >= self.planned


class Compared(Struct, frozen=True, kw_only=True):
    """What is known of all pairs at a look."""

    apart: tuple[Pair, ...]
    """Those of which the first is surely better."""
    near: tuple[Pair, ...]
    """Those that are surely nearer to each other than the difference that matters."""
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
    """What is settled or not, and after how many parts. It names no bots."""
    undecided: tuple[Pair, ...] = ()
    """The pairs that are to be settled and are not."""
    compared: Compared | None = None
    """What is known of all pairs; None where nothing was judged."""
    widest: float | None = None
    """How far the end of the widest interval of the overall table is from its mean; None where one is lacking, or where
    no precision is asked for. Rounded to nine decimals."""

    @property
    def told(self) -> str:
        """The words, and which pairs are undecided."""
        some = ", ".join(f"{one} - {other}" for one, other in self.undecided[:MOST_TOLD])
        more = f" and {len(self.undecided) - MOST_TOLD} more" if len(self.undecided) > MOST_TOLD else ""
        return f"{self.words}: {some}{more}" if self.undecided else self.words


def look_at(field: Field, past: Past) -> Look:
    """What is known after the last round of a tournament with [stop] that plays whole deals."""
    blocks = Blocks()
    for results in past.played:
        for result in results:
            blocks.add(result)
    rules = field.stages[0]
    parts = Parts(played=len(past.rounds), planned=max(rules.deals, len(past.rounds)))
    figures = Figures(blocks, "points", possible=possible_of(field) if rules.lineups else None)
    ranked = rules.challengers or tuple(bot.name for bot in field.bots)
    games = [planned.variant for planned in field.variants]
    return judge(figures, field.stop or StopRules(), bots=ranked, games=games, parts=parts)


def judge(figures: Figures, stop: StopRules, *, bots: Sequence[str], games: Sequence[str], parts: Parts) -> Look:
    """What is known of these bots, over these games, at this look.

    `figures` are of match points, and `parts` says which look it is of how many.
    """
    if not parts.is_look:
        step = look_step(parts.planned)
        coming = min(parts.planned, step * ceil(parts.played / step))
        return Look(is_settled=False, words=f"after {parts} nothing is judged; the next look is after {coming}")
    names = sorted(bots)
    lacking = [bot for bot in names if len(set(games) & set(figures.games_of(bot))) < len(set(games))]
    if lacking:
        return Look(is_settled=False, words=f"after {parts} not all bots have played every game")
    looks = parts.looks if stop.when is not None else 1
    compared = pairs_of(figures, names, games, looks=looks, difference=stop.difference)
    best = best_first(figures, names, games)
    undecided = compared.undecided(stop.when, best)
    estimates = [] if stop.precision is None else [figures.estimate(bot, games) for bot in names]
    widest = _widest(estimates) if estimates else None
    is_precise = stop.precision is None or _are_within(estimates, stop.precision)
    return Look(
        is_settled=not undecided and is_precise and parts.played > 1,
        words=_words(stop, compared, undecided, best=best, is_precise=is_precise, widest=widest, parts=parts),
        undecided=undecided,
        compared=compared,
        widest=widest,
    )


def pairs_of(
    figures: Figures, bots: Sequence[str], games: Sequence[str], *, looks: int, difference: float = 0.0
) -> Compared:
    """What is known of all pairs of these bots when this is one of so many looks.

    Pairs are apart by Holm's method over all of them, as in the table of ranks. They are near if an interval that holds
    for all pairs together (Bonferroni) lies within `difference` of 0 on both sides.
    """
    pairs = list(combinations(sorted(bots), 2))
    gaps = [figures.difference(one, other, games) for one, other in pairs]
    p_value = partial(p_at_look, looks=looks)
    contrasts = [
        Contrast(better=one if gap.mean > 0 else other, worse=other if gap.mean > 0 else one, p=p_value(gap))
        for (one, other), gap in zip(pairs, gaps, strict=True)
    ]
    apart = [(one.better, one.worse) for one in surely(contrasts)]
    done = {frozenset(pair) for pair in apart}
    near: list[Pair] = []
    rest: list[Pair] = []
    for pair, gap in zip(pairs, gaps, strict=True):
        if frozenset(pair) not in done:
            (near if _is_near(gap, difference, p_value, len(pairs)) else rest).append(pair)
    return Compared(apart=tuple(apart), near=tuple(near), open=tuple(rest))


def best_first(figures: Figures, bots: Sequence[str], games: Sequence[str]) -> list[str]:
    """The bots by their means, equal ones in the order of their names."""
    means = {bot: round(figures.estimate(bot, games).mean, 9) for bot in bots}
    return sorted(bots, key=lambda bot: (-means[bot], bot))


def top_of(when: str) -> int:
    """How many are the best in `top N`."""
    return int(when.removeprefix("top "))


def saved_words(played: int, planned: int) -> str:
    """What stopping has saved, such as `840 of 2,800 matches played, 1,960 saved`."""
    return f"{played:,} of {planned:,} matches played, {planned - played:,} saved"


def possible_of(field: Field) -> dict[str, dict[str, int]]:
    """By game and bot, of how many line-ups it is in all, whether they are played or not."""
    names = sorted(bot.name for bot in field.bots)
    return {
        planned.variant: dict(zip(names, every_lineup(field, planned).by_bot, strict=True))
        for planned in field.variants
    }


def every_lineup(field: Field, planned: PlannedVariant) -> AllLineups:
    """All line-ups that there can be in a game. Bots are told by their places in the order of their names."""
    owners = {bot.name: bot.owner for bot in field.bots}
    challengers = field.stages[0].challengers
    return all_lineups(sorted(owners), planned.seats, owners=owners if field.apart else None, challengers=challengers)


def _is_near(gap: Estimate, difference: float, p_value: Callable[[Estimate], float], pairs: int) -> bool:
    room = round(difference - abs(gap.mean), 9)
    return room > 0 and pairs * p_value(replace(gap, mean=room)) / 2 < LEVEL


def _widest(estimates: Sequence[Estimate]) -> float | None:
    """How far an end of an interval is from its mean at most."""
    widest = 0.0
    for one in estimates:
        if one.low is None or one.high is None:
            return None
        widest = max(widest, one.mean - one.low, one.high - one.mean)
    return round(widest, 9)


def _are_within(estimates: Sequence[Estimate], precision: float) -> bool:
    """Whether all intervals are surely narrow enough, as SMALL tells."""
    judged = [(_widest([one]), 1 + SMALL / one.df if one.df else 1.0) for one in estimates]
    return all(width is not None and round(width * factor, 9) <= precision for width, factor in judged)


def _words(  # noqa: PLR0913 - all that the sentence tells
    stop: StopRules,
    compared: Compared,
    undecided: Sequence[Pair],
    *,
    best: Sequence[str],
    is_precise: bool,
    widest: float | None,
    parts: Parts,
) -> str:
    """The sentence of a look."""
    if not undecided and is_precise:
        return f"{' and '.join(_claims(stop, compared, best))} after {parts}"
    lacking = []
    if undecided:
        are = "is" if len(undecided) == 1 else "are"
        lacking.append(f"{len(undecided)} of {compared.pairs} pairs {are} undecided")
    if not is_precise:
        lacking.append(_too_wide(stop.precision or 0.0, widest, parts))
    return f"after {parts} {'; '.join(lacking)}"


def _too_wide(asked: float, widest: float | None, parts: Parts) -> str:
    """That intervals are too wide; and if they will be at the end, how wide, since errors go with the root of parts."""
    if widest is None:
        return f"not all intervals are known, where ± {asked:g} is asked for"
    text = f"the widest interval is ± {widest:.3f}, where {asked:g} is asked for"
    if widest <= asked:
        return f"the widest interval is ± {widest:.3f}, which is not yet surely within {asked:g}"
    at_end = widest * sqrt(parts.played / parts.planned)
    if at_end <= asked or parts.played >= parts.planned:
        return text
    return f"{text} (all {parts.planned} deals will give about {at_end:.3f})"


def _claims(stop: StopRules, compared: Compared, best: Sequence[str]) -> list[str]:
    """What is settled, in words."""
    claims = []
    if stop.when == "all":
        near = f" ({len(compared.near)} nearer than {stop.difference:g})" if compared.near else ""
        claims.append(
            f"all {compared.pairs} pairs are settled{near}" if compared.pairs > 1 else f"the pair is settled{near}"
        )
    elif stop.when is not None:
        count = top_of(stop.when)
        claims.append("the best bot is settled" if count == 1 else f"the top {count} are settled")
    if stop.precision is not None:
        claims.append(f"all {len(best)} intervals are within ± {stop.precision:g}")
    return claims
