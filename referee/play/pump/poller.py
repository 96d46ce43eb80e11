"""Descriptors, and what is to be done when they are ready: epoll where the system has it, else what `selectors` finds.

`selectors` alone would do, but it makes two objects for each answer of a bot. Measured, a decision then costs the
referee 5 % more CPU with one match and 3 % more with four (medians of 40 runs each, in turns).

The kernel bounds the watches of epoll for each user of the host (`fs.epoll.max_user_watches`), and a bot of the same
user can use them up. So a descriptor is added once, before its match; to watch it or not then takes no further watch.
One that cannot be added is looked at with poll(2), which takes none, until it can.
"""

import contextlib
import errno
import math
import select
import selectors
import sys
import time
from collections.abc import Callable

from referee.play.bot.accounts import USED_UP

Handler = Callable[[int], None]
"""Takes the time at which its descriptor was seen to be ready, in nanoseconds of time.monotonic_ns."""

MOST = 64
"""How many descriptors are looked at between two looks at the clock."""

TRY_AGAIN_S = 0.1
"""Time between two tries to add what could not be added."""


class Poller:
    """Watches descriptors, each for being readable or for being writable."""

    def __init__(self) -> None:
        self.handlers: dict[int, Handler] = {}
        """The handlers of the descriptors that are watched now, by descriptor."""
        self._owners: dict[int, object] = {}
        """Whose each descriptor is that has been added."""
        self._left_out: dict[int, int] = {}
        """The descriptors that could not be added, each with what it is watched for, or 0."""
        self._plain = select.poll()
        """Watches those of `_left_out` that are watched for something, and what is behind `fileno`."""
        self._try_again_at = 0.0
        if sys.platform == "linux":
            self._backend = select.epoll()
            self._readable, self._writable, self._nothing = select.EPOLLIN, select.EPOLLOUT, select.EPOLLONESHOT
        else:
            self._backend = _Selector()
            self._readable, self._writable, self._nothing = selectors.EVENT_READ, selectors.EVENT_WRITE, 0
        self._plain.register(self._backend.fileno(), select.POLLIN)

    @property
    def leaves_out(self) -> bool:
        """Whether a descriptor is watched that `fileno` does not tell of."""
        return any(self._left_out.values())

    def add(self, fd: int, owner: object) -> None:
        """Take a descriptor in, which is not watched yet. The kernel forgets it by itself when it is closed."""
        if self._owners.get(fd) is owner:
            return
        self._owners[fd] = owner
        self.handlers.pop(fd, None)
        self._leave_in(fd)
        if not self._is_added(fd, self._nothing):
            self._left_out[fd] = 0

    def drop(self, owner: object) -> None:
        """Forget this owner's descriptors, but not those whose numbers are another's by now."""
        for fd in [fd for fd, its in self._owners.items() if its is owner]:
            self.forget(fd)
            del self._owners[fd]
            if self._left_out.pop(fd, None) is None:
                with contextlib.suppress(OSError, KeyError, ValueError):  # it is closed
                    self._backend.unregister(fd)

    def watch(self, fd: int, handler: Handler, *, writable: bool = False) -> None:
        """Watch a descriptor that has been added, unless it is watched already."""
        if fd in self.handlers:
            return
        mask = self._writable if writable else self._readable
        if fd in self._left_out and self._is_added(fd, mask):
            del self._left_out[fd]
        elif fd in self._left_out:
            self._left_out[fd] = mask
            self._plain.register(fd, select.POLLOUT if writable else select.POLLIN)
        else:
            self._backend.modify(fd, mask)
        self.handlers[fd] = handler

    def forget(self, fd: int) -> None:
        """Stop watching a descriptor. Call this before the descriptor is closed."""
        if self.handlers.pop(fd, None) is None:
            return
        if fd in self._left_out:
            self._leave_in(fd)
            self._left_out[fd] = 0
        else:
            self._backend.modify(fd, self._nothing)

    def poll(self, timeout_s: float) -> list[tuple[int, int]]:
        """Wait for `timeout_s` at most; returns what is ready, each descriptor first in its pair."""
        if self._left_out:
            return self._poll_all(timeout_s)
        return self._backend.poll(timeout_s, MOST)

    def fileno(self) -> int:
        """A descriptor that is readable while one that is watched is ready, but for those that are left out."""
        return self._backend.fileno()

    def close(self) -> None:
        """Stop watching all descriptors."""
        self._backend.close()

    def _poll_all(self, timeout_s: float) -> list[tuple[int, int]]:
        """Poll what is added and what is left out."""
        self._try_again()
        ready = self._plain.poll(math.ceil(timeout_s * 1000))
        return [one for one in ready if one[0] in self._left_out] + self._backend.poll(0, MOST)

    def _try_again(self) -> None:
        """Now and then, add what could not be added."""
        if time.monotonic() < self._try_again_at:
            return
        self._try_again_at = time.monotonic() + TRY_AGAIN_S
        for fd, mask in list(self._left_out.items()):
            if not self._is_added(fd, mask or self._nothing):
                return
            self._leave_in(fd)

    def _is_added(self, fd: int, mask: int) -> bool:
        """Try to add a descriptor; returns False where there is no further watch."""
        try:
            self._backend.register(fd, mask)
        except OSError as error:
            if error.errno == errno.EEXIST:
                self._backend.modify(fd, mask)
            elif error.errno in USED_UP:
                return False
            else:
                raise
        return True

    def _leave_in(self, fd: int) -> None:
        """Do not leave this descriptor out any more."""
        if self._left_out.pop(fd, None):
            with contextlib.suppress(KeyError):
                self._plain.unregister(fd)


class _Selector:
    """What `selectors` finds on this system, with those methods of epoll that are needed here."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self.close = self._selector.close

    def register(self, fd: int, mask: int) -> None:
        """A selector keeps nothing of a descriptor that is watched for nothing."""
        if mask:
            self._selector.register(fd, mask)

    def modify(self, fd: int, mask: int) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(fd)
        self.register(fd, mask)

    def unregister(self, fd: int) -> None:
        self._selector.unregister(fd)

    def poll(self, timeout_s: float, _: int) -> list[tuple[int, int]]:
        return [(key.fd, mask) for key, mask in self._selector.select(timeout_s)]

    def fileno(self) -> int:
        return self._selector.fileno()  # type: ignore[attr-defined, no-any-return, unused-ignore] # kqueue has one
