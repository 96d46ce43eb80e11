"""Hosts of a cluster without the cluster: processes with names and folders of their own, which the test talks to."""

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import PIPE, Popen

import msgspec

import referee
from referee.cluster.hosts import Demands, FromHost, Lacks, Piece, Ready, Refused, Telling
from referee.cluster.parcels import Parcels
from referee.cluster.resident import START
from referee.tournament.orders import Heartbeat, Order, Report
from referee.tournament.run.frames import PIPE_READ_BYTES, Frames, frame

ROOT = Path(referee.__file__).parents[1]


class Resident:
    """The process of ours on one host."""

    def __init__(self, folder: Path, name: str, env: Mapping[str, str], *, root: Path = ROOT, jobs: int = 1) -> None:
        """`folder` is the host's, and `root` the installation that it has; `env` is added to its environment."""
        here = {"GOLFREF_HOST": name, "GOLFREF_HOST_FOLDER": str(folder)}
        command = [sys.executable, "-P", "-c", START, str(root), str(jobs), "match"]
        self.process = Popen(
            command, stdin=PIPE, stdout=PIPE, start_new_session=True, env=os.environ | here | dict(env)
        )
        self.lacked: tuple[str, ...] = ()
        """The parcels that it asked for."""
        self.told: list[str] = []

    def prepare(self, parcels: Parcels, demands: Demands | None = None, *, until: str = "") -> Ready | Refused | None:
        """Let it get ready for a run, and send what it lacks. None once it tells a line that begins so: `until`."""
        self.send(demands or parcels.demands)
        frames = Frames(msgspec.msgpack.Decoder(FromHost))
        while True:
            for said in frames.feed(self._read()):
                if isinstance(said, Ready | Refused):
                    return said
                if isinstance(said, Lacks):
                    self.lacked = said.parcels
                    self._send_parcels(parcels)
                if isinstance(said, Telling):
                    self.told.append(said.line)
                    if until and said.line.startswith(until):
                        return None

    def _send_parcels(self, parcels: Parcels) -> None:
        for parcel in self.lacked:
            offset = 0
            while data := parcels.piece(parcel, offset):
                self.send(Piece(parcel=parcel, data=data))
                offset += len(data)
            self.send(Piece(parcel=parcel, data=b""))

    def reports(self, *orders: Order) -> Iterator[Report]:
        """Order matches, and take what is reported without end."""
        for order in orders:
            self.send(order)
        frames = Frames(msgspec.msgpack.Decoder(Report))
        while True:
            for report in frames.feed(self._read()):
                if not isinstance(report, Heartbeat):
                    yield report

    def send(self, message: msgspec.Struct) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame(message))
        self.process.stdin.flush()

    def _read(self) -> bytes:
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), PIPE_READ_BYTES)
        assert data, "the host's process ended"
        return data

    def end(self) -> int:
        """Let its orders end, and return its exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()
            self.process.stdout.close()
