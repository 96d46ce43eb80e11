"""The referee and arena for programs that play Golf, the card game.

The command is `golfref`. Programs import what they need for a game without bots and for what was recorded:

    Game          a match in progress: the open question, the answers, the events, the result
    preset        a game of the rule book by its name
    with_options  such a game with other options
    score         layouts that somebody wrote down, scored
    replay        a match that was recorded, played again

Each loads when it is first used, so that `golfref --help` does not wait for the rules. README.md in this folder shows
them at work.
"""

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.library import replay
    from referee.rules.check_options import with_options
    from referee.rules.game import Game
    from referee.rules.scoring.by_hand import score
    from referee.rules.variants import preset

__all__ = ["Game", "preset", "replay", "score", "with_options"]

__version__ = "1.0.0"

_HOMES = {
    "Game": "referee.rules.game",
    "preset": "referee.rules.variants",
    "replay": "referee.library",
    "score": "referee.rules.scoring.by_hand",
    "with_options": "referee.rules.check_options",
}
"""The module of each public name."""


if not TYPE_CHECKING:  # else a checker would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _refuse_another_protocol() -> None:
    """Say which file hides our package `protocol`, in one sentence, before an import fails somewhere inside of it.

    A file of that name in the folder where Python was started, or in PYTHONPATH, comes first. Raises ImportError; where
    the command itself is starting, it ends with the sentence alone. Nothing of ours imports `bots`, so that a folder
    or file of that name does no harm.
    """
    ours = os.path.join(os.path.dirname(os.path.dirname(__file__)), "protocol", "__init__.py")
    loaded = sys.modules.get("protocol")
    spec = PathFinder.find_spec("protocol") if loaded is None else loaded.__spec__
    found = loaded.__file__ if spec is None and loaded is not None else spec and spec.origin
    if not found or os.path.realpath(found) == os.path.realpath(ours):
        return
    sentence = f"{found} hides the package `protocol` that golfref needs: rename it, or start in another folder"
    if os.path.basename(sys.argv[0]) in {"golfref", "-m"}:
        print(f"golfref: {sentence}", file=sys.stderr)
        sys.exit(2)
    raise ImportError(sentence, name="protocol", path=found)


_refuse_another_protocol()
