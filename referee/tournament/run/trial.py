"""A short trial before a run: a few matches of each variant between the run's own bots, to see how long they take.

They are dealt from a key of their own and kept nowhere, so that they tell nothing of the run, and nothing of it can be
chosen by them but how long it is.
"""

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from referee.play.faults import hosts_fault
from referee.play.sandbox.system_info import cores
from referee.tournament.config.config import Config
from referee.tournament.plan.budget import LEAST_DEALS, Game, variances
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.plan.lineups import AllLineups
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result, beaten_shares
from referee.tournament.run.run import Run
from referee.tournament.store.disk import locked
from referee.tournament.store.facts import Facts, Terms, every_lineup, plan_of
from referee.tournament.store.rows import Meta
from referee.tournament.store.store import Store

LONGEST_PART = 0.05
"""The part of the hours that the trial takes, if two blocks of each variant do not take longer."""

LONGEST_S = 120.0
"""It takes no longer than this, however many hours there are."""

_SITTINGS = 4
"""In how many line-ups each bot plays at most: that is enough to know how long matches take."""


_ENOUGH = 4
"""From so many matches for each job on it is measured how many go on at a time. With fewer, a match takes a core as
long as it went on and its bots took to start."""


class Trial(Struct, frozen=True, kw_only=True):
    """What came out."""

    games: dict[str, Game]
    """By variant."""
    matches: int
    """How many were played."""
    took_s: float
    """How long that took, with the start of the processes."""
    side_by_side: float
    """How many of them went on at a time, on the average: less than the jobs, as bots have to be started."""


def try_out(config: Config, facts: Facts, *, budget_s: float, start_s: float, check: Callable[[], None]) -> Trial:
    """Play a few matches. Raises what a run raises. `start_s` is how long a bot takes to start.

    First one line-up of each variant once, and then as many as there is time for, each twice.
    """
    seen = _Seen(0.0 if config.reuse == "tournament" else start_s)
    begun_at = time.monotonic()
    _play(config, facts, lineups=1, deals=1, seen=seen, check=check)
    first_s = time.monotonic() - begun_at
    every = every_lineup(facts)
    most = max(_SITTINGS * some.bots // some.seats for some in every.values())
    left_s = min(budget_s * LONGEST_PART, LONGEST_S) - first_s
    span_s = seen.span_s
    lineups = min(most, int((left_s - (first_s - span_s)) / span_s / LEAST_DEALS)) if span_s else 0
    if lineups >= 1:
        _play(config, facts, lineups=lineups, deals=LEAST_DEALS, seen=seen, check=check)
    games = {one.name: seen.game(one.name, every[one.name]) for one in facts.variants}
    took_s = time.monotonic() - begun_at
    return Trial(games=games, matches=seen.matches, took_s=took_s, side_by_side=seen.side_by_side)


def _play(  # noqa: PLR0913 - a small tournament
    config: Config, facts: Facts, *, lineups: int, deals: int, seen: "_Seen", check: Callable[[], None]
) -> None:
    """Play a small tournament of the same bots, with a store that nobody keeps."""
    facts = replace(facts, format="round-robin", lineups=lineups, deals=deals, hours=None, lineups_a_round=None)
    key = master_key(None)
    plan = plan_of([facts], key)
    jobs = min(config.jobs, len(plan))
    with hosts_fault(), tempfile.TemporaryDirectory(prefix="golfref-trial-") as folder:
        path = Path(folder) / "trial.golfref"
        meta = Meta(
            golfref="",
            protocol="",
            host="",
            facts=facts,
            master_key=key.hex(),
            commitment=commitment(key),
            matches=len(plan),
        )
        with locked(path) as lock:
            store = Store.create(path, meta, lock)
            try:
                Run(
                    config=config,
                    plan=plan,
                    terms=Terms(facts),
                    store=store,
                    watcher=seen,
                    jobs=jobs,
                    workers=min(config.processes(sys.maxsize), jobs),
                ).play(check)
                seen.end(store.results(), jobs)
            finally:
                store.close()


class _Seen:
    """Watches the trial."""

    def __init__(self, start_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`start_s` is how long a bot takes to start."""
        self.matches = 0
        self.span_s = 0.0
        """How long the last part took, from the beginning of its first match to the end of its last."""
        self._start_s, self._clock = start_s, clock
        self._spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
        """By variant, when each match of the part that is played began and ended."""
        self._began: dict[int, float] = {}
        self._took_s: dict[str, list[float]] = defaultdict(list)
        self._points: dict[str, dict[tuple[str, tuple[str, ...]], list[float]]] = defaultdict(lambda: defaultdict(list))
        """By variant, bot and line-up, the match points in each block."""
        self._jobs = 1
        self._busy_s = self._open_s = 0.0
        """For how long matches went on while others waited, added up, and for how long that was."""

    def begun(self, fixture: Fixture) -> None:
        """A match is played from now on."""
        self._began[fixture.number] = self._clock()

    def finished(self, result: Result) -> None:
        """A match has ended."""
        self._spans[result.variant].append((self._began.pop(result.number), self._clock()))

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None:  # noqa: ARG002 - as a Watcher has it
        """A match was spoiled, and measures nothing."""
        self._began.pop(fixture.number, None)

    def barred(self, why: str) -> None:
        """Nobody is barred in so few matches."""

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        """The plan of a trial does not grow."""

    def end(self, results: Iterable[Result], jobs: int) -> None:
        """A part of the trial is over, with these results; so many were played at a time."""
        spans = [span for some in self._spans.values() for span in some]
        if spans:
            self.span_s = max(ended for _, ended in spans) - min(begun for begun, _ in spans)
        if len(spans) >= _ENOUGH * jobs:
            first, last = min(begun for begun, _ in spans), max(begun for begun, _ in spans)
            self._open_s += last - first
            self._busy_s += sum(min(ended, last) - begun for begun, ended in spans)
        self._jobs = jobs
        for variant, of_variant in self._spans.items():
            self._took_s[variant] += [ended - begun for begun, ended in of_variant]
        self._spans.clear()
        blocks: dict[tuple[str, tuple[str, ...], int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for result in results:
            self.matches += 1
            block = blocks[result.variant, tuple(sorted(result.bots)), result.deal]
            for bot, points in zip(result.bots, beaten_shares(result.ranks), strict=True):
                block[bot].append(points)
        for (variant, lineup, _), bots in blocks.items():
            for bot, own in bots.items():
                self._points[variant][bot, lineup].append(fmean(own))

    @property
    def side_by_side(self) -> float:
        """How many matches went on at a time, while there were others to begin."""
        return self._busy_s / self._open_s if self._open_s else min(self._jobs, cores())

    def game(self, variant: str, every: AllLineups) -> Game:
        """What is known of a variant now."""
        within, between = variances(self._points[variant], every.seats)
        took_s = self._took_s[variant]
        match_s = fmean(took_s) if took_s else 0.0
        if not self._open_s:
            match_s += every.seats * self._start_s
        return Game(every=every, match_s=match_s, within=within, between=between)
