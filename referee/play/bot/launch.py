"""How a bot's process is started under each level of isolation: its command line, environment, folder and descriptors.

Nothing is started here; process.py does that.
"""

import contextlib
import os
import resource
import secrets
import shlex
import shutil
import tempfile
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
    """The reading end of the pipe in which bubblewrap reports how the bot ended; None outside a cell."""
    refusal: str | None = None
    """The path of a file that the process makes if it cannot enter its control groups; None where there are none."""
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
        shell = in_shell((), None, *more) if more else []
        return Launch([*shell, *spec.command], environment(spec), spec.dir, dumps_core=True)
    if confinement.isolation == "limits":
        refusal = refusal_file(join)
        shell = in_shell(join, refusal, *more, _ulimits(confinement.limits))
        return Launch([*shell, *_never_urgent(), *spec.command], environment(spec), spec.dir, refusal=refusal)
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


def refusal_file(join: Sequence[str]) -> str | None:
    """A path whose name nobody can guess; None where no group is to be entered."""
    return os.path.join(tempfile.gettempdir(), f"golfref-{secrets.token_hex(16)}") if join else None


def in_shell(join: Sequence[str], refusal: str | None, *more: str) -> list[str]:
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
