"""The course of play of Cambio, and of four-card golf with a secret look, rule by rule and by the worked cases."""

import pytest
from scripted import Start

from protocol.actions import Exchange, Look, Nothing, Rearrange
from protocol.events import (
    Looked,
    Peeked,
    Rearranged,
    Scored,
    Showdown,
    Swapped,
    Switched,
)
from protocol.offers import Offer, OneOf, Pick
from referee.rules.questions import Sealed

ZERO = "(2S) (3S) / (4S) (8D)"
ONE = "(2H) (7H) / (4H) (5H)"
TWO = "(2D) (7D) / (4D) (5D)"

VIEWERS = (None, 0, 1, 2)

DISCARD = "0 turn: draw stock; place: discard\n"
"""Seat 0 discards the top stock card; what comes then follows."""


# Set-up


def test_cmb_02_fou_03_dec_02_a_free_choice_is_sealed_and_falls_back_on_the_lowest_slots(start: Start) -> None:
    match = start("cambio", [ZERO, ONE], initial_look="any:2")
    sealed = match.game.question
    assert isinstance(sealed, Sealed)
    assert [(ask.decision, ask.fallback) for ask in sealed.asks] == [("look", Look(slots=(0, 1)))] * 2
    match.refuses("look s0 s1 | look s2")
    match.refuses("look s0 s1 | look s2 s4")
    match.play("sealed: look s3 s0 | look s1 s2", "0 turn")
    assert match.news(1) == [
        Looked(seat=0, slots=(3, 0), cards=(None, None)),
        Looked(seat=1, slots=(1, 2), cards=("7H", "4H")),
    ]


# Turns


def test_cmb_03_the_seat_left_of_the_dealer_starts_and_may_draw_from_both_or_knock(start: Start) -> None:
    match = start("cambio", [ZERO, ONE, TWO], up="9C", first_dealer=0)
    assert match.open == "1 turn"
    assert match.offered == {"draw": ["stock", "pile"], "knock": []}


def test_c_167_a_power_card_from_the_pile_is_swapped_in_face_down_known_to_all_without_power(start: Start) -> None:
    """CMB-04"""
    match = start("cambio", [ZERO, ONE, TWO], up="JC")
    match.play("0 turn: draw pile; place")
    assert match.offered == {"swap": [0, 1, 2, 3]}
    match.play("0 place: swap s1", "1 turn")
    for viewer in VIEWERS:
        assert match.news(viewer) == [Swapped(seat=0, slot=1, card="JC", face_up=False, replaced="3S")]
    assert match.grid(0) == "(2S) (JC) / (4S) (8D)"


def test_cmb_05_a_stock_card_is_the_drawers_secret_and_a_replaced_card_has_no_power(start: Start) -> None:
    match = start("cambio", ["(KS) (3S) / (4S) (8D)", ONE, TWO], stock="QC")
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 2, 3], "discard": []}
    match.play("0 place: swap s0", "1 turn")
    assert match.grid(0) == "(QC) (3S) / (4S) (8D)"
    for viewer in VIEWERS:
        card = "QC" if viewer == 0 else None
        assert match.news(viewer) == [Swapped(seat=0, slot=0, card=card, face_up=False, replaced="KS")]


# Powers (CMB-06)


@pytest.mark.parametrize(("card", "seats", "seen"), [("JC", [0], "2S"), ("QC", [1, 2], "2D")])
def test_c_166_cmb_06_a_jack_looks_at_an_own_card_and_a_queen_at_one_of_any_opponent(
    start: Start, card: str, seats: list[int], seen: str
) -> None:
    match = start("cambio", [ZERO, ONE, TWO], stock=card)
    match.play(DISCARD + "0 power")
    assert match.offered == {"peek": [(seat, slot) for seat in seats for slot in range(4)], "none": []}
    assert match.ask.fallback == Nothing()
    match.play(f"0 power: peek {seats[-1]} s0", "1 turn")
    for viewer in VIEWERS:
        assert match.news(viewer) == [Peeked(seat=0, target=(seats[-1], 0), card=seen if viewer == 0 else None)]


def test_c_169_a_king_swaps_an_own_card_with_an_opponents_unseen(start: Start) -> None:
    match = start("cambio", [ZERO, ONE, TWO], stock="KC")
    match.play(DISCARD + "0 power")
    others = tuple((seat, slot) for seat in (1, 2) for slot in range(4))
    assert match.ask.offers[0] == Offer(kind="exchange", slot=OneOf((0, 1, 2, 3)), target=OneOf(others))
    match.game.answer(Exchange(slot=0, target=(1, 2)))
    assert (match.grid(0), match.grid(1)) == ("(4H) (3S) / (4S) (8D)", "(2H) (7H) / (2S) (5H)")
    for viewer in VIEWERS:
        assert match.news(viewer)[2:] == [Switched(seat=0, targets=((0, 0), (1, 2)))]


@pytest.mark.parametrize("hidden", [True, False])
def test_c_170_a_joker_rearranges_an_opponents_cards(start: Start, hidden: bool) -> None:
    """With `hidden_rearrange` the actor alone knows how, without it everybody does."""
    match = start("cambio", [ZERO, ONE, TWO], stock="X1", hidden_rearrange=hidden)
    match.play(DISCARD + "0 power")
    all_four = Pick(4, (0, 1, 2, 3))
    assert match.ask.offers == (
        Offer(kind="rearrange", seat=OneOf((1,)), slots=all_four),
        Offer(kind="rearrange", seat=OneOf((2,)), slots=all_four),
        Offer(kind="none"),
    )
    match.game.answer(Rearrange(seat=1, slots=(3, 1, 2, 0)))
    assert match.grid(1) == "(5H) (7H) / (4H) (2H)"
    for viewer in VIEWERS:
        slots = (3, 1, 2, 0) if viewer == 0 or not hidden else None
        assert match.news(viewer)[2:] == [Rearranged(seat=0, of=1, slots=slots)]


def test_cmb_06_slot_i_of_a_rearrangement_says_which_card_comes_there(start: Start) -> None:
    """AMB-49: a cycle of three tells the mapping from its inverse."""
    match = start("cambio", [ZERO, ONE], stock="X1")
    match.play(DISCARD + "0 power")
    match.game.answer(Rearrange(seat=1, slots=(1, 2, 0, 3)))
    assert match.grid(1) == "(7H) (4H) / (2H) (5H)"


def test_cmb_06_a_changed_map_takes_the_place_of_the_powers(start: Start) -> None:
    """`cambio_powers`: sevens look, jokers swap, and nothing else has a power."""
    powers = {"7": "peek_other", "X": "exchange"}
    match = start("cambio", [ZERO, ONE], stock="JC 7C X1 KC", cambio_powers=powers)
    match.play("""
        0 turn: draw stock; place: discard
        1 turn: draw stock; place: discard; power: peek 0 s3
        0 turn: draw stock; place: discard; power
    """)
    assert [offer.kind for offer in match.ask.offers] == ["exchange", "none"]
    match.play("0 power: none", "1 turn: draw stock; place: discard", "0 turn")


@pytest.mark.parametrize("powers", ["none", {}])
def test_cmb_06_no_powers_at_all(start: Start, powers: object) -> None:
    match = start("cambio", [ZERO, ONE], stock="JC", cambio_powers=powers)
    match.play(DISCARD + "1 turn")


# The end of a round


def test_cmb_07_a_knock_gives_everybody_one_more_turn_and_the_showdown_turns_the_cards_up(start: Start) -> None:
    match = start("cambio", [ZERO, ONE, TWO], up="9C", stock="10C 3C")
    match.play(DISCARD + "1 turn: knock\n2 turn")
    assert match.offered == {"draw": ["stock", "pile"]}
    match.play("2 turn: draw stock; place: swap s1", "0 turn: draw pile; place: swap s3", "end")
    showdown, scored = match.news(None)[-2:]
    rows = (("2S", "3S", "4S", "7D"), ("2H", "7H", "4H", "5H"), ("2D", "3C", "4D", "5D"))
    assert showdown == Showdown(layouts=rows)
    assert scored == Scored(raw=(12, 14, 10), scores=(12, 14, 10), totals=(12, 14, 10), ender=1, capped=False)


def test_cmb_10_a_protected_ender_is_no_target_of_a_king(start: Start) -> None:
    match = start("cambio", [ZERO, ONE, TWO], stock="KC", protect_ender=True)
    match.play("0 turn: knock", "1 turn: draw stock; place: discard; power")
    others = tuple((2, slot) for slot in range(4))
    assert match.ask.offers[0] == Offer(kind="exchange", slot=OneOf((0, 1, 2, 3)), target=OneOf(others))
    alone = start("cambio", [ZERO, ONE], stock="KC", protect_ender=True)  # CMB-06: nobody is left to swap with
    alone.play("0 turn: knock", "1 turn: draw stock; place: discard", "end")


# Four-card golf with a secret look


def test_fou_04_powers_can_be_named(start: Start) -> None:
    """`cambio_powers` goes with the secret look."""
    match = start("four-card", [ZERO, ONE, TWO], stock="JC", initial_look="any:2", cambio_powers={"J": "exchange"})
    match.play("sealed: look s0 s1 | look s0 s1 | look s0 s1", "0 turn: draw stock; place: discard; power")
    assert [offer.kind for offer in match.ask.offers] == ["exchange", "none"]
