"""What a bot is to the referee: its command, folder and environment; the shipped bots; commands checked before play.

This module starts nothing and must not know what is played. A shipped bot is a file of this installation and is started
by its absolute path, so it does not matter what else is called `bots` in the current directory.
"""

import os
import re
import shlex
import shutil
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

import referee
from protocol.messages import Clocks
from protocol.text import visible
from referee.errors import GolfrefError

Isolation = Literal["none", "limits", "bwrap"]
"""How far a bot is kept from the referee and the host, the weakest level first."""

MB = 1 << 20
"""Bytes in the megabyte in which limits are given."""


class BotLimits(Struct, frozen=True, kw_only=True):
    """What one bot may use of the host in one match, with all that it starts. Below these minima no bot starts."""

    memory_mb: Annotated[int, Meta(ge=16)] = 1024
    """Memory, with the files in /tmp and /dev/shm if these are the bot's own."""
    processes: Annotated[int, Meta(ge=1)] = 256
    """Processes and threads."""
    files: Annotated[int, Meta(ge=16)] = 256
    """Open files of each process."""
    tmp_mb: Annotated[int, Meta(ge=1)] = 64
    """The size of each file under `limits`; of all of /tmp, and of all of /dev/shm, under `bwrap`."""
    cpu_s: Annotated[int, Meta(ge=1)] = 600
    """Seconds of computing, over all cores."""


class Workshop(Struct, frozen=True, kw_only=True):
    """What a process gets that builds a bot, and no bot that plays. It computes only when nothing else wants to."""

    folder_mb: int
    """Under `bwrap`, how much it may write into its folder, which is empty at first. What it builds is at /source."""


class Confinement(Struct, frozen=True, kw_only=True):
    """How a bot is kept from everything that is not its own."""

    isolation: Isolation = "limits"
    limits: BotLimits = BotLimits()
    workshop: Workshop | None = None
    """Where this is no bot that plays, but the build of one."""


SHIPPED = Path(referee.__file__).resolve().parent.parent / "bots"
"""The folder of the shipped bots, which are installed beside the referee."""

LONGEST_NAME = 40
"""The most characters in a bot's name, so that tables stay readable."""

BUILTIN = "builtin:"
"""What a command line begins with when it names a shipped bot."""

_KIT = "kit"
"""The folder, beside those of the shipped bots, of the Python package that some of them import."""

_IMPORTS_KIT = re.compile(rf"^(from|import) {_KIT}\b", re.MULTILINE)

_STARTERS = {"bot.py": (sys.executable,), "bot.pl": ("perl",), "bot.sh": ("sh",)}
INTERPRETER = re.compile(r"(python|pypy|perl|ruby|node|lua|php|sh|bash|dash|zsh|Rscript)[\d.]*")
"""Programs that are given a script."""

_PLAIN_FLAGS = frozenset({"-u", "-B", "-O", "-w"})
"""Options of interpreters after which a script may still follow."""

SAYS_NOTHING = frozenset({"bot", "main", "run", "start"})
"""Names of scripts and programs that do not tell one bot from another."""


class Cell(Struct, frozen=True, kw_only=True):
    """What a bot runs and sees of the host under `bwrap`."""

    command: tuple[str, ...]
    """The bot's command line, with the paths that are valid in the cell."""
    folder: str
    """The host's folder that the bot finds at /bot, links resolved."""
    reads: tuple[str, ...]
    """The other paths of the host that the bot can read, besides the system's. They are the same in the cell."""
    env: dict[str, str]
    """The bot's whole environment."""
    network: bool = False
    """Whether it has the host's network; else it has one of its own with nothing in it."""


class BotSpec(Struct, frozen=True, kw_only=True):
    """A bot as the referee starts it."""

    name: str
    """Unique within a tournament."""
    command: tuple[str, ...]
    dir: str
    """Absolute path of the folder in which the process starts."""
    env: dict[str, str]
    """What is added to the few variables that every bot gets."""
    reads: tuple[str, ...] = ()
    """Absolute paths that the bot may read under `bwrap`, besides its own folder. A shipped bot may read the kit."""
    owner: str = ""
    """Whose bot it is, as the record tells it; empty where nobody says."""
    builtin: str | None = None
    """The shipped bot's name; None for any other."""
    entry: str = ""
    """Absolute path of the folder that the bot was entered with. Empty where that is `dir`."""
    version: str = ""
    """Its version in hexadecimal, where that is known; else it follows from the files of `dir`."""
    network: bool = False
    """Whether it may use the host's network under `bwrap`. The other levels keep no bot from that."""
    clocks: Clocks | None = None
    """The time limits that hold for this bot alone, with the same way of timing slaps; None where the match's hold."""
    cell: Cell | None = None
    """Its cell on this host, where a command has settled that before play; else it is worked out at each start."""


class BadBot(GolfrefError, ValueError):
    """There is no such shipped bot, or the command line cannot be read; the text says what would do."""


def shipped() -> dict[str, tuple[str, ...]]:
    """Name -> command of every shipped bot, in the order of names: each folder of SHIPPED that holds a main file.

    The starter in Perl is one of them, as a bot in another language than ours that most systems can run.
    """
    found: dict[str, tuple[str, ...]] = {}
    for folder in sorted((*SHIPPED.iterdir(), SHIPPED / "starters/perl"), key=lambda folder: folder.name):
        for main, starter in _STARTERS.items():
            if (folder / main).is_file():
                found[folder.name] = (*starter, str(folder / main))
    return found


def builtin_bot(name: str) -> BotSpec:
    """The shipped bot of this name, and with it the kit, if it imports that.

    Raises BadBot, which names the nearest one.
    """
    commands = shipped()
    if name not in commands:
        near = get_close_matches(name, commands, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(commands) or 'none'}"
        raise BadBot(f"unknown shipped bot `{name}`; {hint}")
    command = commands[name]
    reads = (str(SHIPPED / _KIT),) if _IMPORTS_KIT.search(Path(command[-1]).read_text(encoding="utf-8")) else ()
    return BotSpec(name=name, command=command, dir=os.path.dirname(command[-1]), env={}, reads=reads, builtin=name)


def command_bot(text: str, folder: str | None = None) -> BotSpec:
    """The bot of a shell-quoted command line, or of `builtin:NAME`, named after its script or program.

    It starts in `folder`, by default the current one. Whether the command exists is for sandbox/problems.py to say.
    Raises BadBot.
    """
    if text.startswith(BUILTIN):
        return builtin_bot(text.removeprefix(BUILTIN))
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise BadBot(f"cannot read the command line {text!r}: {error}") from None
    if not command or not command[0]:
        raise BadBot(f"expected a command line or {BUILTIN}NAME, got {text!r}")
    if "\0" in text:
        raise BadBot("a command line cannot hold a NUL character")
    return BotSpec(name=_short_name(command), command=command, dir=os.path.abspath(folder or "."), env={})


def search_path(spec: BotSpec) -> str:
    """Where the bot's program is looked for: on its own PATH, if its environment sets one, else on ours.

    The virtual environment in which golfref is installed holds what golfref needs. It is not shown to an entry, and not
    searched for its program, unless that is nowhere else.
    """
    path = spec.env.get("PATH", os.environ.get("PATH", os.defpath))
    if not spec.entry or sys.prefix == sys.base_prefix:
        return path
    own = os.path.realpath(os.path.join(sys.prefix, "bin"))
    others = os.pathsep.join(folder for folder in path.split(os.pathsep) if os.path.realpath(folder) != own)
    return others if shutil.which(spec.command[0], path=others) else path


def why_not_executable(path: Path) -> str:
    """Why the system does not run this file as a program, and what to do; empty where it does."""
    if os.access(path, os.X_OK):
        return ""
    if is_noexec(path):
        return "lies where programs may not run (mounted noexec); move it, or name the interpreter that runs it"
    return "is not executable; make it so (chmod +x) or name the interpreter that runs it"


def is_noexec(path: Path) -> bool:
    """Whether the file lies where the host lets no program run."""
    return bool(os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0))


def script_of(command: tuple[str, ...]) -> str | None:
    """The script that an interpreter is given; None where the command names none plainly."""
    if not INTERPRETER.fullmatch(Path(command[0]).name):
        return None
    for argument in command[1:]:
        if argument not in _PLAIN_FLAGS:
            return None if argument.startswith("-") or not argument else argument
    return None


def _short_name(command: tuple[str, ...]) -> str:
    """The name of the script or program without its ending; for names that say nothing (`mine/bot.py`) its folder's."""
    path = Path(script_of(command) or command[0])
    name = path.parent.name if path.stem in SAYS_NOTHING and path.parent.name else path.stem
    return visible(name).strip()[:LONGEST_NAME].strip() or "bot"
