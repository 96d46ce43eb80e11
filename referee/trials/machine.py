"""What this machine and its system are like, as far as it matters to bots: versions, cores, rights, kernel settings.

This module only reads, but for bubblewrap, which is tried out once. What the system does not tell is None.
"""

import contextlib
import gzip
import os
import platform
import resource
import sqlite3
import sys
import time
from importlib.metadata import version
from pathlib import Path

from msgspec import Struct

from protocol import VERSION
from referee import __version__
from referee.play.faults import Missing
from referee.play.process.usage import lists_children, stolen_ticks
from referee.play.sandbox.fixes import parameter
from referee.play.sandbox.levels import bubblewrap
from referee.play.sandbox.system_info import cores, is_autogrouped, quota_cores, text

PARAMETERS = (
    "kernel.yama.ptrace_scope",
    "vm.overcommit_memory",
    "vm.oom_kill_allocating_task",
    "vm.panic_on_oom",
    "fs.file-max",
    "kernel.pid_max",
    "kernel.threads-max",
)
"""Parameters of the kernel (sysctl) that matter to bots."""


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
    parameters: dict[str, int]
    """What the kernel's PARAMETERS are set to, as far as it has them."""
    user_processes: int | None
    """How many processes our user may have, those of our bots included; None where there is no bound, as for root."""
    governor: str | None
    """What chooses the speed of the cores (`performance` saves no power); None where the system does not choose it."""


def versions() -> dict[str, str]:
    """The versions of all that plays a part, by name; an empty text where one is missing."""
    return {
        "golfref": __version__,
        "protocol": VERSION,
        "Python": platform.python_version(),
        "trio": version("trio"),
        "msgspec": version("msgspec"),
        "SQLite": sqlite3.sqlite_version,
        platform.system(): platform.release(),
        "bubblewrap": _bubblewrap_version(),
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
        child_lists=lists_children(),
        wait_times=os.access("/proc/self/schedstat", os.R_OK),
        stolen=_stolen(),
        sets_stolen_apart=_sets_stolen_apart(),
        has_core_handler=_has_core_handler(),
        parameters={name: value for name in PARAMETERS if (value := parameter(name)) is not None},
        user_processes=_user_processes(),
        governor=text(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
    )


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


def _user_processes() -> int | None:
    bound = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    return None if os.geteuid() == 0 or bound == resource.RLIM_INFINITY else bound


def _memory_mb() -> dict[str, int]:
    """The figures of /proc/meminfo in MB, by their names there."""
    found = {}
    for line in (text(Path("/proc/meminfo")) or "").splitlines():
        name, _, value = line.partition(":")
        found[name] = int(value.split()[0]) // 1024
    return found


def _bubblewrap_version() -> str:
    with contextlib.suppress(Missing):
        return bubblewrap().version.removeprefix("bubblewrap").strip()
    return ""
