"""Places in the host's file system, and where a bot in a cell finds them.

Looks at links and starts nothing. This module must not know what a bot is.
"""

import functools
import os

FOLDER = "/bot"
"""Where a bot finds its own folder; it starts there."""

SOURCE = "/source"
"""Where the build of a bot finds the bot's own folder; it works in FOLDER, which is empty at first."""

SCRATCH = "/tmp"  # noqa: S108 - the bot's own
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - likewise

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
"""Folders of the system's programs, which every bot can read."""

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
"""Where a bot finds the system's programs."""

_TOO_WIDE = ("/", "/home", "/root", "/etc", "/var", "/opt", "/srv", SCRATCH, "/run", "/mnt", "/media")

_TOO_WIDE_AT_HOME = (".local", ".cargo")
"""Folders of a home folder in which programs lie beside what is nobody else's business, such as keys."""


def is_within(path: str, folder: str) -> bool:
    """Whether a path is this folder, or lies in it by its name; links are not followed."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def is_system(path: str) -> bool:
    """Whether a path leads to one of the system's folders."""
    path = os.path.realpath(path)
    return any(is_within(path, place) for place in system_without_links())


@functools.cache
def system_without_links() -> tuple[str, ...]:
    """The system's folders, links resolved."""
    return tuple(dict.fromkeys(map(os.path.realpath, SYSTEM)))


def is_wide(place: str) -> bool:
    """Whether a folder holds what belongs to many, or the organiser's home."""
    home, found = os.path.realpath(os.path.expanduser("~")), os.path.realpath(place)
    at_home = [os.path.realpath(os.path.join(home, name)) for name in _TOO_WIDE_AT_HOME]
    return found in (*_TOO_WIDE, *at_home) or is_within(home, found)


def inside(path: str, folder: str) -> str:
    """What a bot calls this path if it lies in the bot's own `folder`; any other path, or argument, as it is."""
    return FOLDER + path[len(folder) :] if is_within(path, folder) else path
