"""How a bot's process is started in a cell: bubblewrap's command line, and the descriptors that it is given.

Nothing is started here; process.py does that.
"""

import fcntl
import os
from collections.abc import Sequence

from msgspec.structs import replace

from referee.play.bot.launch import Launch, entering, give_way, in_shell
from referee.play.isolation.bwrap import arguments, inner_command
from referee.play.isolation.cell import Cell, cell_of
from referee.play.isolation.levels import bubblewrap
from referee.play.isolation.proc import written_anew
from referee.play.isolation.seccomp import program
from referee.play.isolation.users import BotUser, give_back, take_user
from referee.play.spec import BotLimits, BotSpec, Confinement


def in_cell(spec: BotSpec, confinement: Confinement, join: Sequence[str], *, counted: bool) -> Launch:
    """How to start a bot in a cell; as `launch`."""
    bubblewrap()  # without it there is no cell to look at
    workshop = confinement.workshop
    cell = cell_of(spec) if workshop is None else replace(cell_of(spec), workshop=workshop)
    user = take_user()
    try:
        return _as_user(user, cell, confinement.limits, join, counted=counted)
    except BaseException:
        give_back(user)
        raise


def _as_user(user: BotUser | None, cell: Cell, limits: BotLimits, join: Sequence[str], *, counted: bool) -> Launch:
    tool = bubblewrap()
    read, write = os.pipe()
    # Bubblewrap keeps this descriptor to itself, so the bot cannot write what the shell might have written there.
    enter = [f"{{ {'; '.join(entering(join))}; }} 2> /proc/self/fd/{write} || exit 1"] if join else []
    seccomp = _file(program(shared_memory=counted, builds=cell.workshop is not None, network=cell.network))
    given = {path: _file(data, lowest=10) for path, data in written_anew().items()}
    # They are passed by a descriptor, so that no list of processes tells the names of folders.
    words = arguments(cell, limits, user=user, options=tool.options, given=given)
    words_fd = _file("\0".join(words).encode() + b"\0")
    passed = (words_fd, seccomp, write, *given.values())
    command = [tool.path, "--args", str(words_fd), "--seccomp", str(seccomp), "--json-status-fd", str(write), "--"]
    # Bubblewrap keeps the first three descriptors open. If the bot's output were among them, it would never end.
    taken = (*passed, *(() if user is None else user.descriptors))
    stdout = next(fd for fd in range(3, 10) if fd not in taken)
    return Launch(
        command=[
            *in_shell(*enter, *([] if cell.workshop is None else [give_way()]), f"exec {stdout}>&1 >&2"),
            *command,
            *inner_command(cell, limits, user=user, stdout=stdout),
        ],
        env={},
        folder="/",
        passed=passed,
        report=read,
        user=user,
    )


def _file(data: bytes, *, lowest: int = 0) -> int:
    """The descriptor of a file in memory that holds these bytes, not below `lowest`."""
    fd = os.memfd_create("golfref")
    if fd < lowest:
        low, fd = fd, fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)
        os.close(low)
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
