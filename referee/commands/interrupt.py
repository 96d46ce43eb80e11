"""The signals that end a command, while it runs. Whenever they come, the command says once that it was interrupted.

While bots run, the session that runs them receives the signals itself. This module handles them before, between and
after sessions, from the first moment of a command; so it imports nothing slow.
"""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

from referee.ending_signals import ENDING_SIGNALS, Interrupted, ignore_ending_signals

FINISHING = "interrupted: golfref finishes the matches that are being played; Ctrl-C again stops at once"
"""What the first Ctrl-C prints while matches are played."""


class Signals:
    """The signals that end a command. They are noted as soon as this exists.

    Within its context a signal raises Interrupted where it comes. After the first signal, and after the
    context, the command tidies up, and signals are ignored.
    """

    def __init__(self) -> None:
        self._came = False
        self._held = True
        for number in ENDING_SIGNALS:
            signal.signal(number, self._note)

    def __enter__(self) -> "Signals":
        self._held = False
        self.check()
        return self

    def __exit__(self, *_: object) -> None:
        ignore_ending_signals()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Only note signals within this context. A session that begins or ends must not be torn apart."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.check()

    def check(self) -> None:
        """Raise Interrupted if a signal came while signals were only noted. A session calls this when it has begun."""
        if self._came:
            raise Interrupted

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        ignore_ending_signals()
        if not self._held:
            self.check()
