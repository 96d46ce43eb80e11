"""What the system says of itself: small files of the kernel, and the cores that this process may use.

This module must not know bots.
"""

import contextlib
import os
from pathlib import Path
from typing import ClassVar

_PART_BYTES = 4096

# Small files of the kernel, as those of /proc


def read(path: str | os.PathLike[str]) -> bytes:
    """All of a file, in a third of the time that a Path takes; raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = b""
        while more := os.read(fd, _PART_BYTES):  # a long list comes in parts
            data += more
        return data
    finally:
        os.close(fd)


def text(path: str | os.PathLike[str]) -> str | None:
    """The text of a file, stripped; None where it cannot be read."""
    with contextlib.suppress(OSError):
        return read(path).decode("utf-8", "replace").strip()
    return None


def number(path: str | os.PathLike[str]) -> int | None:
    """The number in a file; None where there is no such file or no number."""
    found = text(path)
    return int(found) if found is not None and found.isdigit() else None


def write(path: str | os.PathLike[str], words: str) -> None:
    """Write to a file in one call; the file is not made. Raises OSError with its name."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, words.encode())
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    finally:
        os.close(fd)


class OpenFile:
    """A file that stays open and is read again and again, which takes a tenth of the time."""

    number: ClassVar[int] = 0
    """How many there are in this process."""

    def __init__(self, path: str) -> None:
        """Raises OSError where it cannot be opened."""
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        OpenFile.number += 1

    def read(self) -> bytes:
        """Its text now, up to 4 KB; raises OSError where the process or the group that it describes is gone."""
        return os.pread(self._fd, _PART_BYTES, 0)

    def close(self) -> None:
        """Close it."""
        os.close(self._fd)
        OpenFile.number -= 1


# Cores


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
