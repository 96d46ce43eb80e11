"""The pictures of a site: of the run, of each game and of each bot, for wide screens and for phones."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import Struct

from referee.plots.charts import KINDS, draw
from referee.plots.common import NothingToDraw
from referee.plots.data import ChartData
from referee.plots.drawing import NARROW, WIDE
from referee.plots.intervals import intervals
from referee.plots.strips import times_of
from referee.site.files import File
from referee.tournament.summary import RunSummary


class Slugs(Struct, frozen=True, kw_only=True):
    """The names of files for bots and games, by their names."""

    bots: Mapping[str, str]
    games: Mapping[str, str]


class SitePicture(Struct, frozen=True, kw_only=True):
    """A picture in two widths."""

    key: str
    """`intervals`, `ranks`, `slaps`, `thinking`; `intervals/GAME`; `times/BOT`."""
    wide: File
    narrow: File
    """For screens of less than 600 pixels. Its path is that of the wide one with `-narrow` before `.svg`."""


def pictures(summary: RunSummary, data: ChartData, slugs: Slugs) -> Iterator[SitePicture]:
    """All pictures of a run, below `plots/`. What the run does not have is not among them."""
    for kind in KINDS:
        yield from _picture(kind, f"plots/{kind}", partial(draw, kind, summary, data))
    for game, slug in slugs.games.items():
        yield from _picture(f"intervals/{game}", f"plots/intervals/{slug}", partial(intervals, summary, game=game))
    for bot, slug in slugs.bots.items():
        yield from _picture(f"times/{bot}", f"plots/times/{slug}", partial(times_of, bot, data))


def _picture(key: str, path: str, at_width: Callable[..., bytes]) -> Iterator[SitePicture]:
    try:
        wide, narrow = at_width(width=WIDE), at_width(width=NARROW)
    except NothingToDraw:
        return
    yield SitePicture(
        key=key, wide=File(path=f"{path}.svg", data=wide), narrow=File(path=f"{path}-narrow.svg", data=narrow)
    )
