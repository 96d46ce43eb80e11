"""Ctrl-C and SIGTERM while a command runs: told once, in the same way wherever they strike.

While bots run, the session that runs them hears the signals itself. This is for the time before, between and after,
from the first moment of a command: nothing slow is imported here.
"""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """The signals that end a command, noted as soon as this exists.

    As a context it raises play.session.Interrupted at the place where one comes. What follows the first one, or the
    context, is tidying up: there they are ignored.
    """

    def __init__(self) -> None:
        self._came = False
        self._held = True
        for number in _SIGNALS:
            signal.signal(number, self._note)

    def __enter__(self) -> "Signals":
        self._held = False
        self.check()
        return self

    def __exit__(self, *_: object) -> None:
        _ignore()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Around a session, which is not to be torn apart while it begins or ends."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self.check()

    def check(self) -> None:
        """Raise Interrupted if a signal came while that had to wait; a session asks when it has begun."""
        if self._came:
            from referee.play.session import Interrupted  # noqa: PLC0415 - slow to import, and a signal may come sooner

            raise Interrupted

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        _ignore()
        if not self._held:
            self.check()


def _ignore() -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
