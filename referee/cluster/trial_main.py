"""The process of ours that gets a host ready, and then ends.

It plays nothing: workers of a run do, which are started when the host is ready. When its input ends before, it ends all
bots and itself, whatever it was about to do. It knows nothing of Dask.
"""

import contextlib
import os
import select
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from referee.cluster.messages import Demands, FromTrial, Lacks, LeftOut, Line, Piece, on_one_line
from referee.cluster.trial import NotFit, Talk, prepare
from referee.ending_signals import Interrupted
from referee.tournament.orders import Heartbeat
from referee.tournament.run.this_host import host_name
from referee.tournament.workers.frames import PIPE_READ_BYTES, Frames, frame
from referee.tournament.workers.worker import HEARTBEAT_S, begin

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.cluster.trial_main import main; main(sys.argv[2:])"
"""The program for the interpreter. Its arguments are those of a worker of a run; `jobs` are those of the host."""


class Gone(Exception):
    """Nobody needs this host any more."""


class _Pipes:
    """The pipes. A thread sends heartbeats, and sees when the orders end."""

    def __init__(self, orders: int, reports: int) -> None:
        self._orders, self._reports = orders, reports
        self._messages = self._read()
        self._writing = threading.Lock()
        self._over, self._gone = threading.Event(), False

    def send(self, message: FromTrial) -> None:
        """Send a message to the desk, unless it is gone."""
        with self._writing, contextlib.suppress(BrokenPipeError):
            rest = memoryview(frame(message))
            while rest:
                rest = rest[os.write(self._reports, rest) :]

    def check(self) -> None:
        """Raises Gone where nobody needs this host any more."""
        if self._gone:
            raise Gone

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Send heartbeats, and interrupt this process when the orders end."""
        watching = threading.Thread(target=self._watch, daemon=True)
        watching.start()
        try:
            yield
        finally:
            self._over.set()
            watching.join()

    def _watch(self) -> None:
        end = select.poll()
        end.register(self._orders, 0)  # only whether the other side has closed it
        while not self._over.is_set():
            if end.poll(0):
                self._gone = True
                os.kill(os.getpid(), signal.SIGTERM)
                return
            self.send(Heartbeat())
            self._over.wait(HEARTBEAT_S)

    def _read(self) -> Iterator[Demands | Piece]:
        frames: Frames[Demands | Piece] = Frames(msgspec.msgpack.Decoder(Demands | Piece))
        while data := os.read(self._orders, PIPE_READ_BYTES):
            yield from frames.feed(data)

    def demands(self) -> Demands:
        """What the run asks of this host, which comes first. Raises Gone."""
        for message in self._messages:
            if isinstance(message, Demands):
                return message
        raise Gone

    def fetch(self, archives: tuple[str, ...]) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Ask for archives, and bring each in pieces."""
        self.send(Lacks(archives=archives))
        for archive in archives:
            yield archive, self._pieces(archive)

    def _pieces(self, archive: str) -> Iterator[bytes]:
        for piece in self._messages:
            if not isinstance(piece, Piece) or piece.archive != archive:
                break
            if not piece.data:
                return
            yield piece.data
        raise Gone


def main(words: Sequence[str]) -> None:
    """Get this host ready as standard input demands."""
    started = begin(words)
    pipes = _Pipes(started.orders, started.reports)
    talk = Talk(fetch=pipes.fetch, tell=lambda line: pipes.send(Line(host=host_name(), text=line)), check=pipes.check)
    with contextlib.suppress(Gone, Interrupted):
        try:
            with pipes.watched():
                ready = prepare(pipes.demands(), started.jobs, talk)
        except NotFit as lacking:
            pipes.send(LeftOut(host=host_name(), reason=on_one_line(str(lacking))))
            return
        pipes.send(ready)
