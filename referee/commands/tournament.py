"""tournament: checks everything, says what it will take, plays what is missing, and shows the standings."""

import contextlib
from collections.abc import Mapping, Sequence
from math import ceil
from os import stat_result
from os.path import samestat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.cluster.where import BadCluster, ClusterFailed
from referee.commands.announcement import (
    announce_plan,
    announce_rounds,
    announce_time,
    mean_start_s,
    tell_failures,
)
from referee.commands.clustered import clustered
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.entering import Newcomers, NotTakenUp
from referee.commands.forecast import Estimate, estimate
from referee.commands.hours import announce_hours, say_what_is_shorter
from referee.commands.interrupt import FINISHING, Signals
from referee.commands.machines import BadProgress, Machines, machines
from referee.commands.opening import PreparedRun, open_store, prepare
from referee.commands.progress import LONGEST_LINE
from referee.commands.standings import explain_faults, last_words, show
from referee.commands.taking_part import entered
from referee.commands.tournament_options import TournamentOptions
from referee.commands.watching import leaders_of, watching
from referee.competition.hooks import HooksRefused
from referee.competition.places import table_of
from referee.entries.built import version_now
from referee.entries.shelf import Shelf
from referee.play.faults import HostFault
from referee.play.greeting import Greeted
from referee.play.process.open_files import check_open_files
from referee.play.process.process import bounded, control_groups
from referee.play.sandbox.cgroups import Cgroups
from referee.play.sandbox.levels import check_cells
from referee.play.session import Interrupted
from referee.site.refusals import SiteNotWritten, SiteRefused
from referee.tournament.config.config import Config, ConfigError
from referee.tournament.config.entrants import readers
from referee.tournament.formats.table import traits_of
from referee.tournament.plan.keys import commitment
from referee.tournament.run.clock import HoursClock
from referee.tournament.run.crew import WorkersLost
from referee.tournament.run.hatchery import hatchery
from referee.tournament.run.run import Cluster, greet_all
from referee.tournament.run.worker import main as work
from referee.tournament.store.disk import Lock, StoreError, WriteFailed, locked
from referee.tournament.store.facts import BotFacts, config_facts
from referee.tournament.store.plans import plan_now
from referee.tournament.store.rows import BotChanged, Hours, KeptOut
from referee.tournament.store.store import Store
from referee.tournament.store.words import drawn_in_words, in_words
from referee.tournament.summary import summary_of

if TYPE_CHECKING:
    from referee.commands.live_site import LiveSite

MANY_BOTS = 16
"""To start each of so many bots takes a while, so this is told."""


class _Session(Struct, frozen=True, kw_only=True):
    """What goes through all of the command."""

    options: TournamentOptions
    path: Path
    """The store."""
    signals: Signals
    clock: HoursClock
    """Has counted since the command began."""
    told: Machines
    newcomers: Newcomers | None
    """Where a ladder is played, what takes new versions up between its rounds."""
    cluster: Cluster | None


class _Ended(Struct, frozen=True, kw_only=True):
    """How the command ended."""

    code: int
    """The exit code."""
    why: tuple[str, ...] = ()
    """Why it is not 0, in lines for people."""


def run_tournament(options: TournamentOptions, signals: Signals) -> int:
    """Run the command and return its exit code. Whatever ends it early is told in words."""
    path = options.path
    try:
        with _workers_forked(options), machines(options.progress) as told:
            ended = _Ended(code=CHECK_FAILED, why=("it broke off",))
            try:
                ended = _ended(options, path, signals, told)
            finally:
                told.end(ended.code, "\n".join(ended.why), path)
            return ended.code
    except BadProgress as error:
        say(f"golfref: {error}")
        return USAGE


def _workers_forked(options: TournamentOptions) -> contextlib.AbstractContextManager[None]:
    """What workers are forked from, where there may be any and nothing is known yet of which the master key is made."""
    if options.dry_run or options.workers == 1 or options.cluster is not None or options.seed is not None:
        return contextlib.nullcontext()
    return hatchery(work)


def _ended(options: TournamentOptions, path: Path, signals: Signals, told: Machines) -> _Ended:
    """Run the command, and tell in words what ends it early."""
    replaced = _stat(path) if options.fresh else None
    try:
        with signals:
            return _run(options, path, signals, told)
    except ConfigError as error:
        ended = _Ended(code=USAGE, why=error.lines)
    except (StoreError, SiteRefused) as error:
        why = f"golfref: --site: {error}" if isinstance(error, SiteRefused) else f"golfref: {error}"
        ended = _Ended(code=HOST_FAILED if isinstance(error, WriteFailed | SiteNotWritten) else USAGE, why=(why,))
    except (HostFault, HooksRefused) as fault:
        ended = _Ended(code=HOST_FAILED, why=(f"golfref: {fault}; nothing was played",))
    except BadCluster as error:
        ended = _Ended(code=USAGE, why=(f"golfref: {error}",))
    except ClusterFailed as error:
        ended = _Ended(code=HOST_FAILED, why=(f"golfref: {error}; nothing was played",))
    except WorkersLost as lost:
        ended = _Ended(code=HOST_FAILED, why=(f"golfref: {lost}; {_so_far(options, path)}",))
    except Interrupted:
        there = _stat(path)
        has_run = there is not None and (replaced is None or not samestat(there, replaced))
        why = f"interrupted: {_so_far(options, path)}" if has_run else "interrupted; nothing was played"
        ended = _Ended(code=INTERRUPTED, why=(why,))
    say(*ended.why)
    return ended


class _KeptOut(Exception):
    """Some bots that have qualified do not start, and the others can play without them."""

    def __init__(self, config: Config, notes: Sequence[KeptOut]) -> None:
        """`config` has those alone who take part now, and `notes` tells the history of the others."""
        super().__init__()
        self.config, self.notes = config, tuple(notes)


def _run(options: TournamentOptions, path: Path, signals: Signals, told: Machines) -> _Ended:
    """Play nothing before all of the config is known to be good and every bot has been greeted."""
    found = entered(options, path, signals, told)
    if found is None:
        return _Ended(code=CHECK_FAILED, why=("an entry could not be built; nothing was played",))
    _check_cells(found.config, path, options.key)
    _tell_unbounded(found.config)
    with (
        contextlib.nullcontext() if options.dry_run else locked(path) as lock,
        clustered(options, found.config) as cluster,
    ):
        session = _Session(
            options=options,
            path=path,
            signals=signals,
            clock=HoursClock(),
            told=told,
            newcomers=found.newcomers,
            cluster=cluster,
        )
        run = _prepared(session, found.config, found.notes)
        if options.site is not None:
            from referee.commands.live_site import check_site  # noqa: PLC0415 - a run without a site starts sooner

            check_site(options.site, path, commitment(run.key), fresh=options.fresh)
        while True:
            announce_plan(run.config, run.plan)
            announce_rounds(run)
            try:
                while (ended := _go_on(session, run, lock)) is None:
                    run = _taken_up(session, run)
                return ended
            except _KeptOut as kept_out:
                run = _prepared(session, kept_out.config, (*run.notes, *kept_out.notes))
                if session.newcomers is not None:
                    session.newcomers.begins_with(run.config)


def _prepared(session: _Session, config: Config, notes: tuple[KeptOut, ...]) -> PreparedRun:
    """The run of these bots in their cells, of which the history is to tell this."""
    options = session.options
    run = prepare(config.with_cells(), session.path, fresh=options.fresh, may_change=options.amend or options.dry_run)
    if session.cluster is None and run.jobs:
        seats = max(one.seats for one in config.variants)
        check_open_files(jobs=ceil(run.jobs / run.workers), seats=seats, reuse=config.reuse)
    return replace(run, notes=notes, cluster=session.cluster)


def _taken_up(session: _Session, run: PreparedRun) -> PreparedRun:
    """The run of a ladder as it goes on with what lies there now; or as it was, where that cannot be."""
    if (newcomers := session.newcomers) is None:
        raise RuntimeError("a run that is no ladder rested for newcomers")
    try:
        config = newcomers.config()
        _check_cells(config, run.path, session.options.key)
        found = prepare(config, run.path, fresh=False, may_change=True, is_taking_up=True)
        return replace(found, notes=newcomers.notes, cluster=session.cluster)
    except (NotTakenUp, StoreError) as error:
        newcomers.goes_back(run.config, str(error).splitlines())
    found = prepare(run.config, run.path, fresh=False, may_change=True, is_taking_up=True)
    return replace(found, cluster=session.cluster)


def _go_on(session: _Session, run: PreparedRun, lock: Lock | None) -> _Ended | None:
    """Greet the bots if any is to play, and play what is left. Without a `lock` nothing is played.

    Returns how it ended; None where a ladder rests to take up what has changed. Raises _KeptOut.
    """
    options, signals, newcomers = session.options, session.signals, session.newcomers
    if lock is not None and newcomers is not None and newcomers.start_s is not None:
        found = estimate(
            run.config,
            run.left,
            processes=run.workers,
            start_s=newcomers.start_s,
            grows=not run.has_ended,
            is_elsewhere=run.cluster is not None,
        )
        return _play(session, run, found, lock)
    greeted = []
    if options.dry_run or any(run.left.values()):
        if len(run.config.bots) >= MANY_BOTS:
            say(f"starting each of the {len(run.config.bots)} bots once")
        with signals.held():
            greeted = greet_all(run.config, signals.check)
    if failed := [one for one in greeted if one.mishap is not None]:
        return _not_started(session, run, failed, len(greeted))
    found = announce_time(run, greeted)
    if run.config.hours is None:
        say_what_is_shorter(run, found)
    else:
        announce_hours(run, found, session.clock, options)
    if lock is None:
        say("dry run: nothing was played, nothing was changed")
        return _Ended(code=DONE)
    if newcomers is not None:
        newcomers.start_s = mean_start_s(greeted)
    return _play(session, run, found, lock)


def _not_started(session: _Session, run: PreparedRun, failed: Sequence[Greeted], greeted: int) -> _Ended:
    """Tell which bots do not start. Raises _KeptOut where they had to qualify and the others can play without them."""
    tell_failures(failed)
    if run.config.qualify is not None:
        from referee.competition.qualifying import without_failed  # noqa: PLC0415 - as above

        found = without_failed(run.config, session.path, failed, fresh=session.options.fresh, tell=say)
        if found is not None:
            raise _KeptOut(found.config, found.notes)
    why = f"{len(failed)} of {greeted} bots did not start; nothing was played"
    say(why)
    return _Ended(code=CHECK_FAILED, why=(why,))


def _check_cells(config: Config, path: Path, key: Path | None) -> None:
    """Under `bwrap` there must be cells, and no bot may read the store or the file with the key of all deals.

    Raises StoreError, and HostFault where there are no cells, or no user ids for strangers' bots.
    """
    if config.isolation != "bwrap":
        return
    check_cells(of_strangers=config.needs_users)
    if names := readers(config.bots, str(path)):
        raise StoreError(f"{path} lies where these bots could read it: {', '.join(names)}; choose another --store")
    if key is not None and (names := readers(config.bots, str(key))):
        raise StoreError(f"{key} lies where these bots could read it: {', '.join(names)}; move it and give --key again")


def _tell_unbounded(config: Config) -> None:
    """Say what no control group bounds on this host, where bots are in cells."""
    if config.isolation != "bwrap":
        return
    groups = control_groups()
    gap = groups.gap if isinstance(groups, Cgroups) else groups
    if gap is not None and (lacking := sorted({"memory", "processes"} - bounded())):
        say(f"note: no control group bounds a bot's {' and '.join(lacking)} as a whole: {gap.reason}; {gap.remedy}")


def _play(session: _Session, run: PreparedRun, forecast: Estimate, lock: Lock) -> _Ended | None:
    """Play what is left, and tell what came of it.

    Returns how it ended; None where a ladder rests to take up what has changed.
    """
    options, signals, clock, newcomers = session.options, session.signals, session.clock, session.newcomers
    hours, is_endless = run.config.hours, traits_of(run.config.format).is_endless
    with (
        contextlib.closing(open_store(run, lock)) as store,
        _site(options, run) as site,
    ):
        for note in run.notes:
            store.add(note)
        if newcomers is None or newcomers.legs == 0:
            say(f"commitment {commitment(run.key)}", "  (SHA-256 of the master key, which is revealed at the end)")
        elif run.drawn is not None:
            say(printable(drawn_in_words(run.drawn), LONGEST_LINE))
        if hours is not None:
            clock.begin(store, hours, forecast.match_s, forecast.side_by_side, counts_earlier=not is_endless)
            store.add(Hours(used_s=round(clock.used_s)))
        leaders = leaders_of(run)
        shown = watching(run, store, leaders, forecast, session.told)
        elsewhere: Mapping[str, int] = {}
        try:
            with signals.held(), shown as watcher:
                if any(run.left.values()):
                    has_changed = None if newcomers is None else newcomers.look
                    played = run.run(store, watcher, None if hours is None else clock, has_changed)
                    elsewhere = played.play(signals.check, lambda: say(FINISHING))
        finally:
            if hours is not None and any(run.left.values()):
                store.add(Hours(used_s=round(clock.used_s)))
            _note_changed_bots(run, store)
        if newcomers is not None and newcomers.came:
            newcomers.legs += 1
            return None
        if hours is not None and is_endless:
            say(f"the ladder rests: its time of {hours:g} hours is over; the same command plays on for as long")
        return _end(session, store, site, elsewhere)


def _site(options: TournamentOptions, run: PreparedRun) -> "contextlib.AbstractContextManager[LiveSite | None]":
    """The site of the run while it is played, where one is wanted."""
    if options.site is None:
        return contextlib.nullcontext()
    from referee.commands.live_site import kept_current  # noqa: PLC0415 - as above

    return kept_current(options.site, run.path, commitment(run.key))


def _end(session: _Session, store: Store, site: "LiveSite | None", elsewhere: Mapping[str, int]) -> _Ended:
    """Tell what came of the run, and return how it ended.

    `elsewhere` has by host that is not there how many matches are left to it.
    """
    options = session.options
    summary = summary_of(store, with_results=options.as_json)
    session.told.put(table_of(summary.standings, summary.matches, summary.planned))
    show(summary, as_json=options.as_json)
    explain_faults(store, summary)
    if summary.unplayed:
        numbers = ", ".join(map(str, summary.unplayed))
        say(
            f"left out, because the referee or its host spoiled them every time: matches {numbers}; "
            f"to try them again: {options.again()}"
        )
    say(*(left_to(host, count) for host, count in elsewhere.items()))
    last_words(summary, store.path, as_json=options.as_json)
    if site is not None:
        site.finish()
    if summary.unplayed:
        why = "matches were left out, because the referee or its host spoiled them every time"
        return _Ended(code=HOST_FAILED, why=(why,))
    if elsewhere:
        return _Ended(code=HOST_FAILED, why=("matches were left to hosts that are not there",))
    if options.strict and (at_fault := [row.bot for row in summary.standings if row.faults]):
        return _Ended(code=CHECK_FAILED, why=(f"--strict, and these bots were at fault: {', '.join(at_fault)}",))
    return _Ended(code=DONE)


def _note_changed_bots(run: PreparedRun, store: Store) -> None:
    """Name every bot whose files changed while it played, here and in the store."""
    rows = [BotChanged(bot=old.name, before=old.version, after=new.version) for old, new in _changed(run)]
    shelf = Shelf(run.config.folder)
    for entry in run.config.entries:
        if (now := version_now(shelf, entry)) != entry.version:
            rows.append(BotChanged(bot=entry.name, before=entry.version, after=now))
    for row in rows:
        say(*(f"WARNING: {line}" for line in in_words(row)))
        store.add(row)


def _changed(run: PreparedRun) -> list[tuple[BotFacts, BotFacts]]:
    """The bots whose files are not those of the run any more: as they were, and as they are."""
    now = {bot.name: bot for bot in config_facts(run.config).bots}
    return [(bot, now[bot.name]) for bot in run.facts.bots if now[bot.name].version != bot.version]


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
