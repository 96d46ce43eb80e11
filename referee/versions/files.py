"""The one rulebook for a bot's files: which names, links, kinds and amounts golfref accepts, wherever files come from.

Archives, folders, builds and clusters add one file after the other. Nothing here reads or writes a file.
"""

import re
import time
from collections.abc import Iterable

from msgspec import Struct

from protocol.text import folded, harmless, printable
from referee.play.sandbox.paths import SYSTEM
from referee.play.spec import MB

LONGEST_PATH_BYTES = 1024
"""A name with its folders, or the text of a link, as UTF-8."""

_LONGEST_NAME_BYTES = 255
"""The longest name of one file or folder that file systems have."""

_FREE_BYTES = 16 * MB
"""An archive from which less comes is no bomb, whatever its ratio."""

_MOST_RATIO = 200
"""How many times the size of the archive may come out of it."""

_LEADS_OUT = "leads out of the folder; put what it leads to into the folder"

_SHOWN = 200
"""How many characters of a name an error shows."""

_LEFT_OUT = frozenset({"__pycache__", ".git", "__macosx", ".ds_store", "desktop.ini", "thumbs.db"})
_APPLE_DOUBLE = "._"
"""For each file with attributes, macOS adds another one to archives, whose name begins so."""

_MADE_AGAIN = frozenset({".venv", "venv", "env", "node_modules", "target", "build"})
"""Folders in which tools put files that the build of an entry makes again."""


class BadFiles(Exception):
    """golfref rejects the files. The text names the file and the rule, and can be shown."""

    def __init__(self, why: str, name: str = "") -> None:
        self.name, self.why = printable(name, _SHOWN), why
        super().__init__(f"{self.name}: {why}" if name else why)

    def below(self, folder: str) -> str:
        """The text with the path of the file from outside of this folder."""
        return f"{folder}/{self}" if self.name else f"{folder}: {self}"


class TooMuch(BadFiles):
    """The files are more than the bounds allow, so that the others need not be looked at."""


class Bounds(Struct, frozen=True, kw_only=True):
    """How much golfref accepts."""

    total_bytes: int
    """All files together, as they are written."""
    members: int = 10_000
    """Files, links and folders, with the folders that only the names of files tell."""
    depth: int = 32
    """Folders within each other, with the file in the last."""
    time_s: float = 120.0
    """Seconds until all files are read and written. One read that hangs is not cut off."""
    from_build: bool = False
    """The files come from a build on this kind of host: names may differ by case alone, tools' caches stay, and links
    may lead to the folders of the system."""
    table: str = ""
    """The table of the config that sets the amounts."""


class Contents(Struct, frozen=True, kw_only=True):
    """The files that were accepted."""

    files: int
    """Files and links."""
    folders: int
    size_bytes: int
    """The sizes of all files; a file with two names counts twice."""
    top: frozenset[str]
    """The names of the files that lie in no folder."""
    has_modes: bool = True
    """Whether it is known which files can be executed. Zips made under Windows do not say so."""
    problems: tuple[BadFiles, ...] = ()
    """The first files that break a rule, where somebody only looks through a folder."""


class FileRules:
    """Holds each file to the rules. Every method raises BadFiles."""

    def __init__(self, bounds: Bounds, packed_bytes: int | None = None) -> None:
        """`packed_bytes` is the size of the archive; None where nothing is packed."""
        self.bounds = bounds
        self._packed_bytes = packed_bytes
        self._deadline = time.monotonic() + bounds.time_s
        self._members = 0
        self._bytes = 0
        self._twins: dict[str, str] = {}
        """The paths by their fold, which is the same for names that some file systems or people take for one."""
        self._folders = {""}
        self._sizes: dict[str, int] = {}
        """The files, with their sizes in bytes."""
        self._links: set[str] = set()

    def leaves_out(self, name: str) -> bool:
        """Whether a file belongs to no bot because systems or tools leave it in folders."""
        self.check_time()
        parts = name.split("/")
        if self.bounds.from_build:
            return any(part.startswith(_APPLE_DOUBLE) for part in parts)
        return any(map(is_left_out, parts))

    def folder(self, name: str) -> str:
        """Add a folder, unless it is there already; returns its path."""
        path = self._path(name)
        if path not in self._folders:
            self._claim(path, name)
            self._folders.add(path)
        return path

    def new_file(self, name: str) -> str:
        """Add an empty file; returns its path."""
        path = self._path(name)
        self._claim(path, name)
        self._sizes[path] = 0
        return path

    def link(self, name: str, target: str) -> str:
        """Add a symbolic link; returns its path."""
        path = self._path(name)
        self._claim(path, name)
        if why := self._bad_target(target, path.count("/")):
            raise self.refusal(name, f'it is a link to "{printable(target, _SHOWN)}", which {why}')
        self._links.add(path)
        return path

    def hard_link(self, name: str, first: str) -> tuple[str, str]:
        """Give a second name to a file that was added before; returns its path and that of the file."""
        path, origin = self._path(name), self._path(first)
        if origin not in self._sizes:
            what = printable(first, _SHOWN)
            raise self.refusal(name, f'it is a hard link to "{what}", which is no file that came before it')
        self._claim(path, name)
        self._sizes[path] = 0
        self.count_bytes(path, self._sizes[origin])
        return path, origin

    def count_bytes(self, path: str, size: int) -> None:
        """Count bytes of a file before they are written."""
        self.check_time()
        self._sizes[path] += size
        self._bytes += size
        if self._bytes > self.bounds.total_bytes:
            raise self._too_much(f"{_mb(self.bounds.total_bytes)} of files", path)
        packed = self._packed_bytes
        if packed is not None and self._bytes > max(_FREE_BYTES, packed * _MOST_RATIO):
            raise TooMuch(f"more than {_MOST_RATIO} times the size of the archive comes out of it", path)

    def check_time(self) -> None:
        """Raise TooMuch after the deadline."""
        if time.monotonic() > self._deadline:
            raise TooMuch(f"the files are not read after {self.bounds.time_s:g} seconds")

    def contents(self, *, has_modes: bool = True, problems: Iterable[BadFiles] = ()) -> Contents:
        """The files that were added."""
        return Contents(
            files=len(self._sizes) + len(self._links),
            folders=len(self._folders) - 1,
            size_bytes=self._bytes,
            top=frozenset(path for path in self._sizes if "/" not in path),
            has_modes=has_modes,
            problems=tuple(problems),
        )

    def refusal(self, name: str, why: str) -> BadFiles:
        """The error about one file, with what to do where tools made it."""
        return BadFiles(why + self._advice([name]), name)

    def wrong_kind(self, name: str) -> BadFiles:
        """The error about a pipe, a socket, a device or something unknown."""
        return self.refusal(name, "it is neither file, folder nor link; a bot has nothing else, so leave it out")

    def _too_much(self, what: str, name: str) -> TooMuch:
        where = f" that {self.bounds.table} of the config allows" if self.bounds.table else ""
        return TooMuch(f"more than the {what}{where}{self._advice([name, *sorted(self._folders)])}")

    def _advice(self, names: Iterable[str]) -> str:
        made = (part for name in names for part in name.split("/") if part in _MADE_AGAIN)
        if self.bounds.from_build or (part := next(made, None)) is None:
            return ""
        return f"; leave `{part}` out, `build` in bot.toml makes it anew (tournaments/ENTRIES.md, Packages)"

    def _bad_target(self, target: str, depth: int) -> str:
        """Why a link that lies in so many folders must not lead there; empty if it may.

        Each link climbs only at its beginning, so that no other link on its way changes where it leads.
        """
        tops = tuple(f"{top}/" for top in SYSTEM) if self.bounds.from_build else ()
        if target.startswith("/") and not f"{target}/".startswith(tops):
            return _LEADS_OUT
        if why := _unfit(target.lstrip("/")):
            return why
        parts = [part for part in target.split("/") if part not in ("", ".")]
        climbs = next((number for number, part in enumerate(parts) if part != ".."), len(parts))
        if ".." in parts[climbs:]:
            return "climbs by `..` behind a name; let it climb at its beginning alone"
        return _LEADS_OUT if climbs > depth else ""

    def _claim(self, path: str, name: str) -> None:
        """Take a new path, and the folders above it."""
        parts = path.split("/")
        for number in range(1, len(parts)):
            above = "/".join(parts[:number])
            if above not in self._folders:
                self._claim_one(above, name)
                self._folders.add(above)
        self._claim_one(path, name)

    def _claim_one(self, path: str, name: str) -> None:
        self.check_time()
        self._members += 1
        if self._members > self.bounds.members:
            raise self._too_much(f"{self.bounds.members} files and folders", name)
        kinds = {"a folder": self._folders, "a link": self._links, "a file": self._sizes}
        if kind := next((kind for kind, paths in kinds.items() if path in paths), None):
            raise self.refusal(name, f'"{printable(path, _SHOWN)}" is {kind} already; each name may be there once')
        other = path if self.bounds.from_build else self._twins.setdefault(folded(path), path)
        if other != path:
            shown = printable(other, _SHOWN)
            raise self.refusal(name, f'some systems cannot tell it from "{shown}", which is there too; rename one')

    def _path(self, name: str) -> str:
        """The path that a name means, without `./` before it and `/` after it; empty for the folder itself."""
        path = name
        while path.startswith("./"):
            path = path[2:].lstrip("/")
        path = path.removesuffix("/")
        if path in ("", ".") and name.startswith("."):
            return ""
        if why := _unfit(path):
            raise self.refusal(name, f"its name {why}")
        parts = path.split("/")
        for part in parts:
            if part in ("", "."):
                raise self.refusal(name, "a folder in its name has no name")
            if part == "..":
                raise self.refusal(name, "its name climbs by `..`; make the archive from inside the folder")
            if len(part.encode()) > _LONGEST_NAME_BYTES:
                raise self.refusal(name, f"its name has more than {_LONGEST_NAME_BYTES} bytes")
        if len(parts) > self.bounds.depth:
            raise self.refusal(name, f"it lies deeper than {self.bounds.depth} folders")
        return path


def _unfit(text: str) -> str:
    """Why golfref rejects a name, or the text of a link; empty if it does not."""
    rules = (
        (any("\ud800" <= letter <= "\udfff" for letter in text), "is not UTF-8; rename it, best in ASCII"),
        (harmless(text) != text, "has characters that nobody sees, or that turn the text around; rename it"),
        ("\\" in text, "has a backslash; `/` separates folders: make the archive with another tool, or rename it"),
        (bool(re.match("[A-Za-z]:", text)), "begins with a drive letter; make the archive from inside the folder"),
        (text.startswith("/"), "is absolute; give the path from the bot's folder on"),
        (not text, "is empty"),
        (len(text.encode(errors="replace")) > LONGEST_PATH_BYTES, f"has more than {LONGEST_PATH_BYTES} bytes"),
    )
    return next((why for holds, why in rules if holds), "")


def is_left_out(name: str) -> bool:
    """Whether a file or folder of this name belongs to no bot because systems or tools leave it in folders."""
    return name.lower() in _LEFT_OUT or name.startswith(_APPLE_DOUBLE)


def _mb(size: int) -> str:
    return f"{size // MB} MB" if size >= MB else f"{size} bytes"
