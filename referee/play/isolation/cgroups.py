"""Control groups: one for each bot, that bounds, holds still, counts and ends it with all that it starts. Linux.

A process stays in its control group whatever session, process group or namespace it enters. cgroup_setup.py finds out
how this process can make groups; `Cgroups.group` makes one. This module must not know what a bot is, nor how it is
started.
Sources: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/, and systemd's CGROUP_DELEGATION.md.
"""

import contextlib
import itertools
import os
import signal
import time
from pathlib import Path
from typing import Literal

from msgspec import Struct

Ability = Literal["memory", "processes", "freeze", "kill", "cpu", "share"]
"""What a group can do: bound memory, bound the number of processes, hold all still, kill all, count processor time, and
compete for it as one, however many processes it has.
"""

_FREEZE_S = 0.1
"""So long `kill` waits for all to come to rest, where the kernel cannot kill a group at once."""

POLL_S = 0.002
_numbers = itertools.count(1)


class GroupFailed(Exception):
    """A control group could not be made; the text says why and what to do."""


class CgroupGap(Struct, frozen=True, kw_only=True):
    """Why there are no groups, or why they can do less, in words for the organiser."""

    reason: str
    remedy: str


class Cgroups(Struct, frozen=True, kw_only=True):
    """This process's way to make groups. May be handed to a process that it starts."""

    version: Literal[1, 2]
    folders: dict[Ability, str]
    """What the groups can do, and the folder in which they are made for it: one for all in version 2."""
    gap: CgroupGap | None = None
    """Why they cannot do all; None where they can."""

    def group(self, *, memory_bytes: int, processes: int) -> "Group":
        """A new, empty group: so much memory, no swap, so many processes and threads. Raises GroupFailed."""
        name = f"golfref-{identity(os.getpid())}-{next(_numbers)}"
        group = Group(self, name)
        try:
            group.make(memory_bytes=memory_bytes, processes=processes)
        except OSError as error:
            group.remove(patience_s=0)
            raise GroupFailed(
                f"cannot make the control group {error.filename}: {error.strerror}; "
                "if something else manages that folder, start golfref in a scope of its own"
            ) from None
        return group


class Group:
    """A control group. What it tells is None where the system does not count it, or the group is gone."""

    def __init__(self, cgroups: Cgroups, name: str) -> None:
        self._version = cgroups.version
        self._folders = {ability: Path(folder, name) for ability, folder in cgroups.folders.items()}

    def make(self, *, memory_bytes: int, processes: int) -> None:
        """Make the folders, with their bounds; raises OSError."""
        for folder in self._unique():
            folder.mkdir()
        if memory := self._folders.get("memory"):
            _bound_memory(memory, memory_bytes)
        if pids := self._folders.get("processes"):
            write_text(pids / "pids.max", str(processes))

    def join_files(self) -> tuple[str, ...]:
        """The files into which a process writes its id to be in the group."""
        return tuple(str(folder / "cgroup.procs") for folder in self._unique())

    def freeze(self) -> None:
        """Hold every process still until `thaw`. Returns at once: see `frozen`."""
        self._hold("1", "FROZEN")

    def thaw(self) -> None:
        """Let every process go on."""
        self._hold("0", "THAWED")

    def frozen(self) -> bool:
        """Whether every process has come to rest; soon after `freeze`, as each leaves the system call it is in."""
        if (folder := self._folders.get("freeze")) is None:
            return False
        if self._version == 2:
            return _field(folder / "cgroup.events", "frozen") == 1
        return read_text(folder / "freezer.state") == "FROZEN"

    def kill(self) -> None:
        """SIGKILL for every process, frozen or not, and for those that they are just starting."""
        with contextlib.suppress(OSError):
            write_text(self._any() / "cgroup.kill", "1")
            return
        # Without that file (before Linux 5.14, and version 1): who is being killed starts nothing any more, so that all
        # are if nobody else is there then. Else they are frozen first, which a kill of ours in between would leave so.
        struck = self._strike()
        if not struck.issuperset(self.processes()):
            end = time.monotonic() + _FREEZE_S
            self.freeze()
            while "freeze" in self._folders and not self.frozen() and time.monotonic() < end:
                time.sleep(POLL_S)
                self.freeze()
            self._strike()
        self.thaw()

    def _strike(self) -> set[int]:
        """SIGKILL for every process that is there now; their ids."""
        struck = set(self.processes())
        for pid in struck:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return struck

    def processes(self) -> tuple[int, ...]:
        """The ids of the processes in the group."""
        listed = (int(pid) for pid in (read_text(self._any() / "cgroup.procs") or "").split())
        return tuple(pid for pid in listed if pid != 0)  # 0: of a namespace that we cannot see

    def oom_kills(self) -> int | None:
        """How many processes were killed because the group wanted more memory than it may have."""
        return self._number("memory", "memory.events" if self._version == 2 else "memory.oom_control", "oom_kill")

    def cpu_ns(self) -> int | None:
        """Processor time used by all processes that are or were in the group, in nanoseconds."""
        if self._version == 1:
            return self._number("cpu", "cpuacct.usage")
        used_us = self._number("cpu", "cpu.stat", "usage_usec")
        return None if used_us is None else used_us * 1000

    def remove(self, *, patience_s: float = 2.0) -> bool:
        """Kill what is left and remove the group; with no patience, one attempt. Whether it is gone.

        A group that stays, because a process cannot die yet, is removed when a later referee begins.
        """
        end = time.monotonic() + patience_s
        while not all(is_removed(folder) for folder in self._unique()):
            self.kill()
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_S)
        return True

    def _unique(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(self._folders.values()))

    def _any(self) -> Path:
        return self._folders["kill"]

    def _hold(self, second: str, first: str) -> None:
        if folder := self._folders.get("freeze"):
            with contextlib.suppress(OSError):  # the group is gone
                if self._version == 2:
                    write_text(folder / "cgroup.freeze", second)
                else:
                    write_text(folder / "freezer.state", first)

    def _number(self, ability: Ability, name: str, field: str | None = None) -> int | None:
        if (folder := self._folders.get(ability)) is None:
            return None
        if field is not None:
            return _field(folder / name, field)
        text = read_text(folder / name)
        return None if text is None else int(text)


def identity(pid: int) -> str:
    """A process's id and when it started; only the id where there is no such process."""
    stat = read_text(Path(f"/proc/{pid}/stat"))
    return str(pid) if stat is None else f"{pid}-{stat.rpartition(')')[2].split()[19]}"


def _bound_memory(folder: Path, limit_bytes: int) -> None:
    if (folder / "memory.max").exists():
        write_text(folder / "memory.max", str(limit_bytes))
        bounds = {"memory.swap.max": "0", "memory.oom.group": "1"}
    else:
        write_text(folder / "memory.limit_in_bytes", str(limit_bytes))
        bounds = {"memory.memsw.limit_in_bytes": str(limit_bytes)}
    for name, value in bounds.items():
        with contextlib.suppress(FileNotFoundError):  # the kernel counts no swap, or is older
            write_text(folder / name, value)


def is_removed(folder: Path) -> bool:
    """Whether the group, with any that were made in it, is gone now."""
    for inner, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(inner)
    return not folder.exists()


def _field(path: Path, name: str) -> int | None:
    """The number after a name, in a file with one of each on every line."""
    for line in (read_text(path) or "").splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return None


def read_text(path: Path) -> str | None:
    """What a file of the system says; None where it is not there or not to be read."""
    with contextlib.suppress(OSError):
        return path.read_text().strip()
    return None


def write_text(path: Path, text: str) -> None:
    """Write to a file of the kernel's: never made anew, and in one call."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(fd)
