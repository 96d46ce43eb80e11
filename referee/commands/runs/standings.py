"""standings: shows the tables of a run, from its store alone."""

import shlex
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.commands.console import put, put_json, put_words, say, screen_width
from referee.commands.options import Game, Json, RunFile, refuse
from referee.commands.recorded.records import check_bot_of_run, open_run
from referee.errors import DONE
from referee.events.time_left import time_left
from referee.reports.bot_results import MOST_SHOWN, bot_results, how_many, one_bot, one_bot_report
from referee.reports.faults import FaultLog, explain, page_for_authors, read_on
from referee.reports.host_figures import hosts_of, hosts_report
from referee.reports.provenance import influences, provenance
from referee.reports.standings_text import one_screen, tables_of
from referee.reports.tables.bot_tables import anchor_line, columns_of, rating_column, report, standings_of
from referee.reports.tables.layout import LONGEST, shortened, wrapped
from referee.reports.verdict import commands_to_read_on, verdict
from referee.rules.record import NoRecord, read_record
from referee.tournament.standings import BotStanding, Encounter, RankBy
from referee.tournament.store.disk import StoreError, forecast_of, is_written_to
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, standings_in, summary_of

EXPLAINED = 3
"""Of how many bots at fault it is told what was wrong."""


class StandingsOptions(Struct, frozen=True, kw_only=True):
    """What `golfref standings` was asked to print."""

    run: RunFile
    as_json: Json = False
    hashes: Annotated[
        bool, typer.Option("--hashes", help="Print a hash for every row of the store, for `verify --digest`.")
    ] = False
    hosts: Annotated[
        bool,
        typer.Option("--hosts", help="Print which hosts of a cluster or of shards played, and what each was like."),
    ] = False
    variant: Game = None
    anchor: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot that ratings compare with.", show_default=False)
    ] = None
    bot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Print this bot: its neighbours, its games, its matches, the worst first."),
    ] = None
    brief: Annotated[
        bool,
        typer.Option(
            "--brief",
            help="Print one screen: who leads, how sure, how long still; of a knockout its present round or final; "
            "of a bot all but its matches.",
        ),
    ] = False
    full: Annotated[
        bool, typer.Option("--full", help="Print all tables: one for each game, and every page of the crosstable.")
    ] = False

    def check(self) -> None:
        """Raise CommandError where an option has no effect with the others."""
        given = {
            "--hosts": self.hosts,
            "--variant": self.variant,
            "--anchor": self.anchor,
            "--bot": self.bot,
            "--brief": self.brief,
            "--full": self.full,
            "--json": self.as_json,
        }
        for name, is_given, goes_with in (
            ("--hashes", self.hashes, set()),
            ("--hosts", self.hosts, {"--json"}),
            ("--full", self.full, {"--anchor"}),
            ("--anchor", self.anchor is not None, {"--full", "--json"} if self.bot is None else {"--bot", "--brief"}),
        ):
            if is_given:
                refuse(name, {other: value for other, value in given.items() if other not in {name} | goes_with})


class GameSummary(Struct, frozen=True, kw_only=True):
    """What `--variant --json` prints: the tables of one game."""

    name: str
    variant: str
    rank_by: RankBy
    standings: tuple[BotStanding, ...]
    crosstable: dict[str, dict[str, Encounter]]


def standings(options: StandingsOptions) -> int:
    """Print a run's tables again, from its store: all, those of one game, of one bot or of its hosts, or a few lines.

    Example: golfref standings cup.golfref --bot ann
    """
    options.check()
    with open_run(options.run) as store:
        if options.anchor is not None:
            check_bot_of_run(store, options.anchor)
        if options.hashes:
            put(*store.lines())
        elif options.hosts:
            _print_hosts(options, store)
        elif options.bot is not None:
            _print_bot(options, store, options.bot)
        elif options.brief and not options.as_json:
            _print_brief(options, store)
        elif options.variant is not None:
            _print_game(options, store, options.variant)
        else:
            summary = summary_of(store, with_results=options.as_json, anchor=options.anchor)
            show(summary, as_json=options.as_json, full=options.full)
            explain_faults(store, summary)
            last_words(summary, store.path, as_json=options.as_json)
    return DONE


def _print_hosts(options: StandingsOptions, store: Store) -> None:
    """Print which hosts played, and the figures of each."""
    store.hold()
    found = hosts_of(store)
    if options.as_json:
        put_json(msgspec.json.encode(found))
    else:
        put(*(printable(line, 2000) for line in hosts_report(found, screen_width())))


def _print_bot(options: StandingsOptions, store: Store, bot: str) -> None:
    """Print a bot's place, its games, and unless in brief its matches, the worst first; all of them as JSON."""
    check_bot_of_run(store, bot)
    summary = summary_of(store, with_results=False, anchor=options.anchor) if options.variant is None else None
    standings = standings_in(store, options.variant) if summary is None else standings_of(summary)
    matches = () if options.brief else bot_results(store, bot, options.variant)
    one = one_bot(bot, standings, matches)
    if one.standing is None or not one.standing.matches:
        withdrawn = bot not in {one.name for one in store.meta().config.bots}
        why = "it was withdrawn" if withdrawn else "none has been played"
        raise NoRecord(printable(f"{store.path}: no match of {bot} counts now: {why}", 3000))
    if options.as_json:
        put_json(msgspec.json.encode(one))
        return
    has_means, width = summary is None or summary.order == "means", screen_width()
    ratings = None if summary is None or has_means else summary.ratings
    columns = None if has_means else columns_of(standings, [rating_column(ratings)] if ratings else [])
    below = [*([anchor_line(ratings)] if ratings else []), *(influences(summary, bot=bot) if summary else [])]
    below += ["\n".join(how_many(store, summary, bot))] if summary else []
    report_ = one_bot_report(one, width, len(standings.overall), columns)
    put("\n\n".join([*report_, *("\n".join(wrapped(line, width) for line in part.splitlines()) for part in below)]))
    if matches:
        rest = "; --json lists all matches" * (len(matches) > MOST_SHOWN)
        where = shlex.quote(f"{store.path}:{matches[0].match}")
        say(f"to read on: golfref replay {where} --seat {matches[0].seat}{rest}")


def _print_game(options: StandingsOptions, store: Store, variant: str) -> None:
    """Print the tables of one game."""
    standings = standings_in(store, variant)
    if options.as_json:
        game = GameSummary(
            name=store.meta().config.name,
            variant=variant,
            rank_by=standings.rank_by,
            standings=standings.overall,
            crosstable=standings.crosstable,
        )
        put_json(msgspec.json.encode(game))
    else:
        put(report(standings, screen_width(), full=True))


def _print_brief(options: StandingsOptions, store: Store) -> None:
    """Print the first bots and the verdict; of one game who is first, and which ranks are ties."""
    summary = summary_of(store, with_results=False)
    if options.variant is not None:
        overall, name = standings_in(store, options.variant).overall, f"{summary.name}, {options.variant} only"
        summary = replace(summary, name=name, standings=overall, stages=(), ratings=None)
    put(*one_screen(summary, store.path, screen_width(), _left(store.path)))


def _left(run: Path) -> str:
    """How long the run still takes, or that no process plays it."""
    return time_left(forecast_of(run)) if is_written_to(run) else "nobody plays it now"


def explain_faults(store: Store, summary: RunSummary) -> None:
    """Tell for each bot at fault all such matches, and of the first few bots what was wrong in the first of them."""
    log = FaultLog("match", "matches")
    for result in store.results() if any(row.faults for row in summary.standings) else ():
        log.note(result.number, result.bots, result.faults)
    for place, (bot, (number, seat)) in enumerate(log.first.items()):
        if place < EXPLAINED:
            try:
                say(*explain(read_record(store.record(store.planned(number).id)), seat, f"match {number}"))
            except (StoreError, ValueError) as error:  # the tables are worth more than a record that is damaged
                say(f"match {number}: its record does not replay ({error}); `golfref verify {store.path}` says more")
            say(read_on(f"{store.path}:{number}", seat, bot))
        say(f"bot {shortened(bot, LONGEST)}: {log.in_words(bot)}")
    say(*[page_for_authors()] * bool(log.first))


def show(summary: RunSummary, *, as_json: bool, full: bool = False) -> None:
    """Print the summary as tables or as JSON."""
    if as_json:
        put_json(msgspec.json.encode(summary))
    else:
        put(tables_of(summary, screen_width(), full=full), "")
        put_words(*provenance(summary))


def last_words(summary: RunSummary, path: Path, *, as_json: bool) -> None:
    """Say at the very end what came of the run, beside the tables, or for people where those are JSON."""
    words = verdict(summary, screen_width(), _left(path))
    commands = [f"  {command}" for command in commands_to_read_on(summary, path)]
    if as_json:
        say(*words)
    else:
        put("")
        put_words(*words)
        put(*commands)  # which stay whole, so that they can be copied
