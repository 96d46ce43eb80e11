"""The cell in which a bot runs under `bwrap`: what runs in it and what it can read of the host.

A bot reads the system's programs, the interpreter that its command names, its own folder at /bot, and what the
organiser lets it read besides. It can write in /tmp and /dev/shm, which are its own and have a size.
"""

import os

from msgspec.structs import replace

from referee.play.sandbox.levels import bubblewrap
from referee.play.sandbox.paths import (
    FOLDER,
    PATH,
    SCRATCH,
    inside,
    is_system,
    is_wide,
    is_within,
    system_without_links,
)
from referee.play.sandbox.program import find_program
from referee.play.sandbox.readable_check import Unfit, check_folder, check_open
from referee.play.sandbox.users import why_none
from referee.play.spec import BotSpec, Cell, Isolation, script_of

_FROM_HOST = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""The referee's environment variables that a bot gets."""


def settled(spec: BotSpec, isolation: Isolation) -> BotSpec:
    """The bot with its cell, where this level has cells, which this host builds. Raises Unfit and Missing."""
    if isolation != "bwrap":
        return spec
    bubblewrap()
    return replace(spec, cell=cell_of(spec))


def cell_of(spec: BotSpec) -> Cell:
    """The cell of a bot, worked out unless that is settled. Raises Unfit where it cannot run in one as it is."""
    return spec.cell or _cell(spec)


def can_read(cell: Cell, path: str) -> bool:
    """Whether a bot in this cell can read this path of the host, if there is such a file."""
    path = os.path.realpath(path)
    return any(is_within(path, place) for place in readable_places(cell))


def readable_places(cell: Cell) -> list[str]:
    """The paths of the host that a bot in this cell can read, with all that lies in them; links resolved."""
    return [*map(os.path.realpath, (cell.folder, *cell.reads)), *system_without_links()]


def _cell(spec: BotSpec) -> Cell:
    folder = os.path.realpath(spec.dir)
    if is_wide(folder):
        raise Unfit(f"its folder would be {folder}, all of which it could read; give it a folder of its own")
    for_another = why_none() is None
    check_folder(folder, for_another=for_another)
    program, reads = find_program(spec, folder)
    for place in spec.reads:
        reads += [os.path.realpath(place), place]
    reads = [place for place in dict.fromkeys(reads) if not is_system(place)]
    if for_another:
        for place in reads:
            check_open(place)
    arguments = [inside(argument, spec.dir) for argument in spec.command[1:]]
    path = PATH if is_within(program, FOLDER) else f"{os.path.dirname(program)}:{PATH}"
    env = {"PATH": path, "HOME": SCRATCH, "TMPDIR": SCRATCH}
    env |= {name: os.environ[name] for name in _FROM_HOST if name in os.environ}
    env |= spec.env
    if spec.builtin is not None and spec.reads:
        # A shipped bot looks for the kit beside its folder, and that is /bot here.
        env["PYTHONPATH"] = ":".join(map(os.path.dirname, spec.reads))
    cell = Cell(command=(program, *arguments), folder=folder, reads=_outermost(reads), env=env, network=spec.network)
    script = script_of(spec.command)
    if script is not None and not can_read(cell, os.path.join(spec.dir, script)):
        raise Unfit(f"`{script}` lies outside its folder {folder}, and a bot in a cell sees no more than that folder")
    return cell


def _outermost(places: list[str]) -> tuple[str, ...]:
    """Those that lie in no other one, which shows them too."""
    return tuple(one for one in places if not any(other != one and is_within(one, other) for other in places))
