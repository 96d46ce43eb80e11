"""Hands a match over while it is played, through a pipe, to whoever draws it.

The task that does so looks at the moves so far, some times a second, beside the pump: no decision waits for it, and if
nobody reads, nothing but this task waits. It must not know the screen.
"""

import os
from typing import TYPE_CHECKING

import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.play.match import LiveMatch, MatchSetup
from referee.play.session import Interrupted
from referee.rules.chance import RoundOutcomes
from referee.rules.record import Move, Record
from referee.tournament.workers.frames import PIPE_READ_BYTES, frame

if TYPE_CHECKING:
    from referee.play.pump.pump import Pump

POLL_INTERVAL_S = 0.1
"""Seconds between two looks at the moves."""


class Begun(Struct, frozen=True, kw_only=True, tag=True):
    """A game begins; its record has no moves yet."""

    record: Record


class More(Struct, frozen=True, kw_only=True, tag=True):
    """What has come since the last message."""

    moves: tuple[Move, ...]
    first_round: int
    """The first of `rounds` is the round of this index."""
    rounds: tuple[RoundOutcomes, ...]


class Ended(Struct, frozen=True, kw_only=True, tag=True):
    """The game has ended, with its whole record."""

    record: Record


Message = Begun | More | Ended


def joined(record: Record, more: More) -> Record:
    """The record with what has come since."""
    rounds = (*record.rounds[: more.first_round], *more.rounds)
    return replace(record, moves=(*record.moves, *more.moves), rounds=rounds)


class HandOver:
    """Plays matches, and hands over what happens in them."""

    def __init__(self, fd: int) -> None:
        """`fd` is the end of the pipe that is written."""
        self._pipe = trio.lowlevel.FdStream(fd)
        self._is_read = True

    async def play(self, pump: "Pump", setup: MatchSetup) -> Record:
        """Play a match and return its record, as `play.match.play` does."""
        match = LiveMatch(pump, setup)
        await match.seat()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._hand_over, match)
            record = await match.play()
            nursery.cancel_scope.cancel()
        await self._send(Ended(record=record))
        return record

    async def until_left(self) -> None:
        """Wait for the end of standard input, when nobody watches any more. Raises Interrupted."""
        async with trio.lowlevel.FdStream(os.dup(0)) as end:
            while await end.receive_some(PIPE_READ_BYTES):
                pass
        raise Interrupted

    async def _hand_over(self, match: LiveMatch) -> None:
        # A message that is cut off by the end of the match would spoil those after it.
        sent = match.so_far()
        with trio.CancelScope(shield=True):
            await self._send(Begun(record=replace(sent, moves=(), rounds=())))
        sent = replace(sent, moves=(), rounds=())
        while True:
            await trio.sleep(POLL_INTERVAL_S)
            now = match.so_far()
            first = max(0, len(sent.rounds) - 1)  # the last round may have got further outcomes
            more = More(moves=now.moves[len(sent.moves) :], first_round=first, rounds=now.rounds[first:])
            if more.moves:
                with trio.CancelScope(shield=True):
                    await self._send(more)
                sent = now

    async def _send(self, message: Message) -> None:
        if self._is_read:
            try:
                await self._pipe.send_all(frame(message))
            except trio.BrokenResourceError:  # nobody watches any more
                self._is_read = False
