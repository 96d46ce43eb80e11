"""Bots in Python, run in this process: the same code that answers the referee's lines answers messages as dicts here.

Each program gets modules of its own, whatever other programs call theirs. It runs with all rights of this process:
load nobody's bot here but your own and the shipped ones.
"""

import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct

from referee.play.spec import SHIPPED

_KIT = "kit"
"""The package beside the shipped bots that some of them import."""

Message = dict[str, Any]
"""A line of the referee, as JSON has it."""

Decide = Callable[[Message], Any]
"""Takes a request and returns the action, as JSON has it."""


class NoProgram(ValueError):
    """A folder that holds no bot that can be run in this process; the text says what it lacks."""


class Program(Struct, frozen=True, kw_only=True):
    """A bot that is loaded."""

    name: str
    """The name of its folder."""
    make: Callable[[Message], Decide]
    """Makes ready for a match from the message `match`."""


def load(folder: Path) -> Program:
    """Return the program of a folder. Raises NoProgram where it cannot be run here.

    Its `bot.py` has one of these: `player_of(match)` and `decide(player, request)`; or a class that is made from the
    message `match`, with `decide(request)`, which returns the action, or with the `answer(request)` of bots/kit.
    """
    path = folder / "bot.py"
    if not path.is_file():
        raise NoProgram(f"{folder} has no file bot.py, so there is no bot in Python to run in this process")
    return Program(name=folder.name, make=_maker(_module(path)))


def shipped(name: str) -> Program:
    """Return the program of a shipped bot in Python: `random`, `greedy`, `keeper` or `sharp`. Raises NoProgram."""
    names = [folder.parent.name for folder in sorted(SHIPPED.glob("*/bot.py"))]
    if name not in names:
        raise NoProgram(f"there is no shipped bot in Python called {name!r}; there are {', '.join(names)}")
    return load(SHIPPED / name)


def _module(path: Path) -> ModuleType:
    """The main module of a bot. No other program finds what it imports from its folder and from the kit."""
    folder = path.parent
    own = {file.stem for file in folder.glob("*.py")} | {_KIT}
    aside = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in own}
    search = list(sys.path)
    sys.path[:0] = [str(folder), str(folder.parent)]
    try:
        spec = importlib.util.spec_from_file_location(f"bot_{folder.name}", path)
        if spec is None or spec.loader is None:
            raise NoProgram(f"{path} cannot be loaded as a module of Python")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = search
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]
        sys.modules.update(aside)
    return module


def _maker(module: ModuleType) -> Callable[[Message], Decide]:
    if hasattr(module, "player_of"):
        return lambda match: partial(module.decide, module.player_of(match))
    for one in vars(module).values():
        if isinstance(one, type) and one.__module__ == module.__name__:
            for method in ("decide", "answer"):
                if hasattr(one, method):
                    return partial(_begin, one, method)
    raise NoProgram(
        f"{module.__file__} has neither `player_of` nor a class with `decide` or `answer`, "
        "so nothing in it can be asked in this process"
    )


def _begin(player: Callable[[Message], Any], method: str, match: Message) -> Decide:
    """The method of a player that is made for this match; the kit's `answer` says more than the action."""
    decide: Decide = getattr(player(match), method)
    return decide if method == "decide" else lambda request: decide(request)["action"]
