"""plot: pictures of a run as SVG files, for a slide or a page."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from referee.commands.console import say
from referee.commands.options import Force, RunFile
from referee.commands.recorded.records import open_run
from referee.commands.runs.site import problem
from referee.errors import CHECK_FAILED, DONE, CommandError
from referee.new_file import new_file, refusal
from referee.plots.data import KINDS, OF_TIMES, ChartData
from referee.rules.record import Move
from referee.tournament.store.reading import Part, parts_of
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of


class PlotOptions(Struct, frozen=True, kw_only=True):
    """What `golfref plot` was asked to draw."""

    run: RunFile
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR|FILE.svg", help="The folder to write to; of one picture, the file."),
    ]
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--what",
            metavar="KIND",
            help="intervals, ranks, slaps or thinking; may be given several times. Default: all.",
        ),
    ] = None
    width: Annotated[int, typer.Option(min=320, max=4000, help="Pixels; below 560 it is made for phones.")] = 880
    dark: Annotated[bool, typer.Option("--dark", help="Draw on a dark ground.")] = False
    replaces: Force = False


def plot(options: PlotOptions) -> int:
    """Draw a run as SVG pictures: intervals of the standings, ranks over time, slap and thinking times.

    Example: golfref plot cup.golfref -o pictures
    """
    if why := problem("matplotlib"):
        raise CommandError(why)
    kinds = tuple(dict.fromkeys(options.kinds or ())) or tuple(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise CommandError(f"there is no picture {unknown[0]}; expected one of {', '.join(KINDS)}")
    is_file = options.out.suffix == ".svg"
    if is_file and len(kinds) > 1:
        raise CommandError(f"{options.out} is one file: say with --what which picture it shows, or name a folder")
    pictures = _pictures(options, kinds)
    files = {options.out if is_file else options.out / f"{kind}.svg": data for kind, data in pictures.items()}
    _write(files, replaces=options.replaces)
    say(*(f"{path}: {len(data) / 1000:.0f} kB" for path, data in files.items()))
    return DONE if files else CHECK_FAILED


def _pictures(options: PlotOptions, kinds: Sequence[str]) -> dict[str, bytes]:
    """By kind the pictures that can be drawn. It is said why one cannot. Raises NoRecord and StoreError."""
    from referee.plots.charts import draw  # noqa: PLC0415 - it needs matplotlib
    from referee.plots.style import NothingToDraw  # noqa: PLC0415 - likewise

    with open_run(options.run) as store:
        summary = summary_of(store, with_results=False)  # first, since it says which results are damaged
        data = _data(store, reads=not OF_TIMES.isdisjoint(kinds))
    pictures = {}
    for kind in kinds:
        try:
            picture = draw(kind, summary, data, options.width)
            pictures[kind] = picture.dark if options.dark else picture.svg
        except NothingToDraw as why:
            say(f"{options.run}: {why}")
    return pictures


class _Moves(Part, frozen=True, kw_only=True):
    """What times are told from."""

    moves: tuple[Move, ...]


def _data(store: Store, *, reads: bool) -> ChartData:
    """What the pictures need of all matches, from their records too where one of them needs those."""
    config = store.meta().config
    data = ChartData(order=config.order, rank_by=config.rank_by)
    if reads:
        for row, part in parts_of(store, _Moves):
            data.add_result(row)
            data.add_times(row, part.moves)
    else:
        for row in store.matches():
            data.add_result(row)
    return data


def _write(files: Mapping[Path, bytes], *, replaces: bool) -> None:
    """Write all files; each gets its name when all are whole. Raises NotWritten, and then none of them is there."""
    folders = {path.parent for path in files}
    made = [folder for folder in folders if not folder.exists()]
    try:
        with ExitStack() as whole:
            for path, data in files.items():
                _make(path.parent)
                file = whole.enter_context(new_file(path, replaces=replaces))
                file.write(data)
                file.flush()  # a full disk is noticed before any of them has its name
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(f"{folder}: cannot be made", error) from None
