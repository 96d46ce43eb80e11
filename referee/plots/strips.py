"""Times as strips, a row for each bot: how many of its slaps, or of its answers, took how long."""

from collections.abc import Mapping, Sequence
from math import log10

from msgspec import Struct

from referee.plots.common import MARGIN, NOTE_SIZE, Frame, NothingToDraw, count_of, is_phone, names_for, widest
from referee.plots.data import ChartData
from referee.plots.drawing import BAND, BLUE, INK, LINE, SOFT, WIDE, Drawing
from referee.plots.times import TimeBins, time_in_words
from referee.reports.tables.layout import LONGEST, shortened
from referee.tournament.summary import RunSummary

ROW = 36.0
"""How many pixels high a row is; on a phone more."""
TOLD = 20
"""Of how many bots the description tells the figures."""


class _Strip(Struct, frozen=True, kw_only=True):
    """The times of one bot, or of one kind."""

    label: str
    bins: tuple[tuple[float, float, int], ...]
    middle_us: float
    """Half of all took at most this long."""
    low_us: float
    """As many took less as took more than `high_us`: 5 of 100."""
    high_us: float
    words: str


def slaps(summary: RunSummary, data: ChartData, width: int = WIDE) -> bytes:
    """How long the slaps of each bot took, as an SVG picture. Raises NothingToDraw."""
    _check_records(data, "slap times")
    strips = _strips(summary, "slap", data.times.slaps, data.times.late)
    if not strips:
        raise NothingToDraw("no bot slapped in a window whose slaps are timed, so there are no slap times to draw")
    what = "slaps of each bot took how long, from when it could see the window to its answer. Late answers are not in."
    return _drawn(_frame("slaps", f"{summary.name}: slap times", what, strips, width), strips)


def thinking(summary: RunSummary, data: ChartData, width: int = WIDE) -> bytes:
    """How long the answers of each bot took, as an SVG picture. Raises NothingToDraw."""
    _check_records(data, "thinking times")
    strips = _strips(summary, "answer", data.times.thinking, {})
    if not strips:
        raise NothingToDraw("no bot was asked for a decision, so there are no thinking times to draw")
    what = "answers of each bot took how long, as they were charged to its clock. Slaps are not in."
    return _drawn(_frame("thinking", f"{summary.name}: thinking times", what, strips, width), strips)


def _check_records(data: ChartData, what: str) -> None:
    if not data.matches:
        raise NothingToDraw(f"no match counts yet, so there are no {what} to draw")
    if not data.records:
        raise NothingToDraw(f"no records were read, so there are no {what} to draw")


def times_of(bot: str, data: ChartData, width: int = WIDE) -> bytes:
    """How long the answers and the slaps of one bot took, as an SVG picture. Raises NothingToDraw."""
    found = [
        _strip("answers", "answer", data.times.thinking.get(bot), 0),
        _strip("slaps", "slap", data.times.slaps.get(bot), data.times.late[bot]),
    ]
    strips = [strip for strip in found if strip is not None]
    if not strips:
        raise NothingToDraw("the bot gave no answer in a match whose record was read, so there are no times to draw")
    what = "answers and slaps took how long, as they were charged to its clock, and as slaps were compared."
    return _drawn(_frame("times", f"{shortened(bot, LONGEST)}: thinking and slap times", what, strips, width), strips)


def _strips(summary: RunSummary, what: str, times: Mapping[str, TimeBins], late: Mapping[str, int]) -> list[_Strip]:
    """A row for each bot that has any, in the order of the standings."""
    found = (_strip(row.bot, what, times.get(row.bot), late.get(row.bot, 0)) for row in summary.standings)
    return [strip for strip in found if strip is not None]


def _strip(label: str, what: str, bins: TimeBins | None, late: int) -> _Strip | None:
    """A row, unless there are no times."""
    if bins is None or not bins.count:
        return None
    low, middle, high = (bins.quantile(share) or 0.0 for share in (0.05, 0.5, 0.95))
    missed = f", {late:,} late" if late else ""
    return _Strip(
        label=label,
        bins=tuple(bins.filled()),
        middle_us=middle,
        low_us=low,
        high_us=high,
        words=f"{time_in_words(middle)} in {count_of(bins.count, what)}{missed}",
    )


def _frame(name: str, title: str, what: str, strips: Sequence[_Strip], width: int) -> Frame:
    shape = f"How many {what}"
    marks = "The long stroke is the middle one, which the figure tells; 90 of 100 lie between the short ones."
    return Frame(
        name=name,
        title=title,
        note=f"{shape} The higher, the more. {marks} Times grow tenfold from line to line.",
        description=f"{shape} The middle one of each: {_told(strips)}.",
        width=width,
    )


def _drawn(frame: Frame, strips: Sequence[_Strip]) -> bytes:
    """A row for each bot; on a phone its name and its figure stand above the shape."""
    width, phone = frame.width, is_phone(frame.width)
    names_room = 150.0 if phone else 190.0
    names = names_for((strip.label for strip in strips), names_room)
    name_room = min(widest([names(strip.label) for strip in strips]), names_room)
    words_room = widest([strip.words for strip in strips], NOTE_SIZE)
    row = ROW + 16 if phone else ROW
    scale = _Scale(
        low=log10(min(strip.bins[0][0] for strip in strips)),
        high=log10(max(strip.bins[-1][1] for strip in strips)),
        left=MARGIN + 4 if phone else MARGIN + name_room + 16,
        right=width - MARGIN - 4 if phone else width - MARGIN - words_room - 16,
    )
    drawn = frame.drawing(len(strips) * row + 20)
    for place in range(0, len(strips), 2):
        drawn.rect(MARGIN, frame.top + place * row, width - 2 * MARGIN, row, BAND)
    scale.draw(drawn, frame.top, frame.top + len(strips) * row)
    drawn.group()
    for place, strip in enumerate(strips):
        line = frame.top + place * row + (15 if phone else row * 0.62)
        drawn.text(MARGIN + 4, line, names(strip.label), room=names_room)
        drawn.text(
            width - MARGIN - 4, line, strip.words, font_size=NOTE_SIZE, text_anchor="end", fill=SOFT, room=words_room
        )
    _shapes(drawn, strips, scale, [frame.top + (place + 1) * row - 5 for place in range(len(strips))])
    return drawn.svg()


def _told(strips: Sequence[_Strip]) -> str:
    more = f"; and {len(strips) - TOLD} more" if len(strips) > TOLD else ""
    return "; ".join(f"{strip.label} {strip.words}" for strip in strips[:TOLD]) + more


class _Scale(Struct, frozen=True, kw_only=True):
    """Where times stand from left to right, each step ten times as long."""

    low: float
    """The logarithm of microseconds, as is `high`."""
    high: float
    left: float
    right: float

    def at(self, time_us: float) -> float:
        share = (log10(max(time_us, 1.0)) - self.low) / ((self.high - self.low) or 1.0)
        return self.left + (self.right - self.left) * min(max(share, 0.0), 1.0)

    def draw(self, drawn: Drawing, top: float, bottom: float) -> None:
        figures = _round_times(self.low, self.high)
        drawn.group(stroke=LINE, stroke_width=0.5, stroke_dasharray="2 3")
        for time_us in figures:
            drawn.line(self.at(time_us), top, self.at(time_us), bottom)
        drawn.group(fill=SOFT, font_size=NOTE_SIZE, text_anchor="middle")
        for time_us in figures:
            drawn.text(self.at(time_us), bottom + 14, time_in_words(time_us).replace(".0", ""))


def _round_times(low: float, high: float) -> list[float]:
    """1, 10, 100 and so on; where these are fewer than two, also 2 and 5, 20 and 50."""
    powers = range(int(low), int(high) + 2)
    for parts in ((1,), (1, 3), (1, 2, 5)):
        found = [part * 10.0**power for power in powers for part in parts]
        inside = [time_us for time_us in found if low - 1e-9 <= log10(time_us) <= high + 1e-9]
        if len(inside) > 1:
            return inside
    return inside


def _shapes(drawn: Drawing, strips: Sequence[_Strip], scale: _Scale, bases: Sequence[float]) -> None:
    """The share of each bin as steps, and strokes at the middle and at both ends."""
    tall = ROW - 12
    drawn.group(fill="#9db7d1", stroke=BLUE, stroke_width=1)
    for strip, base in zip(strips, bases, strict=True):
        most = max(count for _, _, count in strip.bins)
        way = f"M{scale.at(strip.bins[0][0]):.1f} {base:.1f}"
        for _, high, count in strip.bins:
            way += f"V{base - tall * count / most:.1f}H{scale.at(high):.1f}"
        drawn.path(f"{way}V{base:.1f}z")
    drawn.group(stroke=INK, stroke_width=2)
    for strip, base in zip(strips, bases, strict=True):
        way = f"M{scale.at(strip.middle_us):.1f} {base + 3:.1f}v-{tall + 5:.0f}"
        for end in (strip.low_us, strip.high_us):
            way += f"M{scale.at(end):.1f} {base + 3:.1f}v-9"
        drawn.path(way)
