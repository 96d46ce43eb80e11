"""Copies, in memory, of what strangers' bots can read, so that none can leave a mark there that outlives its match.

To read a page of a file on a disk leaves it in memory: a later reader finds it there in a microsecond, and everything
else in a hundred. So a bot could write down cards by what it reads. Files of a tmpfs are always in memory. They are
copied once, before bots start, by the process that runs the matches; each bot sees its own folder, its interpreter's
and a small root with what its command needs of the system (closure.py). This also pins what is played.
"""

import contextlib
import functools
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from operator import itemgetter
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.play.faults import HostFault
from referee.play.isolation.bwrap import etc_files
from referee.play.isolation.cell import Cell, cell_of
from referee.play.isolation.closure import is_left_out, needs_of, unused_packages
from referee.play.isolation.memory import NoMemory, find_memory, folder_in
from referee.play.spec import MB, BotSpec

_LIST = "list.json"
_PAGE_BYTES = 4096
_ENTRY_BYTES = 1024
"""What the kernel needs for a file besides its pages."""

_CHUNK_BYTES = 1 << 20
_GROWN_BYTES = 1 << 20
"""By how much a file may grow between being measured and being copied."""


class Copied(Struct, frozen=True, kw_only=True):
    """What has been copied for the bots of a run."""

    folder: str
    """Where the copies are, as `Confinement.copies` names it; empty where there are none."""
    bots: int
    """How many bots see copies alone."""
    size_bytes: int
    took_s: float
    on_disk: tuple[tuple[str, str], ...]
    """The name of a bot, and something that it still reads from the disk."""
    without_room: frozenset[str]
    """The names of the bots for which there was too little room in memory."""


class _Shown(Struct, frozen=True, kw_only=True):
    """Which copies one bot sees; both as in Cell, with paths relative to the folder of the copies."""

    cell: Cell | None
    """Its cell, where it sees copies alone."""
    root: str = ""
    copies: dict[str, str] = {}


@contextlib.contextmanager
def copied(bots: Sequence[BotSpec]) -> Iterator[Copied]:
    """Copies of what these bots see under `bwrap`, for the duration of the block.

    What does not fit is left on the disk, and told. The bots that take least are served first, so that one that brings
    a lot loses nobody else the copies. Raises Unfit where a bot cannot run in a cell, and HostFault where the memory
    fills up meanwhile.
    """
    begun = time.monotonic()
    try:
        memory = find_memory()
    except NoMemory as lacking:
        what = f"everything, because {lacking.reason} ({lacking.remedy})"
        names = [bot.name for bot in bots]
        yield Copied(
            folder="",
            bots=0,
            size_bytes=0,
            took_s=0.0,
            on_disk=tuple((name, what) for name in names),
            without_room=frozenset(names),
        )
        return
    with folder_in(memory) as folder:
        copier = _Copier(folder, memory.room_bytes)
        with _readable_by_all():
            complete, on_disk = copier.copy(bots)
        yield Copied(
            folder=folder,
            bots=complete,
            size_bytes=copier.size_bytes,
            took_s=time.monotonic() - begun,
            on_disk=tuple(on_disk),
            without_room=frozenset(copier.without_room),
        )


def shown(spec: BotSpec, folder: str) -> Cell:
    """The cell of a bot, with the copies of this folder that were made for it; raises Unfit.

    Whoever made copies has looked through what it copied, and copies do not change. So where a bot sees nothing else, a
    worker does not look again: there are 70,000 files where a Python has many libraries.
    """
    made = _made(folder).get(_key(spec)) if folder else None
    if made is None:
        return cell_of(spec)
    cell = made.cell or cell_of(spec)
    copies = {place: os.path.join(folder, copy) for place, copy in made.copies.items()}
    return replace(cell, root=made.root and os.path.join(folder, made.root), copies=copies)


@functools.lru_cache(maxsize=4)
def _made(folder: str) -> dict[str, _Shown]:
    return msgspec.json.decode(Path(folder, _LIST).read_bytes(), type=dict[str, _Shown])


def _key(spec: BotSpec) -> str:
    """A bot's name in the list: by all on which it depends what the bot sees."""
    return sha256(msgspec.json.encode([spec.command, spec.dir, spec.env, spec.reads, spec.builtin])).hexdigest()


@contextlib.contextmanager
def _readable_by_all() -> Iterator[None]:
    """Folders that are made in this block can be read by every user, as bots are others than the referee."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


class _Full(Exception):
    """There is no room for this copy."""


class _Place(Struct, frozen=True, kw_only=True):
    """A folder or file to copy that is not the system's."""

    path: str
    whole: bool
    """Whether all of it is copied, as of a bot's own folder. Of an interpreter what no bot needs is left out."""
    unused: frozenset[str] = frozenset()
    """Folders that are left out besides."""

    def paths(self) -> Iterator[str]:
        """Everything in it that is copied, folders before what is in them; links are not followed."""
        return _below(os.path.realpath(self.path), self.is_left_out)

    def is_left_out(self, path: str) -> bool:
        """Whether this is not copied."""
        return path in self.unused or (not self.whole and is_left_out(path))


def _places(cell: Cell) -> Iterator[_Place]:
    yield _Place(path=cell.folder, whole=True)
    yield from (_Place(path=place, whole=False, unused=unused_packages(cell)) for place in cell.more)


class _Copier:
    """Copies into one folder. Files of the system that several roots show are copied once."""

    def __init__(self, folder: str, room_bytes: int) -> None:
        self._folder = folder
        self._room_bytes = room_bytes
        self.size_bytes = 0
        self.without_room: set[str] = set()
        """The names of the bots for which there was too little room."""
        self._system: dict[str, str] = {}
        """By path of the system, the copy of that file."""
        self._roots: dict[frozenset[str], str] = {}
        self._copies: dict[_Place, str] = {}

    def copy(self, bots: Sequence[BotSpec]) -> tuple[int, list[tuple[str, str]]]:
        """Copy what these bots see, and list it. Returns how many see copies alone, and what the others see besides."""
        cells = {_key(bot): cell_of(bot) for bot in bots}
        needs = {key: needs_of(cell) for key, cell in cells.items()}
        sizes: dict[_Place | frozenset[str], int] = {}
        for key, cell in cells.items():
            sizes |= {place: sum(map(_file_size, place.paths())) for place in _places(cell) if place not in sizes}
            if not needs[key].all_of_it:
                sizes[needs[key].entries] = sum(map(_file_size, needs[key].entries))
        for what, size in sorted(sizes.items(), key=itemgetter(1)):
            if isinstance(what, _Place):
                self._copy_place(what, size)
            else:
                self._copy_root(what)
        listed: dict[str, _Shown] = {}
        on_disk: list[tuple[str, str]] = []
        for bot in bots:
            key = _key(bot)
            root = self._roots.get(needs[key].entries, "") if not needs[key].all_of_it else ""
            copies = {place.path: self._copies.get(place) for place in _places(cells[key])}
            sees_copies_alone = bool(root) and None not in copies.values()
            listed[key] = _Shown(
                cell=cells[key] if sees_copies_alone else None,
                root=root,
                copies={path: copy for path, copy in copies.items() if copy is not None},
            )
            for place in _places(cells[key]):
                if place not in self._copies:
                    name = "its folder" if place.whole else place.path
                    lacking = f"{name} ({sizes[place] // MB} MB, for which there is no room in memory)"
                    on_disk.append((bot.name, lacking))
                    self.without_room.add(bot.name)
            if not root:
                if not needs[key].asked:
                    self.without_room.add(bot.name)
                why = "as its `reads` says" if needs[key].asked else "as there is no room in memory for what it needs"
                on_disk.append((bot.name, f"all of /usr, {why}"))
        self._write_list(listed)
        return len(bots) - len({name for name, _ in on_disk}), on_disk

    def _write_list(self, listed: dict[str, _Shown]) -> None:
        try:
            Path(self._folder, _LIST).write_bytes(msgspec.json.encode(listed))
        except OSError as error:
            raise HostFault(f"copies for bots cannot be made in {self._folder}: {error.strerror}") from None

    def _copy_place(self, place: _Place, size: int) -> None:
        name = f"place-{len(self._copies)}"
        if self.size_bytes + size > self._room_bytes:
            return
        target, source = os.path.join(self._folder, name), os.path.realpath(place.path)
        with self._all_or_nothing(target):
            for path in place.paths():
                self._copy_entry(path, target + path[len(source) :])
            self._copies[place] = name

    def _copy_root(self, entries: frozenset[str]) -> None:
        """Copy a small root: these entries of the system, and what every bot reads of /etc."""
        name = f"root-{len(self._roots)}"
        target = os.path.join(self._folder, name)
        with self._all_or_nothing(target):
            os.makedirs(os.path.join(target, "etc"))
            folders: set[str] = set()
            etc = (path for place in etc_files() for path in _below(place, lambda _: False))
            for path in sorted({*entries, *etc}):
                copy = target + path
                if (folder := os.path.dirname(copy)) not in folders:
                    os.makedirs(folder, exist_ok=True)
                    folders.add(folder)
                if path in self._system:
                    os.link(self._system[path], copy)
                elif self._copy_entry(path, copy):
                    self._system[path] = copy
            self._roots[entries] = name

    @contextlib.contextmanager
    def _all_or_nothing(self, target: str) -> Iterator[None]:
        """Take away what was copied if not all of it could be."""
        before, known = self.size_bytes, dict(self._system)
        try:
            yield
        except (OSError, _Full):
            self.size_bytes, self._system = before, known
            if os.path.isdir(target):
                shutil.rmtree(target, ignore_errors=True)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(target)

    def _copy_entry(self, path: str, target: str) -> bool:
        """Copy a file, a link or an empty folder, and return whether it was a file. Nothing else is copied."""
        self.size_bytes += _ENTRY_BYTES
        try:
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                os.symlink(os.readlink(path), target)
            elif stat.S_ISDIR(mode):
                os.makedirs(target, exist_ok=True)
            elif stat.S_ISREG(mode):
                with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as source:
                    self._copy_file(source.fileno(), target)
                return True
        except PermissionError:  # neither the referee's user may read it, nor a bot
            pass
        return False

    def _copy_file(self, source: int, target: str) -> None:
        """Copy an open file with its time, which tells Python whether what it compiled is up to date.

        Every byte is written. A hole would get its memory when a bot reads it, which another could see.
        """
        found = os.fstat(source)
        copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            length = 0
            while data := os.read(source, _CHUNK_BYTES):
                length += os.write(copy, data)
                if self.size_bytes + length > self._room_bytes + _GROWN_BYTES:
                    raise _Full
            os.fchmod(copy, 0o555 if found.st_mode & 0o111 else 0o444)
            os.utime(copy, ns=(found.st_mtime_ns, found.st_mtime_ns))
        finally:
            os.close(copy)
        self.size_bytes += -(-length // _PAGE_BYTES) * _PAGE_BYTES


def _below(place: str, is_left_out: Callable[[str], bool]) -> Iterator[str]:
    """A place and everything below it that is not left out, folders before what is in them; links are not followed."""
    waiting = [place]
    while waiting:
        path = waiting.pop()
        yield path
        if os.path.isdir(path) and not os.path.islink(path):
            with contextlib.suppress(PermissionError):
                waiting += [entry.path for entry in os.scandir(path) if not is_left_out(entry.path)]


def _file_size(path: str) -> int:
    """What a copy of this takes in memory, in bytes."""
    try:
        found = os.lstat(path)
    except OSError:
        return _ENTRY_BYTES
    pages = -(-found.st_size // _PAGE_BYTES) if stat.S_ISREG(found.st_mode) else 0
    return _ENTRY_BYTES + pages * _PAGE_BYTES
