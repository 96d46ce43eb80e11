"""tournament: check everything, say what it will take, play what is missing, show the standings."""

import itertools
import shlex
from collections.abc import Sequence
from math import comb
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol import VERSION
from protocol.text import printable
from referee import __version__
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.progress import progress
from referee.commands.standings import document_of, explain_faults, show
from referee.play.exchange import HostFault
from referee.play.greeting import Greeted
from referee.play.match import host
from referee.play.session import Interrupted
from referee.rules.describe import advice
from referee.tournament.config import Config, ConfigError, Entry, cores, load
from referee.tournament.estimate import DECISION_S, estimate
from referee.tournament.facts import config_facts, differences
from referee.tournament.keys import commitment, master_key
from referee.tournament.run import for_blocks, greet_all, make_plan, play_all
from referee.tournament.schedule import Plan
from referee.tournament.store import Meta, Store, StoreError, WriteFailed

LAST_LINES = 10
"""Lines of a failing bot's standard error that are shown."""


class Ordered(Struct, frozen=True, kw_only=True):
    """What `golfref tournament` was asked to do."""

    config: Path
    store: Path | None
    fresh: bool
    dry_run: bool
    jobs: int | None
    seed: str | None
    as_json: bool
    strict: bool


def run_tournament(order: Ordered) -> int:
    """The whole command; whatever keeps it from its end is told in words."""
    try:
        return _run(order)
    except ConfigError as error:
        say(*error.lines)
        return USAGE
    except StoreError as error:
        say(f"golfref: {error}")
        return HOST_FAILED if isinstance(error, WriteFailed) else USAGE
    except HostFault as fault:
        say(f"golfref: {fault}; nothing was played")
        return HOST_FAILED
    except Interrupted:
        say("interrupted; nothing was played")
        return INTERRUPTED


def _run(order: Ordered) -> int:
    """Nothing is played before all of the config is known to be good and every bot has been greeted."""
    config = _config(order)
    path = order.store or order.config.with_suffix(".golfref")
    key = _key(config, path, fresh=order.fresh)
    plan = make_plan(config, key)
    _announce(config, plan)
    greeted = greet_all(config)
    if _report_failures(greeted):
        return CHECK_FAILED
    _announce_time(config, greeted)
    if order.dry_run:
        say("dry run: nothing was played")
        return DONE
    return _play(order, config, plan, key, path)


def _config(order: Ordered) -> Config:
    config = load(order.config)
    return replace(config, jobs=order.jobs or config.jobs, seed=order.seed or config.seed)


def _key(config: Config, path: Path, *, fresh: bool) -> bytes:
    """The master key: the store's, where there is one to go on with, else a new one.

    Raises StoreError when the store was begun with another config."""
    if not path.exists() or fresh:
        return master_key(config.seed)
    store = Store.open(path)
    try:
        meta = store.meta()
    finally:
        store.close()
    changes = differences(meta.facts, config_facts(config))
    if changes:
        raise StoreError(
            f"{path} was begun with another config:\n"
            + "\n".join(f"  {change}" for change in changes)
            + "\nchange it back to go on, or use --fresh to begin anew, or --store for another file"
        )
    return bytes.fromhex(meta.master_key)


def _announce(config: Config, plan: Plan) -> None:
    tables = ", ".join(
        f"{entry.name} (line-ups of {entry.seats}: {_lineups(config, entry)})" for entry in config.variants
    )
    for entry in config.variants:
        say(*(f"note: {text}" for text in advice(entry.variant, entry.seats)))
    say(f"{config.name}: {len(config.bots)} bots, {len(plan)} matches: {tables}; {config.deals} deals each")


def _lineups(config: Config, entry: Entry) -> int:
    every = comb(len(config.bots), entry.seats)
    return min(config.lineups or every, every)


def _announce_time(config: Config, greeted: Sequence[Greeted]) -> None:
    """Time and disk, roughly: start-ups as they were just measured, decisions as if bots answered at once."""
    start_s = sum(one.start_s for one in greeted) / len(greeted)
    seconds = size = 0.0
    for entry in config.variants:
        matches = _lineups(config, entry) * entry.seats * config.deals
        one = estimate(for_blocks(entry), entry.seats)
        seconds += matches * (entry.seats * start_s + one.decisions * DECISION_S)
        size += matches * one.stored_bytes
    say(
        f"isolation {config.isolation}, {config.jobs} matches at a time; if bots answer at once, about "
        f"{_duration(seconds / min(config.jobs, cores()))}, and {size / 1e6:.1f} MB in the store"
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
            say(*(f"  | {printable(line, 500)}" for line in one.stderr.splitlines()[-LAST_LINES:]))
    if failed:
        say(f"{len(failed)} of {len(greeted)} bots did not start; nothing was played")
    return bool(failed)


def _open(config: Config, plan: Plan, key: bytes, path: Path, *, fresh: bool) -> Store:
    """The store to write to, new or begun; with `fresh` an old one is moved out of the way."""
    if path.exists() and not fresh:
        store = Store.open(path, writing=True)
        say(f"going on with {path}: {len(store.numbers())} of {len(plan)} matches are there")
        return store
    if path.exists():
        Store.open(path, writing=True).close()
        old = next(free for count in itertools.count(1) if not (free := Path(f"{path}.old{count}")).exists())
        path.replace(old)
        say(f"the old store is now {old}")
    meta = Meta(
        golfref=__version__,
        protocol=VERSION,
        host=host(),
        facts=config_facts(config),
        master_key=key.hex(),
        commitment=commitment(key),
        matches=len(plan),
    )
    return Store.create(path, meta)


def _play(order: Ordered, config: Config, plan: Plan, key: bytes, path: Path) -> int:
    store = _open(config, plan, key, path, fresh=order.fresh)
    try:
        say(f"commitment {commitment(key)} (SHA-256 of the master key, which is revealed at the end)")
        with progress(store.results(), len(plan), config.rank_by) as watcher:
            try:
                outcome = play_all(config, plan, store, watcher)
            except Interrupted:
                watcher.stop()
                done = len(store.numbers())
                say(f"interrupted: {done} of {len(plan)} matches are stored; go on with: {_again(order)}")
                return INTERRUPTED
        document = document_of(store, unplayed=tuple(sorted(outcome.unplayed)))
        show(document, as_json=order.as_json)
        explain_faults(store)
        if outcome.unplayed:
            numbers = ", ".join(map(str, sorted(outcome.unplayed)))
            say(f"left out, because the referee or its host spoiled them every time: matches {numbers}")
            return HOST_FAILED
        if order.strict and any(row.faults for row in document.standings):
            return CHECK_FAILED
        return DONE
    finally:
        store.close()


def _again(order: Ordered) -> str:
    """The command line that goes on."""
    parts = ["golfref", "tournament", str(order.config)]
    parts += ["--store", str(order.store)] * (order.store is not None)
    parts += ["--seed", str(order.seed)] * (order.seed is not None)
    parts += ["--jobs", str(order.jobs)] * (order.jobs is not None)
    parts += ["--json"] * order.as_json + ["--strict"] * order.strict
    return shlex.join(parts)
