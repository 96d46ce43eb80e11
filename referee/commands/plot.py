"""plot: pictures of a run as SVG files, for a slide or a page."""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from referee.commands.console import CHECK_FAILED, DONE, USAGE, say
from referee.commands.records import place_of
from referee.rules.record import NoRecord, read_record
from referee.site.plots.charts import KINDS, draw
from referee.site.plots.common import NothingToDraw
from referee.site.plots.data import ChartData
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of


class PlotOptions(Struct, frozen=True, kw_only=True):
    """What `golfref plot` was asked to draw."""

    run: Path
    kinds: Sequence[str]
    """Empty for all."""
    out: Path
    """A file that ends with .svg for a single picture; else a folder."""
    width: int
    """In pixels."""


def plot(options: PlotOptions) -> int:
    """Draw the pictures, write them, and say where they are."""
    kinds = tuple(dict.fromkeys(options.kinds)) or tuple(KINDS)
    try:
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise NoRecord(f"there is no picture {unknown[0]}; expected one of {', '.join(KINDS)}")
        is_file = options.out.suffix == ".svg"
        if is_file and len(kinds) > 1:
            raise NoRecord(f"{options.out} is one file: say with --what which picture it shows, or name a folder")
        paths = {kind: options.out if is_file else options.out / f"{kind}.svg" for kind in kinds}
        for path in paths.values():
            if os.path.lexists(path):
                raise NoRecord(f"{path} exists already; remove it, or name another place with -o")
        pictures = _pictures(options, kinds)
        _write({paths[kind]: picture for kind, picture in pictures.items()}, None if is_file else options.out)
    except (NoRecord, StoreError) as error:
        say(f"golfref plot: {error}")
        return USAGE
    say(*(f"{paths[kind]}: {len(picture) / 1000:.0f} kB" for kind, picture in pictures.items()))
    return DONE if pictures else CHECK_FAILED


def _pictures(options: PlotOptions, kinds: Sequence[str]) -> dict[str, bytes]:
    """By kind the pictures that can be drawn. It is said why one cannot. Raises NoRecord and StoreError."""
    if not place_of(str(options.run)).is_store:
        raise NoRecord(f"{options.run} is not the store of a run, which is the file that `golfref tournament` writes")
    with closing(Store.open(options.run)) as store:
        data = _data(store, reads=any(KINDS[kind].reads for kind in kinds))
        summary = summary_of(store, with_results=False)
    pictures = {}
    for kind in kinds:
        try:
            pictures[kind] = draw(kind, summary, data, options.width)
        except NothingToDraw as why:
            say(f"{options.run}: {why}")
    return pictures


def _data(store: Store, *, reads: bool) -> ChartData:
    """What the pictures need of all matches, from their records too where one of them needs those."""
    facts = store.meta().facts
    data = ChartData(order=facts.order, rank_by=facts.rank_by)
    for row in store.committed():
        if not reads or row.number is None:
            data.add_result(row)
            continue
        try:
            data.add(row, read_record(store.record_of(row.id)))
        except NoRecord as error:
            raise NoRecord(f"{store.path}: match {row.number}: {error}") from None
    return data


def _write(pictures: Mapping[Path, bytes], folder: Path | None) -> None:
    """Write all of them, each of which gets its name when it is whole. Raises NoRecord; then none of them is there."""
    made: list[Path] = []
    path = folder
    is_new = folder is not None and not folder.exists()
    try:
        if folder is not None and pictures:
            folder.mkdir(parents=True, exist_ok=True)
        for path, picture in pictures.items():
            unborn = path.with_name(f"{path.name}.new")
            made.append(unborn)
            unborn.write_bytes(picture)
            made[-1] = unborn.rename(path)
    except BaseException as error:
        for one in made:
            with suppress(OSError):
                one.unlink()
        if folder is not None and is_new:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError):
            raise NoRecord(f"{path}: cannot be written: {error.strerror}") from None
        raise
