"""A stranger's folder is copied, before it is read and when it is put on the shelf: he may change it at any moment.

It is read by an open folder and names below it, never by its path: whatever the stranger replaces by a link meanwhile,
nothing but what lies in that folder is copied.
"""

import os
import stat
from pathlib import Path

from referee.entries.leavings import advice, is_left_aside
from referee.entries.tree import DEEPEST, KINDS, has_holes
from referee.play.spec import MB

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
_CHUNK_BYTES = 1 << 20


class NotCopied(Exception):
    """What lies in the folder is not copied. The text says why, with the path from the folder on."""


def copy_in(folder: int, into: Path, *, most_bytes: int, most_files: int) -> None:
    """Copy what lies in an open folder into a new one; links are copied as they are, and not followed.

    What belongs to no version is left out, and so are all rights of files but that their owner may execute them.
    Raises NotCopied for what no entry may have, or where the folder changes meanwhile, and OSError where the host
    cannot write; then a part of the copy is left.
    """
    _Copy(most_bytes=most_bytes, most_files=most_files).folder(folder, "", into)


class _Copy:
    def __init__(self, *, most_bytes: int, most_files: int) -> None:
        self._most_bytes, self._most_files = most_bytes, most_files
        self._files = self._bytes = 0
        self._folders: list[str] = []

    def folder(self, source: int, path: str, into: Path) -> None:
        into.mkdir(mode=0o700)
        self._folders.append(path)
        with os.scandir(source) as found:
            for entry in found:
                if not is_left_aside(entry.name):
                    inner = os.path.join(path, entry.name)
                    self._count(inner)
                    self._one(entry.name, source, inner, into / entry.name)

    def _one(self, name: str, above: int, path: str, into: Path) -> None:
        try:
            mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                text, fd = os.readlink(name, dir_fd=above), -1
            else:
                self._check(path, mode)
                text, fd = "", os.open(name, _FOLDER if stat.S_ISDIR(mode) else _FILE, dir_fd=above)
        except PermissionError:
            raise NotCopied(f"{path}: cannot be read; let its owner make it readable (chmod -R a+rX)") from None
        except OSError:
            raise NotCopied(f"{path}: it changed while it was read; try again") from None
        if fd < 0:
            os.symlink(text, into)
            return
        try:
            if stat.S_ISDIR(mode):
                self.folder(fd, path, into)
            else:
                self._file(fd, path, into)
        finally:
            os.close(fd)

    def _check(self, path: str, mode: int) -> None:
        if kind := KINDS.get(stat.S_IFMT(mode)):
            raise NotCopied(f"{path}: {kind}; an entry has plain files, folders and links within it")
        if stat.S_ISDIR(mode) and path.count("/") + 1 >= DEEPEST:
            raise NotCopied(f"{path}: more than {DEEPEST} folders lie in one another")

    def _file(self, source: int, path: str, into: Path) -> None:
        about = os.fstat(source)
        if not stat.S_ISREG(about.st_mode):
            raise NotCopied(f"{path}: it changed while it was read; try again")
        if has_holes(about):
            raise NotCopied(f"{path}: a file with holes; write it out in full")
        fd = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with open(fd, "wb") as file:
            while data := os.read(source, _CHUNK_BYTES):
                self._bytes += len(data)
                if self._bytes > self._most_bytes:
                    text = f"more than {self._most_bytes // MB} MB of files, which is `entry_mb` in [builds]"
                    raise NotCopied(f"{text}{advice([*self._folders, path])}")
                file.write(data)
            os.fchmod(fd, 0o755 if about.st_mode & stat.S_IXUSR else 0o644)

    def _count(self, path: str) -> None:
        self._files += 1
        if self._files > self._most_files:
            text = f"more than {self._most_files} files and folders, which is `entry_files` in [builds]"
            raise NotCopied(f"{text}{advice([*self._folders, path])}")
