"""What may come out of an archive: the names, the links and the amounts, and how it is written into a new folder.

Nothing here knows a format. A member is refused by its name and a rule, and then nothing is left of the folder.
"""

import contextlib
import os
import re
import shutil
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from protocol.text import folded, printable
from referee.beneath import FOLDER_MODE, open_folder, opened

CHUNK_BYTES = 1 << 16
"""So much is read at a time."""

_BESIDE = ".new"
"""What a new folder has after its name until it is whole."""

_FREE_BYTES = 1 << 24
"""An archive that comes to less is no bomb, however well it is packed."""

_NAME_BYTES = 255
"""The longest name of one file or folder that file systems have."""

_MOST_HOPS = 40
"""So many links one after the other lead nowhere, as the system sees it."""

_SHOWN = 200
"""How many characters of a member's name are shown."""

_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""The categories of characters that are not seen, or that change how others are."""


class BadArchive(Exception):
    """What comes in cannot be taken. The text names the member and the rule, says what to do, and can be shown."""

    def __init__(self, text: str, about: Iterable[str] = ()) -> None:
        """`about` are the names of the members that may be to blame, the likeliest first."""
        super().__init__(text)
        self.about = tuple(about)


class Bounds(Struct, frozen=True, kw_only=True):
    """How much may come out of an archive."""

    total_bytes: int = 256 << 20
    """All files together, as they are written."""
    file_bytes: int = 256 << 20
    """One file."""
    members: int = 10_000
    """Files, folders and links, with the folders that only the names of others tell."""
    depth: int = 32
    """Folders one in the other, with the file or folder in the last."""
    path_bytes: int = 1024
    """A name with its folders, or the text of a link, as UTF-8."""
    ratio: int = 200
    """How many times the size of the archive may come out of it."""
    time_s: float = 120.0
    """Seconds until all is written. A read that hangs is not broken off."""
    folds_case: bool = True
    """Whether names count as the same that some file systems cannot tell apart, such as `a` and `A`."""
    links: bool = True
    """Whether there may be links, symbolic or hard."""
    outside: tuple[str, ...] = ()
    """Absolute folders into which links may lead, such as /usr; without them each must stay inside."""


class Unpacked(Struct, frozen=True, kw_only=True):
    """What came out of an archive."""

    files: int
    """Files and links."""
    bytes: int
    """The sizes of all files; one with two names counts twice."""
    has_modes: bool = True
    """Whether the archive says which files can be executed. Zips made under Windows do not."""


def refused(name: str, why: str, others: Iterable[str] = ()) -> BadArchive:
    """The error about one member, for which `others` may be to blame as well."""
    return BadArchive(f'member "{printable(name, _SHOWN)}": {why}', [name, *others])


class Tree:
    """The folder that grows out of an archive. Each method raises BadArchive, and OSError where the host fails."""

    def __init__(self, fd: int, bounds: Bounds, packed_bytes: int | None) -> None:
        """`fd` is the open, empty folder. `packed_bytes` is the size of the archive; None if nothing is packed."""
        self.bounds = bounds
        self._fd = fd
        self._packed_bytes = packed_bytes
        self._deadline = time.monotonic() + bounds.time_s
        self._members = 0
        self._bytes = 0
        self._same: dict[str, str] = {}
        """The paths by what they are to a file system that does not tell all names apart."""
        self._folders: set[str] = {""}
        self._sizes: dict[str, int] = {}
        """The files, with their sizes in bytes."""
        self._links: dict[str, str] = {}

    def folder(self, name: str) -> None:
        """Make a folder, unless it is there already."""
        self._count(name)
        path = self._checked(name)
        if path in self._folders:
            return
        self._make_way(path, name)
        self._make(path, name)

    def file(self, name: str, size: int, read: Callable[[int], bytes], *, executable: bool) -> None:
        """Make a file of what `read` gives until it gives nothing, which must be `size` bytes."""
        path, above, base = self._place(name)
        if not 0 <= size <= self.bounds.file_bytes:
            raise self._too_large(name)
        with self._written(name), opened(above, self._fd) as there:
            fd = os.open(base, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=there)
            with open(fd, "wb") as file:
                written = 0
                while chunk := read(CHUNK_BYTES):
                    written += len(chunk)
                    if written > size:
                        raise refused(name, f"it is longer than the {size} bytes that the archive says of it")
                    self._take(name, len(chunk))
                    file.write(chunk)
                if written != size:
                    raise refused(name, f"it has {written} bytes, and the archive says {size}; the archive is damaged")
                os.fchmod(fd, 0o755 if executable else 0o644)
        self._sizes[path] = size

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link. Where it leads to is looked at in the end, when all others are known."""
        self._check_links(name)
        path, above, base = self._place(name)
        if not self._leads_to_outside(target) and (why := self._unfit(target)):
            raise refused(name, f'it is a link to "{printable(target, _SHOWN)}", which {why}')
        with self._written(name), opened(above, self._fd) as there:
            os.symlink(target, base, dir_fd=there)
        self._links[path] = target

    def second_name(self, name: str, first: str) -> None:
        """Give a file that is here already a second name, as hard links do. Its size counts again."""
        self._check_links(name)
        path, above, base = self._place(name)
        origin = self._checked(first)
        if origin not in self._sizes:
            what = printable(first, _SHOWN)
            raise refused(name, f'it is a hard link to "{what}", which is no file that came before it in the archive')
        self._take(name, self._sizes[origin])
        folder, _, old = origin.rpartition("/")
        with self._written(name), opened(above, self._fd) as there, opened(folder, self._fd) as other:
            os.link(old, base, src_dir_fd=other, dst_dir_fd=there, follow_symlinks=False)
        self._sizes[path] = self._sizes[origin]

    def finish(self, *, has_modes: bool) -> Unpacked:
        """All members are in: see whether each link stays inside."""
        for path in self._links:
            self._follow(path)
        files = len(self._sizes) + len(self._links)
        if not files:
            raise BadArchive("there is no file in it")
        return Unpacked(files=files, bytes=self._bytes, has_modes=has_modes)

    def look_at_the_clock(self) -> None:
        """Raise BadArchive when the time is over."""
        if time.monotonic() > self._deadline:
            raise BadArchive(f"it is not unpacked after {self.bounds.time_s:g} seconds")

    def _check_links(self, name: str) -> None:
        if not self.bounds.links:
            raise refused(name, "it is a link, and there may be none")

    def _place(self, name: str) -> tuple[str, str, str]:
        """The path of what is made newly, its folder, which is made where it is missing, and its name there."""
        self._count(name)
        path = self._checked(name)
        if not path:
            raise refused(name, "its name is that of the folder itself")
        self._make_way(path, name)
        self._claim(path, name)
        above, _, base = path.rpartition("/")
        return path, above, base

    def _make_way(self, path: str, name: str) -> None:
        """Make the folders above a path."""
        parts = path.split("/")[:-1]
        for number in range(1, len(parts) + 1):
            above = "/".join(parts[:number])
            if above in self._links:
                raise refused(name, f'it would be written through the link "{printable(above, _SHOWN)}"')
            if above not in self._folders:
                self._count(name)
                self._make(above, name)

    def _make(self, path: str, name: str) -> None:
        self._claim(path, name)
        above, _, base = path.rpartition("/")
        with self._written(name), opened(above, self._fd) as there:
            os.mkdir(base, FOLDER_MODE, dir_fd=there)
            with opened(base, there) as made:
                os.fchmod(made, FOLDER_MODE)
        self._folders.add(path)

    def _claim(self, path: str, name: str) -> None:
        """Take a name, which nothing else may have."""
        key = folded(path) if self.bounds.folds_case else path
        other = self._same.setdefault(key, path)
        if path in self._folders or path in self._sizes or path in self._links:
            what = "a folder" if path in self._folders else "a link" if path in self._links else "a file"
            raise refused(name, f"the archive has {what} of this name already; each name may be there once")
        if other != path:
            shown = printable(other, _SHOWN)
            raise refused(name, f'some systems cannot tell it from "{shown}", which is in the archive too; rename one')

    def _checked(self, name: str) -> str:
        """The path that a name means, without `./` before it and `/` after it; empty for the folder itself."""
        path = name
        while path.startswith("./"):
            path = path[2:].lstrip("/")
        path = path.removesuffix("/")
        if path in ("", ".") and name.startswith("."):
            return ""
        if why := self._unfit(path):
            raise refused(name, f"its name {why}")
        parts = path.split("/")
        for part in parts:
            if part in ("", "."):
                raise refused(name, "a folder in its name has no name")
            if part == "..":
                raise refused(name, "its name climbs by `..`; make the archive from inside the folder")
            if len(part.encode()) > _NAME_BYTES:
                raise refused(name, f"its name has more than {_NAME_BYTES} bytes")
        if len(parts) > self.bounds.depth:
            raise refused(name, f"it lies deeper than {self.bounds.depth} folders")
        return path

    def _unfit(self, text: str) -> str:
        """Why a name, or the text of a link, is refused as it stands; empty if it is not."""
        rules = (
            (any("\ud800" <= letter <= "\udfff" for letter in text), "is not UTF-8; rename it, best in ASCII"),
            (
                any(unicodedata.category(letter) in _UNSEEN for letter in text),
                "has characters that are not seen, or that turn the text around; rename it",
            ),
            (
                "\\" in text,
                "has a backslash; names are parted by `/`: make the archive with another tool, or rename it",
            ),
            (bool(re.match("[A-Za-z]:", text)), "begins with a drive letter; make the archive from inside the folder"),
            (text.startswith("/"), "is absolute, and must be told from the folder"),
            (not text, "is empty"),
            (
                len(text.encode(errors="replace")) > self.bounds.path_bytes,
                f"has more than {self.bounds.path_bytes} bytes",
            ),
        )
        return next((why for holds, why in rules if holds), "")

    def _leads_to_outside(self, target: str) -> bool:
        """Whether a link leads to one of the places outside that are allowed."""
        parts = target.split("/")
        is_plain = not self._unfit(target.lstrip("/")) and ".." not in parts and "." not in parts
        return is_plain and any(f"{target}/".startswith(f"{place}/") for place in self.bounds.outside)

    def _count(self, name: str) -> None:
        self.look_at_the_clock()
        self._members += 1
        if self._members > self.bounds.members:
            most = self.bounds.members
            why = f"it is one too many: there may be {most} files, folders and links"
            raise refused(name, why, sorted(self._folders))

    def _take(self, name: str, size: int) -> None:
        """Count what is about to be written."""
        self.look_at_the_clock()
        self._bytes += size
        if self._bytes > self.bounds.total_bytes:
            why = f"with it all files together have more than {_size(self.bounds.total_bytes)}"
            raise refused(name, why, sorted(self._folders))
        packed = self._packed_bytes
        if packed is not None and self._bytes > max(_FREE_BYTES, packed * self.bounds.ratio):
            raise refused(name, f"more than {self.bounds.ratio} times the size of the archive comes out of it")

    def _too_large(self, name: str) -> BadArchive:
        return refused(name, f"one file may have {_size(self.bounds.file_bytes)}")

    def _follow(self, name: str) -> None:
        """Raise BadArchive if a link leads out of the folder, step by step as the system goes."""
        here: list[str] = []
        waiting = name.split("/")[::-1]
        hops = 0
        while waiting:
            self.look_at_the_clock()
            part = waiting.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not here:
                    target = printable(self._links[name], _SHOWN)
                    raise refused(name, f'it is a link that leads out of the folder, to "{target}"')
                here.pop()
                continue
            target = self._links.get("/".join([*here, part]), "")
            if target:
                hops += 1
                if hops > _MOST_HOPS:
                    raise refused(name, "it is a link that leads in circles")
                if target.startswith("/"):
                    if ".." in waiting:
                        raise refused(name, "it is a link that climbs by `..` behind another link")
                    return
                waiting.extend(target.split("/")[::-1])
            else:
                here.append(part)

    @contextlib.contextmanager
    def _written(self, name: str) -> Iterator[None]:
        """What the file system says of a name that only it takes for one that is there."""
        try:
            yield
        except FileExistsError:
            raise refused(name, "this file system has another member of the archive under this name") from None


def _size(count: int) -> str:
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count} bytes"


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[int]:
    """An open folder that gets its name at the end; if anything is raised, nothing is left of it.

    Until then it is called `path` with `.new` after it, where what a process left that was killed is removed. Raises
    FileExistsError where something has the name.
    """
    beside = path.with_name(path.name + _BESIDE)
    if os.path.lexists(path):
        raise FileExistsError(f"{path}: this is there already")
    if os.path.lexists(beside):
        shutil.rmtree(beside)
    beside.mkdir(0o700)
    try:
        fd = open_folder(beside)
        try:
            yield fd
            os.fchmod(fd, FOLDER_MODE)
        finally:
            os.close(fd)
        beside.rename(path)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
