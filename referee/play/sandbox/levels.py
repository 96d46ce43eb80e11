"""The levels of isolation: which of them this host offers, why one is missing, and how to get it.

cell.py says what a bot sees under `bwrap`, seccomp.py what it may call, and bwrap.py how bubblewrap is told.
"""

import functools
import os
import re
import shutil
import subprocess
import sys

from msgspec import Struct

from referee.play.faults import HostFault, Missing
from referee.play.sandbox.bwrap import arguments, inner_command, tool
from referee.play.sandbox.fixes import allow_user_namespaces, install
from referee.play.sandbox.seccomp import program
from referee.play.sandbox.trial import TOO_SLOW, trial_problem
from referee.play.sandbox.users import give_back, take_user, why_none
from referee.play.spec import BotLimits, Cell

_NEEDED = frozenset(
    {"--args", "--size", "--perms", "--json-status-fd", "--seccomp", "--clearenv", "--cap-drop", "--disable-userns"}
)
"""The options that bubblewrap must have; it has all of them since version 0.8."""

_REFUSED = ("uid map", "new namespace", "RTM_NEWADDR")
"""Parts of bubblewrap's messages where the system refuses user namespaces, or rights in them."""

_REMEDIES = {
    **dict.fromkeys(
        _REFUSED,
        "in a container give it --security-opt seccomp=unconfined, as root there also --cap-add SYS_ADMIN --cap-add "
        "NET_ADMIN, or --privileged",
    ),
    "mount proc": "in a container, /proc must not be masked: --security-opt systempaths=unconfined (podman: "
    "unmask=ALL), or --privileged",
    "resource limit": "this shell's own limits are lower than those of the bots (ulimit -a): raise them",
    TOO_SLOW: "end other programs, and try again",
}
"""What the organiser can do where no setting of the kernel is the reason, by a part of bubblewrap's message."""


class Bubblewrap(Struct, frozen=True, kw_only=True):
    """The bubblewrap of this host."""

    path: str
    version: str


@functools.cache
def bubblewrap() -> Bubblewrap:
    """The bubblewrap of this host. It has been tried out and builds cells; raises Missing where there is none."""
    path = find_bubblewrap()
    try:
        _ = [tool(name) for name in ("setpriv", "prlimit", "env")]
    except HostFault as error:
        raise Missing(str(error), install("util-linux", "coreutils")) from None
    version = _said(path, "--version").strip()
    if lacking := sorted(_NEEDED.difference(re.findall(r"--[a-z0-9-]+", _said(path, "--help")))):
        raise Missing(f"{version} does not know {', '.join(lacking)}", "install bubblewrap 0.8 or later")
    _try_out(path)
    return Bubblewrap(path=path, version=version)


def find_bubblewrap() -> str:
    """The path of bubblewrap, whatever it can do; raises Missing."""
    if sys.platform != "linux":
        raise Missing("bubblewrap needs Linux", "use a Linux machine, real or virtual, for other people's bots")
    path = shutil.which("bwrap")
    if path is None:
        raise Missing("bubblewrap is not installed", install("bubblewrap"))
    return path


def check_cells(*, of_strangers: bool) -> None:
    """Raise HostFault where this host has no cells, or where strangers' bots would all run as our own user in them."""
    bubblewrap()
    if of_strangers and (gap := why_none()) is not None:
        raise HostFault(
            "bots of several owners need user ids of their own, so that none can use up what the kernel allows your "
            f'user, but {gap.reason}: {gap.remedy} (or set trust = "all" in [tournament] where all bots are your own)'
        )


def _said(path: str, option: str) -> str:
    try:
        return subprocess.run([path, option], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise Missing(f"{path} {option} fails: {error}", "install bubblewrap 0.8 or later") from None


def _try_out(path: str) -> None:
    """Build a cell like a bot's and run a program in it that does nothing; raises Missing where that fails."""
    filtered = program(shared_memory=False)
    cell = Cell(command=("/bin/sh", "-c", ":"), folder="/usr", reads=(), env={})
    limits = BotLimits()
    try:
        user = take_user()
    except HostFault as fault:
        raise Missing(str(fault), "end what else needs processes or open files") from None
    with open(os.memfd_create("seccomp"), "w+b") as file:
        file.write(filtered)
        file.seek(0)
        words = arguments(cell, limits, user=user, given={})
        command = [path, "--seccomp", str(file.fileno()), *words]
        passed = (file.fileno(), *(() if user is None else user.descriptors))
        try:
            problem = trial_problem([*command, "--", *inner_command(cell, limits, user=user)], passed=passed)
        finally:
            give_back(user)
    if problem:
        raise Missing(f"bubblewrap cannot build a cell here ({problem})", _remedy(problem))


def _remedy(message: str) -> str:
    if any(part in message for part in _REFUSED) and (command := allow_user_namespaces()):
        return command
    return next((text for part, text in _REMEDIES.items() if part in message), "tournaments/ISOLATION.md may help")
