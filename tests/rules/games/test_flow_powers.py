"""The course of play of Powers, rule by rule: set-up, turns, the end of a round, empty and protected sets, scores.

The powers themselves are test_flow_powers_used.py and, where they nest or interrupt, test_flow_powers_nested.py.
"""

import pytest
from powers_played import ONE, TWO, VIEWERS, ZERO, deal, discard
from scripted import Start

from protocol.actions import (
    Knock,
    Look,
    Nothing,
    RemoveCard,
)
from protocol.events import (
    Discarded,
    Looked,
    Round,
    Swapped,
    UpCard,
)
from referee.rules.questions import Sealed
from referee.rules.secrets import view

# Set-up


def test_c_173_each_seat_looks_at_any_two_of_six_hidden_cards(start: Start) -> None:
    """POW-02: the slots are public (POW-29); nobody learns anything before all have chosen."""
    match = start("powers", [ZERO, ONE])
    (begun,) = match.game.events
    assert isinstance(begun, Round)
    assert begun.stock == 40
    sealed = match.game.question
    assert isinstance(sealed, Sealed)
    assert [ask.fallback for ask in sealed.asks] == [Look(slots=(0, 1))] * 2
    match.refuses("look s1 | look s0 s1")
    match.refuses("look s1 s1 | look s0 s1")
    match.play("sealed: look s1 s4 | look s5 s0", "0 turn")
    for viewer in VIEWERS:
        assert match.news(viewer) == [
            Looked(seat=0, slots=(1, 4), cards=("3S", "7S") if viewer == 0 else (None, None)),
            Looked(seat=1, slots=(5, 0), cards=("8H", "AH") if viewer == 1 else (None, None)),
        ]
    assert match.grid(0) == ZERO


def test_pow_02_the_near_row_of_a_set_is_its_second_row(start: Start) -> None:
    """Option `initial_look`."""
    match = start("powers", [ZERO, ONE], initial_look="near_row")
    assert view(match.game.events[1], 0) == Looked(seat=0, slots=(3, 4, 5), cards=("6S", "7S", "8S"))


def test_pow_03_pow_04_the_seat_left_of_the_dealer_draws_from_the_stock_or_knocks(start: Start) -> None:
    match = deal(start, "", first_dealer=1)
    assert match.open == "2 turn"
    assert match.offered == {"draw": ["stock"], "knock": []}
    assert match.table.pile == []
    match.play("2 turn: knock", "0 turn")
    assert match.offered == {"draw": ["stock"]}


def test_pow_03_the_pile_can_be_drawn_by_option(start: Start) -> None:
    """`powers_draw_pile`: the card must be swapped in, face down though all know it, and has no power."""
    match = deal(start, "QC", up="10C", powers_draw_pile=True)
    begun, turned = match.game.events
    assert isinstance(begun, Round)
    assert view(turned, None) == UpCard(card="10C", stock=33)
    assert match.offered == {"draw": ["stock", "pile"], "knock": []}
    match.play("0 turn: draw pile; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5]}
    match.play("0 place: swap s0", "1 turn")
    for viewer in VIEWERS:
        assert match.news(viewer) == [Swapped(seat=0, slot=0, card="10C", face_up=False, replaced="AS")]


# A turn


@pytest.mark.parametrize("card", ["AC", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC"])
def test_pow_05_a_power_may_be_declined(start: Start, card: str) -> None:
    match = deal(start, card)
    assert discard(match, Nothing(), then="1 turn") == [Discarded(seat=0, card=card)]
    assert match.table.pile == [card]


@pytest.mark.parametrize("card", ["QS", "QH", "KH", "KD", "KS"])
def test_pow_12_pow_21_queens_and_red_kings_have_no_power_and_black_ones_none_without_a_knock(
    start: Start, card: str
) -> None:
    """POW-22"""
    assert discard(deal(start, card), then="1 turn") == [Discarded(seat=0, card=card)]


def test_pow_06_a_swap_is_face_down_and_the_replaced_card_has_no_power(start: Start) -> None:
    """POW-09, POW-29: also where the old card lay face up."""
    match = deal(start, "10C")
    match.table.at(0, 2).up = True
    match.play("0 turn: draw stock; place: swap s2", "1 turn")
    assert match.grid(0) == "(AS) (3S) (10C) / (6S) (7S) (8S)"
    for viewer in VIEWERS:
        card = "10C" if viewer == 0 else None
        assert match.news(viewer)[1:] == [Swapped(seat=0, slot=2, card=card, face_up=False, replaced="4S")]


def test_pow_07_a_power_without_a_target_is_not_offered(start: Start) -> None:
    """All cards of the only opponent lie open: there is none to turn up or to look at."""
    for card in ("4C", "10C"):
        match = deal(start, card, ZERO, ONE)
        for slot in range(6):
            match.table.at(1, slot).up = True
        assert discard(match, then="1 turn") == [Discarded(seat=0, card=card)]


# The end of a round


def test_pow_24_with_nothing_to_draw_the_round_ends(start: Start) -> None:
    """GEN-08: the pile may not be drawn, and a single card in it is not reshuffled. Nobody has ended the round."""
    match = deal(start, "QC")
    match.leave_in_stock(1)
    discard(match, then="end")
    (result,) = match.game.result.rounds
    assert (result.ender, result.capped) == (None, False)


def test_gen_08_with_stock_out_end_the_last_stock_card_has_no_power(start: Start) -> None:
    match = deal(start, "10C", stock_out="end")
    match.leave_in_stock(1)
    discard(match, then="end")


def test_c_214_a_seat_with_an_empty_set_draws_and_discards_or_knocks(start: Start) -> None:
    """POW-25, POW-20: 8, 6 and J need an own card; nobody can aim at the set but by adding to it."""
    empty = "-- -- -- / -- -- --"
    for card in ("8C", "6C", "JC"):
        match = deal(start, card, empty, ONE, TWO)
        assert match.offered == {"draw": ["stock"], "knock": []}
        match.play("0 turn: draw stock; place")
        assert match.offered == {"discard": []}
        match.play("0 place: discard", "1 turn")
    match = deal(start, "AC", ZERO, empty)
    match.play("0 turn: draw stock; place: discard; power")
    assert match.offered["add"] == [1]
    for card in ("3C", "4C", "6C", "7C", "9C", "10C"):
        discard(deal(start, card, ZERO, empty), then="1 turn")


def test_pow_25_an_ace_can_empty_the_own_set(start: Start) -> None:
    match = deal(start, "AC QC", "(3S) -- -- / -- -- --", ONE)
    discard(match, RemoveCard(slot=0), then="1 turn")
    match.game.answer(Knock())
    discard(match, then="end")
    assert match.game.result.rounds[0].raw == (0, 29)


def test_pow_25_a_seat_with_an_empty_set_cannot_draw_the_pile(start: Start) -> None:
    """POW-03: what is drawn from the pile must be swapped in."""
    match = deal(start, "QC QD", "-- -- -- / -- -- --", ONE, powers_draw_pile=True)
    discard(match, then="1 turn")
    discard(match, seat=1, then="0 turn")
    assert match.offered == {"draw": ["stock"], "knock": []}


@pytest.mark.parametrize("card", ["AC", "3C", "4C", "6C", "7C", "9C", "10C"])
def test_pow_26_no_power_may_be_aimed_at_a_protected_knocker(start: Start, card: str) -> None:
    """`protect_ender`, by default off."""
    for protected in (True, False):
        match = deal(start, card, protect_ender=protected)
        match.play("0 turn: knock", "1 turn: draw stock; place: discard; power")
        seats = set()
        for offer in match.ask.offers:
            choices = offer.choices()
            seats |= set(getattr(choices.get("seat"), "one_of", ()))
            seats |= {target[0] for target in getattr(choices.get("target"), "one_of", ())}
        assert seats == ({2} if protected else {0, 2})
