"""A process from which the workers of a run are forked, so that each has imported everything when it begins.

It is forked from the command itself, before that has read a config, a key or a store, and while it has one thread and
no loop: so it knows no more than a worker that is started anew. It keeps no open file but its line to the command,
and ends with that. Where there is none, as on macOS, workers are started anew.
"""

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence

from referee.play.process import orphans

PATIENCE_S = 5.0
"""How long it may take to fork a worker; if it takes longer, workers are started anew."""

COLLECTED_AFTER = (700, 10, 10)
"""How often a worker looks for garbage: as Python does by itself."""

_MESSAGE_BYTES = 4096

Work = Callable[[Sequence[str]], None]
"""What a worker does, given the words that it is started with."""

_on_duty: list["_Hatchery"] = []
"""The one that there is, if any."""


class Hatched:
    """A worker that was forked. It is a child of this process, as if it had been started anew."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, or the signal that killed it as a negative number; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class _Hatchery:
    """The process, as the command sees it."""

    def __init__(self, work: Work) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        gc.freeze()  # what both have is not looked through for garbage, which would copy it
        self._pid = os.fork()
        if self._pid == 0:
            self._line.close()
            _leave_after(lambda: _tend(theirs, work))
        theirs.close()
        orphans.register(self._pid)

    def hatch(self, words: Sequence[str], fds: Sequence[int]) -> Hatched:
        """Have a worker forked. Raises OSError and ValueError where that fails."""
        socket.send_fds(self._line, ["\0".join(words).encode()], fds)
        answer = select.poll()
        answer.register(self._line, select.POLLIN)
        if not answer.poll(1000 * PATIENCE_S):
            raise TimeoutError
        return Hatched(int(self._line.recv(32)))

    def close(self) -> None:
        """End it. It has nothing to lose."""
        self._line.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        orphans.unregister(self._pid)


@contextlib.contextmanager
def hatchery(work: Work) -> Iterator[None]:
    """A hatchery for the duration of the block, on Linux. Its workers do this `work`.

    This process may have one thread only, and know nothing yet that workers must not know.
    """
    if sys.platform != "linux":
        yield
        return
    one = _Hatchery(work)
    _on_duty.append(one)
    try:
        yield
    finally:
        _on_duty.clear()
        one.close()


def hatch(words: Sequence[str], orders: int, reports: int) -> Hatched | None:
    """A worker that does this and reads its orders and writes its reports there; None where none can be forked.

    For use within `nothing_left_behind`, which makes it a child of this process. The caller registers it first of all.
    """
    for one in _on_duty:
        try:
            return one.hatch(words, [orders, reports])
        except (OSError, ValueError):
            _on_duty.clear()  # should it fork one nevertheless, that finds no orders
    return None


# In the hatchery itself


def _tend(line: socket.socket, work: Work) -> None:
    """Fork a worker for each message, until no more can come."""
    os.setsid()  # what a terminal sends is for the command
    for fd in map(int, os.listdir("/proc/self/fd")):
        # What a new program would not have either. The others are not the command's: it has opened nothing yet.
        with contextlib.suppress(OSError):
            if fd > 2 and os.get_inheritable(fd):
                os.close(fd)
    orphans.hide()
    while True:
        message, fds, _, _ = socket.recv_fds(line, _MESSAGE_BYTES, 2)
        if not message:
            return
        line.send(_forked(message.decode().split("\0"), fds, line, work))
        for fd in fds:
            os.close(fd)


def _forked(words: Sequence[str], fds: Sequence[int], line: socket.socket, work: Work) -> bytes:
    """The process id of a new worker in words, once the command is its parent; empty where none can be forked.

    It is forked by a process that ends at once: the command inherits it, and waits for it as for all others.
    """
    read, write = os.pipe()
    between = -1
    with contextlib.suppress(OSError):
        between = os.fork()
    if between == 0:
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                line.close()
                os.close(read)
                os.setsid()
                os.write(write, str(os.getpid()).encode())
                os.close(write)
                _leave_after(lambda: _begin(words, fds, work))
        os._exit(0)
    if between > 0:
        os.waitpid(between, 0)
    os.close(write)
    with open(read, "rb") as told:
        return told.read()


def _begin(words: Sequence[str], fds: Sequence[int], work: Work) -> None:
    """Be a worker."""
    for fd, standard in zip(fds, (0, 1), strict=True):
        os.dup2(fd, standard)
        os.close(fd)
    gc.set_threshold(*COLLECTED_AFTER)
    work(words)


def _leave_after(work: Callable[[], None]) -> None:
    """Do this and end the process, as Python does after a program. What the command does at its end is not done."""
    code = 1
    try:
        work()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else leaving.code is not None
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(code)
