"""What systems and tools leave in folders and names: what is left aside, and what an author had better leave out."""

import re
from collections.abc import Iterable

_LEFT_ASIDE = frozenset({"__pycache__", ".git", "__macosx", ".ds_store", "desktop.ini", "thumbs.db"})
_APPLE_DOUBLE = "._"
"""Beside each file that has attributes, tar on macOS puts another one whose name begins so."""

_MADE_ANEW = frozenset({".venv", "venv", "env", "node_modules", "target", "build"})
"""Folders in which tools put what the build of an entry makes again."""

_COPY_MARKS = re.compile(r"(?i)^copy of +| *\(\d+\)$| - copy$| copy( \d+)?$")
"""What browsers, mail programs and desktops add to the name of a file that is saved or copied for the second time."""


def is_left_aside(name: str) -> bool:
    """Whether a file or folder of this name belongs to no version of a bot."""
    return name.lower() in _LEFT_ASIDE or name.startswith(_APPLE_DOUBLE)


def advice(paths: Iterable[str]) -> str:
    """What to do about the first of these paths that lies in a folder which tools make; empty if none does.

    The text begins with a semicolon, so that it can follow what is wrong.
    """
    for path in paths:
        for part in path.split("/"):
            if part in _MADE_ANEW:
                return f"; leave `{part}` out, `build` in bot.toml makes it anew (tournaments/ENTRIES.md, Packages)"
            if is_left_aside(part):
                return f"; leave `{part}` out, no bot needs it"
    return ""


def without_copy_marks(name: str) -> str:
    """The name as it was before it was copied: `caddie (1)` and `Copy of caddie` are `caddie`."""
    while (plain := _COPY_MARKS.sub("", name)) != name and plain.strip():
        name = plain
    return name
