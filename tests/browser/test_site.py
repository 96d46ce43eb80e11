"""The pages of a site in Chromium: nothing to object to at any width, and they keep up with a run that is played."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import DESKTOP, ON_THE_PAGE, PHONE, Browsing, sideways
from html_read import read
from made_up_sites import AS_OF, SCRIPT, content_of, played, status, written
from match_pages import opened
from msgspec.structs import replace

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LOOK = "document.dispatchEvent(new Event('visibilitychange'))"
"""What makes a page look for news at once, as when a reader comes back to it."""


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESKTOP, "dark"), (DESKTOP, "light")])
@pytest.mark.parametrize(
    "path", ["index.html", "highlights.html", "lists/1.html", "figures.html", "games/cactus.html", "bots/script*.html"]
)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    path: str, width: int, scheme: str, site: Path, browse: Browsing
) -> None:
    page = browse.open(min(site.glob(path)), width=width, bypass_csp=True, color_scheme=scheme)

    browse.picture(page, f"site-{path.partition('.')[0].replace('/', '-').rstrip('*')}-{scheme}")
    assert sideways(page) == 0
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert sideways(page) == 0
    assert browse.findings(page) == []


def test_no_page_writes_errors_or_loads_what_is_not_of_the_site(site: Path, browse: Browsing) -> None:
    page = browse.open(site / "index.html")
    for path in site.rglob("*.html"):
        page.goto(path.resolve().as_uri())
        page.evaluate("new Promise((done) => setTimeout(done))")
    assert {Path(url.removeprefix("file://")).is_relative_to(site) for url in browse.asked} == {True}


def test_without_scripts_everything_but_matches_can_be_read(site: Path, browse: Browsing) -> None:
    page = browse.open(site / "index.html", java_script_enabled=False)
    assert SCRIPT in page.inner_text("main")
    page.goto((site / "matches/2/index.html").resolve().as_uri())
    assert "golfref replay run.golfref:" in page.inner_text("noscript")


def test_highlights_open_at_their_moments(site: Path, browse: Browsing) -> None:
    hrefs = [about.get("href") or "" for tag, about in read(site / "highlights.html").tags if tag == "a"]
    links = sorted({href for href in hrefs if "#r" in href})
    assert links
    for link in links[:5]:
        path, _, moment = link.partition("#")
        page = opened(browse, site / path, moment)
        number = int(page.input_value("input[type=range]"))
        assert page.evaluate(f"golfref.shown.steps[{number}].at") == moment
        page.context.close()


def test_the_list_shows_only_the_matches_of_a_bot_or_a_game(site: Path, browse: Browsing) -> None:
    page = browse.open(site / "lists/1.html", "bot=ann&game=cactus")
    rows = page.locator("tbody tr:visible")
    shown = rows.count()
    assert 0 < shown < page.locator("tbody tr").count()
    assert all("ann" in text and "cactus" in text for text in rows.all_inner_texts())
    assert f"{shown} of the " in page.inner_text("output")

    page.select_option("select[name=bot]", "")
    assert rows.count() >= shown
    assert page.evaluate("location.hash") == "#game=cactus&bot="


# The keyboard


@pytest.mark.parametrize("kind", ["index.html", "games/cactus.html", "matches/2/index.html"])
def test_tab_reaches_everything_that_can_be_used(kind: str, site: Path, browse: Browsing) -> None:
    page = browse.open(site / kind)
    if "matches" in kind:
        page.wait_for_selector(".board")
    reach_all(page)


def reach_all(page: "Page") -> None:
    """Tab goes to everything that can be used, in the order of the page, and what has the focus shows it."""
    page.evaluate(f"window.look = {ON_THE_PAGE}; window.wanted = look.usable(); window.reached = []")
    most = 2 * page.evaluate("wanted.length")  # a card that has the focus brings a button of its own
    page.evaluate("document.activeElement?.blur?.()")
    for _ in range(most):
        page.keyboard.press("Tab")
        assert page.evaluate("look.showsFocus(reached.at(reached.push(document.activeElement) - 1))"), "nobody sees it"
        if not (left := page.evaluate("wanted.filter((one) => !reached.includes(one)).map(look.written)")):
            break
    assert left == []


# A run that is played


def test_a_page_of_a_run_that_is_played_keeps_up_and_keeps_its_place(tmp_path: Path, browse: Browsing) -> None:
    folder = played(tmp_path / "run", 20)
    site = written(content_of(folder, is_live=True), tmp_path)
    page = browse.open(site / "index.html", width=PHONE)
    page.evaluate("scrollTo(0, 500)")
    assert "20 of 60 matches" in page.inner_text("main")

    written(content_of(played(folder, 20), is_live=True), site)
    page.evaluate(LOOK)
    page.get_by_text("40 of 60 matches have been played").wait_for()
    page.wait_for_load_state()
    assert page.evaluate("scrollY") == 500

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
    assert ", 3 minutes ago: 20 of 60 matches.\nThis run is still being played." in page.inner_text("[data-live]")
    page.clock.run_for(600_000)
    told = page.inner_text("[data-live]")
    assert ", 13 minutes ago: " in told
    assert "No result has come since: the run may have been interrupted." in told
    browse.picture(page, "site-old")
    assert sideways(page) == 0

    status(site, content.version, is_live=False)
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


def test_a_page_with_its_switch_off_stays_as_it_is(tmp_path: Path, browse: Browsing) -> None:
    content = content_of(played(tmp_path / "run", 20), is_live=True)
    site = written(content, tmp_path)
    page = browse.open(site / "about.html")
    page.uncheck("[data-live] input")
    assert "stays as it is" in page.inner_text("[data-live]")

    status(site, "another", is_live=True)
    page.evaluate(LOOK)
    page.reload()
    assert not page.is_checked("[data-live] input"), "the switch is remembered"

    written(replace(content, store="other.golfref", version="another"), site)
    page.check("[data-live] input")
    page.get_by_text("golfref verify other.golfref").wait_for()
