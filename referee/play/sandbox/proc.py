"""What a cell shows in place of the files of /proc that tell what the whole host does.

Their counters go on from one match to the next, and bots that run at the same time can make them rise and read them.
Files that programs need are written anew: they tell how many cores and how much memory there is, and nothing that
changes. The others cannot be read. What is not named here is the same at any time, or nothing that a bot does changes
it. Files of a process (/proc/PID) cannot be replaced.
"""

import functools
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

_SHOWN = frozenset(
    {
        "acpi", "asound", "bootconfig", "bus", "cgroups", "cmdline", "config.gz", "consoles", "cpuinfo", "crypto",
        "device-tree", "devices", "dma", "driver", "dynamic_debug", "execdomains", "fb", "filesystems", "iomem",
        "ioports", "kallsyms", "key-users", "keys", "locks", "mdstat", "misc", "modules", "mounts", "mtrr", "net",
        "partitions", "scsi", "self", "swaps", "sys", "sysrq-trigger", "sysvipc", "thread-self", "tty", "version",
        "version_signature", "xen",
    }
)  # fmt: skip
"""What is shown as it is: it is constant, or no bot in a cell can change it. Nothing else of the host's is shown.

The speed of the cores, in cpuinfo, depends on their load, of which a bot also learns by the time that its computing
takes. Every replaced file makes the start of a cell longer by about 0.1 ms.
"""


def written_anew() -> dict[str, bytes]:
    """By path, the contents of the files that are the same in every cell at any time."""
    return dict(_written_anew())


@functools.cache
def unreadable() -> tuple[list[str], list[str]]:
    """The files and the folders of /proc that a cell does not show."""
    files: list[str] = []
    folders: list[str] = []
    with os.scandir("/proc") as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.isdigit() or entry.name in _SHOWN or entry.path in dict(_written_anew()):
                continue
            if entry.stat(follow_symlinks=False).st_mode & stat.S_IROTH:
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.path)
    return files, [*folders, *filter(os.path.isdir, ["/proc/sys/fs"])]


@functools.cache
def _written_anew() -> tuple[tuple[str, bytes], ...]:
    found = []
    for name, write in _WRITERS.items():
        path = Path("/proc", name)
        if path.exists():
            found.append((str(path), write(path.read_text()).encode()))
    return tuple(found)


def _memory(text: str) -> str:
    """All of the host's memory is free, and nothing is used for anything."""
    total = text.partition("\n")[0]
    free = "\n".join(total.replace("MemTotal", name) for name in ("MemFree", "MemAvailable"))
    others = re.findall(r"^(?!Mem).*\n", text, re.MULTILINE)
    same = ("Hugepagesize", "VmallocTotal")
    zeroed = (line if line.startswith(same) else re.sub(r"\d+( kB)?$", r"0\1", line) for line in others)
    return "".join([f"{total}\n{free}\n", *zeroed])


def _cores(text: str) -> str:
    """As many cores as there are, which have done nothing since the host was started."""
    lines = [line if line.startswith("btime") else re.sub(r"(?<= )\d+", "0", line) for line in text.splitlines()]
    return "\n".join([*lines, ""])


_WRITERS: dict[str, Callable[[str], str]] = {
    "loadavg": lambda _: "0.00 0.00 0.00 1/1 1\n",
    "meminfo": _memory,
    "stat": _cores,
    "uptime": lambda _: "1.00 1.00\n",
}
