"""Starts the process in which a match is played, and ends it. It must not know what is shown."""

import contextlib
import subprocess
import tempfile

import msgspec

from referee.play.match import MatchSetup
from referee.terminal.play.table import Outcome, command
from referee.tournament.workers.frames import Frames, frame

END_PATIENCE_S = 5.0
"""How long the process may take to end its bots and itself."""

MOST_SAID = 2000
"""How many characters of its last words are told."""


class RefereeEnded(Exception):
    """The process has ended without an outcome; the text is what it said last."""


class MatchProcess:
    """A process that plays a match. If this process is killed, that one ends its bots and itself."""

    def __init__(self, setup: MatchSetup) -> None:
        with contextlib.ExitStack() as stack:
            self._said = stack.enter_context(tempfile.TemporaryFile())
            self._errors = stack.enter_context(tempfile.TemporaryFile())
            self._popen = subprocess.Popen(
                command(), stdin=subprocess.PIPE, stdout=self._said, stderr=self._errors, start_new_session=True
            )
            self._files = stack.pop_all()
        if self._popen.stdin is None:
            raise RuntimeError("a process without its pipe")
        self._stdin = self._popen.stdin
        with contextlib.suppress(BrokenPipeError):  # it has ended already, which `outcome` tells
            self._stdin.write(frame(setup))
            self._stdin.flush()

    def outcome(self) -> Outcome | None:
        """What came of the match; None while it is played. Raises RefereeEnded."""
        if self._popen.poll() is None:
            return None
        self._said.seek(0)
        for outcome in Frames(msgspec.msgpack.Decoder(Outcome)).feed(self._said.read()):
            return outcome
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        raise RefereeEnded(said[-MOST_SAID:] or f"the process of the match ended with code {self._popen.returncode}")

    def close(self) -> None:
        """End the match and all its bots, if they have not ended yet."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        try:
            self._popen.wait(END_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        self._files.close()
