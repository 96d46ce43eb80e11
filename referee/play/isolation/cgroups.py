"""Control groups: one for each bot, which bounds, freezes, counts and kills it with all that it starts. Linux.

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

from referee.play.isolation.kept_file import KeptFile

Ability = Literal["memory", "processes", "freeze", "kill", "cpu", "share"]
"""What a group can do: bound the memory, bound the number of processes, freeze all of them, kill all of them, count
their processor time, and compete for it as one, however many processes it has.
"""

_SLACK_BYTES = 1 << 20
"""A group of version 1 that comes so near to its bound is taken to have reached it: memory is counted in batches."""

POLL_S = 0.002
_numbers = itertools.count(1)


class GroupFailed(Exception):
    """A control group could not be made; the text says why and what to do."""


class CgroupGap(Struct, frozen=True, kw_only=True):
    """Why there are no control groups, or why they cannot do all, in words for the organiser."""

    reason: str
    remedy: str
    """What the organiser can do about it."""


class Cgroups(Struct, frozen=True, kw_only=True):
    """How this process makes groups. A process that it starts can be told the same."""

    version: Literal[1, 2]
    folders: dict[Ability, str]
    """What the groups can do, and the folder in which they are made for that. In version 2 it is always the same."""
    gap: CgroupGap | None = None
    """Why they cannot do all; None where they can."""

    def group(self, *, memory_bytes: int, processes: int) -> "Group":
        """A new, empty group with these bounds, threads counting as processes, and without swap; raises GroupFailed."""
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

    def least(self) -> "Group | None":
        """A new, empty group that gets the least share of the cores, for what computes beside the bots.

        None where cores are not shared out by group: there a low rank of the processes does the same. Raises OSError.
        """
        if "share" not in self.folders:
            return None
        place = self.folders["share"]
        one = Cgroups(version=self.version, folders=dict.fromkeys(("share", "freeze", "kill"), place))
        group = Group(one, f"golfref-{identity(os.getpid())}-{next(_numbers)}")
        group.make_least()
        return group


class Group:
    """A control group. Its figures are None where the system does not count them, or where the group is gone."""

    def __init__(self, cgroups: Cgroups, name: str) -> None:
        self._version = cgroups.version
        self._folders = {ability: Path(folder, name) for ability, folder in cgroups.folders.items()}
        self._counter: KeptFile | None = None
        """The file that tells what the group has computed, which slap windows ask for again and again."""

    def make(self, *, memory_bytes: int, processes: int) -> None:
        """Make the folders, with their bounds; raises OSError."""
        for folder in self._unique():
            folder.mkdir()
        if memory := self._folders.get("memory"):
            _bound_memory(memory, memory_bytes)
        if pids := self._folders.get("processes"):
            write_text(pids / "pids.max", str(processes))

    def give_way(self) -> None:
        """Let all processes of the group compute only when other groups want little, where groups share the cores."""
        if share := self._folders.get("share"):
            with contextlib.suppress(OSError):
                write_text(share / "cpu.weight", "1")

    def make_least(self) -> None:
        """Make the folder of a group that gets the least share of the cores; raises OSError."""
        folder = self._folders["share"]
        folder.mkdir()
        write_text(folder / "cpu.weight", "1")
        with contextlib.suppress(OSError):  # since Linux 5.15
            write_text(folder / "cpu.idle", "1")

    def join_files(self) -> tuple[str, ...]:
        """The files into which a process writes its id to be in the group."""
        return tuple(str(folder / "cgroup.procs") for folder in self._unique())

    def freeze(self) -> None:
        """Stop every process until `thaw`. This returns at once; `frozen` tells when it is done."""
        self._hold("1", "FROZEN")

    def thaw(self) -> None:
        """Let every process go on."""
        self._hold("0", "THAWED")

    def frozen(self) -> bool:
        """Whether every process is stopped. Each stops soon after `freeze`, when it leaves the system call it is in."""
        if (folder := self._folders.get("freeze")) is None:
            return False
        if self._version == 2:
            return _field(folder / "cgroup.events", "frozen") == 1
        return read_text(folder / "freezer.state") == "FROZEN"

    def kill(self) -> bool:
        """Kill every process, frozen or not, and also those that they are just starting. This never waits.

        Returns False where some are only frozen yet, and are killed when this is called again a little later.
        """
        with contextlib.suppress(OSError):
            write_text(self._any() / "cgroup.kill", "1")
            return True
        # Version 1, and Linux before 5.14, have no such file. A process that is being killed starts nothing any more.
        # So if no other process is there afterwards, all are being killed. Else they are frozen before they are killed.
        if not (killed := self._kill_each()):
            return True  # what is empty stays empty
        if not killed.issuperset(self.processes()):
            self.freeze()
            if "freeze" in self._folders and not self.frozen():
                return False
            self._kill_each()
        self.thaw()
        return True

    def _kill_each(self) -> set[int]:
        """Send SIGKILL to every process that is there now; returns their ids."""
        killed = set(self.processes())
        for pid in killed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return killed

    def processes(self) -> tuple[int, ...]:
        """The ids of the processes in the group."""
        listed = (int(pid) for pid in (read_text(self._any() / "cgroup.procs") or "").split())
        return tuple(pid for pid in listed if pid != 0)  # 0 stands for processes of a namespace that we cannot see

    def oom_kills(self) -> int | None:
        """How many of its processes the kernel has killed because memory ran out: the group's own, or the host's."""
        return self._number("memory", "memory.events" if self._version == 2 else "memory.oom_control", "oom_kill")

    def has_reached_memory_bound(self) -> bool:
        """Whether the group has ever held all the memory that it may; in version 2, whether it wanted more then."""
        if self._version == 2:
            return bool(self._number("memory", "memory.events", "oom"))
        most = self._number("memory", "memory.max_usage_in_bytes") or 0
        limit = self._number("memory", "memory.limit_in_bytes") or 0
        return most + _SLACK_BYTES >= limit

    def peak_bytes(self) -> int | None:
        """The most memory that the group has held at a time; version 2 tells it since Linux 5.19."""
        return self._number("memory", "memory.peak" if self._version == 2 else "memory.max_usage_in_bytes")

    def cpu_ns(self) -> int | None:
        """The processor time of all processes that are or were in the group, in nanoseconds."""
        if (folder := self._folders.get("cpu")) is None:
            return None
        try:
            if self._counter is None:
                self._counter = KeptFile(f"{folder}/{'cpuacct.usage' if self._version == 1 else 'cpu.stat'}")
            told = self._counter.read()
        except OSError:  # the group is gone
            return None
        return int(told) if self._version == 1 else 1000 * int(told.partition(b"usage_usec ")[2].split(None, 1)[0])

    def remove(self, *, patience_s: float = 2.0) -> bool:
        """Kill what is left in the group and remove it; returns whether it is gone. Without patience it tries once.

        A group stays if one of its processes cannot die yet. A later referee removes it when it begins.
        """
        if self._counter is not None:
            self._counter.close()
            self._counter = None
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
    """A process's id and when it was started, in clock ticks; only the id where there is no such process."""
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
        with contextlib.suppress(FileNotFoundError):  # the kernel does not count swap, or is too old for this
            write_text(folder / name, value)


def is_removed(folder: Path) -> bool:
    """Remove a group and all groups in it, if they are empty; returns whether it is gone."""
    with contextlib.suppress(OSError):  # it is gone already, or something is in it
        os.rmdir(folder)
        return True
    for inner, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(inner)
    return not folder.exists()


def _field(path: Path, name: str) -> int | None:
    """The number after a name, in a file with a name and a number on each line; None where it is not there."""
    for line in (read_text(path) or "").splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return None


def read_text(path: Path) -> str | None:
    """The text of a file of the system; None where it cannot be read."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = b""
            while more := os.read(fd, 4096):
                data += more
            return data.decode().strip()
        finally:
            os.close(fd)
    return None


def write_text(path: Path, text: str) -> None:
    """Write to a file of the kernel, in one call; the file is not made. Raises OSError with its name."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(fd)
