"""The pictures of a run as files of its site: for wide screens and for phones, each in light and in dark."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from referee.plots.charts import draw
from referee.plots.data import KINDS, ChartData
from referee.plots.style import NARROW, WIDE, NothingToDraw
from referee.site.content import SitePicture
from referee.site.files import File, hash_of
from referee.tournament.summary import RunSummary


def pictures(summary: RunSummary, data: ChartData, put: Callable[[File], None]) -> Mapping[str, SitePicture]:
    """All pictures that the run has something for, by kind. `put` takes their files, whose names tell their content."""
    found = {}
    for kind in KINDS:
        with suppress(NothingToDraw):
            wide, narrow = draw(kind, summary, data, WIDE), draw(kind, summary, data, NARROW)
            path = f"plots/{kind}.{hash_of(wide.svg + narrow.svg)[:10]}"
            for one, name in ((wide, path), (narrow, f"{path}-narrow")):
                put(File(path=f"{name}.svg", data=one.svg))
                put(File(path=f"{name}-dark.svg", data=one.dark))
            found[kind] = SitePicture(path=path, alt=wide.description)
    return found
