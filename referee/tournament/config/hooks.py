"""The table [hooks]: the organiser's own commands, which are run when something happens in a run.

They are checked before anything is played. This module must not know what hooks are sent, or how they are run.
"""

from typing import Annotated

from msgspec import Meta, Struct

from referee.play.sandbox.problems import find_command
from referee.play.spec import BotSpec
from referee.toml.reader import Reader


class Hooks(Struct, frozen=True, kw_only=True):
    """The table [hooks] as it is written. Each command is run in the config's folder; an absent one is empty."""

    on_match: tuple[str, ...] = ()
    """Runs when a match has ended."""
    on_void: tuple[str, ...] = ()
    """Runs when the referee or its host spoiled an attempt at a match."""
    on_fault: tuple[str, ...] = ()
    """Runs when a bot was at fault in a match that has ended."""
    on_standings: tuple[str, ...] = ()
    """Runs when there are new standings."""
    on_end: tuple[str, ...] = ()
    """Runs when the command ends."""
    timeout_s: Annotated[float, Meta(ge=0.1, le=3600, description="seconds")] = 10.0
    """golfref kills a hook that takes longer."""
    standings_every_s: Annotated[float, Meta(ge=1, le=3600, description="seconds")] = 30.0
    """The least time between two standings while matches are played."""

    @property
    def commands(self) -> dict[str, tuple[str, ...]]:
        """By the name of its key, each command that is there."""
        names = (name for name in self.__struct_fields__ if name.startswith("on_"))
        return {name: command for name in names if (command := getattr(self, name))}


def check_hooks(hooks: Hooks, folder: str, reader: Reader) -> None:
    """Note what is wrong with the hooks of a config in this folder."""
    for name, command in hooks.commands.items():
        if problem := find_command(BotSpec(name=name, command=command, dir=folder, env={})):
            reader.add(("hooks", name, 0), problem)
