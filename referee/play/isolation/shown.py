"""What lies in the places that a bot in a cell can read, and which of it keeps the bot from being started.

A bot reads every file that it is shown. So nothing of a run's store may be among them: it holds the key of all deals.
This module reads files and starts nothing; it must not know how a cell is built.
"""

import contextlib
import functools
import os
import re
import stat
from collections.abc import Iterator

MOST_FILES = 100_000
"""How many files a bot's own folder may hold. All of them are looked at before play."""

MOST_FILES_TO_READ = 500_000
"""How many files anything else that a bot can read may hold, such as an interpreter's folder."""

_STORE_NAME = re.compile(r"\.golfref([-.~]|$)", re.IGNORECASE)
"""The name of a store, also of an old one (`run.golfref.old1`) and of what lies beside one (`-wal`, `.lock`)."""

_PAGE_BYTES = 4096
"""The size of a store's first page, which names its tables. The size of the whole file is a multiple of it."""

_STORE_MARKS = (b"SQLite format 3\x00", b"CREATE TABLE meta ", b"CREATE TABLE matches ")
"""What is in the first page of a store, whatever its file is called."""


class Unfit(ValueError):
    """This bot cannot be run in a cell as it is; the text says why and what to change."""


def check_folder(folder: str, *, for_another: bool) -> None:
    """Look through a bot's own folder; raises Unfit.

    It may hold no part of a store, and nothing through which two bots that share the folder could talk. Where it is
    `for_another` user than ours, that user must be able to read everything in it; the advice to make that so is given
    only when it is known that the folder holds no store.
    """
    closed = None
    everyone = stat.S_IROTH if for_another else 0
    for path, found in _files(folder, most=MOST_FILES):
        _check_cannot_talk(path, found)
        if _is_store(path, found):
            raise Unfit(f"{_shows_store(path, folder)}; give the bot a folder of its own")
        if closed is None and not stat.S_ISLNK(found.st_mode) and found.st_mode & everyone != everyone:
            closed = path
    if closed is not None:
        raise Unfit(
            f"{closed} can be read by its owner only, and every bot runs as a user of its own: chmod -R a+rX {folder}"
        )


def check_open(place: str) -> None:
    """Raises Unfit where only its owner can read a file or folder, and so the bot's user cannot."""
    if not os.stat(place).st_mode & stat.S_IROTH:
        raise Unfit(
            f"{place} can be read by its owner only, and every bot runs as a user of its own: chmod a+rX {place}"
        )


@functools.cache
def check_place(place: str) -> None:
    """Look through a file or folder that a bot can read besides its own folder; raises Unfit.

    The same may not be there as in the bot's own folder. Bots often share an interpreter, so a place in which there is
    none of it is looked through once.
    """
    place = os.path.realpath(place)
    for path, found in _files(place, most=MOST_FILES_TO_READ):
        _check_cannot_talk(path, found)
        if _is_store(path, found):
            raise Unfit(f"{_shows_store(path, place)}; give the bot a folder of its own to read, or move the store")


def _check_cannot_talk(path: str, found: os.stat_result) -> None:
    """Raises Unfit if this is no file, folder or link."""
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        raise Unfit(f"{path} is a pipe, a socket or a device; remove it: what is in a cell talks to the referee alone")


def _shows_store(path: str, place: str) -> str:
    holds = f"{path} belongs to the store of a run, which holds the key of its deals"
    return f"{holds}, and the bot could read all of {place}"


def _is_store(path: str, found: os.stat_result) -> bool:
    """Whether a file is a store, or belongs to one, by its name or by what it holds.

    A link shows a bot nothing that it does not see anyway, so links do not count.
    """
    if not stat.S_ISREG(found.st_mode):
        return False
    if _STORE_NAME.search(os.path.basename(path)):
        return True
    if not found.st_size or found.st_size % _PAGE_BYTES:
        return False
    with contextlib.suppress(OSError), open(path, "rb") as file:
        first = file.read(_PAGE_BYTES)
        return first.startswith(_STORE_MARKS[0]) and all(mark in first for mark in _STORE_MARKS)
    return False


def _files(place: str, *, most: int) -> Iterator[tuple[str, os.stat_result]]:
    """A file or folder and everything below it, with what the system says of each; raises Unfit where it is too much.

    However deep it is, which os.walk before Python 3.12 cannot. A folder that we may not open is not looked into: as
    an ordinary user a bot cannot open it either.
    """
    count = 1
    try:
        found = os.lstat(place)
    except OSError as error:
        raise _cannot_look(place, error) from None
    yield place, found
    waiting = [place] if stat.S_ISDIR(found.st_mode) else []
    while waiting:
        for entry in _entries(waiting.pop()):
            count += 1
            if count > most:
                raise Unfit(
                    f"{place} holds more than {most} files; all that a bot can read is looked through before play"
                )
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # it has been removed since it was listed
                continue
            except OSError as error:
                raise _cannot_look(entry.path, error) from None
            yield entry.path, found
            if stat.S_ISDIR(found.st_mode):
                waiting.append(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _cannot_look(path: str, error: OSError) -> Unfit:
    return Unfit(f"{path[:200]}... cannot be looked at: {error.strerror}")
