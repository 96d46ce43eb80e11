"""Where in a config's file the keys stand of which something is told later: a change since a run began, a problem."""

import contextlib
from pathlib import Path

from referee.toml.document import BadDocument, line_of, read_text
from referee.toml.document import placed as document_lines
from referee.toml.reader import KeyPath, Problem
from referee.tournament.config.config import Config

_SECTIONS = {"clocks": "time", "faults": "faults", "limits": "limits"}
"""By field of a run's facts, the table of the config where it stands."""


def line_at(path: str | Path, key: KeyPath, text: str) -> str:
    """A problem with what a key of the file says, as a line for people. The key must be there."""
    (line,) = document_lines(path, read_text(path), [Problem(path=key, text=text)])
    return line


def placed(config: Config, change: str) -> str:
    """A change of the config since its run began, such as `clocks.move_s: 1.0 -> 2.0`, with its place in the file."""
    key, _, _ = change.partition(":")
    section, _, rest = key.partition(".")
    names = [f"bot `{bot.name}`" for bot in config.bots]
    path: KeyPath = ("tournament", key)
    if section in _SECTIONS:
        path = (_SECTIONS[section], *rest.split("."))
    elif key in ("stop", "stages"):
        path = (key,)
    elif key in names:
        path = ("bots", config.tables.get(config.bots[names.index(key)].name, 0))
    with contextlib.suppress(BadDocument):
        from referee.toml.positions import Positions  # noqa: PLC0415 - loads tree-sitter

        places = Positions(read_text(config.file))
        place = places.value(path)
        if not places.has(path[:1]):
            place = places.value(("tournament",))
        return line_of(f"{config.file}:{place.line}:{place.column}: {change}")
    return change
