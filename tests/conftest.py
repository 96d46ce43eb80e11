"""Fixtures that many tests share; what they give is in tests/support."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import uuid4

import browsing
import hypothesis
import pytest
from arena import Arena
from at_random import AtRandom
from browsing import Browsing
from golden import Golden
from hall import hall
from made_once import shared
from needs import need_chromium, need_lent_ids
from processes import Marked, kill, marked_processes, no_processes, wait_until_gone
from projects import Projects, built_projects
from scripted import Start

from referee.play.isolation.host import cores

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MARKS = {
    "browser": ("browser",),
    "process": (
        *(
            "bots",
            "browser",
            "commands",
            "kit/play",
            "play/bot",
            "play/isolation",
            "play/pump",
            "play/slaps",
        ),
        *(
            "cluster/test_preparing.py",
            "competition/test_check_config.py",
            "competition/test_not_starting.py",
            "competition/test_sight.py",
            "entries/test_builds.py",
            "entries/test_ready.py",
            "play/talk/test_retell.py",
            "test_library.py",
            "tournament/run",
            "tournament/store",
            "tournament/verify",
        ),
    ),
    "isolation": ("play/isolation", "play/bot/test_hostile.py", "entries/test_builds.py", "competition/test_sight.py"),
    "slow": ("tournament/store/test_amend.py", "tournament/store/test_disaster.py"),
}
"""Folders and files whose tests are all marked so; elsewhere single tests may be."""

LEFT_OUT = ("browser", "cluster", "dataframes", "full", "research", "toolchain")
"""Tests with one of these marks take long or need much that a machine may lack. They run where they are asked for."""

PICTURES = "screenshots"
"""The folder for pictures of pages, beside the tests."""

MOST_WORKERS = 4
"""More tests at a time than this disturb each other's clocks, however many cores there are."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write", action="store_true", help="write the golden files of these tests anew")


def pytest_configure(config: pytest.Config) -> None:
    """Tables are as wide as they are without a terminal: readline, which pytest imports, sets COLUMNS for children.

    The examples of properties are the same in every run, unless `--hypothesis-profile=random` says otherwise. None has
    a time in which it must have been tried: a machine may have much else to do.
    """
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    too_slow = hypothesis.HealthCheck.too_slow
    for name, always_same in (("same", True), ("random", False)):
        hypothesis.settings.register_profile(
            name, deadline=None, derandomize=always_same, database=None, suppress_health_check=[too_slow]
        )
    hypothesis.settings.load_profile(config.getoption("--hypothesis-profile") or "same")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Folders are tested by several processes; single files, or what is debugged, in this one.

    Tests of processes wait a lot, so there is one process more than there are cores.
    """
    given, is_worker = config.option, hasattr(config, "workerinput")
    if is_worker or not config.pluginmanager.has_plugin("xdist") or given.numprocesses is not None:
        return
    is_debugged = given.trace or given.usepdb
    if not is_debugged and not all(Path(test.partition("::")[0]).is_file() for test in config.args):
        given.numprocesses, given.dist = min(cores() + 1, MOST_WORKERS), "worksteal"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marks = {path: _marks(path) for path in {item.path for item in items}}
    for item in items:
        for mark in marks[item.path]:
            item.add_marker(mark)
    _leave_out(config, items)


def _marks(path: Path) -> list[str]:
    place = path.relative_to(Path(__file__).parent)
    return [mark for mark, places in MARKS.items() if any(place.is_relative_to(one) for one in places)]


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test with marks of LEFT_OUT runs where `-m` names one of them or its file is named, and only there."""
    named_marks = {mark for mark in LEFT_OUT if mark in config.option.markexpr}
    named = {(config.invocation_params.dir / test.partition("::")[0]).resolve() for test in config.args}
    left_out = {
        item
        for item in items
        if (marks := {mark.name for mark in item.iter_markers()}.intersection(LEFT_OUT))
        and not marks & named_marks
        and item.path not in named
    }
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test without the mark `process` that starts one fails, so that `-m "not process"` stays what it says."""
    with nullcontext() if item.get_closest_marker("process") else no_processes():
        return (yield)


@pytest.fixture
def start() -> Start:
    """Begins scripted matches."""
    return Start()


@pytest.fixture(scope="session")
def at_random() -> AtRandom:
    """Random tables and players."""
    return AtRandom()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Holds the golden files of a test against what it makes."""
    file = request.path.relative_to(request.config.rootpath)
    return Golden(command=f"pytest {file} --write", writes=request.config.getoption("--write"))


@pytest.fixture
def mark() -> Iterator[dict[str, str]]:
    """An environment for the bots of a test. The test fails if one of them, or what it started, is left over."""
    mark = {"GOLFREF_TEST": uuid4().hex}
    yield mark
    left = marked_processes(mark)
    kill(left)
    assert not left, f"processes were left behind: {left}"


@pytest.fixture
def marked(mark: dict[str, str]) -> Marked:
    """Finds the processes that live in the marked environment now; none where the system has no /proc."""
    return lambda: marked_processes(mark)


@pytest.fixture
def until_gone(mark: dict[str, str]) -> Callable[[], None]:
    """Waits for the marked processes to end by themselves."""
    return lambda: wait_until_gone(mark)


@pytest.fixture
def arena(tmp_path: Path, mark: dict[str, str]) -> Iterator[Arena]:
    """An arena; the test fails if something is left on the host afterwards."""
    arena = Arena(tmp_path, mark)
    yield arena
    arena.close()


@pytest.fixture
def lent_arena(mark: dict[str, str]) -> Iterator[Arena]:
    """An arena whose referee is an ordinary user with subordinate ids."""
    organiser = need_lent_ids()
    with TemporaryDirectory(prefix="golfref-test-") as folder:  # pytest's are closed to other users
        arena = Arena(Path(folder), mark, organiser)
        yield arena
        arena.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    """A Chromium for the tests of a file."""
    with browsing.chromium(need_chromium(), {"GOLFREF_TEST": uuid4().hex}) as browser:
        yield browser


@pytest.fixture
def browse(chromium: "Browser", request: pytest.FixtureRequest) -> Iterator[Browsing]:
    """Opens pages. The test fails if something goes wrong in one of them, or if one asks for more than files."""
    pages = Browsing(chromium, request.config.rootpath / PICTURES)
    yield pages
    pages.close()


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament of all games, with its site; for tests that change nothing there."""
    return shared(tmp_path_factory, "hall", hall)


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Projects:
    """Projects of `golfref new`, a built one for each language."""
    return built_projects(tmp_path_factory)


@pytest.fixture(scope="session")
def calm_kb(tmp_path_factory: pytest.TempPathFactory) -> int:
    """What the referee of a match of two honest programs needs at most, in kilobytes."""
    arena = Arena(tmp_path_factory.mktemp("calm"), {"GOLFREF_TEST": uuid4().hex})
    arena.play(arena.bot("honest"), arena.bot("honest"), isolation="limits")
    arena.close()
    return arena.peak_kb
