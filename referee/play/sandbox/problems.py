"""What keeps a bot from being started under a level of isolation, looked for before play.

A bot's program may be a stranger's, so it is only read, and no more of it than its beginning. Nothing is run.
"""

import contextlib
import os
import platform
import re
import shutil
import struct
import sys
from pathlib import Path

from referee.play.sandbox.cell import cell_of
from referee.play.sandbox.readable_check import Unfit
from referee.play.spec import BotSpec, Isolation, script_of, search_path, why_not_executable

START_BYTES = 4096
"""How much of a file is read. A system reads less of a `#!` line, and the loader of a program is named within it."""

_RUNS = {".sh": "sh", ".pl": "perl", ".rb": "ruby", ".js": "node", ".lua": "lua", ".php": "php", ".R": "Rscript"}
"""The interpreter of a script, by how its name ends."""

_MACHINES = {3: "32-bit x86", 40: "32-bit ARM", 62: "x86-64", 183: "ARM64", 243: "RISC-V"}
"""Numbers of machines in ELF files."""

_ALSO_RUNS = {62: 3, 183: 40}
"""Machines that mostly run programs of an older one, too."""

_INTERPRETER = 3
"""The type of the segment of an ELF file that names its loader."""

_BINARIES = {
    b"\x7fELF": "Linux",
    b"MZ": "Windows",
    b"\xcf\xfa\xed\xfe": "Darwin",
    b"\xca\xfe\xba\xbe": "Darwin",
}
"""How programs begin, by their system as Python calls it."""

_SYSTEMS = {"Linux": "Linux", "Windows": "Windows", "Darwin": "macOS"}

_UTF_16 = "is a text in UTF-16, which no system starts; save it as UTF-8"
_ODD = {
    b"PK\3\4": "is an archive, and no program; start a jar by `java -jar`",
    b"\xef\xbb\xbf#!": "has a byte order mark before `#!`; save it as UTF-8 without that mark",
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff", b"#\0", b"\0#"), _UTF_16),
}
"""How files begin that no system starts, and what is wrong with them."""

_EMULATORS = ("qemu", "wine", "DOSWin", "box", "FEX", "WSL")
"""How the names begin under which Linux knows what runs programs of other systems and machines."""

_OR_NAME_IT = "or name the interpreter in the command"
_TO_UNIX = "save it with Unix line ends (dos2unix does that)"


def find_problem(spec: BotSpec, isolation: Isolation) -> str | None:
    """What keeps a bot from being started under this level, in words; None where nothing does."""
    if problem := find_command(spec):
        return problem
    if isolation == "bwrap":
        try:
            cell_of(spec)
        except Unfit as error:
            return str(error)
    return None


def find_command(spec: BotSpec) -> str | None:
    """What keeps the bot's command from being started, in words; None where nothing does.

    A program without a slash is looked for where `search_path` says. A relative path is relative to the bot's folder,
    in which the process will start.
    """
    program = spec.command[0]
    if not program:
        return "expected the name of a program, got an empty string"
    if "/" in program:
        return _file_problem(Path(spec.dir, program), program, spec) or _script_problem(spec)
    path = shutil.which(program, path=search_path(spec))
    if path is None:
        here = Path(spec.dir, program).is_file()
        return f"`{program}` is not on the PATH" + (f"; for the file in {spec.dir} write `./{program}`" if here else "")
    return _start_problem(Path(path), program, spec) or _script_problem(spec)


def _file_problem(path: Path, program: str, spec: BotSpec) -> str | None:
    if path.is_dir():
        return f"`{program}` is a folder; name the program in it"
    if not path.is_file():
        return f"there is no file `{program}`" + ("" if program.startswith("/") else f" in {spec.dir}")
    if why := why_not_executable(path):
        return f"`{program}` {why}"
    return _start_problem(path, program, spec)


def _script_problem(spec: BotSpec) -> str | None:
    script = script_of(spec.command)
    if script is None or Path(spec.dir, script).exists():
        return None
    return f"there is no file `{script}`" + ("" if script.startswith("/") else f" in {spec.dir}")


# What a file begins with


def _start_problem(path: Path, program: str, spec: BotSpec) -> str | None:
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
        return _line_problem(start, program, spec)
    if not start:
        return f"`{program}` is empty"
    if odd := next((what for begin, what in _ODD.items() if start.startswith(begin)), ""):
        return f"`{program}` {odd}"
    kind = next((kind for begin, kind in _BINARIES.items() if start.startswith(begin)), "")
    if kind or b"\0" in start:
        return _binary_problem(start, kind, program)
    line = f"#!/usr/bin/env {_RUNS.get(path.suffix, 'python3')}"
    return (
        f"`{program}` is a script that does not begin with a `#!` line, so the system does not know what runs it; let "
        f"it begin with the line that names its interpreter, such as `{line}`, {_OR_NAME_IT}"
    )


def _line_problem(start: bytes, program: str, spec: BotSpec) -> str | None:
    """What is wrong with a script's `#!` line, or with the interpreter that it names."""
    line, returns, _ = os.fsdecode(start[2:].partition(b"\n")[0]).partition("\r")
    name, _, words = line.strip(" \t").replace("\t", " ").partition(" ")
    words = words.strip()
    if not name:
        return f"`{program}` names no interpreter after `#!`; let it begin with such as `#!/usr/bin/env python3`"
    if returns:
        called = f"{name} {words}".rstrip()
        return f"`{program}` names the interpreter `{called}` and a carriage return after it; {_TO_UNIX}, {_OR_NAME_IT}"
    path, basename = _on_host(name, spec), os.path.basename(name)
    if not path.is_file():
        is_elsewhere = shutil.which(basename, path=search_path(spec)) is not None
        else_ = f"`#!/usr/bin/env {basename}` finds another one" if is_elsewhere else "install it"
        where = "" if name.startswith("/") else " in the bot's folder"
        return f"`{program}` names the interpreter `{name}`, which is not there{where}; {else_}, {_OR_NAME_IT}"
    if not os.access(path, os.X_OK):
        return f"`{program}` names the interpreter `{name}`, which is not executable; name another one"
    return _env_problem(words, name, program, spec) if basename == "env" else None


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


def _binary_problem(start: bytes, kind: str, program: str) -> str | None:
    """What is wrong with a program that is no text, of this system or another one."""
    if _is_emulated():
        return None
    here = f"and this machine is {platform.system()} on {platform.machine().replace('_', '-')}"
    if kind == platform.system():
        return _elf_problem(start, program, here) if kind == "Linux" else None
    if kind:
        return f"`{program}` is a program for {_SYSTEMS[kind]}, {here}"
    return f"`{program}` is no program that {platform.system()} knows, and no script with a `#!` line"


def _elf_problem(start: bytes, program: str, here: str) -> str | None:
    """What is wrong with a program in the format of Linux, where that can be made out."""
    with open(sys.executable, "rb") as file:
        own, elf = _read_elf(file.read(START_BYTES)), _read_elf(start)
    if elf is None:
        return None
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


def _read_elf(start: bytes) -> tuple[int, str] | None:
    """The machine that a program in the format ELF is for, and its loader; empty where its beginning names none.

    None where the file is damaged. Source: the System V ABI, chapters 4 and 5.
    """
    try:
        wide, order = start[4] == 2, "<" if start[5] == 1 else ">"
        fields = struct.unpack_from(order + ("HHIQQQIHHH" if wide else "HHIIIIIHHH"), start, 16)
        machine, table, size, count = fields[1], fields[4], fields[8], fields[9]
        for number in range(count):
            place = table + number * size
            kind, offset, length = struct.unpack_from(order + ("I4xQ16xQ" if wide else "II8xI"), start, place)
            if kind == _INTERPRETER:
                return machine, os.fsdecode(start[offset : offset + length].partition(b"\0")[0])
    except (IndexError, OverflowError, struct.error):
        return None
    return machine, ""


def _is_emulated() -> bool:
    """Whether the system may have been told what runs programs of other systems and machines."""
    with contextlib.suppress(OSError):
        return any(name.startswith(_EMULATORS) for name in os.listdir("/proc/sys/fs/binfmt_misc"))
    return False
