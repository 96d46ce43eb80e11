"""How lines to a bot are altered, as the protocol allows: other line ends, and what a later version may add.

Answers to what is altered can be judged as before, once the kinds of a later version have their present names again.
"""

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from protocol.codec import BadLine, decode_answer
from protocol.messages import Answer
from protocol.text import printable
from referee.play.faults import Trouble
from referee.play.talk.exchange import Reply
from referee.play.talk.inbox import EXCERPT

Alter = Callable[[bytes], bytes]
"""Makes another line from a line; both end in a newline."""

LATER = "later_"
"""How the names begin that a later version invents."""

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


def with_new_decision(line: bytes) -> bytes:
    """The request under the name of a decision that only a later version knows. The offers stay."""
    message = json.loads(line)
    if "decision" in message:
        message["decision"] = LATER + message["decision"]
    return _line(message)


def with_new_kinds(line: bytes) -> bytes:
    """The request with a decision and kinds of action that only a later version knows."""
    message = json.loads(with_new_decision(line))
    for offer in message.get("legal", ()):
        offer["kind"] = LATER + offer["kind"]
    return _line(message)


def padded(size: int) -> Alter:
    """Makes lines of exactly `size` bytes, by spaces before the last brace. Longer lines stay as they are."""

    def pad(line: bytes) -> bytes:
        return line.rstrip(b"\n")[:-1] + b" " * (size - len(line)) + b"}\n"

    return pad


def present(line: bytes) -> bytes:
    """A bot's line with the kinds of a later version under their present names; as it is where there are none."""
    if LATER.encode() not in line:
        return line
    try:
        fields = json.loads(line)
        for name in ("action", "then"):
            if fields.get(name):
                fields[name]["kind"] = fields[name]["kind"].removeprefix(LATER)
    except (ValueError, TypeError, KeyError, AttributeError):
        return line
    return _line(fields)


def understood(reply: Reply, line: bytes, *, are_renamed: bool) -> Reply:
    """The reply, where the line that was judged is an answer with a kind of a later version.

    Where the offers `are_renamed`, an answer with a present kind is none that was offered.
    """
    if isinstance(reply.heard, Answer) and are_renamed and LATER.encode() not in line:
        kind = reply.heard.action.__struct_config__.tag
        detail = f"only kinds that begin with `{LATER}` were offered; not `{kind}`"
        return replace(reply, heard=Trouble(kind="illegal_action", detail=detail))
    if not isinstance(reply.heard, Trouble) or reply.heard.kind != "bad_message":
        return reply
    if (known := present(line)) == line:
        return reply
    try:
        return replace(reply, heard=decode_answer(known))
    except BadLine as bad:
        return replace(reply, heard=replace(reply.heard, detail=printable(str(bad), EXCERPT)))


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
