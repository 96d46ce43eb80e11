"""entries: what a config takes as entries, with version, owner, build and last check. Runs nothing, writes nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from referee.commands.console import put, put_json, say, screen_width
from referee.commands.entrants.entry_builds import build_again, show_log
from referee.commands.options import Json, refuse
from referee.competition.checks import LastCheck, last_check
from referee.errors import DONE, USAGE, CommandError
from referee.reports.tables.layout import Column, Names, fitted, shortened
from referee.tournament.config.config import Survey, survey
from referee.versions.entry import Entry
from referee.versions.store import BuildResult, VersionStore
from referee.versions.version import short

_NOTHING = "-"
_CELLS_A_TEXT = 10
"""How many cells of the terminal an owner or a language takes at most, where the terminal is not wide."""


class ListedEntry(Struct, frozen=True, kw_only=True):
    """An entry as `--json` tells it."""

    name: str
    folder: str
    version: str
    owner: str
    language: str
    contact: str
    command: tuple[str, ...]
    build: tuple[str, ...]
    env: dict[str, str]
    reads: tuple[str, ...]
    network: bool
    """Whether its build gets the network."""
    files: int
    size_bytes: int
    built: BuildResult | None
    """None where nothing has to be built, or nothing has been yet."""
    check: LastCheck | None
    """The last check of this version; None where it was not checked yet."""


class ListedBroken(Struct, frozen=True, kw_only=True):
    """A folder that is meant to be an entry, and is none."""

    name: str
    folder: str
    problems: tuple[str, ...]


_Listed = ListedEntry | ListedBroken


class Listing(Struct, frozen=True, kw_only=True):
    """What `--json` prints."""

    entries: tuple[ListedEntry, ...]
    broken: tuple[ListedBroken, ...]
    problems: tuple[str, ...]
    """What is wrong with the config itself."""
    notes: tuple[str, ...]


def entries(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The tournament's TOML file.")],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One entry, with --log and --build.", show_default=False)
    ] = None,
    as_json: Json = False,
    log: Annotated[bool, typer.Option("--log", help="Print the output of the last build of the entry NAME.")] = False,
    build: Annotated[
        bool, typer.Option("--build", help="Build the entry NAME again, or all of them, whatever came of it before.")
    ] = False,
) -> int:
    """List the entries of a config, with version, owner, build and last check, and what is wrong with them.

    Example: golfref entries cup.toml caddie --log
    """
    if build:
        refuse("--build", {"--log": log, "--json": as_json})
    if log:
        refuse("--log", {"--json": as_json})
    if (name is not None and not (build or log)) or (log and name is None):
        raise CommandError("a NAME goes with --log or --build, and --log needs one")
    if build:
        return build_again(config, name)
    if log and name is not None:
        return show_log(config, name)
    found = survey(config)
    versions = VersionStore(config.absolute().parent)
    listing = _listing(found, versions)
    if as_json:
        put_json(msgspec.json.encode(listing))
    else:
        _show(config, listing)
    is_good = not listing.problems and not listing.broken
    return DONE if is_good else USAGE


def _listing(found: Survey, versions: VersionStore) -> Listing:
    return Listing(
        entries=tuple(_listed(entry, versions) for entry in found.entrants.entries),
        broken=tuple(
            ListedBroken(name=one.name, folder=one.folder, problems=one.lines) for one in found.entrants.broken
        ),
        problems=found.lines,
        notes=found.notes,
    )


def _listed(entry: Entry, versions: VersionStore) -> ListedEntry:
    return ListedEntry(
        name=entry.name,
        folder=entry.folder,
        version=entry.version,
        owner=entry.owner,
        language=entry.language,
        contact=entry.contact,
        command=entry.command,
        build=entry.build,
        env=entry.env,
        reads=entry.reads,
        network=entry.wants_network,
        files=entry.files,
        size_bytes=entry.size_bytes,
        built=versions.last_build(entry.version) if entry.build else None,
        check=last_check(versions, entry.version),
    )


def _show(config: Path, listing: Listing) -> None:
    """The table on stdout, and below it in words what is wrong."""
    width = screen_width()
    if listing.entries or listing.broken:
        rows: list[_Listed] = [*listing.entries, *listing.broken]
        put(fitted(_columns(rows, width), rows, width).text)
    else:
        put(f"no entries: {config} has no [[bots]] with `entries` that finds a folder")
    wrong = [*listing.problems, *(line for broken in listing.broken for line in broken.problems)]
    notes = [f"note: {note}" for note in listing.notes]
    for lines in filter(None, (wrong, notes)):
        say("", *lines)


def _columns(rows: Sequence[_Listed], width: int) -> Sequence[Column[_Listed]]:
    names = Names((row.name for row in rows), width)
    longest = max(_CELLS_A_TEXT, (width - 50) // 3)

    def text(cell: Callable[[ListedEntry], str]) -> Callable[[_Listed], str]:
        return lambda row: _NOTHING if isinstance(row, ListedBroken) else cell(row)

    def cut(cell: Callable[[ListedEntry], str]) -> Callable[[_Listed], str]:
        return text(lambda entry: shortened(cell(entry), longest) or _NOTHING)

    return [
        Column("entry", lambda row: names(row.name), is_text=True),
        Column("version", text(lambda entry: short(entry.version)), is_text=True),
        Column("owner", cut(lambda entry: entry.owner), is_text=True, gives_way=2),
        Column("language", cut(lambda entry: entry.language), is_text=True, gives_way=3),
        Column("build", text(_build), is_text=True),
        Column("last check", lambda row: "unreadable" if isinstance(row, ListedBroken) else _check(row), is_text=True),
    ]


def _build(entry: ListedEntry) -> str:
    """What became of the build of this version, in a word or two; how long it took, and how much it left."""
    if not entry.build:
        return "none"
    if entry.built is None:
        return "not yet"
    if entry.built.outcome == "failed":
        return "failed"
    return f"{entry.built.seconds:.1f} s, {entry.built.size_bytes / 1e6:.1f} MB"


def _check(entry: ListedEntry) -> str:
    """What its last check came to, in a word or two."""
    return "not yet" if entry.check is None else entry.check.verdict
