"""Four-card golf with four turns each, against the worked cases and clause by clause."""

from collections import Counter
from typing import Any

import pytest
from scripted import Script, Start

from protocol.actions import Discard, Draw, Swap
from protocol.events import Discarded, Drew, Looked, Round, Scored, Showdown, Swapped, UpCard
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.secrets import view
from referee.rules.variants import preset

DOWN = "(??) (??) / (??) (??)"


def by_fallbacks(game: Game) -> None:
    """Play all turns that are left; in each a stock card is drawn and thrown away."""
    while isinstance(ask := game.question, Ask):
        game.answer(ask.fallback)


def swap_in_turn(match: Script, slots: dict[int, int]) -> None:
    """A round of turns: the seats in `slots` swap a stock card into that slot, the others throw it away."""
    for seat in range(match.table.seats):
        assert match.open == f"{seat} turn"
        match.game.answer(Draw(source="stock"))
        match.game.answer(Swap(slot=slots[seat]) if seat in slots else Discard())


# Set-up


def test_t4_02_four_cards_face_down_the_near_row_seen_once_and_an_up_card(start: Start) -> None:
    match = start("four-turns", ["(2S) (3S) / (4S) (5S)", *[DOWN] * 3], up="9D")
    assert [match.table.face_down(seat) for seat in range(4)] == [(0, 1, 2, 3)] * 4
    first = match.game.events[:6]
    assert [type(event) for event in first] == [Round, UpCard, Looked, Looked, Looked, Looked]
    assert view(first[1], None) == UpCard(card="9D", stock=35)
    assert view(first[2], 0) == Looked(seat=0, slots=(2, 3), cards=("4S", "5S"))
    for viewer in (None, 1, 2, 3):
        assert view(first[2], viewer) == Looked(seat=0, slots=(2, 3), cards=(None, None))


# Turns


def test_t4_03_t4_04_the_seat_left_of_the_dealer_starts_and_after_four_turns_each_the_round_ends(start: Start) -> None:
    match = start("four-turns", [DOWN] * 4, first_dealer=1)
    order = []
    while isinstance(ask := match.game.question, Ask):
        if ask.decision == "turn":
            order.append(ask.seat)
            assert match.offered == {"draw": ["stock", "pile"]}
            match.refuses("knock")
        match.game.answer(ask.fallback)
    assert order == [2, 3, 0, 1] * 4
    (result,) = match.game.result.rounds
    assert (result.ender, result.capped) == (None, False)


def test_c_221_t4_05_a_stock_card_is_swapped_in_or_discarded_without_a_flip(start: Start) -> None:
    match = start("four-turns", ["(2S) (3S) / (9H) (5S)", *[DOWN] * 3], up="KD", stock="3C 4C")
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 2, 3], "discard": []}
    assert match.ask.fallback == Discard()
    match.play("0 place: swap s2", "1 turn: draw stock; place: discard", "2 turn")
    assert match.news(3) == [
        Swapped(seat=0, slot=2, card="3C", face_up=True, replaced="9H"),
        Drew(seat=1, source="stock", card=None, stock=33),
        Discarded(seat=1, card="4C"),
    ]
    assert match.grid(0) == "(2S) (3S) / 3C (5S)"
    assert match.table.pile == ["KD", "9H", "4C"]


@pytest.mark.parametrize(("source", "more"), [("pile", {}), ("stock", {"discard": []})])
def test_c_112_t4_06_t4_07_a_card_that_was_swapped_in_is_locked(
    start: Start, source: str, more: dict[str, Any]
) -> None:
    match = start("four-turns", [DOWN] * 4)
    swap_in_turn(match, {0: 0})
    match.play(f"0 turn: draw {source}; place")
    assert match.offered == {"swap": [1, 2, 3]} | more
    assert match.ask.fallback == (Discard() if more else Swap(slot=1))
    match.refuses("swap s0")


def test_t4_09_t4_14_a_card_that_was_looked_at_is_shown_again_only_to_everybody(start: Start) -> None:
    match = start("four-turns", ["(2S) (3S) / (4S) (5S)", *[DOWN] * 3])
    for slot in (0, 1, 2):
        swap_in_turn(match, {0: slot})
    by_fallbacks(match.game)
    own = [view(event, 0) for event in match.game.events]
    others = [view(event, 1) for event in match.game.events]
    assert sum(isinstance(event, Looked) and event.seat == 0 for event in own) == 1
    apart = [event for event, other in zip(own, others, strict=True) if event != other]
    assert Counter(type(event) for event in apart) == {Looked: 2, Drew: 8}
    public = [type(event) for event, other in zip(own, others, strict=True) if event == other]
    assert not {Swapped, Discarded, Showdown, Scored} - set(public)


def test_t4_13_the_stock_of_35_is_never_exhausted() -> None:
    for seats in range(2, 7):
        variant = preset("four-turns")
        game = Game(variant, seats, Keyed(b"key", variant, seats))
        assert len(game.table.stock) == 51 - 4 * seats
        by_fallbacks(game)
        assert len(game.table.stock) == 51 - 8 * seats >= 0
        assert game.table.reshuffles == 0
