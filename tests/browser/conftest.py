"""Fixtures for pages as Chromium shows them."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from browsing import Browsing
from made_once import shared
from made_up_sites import built
from needs import need_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PICTURES = "screenshots"
"""The folder for pictures of pages, beside the tests."""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    """A Chromium without a window, in a home of its own.

    It ends with the file, for playwright's loop of asyncio would otherwise be there in tests of other rooms.
    """
    program = need_chromium()
    from playwright.sync_api import sync_playwright

    flags = ["--host-resolver-rules=MAP * ~NOTFOUND"]  # no page finds a host
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # root has no other way
    with TemporaryDirectory(prefix="golfref-chromium-") as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags, env={**os.environ, "HOME": home})
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium: "Browser", request: pytest.FixtureRequest) -> Iterator[Browsing]:
    """Opens pages. The test fails if something goes wrong in one of them, or if one asks for more than files."""
    pages = Browsing(chromium, request.config.rootpath / PICTURES)
    yield pages
    pages.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site of a run with its matches; for tests that change nothing there."""
    return shared(tmp_path_factory, "site", built) / "site"
