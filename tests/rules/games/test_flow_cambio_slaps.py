"""Cambio with slaps (CMB-09): windows, powers after them, layouts that grow and shrink."""

from scripted import Start

from protocol.actions import Rearrange
from protocol.events import Slapped, WindowClosed
from protocol.offers import Offer, OneOf, Pick
from referee.rules.describe import rules_in_brief

ZERO = "(2S) (3S) / (4S) (8D)"
ONE = "(2H) (7H) / (4H) (5H)"
TWO = "(2D) (7D) / (4D) (5D)"

DISCARD = "0 turn: draw stock; place: discard\n"
"""Seat 0 discards the top stock card; what comes then follows."""


def test_cmb_09_a_window_opens_after_every_discard_before_the_power(start: Start) -> None:
    match = start("cambio", [ZERO, ONE, TWO], stock="JC 10C", slaps=True)
    match.play("""
        0 turn: draw stock; place: discard; window: nobody; power: peek 0 s0
        1 turn: draw stock; place: swap s0; window: nobody
        2 turn: draw pile; place: swap s1; window: nobody
        0 turn
    """)
    assert WindowClosed() in match.news(None)


def test_cmb_09_a_replaced_card_can_be_slapped_but_has_no_power(start: Start) -> None:
    """CAC-13, CAC-27: and neither has the slapped card (CAC-16)."""
    match = start("cambio", ["(JS) (3S) / (4S) (8D)", "(JH) (7H) / (4H) (5H)"], stock="10C", slaps=True)
    match.play("0 turn: draw stock; place: swap s0; window: 1 at 1 s0", "1 turn")
    assert match.news(None)[-2:] == [
        Slapped(seat=1, target=(1, 0), card="JH", verdict="right", new_slot=None, stock=44),
        WindowClosed(),
    ]
    assert match.grid(1) == "-- (7H) / (4H) (5H)"


def test_cmb_09_the_discarders_power_survives_a_slap_and_aims_at_the_new_layouts(start: Start) -> None:
    """CAC-16, CAC-30, CAC-44: a joker rearranges the occupied slots, whatever their numbers."""
    match = start("cambio", ["(2S) (3S) / (4S) (X2)", ONE, TWO], stock="X1", slaps=True)
    match.play(DISCARD + "window: 0 at 0 s3, 1 at 2 s0, 2 at 1 s1\n0 power")
    assert match.grid(0) == "(2S) (3S) / (4S) --"
    assert match.grid(1) == "(2H) -- / (4H) (5H) / (2D)"
    assert match.grid(2) == "-- (7D) / (4D) (5D) / (7H)"
    assert match.ask.offers[0] == Offer(kind="rearrange", seat=OneOf((1,)), slots=Pick(4, (0, 2, 3, 4)))
    match.game.answer(Rearrange(seat=1, slots=(4, 0, 2, 3)))
    assert match.grid(1) == "(2D) -- / (2H) (4H) / (5H)"
    assert match.open == "1 turn"


def test_cmb_09_a_seat_without_cards_ends_the_round_before_the_power(start: Start) -> None:
    """CAC-20 (b), CAC-36; ending a round by a slap does not make an ender."""
    match = start("cambio", ["(QS) (QH) / (2S) (3S)", "(QD) -- / -- --"], stock="QC", slaps=True)
    match.play(DISCARD + "window: 1 at 1 s0\nend")
    (result,) = match.game.result.rounds
    assert (result.scores, result.ender) == ((21, 0), None)


def test_cmb_09_cmb_10_a_protected_caller_can_be_slapped(start: Start) -> None:
    """AMB-88: `protect_ender` keeps kings and jokers off the caller's cards, and CAC-19 is no part of Cambio."""
    match = start("cambio", [ZERO, ONE, "(2D) (KD) / (4D) (5D)"], stock="KC 3C", slaps=True, protect_ender=True)
    match.play("""
        0 turn: knock
        1 turn: draw stock; place: discard; window: nobody; power: none
        2 turn: draw stock; place: discard; window: 1 at 0 s1
        1 give: give s0
        end
    """)
    assert match.grid(0) == "(2S) (2H) / (4S) (8D)"
    text = rules_in_brief(match.table.variant)
    assert (
        "No power may swap or rearrange the knocker's cards; the others may still look at them and slap them." in text
    )
