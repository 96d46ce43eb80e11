"""Whose fault it is when something goes wrong in a match: the bot's (Trouble) or the host's (HostFault)."""

import contextlib
import errno
from collections.abc import Iterator

from msgspec import Struct

from protocol.messages import FaultKind
from protocol.text import printable
from referee.errors import HOST_FAILED, GolfrefError


class Trouble(Struct, frozen=True, kw_only=True):
    """What a bot did wrong: the fault's kind, what to tell its author, and the start of the line, escaped."""

    kind: FaultKind
    detail: str
    line: str = ""


class HostFault(GolfrefError):
    """The referee or its host was at fault: the match is void and nobody is charged."""

    exit_code = HOST_FAILED


_SEE_DOCTOR = "`golfref doctor` says what this host lacks"
_LONGEST = 1000


def advised(fault: HostFault) -> str:
    """The text of a fault for the organiser, with what to do, and with nothing in it that steers a terminal."""
    text = printable(str(fault), _LONGEST)
    return text if _SEE_DOCTOR in text else f"{text}; {_SEE_DOCTOR}"


class Missing(HostFault):
    """This host lacks something: `reason` says what and why, and `remedy` how the organiser can get it."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason}; {remedy}")


OUT_OF_MEMORY = "the host ran out of memory"
"""How the text of every OutOfMemory begins."""


class NoRoom(HostFault):
    """The host has no room for another process now. That may be different a little later."""


class OutOfMemory(HostFault):
    """The kernel killed a bot because the host ran out of memory, and not because of a bound of the bot's own."""


_REMEDIES = {
    errno.EMFILE: "golfref may not open more files; raise `ulimit -n`, or play fewer matches at a time",
    errno.ENFILE: "the host can open no more files; end other programs",
    errno.ENOMEM: "the host has no memory left; end other programs, or play fewer matches at a time",
    errno.EAGAIN: "the host starts no more processes; raise `ulimit -u`, or play fewer matches at a time",
    errno.ENOSPC: "the disk is full (`df`), or bots that run as your own user have used up its watches of epoll "
    "(`sysctl fs.epoll.max_user_watches`); `golfref doctor` says how to give each bot a user id of its own",
}


@contextlib.contextmanager
def hosts_fault() -> Iterator[None]:
    """During the block, what the system refuses the referee is a HostFault, which says what can be done."""
    try:
        yield
    except OSError as error:
        raise HostFault(in_words(error)) from error
    except BaseExceptionGroup as group:
        if (inner := _of_host(group)) is None:
            raise
        raise HostFault(in_words(inner)) from group


def _of_host(error: BaseException) -> OSError | None:
    """The first error of the system, if the group holds nothing else."""
    if not isinstance(error, BaseExceptionGroup):
        return error if isinstance(error, OSError) else None
    inner = [_of_host(one) for one in error.exceptions]
    return inner[0] if all(inner) else None


def in_words(error: OSError) -> str:
    """What the system refused, and what can be done."""
    where = f" ({error.filename})" if error.filename else ""
    remedy = _REMEDIES.get(error.errno or 0, _SEE_DOCTOR)
    if error.errno == errno.ENOENT and not error.filename:  # as tempfile says that there is no folder
        remedy = "let TMPDIR name a folder that golfref may write"
    return f"the system refused the referee something: {error.strerror or error}{where}; {remedy}"
