"""Records whose bots comment on their answers."""

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from referee.play.talk.inbox import KEPT_OF_LINE
from referee.rules.record import Line, Record


def commented(record: Record, comment: Callable[[int, Any], Any]) -> Record:
    """The record with a comment in each answer, which the function makes of the seat and the answer."""

    def said(seat: int, line: Line) -> Line:
        answer = json.loads(line.text)
        if answer["type"] != "answer":
            return line
        text = json.dumps(answer | {"comment": comment(seat, answer)}) + "\n"
        return Line(line.after, len(text), text[:KEPT_OF_LINE])

    seats = (replace(bot, lines=tuple(said(seat, line) for line in bot.lines)) for seat, bot in enumerate(record.seats))
    return replace(record, seats=tuple(seats))
