"""The bytes that one bot writes, sans I/O: lines, their bounds, and which line answers what was asked.

Knows the protocol and nothing of processes, clocks or games. Lines are judged only while an answer is awaited; what
comes early waits in the buffer, is judged then, and can never win anything, because it cannot know the request's id.
Whatever comes is kept for the record, up to a bound, and counted beyond it.
"""

import re
from collections import deque

from msgspec import Struct

from protocol.bad_lines import BadLine
from protocol.codec import decode_answer, decode_ready
from protocol.messages import Answer, Limits, Ready
from protocol.text import printable
from referee.play.faults import Trouble
from referee.play.talk.exchange import READY
from referee.rules.record import Line

EXCERPT = 200
"""How many characters of an offending line are shown."""

KEPT_OF_LINE = 1500
"""How many bytes of each line are kept for the record: an answer whose comment is 200 times `\\u3042` or so fits."""

KEPT_BYTES = 65536
"""How many bytes of all lines of a match are kept for the record. A line counts as LEAST_LINE at least."""

LEAST_LINE = 32
"""How many bytes a line counts as, if it is shorter. This bounds the number of lines that are kept."""


_LINE_ENDS = re.compile(
    rb"(?P<cr>\r(?!\n))|(?P<escape>\}\s*\\n)|(?P<nel>\xc2\x85|\xe2\x80[\xa8\xa9])|(?P<zero>\}\s*\0)|(?P<page>[\v\f])"
)
"""What some take for the end of a line."""

_LINE_END_WORDS = {
    "cr": "a carriage return (\\r) alone",
    "escape": "a backslash and an n",
    "nel": "U+0085, U+2028 or U+2029",
    "zero": "a zero byte",
    "page": "a vertical tab or a form feed",
}
"""The same in words, by the name of its group."""


Heard = Ready | Answer | Trouble


class _Stray(Struct):
    """What came instead of an answer that is awaited."""

    passed_over: int = 0
    """How many answers had another id."""
    first_passed_over: bytes = b""
    had_blank_line: bool = False


class Inbox:
    """One bot's output: `expect` says which answer is due, `feed` takes bytes, `hear` returns what they amount to.

    It alone knows whether an answer is due: `awaits`.
    """

    def __init__(self, limits: Limits) -> None:
        self.unasked_lines = 0
        self.lines_read = 0
        """How many lines were taken from the buffer; after `finish` this is all of them."""
        self.bytes_read = 0
        self._limits = limits
        self._longest = limits.line_bytes
        self.unjudged = bytearray()
        """What came and waits to be judged."""
        self.awaits: str | None = None
        """The id of the request whose answer is due, or READY; None where none is."""
        self.asked = 0
        """How many answers have been asked for."""
        self._has_answered = False
        """Whether a request of this match has been answered."""
        self._excess: Trouble | None = None
        self._stray: _Stray | None = None
        """What came instead of what is awaited; None where nothing did."""
        self._early: deque[list[int]] = deque()
        """For whole lines that were in the buffer when something was asked: the value of `asked`, and their number."""
        self._kept: list[tuple[int, int, bytes]] = []
        self._room = KEPT_BYTES

    def expect(self, awaits: str) -> None:
        """A request with this id is being written; for READY it is `hello`, and the next line must be `ready`."""
        if self.unjudged and self._room > 0:
            self._note_early()
        self.asked += 1
        self.awaits = awaits
        self._stray = None

    def give_up(self) -> None:
        """Stop awaiting the answer; if it still comes, it is ignored."""
        self.awaits = None

    def hint(self) -> str:
        """Returns why a bot may not have answered: what came instead, or the usual reason."""
        stray = self._stray or _Stray()
        if stray.passed_over:
            lines = "1 line" if stray.passed_over == 1 else f"{stray.passed_over} lines"
            example = _excerpt(stray.first_passed_over)
            return f"it answered, but with another id ({lines}), such as {example}: copy the id of the request"
        if self.unjudged:
            what = f"{len(self.unjudged)} bytes without a newline had come: {_excerpt(bytes(self.unjudged))}"
            ends = _LINE_ENDS.search(self.unjudged)
            return (
                f"{what}; lines end in a newline (\\n), not in {_LINE_END_WORDS[ends.lastgroup or '']}"
                if ends
                else what
            )
        what = "only blank lines" if stray.had_blank_line else "nothing"
        return (
            f"{what} came: either it thinks too long, or it does not flush what it writes (or waits for more than one "
            "line)"
        )

    @property
    def has_part_of_a_line(self) -> bool:
        """Whether the last line that came still lacks its newline."""
        return bool(self.unjudged) and not self.unjudged.endswith(b"\n")

    def feed(self, data: bytes) -> None:
        """Take what was read from the bot's standard output."""
        self.unjudged += data
        self.bytes_read += len(data)

    def take(self, data: bytes) -> Heard | None:
        """Do `feed` and then `hear`, by a short cut for a whole line with nothing before it, as most answers come."""
        if self.unjudged or self.awaits is None or data.find(b"\n") + 1 != len(data):
            self.feed(data)
            return self.hear()
        self.bytes_read += len(data)
        self.lines_read += 1
        if self._room > 0:
            self._keep(data)
        heard = self._judge(data)
        if heard is not None:
            self.awaits = None
        return heard

    def hear(self) -> Heard | None:
        """The awaited message or the trouble that came instead, None while neither is there.

        Unasked output is bounded too: a line too long or a flood is found whether or not an answer is awaited, and is
        heard from then on, for nobody reads on after it.
        """
        if self._excess is not None:
            return self._excess
        while self.awaits is not None:
            end = self.unjudged.find(b"\n")
            if end < 0:
                break
            line = bytes(self.unjudged[: end + 1])
            del self.unjudged[: end + 1]
            self.lines_read += 1
            if self._room > 0:
                self._keep(line)
            heard = self._judge(line)
            if heard is not None:
                self.give_up()
                return heard
        self._excess = self._overflow()
        return self._excess

    def finish(self) -> tuple[Line, ...]:
        """Stop reading. Returns the bot's lines in order, as far as they are kept; the rest is only counted."""
        while self.unjudged and self._room > 0:
            end = self.unjudged.find(b"\n") + 1 or len(self.unjudged)
            self.lines_read += 1
            self._keep(bytes(self.unjudged[:end]))
            del self.unjudged[:end]
        if self.unjudged:
            self.lines_read += self.unjudged.count(b"\n") + (not self.unjudged.endswith(b"\n"))
            self.unjudged.clear()
        return tuple(Line(after, size, start.decode("utf-8", "replace")) for after, size, start in self._kept)

    def _note_early(self) -> None:
        """Something is about to be asked: lines that are here already came before it."""
        waiting = self.unjudged.count(b"\n") - sum(count for _, count in self._early)
        if waiting:
            self._early.append([self.asked, waiting])

    def _keep(self, line: bytes) -> None:
        """Keep a line that has been taken from the buffer. Call this only while there is room."""
        after = self.asked
        if self._early:
            after = self._early[0][0]
            self._early[0][1] -= 1
            if not self._early[0][1]:
                self._early.popleft()
        start = line[:KEPT_OF_LINE]
        self._room -= max(LEAST_LINE, len(start))
        self._kept.append((after, len(line), start))

    def _judge(self, line: bytes) -> Heard | None:
        """What a whole line is; None when it answers nothing that was asked."""
        if len(line) > self._longest:
            return self._too_long(line)
        try:
            if self.awaits == READY:
                return decode_ready(line)
            answer = decode_answer(line)
        except BadLine as error:
            if not line.strip():
                self._stray = self._stray or _Stray()
                self._stray.had_blank_line = True
                return self._count_unasked()
            detail = printable(str(error), EXCERPT) + self._hint(line)  # the error may quote the line
            return Trouble(kind="bad_message", detail=detail, line=_excerpt(line))
        if answer.id == self.awaits:
            self._has_answered = True
            return answer
        stray = self._stray = self._stray or _Stray()
        stray.passed_over += 1
        if stray.passed_over == 1:
            stray.first_passed_over = line[: 4 * EXCERPT]
        return self._count_unasked()

    def _hint(self, line: bytes) -> str:
        """Advice about answers to `match`."""
        is_early = self.awaits != READY and not self._has_answered
        if is_early and line.lstrip()[:1] == b"{" and b'"id"' not in line and b'"action"' not in line:
            return "; if it is meant for `match`: nothing is answered to that message"
        return ""

    def _count_unasked(self) -> Trouble | None:
        self.unasked_lines += 1
        if self.unasked_lines > self._limits.spare_lines:
            return Trouble(kind="flood", detail=f"more than {self._limits.spare_lines} lines that answer no request")
        return None

    def _overflow(self) -> Trouble | None:
        """What is wrong with the length of what waits in the buffer; None where nothing is."""
        if len(self.unjudged) <= self._limits.line_bytes:
            return None
        if self.unjudged.find(b"\n", 0, self._limits.line_bytes) < 0:
            return self._too_long(bytes(self.unjudged[:EXCERPT]))
        if len(self.unjudged) > 16 * self._limits.line_bytes:
            return Trouble(kind="flood", detail=f"{len(self.unjudged)} bytes of output that nobody asked for")
        return None

    def _too_long(self, line: bytes) -> Trouble:
        detail = f"a line of more than {self._limits.line_bytes} bytes"
        return Trouble(kind="line_too_long", detail=detail, line=_excerpt(line))


def _excerpt(line: bytes) -> str:
    return printable(line[: 4 * EXCERPT].decode("utf-8", "replace").rstrip("\r\n"), EXCERPT)
