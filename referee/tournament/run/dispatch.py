"""The dispatcher of a run hands out its matches in jobs and keeps what comes of them.

Nothing else writes to the store while matches are played. It must not know how they are played, or where.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Protocol

import trio
from msgspec.structs import replace

from referee.tournament.config.planned import MatchIdentities
from referee.tournament.orders import ATTEMPTS, Begun, Job, Part, Played, Report, Spoiled, Unplayed
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.order import PlayOrder
from referee.tournament.run.rounds import Rounds
from referee.tournament.store.store import Store
from referee.tournament.store.voided import says_of_bots, void_tally
from referee.tournament.voids import VoidSuspect, VoidTally


class Watcher(Protocol):
    """Is called as a run goes on, to show it."""

    def begun(self, planned_match: PlannedMatch) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""

    def voided(self, planned_match: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        """A match was spoiled by the referee or its host; `id_` is that of its row in the journal."""

    def suspected(self, suspect: VoidSuspect) -> None:
        """The presence of a bot alone explains the voids at which it sat; this is called once for each bot."""

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        """The plan has grown by a round, with so many matches of each variant `added`, or it has ended."""


class Dispatcher:
    """Hands out what the order of play has. A match that is voided on every attempt is left out."""

    def __init__(  # noqa: PLR0913 - the parts of a run
        self,
        play_order: PlayOrder,
        *,
        terms: MatchIdentities,
        store: Store,
        watcher: Watcher,
        places: int,
        rounds: Rounds | None = None,
        host: int | None = None,
    ) -> None:
        """`places` is how many jobs can be out at a time. `rounds` are there where the plan grows.

        `host` is the store's id of this machine, where the store has hosts.
        """
        self._host = host
        self.places = places
        """How many jobs can be out at a time: blocks are split where fewer wait."""
        self._play_order = play_order
        self._rounds = rounds
        self._tally: VoidTally | None = None
        """The attempts of the run, from the first one on that is voided."""
        self._suspected: set[str] = set()
        self._terms, self._store, self._watcher = terms, store, watcher
        self._spoiled: Counter[int] = Counter()
        """How many attempts at a match have been spoiled since this dispatcher began, by number."""
        self._out: dict[int, PlannedMatch] = {}
        """The matches that are handed out, by number."""
        self._hosts: dict[int, str] = {}
        """What the hosts are called, by the store's ids."""
        self._came_back = trio.Event()
        """Is set when a match comes back, and then replaced by another one."""
        self.stopping = trio.Event()
        """Is set when nothing is handed out any more."""

    def stop(self) -> None:
        """Hand out nothing more. Who asks for the next job gets none, once all that is out has come back."""
        self.stopping.set()
        self._wake()

    async def part(self) -> Part | None:
        """Of which part the next match is, as soon as there is one that may be played. None where nothing is left."""
        while self.stopping.is_set() or (part := self._play_order.part) is None:
            if not await self._may_come():
                return None
        return part

    async def next(self, part: Part | None = None) -> Job | None:
        """The next job, of this part if one is given, as soon as there is one that may be played.

        None where nothing is left, or only what waits for hosts that are not there; or nothing of this part until the
        other one has been played.
        """
        while self.stopping.is_set() or (job := self._play_order.next(part, places=self.places)) is None:
            if not await self._may_come():
                return None
        self._out.update((planned_match.number, planned_match) for planned_match in job.matches)
        return job

    def hosts_are(self, names: Collection[str]) -> None:
        """These hosts play from now on."""
        self._play_order.hosts_are(names)
        self._wake()

    @property
    def waiting_for_hosts(self) -> Mapping[str, int]:
        """By host that is not there, how many matches wait for it alone; by `` what was begun on no named host."""
        return self._play_order.waiting_for_hosts

    async def _may_come(self) -> bool:
        """Wait, or draw a round, where there may be something to play then."""
        if self._out:
            await self._came_back.wait()
            return True
        # What waits for the other part, or for a host, has not ended, so no round can be drawn from what came of it.
        is_left = self._play_order.part is not None or self._play_order.waiting_for_hosts
        return not self.stopping.is_set() and not is_left and self._draw()

    def _draw(self) -> bool:
        """Draw the next round, since all matches have ended. Returns whether there is one."""
        if self._rounds is None:
            return False
        plan = self._rounds.plan
        had, had_of = len(plan), plan.matches
        if (drawn := self._rounds.draw()) is None:
            return False
        self._watcher.drawn(drawn, {name: count - had_of[name] for name, count in plan.matches.items()})
        self._play_order.grown(had)
        return isinstance(drawn, Round)

    async def report(self, report: Report) -> None:
        """Take in what became of a match. Once this returns, nothing loses it. Raises WriteFailed."""
        if isinstance(report, Played | Spoiled):
            self._kept(report, self._host)()
        elif isinstance(report, Begun):
            self._watcher.begun(self._out[report.number])
        elif isinstance(report, Unplayed):
            self.put_back(report.number)

    def report_job(self, job: Job, reports: Sequence[Played | Spoiled], host: int) -> None:
        """Take in what became of a job on a host, all of it or nothing, and take back what was not played.

        `host` is the id of its row in the journal. Raises WriteFailed.
        """
        with self._store.together():
            kept = [self._kept(report, host) for report in reports]
        for tell in kept:
            tell()
        self.put_back_job(job)

    def put_back(self, number: int) -> None:
        """Take back a match that has not begun, because whoever had its order cannot play it."""
        self._play_order.put_back(self._take_back(number))

    def put_back_job(self, job: Job) -> None:
        """Take back those matches of a job of which nothing was reported."""
        for planned_match in reversed(job.matches):
            if planned_match.number in self._out:
                self.put_back(planned_match.number)

    def _kept(self, report: Played | Spoiled, host: int | None) -> Callable[[], None]:
        """Store what became of a match. Returns the call of the watcher, for when that is committed."""
        planned_match = self._take_back(report.number)
        if isinstance(report, Played):
            return self._commit(planned_match, report, host)
        return self._void(planned_match, report.reason, host)

    def _take_back(self, number: int) -> PlannedMatch:
        """A match is out no longer. Whoever waits for the next job looks again, once this has been dealt with."""
        self._wake()
        return self._out.pop(number)

    def _wake(self) -> None:
        self._came_back.set()
        self._came_back = trio.Event()

    def _commit(self, planned_match: PlannedMatch, report: Played, host: int | None) -> Callable[[], None]:
        identity = self._terms.identity(planned_match)
        id_ = self._store.commit(report, identity, host)
        self._play_order.played(report.number, None if host is None else self._name(host))
        if self._tally is not None:
            self._tally.finished(identity.bots)
        return partial(self._watcher.finished, replace(report.result, id=id_))

    def _name(self, host: int) -> str:
        if host not in self._hosts:
            self._hosts = {id_: one.name for id_, one in self._store.hosts().items()}
        return self._hosts[host]

    def _void(self, planned_match: PlannedMatch, reason: str, host: int | None) -> Callable[[], None]:
        identity = self._terms.identity(planned_match)
        self._spoiled[planned_match.number] += 1
        attempt = self._spoiled[planned_match.number]
        id_ = self._store.note_void(identity, attempt, reason, host)
        self._play_order.voided(planned_match, again=attempt < ATTEMPTS)
        if self._tally is None:
            self._tally = void_tally(self._store)
        elif says_of_bots(reason):
            self._tally.voided(identity.bots)

        def tell() -> None:
            self._watcher.voided(planned_match, attempt, reason, id_)
            present = [name for name in identity.bots if name not in self._suspected]
            for suspect in () if self._tally is None else self._tally.suspects(present):
                self._suspected.add(suspect.bot)
                self._watcher.suspected(suspect)

        return tell
