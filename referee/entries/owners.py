"""Whose entries are where that was settled when they came in, and neither the config nor bot.toml says it.

.golfref/owners.json    by the name of an entry, its owner
"""

import contextlib
import os

import msgspec

from referee.entries.shelf import Shelf, write_whole
from referee.toml.document import BadDocument

_FILE = "owners.json"


def kept_owners(shelf: Shelf) -> dict[str, str]:
    """By the name of an entry whose it is. Raises BadDocument where the file was damaged."""
    path = shelf.folder / _FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        text = f"{path}: cannot be read ({error}); it says whose entries are: restore it, or remove it and say so anew"
        raise BadDocument([f"{text} in [[bots]] `owners`"]) from None


def keep_owner(shelf: Shelf, name: str, owner: str) -> None:
    """Keep whose an entry is, or forget it where the owner is empty. Raises OSError, BadDocument."""
    owners = kept_owners(shelf)
    if owners.get(name, "") == owner:
        return
    owners[name] = owner
    kept = {one: whose for one, whose in sorted(owners.items()) if whose}
    with contextlib.suppress(FileExistsError):
        os.mkdir(shelf.folder)
    write_whole(shelf.folder / _FILE, msgspec.json.encode(kept))
