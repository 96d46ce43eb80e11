"""The bots that a command is given, as people name them: command lines, or builtin:NAME, and their folders."""

import os
from collections.abc import Sequence
from typing import get_args

from msgspec import convert
from msgspec.structs import replace

from referee.play.isolation.levels import bubblewrap, find_problem
from referee.play.spec import BUILTIN, BotSpec, Confinement, Isolation, command_bot


class UsageError(ValueError):
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
    return tuple(bots)


def hint_at_dir(bot: BotSpec, problem: str) -> str:
    """What to add to a problem with a bot's command where its file may lie in another folder."""
    is_missing = bot.builtin is None and problem.startswith("there is no file")
    return "; if it lies elsewhere, --dir names the folder in which the bot starts" if is_missing else ""


def _folder_of_each(commands: Sequence[str], folders: Sequence[str]) -> list[str | None]:
    if missing := [folder for folder in folders if not os.path.isdir(folder)]:
        raise UsageError(f"--dir {missing[0]}: there is no such folder in {os.getcwd()}")
    if len(folders) == len(commands):
        return [*folders]
    if len(folders) <= 1:
        return [folders[0] if folders else None] * len(commands)
    own = [not text.startswith(BUILTIN) for text in commands]
    if len(folders) != sum(own):
        shipped = f", {own.count(False)} of them shipped ones that need none" if not all(own) else ""
        raise UsageError(
            f"--dir: {len(folders)} folders for {len(commands)} bots{shipped}; give one folder for all of them, "
            "or one for each --bot, in the same order"
        )
    left = iter(folders)
    return [next(left) if is_own else None for is_own in own]
