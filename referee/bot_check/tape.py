"""All that passes between referee and bot in one match, as it stood on the wire, and how the end of it is shown."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from protocol.messages import Limits
from protocol.text import printable
from referee.play.talk.inbox import Heard, Inbox

SHOWN_LINES = 6
"""How many lines before a fault are shown."""

SHORT = 400
"""Longer lines of the referee are shortened."""

LONGEST_SHOWN = 1000
"""How many characters of such a line are shown."""


class Entry(NamedTuple):
    """A line on the wire, newline included where it had one."""

    is_sent: bool
    line: bytes


class Tape(Inbox):
    """An inbox that remembers every line in both directions."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.entries: list[Entry] = []
        self.heard: list[bytes] = []
        """The whole lines of the bot. The first `lines_read` of them have been judged."""
        self.heard_at: list[int] = []
        """The places of these lines among the entries."""
        self._part = b""

    def note_sent(self, data: bytes) -> None:
        """Remember what has been written to the bot."""
        self.entries += [Entry(True, line) for line in data.splitlines(keepends=True)]

    def take(self, data: bytes) -> Heard | None:
        """Do what an inbox does, and remember."""
        *lines, self._part = (self._part + data).split(b"\n")
        for line in lines:
            self.heard_at.append(len(self.entries))
            self.entries.append(Entry(False, line + b"\n"))
            self.heard.append(line + b"\n")
        return super().take(data)

    @property
    def part(self) -> bytes:
        """What came after the last newline."""
        return self._part

    def said_before(self, at: int) -> str:
        """The type of the referee's last message before the entry of this number; empty where there was none.

        It is `match or end` where both came together.
        """
        sent = [entry.line for entry in self.entries[:at] if entry.is_sent]
        said = [str(json.loads(line)["type"]) for line in sent[-2:]]
        if said[-2:] == ["match", "end"]:  # the dice have played the whole match, so both came together
            return "match or end"
        return said[-1] if said else ""

    def last_lines(self) -> tuple[str, ...]:
        """The end of the conversation for people, each line cut where it is long."""
        shown = [_shown(entry) for entry in self.entries[-SHOWN_LINES:]]
        if self._part:
            shown.append(f"< {printable(self._part.decode('utf-8', 'replace'), LONGEST_SHOWN)} (no newline yet)")
        return tuple(shown)


def _shown(entry: Entry) -> str:
    text = entry.line.decode("utf-8", "replace").rstrip("\n")
    if entry.is_sent and len(text) > SHORT:
        text = _shortened(text)
    return f"{'>' if entry.is_sent else '<'} {printable(text, LONGEST_SHOWN)}"


def _shortened(text: str) -> str:
    """A line of the referee in which long values are only counted, so that what is asked can be read."""
    message: dict[str, Any] = json.loads(text)
    if len(events := message.get("events", ())) > 1:
        names = list(dict.fromkeys(event["event"] for event in events[:-1]))
        message["events"] = [f"... {len(events) - 1} more: {', '.join(names)} ...", events[-1]]
    for name in ("table", "options", "values", "rules", "games", "later"):
        if name in message:
            message[name] = "..."
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def messages(lines: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """The referee's messages among these lines."""
    for entry in lines:
        if entry.is_sent:
            yield json.loads(entry.line)
