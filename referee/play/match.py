"""One match between live bots, from the start of its processes to its record."""

import platform
import secrets
import sys
from collections.abc import Callable, Sequence
from functools import partial

import trio
from msgspec import Struct, to_builtins

from protocol import VERSION
from protocol.cards import Card
from protocol.messages import Clocks, FaultPolicy, Hello, Limits, Match
from protocol.messages import Game as GameMessage
from protocol.text import printable
from referee import __version__
from referee.play.bots import BotSpec, Confinement
from referee.play.channel import Channel
from referee.play.conversation import Conversation
from referee.play.household import end_orphans
from referee.play.process import FAREWELL_S
from referee.play.pump import Pump
from referee.rules.chance import Chance, Keyed, Recorder, Stacked
from referee.rules.describe import rules_in_brief
from referee.rules.game import Game
from referee.rules.options import COMBINES
from referee.rules.record import Record, SeatRecord
from referee.rules.values import card_values
from referee.rules.variants import Variant, deck

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


async def play(pump: Pump, setup: MatchSetup, new_id: Callable[[], str] = lambda: secrets.token_urlsafe(9)) -> Record:
    """Play a match and return its record; no process of it is left on any way out.

    Raises HostFault when the referee or its host spoiled the match. Must run in the main thread.
    """
    recorder = Recorder(_chance(setup))
    game = Game(setup.variant, len(setup.bots), recorder)
    greeting = hello(setup.games, setup.limits)
    conversation = Conversation(game, recorder, hello=greeting, matches=match_messages(setup), new_id=new_id)
    channels: list[Channel] = []
    try:
        async with pump.stillness:
            for spec in setup.bots:
                channels.append(
                    Channel(spec, setup.confinement, setup.limits)
                )  # one by one: a failure stops the others
        await pump.converse(conversation.steps(), dict(enumerate(channels)))
    finally:
        with trio.CancelScope(shield=True):
            await _stop(channels, patience_s=FAREWELL_S if game.question is None else 0.0)
    return _record(setup, recorder, conversation, channels)


def hello(games: tuple[GameMessage, ...], limits: Limits) -> Hello:
    """The first line to every bot."""
    return Hello(protocol=VERSION, referee=f"golfref {__version__}", games=games, limits=limits)


def match_messages(setup: MatchSetup) -> list[Match]:
    """The `match` message of every seat."""
    variant = setup.variant
    options = {
        name: value
        for name, value in to_builtins(variant.options).items()
        if variant.tag in COMBINES[name] and name != "values"  # `values` of the message tells what they come to
    }
    return [
        Match(
            variant=variant.preset,
            name=setup.name,
            rules=rules_in_brief(variant),
            options=options,
            seats=len(setup.bots),
            seat=seat,
            rows=variant.rows,
            columns=variant.columns,
            cards=len(deck(variant, len(setup.bots))),
            values=dict(card_values(variant)),
            seed=seed,
            clocks=setup.clocks,
            faults=setup.faults,
        )
        for seat, seed in enumerate(setup.seeds)
    ]


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
        isolation=setup.confinement.isolation,
        host=host(),
        clocks=setup.clocks,
        seats=tuple(_seat_record(setup, talk, channels[number], number) for number in range(len(setup.bots))),
        rounds=tuple(recorder.rounds),
        moves=tuple(talk.moves),
        result=talk.game.result,
    )


def _seat_record(setup: MatchSetup, talk: Conversation, channel: Channel, number: int) -> SeatRecord:
    spec, seat = setup.bots[number], talk.seats[number]
    return SeatRecord(
        name=spec.name,
        ready_name=printable(seat.ready.name, 64) if seat.ready else "",
        version=printable(seat.ready.version, 64) if seat.ready else "",
        author=printable(seat.ready.author, 64) if seat.ready else "",
        owner=spec.owner,
        command=spec.command,
        wants_slaps=seat.ready is None or seat.ready.slaps,
        seed=setup.seeds[number],
        faults=dict[str, int](seat.faults.items()),
        late_slaps=seat.late_slaps,
        unasked_lines=channel.connection.unasked_lines,
        stderr_bytes=channel.stderr.total,
        stderr="\n".join(printable(line, LONGEST_STDERR_LINE) for line in channel.stderr.text().splitlines()),
        forfeited=seat.forfeited,
    )
