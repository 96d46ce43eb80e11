"""Whether a file is a program that this system can start, as its first bytes tell.

The file may be a stranger's, so it is only read, and no more of it than its beginning. Nothing is run.
"""

import contextlib
import os
import platform
import re
import shutil
import struct
import sys
from pathlib import Path

from referee.play.spec import BotSpec, search_path

START_BYTES = 512
"""How much of a file is read. A system reads no more of a `#!` line."""

MOST_INTERPRETERS = 4
"""How many interpreters may be scripts in their turn; Linux takes as many."""

_RUNS = {".sh": "sh", ".pl": "perl", ".rb": "ruby", ".js": "node", ".lua": "lua", ".php": "php", ".R": "Rscript"}
"""The interpreter of a script, by how its name ends."""

_MACHINES = {3: "32-bit x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC", 22: "S/390", 40: "32-bit ARM", 62: "x86-64",
             183: "ARM64", 243: "RISC-V", 258: "LoongArch"}  # fmt: skip
"""Numbers of machines in ELF files."""

_ALSO_RUNS = {62: 3, 183: 40}
"""Machines that mostly run programs of an older one, too."""

_INTERPRETER = 3
"""The type of the segment of an ELF file that names its loader."""

_MOST_SEGMENTS = 256
_LONGEST_NAME_BYTES = 4096
"""No more of an ELF file is read than a sane one needs."""

_FAT = b"\xca\xfe\xba\xbe"
_BINARIES = (
    ((b"\x7fELF",), "Linux"),
    ((b"MZ",), "Windows"),
    ((b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", _FAT), "Darwin"),
    ((b"PK\3\4",), "an archive, and no program; start a jar by `java -jar`"),
)
"""How programs begin, by their system as Python calls it, and what is none."""

_SYSTEMS = {"Linux": "Linux", "Windows": "Windows", "Darwin": "macOS"}

MOST_IN_ONE = 40
"""A file for macOS holds no more programs than this; where more are told, that is the version of a class of Java."""

_ODD_TEXTS = (
    ((b"\xff\xfe", b"\xfe\xff", b"#\0", b"\0#"), "is a text in UTF-16, which no system starts; save it as UTF-8"),
    ((b"\xef\xbb\xbf#!",), "has a byte order mark before `#!`; save it as UTF-8 without that mark"),
)
"""How texts begin that no system starts, and what is wrong with them."""

_EMULATORS = ("qemu", "wine", "DOSWin", "box", "FEX", "WSL")
"""How the names begin under which Linux knows what runs programs of other systems and machines."""

_OR_NAME_IT = "or name the interpreter in the command"
_TO_UNIX = "save it with Unix line ends (dos2unix does that)"


def start_problem(path: Path, program: str, spec: BotSpec, depth: int = 0) -> str | None:
    """What keeps this file from being started, in words; None where nothing does, or it cannot be read.

    `program` is what the bot's command calls it. Under some levels of isolation a shell would run any text as a script
    of its own; under others it does not start.
    """
    try:
        with path.open("rb") as file:
            start = file.read(START_BYTES)
    except OSError:
        return None
    if start.startswith(b"#!"):
        return _line_problem(start, program, spec) or _interpreter_problem(start, program, spec, depth)
    if odd := next((what for begins, what in _ODD_TEXTS if start.startswith(begins)), "" if start else "is empty"):
        return f"`{program}` {odd}"
    if b"\0" in start or _kind(start):
        return _binary_problem(path, start, program)
    line = f"#!/usr/bin/env {_RUNS.get(path.suffix, 'python3')}"
    return (
        f"`{program}` is a script that does not begin with a `#!` line, so the system does not know what runs it; let "
        f"it begin with the line that names its interpreter, such as `{line}`, {_OR_NAME_IT}"
    )


def _named(start: bytes) -> tuple[str, str, bool]:
    """The interpreter that a `#!` line names, what it is given, and whether a carriage return stands in the line."""
    line, returns, _ = os.fsdecode(start[2:].partition(b"\n")[0]).partition("\r")
    name, *words = re.split(r"[ \t]+", line.strip(" \t"), maxsplit=1)
    return name, " ".join(words), bool(returns)


def _line_problem(start: bytes, program: str, spec: BotSpec) -> str | None:
    """What is wrong with a script's `#!` line."""
    name, words, has_return = _named(start)
    if not name:
        return f"`{program}` names no interpreter after `#!`; let it begin with such as `#!/usr/bin/env python3`"
    if has_return:
        called = f"{name} {words}".rstrip()
        return f"`{program}` names the interpreter `{called}` and a carriage return after it; {_TO_UNIX}, {_OR_NAME_IT}"
    if os.path.basename(name) == "env" and _on_host(name, spec).is_file():
        return _env_problem(words, name, program, spec)
    return None


def _interpreter_problem(start: bytes, program: str, spec: BotSpec, depth: int) -> str | None:
    """What is wrong with the interpreter of a script."""
    name, _, _ = _named(start)
    path, basename = _on_host(name, spec), os.path.basename(name)
    if not path.is_file():
        is_elsewhere = shutil.which(basename, path=search_path(spec)) is not None
        else_ = f"`#!/usr/bin/env {basename}` finds another one" if is_elsewhere else "install it"
        where = "" if name.startswith("/") else " in the bot's folder"
        return f"`{program}` names the interpreter `{name}`, which is not there{where}; {else_}, {_OR_NAME_IT}"
    if not os.access(path, os.X_OK):
        return f"`{program}` names the interpreter `{name}`, which is not executable; name another one"
    if depth < MOST_INTERPRETERS and (problem := start_problem(path, name, spec, depth + 1)):
        return f"`{program}` names an interpreter that cannot be started: {problem}"
    return None


def _on_host(name: str, spec: BotSpec) -> Path:
    """Where an interpreter lies: a relative path begins in the bot's folder, which is /bot in a cell."""
    in_cell = Path(name)
    return Path(spec.dir, in_cell.relative_to("/bot")) if in_cell.is_relative_to("/bot") else Path(spec.dir, name)


def _env_problem(words: str, env: str, program: str, spec: BotSpec) -> str | None:
    """What is wrong with what `env` is to start. Linux hands it all of the line as one word."""
    if " " in words and not words.startswith("-"):
        return f"`{program}` hands `{words}` to {env} as one word; write `#!{env} -S {words}`"
    options = (r"(?:-S|--split-string=?|-\S+)\s*", r"\w+=\S*\s+")
    name = re.sub(rf"^(?:{'|'.join(options)})*", "", words).partition(" ")[0]
    if not name:
        return None if words else f"`{program}` names no program after {env}"
    if shutil.which(name, path=search_path(spec)) is None and not Path(spec.dir, name).is_file():
        return f"`{program}` names the interpreter `{name}`, which is not on the PATH; install it, or name another one"
    return None


def _binary_problem(path: Path, start: bytes, program: str) -> str | None:
    """What is wrong with a program that is no text."""
    if _is_emulated():
        return None
    here = f"and this machine is {platform.system()} on {platform.machine().replace('_', '-')}"
    kind = _kind(start)
    if kind == platform.system():
        return _elf_problem(path, program, here) if kind == "Linux" else None
    if kind in _SYSTEMS:
        return f"`{program}` is a program for {_SYSTEMS[kind]}, {here}"
    return f"`{program}` is {kind or f'no program that {platform.system()} knows, and no script with a `#!` line'}"


def _kind(start: bytes) -> str:
    """The system that a program is for, or what it is instead; empty where that is not known."""
    is_class = start.startswith(_FAT) and int.from_bytes(start[4:8], "big") > MOST_IN_ONE
    if is_class:
        return "a class of Java, and no program; start it by java"
    return next((kind for begins, kind in _BINARIES if start.startswith(begins)), "")


def _elf_problem(path: Path, program: str, here: str) -> str | None:
    """What is wrong with a program in the format of Linux."""
    elf, own = _read_elf(path), _read_elf(Path(sys.executable))
    if elf is None:
        return f"`{program}` is damaged: it begins as a program for Linux does, and is none"
    machine, loader = elf
    named = _MACHINES.get(machine, f"another machine (number {machine})")
    if own is not None and machine not in (own[0], _ALSO_RUNS.get(own[0])):
        return f"`{program}` is a program for Linux on {named}, {here}"
    if loader and not os.path.exists(loader):
        libc = "with musl, such as Alpine" if "musl" in loader else f"for {named}, and other libraries"
        return (
            f"`{program}` needs the loader `{loader}`, which is not there: it was built on a system {libc}; build "
            "it on this one, or link it statically"
        )
    return None


def _read_elf(path: Path) -> tuple[int, str] | None:
    """The machine that a program in the format ELF is for, and its loader, empty where it has none.

    None where the file is damaged. Source: the System V ABI, chapters 4 and 5.
    """
    try:
        with path.open("rb") as file:
            start = file.read(START_BYTES)
            if start[4] not in (1, 2) or start[5] not in (1, 2):
                return None
            wide, order = start[4] == 2, "<" if start[5] == 1 else ">"
            fields = struct.unpack_from(order + ("HHIQQQIHHH" if wide else "HHIIIIIHHH"), start, 16)
            machine, table, size, count = fields[1], fields[4], fields[8], fields[9]
            segment = struct.Struct(order + ("I4xQ16xQ" if wide else "II8xI"))
            for number in range(min(count, _MOST_SEGMENTS)):
                file.seek(table + number * size)
                kind, offset, length = segment.unpack(file.read(segment.size))
                if kind == _INTERPRETER:
                    file.seek(offset)
                    return machine, os.fsdecode(file.read(min(length, _LONGEST_NAME_BYTES)).partition(b"\0")[0])
    except (OSError, ValueError, OverflowError, IndexError, struct.error):
        return None
    return machine, ""


def _is_emulated() -> bool:
    """Whether the system may have been told what runs programs of other systems and machines."""
    with contextlib.suppress(OSError):
        return any(name.startswith(_EMULATORS) for name in os.listdir("/proc/sys/fs/binfmt_misc"))
    return False
