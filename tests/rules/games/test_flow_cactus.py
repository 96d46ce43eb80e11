"""The course of play of Cactus: turns, slaps, powers and ends of a round, against the worked cases."""

import pytest
from scripted import Start

from protocol.actions import Nothing
from protocol.events import (
    Drew,
    Looked,
    Peeked,
    Round,
    Swapped,
    Switched,
)
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.describe import rules_in_brief
from referee.rules.games.cactus import starter as starter_of
from referee.rules.secrets import view
from referee.rules.table import Table

ZERO = "(2S) (3S) / (4S) (8D)"
ONE = "(2H) (7H) / (4H) (5H)"
TWO = "(2D) (7D) / (4D) (5D)"


# Set-up


def test_c_130_each_seat_looks_at_its_near_row_and_the_pile_starts_empty(start: Start) -> None:
    """C-130 [CAC-05 CAC-06 CAC-07 CAC-09 GEN-02]: seat 0 deals first; the stock or a knock is all there is."""
    match = start("cactus", [ZERO, ONE, TWO])
    begun, *looks = match.game.events
    assert isinstance(begun, Round)
    assert (begun.dealer, begun.starter, begun.stock) == (0, 0, 40)
    assert not match.game.table.pile
    assert match.grid(0) == ZERO
    assert match.offered == {"draw": ["stock"], "knock": []}
    cards = (("4S", "8D"), ("4H", "5H"), ("4D", "5D"))
    for viewer in (None, 0, 1, 2):
        assert [view(event, viewer) for event in looks] == [
            Looked(seat=seat, slots=(2, 3), cards=cards[seat] if seat == viewer else (None, None)) for seat in range(3)
        ]


@pytest.mark.parametrize(
    ("totals", "dealer", "fixed", "starter"),
    [
        ([14, 20, 20], 0, False, 1),
        ([14, 20, 20], 2, False, 2),
        ([0, 0, 0], 1, False, 1),
        ([20, 14, 20], 1, False, 2),
        ([14, 20, 20], 2, True, 0),
    ],
)
def test_c_131_cac_08_the_highest_total_starts_or_by_option_the_seat_left_of_the_dealer(
    totals: list[int], dealer: int, fixed: bool, starter: int
) -> None:
    variant = with_options("cactus", {"fixed_starter": fixed})
    chance = Keyed(b"", variant, 3)
    table = Table(variant=variant, options=variant.options, seats=3, chance=chance, totals=totals, dealer=dealer)
    assert starter_of(table) == starter


# Turns


def test_cac_12_a_stock_card_is_swapped_in_face_down(start: Start) -> None:
    """CAC-10, INF-07, INF-08: only the drawer sees the stock card, before and after it is placed."""
    match = start("cactus", [ZERO, ONE, TWO], stock="7C")
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 2, 3], "discard": []}
    assert match.news(0) == [Drew(seat=0, source="stock", card="7C", stock=39)]
    assert match.news(1) == [Drew(seat=0, source="stock", card=None, stock=39)]
    match.play("0 place: swap s1; window")
    assert match.grid(0) == "(2S) (7C) / (4S) (8D)"
    assert match.news(0) == [Swapped(seat=0, slot=1, card="7C", face_up=False, replaced="3S")]
    for viewer in (None, 1, 2):
        assert match.news(viewer) == [Swapped(seat=0, slot=1, card=None, face_up=False, replaced="3S")]


def test_cac_11_a_pile_card_must_be_swapped_and_everybody_knows_where_it_lies(start: Start) -> None:
    """CAC-09, CAC-17, INF-04: it comes with a discard, and all know the card that now lies face down."""
    match = start("cactus", [ZERO, ONE, TWO], stock="7C")
    match.play("0 turn: draw stock; place: discard; window: nobody", "1 turn")
    assert match.offered == {"draw": ["stock", "pile"], "knock": []}
    match.play("1 turn: draw pile; place")
    assert match.offered == {"swap": [0, 1, 2, 3]}
    match.refuses("discard")
    match.play("1 place: swap s0; window")
    for viewer in (None, 0, 1, 2):
        assert match.news(viewer) == [Swapped(seat=1, slot=0, card="7C", face_up=False, replaced="2H")]


# Powers


def test_c_154_a_replaced_face_card_has_its_power_after_the_window(start: Start) -> None:
    """C-154 [CAC-14 CAC-15 CAC-16 DEC-07]: the slapped jack has no power, and takes none away."""
    match = start("cactus", ["(JD) (3S) / (4S) (8D)", "(2H) (JH) / (4H) (5H)", TWO], stock="2C")
    match.play("0 turn: draw stock; place: swap s0; window: 1 at 1 s1; power")
    assert set(match.offered) == {"none", "peek", "switch"}
    assert match.ask.fallback == Nothing()
    match.play("0 power: peek 1 s0", "1 turn")
    assert match.news(0) == [Peeked(seat=0, target=(1, 0), card="2H")]
    for viewer in (None, 1, 2):
        assert match.news(viewer) == [Peeked(seat=0, target=(1, 0), card=None)]


def test_c_155_the_power_is_that_of_the_jack_that_a_pile_queen_replaces(start: Start) -> None:
    match = start("cactus", [ZERO, "(JS) (7H) / (4H) (5H)", TWO], stock="QD")
    match.play("""
        0 turn: draw stock; place: discard; window: nobody; power: none
        1 turn: draw pile; place: swap s0; window: nobody; power: none
        2 turn
    """)


def test_c_157_a_switch_of_two_strangers_cards_is_seen_by_place_only(start: Start) -> None:
    """C-157 [CAC-15 INF-04]."""
    match = start("cactus", [ZERO, ONE, TWO], stock="QC")
    match.play("0 turn: draw stock; place: discard; window: nobody; power: switch 1 s2, 2 s2", "1 turn")
    assert [match.news(viewer)[-1] for viewer in (None, 0, 1, 2)] == [Switched(seat=0, targets=((1, 2), (2, 2)))] * 4
    assert match.grid(1) == "(2H) (7H) / (4D) (5H)"
    assert match.grid(2) == "(2D) (7D) / (4H) (5D)"


def test_c_158_two_cards_of_one_seat_may_be_switched_but_not_one_with_itself(start: Start) -> None:
    """C-158 [CAC-15]."""
    match = start("cactus", [ZERO, ONE, TWO], stock="JC")
    match.play("0 turn: draw stock; place: discard; window: nobody; power")
    match.refuses("switch 1 s2, 1 s2")
    match.refuses("peek 1 s4")
    assert match.offered["peek"] == [(seat, slot) for seat in range(3) for slot in range(4)]
    match.play("0 power: switch 1 s2, 1 s3", "1 turn")
    assert match.grid(1) == "(2H) (7H) / (5H) (4H)"


@pytest.mark.parametrize("card", ["KC", "JC", "QC"])
def test_cac_03_kings_are_power_cards_too_in_a_pack_with_kings(start: Start, card: str) -> None:
    match = start("cactus", [""] * 2, stock=card, cactus_ranks="KA")
    match.play("0 turn: draw stock; place: discard; window: nobody; power")


def test_c_208_the_knockers_cards_are_targets_unless_protected(start: Start) -> None:
    script = """
        0 turn: knock
        1 turn: draw stock; place: discard; window: nobody; power
    """
    match = start("cactus", [ZERO, "(9H) (7H) / (4H) (5H)", TWO], stock="QC")
    match.play(script)
    match.play("1 power: switch 1 s0, 0 s1", "2 turn")
    assert match.grid(0) == "(2S) (9H) / (4S) (8D)"
    match = start("cactus", [ZERO, "(9H) (7H) / (4H) (5H)", TWO], stock="QC", protect_ender=True)
    match.play(script)
    assert {seat for seat, _ in match.offered["switch"]} == {seat for seat, _ in match.offered["peek"]} == {1, 2}
    assert "The knocker's cards are safe from the others' powers and slaps." in rules_in_brief(match.table.variant)
    match.refuses("switch 1 s0, 0 s1")


def test_cac_15_a_card_that_is_the_only_target_can_be_looked_at_and_not_switched(start: Start) -> None:
    match = start("cactus", [ZERO, "(9H) -- / -- --"], stock="JC", protect_ender=True)
    match.play("0 turn: knock", "1 turn: draw stock; place: discard; window: nobody; power")
    assert match.offered == {"none": [], "peek": [(1, 0)]}


@pytest.mark.parametrize("own", [True, False])
def test_cac_19_a_protected_knocker_may_still_slap_and_give_own_cards(start: Start, *, own: bool) -> None:
    match = start("cactus", [ZERO, "(3H) (7H) / (4H) (5H)", TWO], stock="3C", protect_ender=True)
    match.play("0 turn: knock", "1 turn: draw stock; place: discard; window")
    match.refuses("1 at 0 s1")
    match.refuses("2 at 0 s1")
    if own:
        match.play("window: 0 at 0 s1", "2 turn")
        return
    match.play("window: 0 at 1 s0", "0 give: give s3", "2 turn")
    assert match.grid(1) == "(8D) (7H) / (4H) (5H)"


# Scores


def test_c_151_the_knocker_pays_double_also_when_the_round_ends_early(start: Start) -> None:
    """C-151 [CAC-38 CAC-41]."""
    match = start("cactus", ["(2S) (3S) / (4S) (0S)", "(2H) (3H) / (1H) (1D)", "(3D) -- / -- --"], stock="3C")
    match.play("0 turn: knock", "1 turn: draw stock; place: discard; window: 2 at 2 s0", "end")
    (result,) = match.game.result.rounds
    assert (result.raw, result.scores, result.ender) == ((9, 7, 0), (18, 7, 0), 0)


def test_c_152_the_knocker_slaps_and_the_countdown_goes_on(start: Start) -> None:
    """C-152 [CAC-38]."""
    match = start("cactus", ["(3H) (4S) / (1S) (0S)", "(2H) (7H) / (4H) (5H)", TWO], stock="3C 9C")
    match.play("""
        0 turn: knock
        1 turn: draw stock; place: discard; window: 0 at 0 s0
        2 turn: draw stock; place: discard; window: nobody
        end
    """)
    (result,) = match.game.result.rounds
    assert (result.raw[0], result.scores[0]) == (5, 5)


@pytest.mark.parametrize(
    ("totals", "ranks"),
    [([24, 18, 9], None), ([25, 18, 9], (3, 2, 1)), ([30, 9, 9], (3, 1, 1))],
)
def test_c_163_the_match_ends_after_the_round_in_which_a_total_reaches_25(
    start: Start, totals: list[int], ranks: tuple[int, ...] | None
) -> None:
    """C-163 [CAC-42 CAC-43]: equal totals share the rank."""
    nothing = ["(0S) -- / -- --", "(0H) -- / -- --", "(0D) -- / -- --"]
    match = start("cactus", nothing, stock="3C 4C", rounds="none")
    match.table.totals = totals
    match.play(f"""
        0 turn: knock
        1 turn: draw stock; place: discard; window: nobody
        2 turn: draw stock; place: discard; window: nobody
        {"end" if ranks else "0 turn"}
    """)
    if ranks:
        assert match.game.result.ranks == ranks
