"""The bots of a config: their commands and folders, whose they are, and whether they may play under its isolation."""

import os
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.play.isolation.cell import cell_of
from referee.play.isolation.levels import find_problem
from referee.play.spec import BUILTIN, LONGEST_NAME, BadBot, BotSpec, Isolation, builtin_bot
from referee.tournament.config.reader import KeyPath, Reader
from referee.tournament.plan.keys import Rotations

LONGEST_OWNER = 100
"""How many characters the name of a bot's owner has at most."""


class GivenBot(Struct, frozen=True, kw_only=True):
    """[[bots]] as it is written."""

    name: str | None = None
    command: tuple[str, ...] | None = None
    builtin: str | None = None
    dir: str | None = None
    env: dict[str, str] = {}
    reads: tuple[str, ...] = ()
    owner: str | None = None


def read_bots(given: Sequence[GivenBot] | None, file: str, isolation: Isolation, reader: Reader) -> list[BotSpec]:
    """The bots of the config in `file`, as far as they can be made out. What is wrong with them is noted."""
    if given is None:
        reader.missing(("bots",), "expected at least one [[bots]]")
    given = given or ()
    specs = [_bot(bot, ("bots", index), os.path.dirname(file), isolation, reader) for index, bot in enumerate(given)]
    reader.check_unique("bots", given, "builtin")
    if isolation == "bwrap" and not reader.problems:
        _check_folders([spec for spec in specs if spec is not None], file, reader)
    return [spec for spec in specs if spec is not None]


def readers(bots: Sequence[BotSpec], path: str) -> list[str]:
    """The names of the bots that could read this path from their cells."""
    return [bot.name for bot in bots if cell_of(bot).can_read(path)]


def check_trust(given: Sequence[GivenBot], isolation: Isolation, *, trusted: bool, reader: Reader) -> None:
    """Other people's programs run under `bwrap`, unless the organiser says that they are trusted."""
    owners = _owners(given)
    if len(owners) > 1 and isolation != "bwrap" and not trusted:
        some = ", ".join(owners[:5]) + ", ..." * (len(owners) > 5)
        text = (
            f'bots of {len(owners)} owners ({some}) need isolation = "bwrap"'
            ', or trust = "all" if every one of them may read and change all that you can; see `golfref doctor`'
        )
        reader.add(("tournament", "isolation"), text)


def usual_rotations(given: Sequence[GivenBot]) -> Rotations:
    """What is best where the config does not say it (tournaments/README.md has the measurements).

    Bots of one owner share the cards of a deal, which takes fewer matches. One of several owners could carry the cards
    to a later rotation and win it by that, so each rotation has cards of its own.
    """
    return "fresh" if len(_owners(given)) > 1 else "same"


def _owners(given: Sequence[GivenBot]) -> list[str]:
    """The owners of the bots that are not shipped ones."""
    return sorted({bot.owner or "(none)" for bot in given if bot.builtin is None})


def _check_folders(bots: Sequence[BotSpec], file: str, reader: Reader) -> None:
    """A bot can read its folder, so no config, which may tell the seed, and no other owner's folder may lie in it."""
    for index, bot in enumerate(bots):
        cell = cell_of(bot)
        if cell.can_read(file):
            reader.add(("bots", index, "dir"), _shows_config(bot.dir))
            continue
        for number, other in enumerate(bots):
            strangers = bot.builtin is None and other.builtin is None and bot.owner != other.owner
            if strangers and cell.can_read(other.dir):
                whose = f"bots[{number}] (`{other.name}`), which has another owner"
                text = f"this bot can read {bot.dir}, and so {whose}; give each a folder of its own"
                reader.add(("bots", index, "dir"), text)
                break


def _shows_config(folder: str) -> str:
    return f"this bot can read {folder}, and so this config; give it a folder of its own"


def _bot(given: GivenBot, path: KeyPath, folder: str, isolation: Isolation, reader: Reader) -> BotSpec | None:
    """The bot, as far as it can be made out. What is wrong with it is noted."""
    if given.name is not None or given.builtin is None:
        reader.check_label((*path, "name"), given.name, LONGEST_NAME)
    if given.owner is not None:
        reader.check_label((*path, "owner"), given.owner, LONGEST_OWNER)
    for variable in given.env:
        if not variable or "=" in variable or "\0" in variable:
            reader.add((*path, "env", variable), "cannot be the name of an environment variable", at_key=True)
    if given.command is not None and given.builtin is not None:
        reader.add((*path, "builtin"), "a bot has either `builtin` or `command`, not both", at_key=True)
    elif given.builtin is not None:
        return _builtin(given, given.builtin, path, reader)
    elif given.command is not None:
        return _own(given, path, folder, isolation, reader)
    elif not reader.wrong((*path, "command")) and not reader.wrong((*path, "builtin")):
        reader.add(path, "expected `command` or `builtin`")
    return None


def _builtin(given: GivenBot, name: str, path: KeyPath, reader: Reader) -> BotSpec | None:
    if given.dir is not None:
        reader.add((*path, "dir"), "goes with `command` only; a shipped bot starts in its own folder", at_key=True)
    try:
        bot = builtin_bot(name)
    except BadBot as error:
        reader.add((*path, "builtin"), str(error))
        return None
    return replace(bot, name=given.name or name, env=given.env, owner=given.owner or "")


def _own(given: GivenBot, path: KeyPath, folder: str, isolation: Isolation, reader: Reader) -> BotSpec | None:
    command = given.command or ()
    start = os.path.normpath(os.path.join(folder, given.dir or ""))
    reads = tuple(os.path.normpath(os.path.join(folder, path)) for path in given.reads)
    bot = BotSpec(
        name=given.name or "", command=command, dir=start, env=given.env, reads=reads, owner=given.owner or ""
    )
    for index, place in enumerate(reads):
        if not os.path.exists(place):
            reader.add((*path, "reads", index), f"there is no {place}")
    if not os.path.isdir(start):
        reader.add((*path, "dir"), f"there is no folder {start}")
    elif not command[0]:
        reader.add((*path, "command", 0), "expected the name of a program, got an empty string")
    elif command[0].startswith(BUILTIN):
        reader.add((*path, "command"), f'a shipped bot is named by `builtin = "{command[0].removeprefix(BUILTIN)}"`')
    elif isolation == "bwrap" and os.path.commonpath((start, folder)) == start:
        reader.add((*path, "dir"), _shows_config(start))
    elif not reader.wrong((*path, "dir")) and (problem := find_problem(bot, isolation)):
        reader.add((*path, "command"), problem)
    return bot
