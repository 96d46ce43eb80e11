"""A folder of a contestant is read into an Entry: by its bot.toml, or by the first row of ROWS that fits its files.

Nothing is run and nothing is written. bot.toml is a stranger's text: it asks, and the organiser's config allows.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from protocol.text import label_problem
from referee.play.spec import BUILTIN, LONGEST_NAME, BotSpec
from referee.toml.document import BadDocument, check_dots, line_of, parsed, placed, read_text
from referee.toml.reader import KeyPath, Reader
from referee.versions.entry import Builds, Entry
from referee.versions.files import Bounds
from referee.versions.folders import look_through
from referee.versions.version import version_of

BOT_TOML = "bot.toml"
"""The file in which an author says what builds the bot and what runs it."""

BOT_TOML_BYTES = 64_000
"""How long that file may be."""

_MOST = {"command": 30, "reads": 30, "env": 100}
"""How many words, paths and variables these keys may have: each of them is looked at, and some again and again."""

_MOST_TOLD = 20
"""So many problems of an entry are told."""

LONGEST_OWNER = 100
"""How many characters the name of a bot's owner has at most; so its language and contact."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_THE_HOST = re.compile(r"(PATH|LANG|LC_.*|LD_.*)")
"""Variables that change which of the host's files a bot is shown, or what is run before it."""

_ORGANISER = "the organiser's config, not in bot.toml"
_HOMES = {
    "name": "the name of the folder, which is the bot's name",
    **dict.fromkeys(("dir", "builtin", "entries", "owners", "isolation", "limits"), _ORGANISER),
    **dict.fromkeys(("memory_mb", "processes", "files", "tmp_mb", "disk_mb", "cpu_s", "time_s"), _ORGANISER),
}


class Row(Struct, frozen=True):
    """How a bot is built and run if its bot.toml has no command, and its folder has such a file."""

    file: str
    language: str
    command: tuple[str, ...]
    build: tuple[str, ...] = ()


_CMAKE = ("sh", "-c", "cmake -S . -B build && cmake --build build")
_C = ("sh", "-c", "cc -std=c11 -O2 -Wall -o bot *.c -lm")
_CPP = ("sh", "-c", "c++ -std=c++17 -O2 -Wall -I . -o bot *.cpp")
_GSON = "gson.jar:/usr/share/java/gson.jar"
_JAVA = ("sh", "-c", f"javac -d classes -cp {_GSON} *.java")
_KOTLIN = ("sh", "-c", "kotlinc *.kt -include-runtime -d bot.jar")
_BUILD_SH = "build.sh"

ROWS = (
    Row("Makefile", "", ("./bot",), ("make",)),
    Row("CMakeLists.txt", "", ("build/bot",), _CMAKE),
    Row("Cargo.toml", "Rust", ("target/release/bot",), ("cargo", "build", "--release")),
    Row("go.mod", "Go", ("./bot",), ("go", "build", "-o", "bot", ".")),
    Row("bot.c", "C", ("./bot",), _C),
    Row("bot.cpp", "C++", ("./bot",), _CPP),
    Row("Bot.java", "Java", ("java", "-cp", f"classes:{_GSON}", "Bot"), _JAVA),
    Row("bot.kt", "Kotlin", ("java", "-jar", "bot.jar"), _KOTLIN),
    Row("bot.mts", "TypeScript", ("node", "bot.mjs"), ("tsc",)),
    Row("bot.ts", "TypeScript", ("node", "bot.js"), ("tsc",)),
    Row("bot.py", "Python", ("python3", "bot.py")),
    Row("bot.pl", "Perl", ("perl", "bot.pl")),
    Row("bot.rb", "Ruby", ("ruby", "bot.rb")),
    Row("bot.lua", "Lua", ("lua", "bot.lua")),
    Row("bot.php", "PHP", ("php", "bot.php")),
    Row("bot.mjs", "JavaScript", ("node", "bot.mjs")),
    Row("bot.js", "JavaScript", ("node", "bot.js")),
    Row("bot.sh", "Bash", ("bash", "bot.sh")),
    Row("bot", "", ("./bot",)),
)
"""The first one that fits counts. A build.sh takes the place of its build."""

_NO_ROW = (
    'no file tells what runs it; write `command = ["PROGRAM", "FILE"]` into bot.toml, and `build` if something builds '
    "it, or give a file one of the names that golfref knows, such as bot.py or Makefile (tournaments/ENTRIES.md)"
)


class Allowance(Struct, frozen=True, kw_only=True):
    """What the organiser's config says of an entry before anything of it is read."""

    folder: str
    """Absolute path of the config's folder."""
    owner: str = ""
    """Whose it is; empty where the entry itself says it."""
    reads: tuple[str, ...] = ()
    """Absolute paths that it may ask to read, with all that is below them."""
    network: bool = False
    """Whether its build may ask for the network."""
    bounds: Bounds = Builds().entry_bounds
    """How much it may have."""


class BadEntry(BadDocument):
    """What keeps a folder from being an entry. Each of `lines` begins with its place."""


class _Given(Struct, frozen=True, kw_only=True):
    """bot.toml as it is written."""

    command: tuple[str, ...] | None = None
    build: tuple[str, ...] | None = None
    owner: str | None = None
    language: str | None = None
    contact: str | None = None
    reads: tuple[str, ...] = ()
    env: dict[str, str] = {}
    network: bool = False


def read_entry(folder: str, allowance: Allowance, *, name: str | None = None, shown: str | None = None) -> Entry:
    """The entry in this folder; raises BadEntry with all that is wrong with it.

    Its name is that of the folder unless another is given. In messages the folder is called `shown`.
    """
    folder = os.path.abspath(folder)
    shown = shown or folder
    name = os.path.basename(folder) if name is None else name
    lines = [] if not (problem := name_problem(name)) else [line_of(f"{shown}: {problem}")]
    if holds(folder, allowance.folder):
        raise BadEntry([*lines, line_of(f"{shown}: this folder holds the config; give the bot a folder of its own")])
    try:
        found_files = look_through(folder, allowance.bounds)
    except OSError as error:
        raise BadEntry([*lines, line_of(f"{shown}: cannot be read: {error.strerror}")]) from None
    lines += [line_of(problem.below(shown)) for problem in found_files.problems]
    reader = Reader(_HOMES)
    given, text = _Given(), ""
    file = f"{shown}/{BOT_TOML}"
    if os.path.lexists(os.path.join(folder, BOT_TOML)):
        try:
            text = _text(folder, file)
            given = reader.struct(_Given, parsed(file, text))
        except BadDocument as error:
            raise BadEntry([*lines, *error.lines]) from None
    _check(given, allowance, reader)
    lines += placed(file, text, reader.problems)
    row = next((row for row in ROWS if row.file in found_files.top), None)
    if row is None and given.command is None and not reader.wrong(("command",)):
        lines.append(line_of(f"{shown}: {_NO_ROW}"))
    if len(lines) > _MOST_TOLD:
        lines[_MOST_TOLD:] = [line_of(f"{shown}: {len(lines) - _MOST_TOLD} more problems")]
    if lines:
        raise BadEntry(lines)
    command, build = _started(given, row, found_files.top)
    spec = BotSpec(name=name, command=command, dir=folder, env=given.env)
    return Entry(
        name=name,
        folder=folder,
        command=command,
        build=build,
        language=given.language or (row.language if row else ""),
        owner=allowance.owner or given.owner or "",
        contact=given.contact or "",
        env=given.env,
        reads=tuple(os.path.normpath(place) for place in given.reads),
        wants_network=given.network,
        files=found_files.files + found_files.folders,
        size_bytes=found_files.size_bytes,
        version=version_of(spec, allowance.folder, build),
    )


def _started(given: _Given, row: Row | None, names: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The command and the build. If bot.toml has a command and no build, nothing is built."""
    if given.command is not None or row is None:
        return given.command or (), given.build or ()
    usual = ("sh", _BUILD_SH) if row.build and _BUILD_SH in names else row.build
    return row.command, usual if given.build is None else given.build


def name_problem(name: str) -> str | None:
    """What keeps a folder's name from being a bot's, in words; None where nothing does."""
    problem = label_problem(name, LONGEST_NAME)
    return problem and f"the folder's name is the bot's: {problem}"


def _text(folder: str, shown: str) -> str:
    path = os.path.join(folder, BOT_TOML)
    if os.path.islink(path):
        raise BadDocument([line_of(f"{shown}: a link; write the file itself")])
    try:
        text = read_text(path, most_bytes=BOT_TOML_BYTES)
    except BadDocument as error:
        raise BadDocument([line.replace(line_of(path), line_of(shown), 1) for line in error.lines]) from None
    check_dots(shown, text)
    return text


def _check(given: _Given, allowance: Allowance, reader: Reader) -> None:
    """Note what the reader of types does not know."""
    for key in ("owner", "language", "contact"):
        if getattr(given, key) is not None:
            reader.check_label((key,), getattr(given, key), LONGEST_OWNER)
    for key, most in _MOST.items():
        if (count := len(getattr(given, key) or ())) > most:
            reader.add((key,), f"expected at most {most} of them, got {count}")
    for key, words in (("command", given.command), ("build", given.build)):
        for index, text in _word_problems(words or ("sh",), is_command=key == "command"):
            reader.add((key, index), text)
    _check_env(given.env, reader)
    for index, place in enumerate(given.reads):
        _check_read(("reads", index), place, allowance, reader)
    if given.network and not allowance.network:
        text = "builds have no network here; the organiser gives it by `network = true` in [builds] of the config"
        reader.add(("network",), text)


def _check_env(env: dict[str, str], reader: Reader) -> None:
    for variable in env:
        if not _VARIABLE.fullmatch(variable):
            reader.add(("env", variable), "expected a name of letters from A to Z, digits and _", at_key=True)
        elif _OF_THE_HOST.fullmatch(variable):
            text = "may not be set here, because it changes what of the host is shown or run; take it out"
            reader.add(("env", variable), text, at_key=True)


def _word_problems(words: tuple[str, ...], *, is_command: bool) -> Iterator[tuple[int, str]]:
    """What is wrong with the words of a command or a build, each with the number of the word.

    The first word is a program of the host by its bare name, or a file of the entry; no other leads out of it.
    """
    program = words[0]
    if not program:
        yield 0, "expected the name of a program, got an empty string"
    elif program.startswith(BUILTIN):
        yield 0, "expected the bot's own program; shipped bots are named in the config"
    elif program.startswith("/"):
        text = f"expected a program by its bare name, such as `{os.path.basename(program) or 'sh'}`, or a path within"
        yield 0, f"{text} the folder, such as `./bot`; got the absolute path {program}"
    for index, word in enumerate(words):
        if "\0" in word:
            yield index, "holds a NUL character"
        elif _climbs(word):
            yield index, f"{word} leads out of the folder; put what it names into the folder"
        elif index and is_command and word.startswith("/"):
            yield index, f"{word} is an absolute path; name a file of the entry by its path from the folder on"


def _climbs(word: str) -> bool:
    path = os.path.normpath(word) if word else ""
    return not word.startswith("/") and (path == ".." or path.startswith("../"))


def _check_read(path: KeyPath, place: str, allowance: Allowance, reader: Reader) -> None:
    plain = os.path.normpath(place)
    if not place.startswith("/"):
        reader.add(path, f"expected an absolute path, got {place!r}; the bot reads all of its own folder anyway")
    elif not any(Path(plain).is_relative_to(allowed) for allowed in allowance.reads):
        text = f"the organiser does not allow to read {place}; he does so by `reads = [...]` beside `entries` in the"
        reader.add(path, f"{text} config, with this path or one above it")
    elif not os.path.exists(plain):
        reader.add(path, f"there is no {place}")


def holds(folder: str, other: str) -> bool:
    """Whether a folder lies in this one, or is it; links are followed."""
    outer, inner = os.path.realpath(folder), os.path.realpath(other)
    return Path(inner).is_relative_to(outer)
