"""The other workers of a run, which freeze their bots while one of them times slaps."""

import contextlib
import itertools
import os
import select
import socket
import time
from collections.abc import Iterable, Sequence

ANSWER_S = 0.05
"""How soon another worker must say that its bots are frozen; after that the window is marked as disturbed."""

LONGEST_FREEZE_S = 5.0
"""A worker does not keep its bots frozen for longer at a time, whatever became of the worker that asked for it."""

HAND_OVER_S = 0.002
"""How soon a worker whose window comes next must ask, once the others have heard that they may go on."""

_GO_ON = 0
_NUMBERS = 64
"""Requests have numbers below this."""
_FROZEN = 64
"""What is added to a request's number to make the reply, which says that our bots are frozen."""
_WAITS = 128
"""What is added instead where a window of ours waits too."""


def neighbourhood(workers: int) -> list[list[int]]:
    """For each worker of a run the descriptors that join it to the others, to be passed to its process.

    Whoever starts the workers then closes its own copies, so that a descriptor ends when the worker behind it is gone.
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
    """The descriptors that can be read or have ended, as soon as there are any; none if there are none until `end`.

    `end` is a time of time.monotonic. Unlike select.select this takes descriptors of any number.
    """
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    return [fd for fd, _ in poll.poll(max(0.0, end - time.monotonic()) * 1000)]


class Neighbours:
    """The other workers of a run, as one of them sees them. It takes the descriptors over; `close` closes all of them.

    Each byte is a message: 1 to 63 is a request to freeze, and 0 means to go on. The reply is that number and 64, or
    128 where a window of the worker that replies waits too, which `hand_over` heeds.
    Only the worker that has the host's lock asks. A worker that has never said anything has not begun to work, and
    nobody waits for it.
    """

    def __init__(self, fds: Sequence[int]) -> None:
        self.fds = list(fds)
        """The descriptors of the workers that are there; the pump watches them for requests."""
        self._all = tuple(fds)
        self._number = 0
        self._replies: dict[int, int] = {}
        """The last reply of each worker, by descriptor; _GO_ON where it works, and has replied to nothing yet."""
        self._requests: dict[int, int] = {}
        """The open request of each worker that we freeze our bots, by descriptor."""
        for fd in self.fds:
            os.set_blocking(fd, False)
        self._tell(_GO_ON)

    def ask_to_freeze(self) -> None:
        """Ask all others to freeze their bots; for the worker that has the host's lock."""
        for fd in list(self.fds):
            self.read(fd)
        self._number = self._number % (_NUMBERS - 1) + 1
        self._tell(self._number)

    def have_frozen(self) -> bool:
        """Wait until all have said that their bots are frozen; returns False if one did not in time."""
        end = time.monotonic() + ANSWER_S
        while waiting := [fd for fd in self.fds if self._replies.get(fd, self._number) % _NUMBERS != self._number]:
            ready = _readable(waiting, end)
            for fd in ready:
                self.read(fd)
            if not ready:
                return False
        return True

    def let_go_on(self) -> None:
        """Tell the others that their bots may go on."""
        self._tell(_GO_ON)

    def hand_over(self) -> None:
        """Let the others go on, and keep our bots frozen for one that times its window right after ours.

        So neither side thaws its bots to freeze them again at once. For the worker that has asked the others, and has
        given the host's lock up. It does nothing where no window of theirs waits.
        """
        if not any(self._replies.get(fd) == _WAITS + self._number for fd in self.fds):
            return
        self.let_go_on()
        end = time.monotonic() + HAND_OVER_S
        while self.fds and not self._requests and (ready := _readable(self.fds, end)):
            for fd in ready:
                self.read(fd)
        self.stay_frozen()

    def read(self, fd: int) -> None:
        """Take what a worker has said. One that is gone is neither asked nor listed any more."""
        try:
            said = os.read(fd, 4096)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if not said:
            self._drop(fd)
        for byte in said:
            if byte >= _FROZEN:
                self._replies[fd] = byte
                continue
            self._requests.pop(fd, None)
            if byte != _GO_ON:
                self._requests[fd] = byte
            else:
                self._replies.setdefault(fd, _GO_ON)

    def want_freeze(self) -> bool:
        """Whether another worker is timing, or about to."""
        return bool(self._requests)

    def stay_frozen(self, *, all_frozen: bool = True, is_next: bool = False) -> None:
        """Say that our bots are frozen, if all are, and sleep until every worker that asked lets us go on.

        `is_next`: say too that a window of ours waits. This sleeps for LONGEST_FREEZE_S at most.
        """
        end = time.monotonic() + LONGEST_FREEZE_S
        answered: dict[int, int] = {}
        while self._requests:
            for fd, number in self._requests.items():
                if all_frozen and answered.get(fd) != number:
                    self._send(fd, (_WAITS if is_next else _FROZEN) + number)
            answered = dict(self._requests)
            ready = _readable(self._requests, end)
            for fd in ready:
                self.read(fd)
            if not ready:
                self._requests.clear()

    def close(self) -> None:
        """Leave the run."""
        for fd in self._all:
            os.close(fd)
        self._all, self.fds = (), []

    def _tell(self, byte: int) -> None:
        for fd in list(self.fds):
            self._send(fd, byte)

    def _send(self, fd: int, byte: int) -> None:
        """Send a byte. A full buffer counts as gone; that a worker is gone shows when it is read."""
        with contextlib.suppress(OSError):
            os.write(fd, bytes([byte]))

    def _drop(self, fd: int) -> None:
        """Take a worker that has gone out of `fds`. Its descriptor stays open until `close`."""
        self.fds = [other for other in self.fds if other != fd]
        self._requests.pop(fd, None)
        self._replies.pop(fd, None)
