"""The site of a tournament of all games, made as its organiser makes it: every page, by eye, by keyboard and by axe."""

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import DESKTOP, ON_THE_PAGE, PHONE, Browsing, sideways, until
from commands import golfref
from hall import SCRIPT, matches
from html_read import read
from match_pages import opened, pressed

from referee.rules.book.presets import PRESETS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture
def site(place: Path) -> Path:
    return place / "site"


# Every page


POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_has_the_strict_policy_before_all_that_it_loads(site: Path) -> None:
    for page in pages(site):
        tags = read(page).tags
        names = [tag for tag, _ in tags]
        (number,) = [number for number, (_, about) in enumerate(tags) if about.get("http-equiv") is not None]
        content = tags[number][1]["content"] or ""
        assert dict(part.strip().split(" ", 1) for part in content.split(";")) == POLICY, page
        assert not {"script", "link", "img", "style", "a"} & set(names[:number]), page
        assert "style" not in names
        assert all(about.get("src") for tag, about in tags if tag == "script"), f"{page} has a script of its own"
        assert not [name for _, about in tags for name in about if name.startswith("on") or name == "style"], page


def test_every_link_leads_to_a_page_of_the_site_and_nothing_leads_away(site: Path) -> None:
    for page in pages(site):
        for tag, about in read(page).tags:
            for name in ("href", "src", "srcset"):
                if not (address := about.get(name)):
                    continue
                path, _, fragment = address.partition("#")
                target = (page.parent / path).resolve() if path else page
                assert target.is_relative_to(site.resolve()) or target == page, f"{page}: <{tag} {name}={address}>"
                assert target.is_file(), f"{page}: <{tag} {name}={address}>"
                if fragment and not fragment.startswith("r") and target.suffix == ".html":
                    assert any(one.get("id") == fragment for _, one in read(target).tags), f"{page}: {address}"


def test_strangers_texts_are_texts_and_turn_nothing_around(site: Path) -> None:
    turning = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
    told = ""
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert not turning.search(text), page
        told += "".join(one for _, one in read(page).texts)
        assert not [about for tag, about in read(page).tags if about.get("src") == "x"]
    assert SCRIPT in told
    assert "onerror=alert(2)" in told, "the faults are told"


def test_every_page_has_one_heading_landmarks_and_a_language(site: Path) -> None:
    for page in pages(site):
        tags = read(page).tags
        names = [tag for tag, _ in tags]
        assert names.count("h1") == 1, page
        assert names.count("main") == 1, page
        assert ("html", "en") in [(tag, about.get("lang")) for tag, about in tags], page
        assert next(about["href"] for tag, about in tags if tag == "a") in ("#main", "#viewer"), page
        levels = [int(tag[1]) for tag in names if re.fullmatch("h[1-6]", tag)]
        assert all(after <= before + 1 for before, after in pairwise(levels)), (page, levels)


KINDS = {
    "front": "index.html",
    "about": "about.html",
    "highlights": "highlights.html",
    "list": "lists/all/*.html",
    "list of a game": "lists/games/*/*.html",
    "list of a bot": "lists/bots/*/*.html",
    "game": "games/cactus.html",
    "long game": "games/par-course.html",
    "bot": "bots/ann.html",
    "bot at fault": "bots/eve.html",
    "bot with a bad name": "bots/script*.html",
}


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(kind: str, width: int, site: Path, browse: Browsing) -> None:
    page = browse.open(min(site.glob(KINDS[kind])), width=width, bypass_csp=True)

    browse.picture(page, f"hall-{kind.replace(' ', '-')}")
    assert sideways(page) == 0
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert sideways(page) == 0
    assert browse.findings(page) == []


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("preset", PRESETS)
def test_axe_finds_nothing_in_a_match(preset: str, width: int, place: Path, browse: Browsing) -> None:
    """In its second round, in a slap window, and at its end."""
    folder = matches(place)[preset].folder
    page = opened(browse, folder / "index.html", width=width, bypass_csp=True, reduced_motion="reduce")
    for moment, key in (("middle", "PageDown"), ("window", "Shift+W"), ("end", "End")):
        pressed(page, key)
        assert sideways(page) == 0, moment
        assert browse.findings(page) == [], moment
        browse.picture(page, f"hall-{preset}-{moment}")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_seat_with_many_cards_can_be_read(width: int, place: Path, browse: Browsing) -> None:
    """Wrong slaps bring so many that they scroll in their place: what a slap is about is in sight there."""
    page = opened(browse, matches(place)["cactus"].folder / "index.html", width=width)
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


def test_in_a_game_without_slaps_the_key_for_slaps_leads_nowhere(place: Path, browse: Browsing) -> None:
    page = opened(browse, matches(place)["six-card"].folder / "index.html", "r1t2")
    before = page.input_value("input[type=range]")
    page.keyboard.press("w")
    page.keyboard.press("Shift+W")
    assert page.input_value("input[type=range]") == before


def test_every_page_is_quiet(site: Path, browse: Browsing) -> None:
    """Nothing goes wrong in any page, and none asks for more than files of the site."""
    page = browse.open(site / "index.html")
    for path in pages(site):
        if "matches" not in path.parts or int(path.parent.name) % 3 == 1:
            page.goto(path.resolve().as_uri())
            page.evaluate("new Promise((done) => setTimeout(done))")
    assert {Path(url.removeprefix("file://")).is_relative_to(site) for url in browse.asked} == {True}


# The keyboard


@pytest.mark.parametrize("kind", ["front", "bot at fault", "game", "list", "highlights"])
def test_the_keyboard_alone_reaches_everything(kind: str, site: Path, browse: Browsing) -> None:
    page = browse.open(min(site.glob(KINDS[kind])))
    reach_all(page)


def test_the_keyboard_alone_reaches_everything_in_a_match(place: Path, browse: Browsing) -> None:
    """A card of each seat by Tab, the others by the arrow keys."""
    _, folder, record = matches(place)["cactus"]
    page = opened(browse, folder / "index.html", "r1t2")
    reach_all(page)

    for seat in range(len(record.seats)):
        cards = page.locator(f".board .seat >> nth={seat} >> li:not([hidden]) > button.card")
        page.locator(f".board .seat >> nth={seat} >> button.card[tabindex='0']").first.focus()
        for _ in range(cards.count()):
            page.keyboard.press("ArrowUp")
        for number in range(cards.count()):
            assert cards.nth(number).evaluate("(card) => card === document.activeElement")
            page.keyboard.press("ArrowDown")


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


# Links, and a page alone


def test_a_link_to_a_moment_opens_it(place: Path, browse: Browsing) -> None:
    folder = matches(place)["six-card"].folder
    page = opened(browse, folder / "index.html", "r2t3")
    number = int(page.input_value("input[type=range]"))

    assert page.evaluate(f"golfref.shown.steps[{number}].at") == "r2t3"
    assert "round 2" in page.inner_text("#viewer").lower()


def test_highlights_open_at_their_moments(site: Path, browse: Browsing) -> None:
    links = {
        about["href"]
        for tag, about in read(site / "highlights.html").tags
        if tag == "a" and "#r" in (about.get("href") or "")
    }
    assert links
    for link in sorted(filter(None, links))[:10]:
        path, _, moment = link.partition("#")
        page = opened(browse, site / path, moment)
        number = int(page.input_value("input[type=range]"))
        assert page.evaluate(f"golfref.shown.steps[{number}].at") == moment
        page.context.close()


@pytest.mark.parametrize(
    ("words", "views"), [((), {"open", "public", "seat0", "seat1", "seat2"}), (("--seat", "1"), {"seat1"})]
)
def test_a_page_alone_needs_no_other_file(
    words: tuple[str, ...], views: set[str], place: Path, tmp_path: Path, browse: Browsing
) -> None:
    """Of one seat it holds no other view, so whoever gets it learns no more."""
    match = matches(place)["cactus"]
    golfref("replay", f"hall.golfref:{match.number}", "--html", tmp_path / "one.html", *words, cwd=place)

    page = opened(browse, tmp_path / "one.html", "r1t2")
    pressed(page, "End")
    assert page.input_value("input[type=range]") == str(page.evaluate("golfref.shown.steps.length - 1"))
    for view in views & {"public", "seat2"}:
        page.click(f"button[data-view={view}]")
        until(page, f"golfref.shown.view === '{view}'")
    assert browse.asked == [(tmp_path / "one.html").resolve().as_uri()]
    text = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert set(re.findall(r'receive\("(\w+)"', text)) - {"public"} == views - {"public"}
    policy = next(about["content"] or "" for _, about in read(tmp_path / "one.html").tags if "http-equiv" in about)
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_without_scripts_everything_but_matches_can_be_read(place: Path, site: Path, browse: Browsing) -> None:
    page = browse.open(site / "index.html", java_script_enabled=False)
    assert SCRIPT in page.inner_text("main")
    page.goto((matches(place)["cactus"].folder / "seat0.html").resolve().as_uri())
    page.click("noscript a")
    assert "golfref replay hall.golfref:" in page.inner_text("noscript")
