"""tournament: check everything, say what it will take, play what is missing, show the standings."""

import contextlib
import itertools
import shlex
from collections.abc import Sequence
from math import comb
from os import stat_result
from os.path import samestat
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol import VERSION
from protocol.text import printable
from referee import __version__
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.interrupt import Signals
from referee.commands.progress import progress
from referee.commands.standings import explain_faults, show
from referee.play.bot.process import bounded, control_groups
from referee.play.faults import HostFault
from referee.play.greeting import Greeted
from referee.play.isolation.cgroups import Cgroups
from referee.play.isolation.host import cores
from referee.play.isolation.levels import bubblewrap
from referee.play.match import host
from referee.play.session import Interrupted
from referee.rules.describe import advice
from referee.tournament.config.config import Config, ConfigError, ConfiguredVariant, load
from referee.tournament.config.entrants import readers
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.plan.schedule import Plan
from referee.tournament.run.crew import WorkersLost
from referee.tournament.run.estimate import DECISION_S, estimate
from referee.tournament.run.run import Run, greet_all
from referee.tournament.run.setups import for_blocks
from referee.tournament.store.amend import Amendment, amendment
from referee.tournament.store.disk import SIDE_FILES, Lock, StoreError, WriteFailed, locked
from referee.tournament.store.facts import Facts, config_facts, plan_of, terms_of
from referee.tournament.store.store import Meta, Store
from referee.tournament.store.versions import short
from referee.tournament.summary import summary_of

LAST_LINES = 10
"""Lines of a failing bot's standard error that are shown."""


class TournamentOptions(Struct, frozen=True, kw_only=True):
    """What `golfref tournament` was asked to do."""

    config: Path
    store: Path | None
    fresh: bool
    amend: bool
    dry_run: bool
    jobs: int | None
    workers: int | None
    seed: str | None
    as_json: bool
    strict: bool


class _PreparedRun(Struct, frozen=True, kw_only=True):
    """A tournament that can be played or gone on with."""

    path: Path
    config: Config
    facts: Facts
    key: bytes
    plan: Plan
    amendment: Amendment | None
    """What the config means for the run that is there; None: there is none, or it is moved out of the way."""


def run_tournament(options: TournamentOptions, signals: Signals) -> int:
    """The whole command; whatever keeps it from its end is told in words."""
    path = options.store or options.config.with_suffix(".golfref")
    replaced = _stat(path) if options.fresh else None
    try:
        with signals:
            return _run(options, path, signals)
    except ConfigError as error:
        say(*error.lines)
        return USAGE
    except StoreError as error:
        say(f"golfref: {error}")
        return HOST_FAILED if isinstance(error, WriteFailed) else USAGE
    except HostFault as fault:
        say(f"golfref: {fault}; nothing was played")
        return HOST_FAILED
    except WorkersLost as lost:
        say(f"golfref: {lost}; {_so_far(options, path)}")
        return HOST_FAILED
    except Interrupted:
        there = _stat(path)
        has_run = there is not None and (replaced is None or not samestat(there, replaced))
        say(f"interrupted: {_so_far(options, path)}" if has_run else "interrupted; nothing was played")
        return INTERRUPTED


def _run(options: TournamentOptions, path: Path, signals: Signals) -> int:
    """Nothing is played before all of the config is known to be good and every bot has been greeted."""
    config = load(options.config)
    config = replace(
        config,
        jobs=options.jobs or config.jobs,
        workers=options.workers or config.workers,
        seed=options.seed or config.seed,
    )
    _check_cells(config, path)
    with contextlib.nullcontext() if options.dry_run else locked(path) as lock:
        prepared = _prepare(options, config, path)
        _announce(config, prepared.plan)
        with signals.held():
            greeted = greet_all(config, signals.check)
        if _report_failures(greeted):
            return CHECK_FAILED
        _announce_time(config, greeted)
        if lock is None:
            say("dry run: nothing was played, nothing was changed")
            return DONE
        return _play(options, prepared, lock, signals)


def _check_cells(config: Config, path: Path) -> None:
    """Under `bwrap` there must be cells, and none in which the store can be read: the key of all deals is in it.

    What no control group bounds on this host is said.
    """
    if config.isolation != "bwrap":
        return
    bubblewrap()
    groups = control_groups()
    gap = groups.gap if isinstance(groups, Cgroups) else groups
    if gap is not None and (lacking := sorted({"memory", "processes"} - bounded())):
        say(f"note: no control group bounds a bot's {' and '.join(lacking)} as a whole: {gap.reason}; {gap.remedy}")
    if names := readers(config.bots, str(path)):
        raise StoreError(f"{path} lies where these bots could read it: {', '.join(names)}; choose another --store")


def _prepare(options: TournamentOptions, config: Config, path: Path) -> _PreparedRun:
    """What is to be played: on, where there is a run to go on with.

    Raises StoreError when that was begun with another config, and it is not to be amended or cannot be.
    """
    if options.fresh or not path.exists():
        facts, key, found = config_facts(config), master_key(config.seed), None
    else:
        with contextlib.closing(Store.open(path)) as store:
            facts, key = config_facts(config, store.variants()), bytes.fromhex(store.meta().master_key)
            found = amendment(store, facts)
        _tell_amendment(options, path, found)
    return _PreparedRun(path=path, config=config, facts=facts, key=key, plan=plan_of(facts, key), amendment=found)


def _tell_amendment(options: TournamentOptions, path: Path, found: Amendment) -> None:
    """What would change, or that it cannot."""
    if found.refused:
        raise StoreError(
            f"{path} was begun with another config:\n"
            + "\n".join(f"  {change}" for change in found.refused)
            + "\nchange it back to go on, or use --fresh to begin anew, or --store for another file"
        )
    if not found.changes:
        return
    lines = [f"{path} was begun with another config; this one would change:", *(f"  {line}" for line in found.lines())]
    lines += [f"  note: {found.warning}"] * bool(found.warning)
    if options.amend or options.dry_run:
        say(*lines)
    else:
        ways = "--amend does it, --dry-run rehearses it; or change it back, or use --fresh to begin anew"
        raise StoreError("\n".join([*lines, f"nothing was changed: {ways}"]))


def _announce(config: Config, plan: Plan) -> None:
    tables = ", ".join(
        f"{entry.name} (line-ups of {entry.seats}: {_lineups(config, entry)})" for entry in config.variants
    )
    for entry in config.variants:
        say(*(f"note: {text}" for text in advice(entry.variant, entry.seats)))
    say(f"{config.name}: {len(config.bots)} bots, {len(plan)} matches: {tables}; {config.deals} deals each")


def _lineups(config: Config, entry: ConfiguredVariant) -> int:
    every = comb(len(config.bots), entry.seats)
    return min(config.lineups or every, every)


def _announce_time(config: Config, greeted: Sequence[Greeted]) -> None:
    """Time and disk, roughly: start-ups as they were just measured, decisions as if bots answered at once."""
    start_s = sum(one.start_s for one in greeted) / len(greeted)
    seconds = size = 0.0
    total = 0
    for entry in config.variants:
        matches = _lineups(config, entry) * entry.seats * config.deals
        total += matches
        one = estimate(for_blocks(entry), entry.seats)
        seconds += matches * (entry.seats * start_s + one.decisions * DECISION_S)
        size += matches * one.stored_bytes
    workers = config.processes(total)
    side_by_side = f"{config.jobs} matches at a time" + f" in {workers} workers" * (workers > 1)
    say(
        f"isolation {config.isolation}, {side_by_side}; if bots answer at once, about "
        f"{_duration(seconds / min(workers, cores()))}, and {size / 1e6:.1f} MB in the store"
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _report_failures(greeted: Sequence[Greeted]) -> bool:
    """All bots that did not start, together."""
    failed = [one for one in greeted if one.mishap is not None]
    for one in failed:
        if one.mishap is not None:
            say(f"bot {one.bot.name}: {one.mishap.kind}: {one.mishap.detail}")
            if one.mishap.line:
                say(f"  its line: {one.mishap.line}")
        if one.stderr:
            say("  its standard error ends:")
            say(*(f"  | {printable(line.expandtabs(), 500)}" for line in one.stderr.splitlines()[-LAST_LINES:]))
    if failed:
        say(f"{len(failed)} of {len(greeted)} bots did not start; nothing was played")
    return bool(failed)


def _open(prepared: _PreparedRun, lock: Lock) -> Store:
    """The store to write to, begun, gone on with or amended."""
    found = prepared.amendment
    if found is not None:
        store = Store.open(prepared.path, lock=lock)
        if found.changes:
            store.amend(found.meta, found.places, found.lines())
            say(f"amended {prepared.path}: {len(found.places)} of {len(prepared.plan)} matches are there")
        else:
            say(f"going on with {prepared.path}: {len(store.numbers())} of {len(prepared.plan)} matches are there")
    else:
        if prepared.path.exists():
            _move_away(prepared.path, lock)
        meta = Meta(
            golfref=__version__,
            protocol=VERSION,
            host=host(),
            facts=prepared.facts,
            master_key=prepared.key.hex(),
            commitment=commitment(prepared.key),
            matches=len(prepared.plan),
        )
        store = Store.create(prepared.path, meta, lock)
    if store.journal != "wal":
        say(
            f"note: SQLite can keep no log beside {prepared.path} (a network folder, a full disk?): commits take longer"
        )
    return store


def _move_away(path: Path, lock: Lock) -> None:
    """Keep an old store under another name, with what SQLite may have left beside it."""
    with contextlib.suppress(StoreError):  # what is no store of ours is moved as it is
        Store.open(path, lock=lock).close()
    old = next(free for count in itertools.count(1) if not (free := Path(f"{path}.old{count}")).exists())
    for rest in SIDE_FILES:
        if Path(f"{path}{rest}").exists():
            Path(f"{path}{rest}").replace(f"{old}{rest}")
    path.replace(old)
    say(f"the old store is now {old}")


def _play(options: TournamentOptions, prepared: _PreparedRun, lock: Lock, signals: Signals) -> int:
    with contextlib.closing(_open(prepared, lock)) as store:
        say(f"commitment {commitment(prepared.key)} (SHA-256 of the master key, which is revealed at the end)")
        try:
            with signals.held(), progress(store.results(), len(prepared.plan), prepared.config.rank_by) as watcher:
                terms = terms_of(prepared.facts)
                run = Run(config=prepared.config, plan=prepared.plan, terms=terms, store=store, watcher=watcher)
                run.play(signals.check)
        finally:
            _note_changed_bots(prepared, store)
        summary = summary_of(store, with_results=options.as_json)
        show(summary, as_json=options.as_json)
        explain_faults(store, summary)
        if summary.unplayed:
            numbers = ", ".join(map(str, summary.unplayed))
            say(
                f"left out, because the referee or its host spoiled them every time: matches {numbers}; "
                f"to try them again: {_again(options)}"
            )
            return HOST_FAILED
        return CHECK_FAILED if options.strict and any(row.faults for row in summary.standings) else DONE


def _note_changed_bots(prepared: _PreparedRun, store: Store) -> None:
    """A bot whose files changed while it played is named, for everybody and for good."""
    versions = {bot.name: bot.version for bot in config_facts(prepared.config).bots}
    lines = [
        f"bot `{bot.name}` changed while matches were played (version {short(bot.version)} -> "
        f"{short(versions[bot.name])}): its results since then may be those of two programs"
        for bot in prepared.facts.bots
        if versions[bot.name] != bot.version
    ]
    if lines:
        say(*(f"WARNING: {line}" for line in lines))
        store.note(*lines)


def _stat(path: Path) -> stat_result | None:
    """Which file it is; None where there is none that can be seen."""
    with contextlib.suppress(OSError):
        return path.stat()
    return None


def _so_far(options: TournamentOptions, path: Path) -> str:
    """What there is, and how to go on; or why that cannot be told."""
    try:
        with contextlib.closing(Store.open(path)) as store:
            return f"{len(store.numbers())} of {store.meta().matches} matches are stored; go on with: {_again(options)}"
    except StoreError as error:
        return str(error)


def _again(options: TournamentOptions) -> str:
    """The command line that goes on."""
    parts = ["golfref", "tournament", str(options.config)]
    parts += ["--store", str(options.store)] * (options.store is not None)
    parts += ["--seed", str(options.seed)] * (options.seed is not None)
    parts += ["--jobs", str(options.jobs)] * (options.jobs is not None)
    parts += ["--workers", str(options.workers)] * (options.workers is not None)
    parts += ["--amend"] * options.amend + ["--json"] * options.as_json + ["--strict"] * options.strict
    return shlex.join(parts)
