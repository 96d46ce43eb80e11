"""Ratings: how strong each bot is, from all matches at once, whoever met whom.

The scale is the chance to beat one bot, the anchor. Strengths are those of the Plackett-Luce model with ties (see
plackett_luce.py); their differences vary as a bootstrap over blocks tells, and intervals are those of Student's t, so
that they hold for few blocks too. What is published is rounded, so that it is the same on every machine; the order of
matches has no influence. numpy is imported where ratings are computed, and not before.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations, pairwise
from math import ceil, exp, sqrt
from statistics import NormalDist

from msgspec import Struct

from referee.tournament.results import Result
from referee.tournament.statistics.comparisons import POWER
from referee.tournament.statistics.multiple import holm
from referee.tournament.statistics.rankings import Matches
from referee.tournament.statistics.ranks import LEVEL, Contrast, RankRange, rank_ranges, settled
from referee.tournament.statistics.student import quantile, two_sided_p

CONFIDENCE = 0.95
DECIMALS = 6

MOST_TIMES = 100
"""Nobody plays more than so many times as many matches."""


class Rating(Struct, frozen=True, kw_only=True):
    """How strong a bot is. Figures are rounded to six decimals, so that equal ones are equal."""

    rank: int | None
    """By strength: 1 is best, and equal strengths share a rank. None where it has not played, or is no longer there."""
    rank_from: int | None
    """The best rank that the bot can have by what is known: 1 and the number of bots that are surely stronger."""
    rank_to: int | None
    """The worst one. Bots with the same ranks here are tied."""
    bot: str
    chance: float | None
    """Its chance to finish before the anchor at a table of the two, if they do not tie, from 0 to 1. None where it has
    not played."""
    chance_interval: tuple[float, float] | None
    """Where that chance lies with a confidence of 95 %. None for the anchor, whose own is one half by definition, and
    where there are too few blocks."""
    strength: float
    """The logarithm of chance / (1 - chance): 0 for the anchor, and higher is better."""
    strength_stderr: float | None
    """The standard error of `strength`, None as above."""
    blocks: int
    """In how many blocks it played. All matches of one line-up on one deal of a game are a block."""


class Ratings(Struct, frozen=True, kw_only=True):
    """The ratings of a run."""

    anchor: str
    """The bot that all others are compared with."""
    is_chosen: bool
    """Whether the anchor was asked for. Else it is the bot in the middle of the table, by strength."""
    bots: tuple[Rating, ...]
    """The strongest first; those that have not played come last."""
    former: tuple[Rating, ...] = ()
    """Bots that are no longer there, and former versions of those that are. Their matches count for the others."""


def strengths(results: Iterable[Result], names: Collection[str]) -> dict[str, float]:
    """The strength of each of these bots: higher is better, and 0 is the middle of the field.

    It is the logarithm of the bot's worth in the Plackett-Luce model with ties (see plackett_luce.py): of two bots at a
    table of two, the first wins exp(a - b) times as often as the second, where a and b are their strengths. Bots that
    are not among `names` count as opponents. A bot without a match has exactly 0. Strengths are rounded to six
    decimals. The order of results has no influence, and bots that did the same against the same opponents are equal.
    """
    matches = Matches()
    for result in results:
        matches.add(result)
    if not (names or matches.bots):
        return {}
    from referee.tournament.statistics.plackett_luce import model_of  # noqa: PLC0415 - it imports numpy

    model = model_of(matches, names)
    found = _rounded(model.names, model.fit().tolist())
    return {name: found[name] for name in names}


def ratings_of(
    matches: Matches,
    names: Collection[str],
    anchor: str | None = None,
    *,
    unranked: Collection[str] = (),
    p_value: Callable[[float, float], float] = two_sided_p,
) -> Ratings | None:
    """The ratings of these bots, and of others that played as former ones. None where there is no match.

    All games weigh the same, and all matches of a game. `anchor` is one of `names`; without one it is the bot in the
    middle, by strength. The bots in `unranked` get no rank. `p_value` makes a p-value of a value of Student's t and its
    degrees of freedom.
    """
    if not matches.rows:
        return None
    field = _Field(matches, names)
    out = {name for name in names if not field.blocks(name)}.union(unranked)
    listed = sorted(names, key=lambda name: (name in out, -field.strength[name], name))
    played = [name for name in listed if name not in out]
    if not played and anchor is None:
        return None
    chosen = anchor if anchor is not None else played[len(played) // 2]
    surely = settled(field.contrasts(played, p_value))
    ranges = rank_ranges(played, surely)
    former = sorted(field.strength, key=lambda name: (-field.strength[name], name))
    return Ratings(
        anchor=chosen,
        is_chosen=anchor is not None,
        bots=tuple(field.rating(name, chosen, played, ranges) for name in listed),
        former=tuple(field.rating(name, chosen, played, ranges) for name in former if name not in names),
    )


class Chance(Struct, frozen=True, kw_only=True):
    """How one bot does against another, by all matches at once."""

    bot: str
    other: str
    chance: float
    """That the first finishes before the second at a table of the two, if they do not tie, from 0 to 1."""
    chance_interval: tuple[float, float] | None
    """With a confidence of 95 %; None where one of them played fewer than two blocks."""
    p: float | None
    """How likely two equal bots differ so much; None as above."""
    p_of_all: float | None
    """The same, made greater because all pairs of the table were tested (Holm)."""
    is_sure: bool
    """Whether that is below 0.05."""
    times: int | None = None
    """About how many times as many matches settle it in 4 of 5 runs, if the bots are as far apart as they seem. None
    where it is settled, and where nobody plays so many."""


def chances(
    matches: Matches,
    names: Collection[str],
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    p_value: Callable[[float, float], float] = two_sided_p,
) -> tuple[Chance, ...]:
    """How these pairs do against each other; without `pairs`, all neighbours by strength, the stronger one first.

    `names` are the bots of the table, and the pairs are of them. Bots that have not played are in no pair.
    """
    if not matches.rows:
        return ()
    field = _Field(matches, names)
    order = sorted((name for name in names if field.blocks(name)), key=lambda name: (-field.strength[name], name))
    all_ = field.contrasts(order, p_value)
    adjusted = holm({frozenset((one.better, one.worse)): one.p for one in all_})
    p_of = {frozenset((one.better, one.worse)): one.p for one in all_}
    told = []
    for bot, other in pairs if pairs is not None else pairwise(order):
        pair = frozenset((bot, other))
        if pair not in p_of:
            continue
        difference = field.difference(bot, other)
        told.append(
            Chance(
                bot=bot,
                other=other,
                chance=_chance(field.strength[bot] - field.strength[other]),
                chance_interval=difference.interval() if difference else None,
                p=p_of[pair] if difference else None,
                p_of_all=round(adjusted[pair], DECIMALS) if difference else None,
                is_sure=adjusted[pair] < LEVEL,
                times=None if adjusted[pair] < LEVEL or not difference else _times(p_of[pair], len(all_)),
            )
        )
    return tuple(told)


def _times(p: float, pairs: int) -> int | None:
    """How many times as many matches make a difference sure that has this p-value now, tested beside so many pairs.

    A difference of z standard errors has z * sqrt(m) of them after m times as many matches.
    """
    normal = NormalDist()
    now = normal.inv_cdf(1 - p / 2) if p < 1 else 0.0
    wanted = normal.inv_cdf(1 - LEVEL / (2 * pairs)) + normal.inv_cdf(POWER)
    return max(2, ceil((wanted / now) ** 2)) if now * MOST_TIMES**0.5 >= wanted else None


class _Field:
    """What is known of the bots."""

    def __init__(self, matches: Matches, names: Iterable[str]) -> None:
        from referee.tournament.statistics.plackett_luce import model_of  # noqa: PLC0415 - it imports numpy

        model = model_of(matches, names)
        x = model.fit()
        spread = model.spread(x)
        self.strength = _rounded(model.names, x.tolist())
        self._place = {name: place for place, name in enumerate(model.names)}
        self._together = model.together.tolist()
        self._by_blocks, self._by_pseudo = spread.by_blocks.tolist(), spread.by_pseudo.tolist()

    def blocks(self, name: str) -> int:
        """In how many blocks it played."""
        place = self._place[name]
        return int(self._together[place][place])

    def difference(self, bot: str, other: str) -> "_Difference | None":
        """How much stronger the first is than the second. None where one of them played fewer than two blocks.

        The variance by blocks is made greater by b / (b - 1), where b is the number of blocks of the bot that played
        fewer; there are as many degrees of freedom as there are blocks with either bot, less one.
        """
        i, j = self._place[bot], self._place[other]
        fewer = min(self.blocks(bot), self.blocks(other))
        if fewer < 2:
            return None
        by_blocks, by_pseudo = (
            some[i][i] + some[j][j] - some[i][j] - some[j][i] for some in (self._by_blocks, self._by_pseudo)
        )
        return _Difference(
            difference=self.strength[bot] - self.strength[other],
            stderr=sqrt(max(by_blocks * fewer / (fewer - 1) + by_pseudo, 0.0)),
            df=self.blocks(bot) + self.blocks(other) - self._together[i][j] - 1,
        )

    def contrasts(self, names: Sequence[str], p_value: Callable[[float, float], float]) -> list[Contrast]:
        """All pairs. `names` are sorted, the strongest first."""
        return [
            Contrast(better=bot, worse=other, p=round(found.p(p_value), 9) if found else 1.0)
            for bot, other in combinations(names, 2)
            for found in [self.difference(bot, other)]
        ]

    def rating(self, name: str, anchor: str, played: Sequence[str], ranges: dict[str, RankRange]) -> Rating:
        strength = round(self.strength[name] - self.strength[anchor], DECIMALS) + 0.0
        difference = self.difference(name, anchor) if name != anchor else None
        range_ = ranges.get(name)
        return Rating(
            rank=1 + sum(self.strength[other] > self.strength[name] for other in played) if range_ else None,
            rank_from=range_.best if range_ else None,
            rank_to=range_.worst if range_ else None,
            bot=name,
            chance=_chance(strength) if self.blocks(name) else None,
            chance_interval=difference.interval() if difference else None,
            strength=strength,
            strength_stderr=round(difference.stderr, DECIMALS) if difference else None,
            blocks=self.blocks(name),
        )


class _Difference(Struct, frozen=True, kw_only=True):
    """By how much one bot is stronger than another."""

    difference: float
    stderr: float
    df: float

    def interval(self) -> tuple[float, float]:
        """The chance to beat the other, with a confidence of 95 %."""
        reach = quantile((1 + CONFIDENCE) / 2, self.df) * self.stderr
        return _chance(self.difference - reach), _chance(self.difference + reach)

    def p(self, p_value: Callable[[float, float], float]) -> float:
        """How likely two equal bots differ so much."""
        return p_value(self.difference / self.stderr, self.df) if self.stderr else 1.0


def _rounded(names: Sequence[str], parameters: Sequence[float]) -> dict[str, float]:
    """By bot its strength, the first of the parameters."""
    return {name: round(x, DECIMALS) + 0.0 for name, x in zip(names, parameters, strict=False)}


def _chance(strength: float) -> float:
    """How often one wins who is so much stronger."""
    return round(1 / (1 + exp(-max(-700.0, min(700.0, strength)))), DECIMALS)
