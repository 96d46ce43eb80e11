"""highlights: the moments of a run that are worth seeing."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import in_lines, put, put_json, screen_width
from referee.commands.options import Game, Json, RunFile
from referee.commands.recorded.records import open_run
from referee.errors import DONE
from referee.highlights.gather import Highlights
from referee.highlights.highlight import NAME_LIMIT, Highlight, Kind
from referee.highlights.kinds import KINDS
from referee.rules.counts import SeatCounts
from referee.rules.match import MatchResult
from referee.rules.record import NoRecord
from referee.tournament.store.disk import StoreError
from referee.tournament.store.reading import Part, parts_of
from referee.tournament.store.store import Store
from referee.tournament.summary import check_game


class HighlightsOptions(Struct, frozen=True, kw_only=True):
    """What `golfref highlights` was asked for."""

    run: RunFile
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="upset, comeback, swing, wrong-slap, lead-changes or closest-finish; may be given several times. "
            "Default: all.",
        ),
    ] = None
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = 10
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
    usual_gaps: dict[str, float]
    """By game how many strokes two seats of a table lie apart in a round, on average."""
    highlights: tuple[Highlight, ...]
    """The best first; no match stands there twice."""


class _Scores(Part, frozen=True, kw_only=True):
    """What highlights need of a record."""

    result: MatchResult
    counts: tuple[SeatCounts, ...]


def highlights(options: HighlightsOptions) -> int:
    """List the ten best moments of a run, each with a sentence and the command that shows it.

    Example: golfref highlights cup.golfref --kind upset
    """
    kinds = _chosen(options.kinds or ())
    with open_run(options.run) as store:
        check_game(store, options.variant)
        found = _found(store, options, kinds)
    if options.as_json:
        put_json(msgspec.json.encode(found))
    else:
        put(*_in_words(found, options.run))
    return DONE


def _chosen(names: Sequence[str]) -> list[Kind]:
    """The kinds that were asked for. Raises NoRecord, which names all."""
    known = [kind.name for kind in KINDS]
    if wrong := [name for name in names if name not in known]:
        raise NoRecord(f"--kind: there is no kind {printable(wrong[0], 100)}; expected one of {', '.join(known)}")
    return [kind for kind in KINDS if not names or kind.name in names]


def _found(store: Store, options: HighlightsOptions, kinds: Sequence[Kind]) -> RunHighlights:
    """The highlights of a run. Raises StoreError, also where there is no match."""
    highlights, game = Highlights(options.limit), options.variant
    for row, scores in parts_of(store, _Scores, store.last_id()):
        if game in (None, row.identity.variant):
            try:
                highlights.add(row, scores.result, scores.counts)
            except (ValueError, LookupError) as error:
                problem = f"the result in the record of match #{row.id} is damaged ({error})"
                raise StoreError(f"{store.path}: {problem}; `golfref verify` prints more") from None
    if not highlights.matches:
        raise StoreError(f"{store.path}: no match without a forfeit has been played yet, so there is nothing to see")
    return RunHighlights(
        name=store.meta().config.name,
        variant=game,
        matches=highlights.matches,
        usual_gaps={name: round(float(highlights.gap(name)), 6) for name in highlights.games},
        highlights=highlights.best(options.limit, game, kinds),
    )


# In words


def _in_words(found: RunHighlights, run: Path) -> Iterator[str]:
    """The list for people, in lines as wide as the screen; commands stay whole."""
    width, titles = screen_width(), {kind.name: kind.title for kind in KINDS}
    game = "" if found.variant is None else f", {printable(found.variant, 100)} only"
    yield from in_lines(f"Best moments of {printable(found.name, 100)}{game}, of {found.matches} matches", width)
    for place, one in enumerate(found.highlights, start=1):
        yield ""
        yield from in_lines(f"{place:>2}. {one.sentence}", width)
        bots = ", ".join(printable(bot, NAME_LIMIT) for bot in one.bots)
        where = f"{titles[one.kind]}: match {one.match} of {printable(one.variant, 100)}, {bots}"
        yield from in_lines(f"    {where}", width)
        yield f"    golfref replay {shlex.quote(f'{run}:{one.match}')} --at {one.moment}"
    yield ""
    if not found.highlights:
        yield "none in these matches"
        return
    yield from in_lines(
        "for a browser: `golfref replay RUN:N --html FILE` writes a page, which shows a moment as "
        f"FILE#{found.highlights[0].moment}",
        width,
    )
    yield "tournaments/HIGHLIGHTS.md defines each kind; --json has all of this for programs"
