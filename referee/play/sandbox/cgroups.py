"""Control groups: one for each bot, which bounds, freezes, counts and kills it with all that it starts. Linux.

A process stays in its control group whatever session, process group or namespace it enters. `set_up_cgroups` finds out
how this process can make groups: in version 2 it divides its own group, if that was delegated to it, or a scope that
systemd makes for it; root makes groups of version 1. `Cgroups.group` makes one.

A referee holds a lock on the folder of each of its groups, and the next one removes those that nobody holds. So it does
not matter in which container or namespace a referee runs: process ids mean nothing there, locks do. This module must
not know what a bot is, nor how it is started.
Sources: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/, and systemd's CGROUP_DELEGATION.md.
"""

import contextlib
import fcntl
import os
import re
import secrets
import signal
import subprocess
import time
from pathlib import Path
from typing import Literal

from msgspec import Struct

from referee.play.faults import HostFault, Missing
from referee.play.sandbox.fixes import delegate_group
from referee.play.sandbox.system_info import OpenFile, number, text, write

Ability = Literal["memory", "processes", "freeze", "kill", "cpu", "share"]
"""What a group can do: bound the memory, bound the number of processes, freeze all of them, kill all of them, count
their processor time, and compete for it as one, however many processes it has.
"""

_WANTED: tuple[Ability, ...] = ("memory", "processes", "freeze", "kill")

_SECOND: dict[Ability, str] = {
    "memory": "memory.max",
    "processes": "pids.max",
    "freeze": "cgroup.freeze",
    "kill": "cgroup.procs",
    "cpu": "cpu.stat",
    "share": "cpu.weight",
}
"""The file of a group of version 2 that shows that it has this ability."""

_FIRST: dict[str, Ability] = {"memory": "memory", "pids": "processes", "freezer": "freeze", "cpuacct": "cpu"}
"""The controllers of version 1 that are used, and what each can do. Several may share one hierarchy."""

_SLACK_BYTES = 1 << 20
"""A group of version 1 that comes so near to its bound is taken to have reached it: memory is counted in batches."""

_NAME = re.compile(r"golfref\.\d+\.[0-9a-f]+\.(bot|referee)")
"""The name of a group has the process id of its referee, which is for people only, and a token that makes it unique."""

_POLL_INTERVAL_S = 0.002

_SYSTEMD_S = 5.0
"""How long systemd may take to make a scope."""

_STALE_S = 1.0
"""How long it may take to end the processes that a dead referee left in a group."""


class Cgroups(Struct, frozen=True, kw_only=True):
    """How this process makes groups."""

    version: Literal[1, 2]
    folders: dict[Ability, str]
    """What the groups can do, and the folder in which they are made for that. In version 2 it is always the same."""
    gap: Missing | None = None
    """Why they cannot do all; None where they can."""

    def group(
        self, *, memory_bytes: int | None = None, processes: int | None = None, low_priority: bool = False
    ) -> "Group":
        """A new, empty group with these bounds, threads counting as processes, and without swap; raises HostFault.

        One of `low_priority` gets little of the cores while other groups want them, where groups share the cores.
        """
        group = None
        try:
            folder, lock = _new_folder(Path(self.folders["kill"]), "bot")
            group = Group(self, folder.name, lock)
            group.make(memory_bytes=memory_bytes, processes=processes, low_priority=low_priority)
        except OSError as error:
            if group is not None:
                group.remove(patience_s=0)
            raise HostFault(
                f"cannot make the control group {error.filename}: {error.strerror}; "
                "if something else manages that folder, start golfref in a scope of its own"
            ) from None
        return group


class Group:
    """A control group. Its figures are None where the system does not count them, or where the group is gone."""

    def __init__(self, cgroups: Cgroups, name: str, lock: int | None) -> None:
        """The group of this name, on whose first folder, if it is there, this process holds this `lock`."""
        self._version = cgroups.version
        self._folders = {ability: Path(folder, name) for ability, folder in cgroups.folders.items()}
        self._main = self._folders["kill"]
        self._lock = lock
        self._counter: OpenFile | None = None
        """The file that counts what the group has computed, which slap windows read again and again."""

    def make(self, *, memory_bytes: int | None, processes: int | None, low_priority: bool) -> None:
        """Make the folders that are not there yet, with these bounds; raises OSError."""
        for folder in self._unique():
            folder.mkdir(exist_ok=folder == self._main)
        if memory_bytes is not None and (memory := self._folders.get("memory")):
            _bound_memory(memory, memory_bytes)
        if processes is not None and (pids := self._folders.get("processes")):
            write(pids / "pids.max", str(processes))
        if low_priority and (share := self._folders.get("share")):
            write(share / "cpu.weight", "1")

    def join_files(self) -> tuple[str, ...]:
        """The files into which a process writes its id to be in the group."""
        return tuple(str(folder / "cgroup.procs") for folder in self._unique())

    def freeze(self) -> None:
        """Stop every process until `thaw`. This returns at once; `frozen` says when it is done."""
        self._set_frozen("1", "FROZEN")

    def thaw(self) -> None:
        """Let every process go on."""
        self._set_frozen("0", "THAWED")

    def frozen(self) -> bool:
        """Whether every process is stopped. Each stops soon after `freeze`, when it leaves the system call it is in."""
        if (folder := self._folders.get("freeze")) is None:
            return False
        if self._version == 2:
            return _field(folder / "cgroup.events", "frozen") == 1
        return text(folder / "freezer.state") == "FROZEN"

    def kill(self) -> bool:
        """Kill every process, frozen or not, and also those that they are just starting. This never waits.

        Returns False where some are only frozen yet, and are killed when this is called again a little later.
        """
        with contextlib.suppress(OSError):
            write(self._main / "cgroup.kill", "1")
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
        listed = (int(pid) for pid in (text(self._main / "cgroup.procs") or "").split())
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
        """The most memory that the group has held at a time; version 2 counts it since Linux 5.19."""
        return self._number("memory", "memory.peak" if self._version == 2 else "memory.max_usage_in_bytes")

    def cpu_ns(self) -> int | None:
        """The processor time of all processes that are or were in the group, in nanoseconds."""
        if (folder := self._folders.get("cpu")) is None:
            return None
        try:
            if self._counter is None:
                self._counter = OpenFile(f"{folder}/{'cpuacct.usage' if self._version == 1 else 'cpu.stat'}")
            counted = self._counter.read()
        except OSError:  # the group is gone
            return None
        if self._version == 1:
            return int(counted)
        return 1000 * int(counted.partition(b"usage_usec ")[2].split(None, 1)[0])

    def remove(self, *, patience_s: float = 2.0) -> bool:
        """Kill what is left in the group and remove it; returns whether it is gone. Without patience it tries once.

        A group stays if one of its processes cannot die yet. A later referee removes it when it begins.
        """
        if self._counter is not None:
            self._counter.close()
            self._counter = None
        end = time.monotonic() + patience_s
        while not all(_is_removed(folder) for folder in reversed(self._unique())):
            self.kill()
            if time.monotonic() >= end:
                return False
            time.sleep(_POLL_INTERVAL_S)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        return True

    def _unique(self) -> tuple[Path, ...]:
        """Its folders, the locked one first: it is there as long as any of them is."""
        return tuple(dict.fromkeys((self._main, *self._folders.values())))

    def _set_frozen(self, second: str, first: str) -> None:
        if folder := self._folders.get("freeze"):
            with contextlib.suppress(OSError):  # the group is gone
                if self._version == 2:
                    write(folder / "cgroup.freeze", second)
                else:
                    write(folder / "freezer.state", first)

    def _number(self, ability: Ability, name: str, field: str | None = None) -> int | None:
        if (folder := self._folders.get(ability)) is None:
            return None
        return number(folder / name) if field is None else _field(folder / name, field)


def _bound_memory(folder: Path, limit_bytes: int) -> None:
    if (folder / "memory.max").exists():
        write(folder / "memory.max", str(limit_bytes))
        bounds = {"memory.swap.max": "0", "memory.oom.group": "1"}
    else:
        write(folder / "memory.limit_in_bytes", str(limit_bytes))
        bounds = {"memory.memsw.limit_in_bytes": str(limit_bytes)}
    for name, value in bounds.items():
        with contextlib.suppress(FileNotFoundError):  # the kernel does not count swap, or is too old for this
            write(folder / name, value)


def _field(path: Path, name: str) -> int | None:
    """The number after a name, in a file with a name and a number on each line; None where it is not there."""
    for line in (text(path) or "").splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return None


# Folders, and who holds them


def _new_folder(base: Path, kind: str) -> tuple[Path, int]:
    """The folder of a new group, and this process's lock on it; raises OSError."""
    while True:
        folder = base / f"golfref.{os.getpid()}.{secrets.token_hex(4)}.{kind}"
        folder.mkdir()
        if (lock := _locked(folder)) is not None:  # else a referee that removes what dead ones left was faster
            return folder, lock


def _locked(folder: Path) -> int | None:
    """The descriptor that locks the folder of a group; None where another process has the lock, or it is gone."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if folder.exists():
            return fd
    os.close(fd)
    return None


def _is_removed(folder: Path) -> bool:
    """Remove a group and all groups in it, if they are empty; returns whether it is gone."""
    with contextlib.suppress(OSError):  # it is gone already, or something is in it
        os.rmdir(folder)
        return True
    for inner, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(inner)
    return not folder.exists()


def _remove_abandoned(cgroups: Cgroups) -> None:
    """Remove the groups that no referee holds, with all processes in those of bots.

    They lie beside ours, and in version 2 also in scopes that systemd made for other referees.
    """
    base = Path(cgroups.folders["kill"])
    scopes = base.parent.glob("golfref-*.scope") if cgroups.version == 2 else ()
    for place in dict.fromkeys((base, *scopes)):
        theirs = cgroups if place == base else Cgroups(version=2, folders=dict.fromkeys(cgroups.folders, str(place)))
        # In version 1 referees may share one hierarchy and not another.
        names = {folder.name for part in set(theirs.folders.values()) for folder in Path(part).glob("golfref.*")}
        for named in filter(None, map(_NAME.fullmatch, sorted(names))):
            main = place / named[0]
            lock = _locked(main)
            if lock is None and main.exists():
                continue
            if named[1] == "bot":
                Group(theirs, named[0], lock).remove(patience_s=_STALE_S)
            elif lock is not None:
                with contextlib.suppress(OSError):  # processes may live there that are no bots
                    os.rmdir(main)
                os.close(lock)


# How this process gets the right to make groups


def set_up_cgroups() -> Cgroups | Missing:
    """How this process can make groups, or why it cannot. Call it once, before bots are started.

    In version 2 this process moves. Unless its control group was delegated to it, it moves into a scope that systemd
    makes for it; there it moves into a group beside those of the bots. What it starts later is in that group too.
    Groups that dead referees left behind are removed.
    """
    mounts = _mounts()
    if any(name in mounts for name in _FIRST):
        found = _first(mounts)
    elif "" in mounts:
        found = _second()
    else:
        return Missing("no control groups are mounted here", "mount cgroup2 on /sys/fs/cgroup (Linux only)")
    if isinstance(found, Cgroups):
        _remove_abandoned(found)
    return found


def _mounts() -> dict[str, Path]:
    """The folder of this process's own group by controller; that of version 2 stands under an empty name."""
    own: dict[str, str] = {}
    for line in (text("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    found: dict[str, Path] = {}
    for line in (text("/proc/self/mountinfo") or "").splitlines():
        mount, _, system = line.partition(" - ")
        root, point = mount.split()[3:5]
        kind, _, options = system.split(maxsplit=2)
        names = {"cgroup2": [""], "cgroup": options.split(",")}.get(kind, [])
        for name in own.keys() & set(names) - found.keys():
            inside = os.path.relpath(own[name], root)
            if not inside.startswith(".."):  # else it cannot be seen from here
                found[name] = Path(point, inside)
    return found


def _complete(cgroups: Cgroups, refusal: str, remedy: str) -> Cgroups:
    """The same groups, with what they cannot do as their gap."""
    lacking = [ability for ability in _WANTED if ability not in cgroups.folders]
    if not lacking:
        return cgroups
    reason = f"control groups cannot do {' and '.join(lacking)} here"
    gap = Missing(f"{reason}; {refusal}" if refusal else reason, remedy)
    return Cgroups(version=cgroups.version, folders=cgroups.folders, gap=gap)


def _first(mounts: dict[str, Path]) -> Cgroups | Missing:
    """Groups of version 1."""
    folders: dict[Ability, str] = {}
    for controller, ability in _FIRST.items():
        folder = mounts.get(controller)
        if folder is not None and os.access(folder, os.W_OK):
            folders[ability] = str(folder)
    if not folders:
        return Missing(
            "control groups are of version 1 here, where only root may make them",
            "boot with systemd.unified_cgroup_hierarchy=1 (version 2), or run golfref as root",
        )
    folders["kill"] = folders.get("freeze") or next(iter(folders.values()))
    return _complete(Cgroups(version=1, folders=folders), "", "mount it, or use version 2")


_ALONE = (
    "make golfref the only process of its control group (in a container: its first command), "
    "and see that cgroup.controllers there names memory and pids"
)


def _second() -> Cgroups | Missing:
    """Groups of version 2."""
    refusal = ""
    here = _mounts()[""]
    if not _is_ours(here):
        refusal = _ask_systemd()
        here = _mounts()[""]
    base = here.parent if _NAME.fullmatch(here.name) else here
    try:
        if base == here and (base / "cgroup.type").exists():  # the root of all groups has no such file
            # Leave the group that is to be divided: one that bounds the groups in it may hold no processes itself.
            folder, lock = _new_folder(base, "referee")
            write(folder / "cgroup.procs", "0")
            os.close(lock)  # nobody can remove it any more
        return _complete(_divided(base), refusal, _ALONE)
    except OSError as error:
        return Missing(
            f"may not make groups in {base}: {error.strerror}; {refusal}",
            delegate_group() if _has_systemd() else _ALONE,
        )


def _is_ours(folder: Path) -> bool:
    """Whether this process may divide the group: the group was delegated to it, and no other process is in it.

    Where systemd runs, being allowed to write is not enough, because systemd manages the groups of a user by itself.
    """
    if _NAME.fullmatch(folder.name):
        return True
    if not os.access(folder / "cgroup.subtree_control", os.W_OK):
        return False
    if (text(folder / "cgroup.procs") or "").split() != [str(os.getpid())]:
        return False
    return not _has_systemd() or _marked_delegated(folder)


def _divided(base: Path) -> Cgroups:
    """Groups below `base` with all abilities that are to be had there; raises OSError where none can be made."""
    for controller in ("memory", "pids", "cpu"):
        with contextlib.suppress(OSError):  # what cannot be enabled is a gap
            write(base / "cgroup.subtree_control", f"+{controller}")
    probe, lock = _new_folder(base, "bot")
    found = {ability: str(base) for ability, name in _SECOND.items() if (probe / name).exists()}
    probe.rmdir()
    os.close(lock)
    return Cgroups(version=2, folders=found)


# Systemd


def _marked_delegated(folder: Path) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    if f"user@{os.geteuid()}.service" not in folder.parts:
        return False
    # The systemd of a user leaves no mark, so it has to be asked.
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        ask = ["systemctl", "--user", "show", "--property=Delegate", "--value", "--", folder.name]
        return _answer(ask).stdout.strip() == b"yes"
    return False


def _ask_systemd() -> str:
    """Have systemd move this process into a scope that it may divide; returns why not, or an empty text."""
    if not _has_systemd():
        return "there is no systemd that could make a scope for it"
    scope = f"golfref-{os.getpid()}-{secrets.token_hex(4)}.scope"
    manager = ["--system"] if os.geteuid() == 0 else ["--user"]
    target = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
    of_scope = ["PIDs", "au", "1", str(os.getpid()), "Delegate", "b", "true", "CollectMode", "s", "inactive-or-failed"]
    call = ["StartTransientUnit", "ssa(sv)a(sa(sv))", scope, "fail", "3", *of_scope, "0"]
    try:
        asked = _answer(["busctl", *manager, "call", *target, *call])
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"systemd could not be asked: {error}"
    if asked.returncode != 0:
        return f"systemd refused: {asked.stderr.decode('utf-8', 'replace').strip()}"
    end = time.monotonic() + _SYSTEMD_S
    while _mounts()[""].name != scope:
        if time.monotonic() > end:
            return f"systemd made no {scope} within {_SYSTEMD_S:g} s"
        time.sleep(_POLL_INTERVAL_S)
    return ""


def _answer(command: list[str]) -> "subprocess.CompletedProcess[bytes]":
    """What a tool of systemd answers. It finds the systemd of this user also from a session with another bus or none.

    Raises OSError and TimeoutExpired.
    """
    env = {name: value for name, value in os.environ.items() if name != "DBUS_SESSION_BUS_ADDRESS"}
    if os.path.isdir(runtime := f"/run/user/{os.geteuid()}"):
        env["XDG_RUNTIME_DIR"] = runtime
    return subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SYSTEMD_S, check=False
    )


def _has_systemd() -> bool:
    return os.path.isdir("/run/systemd/system")
