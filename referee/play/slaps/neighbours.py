"""The other workers of a run, which keep their bots quiet while one of them times slaps."""

import contextlib
import itertools
import os
import select
import socket
import time
from collections.abc import Iterable, Sequence

ANSWER_S = 0.05
"""So soon another worker must say that its bots are still; else the window is marked as disturbed."""

LONGEST_STILL_S = 5.0
"""A worker does not stand still for longer at a time, whatever became of the one that asked for it."""

_GO_ON = 0
_REPLY = 128
"""Added to a request's number: our bots are still."""


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
