"""The cell in which a bot runs under `bwrap`: what runs in it and what it can read of the host.

A bot reads the system's programs, the interpreter that its command names, its own folder at /bot, and what the
organiser lets it read besides. It can write in /tmp and /dev/shm, which are its own and have a size.
"""

import functools
import os

import msgspec
from msgspec import Struct

from referee.play.isolation.paths import FOLDER, PATH, SCRATCH, SYSTEM, inside, is_system, is_wide, is_within
from referee.play.isolation.program import find_program
from referee.play.isolation.shown import Unfit, check_folder, check_open, check_place
from referee.play.isolation.users import why_none
from referee.play.spec import BotSpec, Workshop, script_of

_FROM_HOST = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""The referee's environment variables that a bot gets."""


class Cell(Struct, frozen=True, kw_only=True):
    """What one bot sees and runs."""

    command: tuple[str, ...]
    """The bot's command line, with the paths that are valid in the cell."""
    folder: str
    """The host's folder that the bot finds at /bot."""
    reads: tuple[str, ...]
    """The other paths of the host that the bot can read, besides the system's. They are the same in the cell."""
    env: dict[str, str]
    """The bot's whole environment."""
    network: bool = False
    """Whether it has the host's network; else it has one of its own with nothing in it."""
    workshop: Workshop | None = None
    """Where a bot is built in it. Then `folder` is shown at /source, and /bot is empty and can be written."""

    @property
    def more(self) -> tuple[str, ...]:
        """Of `reads`, what has to be shown because nothing else that is shown holds it."""
        return tuple(
            place
            for place in self.reads
            if not is_system(place) and not any(other != place and is_within(place, other) for other in self.reads)
        )

    def can_read(self, path: str) -> bool:
        """Whether the bot can read this path of the host, if there is such a file."""
        path = os.path.realpath(path)
        shown = (self.folder, *self.reads, *SYSTEM)
        return any(is_within(path, os.path.realpath(place)) for place in shown)


def cell_of(spec: BotSpec) -> Cell:
    """The cell of a bot; raises Unfit where the bot cannot run in one as it is.

    Everything that the bot could read is looked through first, so the answer is kept.
    """
    encoded = msgspec.json.encode(spec)
    return _known.get(encoded) or _cell(encoded)


def know_cell(spec: BotSpec, cell: Cell) -> None:
    """Know the cell of a bot as another process of the same run has found it."""
    _known[msgspec.json.encode(spec)] = cell


_known: dict[bytes, Cell] = {}
"""What another process has found, by the bot's JSON."""


@functools.lru_cache(maxsize=1024)
def _cell(encoded: bytes) -> Cell:
    spec = msgspec.json.decode(encoded, type=BotSpec)
    folder = os.path.realpath(spec.dir)
    if is_wide(folder):
        raise Unfit(f"its folder would be {folder}, all of which it could read; give it a folder of its own")
    for_another = why_none() is None
    check_folder(folder, for_another=for_another)
    program, reads = find_program(spec, folder)
    for place in spec.reads:
        reads.append(os.path.realpath(place))
        reads += [place] if place != reads[-1] else []
    for place in reads:
        if not is_system(place):
            check_place(place)
            if for_another:
                check_open(place)
    arguments = [inside(argument, spec.dir) for argument in spec.command[1:]]
    path = PATH if is_within(program, FOLDER) else f"{os.path.dirname(program)}:{PATH}"
    env = {"PATH": path, "HOME": SCRATCH, "TMPDIR": SCRATCH}
    env |= {name: os.environ[name] for name in _FROM_HOST if name in os.environ}
    env |= spec.env
    if spec.builtin is not None and spec.reads:
        # A shipped bot looks for the kit beside its folder, and that is /bot here.
        env["PYTHONPATH"] = ":".join(map(os.path.dirname, spec.reads))
    cell = Cell(
        command=(program, *arguments),
        folder=folder,
        reads=tuple(dict.fromkeys(reads)),
        env=env,
        network=spec.network,
    )
    script = script_of(spec.command)
    if script is not None and not cell.can_read(os.path.join(spec.dir, script)):
        raise Unfit(f"`{script}` lies outside its folder {folder}, and a bot in a cell sees no more than that folder")
    return cell
