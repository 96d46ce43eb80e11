"""Interval bars: what each bot scored, where its true figure lies, and which ranks it can have."""

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from referee.plots.data import ChartData
from referee.plots.style import ACCENT, LETTER, MARGIN, PHONE, SOFT, NothingToDraw, Picture, Sheet, names_for, some_of
from referee.reports.tables.bot_tables import rank
from referee.reports.tables.layout import LONGEST, shortened
from referee.tournament.standings import BotStanding, Interval
from referee.tournament.summary import RunSummary

UNRANKED = "-"
"""What stands in place of a rank where a bot has none."""


class _Bar(Struct, frozen=True, kw_only=True):
    """A row of the picture."""

    rank: str
    bot: str
    figure: float
    interval: Interval | None
    words: str
    """The figure with its interval."""

    @property
    def tie(self) -> str:
        """What tied bots have in common. One that has no rank is tied with nobody."""
        return self.bot if self.rank == UNRANKED else self.rank


def intervals(summary: RunSummary, _: ChartData, width: int) -> Picture:
    """The standings. Raises NothingToDraw."""
    bars = list(_bars(summary))
    if not bars:
        raise NothingToDraw("no match counts yet, so there are no standings to draw")
    names, names_px = names_for([bar.bot for bar in bars], width)
    ranks_px = LETTER * max(len(bar.rank) for bar in bars)
    words_px = 0 if width < PHONE else LETTER * max(len(bar.words) for bar in bars)
    sides = MARGIN + ranks_px + 8 + names_px + 12, MARGIN + 8 + words_px
    title = f"{summary.name}: standings"
    sheet = Sheet(title=title, note=_note(summary), width=width, rows=len(bars), sides=sides)
    row = 0
    for number, (_tie, group) in enumerate(groupby(bars, key=lambda bar: bar.tie)):
        tied = len(list(group))
        if number % 2 == 0:
            sheet.band(row, tied)
        row += tied
    for row, bar in enumerate(bars):
        sheet.text(MARGIN + ranks_px, row, bar.rank, ha="right", color=SOFT)
        sheet.text(MARGIN + ranks_px + 8, row, names(bar.bot))
        if words_px:
            sheet.text(width - MARGIN, row, bar.words, ha="right")
    rows, figures = range(len(bars)), [bar.figure for bar in bars]
    ends = [bar.interval or (bar.figure, bar.figure) for bar in bars]
    below = [bar.figure - low for bar, (low, _) in zip(bars, ends, strict=True)]
    above = [high - bar.figure for bar, (_, high) in zip(bars, ends, strict=True)]
    sheet.axes.errorbar(
        figures, rows, xerr=(below, above), fmt="o", color=ACCENT, markersize=7, elinewidth=2.5, capsize=4
    )
    sheet.axes.locator_params(axis="x", nbins=max(2, (sheet.right - sheet.left) // 70))
    told = [f"{'not ranked' if bar.rank == UNRANKED else f'rank {bar.rank}'}: {bar.bot} {bar.words}" for bar in bars]
    return sheet.picture(f"For each bot its {_figure(summary)}, with the interval in brackets. {some_of(told)}.")


def _bars(summary: RunSummary) -> Iterator[_Bar]:
    """A row for each bot, in the order of the table. By ratings where bots met different opponents on purpose."""
    rated = {row.bot: row for row in summary.ratings.bots} if summary.ratings else {}
    for row in summary.standings:
        if summary.order != "means":
            if (known := rated.get(row.bot)) is not None and known.chance is not None:
                low_high = known.chance_interval
                ends = None if low_high is None else (100 * low_high[0], 100 * low_high[1])
                yield _bar(row, 100 * known.chance, ends, ".1f")
        elif summary.rank_by == "strokes":
            if row.strokes is not None:
                yield _bar(row, row.strokes, row.strokes_interval, "+.2f")
        elif row.match_points is not None:
            yield _bar(row, row.match_points, row.match_points_interval, ".3f")


def _bar(row: BotStanding, figure: float, interval: Interval | None, form: str) -> _Bar:
    ends = f" [{interval[0]:{form}}, {interval[1]:{form}}]" if interval else ""
    return _Bar(rank=rank(row), bot=row.bot, figure=figure, interval=interval, words=f"{figure:{form}}{ends}")


def _figure(summary: RunSummary) -> str:
    if summary.order != "means":
        anchor = shortened(summary.ratings.anchor, LONGEST) if summary.ratings else ""
        return f"chance to finish before {anchor}, in percent"
    if summary.rank_by == "strokes":
        return "strokes a round, less the mean of the table; fewer are better"
    return "match points, the share of the opponents at its table that a bot beat"


def _note(summary: RunSummary) -> str:
    ties = " Bots that share a band are tied." if summary.order == "means" else ""
    return (
        f"The dot: {_figure(summary)}. The bar is the 95 % confidence interval. A rank such as 2-4 is the range of "
        f"ranks that a bot can have.{ties}"
    )
