"""All kinds of pictures of a run, by their names."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from referee.plots.data import ChartData
from referee.plots.drawing import WIDE
from referee.plots.intervals import intervals
from referee.plots.ranks import ranks
from referee.plots.strips import slaps, thinking
from referee.tournament.summary import RunSummary


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of picture."""

    draw: Callable[[RunSummary, ChartData, int], bytes]
    reads: bool = False
    """Whether it needs the records of the matches, besides their results."""


KINDS: Mapping[str, Kind] = {
    "intervals": Kind(draw=lambda summary, _, width: intervals(summary, width)),
    "ranks": Kind(draw=ranks),
    "slaps": Kind(draw=slaps, reads=True),
    "thinking": Kind(draw=thinking, reads=True),
}


def draw(kind: str, summary: RunSummary, data: ChartData, width: int = WIDE) -> bytes:
    """A picture of this kind, so many pixels wide, as SVG. Raises NothingToDraw."""
    return KINDS[kind].draw(summary, data, width)
