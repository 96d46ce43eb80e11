"""What `golfref check` was given: a bot's command line, or the config of a competition."""

import os
from collections.abc import Mapping
from typing import Literal

from referee.errors import CommandError

_STORE = b"SQLite format 3\0"


def given_as(what: str, of_bot: Mapping[str, object], of_config: Mapping[str, object]) -> Literal["bot", "config"]:
    """Whether the argument names a config: a file that is there and ends in .toml. Everything else is a command line.

    Raises CommandError for a run's store, for a folder, for a config that is not there, and where one of the
    options that were given does not go with it.
    """
    is_config = what.endswith(".toml") and os.path.isfile(what)
    starts_here = not of_bot.get("--dir")  # else a program is named as it is called there
    if not is_config and starts_here and (problem := _problem(what)):
        raise CommandError(problem)
    others, kind = (of_bot, "a config") if is_config else (of_config, "a bot's command line")
    if stray := [name for name, value in others.items() if value]:
        raise CommandError(f"{stray[0]} does not go with {kind}")
    return "config" if is_config else "bot"


def _problem(what: str) -> str:
    """Why this cannot be the command line of a bot, where it names something else; empty where it may be one."""
    if what.endswith(".toml"):
        return f"there is no file {what}"
    if os.path.isdir(what):
        return f"{what} is a folder; name its config, as {os.path.join(what, 'config.toml')}, or a bot's command line"
    try:
        with open(what, "rb") as file:
            if file.read(len(_STORE)) == _STORE:
                return f"{what} is the store of a run; name the config that was played, a .toml file"
    except (OSError, ValueError):
        pass
    return ""
