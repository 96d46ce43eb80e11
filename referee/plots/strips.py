"""Times of bots, a row for each: the median of its slaps, or of its answers, and within what most of them lie."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from msgspec import Struct

from referee.plots.data import ChartData
from referee.plots.style import ACCENT, LETTER, MARGIN, PHONE, NothingToDraw, Picture, Sheet, names_for, some_of
from referee.plots.times import TimeBins, time_in_words
from referee.tournament.summary import RunSummary


class _Times(Struct, frozen=True, kw_only=True):
    """What a picture of times is of."""

    title: str
    one: str
    """A time, in one word."""
    note: str
    times: Mapping[str, TimeBins]
    late: Mapping[str, int]


def slaps(summary: RunSummary, data: ChartData, width: int) -> Picture:
    """How long the slaps of each bot took. Raises NothingToDraw."""
    note = "How long slaps took, from when a bot could see the window to its answer, without late ones."
    times = _Times(title="slap times", one="slap", note=note, times=data.times.slaps, late=data.times.late)
    return _drawn(summary, data, times, width)


def thinking(summary: RunSummary, data: ChartData, width: int) -> Picture:
    """How long the answers of each bot took. Raises NothingToDraw."""
    note = "How long answers took, as they were charged to the clock of a bot, without slaps."
    times = _Times(title="thinking times", one="answer", note=note, times=data.times.thinking, late={})
    return _drawn(summary, data, times, width)


def _drawn(summary: RunSummary, data: ChartData, what: _Times, width: int) -> Picture:
    """A row for each bot that has any times, in the order of the standings."""
    if not data.matches:
        raise NothingToDraw(f"no match counts yet, so there are no {what.title} to draw")
    if not data.records:
        raise NothingToDraw(f"no records were read, so there are no {what.title} to draw")
    found = {row.bot: bins for row in summary.standings if (bins := what.times.get(row.bot)) and bins.count}
    if not found:
        raise NothingToDraw(f"no match has any {what.title} to draw")
    words = {bot: _in_words(bins, what.one, what.late.get(bot, 0)) for bot, bins in found.items()}
    names, names_px = names_for([*found], width)
    words_px = 0 if width < PHONE else LETTER * max(map(len, words.values()))
    sheet = Sheet(
        title=f"{summary.name}: {what.title}",
        note=f"{what.note} The dot is the median; half of the times lie on the thick line, 90 of 100 on the thin one. "
        "Times grow tenfold from line to line.",
        width=width,
        rows=len(found),
        sides=(MARGIN + 8 + names_px + 12, MARGIN + 12 + words_px),
    )
    for row, bot in enumerate(found):
        if row % 2 == 0:
            sheet.band(row)
        sheet.text(MARGIN + 8, row, names(bot))
        if words_px:
            sheet.text(width - MARGIN - 4, row, words[bot], ha="right")
    _marks(sheet, list(found.values()))
    told = some_of([f"{bot} {text}" for bot, text in words.items()])
    return sheet.picture(f"{what.note} The median of each: {told}.")


def _in_words(bins: TimeBins, one: str, late: int) -> str:
    missed = f", {late:,} late" if late else ""
    return f"{time_in_words(bins.quantile(0.5) or 0)} in {bins.count:,} {one}{'s' * (bins.count != 1)}{missed}"


def _marks(sheet: Sheet, some: Sequence[TimeBins]) -> None:
    """Two lines and a dot in each row, above times from one power of ten to another."""
    rows = range(len(some))
    lowest, low, middle, high, highest = (
        [bins.quantile(share) or 1.0 for bins in some] for share in (0.05, 0.25, 0.5, 0.75, 0.95)
    )
    sheet.axes.hlines(rows, lowest, highest, color=ACCENT, linewidth=1.5)
    sheet.axes.hlines(rows, low, high, color=ACCENT, linewidth=5)
    sheet.axes.plot(middle, rows, "o", color=ACCENT, markersize=9)
    sheet.axes.set_xscale("log")
    sheet.axes.set_xlim(10 ** floor(log10(min(lowest))), 10 ** ceil(log10(max(highest))))
    sheet.axes.xaxis.set_major_formatter(lambda time_us, _: time_in_words(time_us).replace(".0", ""))
    sheet.axes.minorticks_off()
