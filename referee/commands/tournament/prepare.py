"""The store of a run that is to be played: it is begun, gone on with, amended, or moved out of the way."""

import contextlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from protocol import VERSION
from referee import __version__
from referee.commands.console import say
from referee.commands.match.record_file import old_name
from referee.commands.tournament.forecast import Estimate, estimate
from referee.play.match import host_line
from referee.toml.document import placed, read_text
from referee.tournament.config.config import Config
from referee.tournament.config.planned import MatchIdentities, draw_input, whole_deals_of
from referee.tournament.config.run_config import RunConfig
from referee.tournament.formats.draw import most_matches, needs_results, next_round
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import End, Round
from referee.tournament.run.clock import HoursClock
from referee.tournament.run.dispatch import Watcher
from referee.tournament.run.run import Cluster, Run
from referee.tournament.store.amend import Amendment, amendment, configs_with
from referee.tournament.store.disk import SIDE_FILES, Lock, StoreError
from referee.tournament.store.origins import Origin
from referee.tournament.store.plans import following, grown, matches_told, periods_of
from referee.tournament.store.played import PlayedSoFar
from referee.tournament.store.rows import CommittedMatch, KeptOut, Meta
from referee.tournament.store.store import Store


class PreparedRun(Struct, frozen=True, kw_only=True):
    """A tournament that can be played or gone on with."""

    path: Path
    """The run's store."""
    config: Config
    run_config: RunConfig
    key: bytes
    """The master key."""
    plan: Plan
    """What is to be played, as far as it has been drawn."""
    drawn: Round | End | None = None
    """What is to be written into the store before anything is played: the plan has grown by it, or it has ended."""
    has_ended: bool = True
    """Whether the plan does not grow any more."""
    amendment: Amendment | None
    """What the config means for the run that is there. None where there is none, or it is moved out of the way."""
    is_taking_up: bool = False
    """Whether a ladder goes on with this between two of its rounds."""
    notes: tuple[KeptOut, ...] = ()
    """Who does not take part, as far as the run does not say so yet."""
    cluster: Cluster | None = None
    """Where it is played by other hosts."""

    @property
    def left(self) -> dict[str, int]:
        """By variant, how many matches of the plan are not there yet."""
        there = {} if self.amendment is None else self.amendment.there
        return {name: count - there.get(name, 0) for name, count in self.plan.matches.items()}

    def run(
        self,
        store: Store,
        watcher: Watcher,
        clock: HoursClock | None = None,
        has_changed: Callable[[], bool] | None = None,
    ) -> Run:
        """What plays it, once its store is open to write. The clock is there where it has a time to keep to.

        `has_changed` is there where it rests before a round because its config or its bots changed.
        """
        return Run(
            config=self.config,
            plan=self.plan,
            has_ended=self.has_ended,
            terms=MatchIdentities(self.run_config),
            store=store,
            watcher=watcher,
            jobs=self.jobs,
            workers=self.workers,
            cluster=self.cluster,
            clock=clock,
            has_changed=has_changed,
        )

    def forecast(self, start_s: float) -> Estimate:
        """What the matches take that are left, where a bot takes so many seconds to start."""
        return estimate(
            self.config,
            self.left,
            processes=self.workers,
            start_s=start_s,
            grows=not self.has_ended,
            is_elsewhere=self.cluster is not None,
        )

    @property
    def most_matches(self) -> int | None:
        """How many matches the run has in the end, at most. None where nobody knows."""
        if self.has_ended or not self.plan.grows:
            return len(self.plan)
        return most_matches(draw_input(self.run_config, self.key), self.plan.whole)

    @property
    def jobs(self) -> int:
        """How many matches are played at a time, if so many can be."""
        most = sum(self.left.values())
        if not self.has_ended and self.plan.grows:
            most = max(most, self.plan.longest_round)
        return min(self.config.jobs if self.cluster is None else self.cluster.jobs, most)

    @property
    def workers(self) -> int:
        """How many processes play them; on a cluster, how many matches its hosts play at a time."""
        if self.cluster is not None:
            return self.jobs
        most = self.most_matches
        return min(self.config.processes(sys.maxsize if most is None else most), self.jobs)


def prepare(config: Config, path: Path, *, fresh: bool, may_change: bool, is_taking_up: bool = False) -> PreparedRun:
    """What is to be played, going on with the run where there is one. Nothing is written.

    A config that differs from the run's is told; `is_taking_up` says that it changed while the run goes on.
    Raises StoreError where the run cannot take it, or it may not change.
    """
    if fresh or not path.exists():
        if config.shard is not None and config.key is None and config.seed is None:
            raise StoreError(
                f"{path}: shard {config.shard} of a run needs the key that all its shards share: make one with "
                "`golfref key FILE`, copy it to every machine, and give it with --key FILE"
            )
        run_config, key = config.run_config(), config.key or master_key(config.seed)
        plan = grown(whole_deals_of([run_config], key), run_config, ())
        run = PreparedRun(path=path, config=config, run_config=run_config, key=key, plan=plan, amendment=None)
        return _with_next_round(run, ())
    with contextlib.closing(Store.open(path)) as store:
        return _going_on(config, store, may_change=may_change, is_taking_up=is_taking_up)


def _going_on(config: Config, store: Store, *, may_change: bool, is_taking_up: bool) -> PreparedRun:
    """What is to be played of the run in this store. Raises StoreError."""
    path = store.path
    config = _with_shard_of(_with_hours_of(_with_rotations_of(config, store), store), store)
    run_config, key = config.run_config(store.configs()), bytes.fromhex(store.meta().master_key)
    if config.key not in (None, key):
        raise StoreError(f"{path} was begun with another key than --key has; leave --key out to go on with it")
    with following(store):
        found, periods = amendment(store, run_config), periods_of(store)
    _tell_amendment(path, config, found, may_change=may_change, is_taking_up=is_taking_up)
    with following(store):
        plan = grown(whole_deals_of(configs_with(store, run_config), key), run_config, periods)
    run = PreparedRun(
        path=path,
        config=config,
        run_config=run_config,
        key=key,
        plan=plan,
        amendment=found,
        is_taking_up=is_taking_up,
    )
    if not found.changes and periods[-1].has_ended:
        return run
    return _with_next_round(run, store.matches())


def _with_next_round(run: PreparedRun, committed: Iterable[CommittedMatch]) -> PreparedRun:
    """The run with the round that is drawn next, where the plan grows and all of it has been played."""
    plan = run.plan
    if not plan.grows:
        return run
    run = replace(run, has_ended=False)
    if any(run.left.values()):
        return run
    field = draw_input(run.run_config, run.key)
    played = PlayedSoFar(plan, MatchIdentities(run.run_config), keeps_results=needs_results(field))
    changed = run.amendment is not None and run.amendment.changes
    numbers = run.amendment.numbers() if run.amendment is not None and changed else {}
    for row in committed:
        played.add(row, numbers[row.id] if changed else row.number)
    drawn = next_round(field, played.past())
    if isinstance(drawn, Round):
        plan.add(drawn)
    return replace(run, drawn=drawn, has_ended=isinstance(drawn, End))


def _with_rotations_of(config: Config, store: Store) -> Config:
    """The config; where it does not say whether rotations share their cards, they go on as they began.

    Bots of several owners have fresh cards, so a run that began with shared ones cannot go on with a second owner.
    """
    begun = store.meta().config.rotations
    if config.sets_rotations or config.rotations in (begun, "fresh"):
        return config
    say(f'note: the run goes on with rotations = "{begun}", as it began; a new one would have "{config.rotations}"')
    return replace(config, rotations=begun)


def _with_shard_of(config: Config, store: Store) -> Config:
    """The config; where the run is a shard, it goes on as that. Raises StoreError where another one is asked for."""
    begun = store.meta().config.shard
    if config.shard not in (None, begun):
        is_what = "all of a run" if begun is None else f"shard {begun}"
        raise StoreError(f"{store.path} is {is_what}, not shard {config.shard}; name another place with --store FILE")
    return replace(config, shard=begun)


def _with_hours_of(config: Config, store: Store) -> Config:
    """The config; where it does not say for how long the run is played, that is as it began."""
    begun = store.meta().config.hours
    if begun is None or config.hours is not None:
        return config
    say(f"note: the run goes on with hours = {begun:g}, as it began")
    return replace(config, hours=begun)


def open_store(run: PreparedRun, lock: Lock) -> Store:
    """The store to write to, once everything else is known to be good."""
    found = run.amendment
    if found is None:
        store = _begin(run, lock)
    else:
        store = Store.open(run.path, lock=lock)
        if found.changes or run.drawn is not None or any(run.left.values()):
            store.note_origin(own_origin())
        if found.changes:
            store.amend(found.row, found.places_by)
        left, planned = sum(run.left.values()), len(run.plan)
        how = "amended" if found.changes else "going on with"
        rest = "" if left else ", so none is left to play"
        say(f"{how} {run.path}: {planned - left} of {planned} matches are there{rest}")
    if run.drawn is not None:
        store.note_drawn(run.drawn)
    if store.mode != "wal":
        place = f"{run.path} (a network folder, a full disk?)"
        say(f"note: SQLite can keep no log beside {place}: commits take longer")
    return store


def _begin(run: PreparedRun, lock: Lock) -> Store:
    if run.path.exists():
        _move_away(run.path, lock)
    meta = Meta(
        **asdict(own_origin()),
        config=run.run_config,
        master_key=run.key.hex(),
        commitment=commitment(run.key),
        matches=matches_told(run.run_config, run.plan),
    )
    return Store.create(run.path, meta, lock)


def own_origin() -> Origin:
    """What plays here."""
    return Origin(golfref=__version__, protocol=VERSION, host=host_line())


def _tell_amendment(path: Path, config: Config, found: Amendment, *, may_change: bool, is_taking_up: bool) -> None:
    """Say what would change. Raises StoreError where it cannot, or may not."""
    if found.refused:
        raise StoreError(
            f"{path} was begun with another config:\n"
            + "\n".join(f"  {line}" for line in placed(config.file, read_text(config.file), found.refused))
            + "\nchange it back to go on, or use --fresh to begin anew, or --store for another file"
        )
    if not found.changes:
        return
    if found.meta.config.shard is not None:
        raise StoreError(
            f"{path} is shard {found.meta.config.shard} of a run with another config:\n"
            + "\n".join(f"  {change}" for change in found.changes)
            + "\nchange it back to go on; all shards have the same config, and once they are merged --amend changes it"
        )
    begins = f"{path} was begun with another config; this one would change:"
    if is_taking_up:
        begins = f"what {path} is played with has changed, and is taken up:"
    lines = [begins, *(f"  {line}" for line in (*found.lines(), *found.losses()))]
    lines += [f"  note: {text}" for text in (*found.will_not_play, *filter(None, [found.warning]))]
    if may_change:
        say(*lines)
    else:
        fresh = "--fresh plays all of it anew, and keeps this run beside it"
        ways = f"{fresh}; --amend goes on with what still counts, --dry-run rehearses that; or change it back"
        raise StoreError("\n".join([*lines, f"nothing was changed: {ways}"]))


def _move_away(path: Path, lock: Lock) -> None:
    """Keep an old store under another name, with what SQLite may have left beside it."""
    with contextlib.suppress(StoreError):  # what is no store of ours is moved as it is
        Store.open(path, lock=lock).close()
    old = old_name(path)
    for rest in SIDE_FILES:
        if Path(f"{path}{rest}").exists():
            Path(f"{path}{rest}").replace(f"{old}{rest}")
    path.replace(old)
    say(f"the old store is now {old}")
