"""Checking what a record tells of the bot on a seat: what it said of itself, and the counts of what it wrote.

What follows from the course of the match is checked in `conversation.py`. Nothing shows that a bot wrote what stands as
its standard error, nor how long it computed: only hashes cover these.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from typing import TypeVar

import msgspec

from protocol.codec import BadLine, decode_answer, decode_ready
from protocol.messages import Answer, Ready
from protocol.text import printable
from referee import __version__
from referee.play.talk.inbox import KEPT_BYTES, KEPT_OF_LINE, LEAST_LINE
from referee.rules.record import Forfeit, Line, Record, SeatRecord

M = TypeVar("M", Ready, Answer)

LONGEST_SAID = 64
"""How many characters of what a bot says of itself are kept."""


def check_seat(record: Record, number: int) -> Iterator[str]:
    """What is wrong with what is told of the bot on a seat."""
    bot = record.seats[number]
    yield from _check_ready(record, number)
    yield from _check_written(bot)
    if bot.unasked_lines > bot.wrote_lines:
        yield "more of its lines answer nothing than it wrote"
    if bot.nearest_miss_us is not None and not bot.late_slaps:
        yield "it just missed a slap window, but was late in none"
    if bot.stderr and not bot.stderr_bytes:
        yield "its standard error is told, but it wrote none"
    if record.isolation == "none" and (bot.idle_cpu_ms or record.counts_cpu):
        yield "its computing was counted, but under isolation `none` nobody looks"


def _check_ready(record: Record, number: int) -> Iterator[str]:
    """A bot that was not ready has forfeited before anything was asked; what another one said stands in its line."""
    bot = record.seats[number]
    began = next((place for place, move in enumerate(record.moves) if not isinstance(move, Forfeit)), None)
    forfeits = [move.fault.kind for move in record.moves[:began] if isinstance(move, Forfeit) and move.seat == number]
    if not bot.ready:
        if not forfeits:
            yield "it was not ready, but played"
        if any((bot.ready_name, bot.version, bot.author, not bot.wants_slaps, not bot.wants_table)):
            yield "it was not ready, but tells what it said"
        return
    if "start_failed" in forfeits or "start_timeout" in forfeits:
        yield "it was ready, but forfeited at the start"
    line = next((line for line in bot.lines if line.text.strip() or not is_whole(line)), None)
    if bot.matches_before or line is None or not is_whole(line):
        return
    said = ready_of(record, line)
    if said is None:
        yield "its first line is not a `ready` message, but it was ready"
        return
    told = (bot.ready_name, bot.version, bot.author, bot.wants_slaps, bot.wants_table)
    words = (printable(text, LONGEST_SAID) for text in (said.name, said.version, said.author))
    if told != (*words, said.slaps, said.table):
        yield "what it is told to have said in `ready` is not in its line"


def _check_written(bot: SeatRecord) -> Iterator[str]:
    """What is wrong with the lines that a bot wrote, as far as enough of them is kept to say."""
    size = sum(line.size for line in bot.lines)
    if any(later.after < line.after for line, later in pairwise(bot.lines)):
        yield "its lines are not in the order in which they came"
    if not all(map(_is_as_kept, bot.lines)):
        yield "a line of it is longer or shorter than is kept of it"
    if len(bot.lines) > bot.wrote_lines or size > bot.wrote_bytes:
        yield "more of its lines are kept than it wrote"
    elif len(bot.lines) < bot.wrote_lines:
        kept = sum(max(LEAST_LINE, min(line.size, KEPT_OF_LINE)) for line in bot.lines)
        if kept < KEPT_BYTES:
            yield "lines that it wrote are missing"
    elif all(map(is_whole, bot.lines)):
        text = "".join(line.text for line in bot.lines).encode()
        if (len(text), sha256(text).hexdigest()) != (bot.wrote_bytes, bot.wrote_sha256):
            yield "the lines that it wrote are not those that were read"


def is_whole(line: Line) -> bool:
    """Whether the kept text is the line itself."""
    return "\ufffd" not in line.text and len(line.text.encode()) == line.size


def _is_as_kept(line: Line) -> bool:
    """Whether as much of a line is told as is kept of it. Where something is no UTF-8, nobody can say."""
    return "\ufffd" in line.text or len(line.text.encode()) == min(line.size, KEPT_OF_LINE)


def all_kept(bot: SeatRecord) -> bool:
    """Whether all that a bot wrote is kept as it came."""
    return len(bot.lines) == bot.wrote_lines and all(map(is_whole, bot.lines))


def ready_of(record: Record, line: Line) -> Ready | None:
    """The `ready` message in a line. None where it is none."""
    try:
        return decode_ready(line.text.encode())
    except BadLine:
        return None if record.golfref == __version__ else _laxly(line, Ready)


def answer_of(record: Record, line: Line) -> Answer | None:
    """The answer in a line. None where it is none."""
    try:
        return decode_answer(line.text.encode())
    except BadLine:
        return None if record.golfref == __version__ else _laxly(line, Answer)


def _laxly(line: Line, kind: type[M]) -> M | None:
    """A message as golfref 0.2.0 took it, which did without `type`."""
    try:
        return msgspec.json.decode(line.text.encode(), type=kind)
    except (msgspec.MsgspecError, RecursionError):
        return None
