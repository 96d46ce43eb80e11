"""key: makes a file with a master key, for runs that several machines play or that are announced before they begin."""

import os
import re
import stat
from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import say
from referee.errors import DONE, CommandError, GolfrefError
from referee.new_file import new_file
from referee.tournament.plan.keys import commitment, master_key

_WORDS = "golfref master key, secret: "
_TEXT = re.compile(rb"golfref master key, secret: ([0-9a-f]{64})\n?")
_MOST_BYTES = 200


class BadKeyFile(GolfrefError):
    """A file that holds no key, or that others can read. The text says why and what to do."""


def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file; only you can read it.")],
) -> int:
    """Make a master key for the shards of a run, or to announce the commitment to it beforehand.

    Example: golfref key cup.key
    """
    made = master_key(None)
    if os.path.lexists(file):
        raise CommandError(f"{file} exists already, and no key is replaced; name another file")
    with new_file(file) as written:
        os.fchmod(written.fileno(), 0o600)
        written.write(f"{_WORDS}{made.hex()}\n".encode())
    say(
        f"{file} holds a new master key, which only you can read: all cards of a run follow from it",
        f"commitment {commitment(made)}",
        f"play with it: golfref tournament CONFIG --key {file}",
    )
    return DONE


def read_key(path: Path) -> bytes:
    """The master key in this file. Raises BadKeyFile."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            found = _TEXT.fullmatch(file.read(_MOST_BYTES))
    except OSError as error:
        what = "`golfref key FILE` makes one, once for all machines"
        raise BadKeyFile(f"--key: {path}: cannot be read: {error.strerror}; {what}") from None
    if found is None:
        raise BadKeyFile(f"--key: {path}: holds no master key; `golfref key FILE` makes a file with one")
    if stat.S_IMODE(mode) & 0o077:
        raise BadKeyFile(f"--key: {path}: others may read it; keep it to yourself: chmod 600 {path}")
    return bytes.fromhex(found[1].decode())
