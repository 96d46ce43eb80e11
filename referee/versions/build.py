"""One build: a stranger's command makes a bot of a copy of its files, within bounds, and what comes out is unpacked.

A shell copies the files into an empty folder, runs the command there, and writes what is in the folder then to its
output as a tar stream. Under `bwrap` all of that happens in a cell, in which the folder is in memory. Whatever the
command does, the stream is bounded and unpacked as one that a stranger wrote.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import trio
from msgspec import Struct

from referee.play.faults import HostFault
from referee.play.process.limit_watch import excess
from referee.play.process.orphans import end_orphans_now
from referee.play.process.process import BotProcess, StartFailed
from referee.play.process.shutdown import BUILD_DYING_S, end_orphans, stop
from referee.play.sandbox.cell import cell_of
from referee.play.sandbox.paths import PATH, SOURCE
from referee.play.sandbox.readable_check import MOST_FILES, Unfit
from referee.play.spec import MB, BotSpec, Confinement, Isolation, Workshop
from referee.versions.archive import unpack_tar
from referee.versions.build_log import MOST_BYTES, BuildLog
from referee.versions.entry import Builds, Entry
from referee.versions.files import BadFiles, Bounds, Contents
from referee.versions.store import make_read_only

DEPTH = 64
"""How many folders within each other may come out of a build."""

UNPACK_S = 300.0
"""How long it may take to unpack what comes out."""

_POLL_INTERVAL_S = 0.1
_CHUNK_BYTES = 1 << 16
_AT_ONCE = 64
"""How many chunks are read before something else may happen."""

_ENV = {"SOURCE_DATE_EPOCH": "315532800"}
"""By this many tools write the same files each time, and Python compiles modules so that it can take them as up to date
by their content: the times of files are not kept. It is the first day that a zip can tell."""

_HEADER_BYTES = 2048
"""What a tar stream needs at most for each file besides its content, where names are not long."""

_COPIED, _BUILT = b"1", b"2"
"""What the shell writes when it has copied the files, and when the command has ended well, before the tar stream."""

_NOT_RUN = {"exited with code 126", "exited with code 127"}
"""How the shell ends that finds no program or must not run it."""

_SCRIPT = """
umask 022
source=$1; shift
cp -RP "$source"/. . && find . ! -path . ! -type l ! -perm -u+w -exec chmod u+w {} + || exit
printf 1
"$@" < /dev/null >&2 || exit
printf 2
exec tar -cf - .
"""


class BuildFailed(Exception):
    """The build made no bot; the text says why."""


class Made(Struct, frozen=True, kw_only=True):
    """What a build cost, and what came out of it."""

    cpu_s: float | None
    unpacked: Contents


class Job(Struct, frozen=True, kw_only=True):
    """What is to be built, and how."""

    entry: Entry
    source: Path
    """The folder with its files, which is only read."""
    into: Path
    """The folder that appears with what came out. It must not exist, and what lies beside it as `.work` is removed."""
    isolation: Isolation
    builds: Builds

    @property
    def in_cell(self) -> bool:
        """Whether it is built in a cell."""
        return self.isolation == "bwrap"

    @property
    def work(self) -> Path:
        """The folder on the host in which it is built outside a cell."""
        return self.into.parent / ".work"

    @property
    def confinement(self) -> Confinement:
        """How the build is kept from what is not its own."""
        workshop = Workshop(folder_mb=self.builds.disk_mb)
        return Confinement(isolation=self.isolation, limits=self.builds.limits, workshop=workshop)


async def build(job: Job, log: BuildLog) -> Made:
    """Build an entry. Nothing of the build runs any more, and nothing but its outcome is left, when this returns.

    Raises BuildFailed, HostFault, and OSError where the host cannot keep what comes out. Must run in the main thread.
    """
    with tempfile.TemporaryFile(dir=job.into.parent) as spool:
        with _workplace(job):
            run = _Run(job, spool, log)
            await run.to_its_end()
        spool.seek(0)
        return Made(cpu_s=run.cpu_s, unpacked=await trio.to_thread.run_sync(_unpacked, spool, job.into, job.builds))


def _unpacked(spool: BinaryIO, into: Path, builds: Builds) -> Contents:
    bounds = Bounds(total_bytes=builds.disk_mb * MB, members=MOST_FILES, depth=DEPTH, time_s=UNPACK_S, from_build=True)
    try:
        unpacked = unpack_tar(spool, into, bounds)
    except BadFiles as error:
        raise BuildFailed(f"what it leaves cannot be taken: {error}") from None
    make_read_only(into)
    return unpacked


def _spec(job: Job) -> BotSpec:
    """The build as a process that a bot could be. It sees what the bot will see, and what all builds may read."""
    entry, source, builds = job.entry, str(job.source), job.builds
    command = ("/bin/sh", "-c", _SCRIPT, "build", SOURCE if job.in_cell else source, *entry.build)
    env = _ENV | entry.env | builds.env
    if not job.in_cell:
        return BotSpec(name=entry.name, command=command, dir=str(job.work), env=env, entry=entry.folder)
    bot = BotSpec(
        name=entry.name,
        command=entry.command,
        dir=source,
        env=entry.env,
        reads=entry.reads,
        entry=entry.folder,
    )
    try:
        cell = cell_of(bot)
    except Unfit as error:
        raise BuildFailed(str(error)) from None
    reads = tuple(dict.fromkeys((*cell.reads, *map(os.path.abspath, builds.reads))))
    env = {"PATH": cell.env.get("PATH", PATH)} | env
    network = builds.network and entry.wants_network
    return BotSpec(name=entry.name, command=command, dir=source, env=env, reads=reads, network=network)


@contextlib.contextmanager
def _workplace(job: Job) -> Iterator[None]:
    """The folder on the host in which it is built, which is removed again; a cell has its own."""
    if job.in_cell:
        yield
        return
    remove_tree(job.work)
    job.work.mkdir()
    try:
        yield
    finally:
        remove_tree(job.work)


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep it is and whatever rights its files have."""
    if not os.path.lexists(folder):
        return
    # Programs of the system do that for trees of any depth, which shutil does not.
    for command in (["chmod", "-R", "u+rwX", "--"], ["rm", "-rf", "--"]):
        if tool := shutil.which(command[0], path=PATH):
            subprocess.run(
                [tool, *command[1:], str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )


class _Run:
    """The run of one build."""

    def __init__(self, job: Job, spool: BinaryIO, log: BuildLog) -> None:
        """Start it."""
        builds = job.builds
        self._builds = builds
        self._spool = spool
        self._log = log
        self._watched = None if job.in_cell else job.work
        """The folder whose size must be watched."""
        self._watch_at = 0.0
        self._most_bytes = builds.disk_mb * MB + MOST_FILES * _HEADER_BYTES
        self._marks = b""
        self._size_bytes = 0
        self._cpu_ns: int | None = None
        self._excess = ""
        try:
            self._process = BotProcess(_spec(job), job.confinement)
        except StartFailed as error:
            raise BuildFailed(str(error)) from None
        self._begun = time.monotonic()

    @property
    def cpu_s(self) -> float | None:
        """What it has computed, where that is known."""
        return None if self._cpu_ns is None else self._cpu_ns / 1e9

    async def to_its_end(self) -> None:
        """Run it to its end, which leaves the stream in the spool; raises BuildFailed, HostFault and OSError."""
        process, status, succeeded = self._process, "", False
        try:
            process.close_stdin()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read, process.stdout, self._take)
                nursery.start_soon(self._read, process.stderr, self._hear)
                while not process.has_exited() and not self._excess:
                    await trio.sleep(_POLL_INTERVAL_S)
                    self._look()
                nursery.cancel_scope.cancel()
            if not self._excess:
                self._look()
                status, succeeded = process.exit_status() or "", process.has_succeeded()
        finally:
            with trio.CancelScope(shield=True):
                await stop(process, patience_s=0, drain=self._drain)
                # What was in a cell is gone when the cell's first process is, which we inherit.
                await end_orphans(patience_s=BUILD_DYING_S)
        self._judge(status, succeeded=succeeded)

    def _judge(self, status: str, *, succeeded: bool) -> None:
        """Raise BuildFailed unless a stream has come of which all can be taken, and HostFault without tar."""
        if self._excess:
            raise BuildFailed(self._excess)
        ended = status if status.startswith("exited") else f"was {status}"
        if (self._cpu_ns or 0) >= self._builds.cpu_s * 1_000_000_000:
            ended += f", after {self._builds.cpu_s} s of computing, which is what it may have"
        if _COPIED not in self._marks:
            raise BuildFailed(f"the files of the entry could not be copied for it: `cp` {ended}")
        if _BUILT not in self._marks:
            raise BuildFailed(f"it {ended}")
        if not succeeded:
            if status in _NOT_RUN:
                raise HostFault(f"golfref packs what a build leaves by `tar`, which {ended}; install tar")
            raise BuildFailed(f"it ended well, but not all that it left can be read: `tar` {ended}")

    async def _read(self, fd: int, take: Callable[[bytes], None]) -> None:
        while True:
            await trio.lowlevel.wait_readable(fd)
            if not self._some(fd, take):
                return
            await trio.lowlevel.checkpoint()

    def _some(self, fd: int, take: Callable[[bytes], None]) -> bool:
        """Read what is there, but not without end; returns False where nothing more will come."""
        for _ in range(_AT_ONCE):
            try:
                data = os.read(fd, _CHUNK_BYTES)
            except BlockingIOError:
                return True
            if not data:
                return False
            take(data)
            if self._excess:
                return False
        return True

    def _drain(self) -> None:
        """Read what is still in the pipes of a process that has ended."""
        if not self._excess:
            self._some(self._process.stdout, self._take)
        self._some(self._process.stderr, self._hear)

    def _take(self, data: bytes) -> None:
        marks = data[: len(_COPIED + _BUILT) - len(self._marks)]
        self._marks += marks
        data = data[len(marks) :]
        self._size_bytes += len(data)
        if self._size_bytes > self._most_bytes:
            self._exceed(f"it left more than {self._builds.disk_mb} MB")
        else:
            self._spool.write(data)

    def _hear(self, data: bytes) -> None:
        self._log.add(data)
        if self._log.total > MOST_BYTES:
            self._exceed(f"it printed more than {MOST_BYTES // MB} MB")

    def _exceed(self, what: str) -> None:
        self._excess = self._excess or f"{what}, and was ended"

    def _look(self) -> None:
        """See to it that it keeps its limits, as `watch_limits` does for bots."""
        builds, process = self._builds, self._process
        process.go_on_killing()
        end_orphans_now()
        holds = process.resource_usage()
        if holds is not None:
            self._cpu_ns = max(self._cpu_ns or 0, holds.cpu_ns)
            if what := excess(holds, process):
                self._exceed(what)
        if time.monotonic() - self._begun > builds.time_s:
            computed = "" if self.cpu_s is None else f", in which it computed for {self.cpu_s:.1f} s"
            self._exceed(f"it took longer than {builds.time_s:g} s ([builds] time_s){computed}")
        self._look_at_folder()

    def _look_at_folder(self) -> None:
        """See to it that it does not write too much; the more files there are, the less often."""
        begun = time.monotonic()
        if self._watched is None or self._excess or begun < self._watch_at:
            return
        if _is_larger(self._watched, self._builds.disk_mb * MB):
            self._exceed(f"it wrote more than {self._builds.disk_mb} MB")
        self._watch_at = time.monotonic() + 4 * (time.monotonic() - begun)


def _is_larger(folder: Path, most_bytes: int) -> bool:
    """Whether a folder takes more room on its disk than this, or holds more files than a bot may have."""
    size, count = 0, 0
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if size > most_bytes or count > MOST_FILES:
                    return True
    return False
