"""What lies in a folder of a stranger, looked at without following links, opening anything or going on for ever."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from referee.entries.leavings import advice, is_left_aside
from referee.entries.versions import SPARSE_BYTES
from referee.play.spec import MB

DEEPEST = 32
"""How many folders may lie in one another."""

_MOST_TOLD = 5
"""How many files of a folder are told that break a rule."""

KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFBLK: "a device", stat.S_IFCHR: "a device"}
"""What no entry may have, in words, by the kind that `stat` tells."""


class Contents(Struct, frozen=True, kw_only=True):
    """What was found."""

    top: frozenset[str]
    """The names of what lies in the folder itself, without folders and links."""
    files: int
    """How many files, links and folders there are."""
    size_bytes: int
    """How long the files are, all together."""
    problems: tuple[str, ...]
    """What must not be there, or is too much: each in words, with the path from the folder on."""


def look_through(folder: str, *, most_mb: int, most_files: int) -> Contents:
    """What is in the folder. What belongs to no version is passed over. Raises OSError where the folder cannot be read.

    The limits are bounds of [builds]; where one is passed, the rest is not looked at.
    """
    problems: list[str] = []
    folders: list[str] = []
    files = size = 0
    for files, (path, found) in enumerate(_walk(folder, problems), start=1):
        if stat.S_ISREG(found.st_mode):
            size += found.st_size
        elif stat.S_ISDIR(found.st_mode):
            folders.append(path)
        if problem := _problem(folder, path, found):
            problems.append(problem)
        if files > most_files:
            text = f"more than {most_files} files and folders, which is `entry_files` in [builds]"
            problems.append(f"{text}{advice(folders)}")
            break
        if size > most_mb * MB:
            problems.append(f"more than {most_mb} MB of files, which is `entry_mb` in [builds]{advice(folders)}")
            break
        if len(problems) > _MOST_TOLD:
            break
    with os.scandir(folder) as entries:
        top = frozenset(
            entry.name
            for entry in _some(entries, most_files)
            if entry.is_file(follow_symlinks=False) and not is_left_aside(entry.name)
        )
    return Contents(top=top, files=files, size_bytes=size, problems=tuple(problems[: _MOST_TOLD + 1]))


def _some(entries: Iterator[os.DirEntry[str]], most: int) -> Iterator[os.DirEntry[str]]:
    for number, entry in enumerate(entries):
        if number > most:
            return
        yield entry


def _walk(folder: str, problems: list[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below the folder, as paths from there, folders before what is in them."""
    waiting = [""]
    while waiting:
        place = waiting.pop()
        try:
            entries = os.scandir(os.path.join(folder, place))
        except OSError as error:
            if not place:
                raise
            problems.append(f"{place}: cannot be read: {error.strerror}")
            continue
        with entries:
            for entry in entries:
                if is_left_aside(entry.name):
                    continue
                path = os.path.join(place, entry.name)
                with suppress(FileNotFoundError):
                    yield path, entry.stat(follow_symlinks=False)
                    if not entry.is_dir(follow_symlinks=False):
                        continue
                    if path.count("/") + 1 >= DEEPEST:
                        problems.append(f"{path}: more than {DEEPEST} folders lie in one another")
                    else:
                        waiting.append(path)


def _problem(folder: str, path: str, found: os.stat_result) -> str | None:
    """What is wrong with a file, in words."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"{path}: its name is not UTF-8"
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFLNK:
        return _link_problem(folder, path)
    if kind in KINDS:
        return f"{path}: {KINDS[kind]}; an entry has plain files, folders and links within it"
    if kind == stat.S_IFREG and has_holes(found):
        return f"{path}: a file with holes; write it out in full"
    if kind == stat.S_IFREG and not os.access(os.path.join(folder, path), os.R_OK):
        return f"{path}: cannot be read; let its owner make it readable (chmod -R a+rX)"
    return None


def has_holes(found: os.stat_result) -> bool:
    """Whether a file is long, and less of it is on the disk than it has."""
    return found.st_blocks * 512 < found.st_size > SPARSE_BYTES


def _link_problem(folder: str, path: str) -> str | None:
    try:
        text = os.readlink(os.path.join(folder, path))
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror}"
    if _leads_out(folder, path, text):
        what = f"{path}: a link that leads out of the entry, to {text}"
        return what + (advice([path]) or "; put what it leads to into the entry")
    return None


def _leads_out(folder: str, path: str, text: str) -> bool:
    """Whether a link at this path from the folder on, with this text, leads out of the folder, or might."""
    if text.startswith("/"):
        return True
    outer = os.path.realpath(folder)
    target = os.path.realpath(os.path.join(outer, os.path.dirname(path), text))
    lexical = os.path.normpath(os.path.join(os.path.dirname(path), text))
    return lexical == ".." or lexical.startswith("../") or not (target == outer or target.startswith(f"{outer}/"))
