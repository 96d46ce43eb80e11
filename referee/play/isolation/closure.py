"""What a bot's command needs of the system: the files and links below /usr and the like without which it does not run.

Programs in the format ELF name their loader and libraries; scripts name their interpreter; what is installed with an
interpreter lies in folders that bear its name, or in a prefix of its own. A shell script calls programs, so every word
of it that is the name of one counts. So does every file of the system that stands in a file of arguments, such as
`java @run.args`. That finds too much now and then, which costs memory, and it can find too little: then the bot's
`reads` names the rest. Files are read and nothing of a bot's is run.
"""

import functools
import glob
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from referee.play.isolation.bwrap import INNER_TOOLS, tool
from referee.play.isolation.cell import Cell
from referee.play.isolation.elf import Elf, read_elf
from referee.play.isolation.paths import FOLDER, PATH, SYSTEM, is_within

MOST_ENTRIES = 200_000
"""How many files and links a command may need; one that needs more sees the system's own folders."""

_ALWAYS = (
    "/lib/terminfo", "/usr/share/zoneinfo", "/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8",
    "/usr/lib*/gconv", "/usr/lib/*/gconv",
)  # fmt: skip
"""What programs of any kind read: terminals, time zones, the letters of the world. Patterns of glob."""

_ALWAYS_LIBRARIES = ("libgcc_s.so.1", "libnss_files.so.2")
"""The C library loads these when they are first needed; no program names them."""

_LOCALE_BYTES = 32 << 20
"""Where the file that holds the locales of all languages is larger than this, a bot sees C.utf8 alone."""

_LIBRARY_FOLDERS = ("/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib")
_COMMON = frozenset(
    {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share", "include", "local", "src", "games", "etc"}
)
"""Names of folders that hold what belongs to many programs. They are never copied as a whole."""

_PROGRAM_FOLDERS = ("bin", "sbin", "libexec")
_SHELLS = re.compile(r"(ba|da|z|k|mk|a|fi)?sh[\d.]*")
_WORD = re.compile(r"[\w./+-]+")
_ABSOLUTE = re.compile(r"/[\w./+-]+")
_LONGEST_SCRIPT_BYTES = 1 << 16
_VERSION = re.compile(r"[-.]?(\d[\d.]*)?$")
_ALSO = {"node": ("nodejs",), "Rscript": ("R",), "erl": ("erlang",), "ghc": ("haskell",)}
"""Programs whose folders bear another name."""

_LEFT_OUT = re.compile(r"(.*\.a|.*\.o|src\.zip|jmods)")
_LEFT_OUT_OF_PYTHON = re.compile(r"(test|idlelib|turtledemo|config-3.*)")
_SHARES_PACKAGES = re.compile(r"^include-system-site-packages\s*=\s*true", re.IGNORECASE | re.MULTILINE)
_MOST_LINKS = 40
_PAPERS = ("/usr/share/doc", "/usr/share/man", "/usr/share/info")


class Needs(Struct, frozen=True, kw_only=True):
    """What a bot needs of the system."""

    entries: frozenset[str]
    """Paths of files, links and folders, without links on the way to them."""
    asked: bool = False
    """Whether its `reads` says that it sees all of the system's folders."""

    @property
    def all_of_it(self) -> bool:
        """Whether the bot sees all of the system's folders, as its `reads` says or because it needs too many files."""
        return self.asked or len(self.entries) > MOST_ENTRIES


def needs_of(cell: Cell) -> Needs:
    """What the command of this cell needs of the system's folders."""
    if any(_is_common(place) for place in cell.reads):
        return Needs(entries=frozenset(), asked=True)
    search = _Search(cell)
    search.run()
    return Needs(entries=frozenset(search.found))


@functools.cache
def system_folders() -> tuple[str, ...]:
    """The folders of the system's programs, without links."""
    return tuple(dict.fromkeys(os.path.realpath(place) for place in SYSTEM if os.path.isdir(place)))


class _Search:
    """Looks at one file after another, and at what each names, until nothing new is named."""

    def __init__(self, cell: Cell) -> None:
        self.found: set[str] = set()
        self._cell = cell
        self._looked: set[str] = set()
        self._programs: set[str] = set()
        self._trees: set[str] = set()
        self._waiting: list[str] = []
        self._folders = [self._on_host(one) for one in cell.env.get("LD_LIBRARY_PATH", "").split(":") if one]

    def run(self) -> None:
        """Find all that the cell needs."""
        for path in _always(self._cell.env):
            self._add(path)
        self._begin_with_command()
        for place in (self._cell.folder, *self._cell.reads):
            if _is_system(os.path.realpath(place)):
                self._add_program(place)
            else:
                self._look_through(place)
        while self._waiting and len(self.found) <= MOST_ENTRIES:
            self._look_at_libraries(self._waiting.pop())

    def _begin_with_command(self) -> None:
        program, *arguments = self._cell.command
        program = self._on_host(program)
        self._add_program(program)
        is_shell = _SHELLS.fullmatch(os.path.basename(os.path.realpath(program))) is not None
        for argument in arguments:
            path = os.path.join(self._cell.folder, self._on_host(argument))
            if os.path.isfile(path):
                self._look_at_script(path, is_shell=is_shell)
            elif is_shell:
                self._read_words(argument)
            elif argument.startswith("@"):
                self._look_at_arguments(os.path.join(self._cell.folder, self._on_host(argument[1:])))

    def _on_host(self, path: str) -> str:
        """The host's path of what the cell calls so."""
        return self._cell.folder + path[len(FOLDER) :] if is_within(path, FOLDER) else path

    def _look_through(self, place: str) -> None:
        """Look at every program and library in a folder that is copied as a whole."""
        for path, mode in _walk(os.path.realpath(place), unused_packages(self._cell)):
            if stat.S_ISREG(mode) and _may_name_others(path, mode):
                self._waiting.append(path)
                if place == self._cell.folder:
                    self._look_at_script(path)
            elif stat.S_ISLNK(mode) and os.path.isfile(path):
                self._add(path)

    def _add(self, path: str) -> None:
        """A path of the system with the links on the way to it, and all of it if it is a folder."""
        links, real = _way(path)
        self.found.update(link for link in links if _is_system(link))
        if os.path.isdir(real):
            self._add_tree(real)
        elif os.path.isfile(real):
            if _is_system(real):
                self.found.add(real)
            self._waiting.append(real)

    def _add_tree(self, folder: str) -> None:
        if not _is_system(folder) or _is_common(folder):
            return
        if any(is_within(folder, other) for other in (*self._trees, *_PAPERS)):
            return
        self._trees.add(folder)
        for path, mode in _walk(folder):
            self.found.add(path)
            if stat.S_ISLNK(mode):
                self._add(path)
            elif stat.S_ISREG(mode) and _may_name_others(path, mode):
                self._waiting.append(path)
            if len(self.found) > MOST_ENTRIES:
                return

    def _add_program(self, path: str) -> None:
        """A program with what is installed for it: its own prefix, or the folders that bear its name."""
        self._add(path)
        real = os.path.realpath(path)
        if real in self._programs:
            return
        self._programs.add(real)
        self._look_at_script(real)
        if not _is_system(real) or os.path.isdir(real):
            return
        folder = os.path.dirname(real)
        prefix = os.path.dirname(folder) if os.path.basename(folder) in _PROGRAM_FOLDERS else folder
        if not _is_common(prefix):
            self._add_tree(prefix)
        else:
            for place in _folders_named_as(os.path.basename(path), os.path.basename(real)):
                self._add_tree(os.path.realpath(place))

    def _look_at_libraries(self, path: str) -> None:
        """Add the loader and the libraries that a program or library names."""
        if path in self._looked:
            return
        self._looked.add(path)
        if elf := read_elf(path):
            for name in (elf.loader, *elf.needed):
                for library in self._libraries(name, elf, path):
                    self._add(library)

    def _look_at_script(self, path: str, *, is_shell: bool = False) -> None:
        """Add the interpreter that a script names, and where that is a shell, the programs that it may call."""
        text = _beginning(path)
        if text.startswith("#!"):
            first = text[2:].partition("\n")[0].split()
            for word in first[:1] + [word for word in first[1:] if os.path.basename(first[0]) == "env"]:
                if program := shutil.which(word, path=PATH):
                    self._add_program(program)
                    is_shell = is_shell or _SHELLS.fullmatch(os.path.basename(word)) is not None
        if is_shell and "\0" not in text:
            self._read_words(text)

    def _look_at_arguments(self, path: str) -> None:
        """Add every file of the system that a file of arguments names, such as the libraries of a Java program."""
        for word in sorted(set(_ABSOLUTE.findall(_beginning(path)))):
            if os.path.isfile(word) and _is_system(os.path.realpath(word)):
                self._add(word)

    def _read_words(self, text: str) -> None:
        """Add every program that a text in the language of a shell may call."""
        for word in sorted(set(_WORD.findall(text))):
            path = os.path.join(self._cell.folder, self._on_host(word))
            if "/" in word and os.path.isfile(path) and is_within(os.path.realpath(path), self._cell.folder):
                self._add_program(path)
            elif program := shutil.which(word, path=PATH):
                self._add_program(program)

    def _libraries(self, name: str, elf: Elf, path: str) -> Iterator[str]:
        """Where a library lies that an ELF file names; all places where the loader could find it."""
        if "/" in name:
            yield name
            return
        origin = os.path.dirname(path)
        searched = [folder.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", origin) for folder in elf.search]
        for place in (*(f"{folder}/{name}" for folder in (*searched, *self._folders)), *_known_libraries(name)):
            if name and os.path.isfile(place) and (found := read_elf(place)) and found.kind == elf.kind:
                yield place


def _beginning(path: str) -> str:
    """The first 64 KB of a file as text; empty where there is no file that can be read."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(_LONGEST_SCRIPT_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _way(path: str) -> tuple[list[str], str]:
    """The links on the way to a path, each without links on the way to itself, and where they lead."""
    links: list[str] = []
    done, left = "", [part for part in os.path.normpath(path).split("/") if part]
    while left:
        here = f"{done}/{left.pop(0)}"
        if os.path.islink(here) and len(links) < _MOST_LINKS:
            links.append(here)
            target = os.path.normpath(os.path.join(done or "/", os.readlink(here)))
            done, left = "", [*(part for part in target.split("/") if part), *left]
        else:
            done = here
    return links, done or "/"


def _walk(folder: str, unused: frozenset[str] = frozenset()) -> Iterator[tuple[str, int]]:
    """Everything in a folder and below it with its mode, the folder first, without what no bot needs."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            mode = os.lstat(path).st_mode
            yield path, mode
            if stat.S_ISDIR(mode):
                paths = (entry.path for entry in os.scandir(path))
                waiting += [path for path in paths if path not in unused and not is_left_out(path)]
        except OSError:
            continue


def is_left_out(path: str) -> bool:
    """Whether nothing needs this at run time: tests of a Python; sources and libraries to link with of the system."""
    folder, name = os.path.split(path)
    if os.path.basename(folder).startswith("python3"):
        return _LEFT_OUT_OF_PYTHON.fullmatch(name) is not None
    return _LEFT_OUT.fullmatch(name) is not None and _is_system(folder)


def unused_packages(cell: Cell) -> frozenset[str]:
    """The folders with the packages of interpreters that the cell does not use, having a virtual environment."""
    settings = [Path(place, "pyvenv.cfg") for place in cell.reads]
    own = [file.parent for file in settings if file.is_file() and not _SHARES_PACKAGES.search(file.read_text())]
    others = [Path(place) for place in cell.more if own and Path(place) not in own]
    return frozenset(str(folder) for place in others for folder in place.glob("lib/py*3*/site-packages"))


def _may_name_others(path: str, mode: int) -> bool:
    name = os.path.basename(path)
    return bool(mode & 0o111) or ".so" in name or name.endswith(".node")


def _is_system(path: str) -> bool:
    """Whether a path without links lies in one of the system's folders."""
    return any(is_within(path, folder) for folder in system_folders())


@functools.cache
def _is_common(place: str) -> bool:
    """Whether a place of the system holds what belongs to many programs, as /usr, /usr/lib and /usr/share do."""
    real = os.path.realpath(place)
    if real == "/" or any(is_within(folder, real) for folder in system_folders()):
        return True
    if not _is_system(real) or not _is_common(os.path.dirname(real)):
        return False
    return os.path.basename(real) in _COMMON or _is_multiarch(real)


def _is_multiarch(folder: str) -> bool:
    """Whether a folder holds the libraries of one architecture, as /usr/lib/x86_64-linux-gnu does."""
    return os.path.basename(folder).count("-") >= 2 and os.path.exists(os.path.join(folder, "libc.so.6"))


def _folders_named_as(*names: str) -> Iterator[str]:
    """The folders of libraries and data that bear the name of a program, of its version or without one."""
    stems = {name[: _VERSION.search(name).start()] for name in names}  # type: ignore[union-attr]
    version = (_VERSION.search(names[-1]) or [None, ""])[1] or ""
    for stem in {*stems, *(other for one in stems for other in _ALSO.get(one, ()))}:
        for place in _shared_folders():
            for entry in _names_in(place):
                if not entry.startswith(stem) or not stem or entry[len(stem) : len(stem) + 1].isalpha():
                    continue
                number = re.match(r"[-.]?(\d[\d.]*)?", entry[len(stem) :])
                theirs = (number[1] if number else "") or ""
                if not version or version.startswith(theirs) or theirs.startswith(version):
                    yield os.path.join(place, entry)


@functools.cache
def _shared_folders() -> tuple[str, ...]:
    """The folders in which programs keep their libraries and data."""
    places = [
        os.path.join(prefix, name)
        for folder in system_folders()
        for prefix in (folder, f"{folder}/local")
        for name in ("lib", "lib64", "libexec", "share")
    ]
    places += [entry for place in places for entry in glob.glob(f"{place}/*-*-*") if _is_multiarch(entry)]
    return tuple(dict.fromkeys(os.path.realpath(place) for place in places if os.path.isdir(place)))


@functools.cache
def _names_in(folder: str) -> tuple[str, ...]:
    return tuple(entry.name for entry in os.scandir(folder) if entry.is_dir())


def _known_libraries(name: str) -> Iterator[str]:
    yield from _cached_libraries().get(name, ())
    yield from (f"{folder}/{name}" for folder in _LIBRARY_FOLDERS)


@functools.cache
def _cached_libraries() -> dict[str, tuple[str, ...]]:
    """By name, where the system's libraries lie, as the cache of its loader has it; empty where there is none."""
    program = shutil.which("ldconfig", path=PATH)
    if program is None:
        return {}
    said = subprocess.run([program, "-p"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout
    found: dict[str, tuple[str, ...]] = {}
    for line in said.splitlines():
        name, arrow, path = line.partition(" => ")
        if arrow:
            name = name.split()[0]
            found[name] = (*found.get(name, ()), path)
    return found


def _always(env: dict[str, str]) -> Iterator[str]:
    """What every cell needs: the programs that start the bot, and what programs of any kind read."""
    yield from map(tool, INNER_TOOLS)
    for name in _ALWAYS_LIBRARIES:
        yield from _known_libraries(name)
    for pattern in _ALWAYS:
        yield from glob.glob(pattern)
    for name in {env[variable] for variable in ("LANG", "LC_ALL", "LC_CTYPE") if env.get(variable)} - {"C", "POSIX"}:
        yield from glob.glob(f"/usr/lib/locale/{glob.escape(name.partition('.')[0])}*")
        archive = "/usr/lib/locale/locale-archive"
        if not name.startswith("C.") and os.path.exists(archive) and os.path.getsize(archive) <= _LOCALE_BYTES:
            yield archive
