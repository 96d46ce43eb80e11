"""A tie of a knockout: how it stands, whether it is settled, and by which rule it is decided where it is not.

Looks at the results of one table. It must not know brackets or plans.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log
from statistics import fmean
from typing import Literal

from msgspec import Struct

from referee.tournament.results import Result, beaten_shares

Rule = Literal["settled", "match points", "strokes", "seed", "withdrawn", "dropped", "open"]
"""What decided a tie: the test (`settled`), one of the rules of a tie that is played to its limit, or a bot that was
withdrawn from it. `dropped`: results that no longer count, since a bot of it was withdrawn or replaced later. `open`:
nothing yet."""

WRONG = 0.05
"""How often a tie of bots of the same strength is called settled at most, however often one looks."""

_STAKES = tuple(step / 16 for step in range(1, 17))


class TieBot(Struct, frozen=True, kw_only=True):
    """How a bot did in a tie."""

    bot: str
    match_points: float | None
    """The share of its opponents that it beat in a match, the mean over matches, then over variants. None: no match."""
    strokes: float | None
    """Its points of the card game for each round, less the mean of its table; likewise."""


class Standing(Struct, frozen=True, kw_only=True):
    """How a tie stands."""

    bots: tuple[TieBot, ...]
    """The best first. The order is that of match points, then of strokes, then of seeds."""
    is_settled: bool
    """Whether those who would go on are better than those who would not, by the test."""
    rule: Rule
    """By what the last who would go on is before the first who would not."""


def stand(seeds: Sequence[str], goes: int, results: Iterable[Result]) -> Standing:
    """How a tie stands between these bots, the best seed first, of whom so many go on."""
    points: dict[str, dict[int, list[tuple[float, ...]]]] = defaultdict(lambda: defaultdict(list))
    strokes: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for result in results:
        seat = {bot: index for index, bot in enumerate(result.bots)}
        shares, mean = beaten_shares(result.ranks), fmean(result.totals)
        points[result.variant][result.deal].append(tuple(shares[seat[bot]] for bot in seeds))
        strokes[result.variant].append(tuple((result.totals[seat[bot]] - mean) / (result.rounds or 1) for bot in seeds))
    every = {name: [row for rows in deals.values() for row in rows] for name, deals in points.items()}
    rows = [
        TieBot(bot=bot, match_points=_mean(every.values(), index), strokes=_mean(strokes.values(), index))
        for index, bot in enumerate(seeds)
    ]
    order = sorted(range(len(rows)), key=lambda index: (-(rows[index].match_points or 0), rows[index].strokes or 0))
    last, first = rows[order[goes - 1]], rows[order[goes]]
    ruled: Rule = "seed"
    if last.match_points != first.match_points:
        ruled = "match points"
    elif last.strokes != first.strokes:
        ruled = "strokes"
    is_settled = _is_settled(_blocks(points, len(seeds)), order, goes)
    return Standing(
        bots=tuple(rows[index] for index in order), is_settled=is_settled, rule="settled" if is_settled else ruled
    )


def _mean(variants: Iterable[Sequence[tuple[float, ...]]], index: int) -> float | None:
    means = [fmean(row[index] for row in rows) for rows in variants]
    return round(fmean(means), 9) + 0.0 if means else None


def _blocks(points: dict[str, dict[int, list[tuple[float, ...]]]], seats: int) -> list[tuple[float, ...]]:
    """By deal, the mean match points of each bot over all rotations and variants. Deals that lack any are left out."""
    whole = [
        [tuple(map(fmean, zip(*rows, strict=True))) for _, rows in sorted(deals.items()) if len(rows) == seats]
        for _, deals in sorted(points.items())
    ]
    return [tuple(map(fmean, zip(*deal, strict=True))) for deal in zip(*whole, strict=False)]


def _is_settled(blocks: Sequence[tuple[float, ...]], order: Sequence[int], goes: int) -> bool:
    """Whether each bot that goes on is better than each that does not, by a test at WRONG.

    For each such pair somebody bets on the better one before every deal, at fair odds if both were equal: he gains the
    stake times the difference of their match points, which is within [-1, 1]. Who starts with 1 and has C or more at
    any time has come by it with a chance of at most 1 / C if the bot that he bets on is no better (Ville 1939), however
    often one looks and whatever the differences look like. The money is split over several stakes, which stay as they
    are (Waudby-Smith and Ramdas 2024, section 4). Where one goes on, or all but one, a wrong call needs one of `seats`
    such events; else one of all ordered pairs.
    """
    seats = len(order)
    events = seats if goes in (1, seats - 1) else seats * (seats - 1)
    enough = log(events / WRONG)
    return all(
        _log_wealth([block[better] - block[other] for block in blocks]) >= enough
        for better in order[:goes]
        for other in order[goes:]
    )


def _log_wealth(gains: Sequence[float]) -> float:
    """The logarithm of what 1 has become at most, split over the stakes, rounded so that all machines agree."""
    wealth, most = [1.0] * len(_STAKES), 1.0
    for gain in gains:
        wealth = [had * (1 + stake * gain) for had, stake in zip(wealth, _STAKES, strict=True)]
        most = max(most, fmean(wealth))
    return round(log(most), 9)
