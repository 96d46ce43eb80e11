"""One match between live bots, from the start of its processes to its record."""

import platform
import secrets
import sys
from collections.abc import Sequence
from functools import partial

import trio
from msgspec import Struct, structs, to_builtins

from protocol import VERSION
from protocol.cards import Card
from protocol.messages import Clocks, FaultPolicy, Limits, Match
from protocol.messages import Game as GameMessage
from protocol.text import printable
from referee import __version__
from referee.play import telling
from referee.play.bots import BotSpec, Confinement
from referee.play.channel import Channel
from referee.play.conversation import Conversation
from referee.play.household import end_orphans
from referee.play.process import FAREWELL_S, bounded
from referee.play.pump import Pump
from referee.rules.chance import Chance, Keyed, Recorder, Stacked
from referee.rules.game import Game
from referee.rules.record import Record, SeatRecord
from referee.rules.variants import Variant

ID_KEY_BYTES = 16
"""Of the secret that a match's request ids are derived from."""

LONGEST_STDERR_LINE = 1000
"""Characters of a line of standard error that are kept."""


class MatchSetup(Struct, frozen=True, kw_only=True):
    """Everything that is fixed before a match begins."""

    variant: Variant
    name: str
    """The game's name in tables."""
    bots: tuple[BotSpec, ...]
    """By seat."""
    seeds: tuple[int, ...]
    """By seat, for the bots' own randomness."""
    deal_key: bytes
    seed: str = ""
    """The seed text that the deal key came from, where there was one."""
    decks: tuple[tuple[Card, ...], ...] | None = None
    """Given decks, a round each; None deals from the key alone."""
    clocks: Clocks
    faults: FaultPolicy
    limits: Limits = Limits()
    confinement: Confinement
    games: tuple[GameMessage, ...]
    """All that will be played, as `hello` tells it."""


async def play(pump: Pump, setup: MatchSetup) -> Record:
    """Play a match and return its record; no process of it is left on any way out.

    Raises HostFault when the referee or its host spoiled the match. Must run in the main thread.
    """
    recorder = Recorder(_chance(setup))
    game = Game(setup.variant, len(setup.bots), recorder)
    id_key = secrets.token_bytes(ID_KEY_BYTES)
    greeting = telling.hello(setup.games, setup.limits)
    conversation = Conversation(game, recorder, hello=greeting, matches=match_messages(setup), id_key=id_key)
    channels: list[Channel] = []
    try:
        async with pump.stillness:
            for spec in setup.bots:
                # One by one: a failure stops the others.
                channels.append(Channel(spec, setup.confinement, setup.limits))
        lag_us = await pump.converse(conversation.steps(), dict(enumerate(channels)))
    finally:
        with trio.CancelScope(shield=True):
            await _stop(channels, patience_s=FAREWELL_S if game.question is None else 0.0)
    return structs.replace(_record(setup, recorder, conversation, channels), lag_us=lag_us)


def match_messages(setup: MatchSetup) -> list[Match]:
    """The `match` message of every seat."""
    return telling.announcements(setup.variant, setup.name, seeds=setup.seeds, clocks=setup.clocks, faults=setup.faults)


def host() -> str:
    """The machine and interpreter that a result came from, in one line."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return f"{system}, Python {platform.python_version()} ({sys.implementation.name})"


def _chance(setup: MatchSetup) -> Chance:
    if setup.decks is None:
        return Keyed(setup.deal_key, setup.variant, len(setup.bots))
    return Stacked(setup.deal_key, setup.variant, len(setup.bots), setup.decks)


async def _stop(channels: Sequence[Channel], *, patience_s: float) -> None:
    """End all bots of the match and whatever they have started."""
    async with trio.open_nursery() as nursery:
        for channel in channels:
            nursery.start_soon(partial(channel.stop, patience_s=patience_s))
    end_orphans()


def _record(setup: MatchSetup, recorder: Recorder, talk: Conversation, channels: Sequence[Channel]) -> Record:
    return Record(
        golfref=__version__,
        protocol=VERSION,
        preset=setup.variant.preset,
        name=setup.name,
        options=to_builtins(setup.variant.options),
        seed=setup.seed,
        deal_key=setup.deal_key.hex(),
        stacked=setup.decks is not None,
        id_key=talk.telling.id_key.hex(),
        isolation=setup.confinement.isolation,
        limits=to_builtins(setup.confinement.limits),
        cgroups=tuple(sorted(bounded())) if setup.confinement.isolation != "none" else (),
        host=host(),
        games=setup.games,
        bounds=setup.limits,
        clocks=setup.clocks,
        faults=setup.faults,
        seats=tuple(_seat_record(setup, talk, channels[number], number) for number in range(len(setup.bots))),
        rounds=tuple(recorder.rounds),
        moves=tuple(talk.moves),
        result=talk.game.result,
    )


def _seat_record(setup: MatchSetup, talk: Conversation, channel: Channel, number: int) -> SeatRecord:
    spec, seat, told, heard = setup.bots[number], talk.seats[number], talk.telling.seats[number], channel.connection
    lines = heard.finish()
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
        faults=dict[str, int](seat.faults.items()),
        late_slaps=seat.late_slaps,
        unasked_lines=heard.unasked_lines,
        stderr_bytes=channel.stderr.total,
        stderr="\n".join(
            printable(line.expandtabs(), LONGEST_STDERR_LINE) for line in channel.stderr.text().splitlines()
        ),
        forfeited=seat.forfeited,
        sent_bytes=told.sent_bytes,
        sent_sha256=told.digest.hexdigest(),
        wrote_lines=heard.lines_read,
        wrote_bytes=heard.bytes_read,
        wrote_sha256=heard.digest.hexdigest(),
        lines=lines,
    )
