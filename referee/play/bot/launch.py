"""How a bot's process is started under each level of isolation: its command line, environment, folder and descriptors.

Nothing is started here; process.py does that.
"""

import contextlib
import fcntl
import os
import resource
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from referee.play.isolation.bwrap import arguments, inner_command
from referee.play.isolation.cell import Cell, cell_of
from referee.play.isolation.copies import shown
from referee.play.isolation.levels import bubblewrap
from referee.play.isolation.paths import PATH
from referee.play.isolation.proc import written_anew
from referee.play.isolation.seccomp import program
from referee.play.isolation.users import BotUser, give_back, take_user
from referee.play.spec import MB, BotLimits, BotSpec, Confinement, search_path

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The referee's environment variables that a bot gets under `none` and `limits`; its own `env` is added."""

LOWEST_NICE = 19
"""How nice a build is: it must not disturb what is played."""

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
    """The reading end of the pipe in which bubblewrap reports how the bot ended; None outside a cell."""
    refusal: str | None = None
    """The path of a file that the process makes if it cannot enter its control groups; None where there are none."""
    user: BotUser | None = None
    """The user that is the bot's own until it is given back; None where it has none of its own."""
    dumps_core: bool = False
    """Whether the host may keep what is left of the process when it crashes."""


def launch(spec: BotSpec, confinement: Confinement, *, join: Sequence[str], counted: bool) -> Launch:
    """How to start a bot so that its process is in the control groups whose `join` files are given.

    `counted` says whether one of these groups bounds the bot's memory. Raises Unfit where the bot cannot run in a cell,
    and NoBubblewrap where this host builds none.
    """
    more = [] if confinement.workshop is None else [_give_way()]
    if confinement.isolation == "none":
        shell = _shell((), None, *more) if more else []
        return Launch([*shell, *spec.command], environment(spec), spec.dir, dumps_core=True)
    if confinement.isolation == "limits":
        refusal = _refusal(join)
        shell = _shell(join, refusal, *more, _ulimits(confinement.limits))
        return Launch([*shell, *_never_urgent(), *spec.command], environment(spec), spec.dir, refusal=refusal)
    return _in_cell(spec, confinement, join, counted=counted)


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


def _in_cell(spec: BotSpec, confinement: Confinement, join: Sequence[str], *, counted: bool) -> Launch:
    bubblewrap()  # without it there is no cell to look at
    workshop = confinement.workshop
    cell = shown(spec, confinement.copies) if workshop is None else replace(cell_of(spec), workshop=workshop)
    user = take_user()
    try:
        return _as_user(user, cell, confinement.limits, join, counted=counted)
    except BaseException:
        give_back(user)
        raise


def _as_user(user: BotUser | None, cell: Cell, limits: BotLimits, join: Sequence[str], *, counted: bool) -> Launch:
    tool = bubblewrap()
    read, write = os.pipe()
    refusal = _refusal(join)
    has_network = cell.workshop is not None and cell.workshop.network
    seccomp = _file(program(shared_memory=counted, builds=cell.workshop is not None, network=has_network))
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
            *_shell(join, refusal, *([] if cell.workshop is None else [_give_way()]), f"exec {stdout}>&1 >&2"),
            *command,
            *inner_command(cell, limits, user=user, stdout=stdout),
        ],
        env={},
        folder="/",
        passed=passed,
        report=read,
        refusal=refusal,
        user=user,
    )


def _refusal(join: Sequence[str]) -> str | None:
    """A path whose name nobody can guess; None where no group is to be entered."""
    return os.path.join(tempfile.gettempdir(), f"golfref-{secrets.token_hex(16)}") if join else None


def _shell(join: Sequence[str], refusal: str | None, *more: str) -> list[str]:
    """A shell that enters the control groups, runs the commands `more` and becomes the program that follows it.

    Where it cannot enter a group it makes the file `refusal`, which tells which group and why, and ends. An exit code
    would not tell the referee, because the bot could end with the same one. The bot does not learn the file's name.
    """
    joins: list[str] = []
    if refusal is not None:
        told = shlex.quote(refusal)
        # A second try tells the reason.
        joins.append(f'refuse() {{ umask 077; {{ echo "$1"; echo $$ > "$1"; }} > {told} 2>&1; exit 1; }}')
        joins += (f'echo $$ > "{path}" || refuse "{path}"' for path in join)
    return ["/bin/sh", "-c", "; ".join([_KILLED_FIRST, *joins, *more, 'exec "$@"']), "sh"]


def _ulimits(limits: BotLimits) -> str:
    """The limits in the units of a POSIX shell: blocks of 512 bytes for files, kilobytes for data.

    The soft limit of core dumps, 1 byte, is inherited; only the hard one is set.
    """
    return (
        f"{{ ulimit -H -c 1; }} 2> /dev/null; ulimit -f {limits.tmp_mb * MB // 512}; ulimit -n {limits.files}; "
        f"ulimit -d {2 * limits.memory_mb * MB // 1024}; ulimit -t {limits.cpu_s}"
    )


def _give_way() -> str:
    """A command by which a shell, and all that it starts, computes only when little else wants to.

    Where the kernel shares out the cores by session (autogroup), it is the session that has to be nice. SCHED_IDLE
    would be even less urgent, but beside a run that uses all cores a build would never come to its end.
    """
    renice = shutil.which("renice", path=PATH)
    nicer = f"{renice} -n {LOWEST_NICE} -p $$" if renice else ":"
    return f"{{ {nicer}; echo {LOWEST_NICE} > /proc/$$/autogroup; }} > /dev/null 2>&1"


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
