"""What a machine may lack: a test that needs it is skipped there, with the reason, and fails where CI=true."""

import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from referee.bot_tools.starters import Starter, missing_tools
from referee.play.faults import HostFault, Missing
from referee.play.sandbox.levels import bubblewrap, check_cells
from referee.play.sandbox.users import why_none

IN_A_CONTAINER = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Before a command of root's: it begins with process 1 and sees no process of the host."""


def lacking(reason: str) -> NoReturn:
    """Skip the test, or fail it where all tests are to run."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true, but: {reason}", pytrace=False)
    pytest.skip(reason)


def need_bubblewrap() -> None:
    try:
        bubblewrap()
    except Missing as missing:
        lacking(str(missing))


def need_cells_for_strangers() -> None:
    """Cells in which each bot has a user id of its own."""
    try:
        check_cells(of_strangers=True)
    except HostFault as missing:
        lacking(str(missing))


def need_perl() -> None:
    """Perl 5 with the module that reads JSON, which some systems leave out."""
    if not _runs("perl", "-MJSON::PP", "-e1"):
        lacking("Perl 5 with its core module JSON::PP is not installed")


def need_compiler() -> None:
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        lacking("there is no C compiler")


def need_tools(starter: Starter) -> None:
    """What building and running a starter needs."""
    if missing := missing_tools(starter):
        lacking("; ".join(f"{tool.name} is not installed: {tool.remedy()}" for tool in missing))


def need_chromium() -> str:
    """The path of Chromium, where playwright and axe are there to look at pages with it."""
    if any(importlib.util.find_spec(package) is None for package in ("playwright", "axe_playwright_python")):
        lacking("playwright and axe-playwright-python are not installed: pip install '.[browser]'")
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (path := shutil.which(name)) is not None:
            return path
    lacking("Chromium is not installed: apt-get install chromium")


def need_dataframes() -> None:
    """The packages with which exported tables are read."""
    if missing := [
        name for name in ("duckdb", "pandas", "polars", "pyarrow") if importlib.util.find_spec(name) is None
    ]:
        lacking(f"{', '.join(missing)} not installed: pip install '.[dataframes]'")


def need_modules(*names: str, extra: str) -> None:
    """Packages of an extra, by the names under which they are imported."""
    if missing := [name for name in names if importlib.util.find_spec(name) is None]:
        lacking(f"{', '.join(missing)} not installed: pip install '.[{extra}]'")


class Organiser(NamedTuple):
    """A user of this host, as whom a test starts a referee."""

    become: tuple[str, ...]
    """What stands before the command."""
    python: str
    """A Python that the user may run, with the packages of this one."""
    env: dict[str, str]


OURSELVES = Organiser((), sys.executable, {})


def need_lent_ids() -> Organiser:
    """An ordinary user with subordinate ids: ourselves, or, where we are root, one of this host's."""
    need_bubblewrap()
    if os.geteuid():
        if (gap := why_none()) is not None:
            lacking(str(gap))
        return OURSELVES
    if shutil.which("newuidmap") is None:
        lacking("newuidmap is not installed: apt-get install uidmap")
    for line in Path("/etc/subuid").read_text().splitlines() if Path("/etc/subuid").is_file() else ():
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(line.partition(":")[0])
            organiser, why_no_ids = _as_user(user.pw_uid, user.pw_gid, user.pw_dir)
            if organiser is not None and not why_no_ids:
                return organiser
            pytest.skip(why_no_ids)
    lacking("/etc/subuid lends ids to no user of this host: useradd --create-home golfer")


def need_no_ids() -> Organiser:
    """An ordinary user whose bots have no user ids of their own: ourselves, or, where we are root, nobody."""
    need_bubblewrap()
    if os.geteuid():
        if why_none() is None:
            pytest.skip("this user's bots have user ids of their own")
        return OURSELVES
    user = pwd.getpwnam("nobody")
    organiser, problem = _as_user(user.pw_uid, user.pw_gid, user.pw_dir)
    if organiser is None:
        pytest.skip(problem)
    return organiser


def _as_user(uid: int, gid: int, home: str) -> tuple[Organiser | None, str]:
    """How root starts a referee as this user, and why its bots have no ids; None where no Python starts as this user.

    The system's Python is tried too, because ours may lie in root's home folder.
    """
    # env is between them because setpriv itself still has root's rights when it looks for its program.
    become = ("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "env")
    env = {"HOME": home, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    problem = ""
    for python in (sys.executable, "/usr/bin/python3"):
        command = [*become, python, "-P", "-c", _TELL_WHY_NONE]
        done = subprocess.run(command, env=os.environ | env, check=False, capture_output=True, text=True)
        if done.returncode == 0:
            return Organiser(become, python, env), done.stdout.strip()
        problem = f"user {uid} can start no bots in cells: {done.stderr.strip()[-500:]}"
    return None, problem


_TELL_WHY_NONE = """
from referee.play.sandbox.levels import bubblewrap
from referee.play.sandbox.users import why_none
bubblewrap()
print(why_none() or "")
"""


@cache
def _runs(*command: str) -> bool:
    path = shutil.which(command[0])
    return path is not None and subprocess.run(command, check=False, capture_output=True).returncode == 0
