"""How a bot's process is started under each level of isolation: its command line, environment, folder and descriptors.

Nothing is started here; process.py does that.
"""

import contextlib
import fcntl
import os
import resource
import shutil
import socket
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.play.sandbox.bwrap import arguments, inner_command
from referee.play.sandbox.cell import cell_of
from referee.play.sandbox.levels import bubblewrap, find_bubblewrap
from referee.play.sandbox.low_priority import lower_in_shell
from referee.play.sandbox.paths import PATH
from referee.play.sandbox.proc import written_anew
from referee.play.sandbox.seccomp import program
from referee.play.sandbox.users import BotUser, give_back, take_user
from referee.play.spec import MB, BotLimits, BotSpec, Confinement, search_path

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The referee's environment variables that a bot gets under `none` and `limits`; its own `env` is added."""

_KILLED_FIRST = "{ echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null"
"""When the host runs out of memory, the kernel kills a bot before it kills the referee."""


class Launch(NamedTuple):
    """What to start, and what the process is given."""

    command: list[str]
    env: dict[str, str]
    folder: str
    passed: tuple[int, ...] = ()
    """Descriptors that the process inherits. The referee closes its own copies once the process has been started."""
    report: int | None = None
    """What is read from here is the shell's, if it could not enter the control groups, or else bubblewrap's.

    The shell tells why, bubblewrap how the bot ended. The bot cannot write there. None where there are neither.
    """
    stderr: tuple[int, int] | None = None
    """What is standard error at first, and from where the bot's is read; None where the bot has it from the start."""
    user: BotUser | None = None
    """The user that is the bot's own until it is given back; None where it has none of its own."""
    dumps_core: bool = False
    """Whether the host may keep what is left of the process when it crashes."""


def launch(spec: BotSpec, confinement: Confinement, *, join: Sequence[str], counted: bool) -> Launch:
    """How to start a bot so that its process is in the control groups whose `join` files are given.

    `counted` says whether one of these groups bounds the bot's memory. Raises Unfit where the bot cannot run in a cell,
    and Missing where this host builds none.
    """
    more = [] if confinement.workshop is None else [lower_in_shell()]
    if confinement.isolation == "none":
        shell = _in_shell(*more) if more else []
        return Launch([*shell, *spec.command], environment(spec), spec.dir, dumps_core=True)
    if confinement.isolation == "limits":
        return _limited(spec, confinement.limits, join, more)
    user = take_user()
    try:
        return _in_cell(spec, user, confinement, join, counted=counted)
    except BaseException:
        give_back(user)
        raise


@contextlib.contextmanager
def no_core_dumps() -> Iterator[None]:
    """What this process starts meanwhile leaves no core dump.

    Where the host gives dumps to a program (`core_pattern` begins with `|`), the kernel starts that program as root. A
    limit of 0 does not keep it from doing so, but a limit of 1 byte does; see core(5).
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    if hard == 0 and os.geteuid() != 0:  # only root may raise it
        yield
        return
    resource.setrlimit(resource.RLIMIT_CORE, (1, hard or 1))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def environment(spec: BotSpec) -> dict[str, str]:
    """A bot's whole environment outside a cell: a few variables of the referee's, and those of its own `env`."""
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return given | ({"PATH": search_path(spec)} if "PATH" in given else {}) | spec.env


def _limited(spec: BotSpec, limits: BotLimits, join: Sequence[str], more: Sequence[str]) -> Launch:
    """How to start a bot under `limits`.

    The shell that enters the control groups has a socket as standard error. It gives that up before it becomes the bot,
    and nobody can open a socket anew. A POSIX shell could not close another descriptor above 9. A command that is
    started without the descriptors keeps the standard error that it has.
    """
    command = [*_never_urgent(), *spec.command]
    if not join:
        return Launch([*_in_shell(*more, _ulimits(limits)), *command], environment(spec), spec.dir)
    report, at_first = (end.detach() for end in socket.socketpair())
    read, write = os.pipe()
    own = f"/proc/self/fd/{write}"
    shell = _in_shell(*_entering(join), f"[ ! -e {own} ] || exec 2> {own}", *more, _ulimits(limits))
    return Launch(
        command=[*shell, *command],
        env=environment(spec),
        folder=spec.dir,
        passed=(write,),
        report=report,
        stderr=(at_first, read),
    )


def _in_cell(
    spec: BotSpec, user: BotUser | None, confinement: Confinement, join: Sequence[str], *, counted: bool
) -> Launch:
    """How to start a bot in its cell, as this user."""
    path = bubblewrap().path if spec.cell is None else find_bubblewrap()  # which was tried out before that was settled
    cell, limits, workshop = cell_of(spec), confinement.limits, confinement.workshop
    read, write = os.pipe()
    # Bubblewrap keeps this descriptor to itself, so the bot cannot write what the shell might have written there.
    enter = [f"{{ {'; '.join(_entering(join))}; }} 2> /proc/self/fd/{write} || exit 1"] if join else []
    seccomp = _file(program(shared_memory=counted, builds=workshop is not None, network=cell.network))
    given = {path: _file(data, lowest=10) for path, data in written_anew().items()}
    # They are passed by a descriptor, so that no list of processes tells the names of folders.
    words = arguments(cell, limits, user=user, given=given, workshop=workshop)
    words_fd = _file("\0".join(words).encode() + b"\0")
    passed = (words_fd, seccomp, write, *given.values())
    command = [path, "--args", str(words_fd), "--seccomp", str(seccomp), "--json-status-fd", str(write), "--"]
    # Bubblewrap keeps the first three descriptors open. If the bot's output were among them, it would never end.
    taken = (*passed, *(() if user is None else user.descriptors))
    stdout = next(fd for fd in range(3, 10) if fd not in taken)
    return Launch(
        command=[
            *_in_shell(*enter, *([] if workshop is None else [lower_in_shell()]), f"exec {stdout}>&1 >&2"),
            *command,
            *inner_command(cell, limits, user=user, stdout=stdout),
        ],
        env={},
        folder="/",
        passed=passed,
        report=read,
        user=user,
    )


def _in_shell(*commands: str) -> list[str]:
    """A shell that runs the commands and becomes the program that follows it."""
    return ["/bin/sh", "-c", "; ".join([_KILLED_FIRST, *commands, 'exec "$@"']), "sh"]


def _entering(join: Sequence[str]) -> Iterator[str]:
    """Commands by which a shell enters control groups. Where it cannot, standard error tells which and why.

    An exit code would not tell the referee, because the bot could end with the same one.
    """
    return (f'echo $$ > "{path}" || {{ echo "{path}" >&2; exit 1; }}' for path in join)


def _ulimits(limits: BotLimits) -> str:
    """The limits in the units of a POSIX shell: blocks of 512 bytes for files, kilobytes for data.

    The soft limit of core dumps, 1 byte, is inherited; only the hard one is set.
    """
    return (
        f"{{ ulimit -H -c 1; }} 2> /dev/null; ulimit -f {limits.tmp_mb * MB // 512}; ulimit -n {limits.files}; "
        f"ulimit -d {2 * limits.memory_mb * MB // 1024}; ulimit -t {limits.cpu_s}"
    )


def _never_urgent() -> list[str]:
    """The words before a command that take the right to run before others from it, where the referee has that right."""
    rights = {"--rtprio=0": resource.RLIMIT_RTPRIO, "--nice=0": resource.RLIMIT_NICE}
    if all(resource.getrlimit(right) == (0, 0) for right in rights.values()):
        return []
    path = shutil.which("prlimit", path=PATH)
    return [] if path is None else [path, *rights]


def _file(data: bytes, *, lowest: int = 0) -> int:
    """The descriptor of a file in memory that holds these bytes, not below `lowest`."""
    fd = os.memfd_create("golfref")
    if fd < lowest:
        low, fd = fd, fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)
        os.close(low)
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
