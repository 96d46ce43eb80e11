"""The bots that a command is given, as people name them: command lines, or builtin:NAME, and their folders."""

import os
import re
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import get_args

from msgspec import convert
from msgspec.structs import replace

from protocol.text import visible
from referee.errors import GolfrefError
from referee.play.sandbox.cell import settled
from referee.play.sandbox.levels import bubblewrap
from referee.play.sandbox.problems import find_problem
from referee.play.spec import (
    BUILTIN,
    INTERPRETER,
    LONGEST_NAME,
    SAYS_NOTHING,
    BotSpec,
    Confinement,
    Isolation,
    command_bot,
    script_of,
)

_CHOSEN_BY_TOOLS = frozenset({"app", "bin", "build", "debug", "dist", "out", "release", "src", "target"})
"""Names of folders that compilers make or languages ask for."""

_RUNTIME = re.compile(r"java|deno|bun|dotnet|mono|npx|npm|uv|env|cargo|go|kotlin|tsx|ts-node|julia")
"""Programs that run others, beside the interpreters whose scripts are known."""


class UsageError(GolfrefError, ValueError):
    """The command line asks for something impossible; the text says what to change."""


def confinement_of(level: str) -> Confinement:
    """The confinement of this level; raises UsageError for an unknown level, HostFault for one that is missing here."""
    if level not in get_args(Isolation):
        raise UsageError(f"--isolation: expected none, limits or bwrap, got {level!r}")
    confinement = convert({"isolation": level}, Confinement)
    if confinement.isolation == "bwrap":
        bubblewrap()
    return confinement


def bots_of(commands: Sequence[str], folders: Sequence[str], isolation: Isolation) -> tuple[BotSpec, ...]:
    """The bots of these command lines. Those of the same name are numbered from the second on.

    `folders` has one folder for all of them, one for each, or one for each that is no shipped bot; by default a bot
    starts in the current folder. Raises UsageError where these do not fit, or a command is not found; BadBot.
    """
    bots: list[BotSpec] = []
    for text, folder in zip(commands, _folder_of_each(commands, folders), strict=True):
        bot = command_bot(text, folder)
        twins = sum(other.command == bot.command or other.name.partition("#")[0] == bot.name for other in bots)
        bots.append(replace(bot, name=f"{bot.name}#{twins + 1}") if twins else bot)
    problems = [
        f"--bot {text!r}: {problem}{hint_at_dir(bot, problem)}"
        for text, bot in zip(commands, bots, strict=True)
        if (problem := find_problem(bot, isolation))
    ]
    if problems:
        raise UsageError("\n".join(problems))
    return tuple(settled(bot, isolation) for bot in bots)


def shown_names(bots: Sequence[BotSpec], said: Sequence[str]) -> list[str]:
    """What these bots are called, each by another name; `said` is what they said of themselves, or empty.

    A bot goes by its script or program, or where that is a name that nobody chose for it, by what it said. Bots of the
    same name are told apart by their folders (`mine@old`), or numbered from the second on where these are alike too.
    """
    names = [_plain_name(bot, own) for bot, own in zip(bots, said, strict=True)]
    folders = [_folders(bot) for bot in bots]
    shown: list[str] = []
    for number, name in enumerate(names):
        twins = [folders[other] for other, theirs in enumerate(names) if theirs == name]
        kinds = [kind for kind in range(2) if len({twin[kind] for twin in twins}) == len(twins) > 1]
        own = f"{name}@{folders[number][kinds[0]]}"[:LONGEST_NAME] if kinds else name
        numbered = (f"{own}#{turn}" for turn in count(2))
        shown.append(next(free for free in chain([own], numbered) if free not in shown))
    return shown


def _plain_name(bot: BotSpec, said: str) -> str:
    name = bot.name.partition("#")[0]
    is_chosen = name not in SAYS_NOTHING | _CHOSEN_BY_TOOLS and not (
        INTERPRETER.fullmatch(name) or _RUNTIME.fullmatch(name)
    )
    return name if bot.builtin is not None or is_chosen or not said else said[:LONGEST_NAME]


def _folders(bot: BotSpec) -> tuple[str, str]:
    """The names of the folder in which it starts and of that of its script or program."""
    script = Path(bot.dir, script_of(bot.command) or bot.command[0])
    return visible(Path(bot.dir).name), visible(script.parent.name)


def hint_at_dir(bot: BotSpec, problem: str) -> str:
    """What to add to a problem with a bot's command where its file may lie in another folder."""
    is_missing = bot.builtin is None and problem.startswith("there is no file")
    return "; if it lies elsewhere, --dir names the folder in which the bot starts" if is_missing else ""


def _folder_of_each(commands: Sequence[str], folders: Sequence[str]) -> list[str | None]:
    if missing := [folder for folder in folders if not os.path.isdir(folder)]:
        raise UsageError(f"--dir {missing[0]}: there is no such folder in {os.getcwd()}")
    own = [not text.startswith(BUILTIN) for text in commands]
    if folders and not any(own):
        raise UsageError("--dir: it has no effect on shipped bots; leave it out")
    if len(folders) == len(commands):
        return [*folders]
    if len(folders) <= 1:
        return [folders[0] if folders else None] * len(commands)
    if len(folders) != sum(own):
        shipped = f", {own.count(False)} of them shipped ones that need none" if not all(own) else ""
        raise UsageError(
            f"--dir: {len(folders)} folders for {len(commands)} bots{shipped}; give one folder for all of them, "
            "or one for each --bot, in the same order"
        )
    left = iter(folders)
    return [next(left) if is_own else None for is_own in own]
