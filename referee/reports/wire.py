"""A seat's whole conversation as it was, for the bot's author: what the referee sent and what the bot wrote.

`> ` is a line to the bot, `< ` one from it, `! ` a fault where it happened, `# ` a remark of ours, `| ` standard error.
Foreign text is escaped, so that every line of the wire is one line here and steers no terminal.
"""

import sys
from collections.abc import Iterator

from protocol.text import printable
from referee.play.retell import Retelling
from referee.reports.blame import late_hint, mishap_of
from referee.rules.record import Forfeit, Line, Move, Record, walk


def wire_lines(record: Record, seat: int) -> Iterator[str]:
    """The conversation in order, the seat's faults where they happened, then its standard error as far as it is kept.

    A bot's line stands after what had been sent when it was read; lines that the bot wrote too early may have been
    judged with a later request only. Raises BrokenRecord where the record does not replay.
    """
    bot = record.seats[seat]
    retelling = Retelling(record)
    lines = list(bot.lines)
    asked = 0
    gone = False
    for game, move in walk(record):
        for delivery, _ in retelling.before(game, move):
            if delivery.seat == seat:
                yield from _written(lines, asked)
                asked += 1
                yield from _sent(delivery.data)
        if not gone and (remarks := list(_remarks(move, seat))):
            yield from _written(lines, asked)
            yield from remarks
            gone = isinstance(move, Forfeit)
    yield from _written(lines, asked)
    for delivery in retelling.after():
        if delivery.seat == seat:
            yield from _sent(delivery.data)
    if len(bot.lines) < bot.wrote_lines:
        yield f"# {bot.wrote_lines} lines and {bot.wrote_bytes} bytes came in all; {len(bot.lines)} lines are kept"
    if bot.stderr_bytes:
        yield f"# standard error, {bot.stderr_bytes} bytes:"
        yield from (f"| {line}" for line in bot.stderr.splitlines())


def _sent(data: bytes) -> Iterator[str]:
    return (f"> {_safe(line.decode())}" for line in data.splitlines())


def _written(lines: list[Line], asked: int) -> Iterator[str]:
    """Takes from the lines those that had come when so many messages were sent."""
    while lines and lines[0].after <= asked:
        line = lines.pop(0)
        text = line.text.rstrip("\r\n")
        yield f"< {_safe(text)}"
        if not line.text.endswith("\n"):
            is_cut = len(line.text.encode()) < line.size
            yield f"# {'its start; it had' if is_cut else 'without a newline;'} {line.size} bytes"


def _remarks(move: Move, seat: int) -> Iterator[str]:
    mishap = mishap_of(move, seat)
    hint = late_hint(move, seat)
    if mishap is not None:
        yield f"! {'forfeits: ' if isinstance(move, Forfeit) else ''}{mishap.kind}: {_safe(mishap.detail)}"
    if hint is not None:
        yield f"# late, which is a pass and no fault; {_safe(hint)}"


def _safe(text: str) -> str:
    return printable(text, sys.maxsize - 1)
