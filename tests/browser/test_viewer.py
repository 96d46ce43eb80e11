"""The viewer of a match: its states are those of the referee, and every way through the match leads where it says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from at_random import AtRandom
from browsing import DESKTOP, ON_THE_PAGE, PHONE, Browsing, sideways
from commented import commented
from made_up_records import made_up
from match_pages import ABOUT, opened, pressed, written
from recorded_matches import BY_PRESET
from states_shown import apply

from protocol.cards import Card, rank, suit
from protocol.events import Round
from referee.match_states.documents import document
from referee.match_states.replay import Replay
from referee.match_states.view import OPEN, Viewer
from referee.rules.secrets import TableEvent, view
from referee.rules.variants import PRESETS
from referee.site.match_page import self_contained

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


SCROLLED = "const look = () => (scrollY > 500 ? done() : requestAnimationFrame(look)); look();"
"""Waits until a page has scrolled down. (`wait_for_function` would need `eval`, which the pages forbid.)"""


@pytest.fixture
def cactus(tmp_path: Path) -> Path:
    return written(tmp_path, BY_PRESET["cactus"])


def moment(page: "Page") -> str:
    """The step that is shown, by what the slider says."""
    number = int(page.input_value("input[type=range]"))
    at: str = page.evaluate(f"golfref.shown.steps[{number}].at")
    return at


SHOWN = ("cactus", "powers")

VIEWS: dict[str, Viewer] = {"open": OPEN, "public": None, "seat1": 1}
"""By view who sees it."""


@pytest.mark.parametrize(
    "preset", [*SHOWN, *(pytest.param(one, marks=pytest.mark.full) for one in PRESETS if one not in SHOWN)]
)
def test_every_step_shows_the_referees_state_forwards_and_backwards_and_no_card_that_the_viewer_was_not_told_of(
    preset: str, tmp_path: Path, browse: Browsing
) -> None:
    """What a viewer was told of follows from the events and from the rules of who may see what of them."""
    record = BY_PRESET[preset]
    folder, events = written(tmp_path, record), [step.event for step in Replay(record).steps]
    for name, viewer in VIEWS.items():
        made = json.loads(msgspec.json.encode(document(record, viewer)))
        page = opened(browse, folder / "index.html", view=name, reduced_motion="reduce")
        assert json.loads(page.evaluate("JSON.stringify(golfref.shown.states)")) == list(states(made))
        walked = page.evaluate(f"{ON_THE_PAGE}.walk()")
        page.context.close()

        assert walked["differ"] == [], "the same step looks different on the way back"
        for number, (shown, state) in enumerate(zip(walked["tables"], states(made), strict=True)):
            assert without_knowers(shown) == in_words_of_the_page(state), f"{name}, step {number}"
        known: set[str] = set()
        for number, (event, cards) in enumerate(zip(events, walked["cards"], strict=True) if viewer != OPEN else ()):
            known = told_by(event, viewer) | (set() if isinstance(event, Round) else known)
            assert set(map(named, cards)) <= known, f"{name}, step {number}: nobody told the viewer of a card"


def test_a_view_shows_comments_of_others_or_takes_one_for_html(tmp_path: Path, browse: Browsing) -> None:
    harmful = "</script><img src=x>\x1b\u202e"
    folder = written(tmp_path, commented(BY_PRESET["cactus"], lambda seat, _: f"{seat} {harmful}"))
    for name, seats in {"open": {0, 1, 2}, "public": set(), "seat1": {1}}.items():
        page = opened(browse, folder / "index.html", view=name)
        shown = page.evaluate(
            """golfref.shown.steps.flatMap((_, number) => {
                golfref.shown.goTo(number);
                return [...document.querySelectorAll(".caption .comment q")].map((one) => one.textContent);
            })"""
        )
        page.context.close()
        assert set(shown) == {f"{seat} </script><img src=x>\\x1b\\u202e" for seat in seats}


def states(made: Any) -> Iterator[Any]:
    """The state after each step of a states document."""
    state = made["start"]
    for step in made["steps"]:
        state = apply(state, step.get("changes", ()))
        yield state


def without_knowers(table: Any) -> Any:
    """The table without who knows a card, which the log of events tells elsewhere, and strokes."""
    seats = [
        {**seat, "cards": [re.sub(", (known to|no player|taken as).*", "", card) for card in seat["cards"]]}
        for seat in table["seats"]
    ]
    return {**table, "seats": seats}


def in_words_of_the_page(state: Any) -> Any:
    """What the page should say of a state."""
    hand = state["hand"]
    return {
        "stock": state["stock"],
        "pile": [in_words(card) for card in state["pile"]["top"]],
        "hand": [in_words(card) for card in hand["cards"]] if hand else [],
        "seats": [
            {
                "cards": [slot_in_words(slot) for slot in seat["slots"]],
                "shields": [in_words(card) for card in seat["shields"]],
                "points": seat["total"],
            }
            for seat in state["seats"]
        ],
    }


def in_words(card: Card | None, unknown: str = "a card that this view does not know") -> str:
    if card is None:
        return unknown
    if rank(card) == "X":
        return "joker"
    suits = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
    ranks = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}
    return f"{ranks.get(rank(card), rank(card))} of {suits.get(suit(card), f'the suit {suit(card)}')}"


def slot_in_words(slot: Any) -> str:
    if slot is None:
        return "empty"
    if slot["up"]:
        return f"{in_words(slot['card'], 'a card')}, face up"
    return f"face down, {in_words(slot['card'], 'not known in this view')}"


def told_by(event: TableEvent, viewer: int | None) -> set[str]:
    """The cards, in words, that an event tells a seat, or with None everybody, by the rules of who may see what."""
    return {in_words("".join(card)) for card in CODE.findall(msgspec.json.encode(view(event, viewer)).decode())}


CODE = re.compile(r'"(10|[0-9AJQKX])([A-Z]|(?<=X)\d+)"')
"""A card as a value of JSON."""


def named(card: str) -> str:
    """The card in words, of words or of its rank and its sign."""
    number, _, sign = card.partition(" ")
    if sign.startswith("of ") or not sign:
        return card
    suits = {"\u2660": "S", "\u2665": "H", "\u2666": "D", "\u2663": "C"}
    return "joker" if sign == "joker" else in_words(number + suits.get(sign[0], sign))


# Ways through a match


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

    page.select_option("#view", "seat0")
    page.wait_for_selector(".wire-tools .who")
    assert moment(page) == "r1t3"
    page.wait_for_url("**/index.html?view=seat0#r1t3")


def test_a_match_opens_elsewhere_than_at_its_end_or_two_steps_before_the_moment_of_a_link(
    cactus: Path, browse: Browsing
) -> None:
    page = browse.open(cactus / "index.html")
    page.wait_for_selector(".board")
    assert moment(page) == page.evaluate("golfref.shown.steps.at(-1).at")
    assert "The match is over: 2 greedy wins." in page.inner_text(".caption")

    page = browse.open(cactus / "index.html", "r1t3")
    page.wait_for_selector(".board")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert moment(page) == "r1t3"

    page = browse.open(cactus / "index.html", "r99t99")
    page.wait_for_selector(".board")
    assert moment(page) == page.evaluate("golfref.shown.steps.at(-1).at")
    assert "no moment that is called r99t99" in page.inner_text("[role=alert]")


def test_the_winner_is_named_neither_in_the_heading_nor_at_the_table(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1")

    assert page.inner_text("h1") == "greedy wins"
    assert page.locator(".result li").all_inner_texts() == ["2\ngreedy\n23", "0\nfaulty\n27", "1\nrandom\n100"]
    assert page.locator(".seat", has_text="winner of the match").get_attribute("aria-label") == "seat 2 greedy"


def test_keys_that_scroll_are_taken_only_at_the_table_and_in_the_list(tmp_path: Path, browse: Browsing) -> None:
    page = opened(browse, written(tmp_path, BY_PRESET["par-course"]) / "index.html", "r1t3", width=PHONE)
    for key in ("PageDown", "End", "PageUp", "Home"):
        page.keyboard.press(key)
        assert moment(page) == "r1t3"
    page.keyboard.press("End")
    page.evaluate(f"new Promise((done) => {{ {SCROLLED} }})")

    for place in (".board li:not([hidden]) > button.card", ".controls .play", ".log [aria-current]"):
        page.locator(place).first.focus()
        page.keyboard.press("PageDown")
        assert moment(page) == "r2"
        page.keyboard.press("Home")
        assert moment(page) == "r1"
    assert page.evaluate("document.activeElement.matches('.log [aria-current]')"), "the lines of a round replace others"


def test_a_page_alone_loads_another_file_or_forbids_too_little(tmp_path: Path, browse: Browsing) -> None:
    file = tmp_path / "match.html"
    file.write_bytes(self_contained(BY_PRESET["cactus"], ABOUT))

    page = opened(browse, file, "r1t3")
    page.select_option("#view", "seat0")
    page.wait_for_selector(".wire-tools .who")
    assert moment(page) == "r1t3"
    assert browse.asked == [f"{file.resolve().as_uri()}"]
    assert "unsafe" not in file.read_text().partition("Content-Security-Policy")[2].partition(">")[0]


def test_a_browser_without_decompression_shows_an_empty_page(cactus: Path, browse: Browsing) -> None:
    page = browse.open(cactus / "index.html")
    old = page.context.new_page()
    old.add_init_script("delete globalThis.DecompressionStream")
    old.goto(page.url)

    old.wait_for_selector("[role=alert]:not([hidden])")
    assert "this browser is older than 2023" in old.inner_text("[role=alert]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_axe_finds_fault_with_a_match(width: int, scheme: str, tmp_path: Path, browse: Browsing) -> None:
    file = written(tmp_path, BY_PRESET["powers"]) / "index.html"
    page = opened(browse, file, "r1t2", width=width, color_scheme=scheme, bypass_csp=True)

    assert browse.findings(page) == []
    browse.picture(page, f"match-powers-{scheme}")


@pytest.mark.parametrize("seats", [2, 4, 8, 12])
def test_something_is_cut_at_some_width(seats: int, tmp_path: Path, browse: Browsing) -> None:
    record = made_up(PRESETS["six-card"], seats, 1, AtRandom())
    page = opened(browse, written(tmp_path, record) / "index.html")

    for pixels in (360, PHONE, 700, 1180, DESKTOP, 1920, 2560):
        page.set_viewport_size({"width": pixels, "height": 844})
        assert sideways(page) == 0
        assert page.evaluate(CUT) == [], f"at {pixels} pixels"


CUT = """Array.from(document.querySelectorAll("main *")).filter(
    (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1
        && getComputedStyle(one).overflowX !== "visible" && !one.matches(".unseen")
).map((one) => one.className)"""
"""What has more in it than can be seen without scrolling sideways."""


def test_on_a_phone_controls_cover_cards_that_could_be_seen_without_them(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1", width=PHONE)
    row = page.locator(".controls .row").bounding_box()
    assert row
    assert page.locator(".controls").bounding_box() == row, "there is more than one row"
    assert row["height"] < 50

    page.click(".fold")
    page.click("[aria-label='next turn']")
    assert moment(page) == "r1t1"
    page.click(".fold")
    assert page.locator(".controls button:visible").count() == 1
    page.click(".fold")
    assert page.locator(".controls .play").is_visible()


def test_a_match_cannot_be_printed(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1t2", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")

    assert page.locator(".controls").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.card')).printColorAdjust") == "exact"
    page.set_viewport_size({"width": 718, "height": 1047})  # A4 within margins of a centimetre
    assert page.evaluate(CUT) == []


def test_keys_reach_all_cards_and_steps_and_the_help(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1t1", view="seat0")

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
    page = opened(browse, cactus / "index.html")
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
    page = opened(browse, cactus / "index.html", "r1", reduced_motion=motion)

    steps = "for (let n = 1; n < 8; n++) golfref.shown.goTo(n);"
    seen = page.evaluate(f"() => {{ {steps} return document.querySelectorAll('.ghost').length; }}")

    assert (seen > 0) == moves


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_seat_with_many_cards_can_be_read(width: int, tmp_path: Path, browse: Browsing) -> None:
    """Wrong slaps bring so many that they scroll in their place: what a slap is about is in sight there."""
    record = made_up(PRESETS["cactus"], 3, 1, AtRandom())
    page = opened(browse, written(tmp_path, record) / "index.html", width=width)
    pressed(page, "End")
    assert page.locator(".board .seat.is-wide").count()
    for text in page.locator(".board .seat :is(h3, .points)").all():
        box = text.bounding_box() or {"width": 0, "height": 0}
        assert box["width"] > 80, text.inner_text()
        assert box["height"] < 80, text.inner_text()
    for _ in range(5):
        page.keyboard.press("Shift+W")
        page.keyboard.press("ArrowRight")
        assert page.evaluate(
            """Array.from(document.querySelectorAll(".board .seat ul:has(.is-touched)"), (list) => {
                const own = list.querySelector(".is-touched").getBoundingClientRect();
                const room = list.getBoundingClientRect();
                return own.left >= room.left - 5 && own.right <= room.right + 5;
            }).every(Boolean)"""
        )


def test_in_a_game_without_slaps_the_key_for_slaps_leads_nowhere(tmp_path: Path, browse: Browsing) -> None:
    page = opened(browse, written(tmp_path, BY_PRESET["six-card"]) / "index.html", "r1t2")
    page.keyboard.press("w")
    page.keyboard.press("Shift+W")
    assert moment(page) == "r1t2"


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


def test_the_skip_link_leads_to_the_match_and_leaves_the_moment(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1t2")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "viewer"
    assert moment(page) == "r1t2"
