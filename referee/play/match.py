"""One match between live bots, from the start of its processes to its record."""

import platform
import secrets
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import trio
from msgspec import Struct, structs, to_builtins

from protocol import VERSION
from protocol.cards import Card
from protocol.codec import encode
from protocol.messages import Clocks, FaultPolicy, GameMessage, Limits, Match
from protocol.text import printable
from referee import __version__
from referee.play.faults import HostFault, OutOfMemory, hosts_fault
from referee.play.process.channel import Channel
from referee.play.process.pool import Pool, PooledBot, reads_on
from referee.play.process.process import FAREWELL_S, bounded, counts_cpu
from referee.play.process.shutdown import end_orphans
from referee.play.pump.pump import Pump
from referee.play.spec import MB, BotSpec, Confinement
from referee.play.talk import script
from referee.play.talk.conversation import Conversation, Steps
from referee.play.talk.exchange import Delivery
from referee.rules.chance import Chance, Keyed, Recorder, Stacked
from referee.rules.counts import seat_counts
from referee.rules.game import Game
from referee.rules.match import MatchResult
from referee.rules.record import Record, SeatRecord
from referee.rules.variants import Variant

ID_KEY_BYTES = 16
"""How long the secret is from which the ids of a match's requests are derived."""

LONGEST_STDERR_LINE = 1000
"""How many characters of a line of standard error are kept."""


class MatchSetup(Struct, frozen=True, kw_only=True):
    """Everything that is fixed before a match begins."""

    variant: Variant
    name: str
    """The game's name in tables."""
    bots: tuple[BotSpec, ...]
    """The bots by seat."""
    seeds: tuple[int, ...]
    """The seeds for the bots' own randomness, by seat."""
    deal_key: bytes
    block: int = 0
    """The number of the match's block. Matches of one block have the same cards; those of different blocks have not."""
    seed: str = ""
    """The seed text that the deal key came from, where there was one."""
    decks: tuple[tuple[Card, ...], ...] | None = None
    """A given deck for each round; with None all cards are dealt from the key."""
    clocks: Clocks
    """Those of all bots that have none of their own."""
    faults: FaultPolicy
    limits: Limits = Limits()
    confinement: Confinement
    games: tuple[GameMessage, ...]
    """All games that will be played, as `hello` lists them."""

    def __post_init__(self) -> None:
        least = Limits().line_bytes
        if self.limits.line_bytes < least:
            raise ValueError(f"limits.line_bytes: expected at least {least}, as long as a line of the referee may be")


class LiveMatch:
    """A match between live bots: `seat` brings them to the table, `play` plays and lets them go.

    Bots can be seated while another match plays, and are frozen until it has ended. Must run in the main thread.
    """

    def __init__(self, pump: Pump, setup: MatchSetup, pool: Pool | None = None) -> None:
        """With a `pool`, processes that have played before are taken from there, and left there for later matches."""
        self._pump, self._setup, self._pool = pump, setup, pool
        self._channels: list[Channel] = []
        self._pooled: dict[int, PooledBot] = {}
        """The processes that have played before, by seat."""
        self._recorder = Recorder(_chance(setup))
        self._game = Game(setup.variant, len(setup.bots), self._recorder)
        self._talk: Conversation | None = None
        self._lag_us = 0

    async def seat(self) -> None:
        """Start and greet the bots. Raises HostFault; then, as on any failure, no process is left."""
        try:
            with hosts_fault():
                for number, spec in enumerate(self._setup.bots):
                    # One after another: if one fails, the others that have started are stopped.
                    self._channels.append(await self._channel(number, spec))
                talk = self._talk = self._conversation()
                await self._converse(talk.greet({number: one.ready for number, one in self._pooled.items()}))
        except BaseException:
            await self.dismiss()
            raise

    def pause(self) -> None:
        """Freeze the bots until `play`."""
        for channel in self._channels:
            channel.pause()

    async def play(self) -> Record:
        """Play the match and return its record; none of its processes is left but those that are kept.

        Raises HostFault when the referee or its host spoiled the match.
        """
        if self._talk is None:
            raise RuntimeError("play follows seat")
        try:
            with hosts_fault():
                await self._converse(self._talk.play())
        except BaseException:
            await self.dismiss()
            raise
        with trio.CancelScope(shield=True):
            await self._release_bots(self._talk)
        channels, self._channels = self._channels, []
        seats = [
            _seat_record(self._setup, self._talk, channel, number, before)
            for number, (channel, before) in enumerate(zip(channels, self._matches_before(), strict=True))
        ]
        game = self._talk.game
        record = _record(self._setup, self._recorder, self._talk, seats, game.result)
        return structs.replace(record, lag_us=self._lag_us, counts=seat_counts(game))

    def so_far(self) -> Record:
        """The record of a match that is being played, as far as it has come. It has no result and says little of seats.

        Raises RuntimeError before the bots are seated.
        """
        if self._talk is None:
            raise RuntimeError("so_far follows seat")
        bots = zip(self._setup.bots, self._setup.seeds, strict=True)
        seats = [SeatRecord(name=bot.name, command=bot.command, seed=seed) for bot, seed in bots]
        open_result = MatchResult(totals=(), ranks=(), rounds=(), capped=False)
        return _record(self._setup, self._recorder, self._talk, seats, open_result)

    async def dismiss(self) -> None:
        """End the bots at once, unless the match is over and they have ended already."""
        channels, self._channels = self._channels, []
        if not channels:
            return
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for channel in channels:
                    nursery.start_soon(self._stop_bot, channel, partial(channel.stop, patience_s=0.0))
            await end_orphans()

    async def _stop_bot(self, channel: Channel, farewell: Callable[[], Awaitable[None]]) -> None:
        """Stop a bot. As long as it may end by itself, it is frozen whenever slaps are timed."""
        try:
            await farewell()
        finally:
            self._pump.let_go(channel)

    async def _channel(self, number: int, spec: BotSpec) -> Channel:
        confinement, limits = self._setup.confinement, self._setup.limits
        if self._pool is not None and (one := await self._pool.take(spec.name, self._setup.block)) is not None:
            self._pooled[number] = one
            channel = self._pump.admit(Channel(spec, confinement, limits, one.channel.process))
            line = encode(match_messages(self._setup, self._matches_before())[number])
            if await self._reads_on(channel, Delivery(number, line)):
                return channel
            del self._pooled[number]
        return await self._pump.start_bot(spec, confinement, limits)

    async def _reads_on(self, channel: Channel, match: Delivery) -> bool:
        """Whether a bot that has waited reads its `match`; otherwise it is ended."""
        does = False
        try:
            await self._pump.release(channel)
            does = await reads_on(channel, match)
        finally:
            if not does:
                with trio.CancelScope(shield=True):
                    await self._stop_bot(channel, partial(channel.stop, patience_s=0.0))
        return does

    def _conversation(self) -> Conversation:
        return Conversation(
            self._game,
            self._recorder,
            hello=script.hello(self._setup.games, self._setup.limits),
            matches=match_messages(self._setup, self._matches_before()),
            id_key=secrets.token_bytes(ID_KEY_BYTES),
        )

    def _matches_before(self) -> list[int]:
        pooled = self._pooled
        return [pooled[number].matches if number in pooled else 0 for number in range(len(self._setup.bots))]

    def _blocks_of(self, number: int) -> set[int]:
        """The blocks that a seat's process has played in, with this one."""
        blocks = self._pooled[number].blocks if number in self._pooled else set[int]()
        blocks.add(self._setup.block)
        return blocks

    async def _converse(self, steps: Steps) -> None:
        try:
            lag_us = await self._pump.converse(steps, dict(enumerate(self._channels)))
        except OutOfMemory as fault:
            raise HostFault(f"{fault}; {self._who_held_most()}") from None
        self._lag_us = max(self._lag_us, lag_us)

    def _who_held_most(self) -> str:
        """Which bot of this match or of another holds the most memory, in words."""
        held = {}
        for channel in (*self._channels, *self._pump.channels()):
            now = None if channel.process is None else channel.process.resource_usage()
            held[channel] = max(channel.turns.used.memory_bytes, 0 if now is None else now.memory_bytes)
        most = max(held, key=held.__getitem__)
        bound = self._setup.confinement.limits.memory_mb * MB
        return f"{most.name} held the most, {'more than its bound' if held[most] > bound else 'within its bound'}"

    async def _release_bots(self, talk: Conversation) -> None:
        """After the match, keep the bots for a later one, or end them with whatever they have started."""
        async with self._pump.freeze_lock:  # not in the middle of a window
            for channel in self._channels:
                channel.release()  # the watch of limits may have paused it
        async with trio.open_nursery() as nursery:
            for number, (seat, before) in enumerate(zip(talk.seats, self._matches_before(), strict=True)):
                channel = self._channels[number]
                if self._pool is None or seat.forfeited or seat.ready is None:
                    nursery.start_soon(self._stop_bot, channel, partial(channel.stop, patience_s=FAREWELL_S))
                    continue
                bot, blocks = self._setup.bots[number].name, self._blocks_of(number)
                kept = PooledBot(bot=bot, channel=channel, ready=seat.ready, matches=before + 1, blocks=blocks)
                nursery.start_soon(self._stop_bot, channel, partial(self._pool.keep, kept))
        await end_orphans()


async def play(pump: Pump, setup: MatchSetup) -> Record:
    """Play a match and return its record; no process of it is left on any way out.

    Raises HostFault when the referee or its host spoiled the match. Must run in the main thread.
    """
    match = LiveMatch(pump, setup)
    await match.seat()
    return await match.play()


def match_messages(setup: MatchSetup, matches_before: Sequence[int] = ()) -> list[Match]:
    """The `match` message of every seat; `matches_before` says by seat how many matches each process has played."""
    return script.announcements(
        setup.variant,
        setup.name,
        seeds=setup.seeds,
        clocks=setup.clocks,
        own_clocks={seat: bot.clocks for seat, bot in enumerate(setup.bots) if bot.clocks is not None},
        faults=setup.faults,
        matches_before=matches_before,
    )


def host_line() -> str:
    """The machine and interpreter that a result came from, in one line."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return f"{system}, Python {platform.python_version()} ({sys.implementation.name})"


def _chance(setup: MatchSetup) -> Chance:
    if setup.decks is None:
        return Keyed(setup.deal_key, setup.variant, len(setup.bots))
    return Stacked(setup.deal_key, setup.variant, len(setup.bots), setup.decks)


def _record(
    setup: MatchSetup, recorder: Recorder, talk: Conversation, seats: Sequence[SeatRecord], result: MatchResult
) -> Record:
    return Record(
        golfref=__version__,
        protocol=VERSION,
        preset=setup.variant.preset,
        name=setup.name,
        options=to_builtins(setup.variant.options),
        seed=setup.seed,
        deal_key=setup.deal_key.hex(),
        stacked=setup.decks is not None,
        id_key=talk.script.id_key.hex(),
        isolation=setup.confinement.isolation,
        limits=to_builtins(setup.confinement.limits),
        cgroups=tuple(sorted(bounded())) if setup.confinement.isolation != "none" else (),
        counts_cpu=setup.confinement.isolation != "none" and counts_cpu(),
        host=host_line(),
        games=setup.games,
        bounds=setup.limits,
        clocks=setup.clocks,
        faults=setup.faults,
        seats=tuple(seats),
        rounds=tuple(recorder.rounds),
        moves=tuple(talk.moves),
        result=result,
    )


def _seat_record(setup: MatchSetup, talk: Conversation, channel: Channel, number: int, before: int) -> SeatRecord:
    spec, seat, sent, inbox = setup.bots[number], talk.seats[number], talk.script.seats[number], channel.inbox
    lines = inbox.finish()
    return SeatRecord(
        name=spec.name,
        ready=seat.ready is not None,
        ready_name=printable(seat.ready.name, 64) if seat.ready else "",
        version=printable(seat.ready.version, 64) if seat.ready else "",
        author=printable(seat.ready.author, 64) if seat.ready else "",
        owner=spec.owner,
        command=spec.command,
        wants_slaps=seat.ready is None or seat.ready.slaps,
        wants_table=seat.ready is None or seat.ready.table,
        seed=setup.seeds[number],
        clocks=spec.clocks,
        matches_before=before,
        faults=dict[str, int](seat.faults.items()),
        late_slaps=seat.late_slaps,
        nearest_miss_us=None if channel.nearest_miss_s is None else round(1e6 * channel.nearest_miss_s),
        idle_cpu_ms=0 if channel.isolation == "none" else channel.turns.idle_cpu_ns // 1_000_000,
        unasked_lines=inbox.unasked_lines,
        stderr_bytes=channel.stderr.total,
        stderr="\n".join(
            printable(line.expandtabs(), LONGEST_STDERR_LINE) for line in channel.stderr.text().splitlines()
        ),
        forfeited=seat.forfeited,
        sent_bytes=sent.sent.bytes,
        sent_sha256=sent.sent.hexdigest(),
        wrote_lines=inbox.lines_read,
        wrote_bytes=inbox.bytes_read,
        lines=lines,
    )
