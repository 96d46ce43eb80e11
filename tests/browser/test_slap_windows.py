"""The slap window in slow motion, what passed on the wire beside the table, and faults where they happened."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import DESKTOP, PHONE, Browsing, sideways
from match_pages import opened, written
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from referee.reports.bot_match import Sent, Wrote, bot_match
from referee.rules.record import Given, GivenSlaps, Mishap, Reaction, Record

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CACTUS = BY_PRESET["cactus"]
"""Seat 2 takes no part in slaps. In window 2 the slap of seat 0 took 129.5 us and that of seat 1 158.1 us."""

HOSTILE = "<img src=x onerror=alert(1)>\u202eevil"


def with_faults(record: Record) -> Record:
    """The same match with faults that were noted: an answer and a slap that was too late, and with a standard error."""
    moves = list(record.moves)
    answer = next(number for number, move in enumerate(moves) if isinstance(move, Given))
    window = next(number for number, move in enumerate(moves) if isinstance(move, GivenSlaps))
    given, slaps = moves[answer], moves[window]
    assert isinstance(given, Given)
    assert isinstance(slaps, GivenSlaps)
    moves[answer] = replace(given, fault=Mishap(kind="illegal_action", detail=HOSTILE, line=HOSTILE))
    late = Reaction(seat=2, late=True, hint="it was computing")
    reactions = (*slaps.reactions, late)
    moves[window] = replace(slaps, asked=(*slaps.asked, 2), reactions=reactions, disturbed="a core was busy")
    seat = replace(record.seats[given.seat], stderr=f"Traceback {HOSTILE}\nlast line", stderr_bytes=99)
    seats = tuple(seat if number == given.seat else one for number, one in enumerate(record.seats))
    return replace(record, moves=tuple(moves), seats=seats)


@pytest.fixture
def cactus(tmp_path: Path) -> Path:
    return written(tmp_path, CACTUS)


def lanes_of(page: "Page") -> list[list[str]]:
    """By seat the lines below its track: what it did, and how its time was measured."""
    lanes = page.locator(".lanes li").all()
    return [lane.locator("p").all_inner_texts()[1:] for lane in lanes]


def widths(page: "Page") -> list[float]:
    """How far the bars have come, in percent of their tracks."""
    found: list[float] = page.eval_on_selector_all(
        ".track .run", "bars => bars.map(bar => parseFloat(bar.style.width))"
    )
    return found


def timed(*times: tuple[float, float, float]) -> Record:
    """The match with other times of the first seats in window 2: measured, waited and counted."""
    moves = list(CACTUS.moves)
    at = [number for number, move in enumerate(moves) if isinstance(move, GivenSlaps)][1]
    slaps = moves[at]
    assert isinstance(slaps, GivenSlaps)
    reactions = [
        replace(one, raw_us=times[one.seat][0], wait_us=times[one.seat][1], corrected_us=times[one.seat][2])
        for one in slaps.reactions
    ]
    moves[at] = replace(slaps, reactions=tuple(reactions))
    return replace(CACTUS, moves=tuple(moves))


def test_a_window_has_every_measured_time_and_what_came_of_it(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1w2")

    assert lanes_of(page) == [
        [
            "slapped its own slot 0: 2nd in order, wrong, which costs a card",
            "Asked 1st. 136.8 µs measured, less 7.3 µs in which it waited for a core: 129.5 µs count.",
        ],
        [
            "slapped slot 3 of 0 faulty: 1st in order, wrong, which costs a card",
            "Asked 2nd. 158.1 µs measured, nothing taken off.",
        ],
        ["was not asked: its bot takes no part in slaps, or has forfeited"],
    ]
    assert page.inner_text(".finish").endswith("The lot decided: 1 random (+28.6 µs), then 0 faulty (+0.0 µs).")


def test_the_page_explains_why_less_is_taken_off_than_a_bot_waited(tmp_path: Path, browse: Browsing) -> None:
    record = timed((228.2, 75.3, 222.9), (300.0, 50.0, 250.0))
    page = opened(browse, written(tmp_path, record) / "index.html", "r1w2")

    first, second, _ = lanes_of(page)
    assert "It waited 75.3 µs, but only 5.3 µs were taken off: it was computing for 222.9 µs" in first[1]
    assert "It waited" not in second[1]


@pytest.mark.parametrize("width", [360, PHONE, DESKTOP])
def test_a_bar_leaves_its_track(width: int, tmp_path: Path, browse: Browsing) -> None:
    """Seat 0 is timed as long as its track, of which it was measured twice; it is the slowest slap."""
    record = timed((900_000.0, 450_000.0, 450_000.0), (30.0, 0.0, 30.0))
    page = opened(browse, written(tmp_path, record) / "index.html", "r1w2")
    page.set_viewport_size({"width": width, "height": 844})

    outside = page.eval_on_selector_all(
        ".track span:not([hidden])",
        """all => all.filter((one) => {
            const [own, track] = [one, one.closest(".track")].map((each) => each.getBoundingClientRect());
            return own.left < track.left || own.right > track.right;
        }).map((one) => one.className)""",
    )
    assert page.locator(".track span").count() == 6
    assert outside == []


def test_the_slow_motion_runs_to_the_end_and_takes_the_table_along(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1w2")
    page.clock.install()
    page.clock.pause_at(1_900_000_000_000)
    page.click("text=Play in slow motion")
    page.clock.run_for(1500)
    assert "The window opens" in page.inner_text(".beat")
    assert 0 < widths(page)[0] == widths(page)[1] < 100 * 129.5 / 158.1
    assert page.is_hidden(".finish")

    page.clock.run_for(4000)
    assert "After 129.5 µs: 0 faulty slapped its own slot 0." in page.inner_text(".beat")
    page.clock.run_for(20_000)
    assert "The slap of 0 faulty is looked at: the 1 of spades, wrong" in page.inner_text(".beat")
    assert page.evaluate("golfref.shown.steps[document.querySelector('input[type=range]').value].at") == "r1w2e1"
    assert page.is_visible(".finish")
    assert page.inner_text(".play-slowly") == "Play in slow motion"


def test_a_window_can_be_stepped_by_keyboard(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1w2")
    back = page.get_by_label("previous moment of the window")
    back.focus()
    told = []
    for _ in range(5):
        page.keyboard.press("Enter")
        told.append(page.inner_text(".beat"))

    assert told[0].startswith("The slap of 1 random is looked at: the 9 of clubs, wrong")
    assert told[1].startswith("Photo finish: these slaps came within 50 µs")
    assert [text.split(":")[0] for text in told[2:]] == ["After 158.1 µs", "After 129.5 µs", "The window opens"]


def test_a_seat_is_told_its_own_times_and_the_public_none(cactus: Path, browse: Browsing) -> None:
    own = opened(browse, cactus / "index.html", "r1w2", view="seat0")
    assert "129.5 µs" in own.inner_text(".lanes")
    assert "158.1" not in own.content()
    assert "158.1" not in own.evaluate("JSON.stringify(golfref.shown)")

    public = opened(browse, cactus / "index.html", "r1w2", view="public")
    assert "slapped slot 3 of 0 faulty" in public.inner_text(".lanes")
    assert "µs" not in public.inner_text(".lanes")
    assert not public.query_selector(".wire")


def lines_shown(page: "Page") -> list[str]:
    """All lines of the pane, each unfolded."""
    page.eval_on_selector_all(".wire details", "all => all.forEach(one => { one.open = true; })")
    found: list[str] = page.eval_on_selector_all(".wire pre", "all => all.map(one => one.textContent)")
    return found


def test_all_lines_of_a_bot_stand_beside_the_table_as_they_passed(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1")
    page.select_option(".wire-tools select", "1")
    page.locator(".wire-tools ~ .note", has_text="round 1").wait_for()
    found = []
    for number in range(page.evaluate("golfref.shown.steps.length")):
        page.evaluate(f"golfref.shown.goTo({number})")
        found += [line for line in lines_shown(page) if line not in found]

    passed = [
        line
        for entry in bot_match(CACTUS, 1).wire
        if isinstance(entry, Sent | Wrote)
        for line in entry.text.rstrip("\n").split("\n")
    ]
    assert sorted(found) == sorted(dict.fromkeys(passed))


def test_a_line_is_found_and_leads_to_its_step(cactus: Path, browse: Browsing) -> None:
    page = opened(browse, cactus / "index.html", "r1", view="seat1")
    page.fill(".wire-tools input[type=search]", '"decision":"SLAP"')
    page.wait_for_selector(".wire mark >> nth=2")
    assert 'have "\\"decision' not in page.inner_text(".wire-tools ~ [role=status]")
    assert page.inner_text(".wire-tools ~ [role=status]").startswith('3 lines have "')
    page.check(".wire-tools input[type=checkbox]")
    assert '  "type": "request"' in page.inner_text(".wire pre >> nth=0")

    page.fill(".wire-tools input[type=search]", "slap")
    page.click(".wire .plain >> nth=0")
    assert page.evaluate(
        "golfref.shown.steps[Number(document.querySelector('input[type=range]').value)].at"
    ).startswith("r1w1")
    page.fill(".wire-tools input[type=search]", "nothing like it")
    assert "No line of this bot" in page.inner_text(".wire-tools ~ [role=status]")


def test_faults_lead_to_where_they_happened_and_strangers_texts_are_texts(tmp_path: Path, browse: Browsing) -> None:
    folder = written(tmp_path, with_faults(CACTUS))
    page = opened(browse, folder / "index.html", "r1w3")
    item = page.inner_text(".faults li >> nth=0")
    assert "illegal action" in item
    assert "<img src=x onerror=alert(1)>\\u202eevil" in item
    assert page.inner_text(".panel[aria-label=Faults] li pre") == "<img src=x onerror=alert(1)>\\u202eevil"

    page.click(".faults .plain >> nth=0")
    assert "is-current" in (page.get_attribute(".faults li >> nth=0", "class") or "")
    assert "illegal action: <img src=x onerror=alert(1)>\\u202eevil. A default is played" in page.inner_text(
        ".caption .at-fault"
    )
    assert "fault" in page.inner_text(".log [aria-current]")
    page.select_option("[aria-label='whose lines']", "0")
    page.click(".standard-error summary")
    assert page.inner_text(".standard-error pre") == "Traceback <img src=x onerror=alert(1)>\\u202eevil\nlast line"
    assert not page.query_selector("img")

    page.evaluate("location.hash = '#r1w1'")
    page.wait_for_selector(".slap-window .warn")
    assert "a core was busy" in page.inner_text(".slap-window .warn")
    assert "answered too late, which is a pass and no fault (it was computing)" in page.inner_text(".lanes")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_panels_fit_and_axe_finds_nothing(width: int, tmp_path: Path, browse: Browsing) -> None:
    page = opened(browse, written(tmp_path, with_faults(CACTUS)) / "index.html", "r1w2", width=width, bypass_csp=True)
    page.select_option(".wire-tools select", "0")
    page.wait_for_selector(".wire-row")
    for fold in page.query_selector_all("summary"):
        fold.click()

    assert browse.findings(page) == []
    assert sideways(page) == 0
    browse.picture(page, "slap-window")
