"""The viewer of a match: its states are those of the referee, and every way through the match leads where it says."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from browsing import DESKTOP, PHONE, Browsing, sideways, until
from match_pages import ABOUT, opened, pressed, written
from old_records import BY_PRESET

from referee.film.cells import apply
from referee.film.documents import Documents
from referee.film.view import OPEN
from referee.rules.book.presets import PRESETS
from referee.site.match_page import self_contained

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture
def cactus(tmp_path: Path) -> Path:
    return written(tmp_path, BY_PRESET["cactus"])


def moment(page: "Page") -> str:
    """The step that is shown, by what the slider says."""
    number = int(page.input_value("input[type=range]"))
    at: str = page.evaluate(f"golfref.shown.steps[{number}].at")
    return at


@pytest.mark.parametrize("preset", PRESETS)
def test_the_viewer_has_the_states_of_the_referee(preset: str, tmp_path: Path, browse: Browsing) -> None:
    record = BY_PRESET[preset]
    folder = written(tmp_path, record)
    documents = Documents(record)
    for name, viewer in (("public", None), ("seat0", 0), ("index", OPEN)):
        own = documents.document(viewer)
        state, expected = msgspec.to_builtins(own.start), []
        for step in own.steps:
            state = apply(state, step.changes)
            expected.append(state)

        page = opened(browse, folder / f"{name}.html")

        assert json.loads(page.evaluate("JSON.stringify(golfref.shown.states)")) == json.loads(
            msgspec.json.encode(expected)
        )
        assert page.evaluate("golfref.shown.steps.map((step) => step.words || [])") == [
            list(step.words) for step in own.steps
        ]


def test_a_link_opens_its_moment_and_the_address_follows(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1t1")
    assert moment(page) == "r1t1"

    page.keyboard.press("ArrowRight")
    assert moment(page) == "r1t1e1"
    page.wait_for_url("**#r1t1e1")
    page.keyboard.press("Shift+ArrowRight")
    assert moment(page) == "r1t2"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    assert moment(page) == "r1t1"
    pressed(page, "Home")
    assert moment(page) == "r1"
    page.keyboard.press("w")
    assert moment(page) == "r1w1"
    page.wait_for_url("**#r1w1")  # the address follows a little later

    page.evaluate("location.hash = '#r1t3'")
    page.wait_for_selector("input[type=range][aria-valuetext*='turn 3']")
    assert moment(page) == "r1t3"
    assert page.get_attribute("a[data-view=seat0]", "href") == "seat0.html#r1t3"


def test_keys_that_scroll_are_taken_only_at_the_table_and_in_the_list(tmp_path: Path, browse: Browsing) -> None:
    page = opened(browse, written(tmp_path, BY_PRESET["par-course"]) / "index.html", "r1t3", width=PHONE)
    for key in ("PageDown", "End", "PageUp", "Home"):
        page.keyboard.press(key)
        assert moment(page) == "r1t3"
    page.keyboard.press("End")
    until(page, "scrollY > 500")

    for place in (".board li:not([hidden]) > button.card", ".controls .play", ".log [aria-current]"):
        page.locator(place).first.focus()
        page.keyboard.press("PageDown")
        assert moment(page) == "r2"
        page.keyboard.press("Home")
        assert moment(page) == "r1"
    assert page.evaluate("document.activeElement.matches('.log [aria-current]')"), "the lines of a round replace others"


def test_an_unknown_moment_opens_the_start_and_says_so(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "public.html", "r99t99")

    assert moment(page) == "r1"
    assert "no moment that is called r99t99" in page.inner_text("[role=alert]")


def test_every_view_of_one_page_keeps_the_moment(tmp_path: Path, browse: Browsing) -> None:
    record = BY_PRESET["cactus"]
    documents = Documents(record)
    whole = self_contained(record, documents, documents.viewers, about=ABOUT, first="open")
    (tmp_path / "match.html").write_bytes(whole)

    page = opened(browse, tmp_path / "match.html", "r1t3")
    page.click("button[data-view=seat0]")
    page.wait_for_selector("button[data-view=seat0][aria-pressed=true]")

    assert moment(page) == "r1t3"
    assert page.get_attribute("button[data-view=seat0]", "aria-pressed") == "true"


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("preset", ["cactus", "powers"])
def test_pages_fit_and_axe_finds_nothing(preset: str, width: int, tmp_path: Path, browse: Browsing) -> None:
    page = opened(browse, written(tmp_path, BY_PRESET[preset]) / "index.html", "r1t3", width=width, bypass_csp=True)

    assert browse.findings(page) == []
    assert sideways(page) == 0
    browse.picture(page, f"match-{preset}")


def test_keys_reach_all_cards_and_steps_and_the_help(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "seat0.html", "r1t1")

    page.focus("[aria-label^='seat 0'] .slots button")
    page.keyboard.press("ArrowDown")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("seat 0 ")
    assert ", slot 1: face down" in name
    assert page.inner_text(".about-card p").lower() == f"{name}.".lower()
    assert page.locator("[aria-label^='seat 0'] .slots button[tabindex='0']").count() == 1
    page.focus(".log button[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert moment(page) == "r1t1e1"

    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Space")  # letters no longer work as keys
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    assert moment(page) == "r1t1e1"


def test_a_match_plays_by_itself_until_a_key_stops_it(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "public.html")
    page.clock.install()

    page.keyboard.press("p")
    assert page.get_attribute(".play", "aria-label") == "pause"
    before = int(page.input_value("input[type=range]"))
    page.clock.run_for(3000)
    assert int(page.input_value("input[type=range]")) > before
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(".play", "aria-label") == "play"
    stopped = page.input_value("input[type=range]")
    page.clock.run_for(3000)
    assert page.input_value("input[type=range]") == stopped


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_cards_move_only_where_motion_is_welcome(motion: str, moves: bool, cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "public.html", "r1", reduced_motion=motion)

    steps = "for (let n = 1; n < 8; n++) golfref.shown.goTo(n);"
    seen = page.evaluate(f"() => {{ {steps} return document.querySelectorAll('.ghost').length; }}")

    assert (seen > 0) == moves


def test_cards_of_earlier_steps_stop_moving_when_the_next_step_is_shown(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1t1")
    moving = page.evaluate(
        """async () => {
            const key = () => new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true });
            for (let step = 0; step < 20; step++) document.body.dispatchEvent(key());
            return document.querySelectorAll(".ghost").length;
        }"""
    )
    assert moving <= 2  # a step moves two cards at most here


def test_the_last_step_says_who_has_won(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1t1")
    assert "The match is over" not in page.inner_text(".words")
    pressed(page, "End")
    assert "The match is over: " in page.inner_text(".words")


def test_the_skip_link_leads_to_the_match_and_leaves_the_moment(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "public.html", "r1t2")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "viewer"
    assert moment(page) == "r1t2"


def test_without_scripts_the_page_names_the_command(cactus: Path, browse: Browsing) -> None:
    page = browse.open(cactus / "index.html", java_script_enabled=False)

    assert "golfref replay run.golfref:7 prints the match as text" in page.inner_text("#viewer")
