"""What travels from the desk to the hosts: bots by their content, and all that a host has to know to start them.

An archive is a folder as a tar stream, the same on every machine, and is called by its SHA-256. A file counts by its
path, its bytes and whether its owner may execute it, a link by its text, a folder by its path. The files of a bot that
is no entry are copied first, so that each host gets the same, whatever becomes of them meanwhile.
"""

import contextlib
import os
import platform
import re
import shutil
import stat
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

import protocol
import referee
from referee.cluster.messages import Demands, SentBot
from referee.play.sandbox.paths import is_within
from referee.play.sandbox.readable_check import MOST_FILES
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config
from referee.versions.entry import Entry
from referee.versions.files import Bounds
from referee.versions.folders import look_through
from referee.versions.store import BUILT, SOURCE, VersionStore
from referee.versions.version import files_of, traces_of, version_of

BOUNDS = Bounds(total_bytes=1 << 30, members=2 * MOST_FILES, depth=64, time_s=600.0, from_build=True)
"""How much an archive may have, for who sends it and who unpacks it."""

PIECE_BYTES = 1 << 22
"""How much of an archive travels at once."""

FILES, WORDS = "files", "words"
"""The folders of an archive: the bot's own folder, and the files elsewhere that words of its command name."""

HOST_TAG = "GOLFREF_HOST_TAG"
"""The variable of a host's environment that says what bots are built for there."""


class CannotTravel(Exception):
    """A bot cannot be sent to hosts. The text names it, and says what to do."""


class BotArchives:
    """All archives of a run, and what it demands of hosts. `archives_of` makes them."""

    def __init__(self, demands: Demands, folders: dict[str, Path]) -> None:
        self.demands = demands
        self._folders = folders

    def pieces(self, archive: str) -> Iterator[bytes]:
        """An archive in pieces. Raises OSError."""
        return stream(self._folders[archive])


@contextlib.contextmanager
def archives_of(config: Config, *, jobs: int | None = None, workers: int | None = None) -> Iterator[BotArchives]:
    """The archives of these bots, for the duration of the block. Entries must be in the store of versions, and built.

    `jobs` and `workers` are those of the demands. Raises CannotTravel, and OSError where there is no room for copies.
    """
    with tempfile.TemporaryDirectory(prefix="golfref-archives-") as temporary:
        packing = _Packing(config, Path(temporary))
        bots = tuple(packing.pack(bot) for bot in config.bots)
        options = [one.variant.options for one in config.variants]
        demands = Demands(
            python=sys.version_info[:2],
            modules=module_hashes(),
            tag=host_tag(),
            session=replace(config.session_setup, bots=()),
            needs_users=config.needs_users,
            builds=config.builds,
            times_slaps=any(one.slaps and one.slap_order == "reaction" for one in options),
            bots=bots,
            archives=packing.sizes,
            jobs=jobs,
            workers=workers,
        )
        yield BotArchives(demands, packing.folders)


def module_hashes() -> dict[str, str]:
    """By folder of the referee's code, the hash of all modules in it: they may have been changed within a version."""
    found: dict[str, str] = {}
    for package in (protocol, referee):
        (top,) = map(Path, package.__path__)
        for folder in (top, *sorted(path for path in top.iterdir() if path.is_dir())):
            modules = sorted(folder.glob("*.py") if folder == top else folder.rglob("*.py"))
            digest = sha256()
            for path in modules:
                digest.update(b"%b\0%b" % (os.fsencode(path.relative_to(top)), sha256(path.read_bytes()).digest()))
            if modules:
                found[str(folder.relative_to(top.parent))] = digest.hexdigest()
    return found


def host_tag() -> str:
    """What bots are built for here: the machine's architecture and its libc. GOLFREF_HOST_TAG says otherwise.

    What was built for one tag is never started under another one: a program needs the libc, or a later one, of the host
    that built it.
    """
    if told := os.environ.get(HOST_TAG):
        return re.sub(r"[^\w.-]", "-", told)[:100]
    try:
        libc = (os.confstr("CS_GNU_LIBC_VERSION") or "libc").replace(" ", "-")
    except (ValueError, OSError):
        libc = "musl" if any(Path("/lib").glob("ld-musl-*")) else "libc"
    return f"{platform.machine()}-{libc}"


def digest_of(folder: Path) -> tuple[str, int]:
    """The name of a folder's archive, and its size in bytes. Raises OSError where the folder cannot be read."""
    digest, size_bytes = sha256(), 0
    for piece in stream(folder):
        digest.update(piece)
        size_bytes += len(piece)
    return digest.hexdigest(), size_bytes


def stream(folder: Path) -> Iterator[bytes]:
    """A folder as a tar stream, in pieces of PIECE_BYTES and a rest. Raises OSError."""
    waiting = bytearray()
    for data in _parts(folder):
        waiting += data
        while len(waiting) >= PIECE_BYTES:
            yield bytes(waiting[:PIECE_BYTES])
            del waiting[:PIECE_BYTES]
    if waiting:
        yield bytes(waiting)


def _parts(folder: Path) -> Iterator[bytes]:
    for path, name in _below(folder):
        about = path.lstat()
        member = tarfile.TarInfo(name)
        if stat.S_ISLNK(about.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)
        elif stat.S_ISDIR(about.st_mode):
            member.type, member.mode = tarfile.DIRTYPE, 0o755
        else:
            member.size = about.st_size
            member.mode = 0o755 if about.st_mode & stat.S_IXUSR else 0o644
        yield member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
        if member.size:
            yield from _content(path, member.size)
            yield bytes(-member.size % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _content(path: Path, size: int) -> Iterator[bytes]:
    """So many bytes of a file. Where it has been cut off since, zeros take their place, and the digest differs."""
    with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
        while size:
            data = file.read(min(size, PIECE_BYTES)) or bytes(min(size, PIECE_BYTES))
            yield data
            size -= len(data)


def _below(folder: Path) -> Iterator[tuple[Path, str]]:
    """Everything below a folder with its path from there, in the order of names, folders before what is in them."""
    waiting = [""]
    while waiting:
        place = waiting.pop()
        if place:
            yield folder / place, place
        if not place or ((folder / place).is_dir() and not (folder / place).is_symlink()):
            names = sorted(os.listdir(folder / place), key=os.fsencode, reverse=True)
            waiting += [os.path.join(place, name) for name in names]


class _Packing:
    """Packs bots, one after the other."""

    def __init__(self, config: Config, temporary: Path) -> None:
        self._config, self._temporary = config, temporary
        self._versions = VersionStore(config.folder)
        self._entries = {entry.name: entry for entry in config.entries}
        self.folders: dict[str, Path] = {}
        """By archive, the folder of which it is made."""
        self.sizes: dict[str, int] = {}

    def pack(self, bot: BotSpec) -> SentBot:
        """Pack one bot. Raises CannotTravel."""
        if bot.builtin is not None:
            return SentBot(spec=bot, version=version_of(bot, self._config.folder))
        if (entry := self._entries.get(bot.name)) is not None:
            return self._entry(bot, entry)
        return self._folder(bot)

    def _entry(self, bot: BotSpec, entry: Entry) -> SentBot:
        place = self._versions.folder_of(entry.version)
        built = self._add(place / BUILT) if entry.build else ""
        return SentBot(spec=bot, version=entry.version, entry=entry, archive=self._add(place / SOURCE), built=built)

    def _folder(self, bot: BotSpec) -> SentBot:
        """A bot that is no entry: its folder, and what its command names elsewhere."""
        before = set(traces_of(bot, self._config.folder))
        into = Path(tempfile.mkdtemp(dir=self._temporary))
        words: dict[int, str] = {}
        for path, shown in files_of(bot, self._config.folder):
            self._copy(bot, path, into / _place(bot, shown, words))
        for place in (path for path in (into / FILES, into / WORDS) if path.is_dir()):
            if problems := look_through(str(place), BOUNDS).problems:
                raise CannotTravel(f"bot `{bot.name}` cannot be sent to hosts: {problems[0]}")
        version = version_of(bot, self._config.folder)
        if set(traces_of(bot, self._config.folder)) != before:
            raise CannotTravel(f"the files of bot `{bot.name}` changed while they were copied; start again")
        archive = self._add(into) if any(into.rglob("*")) else ""
        return SentBot(spec=bot, version=version, archive=archive, words=words)

    def _add(self, folder: Path) -> str:
        archive, size_bytes = digest_of(folder)
        self.folders[archive], self.sizes[archive] = folder, size_bytes
        return archive

    def _copy(self, bot: BotSpec, path: str, into: Path) -> None:
        if os.path.lexists(into):  # a word of the command names what lies in the bot's folder
            return
        into.parent.mkdir(parents=True, exist_ok=True)
        try:
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                into.symlink_to(os.readlink(path))
            elif stat.S_ISREG(mode):
                shutil.copyfile(path, into, follow_symlinks=False)
                into.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
            else:
                raise CannotTravel(f"bot `{bot.name}` cannot be sent to hosts: {path} is no plain file; remove it")
        except PermissionError:
            raise CannotTravel(f"bot `{bot.name}` cannot be sent to hosts: {path} cannot be read") from None


def _place(bot: BotSpec, shown: str, words: dict[int, str]) -> str:
    """Where in the archive a file lies; notes what a word of the command names there."""
    if not shown.startswith("/"):
        return os.path.join(FILES, shown)
    number, _, below = shown[1:].partition("/")
    word = os.path.normpath(os.path.join(bot.dir, bot.command[int(number)]))
    if is_within(word, bot.dir):
        place = os.path.join(FILES, os.path.relpath(word, bot.dir))
    else:
        place = os.path.join(WORDS, number, os.path.basename(word))
    words[int(number)] = place
    return os.path.join(place, below) if below else place
