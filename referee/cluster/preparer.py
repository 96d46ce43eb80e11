"""The process of ours that gets a host ready, and then ends.

It plays nothing: workers of a run do, which are started when the host is ready. When its input ends before, it ends all
bots and itself, whatever it was about to do. It knows nothing of Dask.
"""

import contextlib
import os
import select
import signal
import struct
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from referee.cluster.hosts import Demands, FromHost, Lacks, Piece, Refused, Telling, on_one_line
from referee.cluster.preparing import Talk, prepare
from referee.cluster.trying import NotFit
from referee.play.session import Interrupted
from referee.tournament.orders import Heartbeat
from referee.tournament.run.frames import frame
from referee.tournament.run.host import host_name
from referee.tournament.run.worker import HEARTBEAT_S, begin

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.cluster.preparer import main; main(sys.argv[2:])"
"""What the interpreter is told to run. Its arguments are those of a worker of a run; `jobs` are those of the host."""

Told = TypeVar("Told", Demands, Piece)

_LENGTH = struct.Struct("<I")


class Gone(Exception):
    """Nobody needs this host any more."""


class _Line:
    """The pipes. A thread says meanwhile that we live, and sees when the orders end."""

    def __init__(self, orders: int, reports: int) -> None:
        self._orders, self._reports = orders, reports
        self._writing = threading.Lock()
        self._over, self._gone = threading.Event(), False

    def say(self, message: FromHost) -> None:
        """Say something to the desk. What cannot be said is not missed: then nobody is there."""
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
        """Say that we live, and interrupt ourselves when the orders end."""
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
            self.say(Heartbeat())
            self._over.wait(HEARTBEAT_S)

    def read(self, kind: type[Told]) -> Told:
        """The next message, which must be of this kind. Raises Gone."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        return msgspec.msgpack.decode(self._exactly(length), type=kind)

    def _exactly(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            if not (data := os.read(self._orders, min(count, 1 << 20))):
                raise Gone
            parts.append(data)
            count -= len(data)
        return b"".join(parts)

    def fetch(self, parcels: tuple[str, ...]) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Ask for parcels, and bring each in pieces."""
        self.say(Lacks(parcels=parcels))
        for parcel in parcels:
            yield parcel, self._pieces(parcel)

    def _pieces(self, parcel: str) -> Iterator[bytes]:
        while True:
            piece = self.read(Piece)
            if piece.parcel != parcel:
                raise Gone
            if not piece.data:
                return
            yield piece.data


def main(words: Sequence[str]) -> None:
    """Get this host ready as standard input demands."""
    started = begin(words)
    line = _Line(started.orders, started.reports)
    with contextlib.suppress(Gone, Interrupted):
        try:
            with line.watched():
                demands = line.read(Demands)
                talk = Talk(fetch=line.fetch, tell=lambda told: line.say(Telling(line=told)), check=line.check)
                ready = prepare(demands, started.jobs, talk)
        except NotFit as lacking:
            line.say(Refused(host=host_name(), reason=on_one_line(str(lacking))))
            return
        line.say(ready)
