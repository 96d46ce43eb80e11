"""Draws a picture of any kind."""

from collections.abc import Callable, Mapping

from referee.plots.data import ChartData
from referee.plots.intervals import intervals
from referee.plots.ranks import ranks
from referee.plots.strips import slaps, thinking
from referee.plots.style import WIDE, Picture, drawing
from referee.tournament.summary import RunSummary

_DRAW: Mapping[str, Callable[[RunSummary, ChartData, int], Picture]] = {
    "intervals": intervals,
    "ranks": ranks,
    "slaps": slaps,
    "thinking": thinking,
}


def draw(kind: str, summary: RunSummary, data: ChartData, width: int = WIDE) -> Picture:
    """A picture of this kind, so many pixels wide. Raises NothingToDraw."""
    with drawing():
        return _DRAW[kind](summary, data, width)
