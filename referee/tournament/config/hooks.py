"""The table [hooks]: the organiser's own commands that are told what happens in a run.

They are checked before anything is played. This module must not know what hooks are told, or how they are run.
"""

import os
import shutil
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from referee.play.spec import why_not_executable
from referee.toml.reader import Reader


class Hooks(Struct, frozen=True, kw_only=True):
    """The table [hooks] as it is written. Each command is run in the config's folder; an absent one is empty."""

    on_match: tuple[str, ...] = ()
    on_void: tuple[str, ...] = ()
    on_fault: tuple[str, ...] = ()
    on_standings: tuple[str, ...] = ()
    on_end: tuple[str, ...] = ()
    timeout_s: Annotated[float, Meta(ge=0.1, le=3600, description="seconds")] = 10.0
    """How long a hook may take before it is killed."""
    standings_every_s: Annotated[float, Meta(ge=1, le=3600, description="seconds")] = 30.0
    """How often standings are computed at most while matches are played."""

    @property
    def commands(self) -> dict[str, tuple[str, ...]]:
        """By the name of its key, each command that is there."""
        names = (name for name in self.__struct_fields__ if name.startswith("on_"))
        return {name: command for name in names if (command := getattr(self, name))}


def check_hooks(hooks: Hooks, folder: str, reader: Reader) -> None:
    """Note what is wrong with the hooks of a config in this folder."""
    for name, command in hooks.commands.items():
        if problem := _problem(command[0], folder):
            reader.add(("hooks", name, 0), problem)


def _problem(program: str, folder: str) -> str:
    """Why this program of a hook cannot be run. Empty where it can."""
    if not program:
        return "expected the name of a program, got an empty string"
    if "/" not in program:
        if shutil.which(program) is not None:
            return ""
        is_beside = os.path.isfile(os.path.join(folder, program))
        hint = f'; the file beside this config is "./{program}"' if is_beside else ""
        return f"`{program}` is not on the PATH{hint}"
    path = os.path.normpath(os.path.join(folder, program))
    if not os.path.isfile(path):
        return f"there is no program {path}"
    why = why_not_executable(Path(path))
    return f"{path} {why}" if why else ""
