"""The command line of bubblewrap that builds a bot's cell, and the command that bubblewrap runs in it.

Nothing is started here; levels.py finds out whether this host has bubblewrap.
"""

import functools
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from referee.play.faults import HostFault
from referee.play.sandbox.paths import FOLDER, PATH, SCRATCH, SHARED_MEMORY, SOURCE, SYSTEM
from referee.play.sandbox.proc import unreadable
from referee.play.sandbox.users import NOBODY, BotUser, entering
from referee.play.spec import MB, BotLimits, Cell, Workshop

_ETC = (
    "alternatives", "ld.so.cache", "localtime", "java*", "mono", "php", "R", "perl",
    "python3*", "erlang", "ghc", "crypto-policies",
)  # fmt: skip
"""What programs read of /etc; nothing of it says whose machine this is."""

_ETC_OF_NETWORK = (
    "resolv.conf", "hosts", "nsswitch.conf", "gai.conf", "services", "protocols", "ssl", "pki", "ca-certificates*",
)  # fmt: skip
"""What programs read besides to look up names and to check certificates."""

_DEVICES = {"/dev/null": "/dev/null", "/dev/zero": "/dev/full", "/dev/urandom": "/dev/urandom"}
"""A cell's devices and the host's that stand for them.

A shared mapping of /dev/zero is memory that counts for no process. /dev/full reads the same and cannot be mapped.
"""

_DEVICE_LINKS = {
    "/dev/full": "zero", "/dev/random": "urandom", "/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
}  # fmt: skip

_NOBODY = ("--unshare-user", "--disable-userns", "--uid", str(NOBODY), "--gid", str(NOBODY))
"""What a bot without a user of its own runs as: ours, in a namespace without rights and without namespaces below it."""


def arguments(
    cell: Cell,
    limits: BotLimits,
    *,
    user: BotUser | None,
    given: Mapping[str, int],
    workshop: Workshop | None = None,
) -> list[str]:
    """The arguments by which bubblewrap builds the cell, to be passed by a descriptor.

    `user` is the bot's own, and None where it has none. `given` has, by path in the cell, descriptors of the files that
    are given to it; bubblewrap reads and closes them. In a `workshop` the cell's folder is shown at /source, and /bot
    is empty and can be written.
    """
    size = str(limits.tmp_mb * MB)
    return [
        "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
        *([] if cell.network else ["--unshare-net"]),
        "--die-with-parent", "--hostname", "golf", "--clearenv",
        *(_NOBODY if user is None else entering(user)),
        *_proc(given, is_its_own=user is None),
        *("--perms", "0755", "--tmpfs", "/dev"),
        *(word for path, source in _DEVICES.items() for word in ("--dev-bind", source, path)),
        *(word for path, target in _DEVICE_LINKS.items() for word in ("--symlink", target, path)),
        *("--perms", "1777", "--size", size, "--tmpfs", SHARED_MEMORY),
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", size, "--tmpfs", SCRATCH),
        *_system(network=cell.network),
        *_folders(cell, workshop),
        *(_settings(cell.env) if user is None else ()),
        "--chdir", FOLDER,
        "--remount-ro", "/",
    ]  # fmt: skip


def inner_command(cell: Cell, limits: BotLimits, *, user: BotUser | None, stdout: int = 1) -> list[str]:
    """What bubblewrap runs: the bot, with its limits and, where it has a user of its own, as that user.

    As long as something of it runs as root, it uses nothing of the bot's: neither its PATH nor its environment.
    `stdout` is the descriptor that becomes the bot's standard output.
    """
    become = [] if user is None else [
        tool("setpriv"), f"--reuid={user.uid}", f"--regid={user.uid}", "--clear-groups", "--no-new-privs",
        "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all",
    ]  # fmt: skip
    return [
        *become,
        tool("prlimit"), f"--nproc={limits.processes}", f"--nofile={limits.files}",
        f"--data={2 * limits.memory_mb * MB}", f"--fsize={limits.tmp_mb * MB}",
        f"--cpu={limits.cpu_s}:{limits.cpu_s + 5}", "--memlock=65536", "--msgqueue=0", "--rtprio=0", "--nice=0",
        f"--sigpending={limits.processes}",  # counted for the referee's user too, whatever the bot's
        *([] if user is None else [tool("env"), *(f"{name}={value}" for name, value in cell.env.items())]),
        *([] if stdout == 1 else [tool("sh"), "-c", f'exec "$@" >&{stdout} {stdout}>&-', "sh"]),
        *cell.command,
    ]  # fmt: skip


@functools.cache
def tool(name: str) -> str:
    """The path of a program of the system; raises HostFault where it is not installed."""
    path = shutil.which(name, path=PATH)
    if path is None:
        raise HostFault(f"`{name}` is not installed")
    return path


def _proc(given: Mapping[str, int], *, is_its_own: bool) -> list[str]:
    """The options for /proc. `is_its_own` says whether the bot's user owns the folders that are made in the cell."""
    files, folders = unreadable()
    # The first process has none of the bot's limits, so a bot must not be able to write into its memory.
    empty = ["/proc/1", *folders]
    return [
        "--proc", "/proc",
        *(word for path, fd in given.items() for word in ("--perms", "0444", "--ro-bind-data", str(fd), path)),
        *(word for path in files for word in ("--ro-bind", "/dev/null", path)),  # which is no device there
        *(word for path in empty for word in ("--perms", "0555", "--size", "4096", "--tmpfs", path)),
        *(word for path in empty if is_its_own for word in ("--remount-ro", path)),
        # A bot that could write here would choose whom the kernel ends first when memory runs out (oom_score_adj).
        "--remount-ro", "/proc",
    ]  # fmt: skip


def _system(*, network: bool) -> list[str]:
    """The system's programs, and what they read of /etc."""
    words: list[str] = []
    for place in SYSTEM:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), place]
        elif os.path.isdir(place):
            words += ["--ro-bind", place, place]
    words += ["--perms", "0755", "--dir", "/etc"]
    return words + [word for path in _etc_files(network=network) for word in ("--ro-bind-try", path, path)]


def _folders(cell: Cell, workshop: Workshop | None) -> list[str]:
    """The bot's folder, and what else it can read."""
    words = [word for place in cell.reads for word in (*_folders_above(place), "--ro-bind", place, place)]
    if workshop is None:
        return [*words, "--ro-bind", cell.folder, FOLDER]
    size = str(workshop.folder_mb * MB)
    return [*words, "--ro-bind", cell.folder, SOURCE, "--perms", "0777", "--size", size, "--tmpfs", FOLDER]


@functools.cache
def _etc_files(*, network: bool) -> tuple[str, ...]:
    """The files and folders of /etc that every cell shows, or one with a network. Looked up once."""
    names = (*_ETC, *_ETC_OF_NETWORK) if network else _ETC
    return tuple(str(path) for name in names for path in sorted(Path("/etc").glob(name)))


def _folders_above(place: str) -> list[str]:
    """The folders on the way to a place. The bot's user can pass through them even where the host's are closed."""
    above = [str(folder) for folder in reversed(Path(place).parents) if str(folder) != "/"]
    return [word for folder in above for word in ("--perms", "0755", "--dir", folder)]


def _settings(env: Mapping[str, str]) -> list[str]:
    return [word for name, value in env.items() for word in ("--setenv", name, value)]
