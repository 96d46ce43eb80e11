"""A folder of a referee's own whose files are always in memory, and that does not outlive the referee.

The folder is locked while its referee lives. What dead referees left behind is removed by those that come later. This
module must not know what lies in the folder.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from referee.play.faults import HostFault
from referee.play.isolation.paths import SCRATCH, SHARED_MEMORY
from referee.play.spec import MB

MOST_MB = 1024
"""How much memory the copies of a run take at most."""

LEAST_MB = 1
"""Where there is less room for copies than this, there is none."""

MOST_SHARE = 0.5
"""Which share of the free memory, and of the free room of the tmpfs, they take at most."""

_PREFIX = "golfref-memory-"


class Memory(Struct, frozen=True, kw_only=True):
    """A folder whose files are always in memory."""

    folder: str
    room_bytes: int
    """How much copies may take there."""


class NoMemory(HostFault):
    """There is no such folder that could hold copies; `reason` says why, and `remedy` what the organiser can do."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason}; {remedy}")


def find_memory() -> Memory:
    """The folder in memory that takes copies; raises NoMemory.

    It is /dev/shm where that will do. What a bot runs is among the copies, so the folder must allow programs.
    """
    tried = []
    for folder in _places():
        if (kind := _mounted_as(folder)) is None or not os.access(folder, os.W_OK | os.X_OK):
            continue
        if kind[0] != "tmpfs" or "noexec" in kind[1]:
            tried.append(f"{folder} is {'mounted noexec' if kind[0] == 'tmpfs' else 'no tmpfs'}")
            continue
        there = os.statvfs(folder)
        free = min(there.f_bavail * there.f_frsize, _free_bytes())
        room = min(MOST_MB * MB, int(MOST_SHARE * free))
        if room >= LEAST_MB * MB:
            return Memory(folder=folder, room_bytes=room)
        tried.append(f"{folder} is full")
    reason = "; ".join(tried) or "there is no /dev/shm"
    remedy = "mount -o remount,exec /dev/shm (docker run --tmpfs /dev/shm:exec,size=2g)"
    if any(one.endswith("is full") for one in tried):
        remedy = "remove what fills it"
    raise NoMemory(f"no folder in memory can hold copies: {reason}", remedy)


@contextlib.contextmanager
def folder_in(memory: Memory) -> Iterator[str]:
    """A new folder that only this user can enter, and that is removed after the block.

    Bubblewrap shows folders in it as the referee's user, so bots need no right to pass through it.
    """
    remove_leftovers()
    folder, fd = _locked(memory.folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(fd)


def remove_leftovers() -> None:
    """Remove what dead referees of this user left in memory."""
    for path in (path for place in _places() for path in Path(place).glob(f"{_PREFIX}*")):
        with contextlib.suppress(OSError):  # it has a living referee, or another removes it
            if path.lstat().st_uid == os.geteuid():
                fd = _open(path)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path)
                finally:
                    os.close(fd)


def _places() -> tuple[str, ...]:
    return (SHARED_MEMORY, f"/run/user/{os.geteuid()}", SCRATCH)


def _locked(place: str) -> tuple[str, int]:
    """A new folder and the descriptor that locks it; another referee may take it for a leftover before it is locked."""
    while True:
        folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place)
        with contextlib.suppress(FileNotFoundError):
            fd = _open(folder)
            fcntl.flock(fd, fcntl.LOCK_EX)
            if os.path.exists(folder):
                return folder, fd
            os.close(fd)


def _open(folder: str | Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _mounted_as(folder: str) -> tuple[str, frozenset[str]] | None:
    """The kind of file system in which a folder lies and its options; None where the system does not tell."""
    found, longest = None, -1
    folder = os.path.realpath(folder)
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            mount, _, kind = line.partition(" - ")
            point, options = mount.split()[4:6]
            if (folder == point or folder.startswith(point.rstrip("/") + "/")) and len(point) >= longest:
                found, longest = (kind.split()[0], frozenset(options.split(","))), len(point)
    return found


def _free_bytes() -> int:
    """How much memory is free, or can be freed."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    return MOST_MB * MB
