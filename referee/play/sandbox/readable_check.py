"""What in a bot's own folder keeps it from being started in a cell, where it can read every file of that folder.

Files are looked at by their names, kinds and modes; none is opened. This module must not know how a cell is built.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator

from referee.errors import GolfrefError

MOST_FILES = 100_000
"""How many files a bot's own folder may hold. All of them are looked at before play."""

_STORE = re.compile(r"\.golfref([-.~]|$)", re.IGNORECASE)
"""The name of a store, also of an old one (`run.golfref.old1`) and of what lies beside one (`-wal`, `.lock`)."""


class Unfit(GolfrefError, ValueError):
    """This bot cannot be run in a cell as it is; the text says why and what to change."""


def check_folder(folder: str, *, for_another: bool) -> None:
    """Look through a bot's own folder; raises Unfit.

    It may hold no store, as bundles do, and nothing through which the bot could reach a process outside its cell. Where
    it is `for_another` user than ours, that user must be able to read everything in it; the advice to make that so is
    given only when it is known that the folder shows no cards.
    """
    closed = None
    for path, mode in _files(folder):
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
            what = "is a pipe, a socket or a device"
            raise Unfit(f"{path} {what}; remove it: what is in a cell talks to the referee alone")
        if stat.S_ISREG(mode) and _STORE.search(os.path.basename(path)):
            whose = "the store of a run, which holds the key of its deals"
            raise Unfit(
                f"{path} belongs to {whose}, and the bot could read all of {folder}; give the bot a folder of its own"
            )
        if closed is None and not stat.S_ISLNK(mode) and not mode & stat.S_IROTH:
            closed = path
    if closed is not None and for_another:
        raise Unfit(f"{_closed(closed)}: chmod -R a+rX {folder}")


def check_open(place: str) -> None:
    """Raises Unfit where only its owner can read a file or folder, and so the bot's user cannot."""
    if not os.stat(place).st_mode & stat.S_IROTH:
        raise Unfit(f"{_closed(place)}: chmod a+rX {place}")


def _closed(place: str) -> str:
    return f"{place} can be read by its owner only, and every bot runs as a user of its own"


def _files(folder: str) -> Iterator[tuple[str, int]]:
    """A folder and everything below it, with the mode of each; raises Unfit where it is too much.

    However deep it is, which os.walk before Python 3.12 cannot. A folder that we may not open is not looked into: as
    an ordinary user a bot cannot open it either.
    """
    try:
        yield folder, os.stat(folder).st_mode
    except OSError as error:
        raise _cannot_look(folder, error) from None
    count, waiting = 1, [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            count += 1
            if count > MOST_FILES:
                raise Unfit(f"{folder} holds more than {MOST_FILES} files; give the bot a folder of its own")
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except FileNotFoundError:  # it has been removed since it was listed
                continue
            except OSError as error:
                raise _cannot_look(entry.path, error) from None
            yield entry.path, mode
            if stat.S_ISDIR(mode):
                waiting.append(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _cannot_look(path: str, error: OSError) -> Unfit:
    return Unfit(f"{path[:200]}... cannot be looked at: {error.strerror}")
