"""Standings as golfref computed them before 0.5.0, for results that were published then.

Means were over matches, and standard errors clustered by block as one sample, over all line-ups. Everything else of
these tables has the meaning that it still has.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from math import sqrt
from statistics import fmean
from typing import Any

from msgspec import Struct, field

from referee.tournament.results import Result, beaten_shares


class _Sums(Struct):
    """By block, how many matches a bot has played in a variant, and the sums of both figures."""

    counts: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    points: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    strokes: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, block: int, points: float, strokes: float) -> None:
        self.counts[block] += 1
        self.points[block] += points
        self.strokes[block] += strokes


_Figure = tuple[float, float | None]
"""A mean and its standard error."""

_ByVariant = Mapping[str, _Sums]


def in_the_earlier_way(summary: dict[str, Any], results: Iterable[Result], rank_by: str) -> dict[str, Any]:
    """The summary of a run with the figures that an earlier golfref computed from these results.

    `summary` and what comes back are in the types of JSON. Results are in the order of the plan.
    """
    scores: dict[str, dict[str, _Sums]] = defaultdict(lambda: defaultdict(_Sums))
    meetings: dict[tuple[str, str], dict[str, _Sums]] = defaultdict(lambda: defaultdict(_Sums))
    for result in results:
        mean, rounds = sum(result.totals) / len(result.totals), result.rounds or 1
        rows = list(zip(result.bots, beaten_shares(result.ranks), result.totals, result.ranks, strict=True))
        for bot, share, total, _ in rows:
            scores[bot][result.variant].add(result.block, share, (total - mean) / rounds)
        for (bot, _, total, rank), (other, _, other_total, other_rank) in permutations(rows, 2):
            won = 0.5 if rank == other_rank else float(rank < other_rank)
            meetings[bot, other][result.variant].add(result.block, won, (total - other_total) / rounds)
    overall = _table(summary["standings"], {bot: list(some.values()) for bot, some in scores.items()}, rank_by)
    variants = {
        name: _table(rows, {bot: [some[name]] for bot, some in scores.items() if name in some}, rank_by)
        for name, rows in summary["variants"].items()
    }
    crosstable = {
        bot: {other: cell | _meeting(meetings[bot, other]) for other, cell in row.items()}
        for bot, row in summary["crosstable"].items()
    }
    return summary | {"standings": overall, "variants": variants, "crosstable": crosstable}


def _table(rows: Sequence[dict[str, Any]], scores: Mapping[str, Sequence[_Sums]], rank_by: str) -> list[dict[str, Any]]:
    figures = {bot: (_figure(some, "points"), _figure(some, "strokes")) for bot, some in scores.items()}
    merits = {bot: strokes[0] if rank_by == "strokes" else -points[0] for bot, (points, strokes) in figures.items()}
    order = sorted(merits.values())
    return [
        row
        | {
            "rank": bisect_left(order, merits[row["bot"]]) + 1,
            "match_points": figures[row["bot"]][0][0],
            "match_points_stderr": figures[row["bot"]][0][1],
            "strokes": figures[row["bot"]][1][0],
            "strokes_stderr": figures[row["bot"]][1][1],
        }
        for row in rows
    ]


def _figure(scores: Sequence[_Sums], name: str) -> _Figure:
    """The mean over variants. Its error was known only where that of every variant was."""
    some = [_clustered(list(one.counts.values()), list(getattr(one, name).values())) for one in scores]
    errors = [error for _, error in some if error is not None]
    stderr = sqrt(sum(error**2 for error in errors)) / len(some) if len(errors) == len(some) else None
    return _rounded(fmean(mean for mean, _ in some)), None if stderr is None else _rounded(stderr)


def _clustered(counts: Sequence[int], sums: Sequence[float]) -> _Figure:
    """With N matches in G blocks: sqrt(G / (G - 1) * sum over blocks of e**2) / N, where e is the sum of the block's
    deviations from the mean."""
    matches, blocks = sum(counts), len(counts)
    mean = sum(sums) / matches
    if blocks < 2:
        return mean, None
    squares = sum((total - count * mean) ** 2 for count, total in zip(counts, sums, strict=True))
    return mean, sqrt(blocks / (blocks - 1) * squares) / matches


def _meeting(met: _ByVariant) -> dict[str, float]:
    matches = {name: sum(one.counts.values()) for name, one in met.items()}
    return {
        "match_points": _rounded(fmean(sum(one.points.values()) / matches[name] for name, one in met.items())),
        "strokes": _rounded(fmean(sum(one.strokes.values()) / matches[name] for name, one in met.items())),
    }


def _rounded(figure: float) -> float:
    return round(figure, 9) + 0.0
