"""The desk of a run hands out its matches and keeps what comes of them.

Nothing else writes to the store while matches are played. It must not know how they are played, or where.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import trio
from msgspec.structs import replace

from referee.tournament.config.config import Config
from referee.tournament.orders import ATTEMPTS, Begun, Bundle, Job, Part, Played, Report, Spoiled, Unplayed
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.pace import Pace
from referee.tournament.run.play_order import Handed, PlayOrder
from referee.tournament.run.rounds import Rounds
from referee.tournament.run.setups import setup_of
from referee.tournament.run.turns import ended_turns
from referee.tournament.store.facts import Terms
from referee.tournament.store.store import Store
from referee.tournament.store.voided import says_of_bots, void_tally
from referee.tournament.voids import VoidSuspect, VoidTally


class Watcher(Protocol):
    """Is told how a run goes, to show it."""

    def begun(self, fixture: PlannedMatch) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""

    def voided(self, fixture: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        """A match was spoiled by the referee or its host; the store has it under this id."""

    def suspected(self, suspect: VoidSuspect) -> None:
        """The presence of a bot alone explains the voids at which it sat; this is called once for each bot."""

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        """The plan has grown by a round, of which `added` tells by variant how many matches it has, or has ended."""


class Desk:
    """Hands out what the order of play has. A match that is voided on every attempt is left out."""

    def __init__(  # noqa: PLR0913 - the parts of a run
        self,
        play_order: PlayOrder,
        *,
        config: Config,
        terms: Terms,
        store: Store,
        watcher: Watcher,
        rounds: Rounds | None = None,
        host: int | None = None,
    ) -> None:
        """`rounds` are there where the plan grows. `host` is the store's id of what plays the single orders, if any."""
        self._host = host
        self._play_order = play_order
        self._rounds = rounds
        self._tally: VoidTally | None = None
        """The attempts of the run, from the first one on that is voided."""
        self._suspected: set[str] = set()
        self._config, self._terms, self._store, self._watcher = config, terms, store, watcher
        self._spoiled: Counter[int] = Counter()
        """How many attempts at a match have been spoiled since this desk began, by number."""
        self._out: dict[int, Job] = {}
        """The orders that are handed out, by number."""
        self._bundles: dict[int, Bundle] = {}
        """The bundles that are handed out, by id. Their orders are in `_out` too."""
        self._hosts: dict[int, str] = {}
        """What the hosts are called, by the store's ids."""
        self._pace = Pace()
        self._handed = 0
        """How many bundles have been handed out."""
        self._came_back = trio.Event()
        """Is set when an order comes back, and then replaced by another one."""
        self.stopping = trio.Event()
        """Is set when nothing is handed out any more."""

    def stop(self) -> None:
        """Hand out nothing more. Who asks for the next match gets none, once all that is out has come back."""
        self.stopping.set()
        self._wake()

    async def part(self) -> Part | None:
        """Of which part the next match is, as soon as there is one that may be played. None where nothing is left."""
        while self.stopping.is_set() or (part := self._play_order.part) is None:
            if not await self._may_come():
                return None
        return part

    async def next(self, part: Part | None = None) -> Job | None:
        """The next match, of this part if one is given, as soon as there is one that may be played.

        None where nothing is left, or nothing of this part until the other one has been played.
        """
        while self.stopping.is_set() or (fixture := self._play_order.next(part)) is None:
            if not await self._may_come():
                return None
        order = self._order(fixture)
        self._out[fixture.number] = order
        return order

    async def next_bundle(self, most_out: int | None = None) -> Bundle | None:
        """What one of the hosts is to play next, as soon as there is something.

        `most_out` is how many bundles will be out at a time: short matches go out together then, as many as leave
        enough for the others. None where each match is to go out alone.

        None where nothing is left, or only what waits for hosts that are not there.
        """
        while self.stopping.is_set() or (handed := self._play_order.next_block()) is None:
            if not await self._may_come():
                return None
        bundle = self._bundle(handed if most_out is None else self._with_more(handed, most_out))
        self._bundles[bundle.id] = bundle
        self._out.update((order.fixture.number, order) for order in bundle.orders)
        return bundle

    def _with_more(self, handed: Handed, most_out: int) -> Handed:
        """What is handed out together with other short matches.

        Half of the bundles are played at a time at most: so many more of this size can be made.
        """
        if handed.is_block:
            return handed
        fixtures, others = list(handed.fixtures), (most_out + 1) // 2
        while self._pace.has_room(fixture.variant for fixture in fixtures):
            if (more := self._play_order.next_single(spare=others * len(fixtures))) is None:
                break
            fixtures.append(more)
        return replace(handed, fixtures=tuple(fixtures))

    def hosts_are(self, names: Collection[str]) -> None:
        """These hosts play from now on."""
        self._play_order.hosts_are(names)
        self._wake()

    @property
    def elsewhere(self) -> Mapping[str, int]:
        """By host that is not there, how many matches wait for it alone; by `` what was begun on no named host."""
        return self._play_order.elsewhere

    async def _may_come(self) -> bool:
        """Wait, or draw a round, where there may be something to play then."""
        if self._out:
            await self._came_back.wait()
            return True
        # What waits for the other part, or for a host, has not ended, so no round can be drawn from what came of it.
        is_left = self._play_order.part is not None or self._play_order.elsewhere
        return not self.stopping.is_set() and not is_left and self._draw()

    def _order(self, fixture: PlannedMatch) -> Job:
        setup = setup_of(self._config, fixture)
        return Job(fixture=fixture, setup=setup, attempt=self._spoiled[fixture.number] + 1)

    def _bundle(self, handed: Handed) -> Bundle:
        orders = tuple(map(self._order, handed.fixtures))
        self._handed += 1
        return Bundle(
            id=self._handed,
            orders=orders,
            again=tuple(map(self._again, orders)) if handed.is_block else (),
            is_block=handed.is_block,
            has_result=handed.has_result,
            host=handed.host,
        )

    def _again(self, order: Job) -> tuple[Job, ...]:
        """What a host plays in place of a match of a block that it has spoiled."""
        attempts = range(order.attempt + 1, ATTEMPTS + 1)
        fixtures = (self._play_order.again(order.fixture, attempt - order.attempt) for attempt in attempts)
        return tuple(
            replace(self._order(fixture), attempt=attempt) for fixture, attempt in zip(fixtures, attempts, strict=True)
        )

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
        if isinstance(report, Played):
            order = self._take_back(report.number)
            self._watcher.finished(self._commit(order, report, self._host))
        elif isinstance(report, Begun):
            self._watcher.begun(self._out[report.number].fixture)
        elif isinstance(report, Spoiled):
            order = self._take_back(report.number)
            self._tell_void(order, report.reason, self._void(order, report.reason, self._host, is_over=True))
        elif isinstance(report, Unplayed):
            self.put_back(report.number)

    def report_bundle(
        self, id_: int, reports: Sequence[Played | Spoiled], host: int, seconds: Sequence[float] = ()
    ) -> bool:
        """Take in what became of a bundle on a host, all of it or nothing. Once this returns, nothing loses it.

        `host` is the id that the store gave it (`Store.add`). `seconds` tells for each report how long it took.

        Returns False where nothing was taken, because it counts already, or was taken back. Raises WriteFailed, and
        ValueError where these are not the reports of this bundle; then it stays out.
        """
        if (bundle := self._bundles.get(id_)) is None:
            return False
        ended = ended_turns(bundle, reports)
        del self._bundles[id_]
        for order in bundle.orders:
            self._take_back(order.fixture.number)
        for order in reversed(ended.unplayed):
            self._play_order.put_back(order.fixture)
        done: list[Result | int] = []
        with self._store.together():
            for turn in ended.turns:
                if isinstance(turn.report, Played):
                    done.append(self._commit(turn.order, turn.report, host))
                else:
                    done.append(self._void(turn.order, turn.report.reason, host, is_over=turn.is_over))
        for turn, took in zip(ended.turns, seconds, strict=False):
            self._pace.took(turn.order.fixture.variant, took)
        for turn, one in zip(ended.turns, done, strict=True):
            if isinstance(one, Result):
                self._watcher.finished(one)
            elif isinstance(turn.report, Spoiled):
                self._tell_void(turn.order, turn.report.reason, one)
        return True

    def put_back(self, number: int) -> None:
        """Take back a match that has not begun, because whoever had its order cannot play it."""
        self._play_order.put_back(self._take_back(number).fixture)

    def put_back_bundle(self, id_: int) -> None:
        """Take back a bundle of which nothing will be reported. What is reported of it nevertheless does not count."""
        if (bundle := self._bundles.pop(id_, None)) is not None:
            for order in reversed(bundle.orders):
                self.put_back(order.fixture.number)

    def _take_back(self, number: int) -> Job:
        """An order is out no longer. Whoever waits for the next match looks again, once this has been dealt with."""
        self._wake()
        return self._out.pop(number)

    def _wake(self) -> None:
        self._came_back.set()
        self._came_back = trio.Event()

    def _commit(self, order: Job, report: Played, host: int | None) -> Result:
        """Keep a match; its result with the id that the store gave it."""
        id_ = self._store.commit(report, self._terms.identity(order.fixture), host)
        self._play_order.played(report.number, None if host is None else self._name(host))
        if self._tally is not None:
            self._tally.finished(_names(order))
        return replace(report.result, commit=id_)

    def _name(self, host: int) -> str:
        if host not in self._hosts:
            self._hosts = {id_: one.name for id_, one in self._store.hosts().items()}
        return self._hosts[host]

    def _void(self, order: Job, reason: str, host: int | None, *, is_over: bool) -> int:
        """Note a void; returns its id. `is_over` is not set where the host has played the match again itself."""
        id_ = self._store.note_void(self._terms.identity(order.fixture), order.attempt, reason, host)
        self._spoiled[order.fixture.number] += 1
        if is_over:
            self._play_order.voided(order.fixture, again=order.attempt < ATTEMPTS)
        if self._tally is None:
            self._tally = void_tally(self._store)
        elif says_of_bots(reason):
            self._tally.voided(_names(order))
        return id_

    def _tell_void(self, order: Job, reason: str, id_: int) -> None:
        self._watcher.voided(order.fixture, order.attempt, reason, id_)
        present = [name for name in _names(order) if name not in self._suspected]
        for suspect in () if self._tally is None else self._tally.suspects(present):
            self._suspected.add(suspect.bot)
            self._watcher.suspected(suspect)


def _names(order: Job) -> list[str]:
    return [bot.name for bot in order.setup.bots]
