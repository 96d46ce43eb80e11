"""What this machine and its system are like, as far as it matters to bots: versions, cores, rights, kernel settings.

This module only reads, but for bubblewrap, which is tried out once. What the system does not tell is None.
"""

import contextlib
import ctypes
import gzip
import os
import platform
import resource
import sqlite3
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

from protocol import VERSION
from referee import __version__
from referee.play.bot.procfs import lists_children, stolen_ticks
from referee.play.bot.tasks import Tasks
from referee.play.isolation.host import cores, is_autogrouped, number, quota_cores, text
from referee.play.isolation.levels import NoBubblewrap, bubblewrap


class Machine(Struct, frozen=True, kw_only=True):
    """The system that bots run on."""

    root: bool
    """Whether golfref runs as root. If so, every bot under `bwrap` gets a user id of its own."""
    cores: int
    """How many cores this process may use."""
    quota_cores: float | None
    """A control group's limit on computing, in cores; None where there is none."""
    load: float
    """How many processes computed or waited for a core, on average over the last minute."""
    memory_mb: int | None
    swap_mb: int | None
    """Swap space that is switched on."""
    autogroup: bool | None
    """Whether the kernel gives every bot the same share of the cores, however many processes it has.

    It does so by sessions, and only where no control group shares out the cores. None where that is not known.
    """
    ptrace_scope: int | None
    """Yama's setting; None where there is no Yama."""
    child_lists: bool
    """Whether the system lists the children of a process, by which processes that escape their bot are found."""
    wait_times: bool
    """Whether the system tells how long a process waited for a core, which is taken off the time of a slap."""
    stolen: float | None
    """The share of the cores' time that a virtual machine's host has given to others since the machine was started.

    None where the system is not Linux.
    """
    sets_stolen_apart: bool | None
    """Whether the kernel takes such time for no computing of the process that had the core.

    Then a slap window tells when a bot lost as little as 75 us; else it is told in steps of 10 ms.
    """
    has_core_handler: bool
    """Whether the crash of a bot reaches a program of the host's for core dumps, and golfref cannot prevent it."""
    overcommit: int | None
    """The setting vm.overcommit_memory of Linux; 2 where what is only reserved counts."""
    kills_asker: bool
    """Whether a Linux without memory kills who asks for some, and not who has the most."""
    panics: bool
    """Whether a Linux without memory stops altogether."""
    most_files: int | None
    """How many files all processes of the host may have open at a time, but for root's."""
    most_processes: int | None
    """How many processes and threads the host may have at a time, and our user, to whom those of our bots count too."""


def versions() -> dict[str, str]:
    """The versions of all that plays a part, by name; an empty text where one is missing or does not tell."""
    return {
        "golfref": __version__,
        "protocol": VERSION,
        "Python": platform.python_version(),
        "trio": _installed("trio"),
        "msgspec": _installed("msgspec"),
        "SQLite": sqlite3.sqlite_version,
        platform.system(): platform.release(),
        "bubblewrap": _bubblewrap_version(),
        "libseccomp": _libseccomp_version(),
    }


def look_at_machine() -> Machine:
    """The machine as it is now."""
    memory = _memory_mb()
    return Machine(
        root=os.geteuid() == 0,
        cores=cores(),
        quota_cores=quota_cores(),
        load=round(os.getloadavg()[0], 2),
        memory_mb=memory.get("MemTotal"),
        swap_mb=memory.get("SwapTotal"),
        autogroup=is_autogrouped(),
        ptrace_scope=number("/proc/sys/kernel/yama/ptrace_scope"),
        child_lists=lists_children(),
        wait_times=_tells_waits(),
        stolen=_stolen(),
        sets_stolen_apart=_sets_stolen_apart(),
        has_core_handler=_has_core_handler(),
        overcommit=number("/proc/sys/vm/overcommit_memory"),
        kills_asker=number("/proc/sys/vm/oom_kill_allocating_task") == 1,
        panics=bool(number("/proc/sys/vm/panic_on_oom")),
        most_files=number("/proc/sys/fs/file-max"),
        most_processes=_most_processes(),
    )


def _tells_waits() -> bool:
    """Whether the system tells how long a task has waited for a core, here of this process."""
    with contextlib.closing(Tasks(os.getpid())) as own:
        return bool(own.waits())


def _stolen() -> float | None:
    if sys.platform != "linux":
        return None
    ran_s = time.clock_gettime(time.CLOCK_BOOTTIME) * (os.cpu_count() or 1)
    return stolen_ticks() / os.sysconf("SC_CLK_TCK") / ran_s


def _sets_stolen_apart() -> bool | None:
    """Whether the kernel was built so; None where it does not say how it was built."""
    built = text(Path(f"/boot/config-{platform.release()}"))
    if built is None:
        with contextlib.suppress(OSError), gzip.open("/proc/config.gz", "rt") as file:
            built = file.read()
    return None if built is None else "\nCONFIG_PARAVIRT_TIME_ACCOUNTING=y\n" in built


def _has_core_handler() -> bool:
    """A limit of 1 byte keeps the kernel from starting a program, but an ordinary user cannot raise a limit of 0.

    No limit keeps it from telling one that listens, which Linux 6.16 brought (`@`).
    """
    pattern = text(Path("/proc/sys/kernel/core_pattern")) or ""
    is_bound = resource.getrlimit(resource.RLIMIT_CORE)[1] == 0 and os.geteuid() != 0
    return pattern.startswith("@") or (pattern.startswith("|") and is_bound)


def _most_processes() -> int | None:
    bounds = [number(f"/proc/sys/kernel/{name}") for name in ("pid_max", "threads-max")]
    of_user = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if os.geteuid() != 0 and of_user != resource.RLIM_INFINITY:
        bounds.append(of_user)
    return min((bound for bound in bounds if bound is not None), default=None)


def _memory_mb() -> dict[str, int]:
    """The figures of /proc/meminfo in MB, by their names there."""
    found = {}
    for line in (text(Path("/proc/meminfo")) or "").splitlines():
        name, _, value = line.partition(":")
        found[name] = int(value.split()[0]) // 1024
    return found


def _installed(package: str) -> str:
    with contextlib.suppress(PackageNotFoundError):
        return version(package)
    return ""


def _bubblewrap_version() -> str:
    with contextlib.suppress(NoBubblewrap):
        return bubblewrap().version.removeprefix("bubblewrap").strip()
    return ""


class _LibraryVersion(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint), ("minor", ctypes.c_uint), ("micro", ctypes.c_uint))


def _libseccomp_version() -> str:
    try:
        tell = ctypes.CDLL("libseccomp.so.2").seccomp_version
    except (OSError, AttributeError):  # there is none, or it is older than this function
        return ""
    tell.restype = ctypes.POINTER(_LibraryVersion)
    one = tell().contents
    return f"{one.major}.{one.minor}.{one.micro}"
