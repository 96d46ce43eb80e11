"""Keeping quiet what could disturb a timed slap window: other bots, the other workers of a run, other referees.

What is timed, and how, is the business of race.py.
"""

import contextlib
import fcntl
import itertools
import os
import select
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from referee.play.bot.channel import Channel
from referee.play.bot.process import BotProcess
from referee.play.bot.procfs import states
from referee.play.slaps.wakers import Wakers

ANSWER_S = 0.05
"""So soon another worker must say that its bots are still; else the window is marked as disturbed."""

LONGEST_STILL_S = 5.0
"""A worker does not stand still for longer at a time, whatever became of the one that asked for it."""

REST_NS = 5_000_000
"""So long it may take until a bot stands still."""

LOOK_S = 20e-6
"""Time between two looks at a bot that is about to come to rest."""

NO_LOCK = "another referee may have been timing on this host"
NOT_AT_REST = "a bot could not be held still in time"
NOT_ALONE = "another worker was not still in time"

_STANDING = frozenset("TtZX")
"""States of a task: stopped, traced, ended."""

_GO_ON = 0
_REPLY = 128
"""Added to a request's number: our bots are still."""


@contextlib.contextmanager
def quiet(
    everyone: Iterable[Channel], wakers: Wakers, neighbours: "Neighbours | None", *, has_lock: bool
) -> Iterator[list[str]]:
    """For the duration of the block all bots stand, ours and the neighbours', and this thread has a core at once.

    Yields why that is in doubt. Neighbours are asked to be still only by who has the host's lock.
    """
    doubts = [] if has_lock else [NO_LOCK]
    asked = neighbours if has_lock else None
    with wakers.awake(), before_all_others():
        try:
            if asked is not None:
                asked.begin()
            with held_still(everyone) as at_rest:
                doubts += [] if at_rest else [NOT_AT_REST]
                doubts += [NOT_ALONE] if asked is not None and not asked.are_still() else []
                yield doubts
        finally:
            if asked is not None:
                asked.end()


@contextlib.contextmanager
def before_all_others() -> Iterator[None]:
    """This thread goes before all ordinary ones, where that is allowed; what it starts does not."""
    if not hasattr(os, "SCHED_FIFO"):
        yield
        return
    former = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        try:
            os.sched_setscheduler(0, *former)
        except OSError:  # only root takes the flag back; what we start is ordinary in any case
            with contextlib.suppress(OSError):
                os.sched_setscheduler(0, former[0] | os.SCHED_RESET_ON_FORK, former[1])


@contextlib.contextmanager
def held_still(channels: Iterable[Channel]) -> Iterator[bool]:
    """Freeze these bots, and stop their clocks, for the duration of the block; yields whether those that owe an answer
    have come to rest. Who is held until the next line to it by then is not let go on.
    """
    frozen = [(channel, channel.process) for channel in channels if channel.process is not None]
    start_ns = time.monotonic_ns()
    for _, process in frozen:
        process.freeze()
    at_rest = [bring_to_rest(process) for channel, process in frozen if channel.is_busy()]
    try:
        yield all(at_rest)
    finally:
        held_ns = time.monotonic_ns() - start_ns
        for channel, process in frozen:
            if not channel.is_held():
                process.thaw()
            channel.shift_clock(held_ns)


def bring_to_rest(process: BotProcess) -> bool:
    """Stop all of the bot, and wait until it stands; False where it does not in time."""
    end_ns = time.monotonic_ns() + REST_NS
    process.freeze()
    while states(process.members()) - _STANDING:
        if time.monotonic_ns() > end_ns:
            return False
        time.sleep(LOOK_S)
        process.freeze()  # what it has started meanwhile
    return True


class HostLock:
    """One timed window at a time on this host, whatever number of referees run."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _shared_folder() / "golfref-timing.lock"
        self._fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock; False while another referee has it, and where its file cannot be opened."""
        if self._fd is None:
            self._fd = _open_shared(self._path)
        if self._fd is None:
            return False
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    @property
    def is_there(self) -> bool:
        """Whether its file could be opened, so that it can be waited for."""
        return self._fd is not None

    def release(self) -> None:
        """Give the lock up."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock's file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _shared_folder() -> Path:
    """Where whoever uses this host may have files; somewhere that does not exist if nothing can be written at all."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return Path("/nowhere")


def _open_shared(path: Path) -> int | None:
    """A file that whoever uses this host can open and lock, reading being enough for that; None where it cannot be."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        return os.open(path, flags)
    with contextlib.suppress(OSError):
        fd = os.open(path, flags | os.O_CREAT, 0o644)
        os.fchmod(fd, 0o644)  # whatever the umask says
        return fd
    return None


# The other workers of a run


def neighbourhood(workers: int) -> list[list[int]]:
    """For each worker of a run the descriptors that join it to the others, to be passed to its process.

    Whoever starts the workers closes its own copies then: a worker that is gone shows by the end of its descriptor.
    Raises OSError, and leaves none open, where there may not be so many.
    """
    ends: list[list[int]] = [[] for _ in range(workers)]
    try:
        for one, other in itertools.combinations(ends, 2):
            pair = socket.socketpair()
            for end, side in zip(pair, (one, other), strict=True):
                side.append(end.detach())
    except OSError:
        for fd in itertools.chain(*ends):
            os.close(fd)
        raise
    return ends


def _readable(fds: Iterable[int], end: float) -> list[int]:
    """Those with something to read, or at their end, as soon as there are any; none at that time of time.monotonic.

    Unlike select.select it takes descriptors of any number.
    """
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return [fd for fd, _ in poll.poll(max(0.0, end - time.monotonic()) * 1000)]


class Neighbours:
    """The other workers of a run, as one of them sees them. It takes the descriptors over; `close` closes all of them.

    A byte is a message: 1 to 127, a request to be still; that number and 128, the reply; 0, go on. Only the worker
    that has the host's lock asks. Who has never said anything has not begun to work, and is not waited for.
    """

    def __init__(self, fds: Sequence[int]) -> None:
        self.fds = list(fds)
        """Of those that are there; to be watched for what they ask."""
        self._all = tuple(fds)
        self._number = 0
        self._heard: dict[int, int] = {}
        """By descriptor, the last request of ours that was answered."""
        self._asking: dict[int, int] = {}
        """By descriptor, its request that we be still."""
        for fd in self.fds:
            os.set_blocking(fd, False)
        self._tell(_GO_ON)

    def begin(self) -> None:
        """Ask all others to be still; to be called by the worker that has the host's lock."""
        for fd in list(self.fds):
            self.read(fd)
        self._number = self._number % (_REPLY - 1) + 1
        self._tell(self._number)

    def are_still(self) -> bool:
        """Wait until all have said so; False if one did not in time."""
        end = time.monotonic() + ANSWER_S
        while waiting := [fd for fd in self.fds if self._heard.get(fd, self._number) != self._number]:
            ready = _readable(waiting, end)
            for fd in ready:
                self.read(fd)
            if not ready:
                return False
        return True

    def end(self) -> None:
        """Let the others go on."""
        self._tell(_GO_ON)

    def read(self, fd: int) -> None:
        """Take what a worker has said; one that is gone is neither asked nor listed any more."""
        try:
            said = os.read(fd, 4096)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if not said:
            self._drop(fd)
        for byte in said:
            if byte > _REPLY or byte == _GO_ON:
                self._heard[fd] = byte % _REPLY or self._heard.get(fd, _GO_ON)
            if byte < _REPLY:
                self._asking.pop(fd, None)
            if _GO_ON < byte < _REPLY:
                self._asking[fd] = byte

    def wants_stillness(self) -> bool:
        """Whether another worker is timing, or about to."""
        return bool(self._asking)

    def stand_still(self, *, at_rest: bool = True) -> None:
        """Say that our bots are still, if so, and sleep until all who asked let us go on, or have been too long."""
        end = time.monotonic() + LONGEST_STILL_S
        said: dict[int, int] = {}
        while self._asking:
            for fd, number in self._asking.items():
                if at_rest and said.get(fd) != number:
                    self._send(fd, _REPLY + number)
            said = dict(self._asking)
            ready = _readable(self._asking, end)
            for fd in ready:
                self.read(fd)
            if not ready:
                self._asking.clear()

    def close(self) -> None:
        """Leave the run."""
        for fd in self._all:
            os.close(fd)
        self._all, self.fds = (), []

    def _tell(self, byte: int) -> None:
        for fd in list(self.fds):
            self._send(fd, byte)

    def _send(self, fd: int, byte: int) -> None:
        """Who is gone is found out by reading; who does not read for so long that nothing more fits is not there."""
        with contextlib.suppress(OSError):
            os.write(fd, bytes([byte]))

    def _drop(self, fd: int) -> None:
        """Nobody is at the other end. It stays open, so that who watches it can learn that from `fds`."""
        self.fds = [other for other in self.fds if other != fd]
        self._asking.pop(fd, None)
        self._heard.pop(fd, None)
