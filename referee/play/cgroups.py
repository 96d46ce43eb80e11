"""Control groups: one for each bot, that bounds, holds still, counts and ends it with all that it starts. Linux.

A control group holds its processes whatever session, process group or namespace they flee to. `claim` finds how this
process can make groups; `Cgroups.group` makes one. This module must not know what a bot is, nor how it is started.
Sources: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/, and systemd's CGROUP_DELEGATION.md.
"""

import contextlib
import itertools
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

Ability = Literal["memory", "processes", "freeze", "kill", "cpu"]
"""What a group can do: bound memory, bound the number of processes, hold all still, kill all, count processor time."""

JOIN_FAILED = 125
"""The exit code of a `joined` command that could not enter the group."""

_JOIN = f'while [ "$1" != -- ]; do echo $$ >"$1" || exit {JOIN_FAILED}; shift; done; shift; exec "$@"'

_NAME = re.compile(r"golfref-(\d+)-(\d+)-(\d+|referee)")
"""Groups are named after their referee: its process id, when it started (in clock ticks), and a number."""

_SYSTEMD_S = 5.0
"""So long systemd may take to make a scope."""

_STALE_S = 1.0
"""So long it may take to end what a dead referee left in a group."""

_POLL_S = 0.002
_numbers = itertools.count(1)


class GroupFailed(Exception):
    """A control group could not be made or entered; the text says why and what to do."""


class Missing(Struct, frozen=True, kw_only=True):
    """Why there are no groups, or why they can do less, in words for the organiser."""

    reason: str
    remedy: str


class Cgroups(Struct, frozen=True, kw_only=True):
    """This process's way to make groups. May be handed to a process that it starts."""

    version: Literal[1, 2]
    folders: dict[Ability, str]
    """What the groups can do, and the folder in which they are made for it: one for all in version 2."""
    gap: Missing | None = None
    """Why they cannot do all; None where they can."""

    def group(self, *, memory_bytes: int, processes: int) -> "Group":
        """A new, empty group: so much memory, no swap, so many processes and threads. Raises GroupFailed."""
        name = f"golfref-{_identity(os.getpid())}-{next(_numbers)}"
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
            _write(pids / "pids.max", str(processes))

    def add(self, pid: int) -> None:
        """Put a process in; what it starts from now on is in the group too. Raises GroupFailed."""
        for path in self.join_files():
            try:
                _write(Path(path), str(pid))
            except OSError as error:
                raise GroupFailed(f"cannot put process {pid} into {path}: {error.strerror}") from None

    def join_files(self) -> tuple[str, ...]:
        """The files into which a process writes its id to be in the group."""
        return tuple(str(folder / "cgroup.procs") for folder in self._unique())

    def joined(self, command: Sequence[str]) -> list[str]:
        """The command, preceded by a shell that enters the group before it becomes the command; see JOIN_FAILED."""
        return ["/bin/sh", "-c", _JOIN, "sh", *self.join_files(), "--", *command]

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
        return _read(folder / "freezer.state") == "FROZEN"

    def kill(self) -> None:
        """SIGKILL for every process, frozen or not, and for those that they are just starting."""
        with contextlib.suppress(OSError):
            _write(self._any() / "cgroup.kill", "1")
            return
        # Without that file (before Linux 5.14, and version 1): one that is held still cannot start another meanwhile.
        self.freeze()
        end = time.monotonic() + _STALE_S / 10
        while "freeze" in self._folders and not self.frozen() and time.monotonic() < end:
            time.sleep(_POLL_S)
            self.freeze()
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self.thaw()

    def processes(self) -> tuple[int, ...]:
        """The ids of the processes in the group."""
        listed = (int(pid) for pid in (_read(self._any() / "cgroup.procs") or "").split())
        return tuple(pid for pid in listed if pid != 0)  # 0: of a namespace that we cannot see

    def memory_bytes(self) -> int | None:
        """The memory in use, with the files that it keeps in memory."""
        name = "memory.current" if self._version == 2 else "memory.usage_in_bytes"
        return self._number("memory", name)

    def oom_kills(self) -> int | None:
        """How many processes were killed because the group wanted more memory than it may have."""
        return self._number("memory", "memory.events" if self._version == 2 else "memory.oom_control", "oom_kill")

    def refused_forks(self) -> int | None:
        """How often a process or thread could not be started because the group had as many as it may have."""
        return self._number("processes", "pids.events", "max")

    def cpu_us(self) -> int | None:
        """Processor time used by all processes that are or were in the group, in microseconds."""
        if self._version == 2:
            return self._number("cpu", "cpu.stat", "usage_usec")
        used_ns = self._number("cpu", "cpuacct.usage")
        return None if used_ns is None else used_ns // 1000

    def remove(self, *, patience_s: float = 2.0) -> bool:
        """Kill what is left and remove the group; with no patience, one attempt. Whether it is gone.

        A group that stays, because a process cannot die yet, is removed when a later referee begins.
        """
        end = time.monotonic() + patience_s
        while not all(_removed(folder) for folder in self._unique()):
            self.kill()
            if time.monotonic() >= end:
                return False
            time.sleep(_POLL_S)
        return True

    def _unique(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(self._folders.values()))

    def _any(self) -> Path:
        return self._folders["kill"]

    def _hold(self, second: str, first: str) -> None:
        if folder := self._folders.get("freeze"):
            with contextlib.suppress(OSError):  # the group is gone
                if self._version == 2:
                    _write(folder / "cgroup.freeze", second)
                else:
                    _write(folder / "freezer.state", first)

    def _number(self, ability: Ability, name: str, field: str | None = None) -> int | None:
        if (folder := self._folders.get(ability)) is None:
            return None
        if field is not None:
            return _field(folder / name, field)
        text = _read(folder / name)
        return None if text is None else int(text)


def claim() -> Cgroups | Missing:
    """How this process can make groups. To be called once, before bots are started; removes what dead referees left.

    In version 2 this process moves: into a scope of its own that systemd makes for it, unless its control group was
    handed to it already, and there into a group beside those of the bots. A process that it starts later moves with it.
    """
    mounts = _mounts()
    if any(name in mounts for name in _FIRST):
        found = _claim_first(mounts)
    elif "" in mounts:
        found = _claim_second()
    else:
        return Missing(
            reason="no control groups are mounted here", remedy="mount cgroup2 on /sys/fs/cgroup (Linux only)"
        )
    if isinstance(found, Cgroups):
        _sweep(found)
    return found


# Version 1

_FIRST: dict[str, Ability] = {"memory": "memory", "pids": "processes", "freezer": "freeze", "cpuacct": "cpu"}
"""The controllers that we use, each with a hierarchy of its own or together with others."""


def _claim_first(mounts: dict[str, Path]) -> Cgroups | Missing:
    folders: dict[Ability, str] = {}
    for controller, ability in _FIRST.items():
        folder = mounts.get(controller)
        if folder is not None and os.access(folder, os.W_OK):
            folders[ability] = str(folder)
    if not folders:
        return Missing(
            reason="control groups are of version 1 here, where only root may make them",
            remedy="boot with systemd.unified_cgroup_hierarchy=1 (version 2), or run golfref as root",
        )
    folders["kill"] = folders.get("freeze") or next(iter(folders.values()))
    return _complete(Cgroups(version=1, folders=folders), "", "mount it, or use version 2")


# Version 2


def _claim_second() -> Cgroups | Missing:
    refusal = ""
    here = _mounts()[""]
    if not _is_ours(here):
        refusal = _ask_systemd()
        here = _mounts()[""]
    base = here.parent if _NAME.fullmatch(here.name) else here
    try:
        if base == here and (base / "cgroup.type").exists():  # all but the root of all groups
            _move_below(base)
        return _complete(_divided(base), refusal, f"start golfref where it is alone in its control group: {_SCOPE}")
    except OSError as error:
        return Missing(
            reason=f"may not make groups in {base}: {error.strerror}; {refusal}",
            remedy=f"start it in a session of systemd (log in; `su` and `sudo` make none), or: {_SCOPE}",
        )


_SCOPE = "systemd-run --user --scope -p Delegate=yes golfref ... (as root without --user)"


def _is_ours(folder: Path) -> bool:
    """Whether we may divide this group: it was handed over, and there is nobody else in it.

    Where systemd runs, being allowed to write is not enough: it keeps the groups of a user's manager for itself.
    """
    if _NAME.fullmatch(folder.name):
        return True
    if not os.access(folder / "cgroup.subtree_control", os.W_OK):
        return False
    if _has_systemd() and not _marked_delegated(folder):
        return False
    return (_read(folder / "cgroup.procs") or "").split() == [str(os.getpid())]


def _marked_delegated(folder: Path) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _move_below(base: Path) -> None:
    """Leave the group that is to be divided: one that bounds its children may hold no processes itself."""
    leaf = base / f"golfref-{_identity(os.getpid())}-referee"
    leaf.mkdir(exist_ok=True)
    _write(leaf / "cgroup.procs", "0")


def _divided(base: Path) -> Cgroups:
    """Groups below `base` with what can be had there; raises OSError where none can be made."""
    for controller in ("memory", "pids"):
        with contextlib.suppress(OSError):  # what is not enabled is told as a gap
            _write(base / "cgroup.subtree_control", f"+{controller}")
    probe = base / f"golfref-{_identity(os.getpid())}-0"
    probe.mkdir()
    files: dict[Ability, str] = {
        "memory": "memory.max",
        "processes": "pids.max",
        "freeze": "cgroup.freeze",
        "kill": "cgroup.procs",
        "cpu": "cpu.stat",
    }
    found = {ability: str(base) for ability, name in files.items() if (probe / name).exists()}
    probe.rmdir()
    return Cgroups(version=2, folders=found)


def _ask_systemd() -> str:
    """Have systemd move this process into a scope that it may divide. Returns what is in the way, empty if nothing."""
    if not _has_systemd():
        return "there is no systemd to ask for one"
    pid = os.getpid()
    scope = f"golfref-{_identity(pid)}.scope"
    manager = ["--system"] if os.geteuid() == 0 else ["--user"]
    target = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
    properties = ["PIDs", "au", "1", str(pid), "Delegate", "b", "true", "CollectMode", "s", "inactive-or-failed"]
    call = ["StartTransientUnit", "ssa(sv)a(sa(sv))", scope, "fail", "3", *properties, "0"]
    try:
        asked = subprocess.run(
            ["busctl", *manager, "call", *target, *call],
            env=_bus_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SYSTEMD_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"systemd could not be asked: {error}"
    if asked.returncode != 0:
        return f"systemd refused: {asked.stderr.decode('utf-8', 'replace').strip()}"
    end = time.monotonic() + _SYSTEMD_S
    while _mounts()[""].name != scope:
        if time.monotonic() > end:
            return f"systemd made no {scope} within {_SYSTEMD_S:g} s"
        time.sleep(_POLL_S)
    return ""


def _bus_environment() -> dict[str, str]:
    """Ours, but with the bus of this user's manager, also where the session that we are in has another or none."""
    environment = {name: value for name, value in os.environ.items() if name != "DBUS_SESSION_BUS_ADDRESS"}
    runtime = Path(f"/run/user/{os.geteuid()}")
    return environment | ({"XDG_RUNTIME_DIR": str(runtime)} if runtime.is_dir() else {})


def _has_systemd() -> bool:
    return Path("/run/systemd/system").is_dir()


# What both share


def _complete(cgroups: Cgroups, refusal: str, remedy: str) -> Cgroups:
    """With the gap that there is, in words."""
    wanted: tuple[Ability, ...] = ("memory", "processes", "freeze", "kill")
    lacking = [ability for ability in wanted if ability not in cgroups.folders]
    if not lacking:
        return cgroups
    reason = f"control groups have no {' and '.join(lacking)} controller here"
    gap = Missing(reason=f"{reason}; {refusal}" if refusal else reason, remedy=remedy)
    return Cgroups(version=cgroups.version, folders=cgroups.folders, gap=gap)


def _mounts() -> dict[str, Path]:
    """The folder of this process's own group, by controller, and under the empty name in version 2."""
    own: dict[str, str] = {}
    for line in (_read(Path("/proc/self/cgroup")) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    found: dict[str, Path] = {}
    for line in (_read(Path("/proc/self/mountinfo")) or "").splitlines():
        mount, _, system = line.partition(" - ")
        root, point = mount.split()[3:5]
        kind, _, options = system.split(maxsplit=2)
        names = {"cgroup2": [""], "cgroup": options.split(",")}.get(kind, [])
        for name in own.keys() & set(names) - found.keys():
            inside = os.path.relpath(own[name], root)
            if not inside.startswith(".."):  # else it is not to be seen from here
                found[name] = Path(point, inside)
    return found


def _sweep(cgroups: Cgroups) -> None:
    """End and remove the groups of referees that are dead."""
    for scope in _scopes(cgroups):
        for name in sorted(
            {entry.name for folder in scope.folders.values() for entry in Path(folder).glob("golfref-*")}
        ):
            named = _NAME.fullmatch(name)
            if named is None or _identity(int(named[1])) == f"{named[1]}-{named[2]}":
                continue
            if named[3] == "referee":  # what a referee started on its own account may live on in there
                _removed(Path(scope.folders["kill"], name))
            else:
                Group(scope, name).remove(patience_s=_STALE_S)


def _scopes(cgroups: Cgroups) -> Iterator[Cgroups]:
    """Where other referees may have made groups: beside ours, and in the scopes that systemd made for them."""
    yield cgroups
    if cgroups.version == 2:
        base = Path(cgroups.folders["kill"])
        for folder in base.parent.glob("golfref-*.scope"):
            if folder != base:
                yield Cgroups(version=2, folders=dict.fromkeys(cgroups.folders, str(folder)))


def _identity(pid: int) -> str:
    """A process's id and when it started; only the id where there is no such process."""
    stat = _read(Path(f"/proc/{pid}/stat"))
    return str(pid) if stat is None else f"{pid}-{stat.rpartition(')')[2].split()[19]}"


def _bound_memory(folder: Path, limit_bytes: int) -> None:
    if (folder / "memory.max").exists():
        _write(folder / "memory.max", str(limit_bytes))
        bounds = {"memory.swap.max": "0", "memory.oom.group": "1"}
    else:
        _write(folder / "memory.limit_in_bytes", str(limit_bytes))
        bounds = {"memory.memsw.limit_in_bytes": str(limit_bytes)}
    for name, value in bounds.items():
        with contextlib.suppress(FileNotFoundError):  # the kernel counts no swap, or is older
            _write(folder / name, value)


def _removed(folder: Path) -> bool:
    """Whether the group, with any that were made in it, is gone now."""
    for inner, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(inner)
    return not folder.exists()


def _field(path: Path, name: str) -> int | None:
    """The number after a name, in a file with one of each on every line."""
    for line in (_read(path) or "").splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return None


def _read(path: Path) -> str | None:
    with contextlib.suppress(OSError):
        return path.read_text().strip()
    return None


def _write(path: Path, text: str) -> None:
    """Write to a file of the kernel's: never made anew, and in one call."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(fd)
