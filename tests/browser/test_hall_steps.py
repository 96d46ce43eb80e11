"""Every game of a tournament stepped through: each page shows the referee's states and no secret.

What a viewer was told of follows from the events and from the rules of who may see what of them, and from nothing that
makes pages.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from browsing import ON_THE_PAGE, Browsing
from commands import golfref
from hall import matches
from html_read import read
from match_data import data_in, text_of
from match_pages import opened

from protocol.cards import Card, rank, suit
from protocol.events import Round
from referee.film.cells import apply
from referee.film.reel import Reel
from referee.film.view import OPEN, Viewer
from referee.rules.book.presets import PRESETS
from referee.rules.table.seen import Happening, view

pytestmark = pytest.mark.browser

VIEWS: dict[str, tuple[Viewer, tuple[str, ...]]] = {
    "index": (OPEN, ("--open",)),
    "public": (None, ()),
    "seat1": (1, ("--seat", "1")),
}
"""By page who sees it, and how `golfref replay` is asked for the same."""


# Every step of every game


@pytest.mark.parametrize("preset", PRESETS)
def test_every_step_shows_the_state_that_replay_tells_forwards_and_backwards(
    preset: str, place: Path, browse: Browsing
) -> None:
    match = matches(place)[preset]
    events = Reel(match.record).events
    for name, (viewer, words) in VIEWS.items():
        page = opened(browse, match.folder / f"{name}.html", reduced_motion="reduce")
        walked = page.evaluate(f"{ON_THE_PAGE}.walk()")
        page.context.close()
        told, _ = golfref("replay", f"hall.golfref:{match.number}", "--json", *words, cwd=place)

        assert walked["differ"] == [], "the same step looks different on the way back"
        for number, (shown, expected) in enumerate(zip(walked["tables"], tables(json.loads(told)), strict=True)):
            assert without_knowers(shown) == expected, f"{name}, step {number}"
        known: set[str] = set()
        for number, (event, cards) in enumerate(zip(events, walked["cards"], strict=True) if viewer != OPEN else ()):
            known = told_by(event, viewer) | (set() if isinstance(event, Round) else known)
            assert set(map(named, cards)) <= known, f"{name}, step {number}: nobody told the viewer of a card"


def without_knowers(table: Any) -> Any:
    """The table without who knows a card, which the log of events tells elsewhere, and strokes."""
    seats = [
        {**seat, "cards": [re.sub(", (known to|no player|taken as).*", "", card) for card in seat["cards"]]}
        for seat in table["seats"]
    ]
    return {**table, "seats": seats}


def tables(document: Any) -> Iterator[Any]:
    """What the page should say after each step, from the states document."""
    state = document["start"]
    for step in document["steps"]:
        state = apply(state, step.get("changes", ()))
        hand = state["hand"]
        yield {
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


# Secrets


def told_by(event: Happening, viewer: int | None) -> set[str]:
    """The cards, in words, that an event tells a seat, or with None everybody, by the rules of who may see what."""
    return cards_in(msgspec.json.encode(view(event, viewer)).decode())


CODE = re.compile(r'"(10|[0-9AJQKX])([A-Z]|(?<=X)\d+)\\?"')
"""A card as a value of JSON, which may stand in a text of JSON."""
WORDS = re.compile(r"\b(?:ace|jack|queen|king|\d+) of (?:spades|hearts|diamonds|clubs|the suit [A-Z])|\bjoker\b")


def cards_in(data: str) -> set[str]:
    """The cards, in words, whose codes are values in it."""
    return {in_words("".join(found)) for found in CODE.findall(data)}


def named(card: str) -> str:
    """The card in words, of words or of its rank and its sign."""
    number, _, sign = card.partition(" ")
    if sign.startswith("of ") or not sign:
        return card
    suits = {"\u2660": "S", "\u2665": "H", "\u2666": "D", "\u2663": "C"}
    return "joker" if sign == "joker" else in_words(number + suits.get(sign[0], sign))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_data_of_a_view_hold_no_card_that_the_viewer_was_not_told_of(
    preset: str, place: Path, browse: Browsing
) -> None:
    """Neither as the files hold them, nor in the steps of a round that the page makes of them."""
    match = matches(place)[preset]
    reel = Reel(match.record)
    for name, seat in (("public", None), ("seat1", 1)):
        rounds: dict[int, set[str]] = {}
        for event, moment in zip(reel.events, reel.moments, strict=True):
            rounds.setdefault(moment.round, set()).update(told_by(event, seat))
        for data in data_of(match.folder, name):
            assert cards_in(data) <= set().union(*rounds.values())
        page = opened(browse, match.folder / f"{name}.html")
        for step in page.evaluate("golfref.shown.steps"):
            data = json.dumps(step, ensure_ascii=False)
            assert cards_in(data) | set(WORDS.findall(data)) <= rounds[step["round"]]
        wires = page.evaluate("golfref.shown.wires()")
        assert [wire["seat"] for wire in wires] == ([] if seat is None else [seat])
        page.context.close()


def data_of(folder: Path, name: str) -> list[str]:
    """The decoded data of all files that a page loads: the public one and that of its view."""
    found: dict[str, str] = {}
    for tag, about in read(folder / f"{name}.html").tags:
        if tag == "script":
            found |= data_in(text_of(folder / (about.get("src") or "")))
    assert found.keys() == {"public", name}
    return list(found.values())
