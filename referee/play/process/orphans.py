"""The processes of a referee as a whole: its bots, and what escapes from them. Nothing of it is left at the end.

On Linux the referee is the subreaper of its descendants: it inherits, finds and ends a process that left its bot.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator

from referee.play.process import cleanup_guard
from referee.play.process.usage import lives, own_children, session_of

_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36

POLL_S = 0.0001

_children: set[int] = set()
"""The processes that we started and have not reaped."""

_inherits = False


def register(pid: int) -> None:
    """Note that this child leads a bot's process group from now on."""
    _children.add(pid)
    cleanup_guard.watch(pid)


def unregister(pid: int) -> None:
    """Note that this child has been reaped."""
    _children.discard(pid)
    cleanup_guard.forget(pid)


@contextlib.contextmanager
def nothing_left_behind() -> Iterator[None]:
    """During the block, bots and what they start end with this process at the latest; it may have no other children.

    On Linux this process inherits the orphans of its bots (elsewhere they go to init), `end_orphans_now` kills every
    child that is no bot, and processes of the same user can no longer read its memory or see its open files.
    """
    with cleanup_guard.cleanup_guard() as pid:
        _children.add(pid)
        _prepare()
        try:
            yield
        finally:
            _children.discard(pid)


def _prepare() -> None:
    global _inherits  # noqa: PLW0603 - it is a property of the process
    if sys.platform == "linux":
        _inherits = ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def take_name(name: str) -> None:
    """On Linux: lists of processes show this one by this name, of at most 15 bytes."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def end_orphans_now(*, patience_s: float = 0.0) -> bool:
    """Kill and reap inherited descendants of bots, within `nothing_left_behind` only. False if some are left.

    A process in the session of a bot that still plays belongs to that bot, and is ended with it. Nothing else goes on
    in this process meanwhile: shutdown.py has the same for trio's loop.
    """
    end = time.monotonic() + patience_s
    while _inherits and (orphans := _orphans()):
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() >= end:
            return not _orphans()
        time.sleep(POLL_S)  # they need a core to die, perhaps the one that we are on
    return True


def left_by(pid: int) -> set[int]:
    """The processes that live on where a bot with this process id has ended and has not been reaped.

    It is what we have inherited from it, so within `nothing_left_behind` and on Linux only. A process with a session of
    its own is among those of every bot, since nothing shows whose it was. What is dead or dying is not among them.
    """
    inherited = _orphans() | {child for child in own_children() - _children if session_of(child) == pid}
    return {child for child in inherited if lives(child)} if _inherits else set()


def _orphans() -> set[int]:
    return {pid for pid in own_children() - _children if session_of(pid) not in _children}
