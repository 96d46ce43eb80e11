"""Folders: looked through, copied, or made anew, with each file held to the rulebook.

A stranger may change his folder at any moment. golfref reads it by descriptors and follows no link, so that it reads
nothing but what lies in that folder.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from referee.beneath import FOLDER_MODE, open_folder, opened
from referee.versions.files import BadFiles, Bounds, Contents, FileRules, TooMuch

CHUNK_BYTES = 1 << 16
"""So much is read at a time."""

_MOST_PROBLEMS = 5
"""How many files of a folder are named that break a rule."""

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


def look_through(folder: str, bounds: Bounds) -> Contents:
    """The files in the folder, and the first ones that break a rule. Raises OSError where it cannot be read."""
    rules = FileRules(bounds)
    problems: list[BadFiles] = []
    fd = open_folder(Path(folder))
    try:
        for problem in islice(_read_folder(fd, "", rules), _MOST_PROBLEMS):
            problems.append(problem)
    except TooMuch as problem:
        problems.append(problem)
    finally:
        os.close(fd)
    return rules.contents(problems=problems)


def copy_folder(folder: int, into: Path, bounds: Bounds) -> None:
    """Copy an open folder into one that is not there yet, as `new_files` makes it.

    Raises BadFiles, and OSError where the host cannot write; then nothing of the copy is left.
    """
    with new_files(into, bounds) as files:
        for problem in _read_folder(folder, "", files):
            raise problem


def _read_folder(above: int, prefix: str, files: FileRules) -> Iterator[BadFiles]:
    """Add everything in an open folder and below it; yields each file that breaks a rule. Raises TooMuch."""
    with os.scandir(above) as entries:
        for name in (entry.name for entry in entries if not files.leaves_out(entry.name)):
            try:
                yield from _read_one(name, above, prefix + name, files)
            except TooMuch:
                raise
            except BadFiles as problem:
                yield problem


def _read_one(name: str, above: int, path: str, files: FileRules) -> Iterator[BadFiles]:
    try:
        mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
        target = os.readlink(name, dir_fd=above) if stat.S_ISLNK(mode) else ""
        if not target and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise files.wrong_kind(path)
        fd = -1 if target else os.open(name, _FLAGS, dir_fd=above)
    except PermissionError:
        raise files.refusal(path, "it cannot be read; let its owner make it readable (chmod -R a+rX)") from None
    except OSError:
        raise files.refusal(path, "it changed while it was read; try again") from None
    if target:
        files.link(path, target)
        return
    try:
        about = os.fstat(fd)
        if stat.S_ISDIR(about.st_mode):
            files.folder(path)
            yield from _read_folder(fd, f"{path}/", files)
        elif isinstance(files, NewFiles):
            content = iter(lambda: os.read(fd, CHUNK_BYTES), b"")
            files.file(path, content, executable=bool(about.st_mode & stat.S_IXUSR))
        else:
            files.count_bytes(files.new_file(path), about.st_size)
    finally:
        os.close(fd)


class NewFiles(FileRules):
    """A new folder, into which each file is written that the rules accept.

    Every method raises BadFiles, and OSError where the host cannot write.
    """

    def __init__(self, fd: int, bounds: Bounds, packed_bytes: int | None) -> None:
        """`fd` is the open, empty folder; `packed_bytes` as in FileRules."""
        super().__init__(bounds, packed_bytes)
        self._fd = fd

    def folder(self, name: str) -> str:
        """Make a folder, unless it is there already; returns its path."""
        path = super().folder(name)
        with opened(path, self._fd, makes=True):
            return path

    def file(self, name: str, content: Iterable[bytes], *, executable: bool) -> None:
        """Write a file. Its bytes count as they are written."""
        path = self.new_file(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._above(path) as (above, base), open(os.open(base, flags, 0o600, dir_fd=above), "wb") as file:
            for chunk in content:
                self.count_bytes(path, len(chunk))
                file.write(chunk)
            os.fchmod(file.fileno(), 0o755 if executable else 0o644)

    def link(self, name: str, target: str) -> str:
        """Make a symbolic link; returns its path."""
        path = super().link(name, target)
        with self._above(path) as (above, base):
            os.symlink(target, base, dir_fd=above)
        return path

    def hard_link(self, name: str, first: str) -> tuple[str, str]:
        """Give a second name to a file that was written before; returns its path and that of the file."""
        path, origin = super().hard_link(name, first)
        with self._above(path) as (above, base), self._above(origin) as (there, old):
            os.link(old, base, src_dir_fd=there, dst_dir_fd=above, follow_symlinks=False)
        return path, origin

    @contextlib.contextmanager
    def _above(self, path: str) -> Iterator[tuple[int, str]]:
        """The open folder above a path, made where it is missing, and the name there."""
        folder, _, name = path.rpartition("/")
        with opened(folder, self._fd, makes=True) as above:
            yield above, name


@contextlib.contextmanager
def new_files(into: Path, bounds: Bounds, packed_bytes: int | None = None) -> Iterator[NewFiles]:
    """A new folder that gets its name at the end; if anything is raised, nothing is left of it.

    Until then it is called `into` with `.new` after it, where what a process left that was killed is removed. Raises
    FileExistsError where something has the name, and BadFiles where it gets no file.
    """
    beside = into.with_name(f"{into.name}.new")
    if os.path.lexists(into):
        raise FileExistsError(f"{into}: this is there already")
    if os.path.lexists(beside):
        shutil.rmtree(beside)
    beside.mkdir(0o700)
    try:
        fd = open_folder(beside)
        try:
            files = NewFiles(fd, bounds, packed_bytes)
            yield files
            if not files.contents().files:
                raise BadFiles("there is no file in it")
            os.fchmod(fd, FOLDER_MODE)
        finally:
            os.close(fd)
        beside.rename(into)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
