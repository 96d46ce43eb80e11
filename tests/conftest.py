"""Options of the tests, and the fixtures that most rooms share; what they give is in tests/support."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import hypothesis
import pytest
from at_random import AtRandom
from golden import Golden
from processes import Marked, kill, marked_processes, wait_until_gone
from scripted import Start

from referee.ending_signals import ENDING_SIGNALS
from referee.play.sandbox.system_info import cores

LEFT_OUT = ("browser", "clock", "cluster", "dataframes", "full", "research", "toolchain")
"""Marks of tests that run only where `-m` names one of their marks, or their file is named."""

MOST_WORKERS = 4
"""More tests at a time than this disturb each other's clocks, however many cores there are."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write", action="store_true", help="write the golden files of these tests anew")


def pytest_configure(config: pytest.Config) -> None:
    """Tables are as wide as they are without a terminal: readline, which pytest imports, sets COLUMNS for children.

    The examples of properties are the same in every run, unless `--hypothesis-profile=random` says otherwise.
    """
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    too_slow = hypothesis.HealthCheck.too_slow
    for name, always_same in (("same", True), ("random", False)):
        hypothesis.settings.register_profile(
            name, deadline=None, derandomize=always_same, database=None, suppress_health_check=[too_slow]
        )
    hypothesis.settings.load_profile(config.getoption("--hypothesis-profile") or "same")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Single files are tested by one process, folders by one more than there are cores: live tests wait a lot."""
    return 0 if all(map(Path.is_file, _named_paths(config))) else min(cores() + 1, MOST_WORKERS)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has marks of LEFT_OUT, unless `-m` names one of them or the file is named."""
    named_marks = {mark for mark in LEFT_OUT if mark in config.option.markexpr}
    named_paths = set(_named_paths(config))

    def is_left_out(item: pytest.Item) -> bool:
        marks = {mark.name for mark in item.iter_markers()}.intersection(LEFT_OUT)
        return bool(marks) and not marks & named_marks and item.path not in named_paths

    left_out = list(filter(is_left_out, items))
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _named_paths(config: pytest.Config) -> list[Path]:
    return [(config.invocation_params.dir / test.partition("::")[0]).resolve() for test in config.args]


@pytest.fixture(autouse=True)
def signals_as_they_were() -> Iterator[None]:
    """A command that was interrupted in this process ignores further signals, and so would what later tests start."""
    former = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    yield
    for number, handler in former.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


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
