"""Whose fault it is when something goes wrong in a match: the bot's (Trouble) or the host's (HostFault)."""

from msgspec import Struct

from protocol.messages import FaultKind


class Trouble(Struct, frozen=True, kw_only=True):
    """What a bot did wrong: the fault's kind, what to tell its author, and the start of the line, escaped."""

    kind: FaultKind
    detail: str
    line: str = ""


class HostFault(Exception):
    """The referee or its host was at fault: the match is void and nobody is charged."""


class OutOfMemory(HostFault):
    """The kernel killed a bot because the host ran out of memory, and not because of a bound of the bot's own."""
