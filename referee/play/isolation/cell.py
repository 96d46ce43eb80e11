"""The cell in which a bot runs under `bwrap`: what it sees of the file system, and the command line that builds it.

It sees the system's programs, the interpreter that its command names, its own folder at /bot, and what the organiser
lets it read besides; all of that read-only. It can write in /tmp and /dev/shm, which are its own and have a size. This
module starts nothing but a Python that it finds on the PATH, to ask it where it lives.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.play.isolation.shown import Unfit, check_folder, check_no_store
from referee.play.spec import BotLimits, BotSpec, script_of

FOLDER = "/bot"
"""Where a bot finds its own folder; it starts there."""

_SCRATCH = "/tmp"  # noqa: S108 - the bot's own
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - likewise

MB = 1 << 20

UIDS = 1024
"""So many user ids belong to one referee."""

NOBODY = "65000"
"""The user and group id that a bot sees as its own where the referee is an ordinary user."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_ETC = (
    "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "java*", "mono", "php", "R", "perl",
    "python3*", "erlang", "ghc", "crypto-policies",
)  # fmt: skip
"""What programs read of /etc; nothing of it says whose machine this is."""

_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_FROM_HOST = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
_PYTHON = re.compile(r"(python|pypy)[\d.]*")
_PROGRAM_FOLDERS = ("bin", "sbin", "shims", "libexec")
_TOO_WIDE = ("/", "/home", "/root", "/etc", "/var", "/opt", "/srv", _SCRATCH, "/run", "/mnt", "/media")
_ASK_PYTHON = "import json, sys; print(json.dumps([sys.executable, sys.base_prefix]))"


class Cell(Struct, frozen=True, kw_only=True):
    """What one bot sees and runs."""

    command: tuple[str, ...]
    """As it is inside."""
    folder: str
    """The host's folder that is /bot inside."""
    reads: tuple[str, ...]
    """The host's paths that it can read besides the system's, at the same place inside."""
    env: dict[str, str]

    def can_read(self, path: str) -> bool:
        """Whether a path of the host lies in what the bot can read."""
        path = os.path.realpath(path)
        shown = (self.folder, *self.reads, *_SYSTEM)
        return any(_is_within(path, os.path.realpath(place)) for place in shown)


def uids(referee: int) -> range:
    """The user ids that the referee with this process id has for its bots, where it is root; no account has them."""
    first = (1 << 30) + referee % (1 << 20) * UIDS
    return range(first, first + UIDS)


def cell_of(spec: BotSpec) -> Cell:
    """The cell of a bot; raises Unfit."""
    return _cell(msgspec.json.encode(spec))


@functools.lru_cache(maxsize=1024)
def _cell(encoded: bytes) -> Cell:
    spec = msgspec.json.decode(encoded, type=BotSpec)
    folder = os.path.realpath(spec.dir)
    if _is_wide(folder):
        raise Unfit(f"its folder would be {folder}, all of which it could read; give it a folder of its own")
    check_folder(folder)
    program, reads = _program(spec, folder)
    for place in spec.reads:
        reads.append(os.path.realpath(place))
        reads += [place] if place != reads[-1] else []
    for place in reads:
        if not _is_system(place):
            check_no_store(place)
    arguments = [_inside(argument, spec.dir) for argument in spec.command[1:]]
    path = _PATH if _is_within(program, FOLDER) else f"{os.path.dirname(program)}:{_PATH}"
    env = {"PATH": path, "HOME": _SCRATCH, "TMPDIR": _SCRATCH}
    env |= {name: os.environ[name] for name in _FROM_HOST if name in os.environ}
    cell = Cell(command=(program, *arguments), folder=folder, reads=tuple(dict.fromkeys(reads)), env=env | spec.env)
    script = script_of(spec.command)
    if script is not None and not cell.can_read(os.path.join(spec.dir, script)):
        raise Unfit(f"`{script}` lies outside its folder {folder}, and a bot in a cell sees no more than that folder")
    return cell


def _inside(argument: str, folder: str) -> str:
    """An argument that names something in the bot's folder by its absolute path, as it is called inside."""
    return FOLDER + argument[len(folder) :] if argument == folder or argument.startswith(folder + "/") else argument


# The program, and what it needs of the host


def _program(spec: BotSpec, folder: str) -> tuple[str, list[str]]:
    """The bot's program by the name that it has inside, and the host's paths that it needs; raises Unfit."""
    name = spec.command[0]
    path = os.path.join(spec.dir, name) if "/" in name else shutil.which(name, path=spec.env.get("PATH"))
    if path is None:
        raise Unfit(f"`{name}` is not on the PATH")
    path = os.path.normpath(path)
    if _is_within(path, spec.dir):
        return _inside(path, spec.dir), [] if _may_read(spec, os.path.realpath(path)) else _own_program(path, folder)
    if any(_is_within(path, place) for place in _SYSTEM) and _is_system(path):
        return path, []
    if _PYTHON.fullmatch(os.path.basename(path)):
        executable, prefixes = _named_python(path) if "/" in name else _python(path)
        return executable, [place for place in prefixes if not _is_system(place)]
    target = os.path.realpath(path)
    if _is_system(target):
        return target, []
    if "/" in name and _prefix(target) != os.path.realpath(_prefix(path)) and not _may_read(spec, target):
        raise _unseen(path, target)
    return target, [_prefix(target)]


def _own_program(path: str, folder: str) -> list[str]:
    """What a program in the bot's own folder needs: nothing, but that a link may lead to an interpreter of ours.

    Links in that folder are made by the bot's author, who must not say what of the host is shown.
    """
    target = os.path.realpath(path)
    if _is_within(target, folder) or _is_system(target):
        return []
    ours = [place for place in (sys.prefix, sys.base_prefix) if _is_within(target, os.path.realpath(place))]
    if not ours:
        raise _unseen(path, target)
    return ours


def _may_read(spec: BotSpec, target: str) -> bool:
    return any(_is_within(target, os.path.realpath(place)) for place in spec.reads)


def _unseen(path: str, target: str) -> Unfit:
    """A link's maker must not say what of the host is shown."""
    return Unfit(
        f'{path} is a link to {target}, which it does not see; let it read that: reads = ["{_prefix(target)}"]'
    )


def _named_python(path: str) -> tuple[str, list[str]]:
    """As `_python`, for one that is named by its path; raises Unfit.

    A bot's author may have made it, or the links to it (a virtual environment beside the bot's folder): it must not run
    outside a cell, nor say what of the host is shown.
    """
    target = os.path.realpath(path)
    environment, base = os.path.dirname(os.path.dirname(path)), _prefix(target)
    own = [environment] if os.path.isfile(os.path.join(environment, "pyvenv.cfg")) else []
    if any(_is_wide(place) for place in own):
        raise Unfit(f"{path} would show all of {environment}; give the virtual environment a folder of its own")
    if _is_system(target):
        return path, own
    if not any(Path(base).glob("lib/python3*/os.py")) and not any(Path(base).glob("lib/pypy3*/os.py")):
        raise Unfit(f"{path} is {target}, which is not where a Python is installed")
    return path, [*own, base]


def _is_wide(place: str) -> bool:
    """Whether a folder holds what belongs to many, or the organiser's home."""
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.realpath(place) in _TOO_WIDE or _is_within(home, os.path.realpath(place))


@functools.cache
def _python(path: str) -> tuple[str, list[str]]:
    """Where a Python lives: its executable, then its virtual environment and where it is installed; raises Unfit.

    It is asked without `site`, because what lies in a virtual environment must not run outside a cell.
    """
    asked = [path, "-I", "-S", "-c", _ASK_PYTHON]
    try:
        done = subprocess.run(asked, cwd="/", capture_output=True, timeout=20, check=True, stdin=subprocess.DEVNULL)
        executable, base = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise Unfit(f"{path} does not say where it is installed: {error}") from None
    environment = os.path.dirname(os.path.dirname(executable))
    is_virtual = os.path.isfile(os.path.join(environment, "pyvenv.cfg"))
    return executable, [environment, base] if is_virtual else [base]


def _prefix(program: str) -> str:
    """What is installed together with a program, or the file alone where that would show too much."""
    folder = os.path.dirname(program)
    prefix = os.path.dirname(folder) if os.path.basename(folder) in _PROGRAM_FOLDERS else folder
    return program if _is_wide(prefix) else prefix


def _is_system(path: str) -> bool:
    return any(_is_within(os.path.realpath(path), os.path.realpath(place)) for place in _SYSTEM)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


# The command line


def arguments(cell: Cell, limits: BotLimits, *, options: frozenset[str]) -> list[str]:
    """Arguments for bubblewrap, to be passed by a descriptor, that build the cell; `options` are those it knows."""
    size = str(limits.tmp_mb * MB)
    return [
        "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--hostname", "golf", "--clearenv",
        *_user(options),
        "--proc", "/proc",
        # The first process is not under the bot's limits: whoever could write into its memory would not be either.
        *("--perms", "0555", "--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"),
        "--dev", "/dev",
        *("--perms", "1777", "--size", size, "--tmpfs", _SHARED_MEMORY),
        *("--perms", "0755", "--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"),
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", size, "--tmpfs", _SCRATCH),
        *_file_system(cell),
        *(() if os.geteuid() == 0 else _settings(cell.env)),
        "--chdir", FOLDER,
        "--remount-ro", "/",
    ]  # fmt: skip


def inner_command(cell: Cell, limits: BotLimits, *, uid: int | None, stdout: int = 1) -> list[str]:
    """What bubblewrap runs: the bot, with its user and its limits; `uid` where the referee is root.

    What still runs as root takes nothing from the bot: no program by the PATH, no environment. `stdout` is the
    descriptor that becomes the bot's standard output.
    """
    user = [] if uid is None else [
        tool("setpriv"), f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", "--inh-caps=-all",
        "--ambient-caps=-all", "--bounding-set=-all",
    ]  # fmt: skip
    return [
        *user,
        tool("prlimit"), f"--nproc={limits.processes}", f"--nofile={limits.files}",
        f"--data={2 * limits.memory_mb * MB}", f"--fsize={limits.tmp_mb * MB}",
        f"--cpu={limits.cpu_s}:{limits.cpu_s + 5}", "--core=0", "--memlock=65536", "--msgqueue=0",
        *([] if uid is None else [tool("env"), *(f"{name}={value}" for name, value in cell.env.items())]),
        *([] if stdout == 1 else [tool("sh"), "-c", f'exec "$@" >&{stdout} {stdout}>&-', "sh"]),
        *cell.command,
    ]  # fmt: skip


@functools.cache
def tool(name: str) -> str:
    """The path of a program of the system; raises Unfit."""
    path = shutil.which(name, path=_PATH)
    if path is None:
        raise Unfit(f"`{name}` is not installed")
    return path


def _user(options: frozenset[str]) -> list[str]:
    if os.geteuid() == 0:
        kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
        return ["--cap-drop", "ALL", *(word for name in kept for word in ("--cap-add", name))]
    nested = ["--disable-userns"] if "--disable-userns" in options else []
    return ["--unshare-user", *nested, "--uid", NOBODY, "--gid", NOBODY]


def _file_system(cell: Cell) -> list[str]:
    words: list[str] = []
    for place in _SYSTEM:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), place]
        elif os.path.isdir(place):
            words += ["--ro-bind", place, place]
    words += ["--perms", "0755", "--dir", "/etc"]
    for name in _ETC:
        words += [word for path in sorted(Path("/etc").glob(name)) for word in ("--ro-bind", str(path), str(path))]
    for place in cell.reads:
        if not _is_system(place) and not any(other != place and _is_within(place, other) for other in cell.reads):
            words += [*_folders_above(place), "--ro-bind", place, place]
    return [*words, "--ro-bind", cell.folder, FOLDER]


def _folders_above(place: str) -> list[str]:
    """The folders on the way, open to the bot's user even where the host's are closed."""
    above = [str(folder) for folder in reversed(Path(place).parents) if str(folder) != "/"]
    return [word for folder in above for word in ("--perms", "0755", "--dir", folder)]


def _settings(env: Mapping[str, str]) -> list[str]:
    return [word for name, value in env.items() for word in ("--setenv", name, value)]
