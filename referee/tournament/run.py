"""Running a tournament: the plan's matches, several at a time, each committed when it ends, until all are there.

What is played is decided by the plan, how by play/, where it goes by the store; this module brings them together.
"""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Game as GameMessage
from referee.play.exchange import HostFault
from referee.play.greeting import Greeted, greet
from referee.play.match import MatchSetup, play
from referee.play.pump import Pump
from referee.play.session import run_session
from referee.rules.record import Record
from referee.rules.streams import bot_seed
from referee.rules.variants import Variant
from referee.tournament.config import Config, Entry
from referee.tournament.facts import Terms
from referee.tournament.schedule import Fixture, Plan
from referee.tournament.standings import Result
from referee.tournament.store import Store

ATTEMPTS = 3
"""So often a match is played again that the referee or its host spoiled."""

CACTUS_ROUNDS = 20
"""The cap on the rounds of a Cactus match where the config sets none (AMB-46)."""


class Watcher(Protocol):
    """Whoever shows how a run goes."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None:
        """A match was spoiled by the referee or its host."""


def for_blocks(entry: Entry) -> Variant:
    """The variant as blocks play it: the deals of a block start alike (AMB-82), and Cactus has a cap on rounds."""
    variant = entry.variant
    if variant.tag != "CAC":
        return variant
    rounds = variant.options.rounds or CACTUS_ROUNDS
    return replace(variant, options=replace(variant.options, fixed_starter=True, rounds=rounds))


def games(config: Config) -> tuple[GameMessage, ...]:
    """All that will be played, as bots are told in `hello`."""
    return tuple(
        GameMessage(variant=entry.variant.preset, name=entry.name, seats=entry.seats) for entry in config.variants
    )


def setup_of(config: Config, fixture: Fixture) -> MatchSetup:
    """A match of the plan, ready to be played."""
    entry = next(entry for entry in config.variants if entry.name == fixture.variant)
    return MatchSetup(
        variant=for_blocks(entry),
        name=entry.name,
        bots=tuple(config.bots[bot] for bot in fixture.lineup),
        seeds=tuple(bot_seed(fixture.deal_key, fixture.rotation, seat) for seat in range(entry.seats)),
        deal_key=fixture.deal_key,
        clocks=config.clocks,
        faults=config.faults,
        confinement=config.confinement,
        games=games(config),
    )


def result_of(fixture: Fixture, record: Record) -> Result:
    """The row that standings are computed from."""
    return Result(
        number=fixture.number,
        variant=fixture.variant,
        block=fixture.block,
        bots=tuple(seat.name for seat in record.seats),
        totals=record.result.totals,
        ranks=record.result.ranks,
        rounds=sum(not one.playoff for one in record.result.rounds),
        forfeited=tuple(seat.forfeited for seat in record.seats),
        faults=tuple(seat.faults for seat in record.seats),
        late_slaps=tuple(seat.late_slaps for seat in record.seats),
        lag_us=record.lag_us,
    )


def greet_all(config: Config, check: Callable[[], None]) -> list[Greeted]:
    """Start every bot once, before anything is played. Raises Interrupted, and whatever `check` raises at the start."""
    greeted: list[Greeted] = []

    async def work(pump: Pump) -> None:
        check()
        said = greet(
            pump, config.bots, games=games(config), confinement=config.confinement, start_s=config.clocks.start_s
        )
        greeted.extend(await said)

    run_session([work])
    return greeted


class Run(Struct, frozen=True, kw_only=True):
    """A run that can be played: what is to be, where it is kept, and who watches."""

    config: Config
    plan: Plan
    terms: Terms
    """Of the config from which the plan is made, and so of the bots in the plan's order."""
    store: Store
    watcher: Watcher

    def play(self, check: Callable[[], None]) -> None:
        """Play what the store lacks; a match that is voided on every attempt is left out.

        Raises Interrupted, WriteFailed when a result cannot be kept, and whatever `check` raises at the start.
        """
        done = self.store.numbers()
        todo = (fixture for fixture in self.plan if fixture.number not in done)

        async def work(pump: Pump) -> None:
            check()
            for fixture in todo:
                await self._play(pump, fixture)

        run_session([work] * self.config.jobs)

    async def _play(self, pump: Pump, fixture: Fixture) -> None:
        """Play and commit a match; one that we spoil ourselves is void and played again, ATTEMPTS times at most."""
        setup = setup_of(self.config, fixture)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                record = await play(pump, setup)
            except Exception as error:
                reason = str(error) if isinstance(error, HostFault) else f"{type(error).__name__}: {error}"
                self.store.note_void(fixture, [bot.name for bot in setup.bots], attempt, reason)
                self.watcher.voided(fixture, attempt, reason)
            else:
                result = result_of(fixture, record)
                self.store.commit(result, record, self.terms.identity(fixture))
                self.watcher.finished(result)
                return
