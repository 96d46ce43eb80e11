"""What a program or library in the format ELF names: its loader, its libraries, and where these are looked for.

A stranger may have made the file, so it is only read, and no more of it than a sane one needs: a header, the table of
segments, one list and some names. Nothing is run. This module must not know what a bot is.
Source: the System V ABI, chapters 4 and 5, and ld.so(8).
"""

import os
import stat
import struct
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct

_MOST_SEGMENTS = 256
_MOST_LIST_BYTES = 1 << 16
_LONGEST_NAME_BYTES = 4096

_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
"""Types of segments."""

_NEEDED, _NAMES, _RPATH, _RUNPATH = 1, 5, 15, 29
"""Entries of the list of what is linked: a library, where the names lie, and two kinds of folders to search."""


class Elf(Struct, frozen=True, kw_only=True):
    """What an ELF file names."""

    kind: tuple[int, int, int]
    """Its word size, its byte order and its machine. A program is linked to libraries of its own kind."""
    loader: str
    """The program that loads it; empty for a library, and for a program that is linked to nothing."""
    needed: tuple[str, ...]
    """The libraries, mostly as names without a folder."""
    search: tuple[str, ...]
    """The folders that it names to look for them in, as they are written."""


def read_elf(path: str) -> Elf | None:
    """What this file names; None where it is no ELF file, is damaged, or cannot be read."""
    try:
        # Not to wait for whoever writes into a pipe.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return _read(file) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (OSError, ValueError, struct.error):
        return None


def _read(file: BinaryIO) -> Elf | None:
    start = file.read(64)
    if len(start) < 52 or start[:4] != b"\x7fELF" or start[4] not in (1, 2) or start[5] not in (1, 2):
        return None
    wide, order = start[4] == 2, "<" if start[5] == 1 else ">"
    fields = struct.unpack_from(order + ("HHIQQQIHHH" if wide else "HHIIIIIHHH"), start, 16)
    machine, place, size, count = fields[1], fields[4], fields[8], fields[9]
    loads: list[tuple[int, int, int]] = []
    loader, linked = b"", b""
    for number in range(min(count, _MOST_SEGMENTS)):
        head = _bytes(file, place + number * size, 56 if wide else 32)
        kind, offset, address, length = _segment(head, order, wide=wide)
        if kind == _LOAD:
            loads.append((address, length, offset))
        elif kind == _DYNAMIC:
            linked = _bytes(file, offset, min(length, _MOST_LIST_BYTES))
        elif kind == _INTERPRETER:
            loader = _bytes(file, offset, min(length, _LONGEST_NAME_BYTES)).partition(b"\0")[0]
    entries = list(_entries(linked, order + ("qQ" if wide else "iI")))
    names = _offset(next((value for tag, value in entries if tag == _NAMES), 0), loads)
    told = {
        tags: [_name(file, names + value) for tag, value in entries if tag in tags]
        for tags in ((_NEEDED,), (_RPATH, _RUNPATH))
    }
    return Elf(
        kind=(start[4], start[5], machine),
        loader=os.fsdecode(loader),
        needed=tuple(filter(None, told[_NEEDED,])),
        search=tuple(folder for path in told[_RPATH, _RUNPATH] for folder in path.split(":") if folder),
    )


def _segment(head: bytes, order: str, *, wide: bool) -> tuple[int, int, int, int]:
    """The type of a segment, where it lies in the file and in memory, and its length in the file."""
    if wide:
        kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", head)
    else:
        kind, offset, address, _, length = struct.unpack_from(order + "IIIII", head)
    return kind, offset, address, length


def _entries(linked: bytes, form: str) -> Iterator[tuple[int, int]]:
    """The list of what is linked: tags and values, up to the tag 0."""
    whole = len(linked) // struct.calcsize(form) * struct.calcsize(form)
    for tag, value in struct.iter_unpack(form, linked[:whole]):
        if tag == 0:
            return
        yield tag, value


def _offset(address: int, loads: list[tuple[int, int, int]]) -> int:
    """Where in the file lies what is loaded to an address."""
    found = (address - start + offset for start, length, offset in loads if start <= address < start + length)
    return next(found, address)


def _name(file: BinaryIO, place: int) -> str:
    return os.fsdecode(_bytes(file, place, _LONGEST_NAME_BYTES).partition(b"\0")[0])


def _bytes(file: BinaryIO, place: int, length: int) -> bytes:
    file.seek(place)
    return file.read(length)
