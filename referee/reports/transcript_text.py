"""A bot's whole conversation, for its author: what the referee sent and what the bot wrote, with times.

`> ` begins a line to the bot, `< ` one from it, `! ` a fault where it happened, `# ` a remark of ours, and `| ` a line
of standard error. Remarks tell how long an answer took, and which lines answered nothing. Foreign text is escaped, so
that every line of the wire is one line here and steers no terminal.
"""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from protocol.actions import Action
from protocol.messages import Ready
from protocol.text import escaped_json, harmless
from referee.reports.bot_match import BotMatch, Entry, Faulted, Joined, Late, Sent, Took, Wrote

REMARKED_US = 2000
"""The referee is said to have looked at its pipes late when it was later than this."""


class WireLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of `transcript --json`, as in the files of protocol/transcripts: one line of the wire, or what was noted.

    It has `line` or `text`, or one of `played`, `fault`, `late` and `stderr`.
    """

    seat: int
    to: str | UnsetType = UNSET
    """`bot` or `referee`: who read the line."""
    us: float | UnsetType = UNSET
    """How long the answer took, in microseconds."""
    waived_us: int = 0
    limit_s: float | UnsetType = UNSET
    """The time for the answer."""
    line: Raw | UnsetType = UNSET
    """What was written, byte for byte, where that is JSON."""
    text: str | UnsetType = UNSET
    """What was written, where it is no JSON, or not all of it is kept."""
    size: int | UnsetType = UNSET
    """Bytes of the whole line, where only its start is kept."""
    ignored: str = ""
    played: Action | UnsetType = UNSET
    """The answer whose line is not kept, or which came along with the one before."""
    joined: bool = False
    fault: str | UnsetType = UNSET
    detail: str = ""
    forfeits: bool = False
    late: str | UnsetType = UNSET
    stderr: str | UnsetType = UNSET


def wire_lines(match: BotMatch) -> Iterator[str]:
    """The conversation in order with the bot's faults where they happened, then its standard error as it is kept."""
    if match.lag_us > REMARKED_US:
        yield f"# the referee looked at its pipes at worst {match.lag_us / 1000:.0f} ms late in this match"
    before: Entry | None = None
    for entry in match.wire:
        yield from entry_lines(entry, before)
        before = entry
    kept = sum(isinstance(entry, Wrote) for entry in match.wire)
    if kept < match.wrote_lines:
        yield f"# {match.wrote_lines} lines and {match.wrote_bytes} bytes came in all; {kept} lines are kept"
    if match.stderr_bytes:
        yield f"# standard error, {match.stderr_bytes} bytes:"
        yield from (f"| {harmless(line)}" for line in match.stderr.splitlines())


def entry_lines(entry: Entry, before: Entry | None = None) -> Iterator[str]:
    """An entry as text; `before` is the one before it."""
    match entry:
        case Sent():
            yield from (f"> {harmless(line)}" for line in lines_of(entry))
        case Wrote():
            yield f"< {harmless(entry.text.rstrip(chr(13) + chr(10)))}"
            if not entry.text.endswith("\n"):
                is_cut = len(entry.text.encode()) < entry.size
                yield f"# {'its start; it had' if is_cut else 'without a newline;'} {entry.size} bytes"
            if entry.ignored:
                yield f"# ignored: {entry.ignored}"
        case Took():
            if not isinstance(before, Wrote):
                yield f"# it answered {action_text(entry.action)}; its line is not kept"
            yield f"# {took_in_words(entry)}"
        case Joined():
            yield f"# its `then` was played: {action_text(entry.action)}"
        case Faulted():
            yield f"! {'forfeits: ' if entry.forfeits else ''}{entry.kind}: {harmless(entry.detail)}"
        case Late():
            yield f"# late, which is a pass and no fault; {harmless(entry.hint)}"


def wire_json(match: BotMatch) -> Iterator[bytes]:
    """The same as JSON lines: first what was played (BotMatch without its `wire`), then a WireLine for each line."""
    heading = msgspec.to_builtins(match)
    for name in ("wire", "stderr", "hello"):
        heading.pop(name)
    lines = [msgspec.json.encode(heading), *map(msgspec.json.encode, _wire_objects(match))]
    yield from (escaped_json(line.decode()).encode() for line in lines)


def lines_of(sent: Sent) -> list[str]:
    """The lines that were written at once, without their newlines."""
    return sent.text.removesuffix("\n").split("\n")


def took_in_words(took: Took) -> str:
    """How long an answer took: in a slap window as it counted, else as it was charged, and what was not."""
    if took.in_window:
        return f"{took.us / 1000:.3f} ms, corrected"
    waived = f", {took.waived_us / 1000:.3f} ms more not charged" if took.waived_us else ""
    return f"{took.us / 1000:.3f} ms{waived}"


def action_text(action: Action | Ready | None) -> str:
    """An action or `ready` as JSON."""
    return harmless(msgspec.json.encode(action).decode())


def _wire_objects(match: BotMatch) -> Iterator[WireLine]:
    waiting: WireLine | None = None
    """A line of the bot of which it is not known yet how long it took."""
    for entry in match.wire:
        if isinstance(entry, Took) and waiting is not None:
            yield replace(waiting, us=entry.us, waived_us=entry.waived_us)
            waiting = None
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if isinstance(entry, Wrote):
            waiting = _of_bot(match.seat, entry)
        else:
            yield from _objects(match.seat, entry)
    if waiting is not None:
        yield waiting
    if match.stderr_bytes:
        yield WireLine(seat=match.seat, stderr=match.stderr, size=match.stderr_bytes)


def _objects(seat: int, entry: Entry) -> Iterator[WireLine]:
    match entry:
        case Sent():
            *ahead, last = lines_of(entry)
            yield from (WireLine(seat=seat, to="bot", line=Raw(line.encode())) for line in ahead)
            limit_s = entry.limit_s if entry.awaits else UNSET
            yield WireLine(seat=seat, to="bot", limit_s=limit_s, line=Raw(last.encode()))
        case Took(action=action) if action is not None:
            yield WireLine(seat=seat, to="referee", us=entry.us, waived_us=entry.waived_us, played=action)
        case Joined():
            yield WireLine(seat=seat, to="referee", played=entry.action, joined=True)
        case Faulted():
            yield WireLine(seat=seat, fault=entry.kind, detail=entry.detail, forfeits=entry.forfeits)
        case Late():
            yield WireLine(seat=seat, late=entry.hint)


def _of_bot(seat: int, wrote: Wrote) -> WireLine:
    said = WireLine(seat=seat, to="referee", ignored=wrote.ignored)
    text = wrote.text.rstrip("\r\n")
    if wrote.text.endswith("\n") and _is_json(text):
        return replace(said, line=Raw(text.encode()))
    size = wrote.size if len(wrote.text.encode()) < wrote.size else UNSET
    return replace(said, text=wrote.text, size=size)


def _is_json(text: str) -> bool:
    """Whether a text is one JSON value, with nothing in it that has to be escaped."""
    if not text.isprintable():
        return False
    try:
        msgspec.json.decode(text.encode())
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return False
    return True
