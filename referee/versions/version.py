"""The version of a bot: a hash of all that is started, so that a changed program is not taken for the one that played.

Nothing is run here. The files of an entry are held to its bounds before they are read here.
"""

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from hashlib import file_digest, sha256

import msgspec

from referee.play.spec import BUILTIN, BotSpec
from referee.versions.files import is_left_out

SHORT_LENGTH = 12
"""How many characters of a version people are shown."""

_SYSTEM = ("/usr", "/bin", "/opt", sys.prefix)
"""What lies there is installed and no part of an entry. An upgraded interpreter makes no new version of a bot."""


def version_of(bot: BotSpec, folder: str, build: Sequence[str] = ()) -> str:
    """The bot's version: the one that is known, else `version_on_disk`."""
    return bot.version or version_on_disk(bot, folder, build)


def version_on_disk(bot: BotSpec, folder: str, build: Sequence[str] = ()) -> str:
    """SHA-256 in hexadecimal over the bot's command, its environment and its files. `folder` is that of the config.

    What builds it counts as well where something does, and so do a network and clocks of its own.

    The files are those of the bot's own folder, and those that words of the command name; of a shipped bot those of its
    folder, and of the kit if it imports that. A bot whose folder is, or contains, the config's has none of its own:
    only what its command names counts, because stores and other bots lie there as well. A file counts by its path, its
    bytes and whether it is executable, a symbolic link by its text, and what cannot be read, or is no file, by its
    kind. What systems and tools leave behind is left out.
    """
    command = [BUILTIN + bot.builtin] if bot.builtin is not None else list(bot.command)
    told: list[object] = [command, sorted(bot.env.items()), *([list(build)] if build else [])]
    if bot.network or bot.clocks is not None:
        told.append({"network": bot.network, "clocks": bot.clocks})
    digest = sha256(msgspec.json.encode(told))
    known: dict[tuple[int, int], bytes] = {}
    for path, shown in sorted(files_of(bot, folder), key=lambda pair: os.fsencode(pair[1])):
        name = os.fsencode(shown)
        digest.update(b"%d:%b%b" % (len(name), name, _content_once(path, known)))
    return digest.hexdigest()


def traces_of(bot: BotSpec, folder: str) -> Iterator[tuple[str, int, int]]:
    """The files on which the bot's version depends, each with its size and when it changed, in nanoseconds.

    None of them is read. The time is the system's own note of a change, which copying does not carry over.
    """
    yield from _looked_at(path for path, _ in files_of(bot, folder))


def traces_below(folder: str) -> Iterator[tuple[str, int, int]]:
    """The same for all files in a folder and below it that count for a version."""
    yield from _looked_at(path for path, _ in _walk(folder, ""))


def _looked_at(paths: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    for path in paths:
        with contextlib.suppress(OSError):
            about = os.lstat(path)
            yield path, about.st_size, about.st_ctime_ns


def is_version(text: str) -> bool:
    """Whether a text can be a whole version."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


class BadVersion(ValueError):
    """A text that is no version, and may name anything else."""


def checked_version(text: str) -> str:
    """The text, if it is a whole version, so that it can be the name of a file. Raises BadVersion."""
    if not is_version(text):
        raise BadVersion(f"expected a version of 64 hexadecimal digits, got {text[:100]!r}")
    return text


def short(version: str) -> str:
    """The version as people are shown it."""
    return version[:SHORT_LENGTH]


def files_of(bot: BotSpec, folder: str) -> Iterator[tuple[str, str]]:
    """Each file on which the version depends, with the name under which it counts.

    That is its path from the bot's folder on, or for what the word of this number names in the command, `/NUMBER`, with
    the path below it where that is a folder. `folder` is that of the config.
    """
    if bot.builtin is not None or not _contains(bot.dir, folder):
        yield from _walk(bot.dir, "")
    if bot.builtin is not None:
        for place in bot.reads:
            yield from _walk(place, f"/{os.path.basename(place)}/")
    else:
        for number, word in enumerate(bot.command):
            path = os.path.join(bot.dir, word)
            if os.path.isfile(path) and not _is_system(path):
                yield os.path.realpath(path), f"/{number}"
            elif number and word and os.path.isdir(path) and not _contains(path, folder):
                yield from _walk(path, f"/{number}/")


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Everything in a folder and below it except folders. A folder that cannot be read stands for what is in it."""
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            yield place, prefix + os.path.relpath(place, folder)
            continue
        for entry in entries:
            if is_left_out(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                yield entry.path, prefix + os.path.relpath(entry.path, folder)


def _content_once(path: str, known: dict[tuple[int, int], bytes]) -> bytes:
    """What a file adds to the version. `known` tells it of files that were read before: words may name one often."""
    try:
        found = os.lstat(path)
    except OSError:
        return b"u"
    key = found.st_dev, found.st_ino
    if key not in known:
        known[key] = _content(path)
    return known[key]


def _content(path: str) -> bytes:
    """What a file adds to the version: a letter for its kind, and the SHA-256 of its content where it has any."""
    try:
        if os.path.islink(path):
            return b"l" + sha256(os.fsencode(os.readlink(path))).digest()
        # Not to wait for whoever writes into a pipe.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                return b"s"
            return (b"x" if mode & stat.S_IXUSR else b"f") + file_digest(file, "sha256").digest()
    except OSError:
        return b"u"


def _contains(outer: str, inner: str) -> bool:
    outer, inner = os.path.realpath(outer), os.path.realpath(inner)
    return os.path.commonpath((outer, inner)) == outer


def _is_system(path: str) -> bool:
    return any(_contains(folder, path) for folder in _SYSTEM)
