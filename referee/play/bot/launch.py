"""How a bot's process is started under each level of isolation: its command line, environment, folder and descriptors.

Nothing is started here; process.py does that.
"""

import contextlib
import os
import resource
import shutil
import socket
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from referee.play.isolation.paths import PATH
from referee.play.spec import MB, BotLimits, BotSpec, Confinement, search_path

if TYPE_CHECKING:
    from referee.play.isolation.users import BotUser

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
    """What is read from here is the shell's, if it could not enter the control groups, or else bubblewrap's.

    The shell tells why, bubblewrap how the bot ended. The bot cannot write there. None where there are neither.
    """
    stderr: tuple[int, int] | None = None
    """What is standard error at first, and from where the bot's is read; None where the bot has it from the start."""
    user: "BotUser | None" = None
    """The user that is the bot's own until it is given back; None where it has none of its own."""
    dumps_core: bool = False
    """Whether the host may keep what is left of the process when it crashes."""


def launch(spec: BotSpec, confinement: Confinement, *, join: Sequence[str], counted: bool) -> Launch:
    """How to start a bot so that its process is in the control groups whose `join` files are given.

    `counted` says whether one of these groups bounds the bot's memory. Raises Unfit where the bot cannot run in a cell,
    and NoBubblewrap where this host builds none.
    """
    more = [] if confinement.workshop is None else [give_way()]
    if confinement.isolation == "none":
        shell = in_shell(*more) if more else []
        return Launch([*shell, *spec.command], environment(spec), spec.dir, dumps_core=True)
    if confinement.isolation == "limits":
        return _limited(spec, confinement.limits, join, more)
    from referee.play.bot.cell_launch import in_cell  # noqa: PLC0415 - the other levels need nothing of cells

    return in_cell(spec, confinement, join, counted=counted)


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
        return Launch([*in_shell(*more, _ulimits(limits)), *command], environment(spec), spec.dir)
    report, at_first = (end.detach() for end in socket.socketpair())
    read, write = os.pipe()
    own = f"/proc/self/fd/{write}"
    shell = in_shell(*entering(join), f"[ ! -e {own} ] || exec 2> {own}", *more, _ulimits(limits))
    return Launch(
        command=[*shell, *command],
        env=environment(spec),
        folder=spec.dir,
        passed=(write,),
        report=report,
        stderr=(at_first, read),
    )


def in_shell(*commands: str) -> list[str]:
    """A shell that runs the commands and becomes the program that follows it."""
    return ["/bin/sh", "-c", "; ".join([_KILLED_FIRST, *commands, 'exec "$@"']), "sh"]


def entering(join: Sequence[str]) -> Iterator[str]:
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


def give_way() -> str:
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
