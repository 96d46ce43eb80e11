"""highlights: the moments of a run that are worth seeing."""

import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
import typer
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import in_lines, put, put_json, say, screen_width
from referee.commands.options import Game, Json, RunFile
from referee.commands.recorded.records import decode, open_run, replaying
from referee.errors import DONE
from referee.highlights.gather import Highlights, replayed_until
from referee.highlights.highlight import Highlight, Kind
from referee.highlights.kinds import KINDS
from referee.rules.record import BrokenRecord, NoRecord, Record
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.summary import check_game

T = TypeVar("T")

TOLD_EVERY_S = 10.0
"""Seconds between two lines that say how far the reading has come."""


class HighlightsOptions(Struct, frozen=True, kw_only=True):
    """What `golfref highlights` was asked for."""

    run: RunFile
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="swing, comeback, closest-finish, lead-changes, upset, slap-run, wrong-slap or power; may be given "
            "several times. Default: all.",
        ),
    ] = None
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many of each kind.")] = 3
    variant: Game = None
    as_json: Json = False


class RunHighlights(Struct, frozen=True, kw_only=True):
    """What `--json` prints."""

    name: str
    """The name of the run."""
    variant: str | None
    """The game, where one was asked for."""
    matches: int
    """How many matches were looked at: those of the standings in which nobody forfeited."""
    with_slaps_or_powers: int
    """How many of those looked at are of games with slaps or powers."""
    replayed: int
    """How many of these were played again; in the others no slap and no power was looked at."""
    usual_gaps: dict[str, float]
    """By game how many strokes two seats of a table lie apart in a round, on average."""
    highlights: tuple[Highlight, ...]
    """By kind, the best first."""


def highlights(options: HighlightsOptions) -> int:
    """List the moments of a run that are worth seeing, each with a sentence and the command that shows it.

    Example: golfref highlights cup.golfref --kind upset
    """
    kinds = _chosen(options.kinds or ())
    with open_run(options.run) as store, replaying(str(options.run)):
        check_game(store, options.variant)
        found = _found(store, options, kinds)
    if options.as_json:
        put_json(msgspec.json.encode(found))
    else:
        put(*_in_words(found, kinds, options.run))
    return DONE


def _chosen(names: Sequence[str]) -> list[Kind]:
    """The kinds that were asked for. Raises NoRecord, which names all."""
    known = [kind.name for kind in KINDS]
    if wrong := [name for name in names if name not in known]:
        raise NoRecord(f"--kind: there is no kind {printable(wrong[0], 100)}; expected one of {', '.join(known)}")
    return [kind for kind in KINDS if not names or kind.name in names]


def _found(store: Store, options: HighlightsOptions, kinds: Sequence[Kind]) -> RunHighlights:
    """The highlights of a run. Raises StoreError where there is no match, and what a record raises."""
    until = store.last_id()
    if next(_counted(store, until, options.variant), None) is None:
        raise StoreError(f"{store.path}: no match has been played yet, so there is nothing to see")
    highlights = Highlights(options.limit, replayed_until=_replayed_until(store, until, options, kinds))
    for row, data in _told(store.with_records(until), until):
        if options.variant in (None, row.identity.variant):
            _add(highlights, row, decode(f"{store.path}:#{row.id}", data))
    best = highlights.best(options.limit, lambda id_: _record(store, id_), options.variant)
    names = {kind.name for kind in kinds}
    return RunHighlights(
        name=store.meta().config.name,
        variant=options.variant,
        matches=highlights.matches,
        with_slaps_or_powers=highlights.with_slaps_or_powers,
        replayed=highlights.replayed,
        usual_gaps={game: round(float(highlights.gap(game)), 6) for game in highlights.games},
        highlights=tuple(one for one in best if one.kind in names),
    )


def _add(highlights: Highlights, row: CommittedMatch, record: Record) -> None:
    """Take a match in. Raises BrokenRecord, which names it."""
    try:
        highlights.add(row, record)
    except (BrokenRecord, ValueError) as error:  # options that there cannot be, too
        raise BrokenRecord(f"the record of match #{row.id} does not replay: {error}") from None


def _counted(store: Store, until: int, variant: str | None) -> Iterator[CommittedMatch]:
    """The matches of the standings, or those of one game, up to this id."""
    for row in store.matches():
        if row.id <= until and row.number is not None and variant in (None, row.identity.variant):
            yield row


def _replayed_until(store: Store, until: int, options: HighlightsOptions, kinds: Sequence[Kind]) -> str | None:
    """Up to which hash matches are played again, as Highlights takes it."""
    if not any(kind.is_replayed for kind in kinds):
        return ""
    games = {one.name: one.variant for one in store.meta().config.variants}
    return replayed_until(_counted(store, until, options.variant), games)


def _told(matches: Iterable[T], count: int) -> Iterator[T]:
    """The matches, with a line now and then that says how many of them are done."""
    told = time.monotonic()
    for done, match in enumerate(matches):
        if time.monotonic() - told > TOLD_EVERY_S:
            told = time.monotonic()
            say(f"{done} of {count} matches looked at")
        yield match


def _record(store: Store, id_: int) -> Record:
    return decode(f"{store.path}:#{id_}", store.record(id_))


# In words


def _in_words(found: RunHighlights, kinds: Sequence[Kind], run: Path) -> Iterator[str]:
    """The list for people, in lines as wide as the screen; commands stay whole."""
    width = screen_width()
    game = "" if found.variant is None else f", {printable(found.variant, 100)} only"
    yield from in_lines(f"Highlights of {printable(found.name, 100)}{game}: {found.matches} matches", width)
    for kind in kinds:
        if some := [one for one in found.highlights if one.kind == kind.name]:
            yield ""
            yield kind.title
            yield from in_lines(f"  {kind.meaning}", width)
            yield from _list(some, run, width)
    yield ""
    for note in _notes(found, kinds):
        yield from in_lines(note, width)


def _list(some: Sequence[Highlight], run: Path, width: int) -> Iterator[str]:
    for place, one in enumerate(some, start=1):
        yield ""
        yield from in_lines(f"  {place}. {one.sentence}", width)
        gaps = "" if not one.gaps else f", {one.gaps:.1f} usual gaps"
        game = printable(one.variant, 100)
        yield from in_lines(f"    {game}, match {one.number}: {_amount(one)}{gaps}", width)
        yield f"    golfref replay {shlex.quote(f'{run}:#{one.match}')} --at {one.moment}"


def _amount(one: Highlight) -> str:
    count = f"{one.score:.2f}" if one.unit == "match points" else f"{one.score:.0f}"
    return f"{count} {one.unit.removesuffix('s') if one.score == 1 else one.unit}"


def _notes(found: RunHighlights, kinds: Sequence[Kind]) -> Iterator[str]:
    """How the list is to be read, and what it does not tell of."""
    told = {one.kind for one in found.highlights}
    if missing := [kind.title.lower() for kind in kinds if kind.name not in told]:
        yield f"none in these matches: {', '.join(missing)}"
    if any(one.gaps for one in found.highlights):
        yield (
            "usual gap: how many strokes two seats of a table lie apart in a round of this game, on average; by it "
            "games are compared"
        )
    if any(kind.is_replayed for kind in kinds) and found.replayed < found.with_slaps_or_powers:
        yield (
            f"slaps and powers: of {found.replayed} of {found.with_slaps_or_powers} matches that have them, chosen by "
            "the hashes of their records"
        )
    if found.highlights:
        one = found.highlights[0]
        yield (
            "for a browser: `golfref replay RUN:#ID --html FILE` writes a page, which shows a moment as "
            f"FILE#{one.moment}"
        )
    yield "tournaments/HIGHLIGHTS.md defines each kind; --json has all of this for programs"
