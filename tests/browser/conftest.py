"""Fixtures for pages as Chromium shows them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import browsing
import pytest
from browsing import Browsing
from hall import hall
from made_once import shared
from needs import need_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PICTURES = "screenshots"
"""The folder for pictures of pages, beside the tests."""


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
