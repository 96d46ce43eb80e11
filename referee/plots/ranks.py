"""Ranks over time: who led after how many matches."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from referee.plots.common import (
    MARGIN,
    NOTE_SIZE,
    Frame,
    NothingToDraw,
    count_of,
    is_phone,
    names_for,
    widest,
)
from referee.plots.data import ChartData, Moment
from referee.plots.drawing import LINE, SOFT, WIDE, Drawing, ticks
from referee.reports.tables.layout import Names
from referee.tournament.summary import RunSummary

COLOURS = ("#0072b2", "#a33f00", "#00694d", "#8a2f6b", "#1a1a1a", "#7a5c00")
"""Okabe and Ito's colours, darkened until they have 4.5:1 on white. Each line also has its number at both ends, and a
pattern of dashes."""

DASHES = ("", "7 3", "2 3")
"""The pattern of the first six lines, of the next, and so on."""

MANY = 30
"""If there are more bots than this, their lines are closer to each other."""
PIXELS_A_POINT = 17
"""How many pixels of a picture's width there are for each moment at least."""

TOLD = 20
"""Of how many bots the description tells how they went."""


class _Line(Struct, frozen=True, kw_only=True):
    """The ranks of one bot."""

    bot: str
    points: tuple[tuple[int, int], ...]
    """After how many matches it had which rank."""

    @property
    def in_words(self) -> str:
        """How it went, for who does not see it."""
        ranks = [rank for _, rank in self.points]
        return f"{self.bot} from rank {ranks[0]} to {ranks[-1]}, at best {min(ranks)}"


def ranks(summary: RunSummary, data: ChartData, width: int = WIDE) -> bytes:
    """The ranks of all bots over the matches of the run, as an SVG picture. Raises NothingToDraw."""
    ranked = [row.bot for row in summary.standings if row.rank is not None]
    moments = _some(data.moments(), most=width // PIXELS_A_POINT)
    if not moments:
        raise NothingToDraw("no match counts yet, so there are no ranks to draw")
    if not ranked:
        raise NothingToDraw("no bot has a rank yet, so there are no ranks to draw")
    lines = _lines(ranked, moments, {row.bot: row.rank for row in summary.standings if row.rank is not None})
    frame = Frame(
        name="ranks",
        title=f"{summary.name}: ranks over time",
        note=_note(summary),
        description=_description(lines, moments[-1].after),
        width=width,
    )
    return _drawn(frame, lines, moments[-1].after)


def _some(moments: Sequence[Moment], most: int) -> list[Moment]:
    """At most so many of them, evenly spaced, the last among them."""
    step = -(-len(moments) // most)
    return [moment for place, moment in enumerate(reversed(moments)) if place % step == 0][::-1]


def _lines(ranked: Sequence[str], moments: Sequence[Moment], final: Mapping[str, int]) -> list[_Line]:
    """A line for each bot; the last ranks are those of the standings, and equal ones are apart there."""
    found: dict[str, list[tuple[int, int]]] = {bot: [] for bot in ranked}
    for moment in moments[:-1]:
        there = sorted(
            (bot for bot in ranked if bot in moment.merits), key=lambda bot: (-moment.merits[bot], final[bot], bot)
        )
        for rank, bot in enumerate(there, 1):
            found[bot].append((moment.after, rank))
    for rank, bot in enumerate(ranked, 1):
        found[bot].append((moments[-1].after, rank))
    return [_Line(bot=bot, points=tuple(points)) for bot, points in found.items()]


def _note(summary: RunSummary) -> str:
    by = {
        "means": "strokes" if summary.rank_by == "strokes" else "match points",
        "ratings": "ratings",
        "places": "ratings",
    }[summary.order]
    last = "places by how far each bot came" if summary.order == "places" else "those of the standings"
    return (
        f"A line is a bot, which has the same number at both ends; rank 1 is above. Ranks on the way are by the {by} "
        f"of the matches until then, and early ones rest on few; the last are {last}."
    )


def _description(lines: Sequence[_Line], matches: int) -> str:
    told = "; ".join(line.in_words for line in lines[:TOLD])
    more = f"; and {len(lines) - TOLD} more" if len(lines) > TOLD else ""
    return f"The rank of each bot over {count_of(matches, 'match', 'matches')}. {told}{more}."


class _Area(Struct, frozen=True, kw_only=True):
    """Where the lines are drawn."""

    first: int
    """After how many matches the first line begins."""
    last: int
    left: float
    """In pixels, as are the others."""
    right: float
    top: float
    row: float

    def x(self, after: float) -> float:
        """Where so many matches stand."""
        if self.last == self.first:
            return self.left
        return self.left + (self.right - self.left) * (after - self.first) / (self.last - self.first)

    def y(self, rank: int) -> float:
        """Where a rank stands."""
        return self.top + (rank - 0.5) * self.row


def _drawn(frame: Frame, lines: Sequence[_Line], matches: int) -> bytes:
    name_most = 96.0 if is_phone(frame.width) else 190.0
    names = names_for((line.bot for line in lines), name_most)
    room = min(widest([names(line.bot) for line in lines]), name_most)
    area = _Area(
        first=min(line.points[0][0] for line in lines),
        last=matches,
        left=MARGIN + 30,
        right=frame.width - MARGIN - room - 32,
        top=frame.top,
        row=24.0 if len(lines) <= MANY else 17.0,
    )
    drawn = frame.drawing(len(lines) * area.row + 36)
    _axis(drawn, area, frame.top + len(lines) * area.row)
    _ways(drawn, area, lines)
    _ends(drawn, area, lines, names, room)
    return drawn.svg()


def _axis(drawn: Drawing, area: _Area, bottom: float) -> None:
    most = max(3, int((area.right - area.left) / 60))
    marks = [after for after in ticks(area.first, area.last, most) if after == int(after)]
    drawn.group(stroke=LINE, stroke_width=0.5, stroke_dasharray="2 3")
    for after in marks:
        drawn.line(area.x(after), area.top, area.x(after), bottom)
    drawn.group(fill=SOFT, font_size=NOTE_SIZE, text_anchor="middle")
    for after in marks:
        drawn.text(area.x(after), bottom + 14, f"{after:,.0f}")
    drawn.text((area.left + area.right) / 2, bottom + 30, "matches played")


def _ways(drawn: Drawing, area: _Area, lines: Sequence[_Line]) -> None:
    """The lines, and a dot wherever a bot begins."""
    drawn.group(fill="none", stroke_width=2, stroke_linejoin="round")
    for place, line in enumerate(lines):
        looks = {"stroke": COLOURS[place % len(COLOURS)]}
        if dash := DASHES[place // len(COLOURS) % len(DASHES)]:
            looks["stroke_dasharray"] = dash
        drawn.polyline([(area.x(after), area.y(rank)) for after, rank in _corners(line.points)], **looks)
    drawn.group()
    for place, line in enumerate(lines):
        after, rank = line.points[0]
        drawn.dot(area.x(after), area.y(rank), 3, fill=COLOURS[place % len(COLOURS)])


def _corners(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The points without those in the middle of a level stretch."""
    last = len(points) - 1
    return [
        point
        for place, point in enumerate(points)
        if place in (0, last) or not points[place - 1][1] == point[1] == points[place + 1][1]
    ]


def _ends(drawn: Drawing, area: _Area, lines: Sequence[_Line], names: Names, room: float) -> None:
    """The number of each line that begins at the left edge, and of each its number and name where it ends."""
    for place, line in enumerate(lines):
        (start, first), (_, last) = line.points[0], line.points[-1]
        drawn.group(fill=COLOURS[place % len(COLOURS)])
        if start == area.first:
            drawn.text(area.left - 8, area.y(first) + 4, str(place + 1), text_anchor="end")
        drawn.dot(area.right, area.y(last), 3)
        drawn.text(area.right + 24, area.y(last) + 4, str(place + 1), text_anchor="end")
        drawn.text(area.right + 30, area.y(last) + 4, names(line.bot), room=room)
