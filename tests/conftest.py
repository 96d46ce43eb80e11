"""Fixtures that many tests share; what they give is in tests/support."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from arena import Arena
from at_random import AtRandom
from golden import Golden
from processes import Marked, kill, marked_processes, wait_until_gone
from scripted import Start


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write", action="store_true", help="write the golden files of these tests anew")


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


@pytest.fixture(scope="session")
def calm_kb(tmp_path_factory: pytest.TempPathFactory) -> int:
    """What the referee of a match of two honest programs needs at most, in kilobytes."""
    arena = Arena(tmp_path_factory.mktemp("calm"), {"GOLFREF_TEST": uuid4().hex})
    arena.play(arena.bot("honest"), arena.bot("honest"), isolation="limits")
    arena.close()
    return arena.peak_kb
