"""Ranks over time: who led after how many matches, the best eight in colour."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from matplotlib.ticker import MaxNLocator

from referee.plots.data import ChartData, Moment
from referee.plots.style import GREY, INK, MARGIN, SOFT, TOP, NothingToDraw, Picture, Sheet, names_for, some_of
from referee.tournament.summary import RunSummary

PIXELS_A_MOMENT = 17
"""How many pixels of a picture's width there are for each moment at least."""

Points = Sequence[tuple[int, int]]
"""After how many matches a bot had which rank."""


def ranks(summary: RunSummary, data: ChartData, width: int) -> Picture:
    """The ranks of all bots over the matches of the run. Raises NothingToDraw."""
    ranked = [row.bot for row in summary.standings if row.rank is not None]
    moments = _some(data.moments(), most=width // PIXELS_A_MOMENT)
    if not moments:
        raise NothingToDraw("no match counts yet, so there are no ranks to draw")
    if not ranked:
        raise NothingToDraw("no bot has a rank yet, so there are no ranks to draw")
    lines = _lines(ranked, moments)
    final = _final(summary)
    names, names_px = names_for(ranked, width)
    sheet = Sheet(
        title=f"{summary.name}: ranks over time",
        note=_note(summary),
        width=width,
        rows=len(ranked),
        sides=(MARGIN + 30, MARGIN + 34 + names_px),
    )
    for row, (bot, points) in enumerate(lines.items()):
        colour, is_top = (TOP[row], True) if row < len(TOP) else (GREY, False)
        afters, places = zip(*_corners(points), strict=True)
        sheet.axes.plot(
            afters,
            places,
            color=colour,
            linewidth=2.2 if is_top else 0.8,
            linestyle="--" if is_top and row % 2 else "-",
            marker="o" if is_top else "",
            markevery=[0, len(afters) - 1],
            markersize=5,
            alpha=1 if is_top else 0.6,
            clip_on=False,
            zorder=3 if is_top else 2,
        )
        sheet.text(MARGIN + 18, row, str(row + 1), ha="right", color=SOFT)
        sheet.text(sheet.right + 30, row, final[bot], ha="right", color=SOFT)
        sheet.text(sheet.right + 36, row, names(bot), color=INK if is_top else SOFT)
    sheet.axes.set_xlabel("matches played", color=SOFT, size=11)
    sheet.axes.xaxis.set_major_locator(MaxNLocator(max(2, (sheet.right - sheet.left) // 80), integer=True))
    sheet.axes.xaxis.set_major_formatter("{x:,.0f}")
    told = [
        f"{bot} from rank {points[0][1] + 1} to {final[bot]}, at best {min(place for _, place in points) + 1}"
        for bot, points in lines.items()
    ]
    return sheet.picture(f"The rank of each bot over {moments[-1].after:,} matches. {some_of(told)}.")


def _some(moments: Sequence[Moment], most: int) -> Sequence[Moment]:
    """At most so many of them, evenly spaced, the last among them."""
    return moments[:: -max(1, ceil(len(moments) / most))][::-1]


def _lines(ranked: Sequence[str], moments: Sequence[Moment]) -> Mapping[str, Points]:
    """By bot its ranks from 0, the best first; the last ones are those of the standings."""
    final = {bot: place for place, bot in enumerate(ranked)}
    found: dict[str, list[tuple[int, int]]] = {bot: [] for bot in ranked}
    for moment in moments[:-1]:
        there = sorted(
            (bot for bot in ranked if bot in moment.merits), key=lambda bot: (-moment.merits[bot], final[bot])
        )
        for place, bot in enumerate(there):
            found[bot].append((moment.after, place))
    for place, bot in enumerate(ranked):
        found[bot].append((moments[-1].after, place))
    return found


def _final(summary: RunSummary) -> Mapping[str, str]:
    """By bot its rank in the standings, such as `3=` where several share it."""
    often = Counter(row.rank for row in summary.standings)
    return {row.bot: f"{row.rank}{'=' * (often[row.rank] > 1)}" for row in summary.standings}


def _corners(points: Points) -> Points:
    """The points without those in the middle of a level stretch, which nobody sees."""
    ends = (0, len(points) - 1)
    return [
        point for at, point in enumerate(points) if at in ends or not points[at - 1][1] == point[1] == points[at + 1][1]
    ]


def _note(summary: RunSummary) -> str:
    means = "strokes" if summary.rank_by == "strokes" else "match points"
    by = means if summary.order == "means" else "ratings"
    last = "places by the stage that each bot reached" if summary.order == "places" else "those of the standings"
    return (
        f"A line is a bot; rank 1 is above, and the best eight have colours. Ranks on the way are by the {by} of the "
        f"matches until then, and early ones rest on few; the last are {last}."
    )
