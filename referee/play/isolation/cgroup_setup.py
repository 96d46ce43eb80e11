"""How this process comes to make control groups: those of version 1 as root, its own delegated group, or a scope that
systemd gives it. What groups of dead referees left is swept away. Linux.
"""

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from referee.play.isolation.cgroups import (
    POLL_S,
    Ability,
    CgroupGap,
    Cgroups,
    Group,
    identity,
    is_removed,
    read_text,
    write_text,
)

_NAME = re.compile(r"golfref-(\d+)-(\d+)-(\d+|referee)")
"""Groups are named after their referee: its process id, when it started (in clock ticks), and a number."""

_SYSTEMD_S = 5.0
"""So long systemd may take to make a scope."""

_STALE_S = 1.0
"""So long it may take to end what a dead referee left in a group."""


def set_up_cgroups() -> Cgroups | CgroupGap:
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
        return CgroupGap(
            reason="no control groups are mounted here", remedy="mount cgroup2 on /sys/fs/cgroup (Linux only)"
        )
    if isinstance(found, Cgroups):
        _sweep(found)
    return found


# Version 1

_FIRST: dict[str, Ability] = {"memory": "memory", "pids": "processes", "freezer": "freeze", "cpuacct": "cpu"}
"""The controllers that we use, each with a hierarchy of its own or together with others."""


def _claim_first(mounts: dict[str, Path]) -> Cgroups | CgroupGap:
    folders: dict[Ability, str] = {}
    for controller, ability in _FIRST.items():
        folder = mounts.get(controller)
        if folder is not None and os.access(folder, os.W_OK):
            folders[ability] = str(folder)
    if not folders:
        return CgroupGap(
            reason="control groups are of version 1 here, where only root may make them",
            remedy="boot with systemd.unified_cgroup_hierarchy=1 (version 2), or run golfref as root",
        )
    folders["kill"] = folders.get("freeze") or next(iter(folders.values()))
    return _complete(Cgroups(version=1, folders=folders), "", "mount it, or use version 2")


# Version 2


def _claim_second() -> Cgroups | CgroupGap:
    refusal = ""
    here = _mounts()[""]
    if not _is_ours(here):
        refusal = _ask_systemd()
        here = _mounts()[""]
    base = here.parent if _NAME.fullmatch(here.name) else here
    try:
        if base == here and (base / "cgroup.type").exists():  # all but the root of all groups
            _move_below(base)
        return _complete(_divided(base), refusal, _ALONE)
    except OSError as error:
        return CgroupGap(
            reason=f"may not make groups in {base}: {error.strerror}; {refusal}",
            remedy=f"start it in a session of systemd (log in; `su` and `sudo` make none), or: {_SCOPE}",
        )


_ALONE = (
    "make golfref the only process of its control group (in a container: its first command), "
    "and see that cgroup.controllers there names memory and pids"
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
    if (read_text(folder / "cgroup.procs") or "").split() != [str(os.getpid())]:
        return False
    return not _has_systemd() or _marked_delegated(folder)


def _marked_delegated(folder: Path) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    if f"user@{os.geteuid()}.service" not in folder.parts:
        return False
    # A user's manager leaves no mark: it has to be asked.
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        ask = ["systemctl", "--user", "show", "--property=Delegate", "--value", "--", folder.name]
        answer = subprocess.run(
            ask, env=_bus_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SYSTEMD_S, check=False
        )
        return answer.stdout.strip() == b"yes"
    return False


def _move_below(base: Path) -> None:
    """Leave the group that is to be divided: one that bounds its children may hold no processes itself."""
    leaf = base / f"golfref-{identity(os.getpid())}-referee"
    leaf.mkdir(exist_ok=True)
    write_text(leaf / "cgroup.procs", "0")


def _divided(base: Path) -> Cgroups:
    """Groups below `base` with what can be had there; raises OSError where none can be made."""
    for controller in ("memory", "pids", "cpu"):
        with contextlib.suppress(OSError):  # what is not enabled is told as a gap
            write_text(base / "cgroup.subtree_control", f"+{controller}")
    probe = base / f"golfref-{identity(os.getpid())}-0"
    probe.mkdir()
    files: dict[Ability, str] = {
        "memory": "memory.max",
        "processes": "pids.max",
        "freeze": "cgroup.freeze",
        "kill": "cgroup.procs",
        "cpu": "cpu.stat",
        "share": "cpu.weight",
    }
    found = {ability: str(base) for ability, name in files.items() if (probe / name).exists()}
    probe.rmdir()
    return Cgroups(version=2, folders=found)


def _ask_systemd() -> str:
    """Have systemd move this process into a scope that it may divide. Returns what is in the way, empty if nothing."""
    if not _has_systemd():
        return "there is no systemd that could make a scope for it"
    pid = os.getpid()
    scope = f"golfref-{identity(pid)}.scope"
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
        time.sleep(POLL_S)
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
    reason = f"control groups cannot do {' and '.join(lacking)} here"
    gap = CgroupGap(reason=f"{reason}; {refusal}" if refusal else reason, remedy=remedy)
    return Cgroups(version=cgroups.version, folders=cgroups.folders, gap=gap)


def _mounts() -> dict[str, Path]:
    """The folder of this process's own group, by controller, and under the empty name in version 2."""
    own: dict[str, str] = {}
    for line in (read_text(Path("/proc/self/cgroup")) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    found: dict[str, Path] = {}
    for line in (read_text(Path("/proc/self/mountinfo")) or "").splitlines():
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
            if named is None or identity(int(named[1])) == f"{named[1]}-{named[2]}":
                continue
            if named[3] == "referee":  # what a referee started on its own account may live on in there
                is_removed(Path(scope.folders["kill"], name))
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
