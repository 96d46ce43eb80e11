"""How lines to a bot are altered, as the protocol allows: other line ends, and what a later version may add."""

import json
from collections.abc import Callable
from typing import Any

Alter = Callable[[bytes], bytes]
"""Makes another line from a line; both end in a newline."""

NEWS: dict[str, Any] = {"a": [1, None, "é €"], "b": {}, "c": 0.5, "d": True}
"""The value of a field that a later version adds."""

EVENTS: tuple[dict[str, Any], ...] = (
    {"event": "later_bid", "seat": 0, "points": 3},
    {"event": "later_weather", "cards": ["AS", None], "by": {"seat": 1}},
    {"event": "later_pause"},
)
"""What happens in a later version."""


def with_crlf(line: bytes) -> bytes:
    """The line as some systems end it."""
    return line.removesuffix(b"\n") + b"\r\n"


def with_new_fields(line: bytes) -> bytes:
    """The message with a new field in each of its objects that may have one, and its fields in another order."""
    message = json.loads(line)
    for name in ("limits", "clocks", "faults", "table"):
        if isinstance(message.get(name), dict):
            message[name] = {"later": NEWS, **message[name]}
    if "options" in message:
        message["options"]["later_option"] = "on"
    for name in ("events", "games"):
        message[name] = [{"later": NEWS, **one} for one in message[name]] if name in message else ()
        if name not in message or message[name] == ():
            message.pop(name)
    return _line({"later": NEWS, **dict(reversed(message.items())), "later_too": None})


def with_new_events(line: bytes) -> bytes:
    """The message with events that only a later version knows before, among and after its own."""
    message = json.loads(line)
    if "events" in message:
        first, second, third = EVENTS
        own = message["events"]
        message["events"] = [first, *own[: len(own) // 2], second, *own[len(own) // 2 :], third]
    return _line(message)


def padded(size: int) -> Alter:
    """Makes lines of exactly `size` bytes, by spaces before the last brace. Longer lines stay as they are."""

    def pad(line: bytes) -> bytes:
        return line.rstrip(b"\n")[:-1] + b" " * (size - len(line)) + b"}\n"

    return pad


def merged(withheld: list[bytes], data: bytes, table: bytes | None) -> bytes:
    """One delivery in place of several: the events of requests that were not put come with the next line.

    `table` is the table as it is now, where one of them has shown it.
    """
    lines = [line for one in withheld for line in one.splitlines(keepends=True)]
    ahead = [line for line in lines if not line.startswith(b'{"type":"request"')]
    *before, last = data.splitlines(keepends=True)
    message = json.loads(last)
    events = [event for line in lines if line not in ahead for event in json.loads(line)["events"]]
    message["events"] = events + message["events"]
    if table is not None and message["type"] == "request" and "table" not in message:
        message["table"] = json.loads(table)
    return b"".join([*ahead, *before, _line(message)])


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
