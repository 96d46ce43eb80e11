"""What the system says of its cores: how many this process may use, and how the kernel shares them out.

This module only reads files of the system; it must not know bots.
"""

import contextlib
import os
from pathlib import Path


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def quota_cores() -> float | None:
    """The smallest limit on computing of our control group and those above it, in cores; None where there is none."""
    quotas = []
    for folder in _cpu_folders():
        words = (text(folder / "cpu.max") or "").split()  # version 2: quota and period, or `max`
        if not words:
            words = [text(folder / f"cpu.cfs_{name}_us") or "-1" for name in ("quota", "period")]
        with contextlib.suppress(ValueError):
            if (quota := int(words[0])) > 0:
                quotas.append(quota / int(words[1]))
    return round(min(quotas), 2) if quotas else None


def is_autogrouped() -> bool | None:
    """Whether the kernel gives every session the same share of the cores; None where it does not tell."""
    setting = number("/proc/sys/kernel/sched_autogroup_enabled")
    return None if setting is None else setting == 1 and not _is_weighed()


def _is_weighed() -> bool:
    """Whether a control group of version 2 competes for the cores as a whole: what is in one has no autogroup."""
    return any((folder / "cpu.weight").exists() for folder in _cpu_folders())


def _cpu_folders() -> list[Path]:
    """The control groups that may limit our computing, our own first."""
    folders: list[Path] = []
    for line in (text(Path("/proc/self/cgroup")) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = Path("/sys/fs/cgroup", controllers)
        own = root / path.lstrip("/")
        folders += [folder for folder in (own, *own.parents) if folder.is_relative_to(root)]
    return folders


def number(path: str) -> int | None:
    """The number in a file of the system; None where there is no such file or no number."""
    found = text(Path(path))
    return int(found) if found is not None and found.isdigit() else None


def text(path: Path) -> str | None:
    """The text of a file of the system, stripped; None where it cannot be read."""
    with contextlib.suppress(OSError):
        return path.read_text().strip()
    return None
