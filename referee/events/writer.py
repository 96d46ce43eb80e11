"""Lines for a reader that may be slow, hang or be gone: lines wait up to a bound, and the writer never waits."""

import contextlib
import errno
import os
import select
import threading
import time
from collections import deque

from referee.events.events import End, Event, LeftOut, line_of

MOST_WAITING = 2000
"""So many lines wait at most."""

_AT_ONCE = select.PIPE_BUF
"""A pipe that can be written to takes so many bytes without waiting."""


class NonBlockingWriter:
    """Writes events to one descriptor. Several threads may put events."""

    def __init__(self, fd: int) -> None:
        """The descriptor stays its owner's, who closes it."""
        self.problem = ""
        """Why nothing is written any more; empty as long as it is."""
        self.left_out = 0
        """How many events were left out, because too many waited."""
        self._fd = fd
        self._waiting: deque[bytes] = deque()
        self._begun = memoryview(b"")
        """The rest of the line that is being written."""
        self._missing = 0
        """How many events were left out since the last one that was not."""
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many lines are not written yet."""
        return len(self._waiting) + bool(self._begun)

    def put(self, event: Event) -> None:
        """Write an event, or let it wait. Where too many wait it is left out, unless it is the end."""
        with self._lock:
            if self.problem:
                return
            self._flush()
            if len(self._waiting) >= MOST_WAITING and not isinstance(event, End):
                self._missing += 1
                self.left_out += 1
                return
            if self._missing:
                self._waiting.append(line_of(LeftOut(lines=self._missing)))
                self._missing = 0
            self._waiting.append(line_of(event))
            self._flush()

    def finish(self, patience_s: float) -> bool:
        """Write what waits, within `patience_s`. Returns whether all of it was written."""
        end = time.monotonic() + patience_s
        with self._lock:
            self._flush()
            while not self.problem and self.waiting and (left_s := end - time.monotonic()) > 0:
                self._is_ready(left_s)
                self._flush()
            return not self.problem and not self.waiting

    def _flush(self) -> None:
        """Write as much as can be written without waiting."""
        try:
            while self.waiting and self._is_ready(0):
                if not self._begun:
                    self._begun = memoryview(self._waiting.popleft())
                self._begun = self._begun[os.write(self._fd, self._begun[:_AT_ONCE]) :]
        except BlockingIOError:
            return
        except OSError as error:
            is_gone = error.errno == errno.EPIPE
            self.problem = "nobody reads it any more" if is_gone else os.strerror(error.errno or 0)

    def _is_ready(self, patience_s: float) -> bool:
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        with contextlib.suppress(InterruptedError):
            return bool(poll.poll(patience_s * 1000))
        return False
