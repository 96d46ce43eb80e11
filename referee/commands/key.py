"""key: makes a file with a master key, for runs that several machines play or that are announced before they begin."""

import os
import re
import stat
from pathlib import Path

from referee.commands.console import DONE, HOST_FAILED, USAGE, say
from referee.new_file import HostRefused, NotWritten, new_file
from referee.tournament.plan.keys import commitment, master_key

_WORDS = "golfref master key, secret: "
_TEXT = re.compile(rb"golfref master key, secret: ([0-9a-f]{64})\n?")
_MOST_BYTES = 200


class BadKeyFile(Exception):
    """A file that holds no key, or that others can read. The text says why and what to do."""


def make_key(path: Path) -> int:
    """Run the command and return its exit code. A file that is there stays as it is."""
    key = master_key(None)
    if os.path.lexists(path):
        say(f"golfref: {path} exists already, and no key is replaced; name another file")
        return USAGE
    try:
        with new_file(path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(f"{_WORDS}{key.hex()}\n".encode())
    except NotWritten as error:
        say(f"golfref: {error}")
        return HOST_FAILED if isinstance(error, HostRefused) else USAGE
    say(
        f"{path} holds a new master key, which only you can read: all cards of a run follow from it",
        f"commitment {commitment(key)}",
        f"play with it: golfref tournament CONFIG --key {path}",
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
