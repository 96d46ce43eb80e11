"""The parts of the viewer that know no page: words taken apart, ways through a match, cards and who knows them."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import Browsing

from referee.site.bundle import joined

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CALLED = """
import { face, knownTo, linesOf, slotInWords, tokens } from "./words.js";
import { beside, momentIn, starts } from "./steps.js";
import { windowInWords } from "./slaps.js";
import { coursePanel } from "./scores.js";

globalThis.parts = { tokens, linesOf, beside, momentIn, starts };
Object.assign(globalThis.parts, { face, knownTo, slotInWords, windowInWords, coursePanel });
"""


@pytest.fixture
def page(tmp_path: Path, browse: Browsing) -> "Page":
    """A page that holds these parts and nothing else."""
    folder = files("referee.site") / "assets" / "viewer"
    script = joined("test.js", lambda name: CALLED if name == "test.js" else (folder / name).read_text())
    (tmp_path / "parts.js").write_text(script)
    (tmp_path / "parts.html").write_text('<!doctype html><meta charset="utf-8"><script src="parts.js"></script>')
    return browse.open(tmp_path / "parts.html")


def call(page: "Page", name: str, *arguments: Any) -> Any:
    return page.evaluate(f"(given) => parts.{name}(...given)", list(arguments))


def bots(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_words_are_taken_apart_and_names_stay_names(page: "Page") -> None:
    shapes = {"seat": "<{seat}>", "card": "[{text}]"}
    for line, names, expected in (
        ("0 a draws KH from the stock", ["a"], "<0>| draws |[KH]| from the stock"),
        ("0 KH draws 10S", ["KH"], "<0>| draws |[10S]"),
        ("1 s2 seat 0 s1 looks at s2 3C", ["a", "s2 seat 0 s1"], "<1>| looks at |slot 2| |[3C]"),
        ("0 a switches seat 1 s3 and seat 0 s2", ["a", "b"], "<0>| switches |slot 3 of |<1>| and |slot 2 of |<0>"),
        ("round 2: dealer 1, starter 0", ["a", "b"], "round 2: |dealer |<1>|, |starter |<0>"),
        ("discards X1, 0E", ["a"], "discards |[X1]|, |[0E]"),
        ("10 a is no seat", ["a"], "10 a is no seat"),
    ):
        found = call(page, "tokens", line, bots(*names))
        assert "|".join(shapes.get(one["kind"], "{text}").format(**one) for one in found) == expected


def test_notes_are_told_apart_from_what_happened(page: "Page") -> None:
    lines = call(page, "linesOf", {"words": ["--- round 1: dealer 0", "    0 answered in 1 ms"]})

    assert lines == {"told": ["round 1: dealer 0"], "notes": ["0 answered in 1 ms"]}


def test_ways_lead_to_where_turns_windows_and_rounds_begin(page: "Page") -> None:
    places = [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 1, 1), (1, 2, 0), (1, 2, 2), (2, 0, 0), (2, 1, 0)]
    steps = [{"round": round_, "turn": turn, "window": window} for round_, turn, window in places]

    assert call(page, "starts", steps, "step") == list(range(8))
    assert call(page, "starts", steps, "turn") == [0, 1, 4, 6, 7]
    assert call(page, "starts", steps, "window") == [2, 5]
    assert call(page, "starts", steps, "round") == [0, 6]
    assert call(page, "beside", [2, 5], 2, 1) == 5
    assert call(page, "beside", [2, 5], 5, 1) is None
    assert call(page, "beside", [2, 5], 3, -1) == 2
    assert call(page, "beside", [2, 5], 2, -1) is None


def test_an_address_names_a_moment_however_it_is_written(page: "Page") -> None:
    for hash_, name in (("", ""), ("#r3t12", "r3t12"), ("#%E0%A4%A", "%E0%A4%A"), ("#a%20b", "a b")):
        assert call(page, "momentIn", hash_) == name


def test_every_card_has_a_name(page: "Page") -> None:
    for card, words, is_red in (
        ("AS", "ace of spades", False),
        ("10H", "10 of hearts", True),
        ("0E", "0 of the suit E", False),
        ("X2", "joker", False),
    ):
        face = call(page, "face", card)
        assert (face["words"], face["isRed"]) == (words, is_red)


def test_the_bar_of_a_long_match_of_24_seats_cannot_be_drawn(page: "Page") -> None:
    """Browsers take some 65,000 arguments or a few more, and Safari is the first to refuse."""
    lines = page.evaluate(
        """() => {
            const element = document.createElement("div");
            const names = Array.from({ length: 24 }, (_, seat) => ({ name: `b${seat}` }));
            const document_ = { rounds: [] };
            const steps = Array.from({ length: 10_000 }, () => ({ round: 1, turn: 1 }));
            const states = steps.map((_, number) => ({ seats: names.map((_, seat) => ({ total: seat * number })) }));
            parts.coursePanel().mount(element, { document: document_, view: "public", bots: names, steps, states });
            return element.querySelectorAll("polyline").length;
        }"""
    )

    assert lines == 24


def model(*names: str, view: str = "open") -> dict[str, Any]:
    steps = [{"round": 1, "turn": 0}, {"round": 1, "turn": 2}, {"round": 1, "turn": 2, "window": 1}]
    return {"bots": bots(*names), "steps": steps, "view": view}


def test_a_slot_tells_who_knows_it_since_when_and_how(page: "Page") -> None:
    one = model("a", "b")
    slot = {"up": False, "card": "KH", "knows": [[1, 1, "drew"]]}

    assert call(page, "slotInWords", one, 1, 3, slot) == (
        "seat 1 b, slot 3: face down, king of hearts, known to 1 b since round 1, turn 2 (draw)"
    )
    assert call(page, "slotInWords", one, 1, 3, None) == "seat 1 b, slot 3: empty"
    assert call(page, "slotInWords", one, 1, 3, slot | {"up": True}) == "seat 1 b, slot 3: king of hearts, face up"
    assert call(page, "slotInWords", model("a", "b", view="public"), 0, 0, slot | {"card": None, "knows": []}) == (
        "seat 0 a, slot 0: face down, not known in this view, no player is seen to know it"
    )


def test_seats_that_learned_a_card_together_are_told_together(page: "Page") -> None:
    knows = [[0, 0, "looked"], [1, 2, "slapped"], [2, 2, "slapped"], [3, 2, "slapped"]]
    everybody = [[seat, 2, "slapped"] for seat in range(4)]

    assert call(page, "knownTo", model("a", "b", "c", "d"), knows) == (
        "known to 0 a since round 1, before the first turn (look); "
        "to all others since round 1, turn 2, slap window 1 (slap)"
    )
    assert call(page, "knownTo", model("a", "b", "c", "d"), everybody).startswith("known to all since")
    assert call(page, "knownTo", model("a", "b", "c"), [[0, 0, "looked"], [1, 0, "looked"]]).startswith(
        "known to 0 a, 1 b"
    )


def test_a_list_of_windows_counts_slaps_that_came_to_nothing(page: "Page") -> None:
    three: dict[str, Any] = {"reactions": [{"seat": seat, "target": [0, 1]} for seat in range(3)]}
    windows: tuple[tuple[dict[str, Any], str], ...] = (
        ({"slaps": [{"seat": 0}], "reactions": [{"seat": 0, "target": [0, 1]}]}, "1 slap"),
        ({"slaps": [{"seat": 0}], "groups": [[0, 1], [2]], **three}, "3 slaps, photo finish"),
        ({"reactions": [{"seat": 0}]}, "no slap"),
    )
    for window, expected in windows:
        told = call(page, "windowInWords", {"round": 1, "number": 4, **window})
        assert told == f"round 1, slap window 4: {expected}"


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ([[2, 0], [2, 2], [3, 4], [5, 7]], "The lead changed 1 time, counted after each round"),
        ([[0, 2], [2, 2], [2, 3]], "The lead never changed after a round."),
    ],
)
def test_the_lead_changes_otherwise_than_in_the_highlights(
    totals: list[list[int]], expected: str, page: "Page"
) -> None:
    """A lead that is shared for a while changes when another seat leads alone."""
    rounds = [{"last": number, "totals": one, "playoff": False} for number, one in enumerate(totals)]
    said = page.evaluate(
        """(rounds) => {
            const element = document.createElement("div");
            const steps = rounds.map((_, number) => ({ round: number + 1, turn: 1 }));
            const states = rounds.map(({ totals }) => ({ seats: totals.map((total) => ({ total })) }));
            const bots = [{ name: "a" }, { name: "b" }];
            parts.coursePanel().mount(element, { document: { rounds }, view: "public", bots, steps, states });
            return element.querySelector("summary, .key + p").textContent;
        }""",
        rounds,
    )

    assert said == expected
