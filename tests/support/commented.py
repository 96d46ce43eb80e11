"""Records whose bots comment on their answers."""

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from referee.play.talk.inbox import KEPT_OF_LINE
from referee.rules.record import Line, Record


def commented(record: Record, comment: Callable[[int, Any], Any]) -> Record:
    """The record with a comment in each answer, which the function makes of the seat and the answer."""
    seats = (
        replace(bot, lines=tuple(_commented(line, lambda said, seat=seat: comment(seat, said)) for line in bot.lines))
        for seat, bot in enumerate(record.seats)
    )
    return replace(record, seats=tuple(seats))


def _commented(line: Line, comment: Callable[[Any], Any]) -> Line:
    said = json.loads(line.text)
    if said["type"] != "answer":
        return line
    text = json.dumps(said | {"comment": comment(said)}) + "\n"
    return Line(line.after, len(text), text[:KEPT_OF_LINE])
