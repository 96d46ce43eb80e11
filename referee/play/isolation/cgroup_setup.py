"""How this process gets the right to make control groups. Linux.

Root makes groups of version 1. In version 2 a process divides its own group, if that was delegated to it, or a scope
that systemd makes for it. Groups that dead referees left behind are removed.
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
from referee.play.isolation.fixes import delegate_group

_NAME = re.compile(r"golfref-(\d+)-(\d+)-(\d+|referee)")
"""The name of a group tells its referee's process id, when the referee was started (in clock ticks), and a number."""

_SYSTEMD_S = 5.0
"""How long systemd may take to make a scope."""

_STALE_S = 1.0
"""How long it may take to end the processes that a dead referee left in a group."""


def set_up_cgroups() -> Cgroups | CgroupGap:
    """How this process can make groups, or why it cannot. Call it once, before bots are started.

    In version 2 this process moves. Unless its control group was delegated to it, it moves into a scope that systemd
    makes for it; there it moves into a group beside those of the bots. What it starts later is in that group too.
    Groups that dead referees left behind are removed.
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
"""The controllers of version 1 that are used, and what each can do. Several may share one hierarchy."""


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
        if base == here and (base / "cgroup.type").exists():  # the root of all groups has no such file
            _move_below(base)
        return _complete(_divided(base), refusal, _ALONE)
    except OSError as error:
        return CgroupGap(
            reason=f"may not make groups in {base}: {error.strerror}; {refusal}",
            remedy=delegate_group() if _has_systemd() else _ALONE,
        )


_ALONE = (
    "make golfref the only process of its control group (in a container: its first command), "
    "and see that cgroup.controllers there names memory and pids"
)


def _is_ours(folder: Path) -> bool:
    """Whether this process may divide the group: the group was delegated to it, and no other process is in it.

    Where systemd runs, being allowed to write is not enough, because systemd manages the groups of a user by itself.
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
    # The systemd of a user leaves no mark, so it has to be asked.
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        ask = ["systemctl", "--user", "show", "--property=Delegate", "--value", "--", folder.name]
        answer = subprocess.run(
            ask, env=_bus_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SYSTEMD_S, check=False
        )
        return answer.stdout.strip() == b"yes"
    return False


def _move_below(base: Path) -> None:
    """Leave the group that is to be divided: a group that bounds the groups in it may hold no processes itself."""
    leaf = base / f"golfref-{identity(os.getpid())}-referee"
    leaf.mkdir(exist_ok=True)
    write_text(leaf / "cgroup.procs", "0")


def _divided(base: Path) -> Cgroups:
    """Groups below `base` with all abilities that are to be had there; raises OSError where none can be made."""
    for controller in ("memory", "pids", "cpu"):
        with contextlib.suppress(OSError):  # what cannot be enabled is told as a gap
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
    """Have systemd move this process into a scope that it may divide; returns why not, or an empty text."""
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
    """The environment in which the systemd of this user is found, also where our session has another bus or none."""
    environment = {name: value for name, value in os.environ.items() if name != "DBUS_SESSION_BUS_ADDRESS"}
    runtime = Path(f"/run/user/{os.geteuid()}")
    return environment | ({"XDG_RUNTIME_DIR": str(runtime)} if runtime.is_dir() else {})


def _has_systemd() -> bool:
    return Path("/run/systemd/system").is_dir()


# Both versions


def _complete(cgroups: Cgroups, refusal: str, remedy: str) -> Cgroups:
    """The same groups with what they cannot do told as their gap."""
    wanted: tuple[Ability, ...] = ("memory", "processes", "freeze", "kill")
    lacking = [ability for ability in wanted if ability not in cgroups.folders]
    if not lacking:
        return cgroups
    reason = f"control groups cannot do {' and '.join(lacking)} here"
    gap = CgroupGap(reason=f"{reason}; {refusal}" if refusal else reason, remedy=remedy)
    return Cgroups(version=cgroups.version, folders=cgroups.folders, gap=gap)


def _mounts() -> dict[str, Path]:
    """The folder of this process's own group by controller; that of version 2 stands under an empty name."""
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
            if not inside.startswith(".."):  # else it cannot be seen from here
                found[name] = Path(point, inside)
    return found


def _sweep(cgroups: Cgroups) -> None:
    """Remove the groups of referees that are dead, with all processes in them."""
    for scope in _scopes(cgroups):
        for name in sorted(
            {entry.name for folder in scope.folders.values() for entry in Path(folder).glob("golfref-*")}
        ):
            named = _NAME.fullmatch(name)
            if named is None or identity(int(named[1])) == f"{named[1]}-{named[2]}":
                continue
            if named[3] == "referee":  # in this group processes may live on that are no bots
                is_removed(Path(scope.folders["kill"], name))
            else:
                Group(scope, name).remove(patience_s=_STALE_S)


def _scopes(cgroups: Cgroups) -> Iterator[Cgroups]:
    """The places where other referees may have made groups: beside ours, and in scopes that systemd made for them."""
    yield cgroups
    if cgroups.version == 2:
        base = Path(cgroups.folders["kill"])
        for folder in base.parent.glob("golfref-*.scope"):
            if folder != base:
                yield Cgroups(version=2, folders=dict.fromkeys(cgroups.folders, str(folder)))
