"""A seat's whole conversation, for the bot's author: what the referee sent and what the bot wrote.

`> ` begins a line to the bot, `< ` one from it, `! ` a fault where it happened, `# ` a remark of ours, and `| ` a line
of standard error. Remarks tell how long an answer took, and which lines answered nothing. Foreign text is escaped, so
that every line of the wire is one line here and steers no terminal.
"""

import sys
from collections.abc import Iterator

from msgspec import Struct

from protocol.codec import BadLine, decode_answer
from protocol.text import printable
from referee.play.talk.retell import Retelling
from referee.reports.blame import late_hint, mishap_of
from referee.rules.record import Forfeit, Given, Line, Move, Reaction, Record, walk

REMARKED_US = 2000
"""The referee is said to have looked at its pipes late when it was later than this."""


class _Asked(Struct):
    """What the seat was sent last: the id that an answer must have, what came of it, and whether its line is shown."""

    id: str | None = None
    given: Given | Reaction | None = None
    is_answered: bool = False

    @property
    def was_silent(self) -> bool:
        """Whether nothing came in time."""
        if isinstance(self.given, Reaction):
            return self.given.late
        return self.given is not None and self.given.fault is not None and self.given.fault.kind == "timeout"


def wire_lines(record: Record, seat: int) -> Iterator[str]:
    """The conversation in order with the seat's faults where they happened, then its standard error as it is kept.

    A bot's line stands after what had been sent when it was read. Lines that the bot wrote too early may have been
    judged only with a later request. Raises BrokenRecord where the record does not replay.
    """
    if record.lag_us > REMARKED_US:
        yield f"# the referee looked at its pipes at worst {record.lag_us / 1000:.0f} ms late in this match"
    yield from _conversation(record, seat)
    bot = record.seats[seat]
    if len(bot.lines) < bot.wrote_lines:
        yield f"# {bot.wrote_lines} lines and {bot.wrote_bytes} bytes came in all; {len(bot.lines)} lines are kept"
    if bot.stderr_bytes:
        yield f"# standard error, {bot.stderr_bytes} bytes:"
        yield from (f"| {line}" for line in bot.stderr.splitlines())


def _conversation(record: Record, seat: int) -> Iterator[str]:
    retelling = Retelling(record)
    lines = list(record.seats[seat].lines)
    count = 0
    asked = _Asked()
    gone = False
    for game, move in walk(record):
        for delivery, answered in retelling.before(game, move):
            if delivery.seat == seat:
                yield from _written(lines, count, asked)
                count += 1
                asked = _Asked(id=delivery.awaits, given=None if answered is None else answered[1])
                yield from _sent(delivery.data)
        if not gone and (remarks := list(_remarks(move, seat))):
            yield from _written(lines, count, asked)
            yield from remarks
            gone = isinstance(move, Forfeit)
    yield from _written(lines, count, asked)
    for delivery in retelling.after():
        if delivery.seat == seat:
            yield from _sent(delivery.data)


def _sent(data: bytes) -> Iterator[str]:
    return (f"> {_safe(line.decode())}" for line in data.splitlines())


def _written(lines: list[Line], count: int, asked: _Asked) -> Iterator[str]:
    """Takes from the lines those that had come when this many messages were sent. `asked` is the last of them."""
    while lines and lines[0].after <= count:
        line = lines.pop(0)
        text = line.text.rstrip("\r\n")
        yield f"< {_safe(text)}"
        if not line.text.endswith("\n"):
            is_cut = len(line.text.encode()) < line.size
            yield f"# {'its start; it had' if is_cut else 'without a newline;'} {line.size} bytes"
        remark = _ignored(line, asked)
        if remark is not None:
            yield f"# ignored: {remark}"
        elif not asked.is_answered and asked.given is not None:
            asked.is_answered = True
            yield from _time(asked.given)


def _ignored(line: Line, asked: _Asked) -> str | None:
    """Why a line answered nothing. None where it was the answer or a fault, or too little of it is kept to say."""
    if not line.text.strip():
        return "a blank line" if line.text.endswith("\n") else None
    try:
        answer = decode_answer(line.text.encode())
    except BadLine:
        return None
    if answer.id != asked.id or asked.is_answered:
        return "not the id that was asked for (late, or sent twice)"
    return "it came too late" if asked.was_silent else None


def _time(given: Given | Reaction) -> Iterator[str]:
    """How long an answer took: a slap as it counted, any other answer as it was charged, and what was not charged."""
    if isinstance(given, Reaction):
        if given.corrected_us is not None:
            yield f"# {given.corrected_us:.1f} us, corrected"
    else:
        waived = f", {given.waived_us / 1e6:.3f} s more not charged" if given.waived_us else ""
        yield f"# {given.time_us / 1e6:.3f} s{waived}"


def _remarks(move: Move, seat: int) -> Iterator[str]:
    mishap = mishap_of(move, seat)
    hint = late_hint(move, seat)
    if mishap is not None:
        yield f"! {'forfeits: ' if isinstance(move, Forfeit) else ''}{mishap.kind}: {_safe(mishap.detail)}"
    if hint is not None:
        yield f"# late, which is a pass and no fault; {_safe(hint)}"


def _safe(text: str) -> str:
    return printable(text, sys.maxsize - 1)
