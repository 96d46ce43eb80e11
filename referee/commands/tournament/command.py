"""tournament: checks everything, says what it will take, plays what is missing, and shows the standings."""

import contextlib
from collections.abc import Mapping
from math import ceil
from os import stat_result
from os.path import samestat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.cluster.where import ClusterFailed
from referee.commands.console import say
from referee.commands.interrupt import FINISHING, Signals
from referee.commands.options import refuse
from referee.commands.runs.standings import explain_faults, last_words, show
from referee.commands.tournament.announcement import (
    announce_plan,
    announce_rounds,
    announce_time,
    tell_failures,
)
from referee.commands.tournament.cluster import clustered
from referee.commands.tournament.event_sink import EventSink, event_sink
from referee.commands.tournament.forecast import Estimate
from referee.commands.tournament.options import TournamentOptions
from referee.commands.tournament.participants import CannotPlay, Participants, Registrar
from referee.commands.tournament.prepare import PreparedRun, open_store, prepare
from referee.commands.tournament.progress import LONGEST_LINE
from referee.commands.tournament.watchers import watchers
from referee.ending_signals import Interrupted
from referee.errors import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, GolfrefError
from referee.events.hooks import HooksRefused
from referee.events.reporter import standings_of
from referee.play.faults import HostFault
from referee.play.process.open_files import check_open_files
from referee.play.process.process import bounded, control_groups
from referee.play.sandbox.cgroups import Cgroups
from referee.play.sandbox.levels import check_cells
from referee.play.sandbox.readable_check import Unfit
from referee.tournament.config.bots import readers
from referee.tournament.config.config import Config, ConfigError
from referee.tournament.plan.keys import commitment
from referee.tournament.run.clock import HoursClock
from referee.tournament.run.run import Cluster
from referee.tournament.store.disk import Lock, StoreError, locked
from referee.tournament.store.plans import plan_now
from referee.tournament.store.rows import BotChanged
from referee.tournament.store.store import Store
from referee.tournament.store.words import drawn_in_words, in_words
from referee.tournament.summary import summary_of
from referee.tournament.workers.crew import WorkersLost
from referee.versions.store import VersionStore
from referee.versions.version import traces_of, version_on_disk

if TYPE_CHECKING:
    from referee.commands.tournament.live_site import LiveSite


class _Session(Struct, frozen=True, kw_only=True):
    """What goes through all of the command."""

    options: TournamentOptions
    signals: Signals
    registrar: Registrar
    sink: EventSink
    clock: HoursClock
    """Has counted since the command began."""
    cluster: Cluster | None = None


class _Exit(Struct, frozen=True, kw_only=True):
    """How the command ended."""

    code: int
    """The exit code."""
    why: tuple[str, ...] = ()
    """Why it is not 0, in lines for people."""


def tournament(options: TournamentOptions) -> int:
    """Run a tournament, or go on with one, and print the standings.

    Example: golfref tournament cup.toml
    """
    signals = Signals()
    if options.fresh:
        refuse("--fresh", {"--amend": options.amend})
    with event_sink(options.progress) as sink:
        ended = _Exit(code=CHECK_FAILED, why=("it broke off",))
        try:
            ended = _run_and_report(options, signals, sink)
        finally:
            sink.end(ended.code, "\n".join(ended.why), options.path)
        return ended.code


def _run_and_report(options: TournamentOptions, signals: Signals, sink: EventSink) -> _Exit:
    """Run the command, and print what ends it early."""
    path, registrar = options.path, Registrar(options, signals)
    replaced = _stat(path) if options.fresh else None
    try:
        with signals:
            return _run(_Session(options=options, signals=signals, registrar=registrar, sink=sink, clock=HoursClock()))
    except GolfrefError as error:
        if isinstance(error, HostFault | HooksRefused | ClusterFailed):
            error.add_note("nothing was played")
        elif isinstance(error, WorkersLost):
            error.add_note(_so_far(options, path))
        ended = _Exit(code=error.exit_code, why=error.printed)
    except Interrupted:
        there = _stat(path)
        has_run = there is not None and (replaced is None or not samestat(there, replaced))
        why = f"interrupted: {_so_far(options, path)}" if has_run else "interrupted; nothing was played"
        ended = _Exit(code=INTERRUPTED, why=(why,))
    say(*ended.why)
    return ended


def _run(session: _Session) -> _Exit:
    """Settle who takes part, start each bot once, and play; a ladder does so again whenever something changed."""
    options, registrar = session.options, session.registrar
    participants = _in_cells(registrar.settle(session.sink.start_hooks), options)
    _print_unbounded(participants.config)
    with (
        contextlib.nullcontext() if options.dry_run else locked(options.path) as lock,
        clustered(options, participants.config) as cluster,
    ):
        session = replace(session, cluster=cluster)
        run = _prepare_run(session, participants)
        _check_site(options, run)
        run = _start_bots(session, run)
        forecast = run.forecast(registrar.start_s)
        announce_time(run, forecast, session.clock, options)
        if lock is None:
            say("dry run: nothing was played, nothing was changed")
            return _Exit(code=DONE)
        while (ended := _play_session(session, run, forecast, lock)) is None:
            run = _take_up_changes(session, run)
            forecast = run.forecast(registrar.start_s)
        return ended


def _in_cells(participants: Participants, options: TournamentOptions) -> Participants:
    """The same with the cells of their bots, under `bwrap`.

    Raises StoreError where a bot can read the store or the file with the key of all deals, HostFault where there are
    no cells, or no user ids for strangers' bots, and Unfit.
    """
    config = participants.config
    if config.isolation != "bwrap":
        return participants
    check_cells(of_strangers=config.needs_users)
    path, key = options.path, options.key
    if names := readers(config.bots, str(path)):
        raise StoreError(f"{path} lies where these bots could read it: {', '.join(names)}; choose another --store")
    if key is not None and (names := readers(config.bots, str(key))):
        raise StoreError(f"{key} lies where these bots could read it: {', '.join(names)}; move it and give --key again")
    return replace(participants, config=config.with_cells())


def _print_unbounded(config: Config) -> None:
    """Print what no control group bounds on this host, where bots are in cells."""
    if config.isolation != "bwrap":
        return
    groups = control_groups()
    gap = groups.gap if isinstance(groups, Cgroups) else groups
    if gap is not None and (lacking := sorted({"memory", "processes"} - bounded())):
        say(f"note: no control group bounds a bot's {' and '.join(lacking)} as a whole: {gap.reason}; {gap.remedy}")


def _prepare_run(session: _Session, participants: Participants, *, is_taking_up: bool = False) -> PreparedRun:
    """The run of these bots, which are in their cells. Raises StoreError where the store cannot take it."""
    options, config = session.options, participants.config
    run = prepare(
        config,
        options.path,
        fresh=options.fresh and not is_taking_up,
        may_change=is_taking_up or options.amend or options.dry_run,
        is_taking_up=is_taking_up,
    )
    if session.cluster is None and run.jobs:
        seats = max(one.seats for one in config.variants)
        check_open_files(jobs=ceil(run.jobs / run.workers), seats=seats, reuse=config.reuse)
    return replace(run, notes=participants.notes, cluster=session.cluster)


def _start_bots(session: _Session, run: PreparedRun) -> PreparedRun:
    """Print the plan, and start each bot once if any is to play. Returns the run with those that start.

    Raises CannotPlay where a bot does not start, unless it has just qualified and the others can play without it.
    """
    options = session.options
    while True:
        announce_plan(run.config, run.plan)
        announce_rounds(run)
        is_to_play = options.dry_run or any(run.left.values())
        failed = session.registrar.start(run.config, run.config.bots) if is_to_play else []
        if not failed:
            return run
        tell_failures(failed)
        left = None
        if run.config.qualify is not None:
            from referee.competition.qualify import without_failed  # noqa: PLC0415 - a run without it starts sooner

            left = without_failed(run.config, options.path, failed, fresh=options.fresh, tell=say)
        if left is None:
            raise CannotPlay(f"{len(failed)} of {len(run.config.bots)} bots did not start; nothing was played")
        participants = Participants(config=left.config, notes=(*run.notes, *left.notes))
        run = _prepare_run(session, participants)


def _check_site(options: TournamentOptions, run: PreparedRun) -> None:
    """Raises SiteRefused where the site that is wanted cannot be kept current."""
    if options.site is not None:
        from referee.commands.tournament.live_site import check_site  # noqa: PLC0415 - a run without a site starts sooner

        check_site(options.site, run.path, commitment(run.key), fresh=options.fresh)


def _play_session(session: _Session, run: PreparedRun, forecast: Estimate, lock: Lock) -> _Exit | None:
    """Play what is left, and show what came of it. None where a ladder ends its session to take up what changed."""
    with (
        contextlib.closing(open_store(run, lock)) as store,
        _site(session.options, run) as site,
    ):
        for note in run.notes:
            store.add(note)
        if not run.is_taking_up:
            say(f"commitment {commitment(run.key)}", "  (SHA-256 of the master key, which is revealed at the end)")
        elif run.drawn is not None:
            say(printable(drawn_in_words(run.drawn), LONGEST_LINE))
        waiting_for_hosts = _play_matches(session, run, forecast, store)
        return None if session.registrar.has_changed else _end(session, store, site, waiting_for_hosts)


def _play_matches(session: _Session, run: PreparedRun, forecast: Estimate, store: Store) -> Mapping[str, int]:
    """Play what is left. Returns by host that is not there how many matches are left to it."""
    signals, hours, is_endless = session.signals, run.config.hours, run.config.traits.is_endless
    is_to_play, clock = any(run.left.values()), None if hours is None else session.clock
    if clock is not None and hours is not None:
        clock.begin(store, hours, forecast.match_s, forecast.side_by_side, counts_earlier=not is_endless)
        clock.note(store)
    waiting_for_hosts: Mapping[str, int] = {}
    bots = _ChangedBots(run, store)
    try:
        with signals.held(), watchers(run, store, forecast, session.sink, bots.look) as watcher:
            if is_to_play:
                has_changed = session.registrar.look if is_endless else None
                waiting_for_hosts = run.run(store, watcher, clock, has_changed).play(
                    signals.check, lambda: say(FINISHING)
                )
    finally:
        if clock is not None and is_to_play:
            clock.note(store)
        bots.note()
    return waiting_for_hosts


def _take_up_changes(session: _Session, run: PreparedRun) -> PreparedRun:
    """The run of a ladder as it goes on with what changed; or as it was, where that cannot be played."""
    try:
        participants = _in_cells(session.registrar.settle_again(), session.options)
        return _prepare_run(session, participants, is_taking_up=True)
    except (ConfigError, HostFault, StoreError, Unfit) as error:
        session.registrar.say_once(*str(error).splitlines(), "the ladder goes on as it was")
        return _prepare_run(session, Participants(config=run.config), is_taking_up=True)


def _site(options: TournamentOptions, run: PreparedRun) -> "contextlib.AbstractContextManager[LiveSite | None]":
    """The site of the run while it is played, where one is wanted."""
    if options.site is None:
        return contextlib.nullcontext()
    from referee.commands.tournament.live_site import kept_current  # noqa: PLC0415 - as above

    return kept_current(options.site, run.path, commitment(run.key))


def _end(session: _Session, store: Store, site: "LiveSite | None", waiting_for_hosts: Mapping[str, int]) -> _Exit:
    """Tell what came of the run, and return how it ended.

    `waiting_for_hosts` has by host that is not there how many matches are left to it.
    """
    options = session.options
    summary = summary_of(store, with_results=options.as_json)
    if summary.hours is not None and summary.goes_on and store.meta().config.traits.is_endless:
        say(f"the ladder rests: its time of {summary.hours:g} hours is over; the same command plays on for as long")
    session.sink.put(standings_of(summary.standings, summary.matches, summary.planned))
    show(summary, as_json=options.as_json)
    explain_faults(store, summary)
    if summary.unplayed:
        numbers = ", ".join(map(str, summary.unplayed))
        say(
            f"left out, because the referee or its host spoiled them every time: matches {numbers}; "
            f"to try them again: {options.again()}"
        )
    say(*(left_to(host, count) for host, count in waiting_for_hosts.items()))
    last_words(summary, store.path, as_json=options.as_json)
    if site is not None:
        site.finish()
    if summary.unplayed:
        why = "matches were left out, because the referee or its host spoiled them every time"
        return _Exit(code=HOST_FAILED, why=(why,))
    if waiting_for_hosts:
        return _Exit(code=HOST_FAILED, why=("matches were left to hosts that are not there",))
    if options.strict and (at_fault := [row.bot for row in summary.standings if row.faults]):
        return _Exit(code=CHECK_FAILED, why=(f"--strict, and these bots were at fault: {', '.join(at_fault)}",))
    return _Exit(code=DONE)


class _ChangedBots:
    """Names every bot whose files change while it plays, here and in the store."""

    def __init__(self, run: PreparedRun, store: Store) -> None:
        self._config, self._store = run.config, store
        self._versions = {bot.name: bot.version for bot in run.run_config.bots}
        self._traces = self._traces_now()

    def look(self) -> None:
        """Name those that changed, if any file of a bot looks otherwise than at the last time."""
        if (now := self._traces_now()) != self._traces:
            self._traces = now
            self.note()

    def note(self) -> None:
        """Name those that changed."""
        config, versions = self._config, VersionStore(self._config.folder)
        now = {bot.name: version_on_disk(bot, config.folder) for bot in config.bots if not bot.entry}
        now |= {entry.name: versions.version_now(entry) for entry in config.entries}
        for name, version in now.items():
            if version != self._versions[name]:
                row = BotChanged(bot=name, before=self._versions[name], after=version)
                say(*(f"WARNING: {line}" for line in in_words(row)))
                self._store.add(row)
                self._versions[name] = version

    def _traces_now(self) -> list[tuple[str, int, int]]:
        bots = (bot for bot in self._config.bots if not bot.entry)
        return [trace for bot in bots for trace in traces_of(bot, self._config.folder)]


def _stat(path: Path) -> stat_result | None:
    """What the system says of a file. None where there is none, or it may not be looked at."""
    with contextlib.suppress(OSError):
        return path.stat()
    return None


def _so_far(options: TournamentOptions, path: Path) -> str:
    """How many matches are stored and how to go on, or why that cannot be told."""
    try:
        with contextlib.closing(Store.open(path)) as store:
            there, plan = len(store.numbers()), plan_now(store)
            so_far = " drawn so far" if plan.grows else ""
            return f"{there} of {len(plan)} matches{so_far} are stored; go on with: {options.again()}"
    except StoreError as error:
        return str(error)


def left_to(host: str, count: int) -> str:
    """That so many matches are left to this host, and what to do; to one that nobody knows where it is empty."""
    matches = "1 match" if count == 1 else f"{count} matches"
    if not host:
        who, how = "one machine alone", "without --cluster the same command plays them on this machine"
    else:
        who, how = printable(host, LONGEST_LINE), "the same command plays them once that host is there"
    return f"left out: {matches} of blocks with timed slaps that {who} has begun; no block mixes machines; {how}"
