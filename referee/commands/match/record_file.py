"""The file into which a command writes records, each as a line of its own."""

from itertools import count
from pathlib import Path

import msgspec

from referee.commands.console import say
from referee.new_file import NotWritten
from referee.rules.record import Record


def old_name(path: Path) -> Path:
    """The first free one of FILE.old1, FILE.old2, ..., under which a file is kept that is to be written anew."""
    return next(free for number in count(1) if not (free := Path(f"{path}.old{number}")).exists())


def check_record_file(path: Path) -> None:
    """Raise NotWritten where no file of this name can be, before anything is played."""
    if path.is_dir():
        raise NotWritten(f"--record: {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise NotWritten(f"--record: {path}: there is no folder {path.parent}")


def write_record(path: Path, record: Record, *, is_first: bool) -> None:
    """Write a record as a line of its own. The first one begins the file; an old file is kept under another name.

    Raises OSError.
    """
    if is_first and path.is_file() and path.stat().st_size:
        old = old_name(path)
        path.rename(old)
        say(f"note: the old {path} is now {old}")
    with path.open("wb" if is_first else "ab", buffering=0) as file:
        file.write(msgspec.json.encode(record) + b"\n")
