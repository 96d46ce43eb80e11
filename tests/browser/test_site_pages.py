"""The pages of a site in Chromium: nothing to object to at any width, and they keep up with a run that is played."""

from datetime import timedelta
from pathlib import Path

import pytest
from browsing import DESKTOP, PHONE, Browsing, sideways
from made_up_sites import AS_OF, SCRIPT, content_of, played, pulse, written
from msgspec.structs import replace

from referee.site.files import stamped
from referee.site.pages.every import pages
from referee.site.pages.slugs import slugs

pytestmark = pytest.mark.browser

LOOK = "document.dispatchEvent(new Event('visibilitychange'))"
"""What makes a page look for news at once, as when a reader comes back to it."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    content = content_of(played(tmp_path_factory.mktemp("run")))
    return written(content, tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize(
    "path",
    [
        "index.html",
        "about.html",
        "highlights.html",
        "lists/all/1.html",
        "games/cactus.html",
        f"bots/{slugs([SCRIPT])[SCRIPT]}.html",
    ],
)
def test_axe_finds_nothing_and_no_page_scrolls_sideways(site: Path, path: str, width: int, browse: Browsing) -> None:
    page = browse.open(site / path, width=width, bypass_csp=True)
    assert sideways(page) == 0
    browse.picture(page, f"site-{path.partition('.')[0].replace('/', '-')}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browse.findings(page) == []


def test_a_page_of_a_run_that_is_played_keeps_up_and_keeps_its_place(tmp_path: Path, browse: Browsing) -> None:
    folder = played(tmp_path / "run", 20)
    site = written(content_of(folder, is_live=True), tmp_path)
    page = browse.open(site / "index.html", width=PHONE)
    page.evaluate("document.querySelector('details').open = true; scrollTo(0, 700)")
    assert "20 of 120 matches" in page.inner_text("main")

    written(content_of(played(folder, 30), is_live=True), site)
    page.evaluate(LOOK)
    page.get_by_text("50 of 120 matches have been played").wait_for()
    page.wait_for_load_state()
    assert page.evaluate("[scrollY, document.querySelector('details').open]") == [700, True]

    written(content_of(played(folder)), site)
    page.evaluate(LOOK)
    page.locator("[data-live]").wait_for(state="detached")


def test_a_page_tells_how_old_it_is_and_that_the_run_may_have_been_interrupted(
    tmp_path: Path, browse: Browsing
) -> None:
    content = content_of(played(tmp_path / "run", 20), is_live=True)
    site = written(content, tmp_path)
    page = browse.open(site / "index.html", width=PHONE, bypass_csp=True)
    assert browse.findings(page) == []
    page.clock.install(time=AS_OF + timedelta(minutes=3))
    page.reload()
    assert ", 3 minutes ago: 20 of 120 matches.\nThis run is still being played." in page.inner_text("[data-live]")
    page.clock.run_for(600_000)
    told = page.inner_text("[data-live]")
    assert ", 13 minutes ago: " in told
    assert "No result has come since: the run may have been interrupted." in told
    browse.picture(page, "site-old")
    assert sideways(page) == 0

    stamps = {file.path: stamped(file)[1] for file in pages(content)}
    pulse(site, stamps, is_live=False)
    page.reload()
    page.get_by_text("Interrupted: nobody plays this run now.").wait_for()


def test_a_page_of_a_run_that_was_killed_asks_less_and_less_often(tmp_path: Path, browse: Browsing) -> None:
    site = written(content_of(played(tmp_path / "run", 20), is_live=True), tmp_path)
    page = browse.open(site / "index.html")
    page.clock.install()
    page.reload()
    before = len(browse.asked)
    page.clock.run_for(60_000)
    soon = len(browse.asked) - before
    page.clock.run_for(3_540_000)

    assert soon >= 3
    assert soon < len(browse.asked) - before <= 20


def test_the_switch_keeps_a_page_as_it_is(tmp_path: Path, browse: Browsing) -> None:
    content = content_of(played(tmp_path / "run", 20), is_live=True)
    site = written(content, tmp_path)
    page = browse.open(site / "index.html")
    page.uncheck("[data-live] input")
    assert "stays as it is" in page.inner_text("[data-live]")

    pulse(site, {"index.html": "another"}, is_live=True)
    page.evaluate(LOOK)
    page.reload()
    assert not page.is_checked("[data-live] input"), "the switch is remembered"

    written(replace(content, store="other.golfref"), site)
    page.check("[data-live] input")
    page.get_by_text("golfref verify other.golfref").wait_for()
