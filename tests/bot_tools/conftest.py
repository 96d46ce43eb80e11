"""Fixtures for the starters."""

import pytest
from projects import Projects, built_projects


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Projects:
    """Projects of `golfref new`, a built one for each language."""
    return built_projects(tmp_path_factory)
