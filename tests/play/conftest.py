"""Fixtures for matches of real processes."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from arena import Arena
from needs import need_lent_ids


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


@pytest.fixture(scope="session")
def calm_kb(tmp_path_factory: pytest.TempPathFactory) -> int:
    """What the referee of a match of two honest programs needs at most, in kilobytes."""
    arena = Arena(tmp_path_factory.mktemp("calm"), {"GOLFREF_TEST": uuid4().hex})
    arena.play(arena.bot("honest"), arena.bot("honest"), isolation="limits")
    arena.close()
    return arena.peak_kb
