"""The program that a bot's command names: what it is called in a cell, and which places of the host it needs there.

The author of a bot may have made the program, or links to it. So nothing of it runs outside a cell, and no link of the
author's says what of the host is shown. The one program that this module starts is a Python on the PATH, which it asks
where it is installed.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from referee.play.sandbox.paths import SYSTEM, inside, is_system, is_wide, is_within
from referee.play.sandbox.readable_check import Unfit
from referee.play.spec import BotSpec, search_path

_PYTHON = re.compile(r"(python|pypy)[\d.]*")
_ASK_PYTHON = "import json, sys; print(json.dumps([sys.executable, sys.base_prefix]))"

_PROGRAM_FOLDERS = ("bin", "sbin", "shims", "libexec")
"""Folders of programs, beside which lies what is installed with them."""


def find_program(spec: BotSpec, folder: str) -> tuple[str, list[str]]:
    """The bot's program, as it is called in the cell, and the paths of the host that it needs there; raises Unfit.

    `folder` is the bot's folder, links resolved. What is installed with a program is shown as a whole, so it may not be
    installed in a folder that holds other things too, such as a home folder.
    """
    program, places = _find_program(spec, folder)
    for place in places:
        if is_wide(place) or os.path.dirname(os.path.realpath(place)) == "/home":
            raise Unfit(
                f"{program} is installed in {place}, all of which the bot could read; install it in a folder of its "
                f"own, or use one of the system's"
            )
    return program, places


def _find_program(spec: BotSpec, folder: str) -> tuple[str, list[str]]:
    name = spec.command[0]
    path = os.path.join(spec.dir, name) if "/" in name else shutil.which(name, path=search_path(spec))
    if path is None:
        raise Unfit(f"`{name}` is not on the PATH")
    path = os.path.normpath(path)
    if is_within(path, spec.dir):
        return inside(path, spec.dir), [] if _may_read(spec, os.path.realpath(path)) else _own_program(path, folder)
    if any(is_within(path, place) for place in SYSTEM) and is_system(path):
        return path, []
    if _PYTHON.fullmatch(os.path.basename(path)):
        executable, prefixes = _named_python(path) if "/" in name else _python(path)
        return executable, [place for place in prefixes if not is_system(place)]
    target = os.path.realpath(path)
    if is_system(target):
        return target, []
    if "/" in name and _prefix(target) != os.path.realpath(_prefix(path)) and not _may_read(spec, target):
        raise _unseen(path, target)
    return target, [_prefix(target)]


def _own_program(path: str, folder: str) -> list[str]:
    """What a program in the bot's own folder needs of the host: nothing, unless it is a link to our own interpreter.

    The bot's author makes the links in that folder, so any other link out of it is refused: Unfit is raised.
    """
    target = os.path.realpath(path)
    if is_within(target, folder) or is_system(target):
        return []
    ours = [place for place in (sys.prefix, sys.base_prefix) if is_within(target, os.path.realpath(place))]
    if not ours:
        raise _unseen(path, target)
    return ours


def _may_read(spec: BotSpec, target: str) -> bool:
    return any(is_within(target, os.path.realpath(place)) for place in spec.reads)


def _unseen(path: str, target: str) -> Unfit:
    return Unfit(
        f'{path} is a link to {target}, which it does not see; let it read that: reads = ["{_prefix(target)}"]'
    )


def _named_python(path: str) -> tuple[str, list[str]]:
    """The same as `_python` for a Python that is named by its path; raises Unfit.

    The bot's author may have made it, or the links to it, as in a virtual environment beside the bot's folder. So it is
    not asked where it is installed: that follows from where its links lead.
    """
    target = os.path.realpath(path)
    environment, base = os.path.dirname(os.path.dirname(path)), _prefix(target)
    own = [environment] if os.path.isfile(os.path.join(environment, "pyvenv.cfg")) else []
    if is_system(target):
        return path, own
    if not any(Path(base).glob("lib/python3*/os.py")) and not any(Path(base).glob("lib/pypy3*/os.py")):
        raise Unfit(f"{path} is {target}, which is not where a Python is installed")
    return path, [*own, base]


@functools.cache
def _python(path: str) -> tuple[str, list[str]]:
    """The executable of a Python and the folders that it needs: its virtual environment, and where it is installed.

    It is asked with the module `site` switched off, because what lies in a virtual environment must not run outside a
    cell. Raises Unfit where it does not answer.
    """
    asked = [path, "-I", "-S", "-c", _ASK_PYTHON]
    try:
        done = subprocess.run(asked, cwd="/", capture_output=True, timeout=20, check=True, stdin=subprocess.DEVNULL)
        executable, base = msgspec.json.decode(done.stdout, type=tuple[str, str])
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        raise Unfit(f"{path} does not say where it is installed: {error}") from None
    environment = os.path.dirname(os.path.dirname(executable))
    is_virtual = os.path.isfile(os.path.join(environment, "pyvenv.cfg"))
    return executable, [environment, base] if is_virtual else [base]


def _prefix(program: str) -> str:
    """The folder of what is installed together with a program, or the program alone where that folder is too wide."""
    folder = os.path.dirname(program)
    prefix = os.path.dirname(folder) if os.path.basename(folder) in _PROGRAM_FOLDERS else folder
    return program if is_wide(prefix) else prefix
