"""The two-deck game with discardable pairs, against the worked cases and clause by clause."""

from typing import Any

import pytest
from scripted import Script, Start

from protocol.actions import DiscardPairs, Flip, Nothing, Swap
from protocol.events import Drew, Finished, PairsDiscarded, Round, Swapped, UpCard
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.variants import preset

DOWN = "(??) (??) / (??) (??) / (??) (??)"


def later_on(start: Start, *layouts: str, **given: Any) -> Script:
    """A round under way, with the cards up that the layouts show; the last seat has a turn before seat 0."""
    match = start("two-deck", layouts, first_dealer=len(layouts) - 2, **given)
    for seat, layout in enumerate(layouts):
        for number, word in enumerate(layout.replace("/", " ").split()):
            if word != "--" and not word.startswith("("):
                match.table.at(seat, number).up = True
    return match


# Set-up


def test_tdk_02_tdk_03_tdk_04_six_cards_down_nobody_looks_and_the_seat_left_of_the_dealer_starts() -> None:
    variant = preset("two-deck")
    game = Game(variant, 3, Keyed(b"key", variant, 3))
    assert [type(event) for event in game.events] == [Round, UpCard]
    assert (game.table.rows, variant.columns) == (3, 2)
    assert [game.table.face_down(seat) for seat in range(3)] == [(0, 1, 2, 3, 4, 5)] * 3
    assert len(game.table.pile) == 1
    assert isinstance(game.question, Ask)
    assert (game.question.seat, game.question.decision) == (1, "turn")


# Pairs


def test_tdk_05_dec_11_any_of_the_rows_with_two_equal_face_up_cards_may_be_discarded(start: Start) -> None:
    match = later_on(start, "7H 7S / QS 4D / 9D 9C", DOWN)
    match.play("1 turn: draw pile; place: swap s0", "0 pairs")
    assert match.offered == {"discard_pairs": [0, 2]}
    assert match.ask.fallback == DiscardPairs(rows=())
    assert match.ask.opens_turn
    match.refuses("discard_pairs 1")
    match.refuses("discard_pairs 0 0")
    match.play("0 pairs: discard_pairs; turn")
    assert not match.ask.opens_turn
    assert match.grid(0) == "7H 7S / QS 4D / 9D 9C"
    assert match.news(1) == []


@pytest.mark.parametrize(("leave", "asked"), [("any_turn", "0 pairs"), ("next_turn", "0 turn")])
def test_tdk_05_amb_62_a_kept_pair_may_leave_in_any_later_turn_or_by_option_in_the_next_one_only(
    start: Start, leave: str, asked: str
) -> None:
    match = start("two-deck", ["(7H) (7S) / (QS) (4D) / (9D) (8C)", DOWN], stock="7D ?? 7C", pairs_leave=leave)
    match.play(f"""
        0 turn: draw stock; place: swap s0
        1 turn: draw stock; place: swap s0
        0 turn: draw stock; place: swap s1
        1 turn: draw pile; place: swap s1
        0 pairs: discard_pairs; turn: draw pile; place: swap s2
        1 turn: draw pile; place: swap s2
        {asked}
    """)
    assert match.offered == ({"discard_pairs": [0]} if leave == "any_turn" else {"draw": ["stock", "pile"]})


@pytest.mark.parametrize(("change", "asked"), [("swap s1", "0 pairs"), ("swap s2", "0 turn")])
def test_tdk_05_amb_62_next_turn_a_pair_of_another_card_is_a_new_one(start: Start, change: str, asked: str) -> None:
    """Option `pairs_leave`: replacing one seven by another makes a pair in that turn."""
    match = later_on(start, "7H 7S / QS (4D) / (9D) (8C)", DOWN, stock="?? 7D", pairs_leave="next_turn")
    match.play(f"""
        1 turn: draw stock; place: swap s0
        0 turn: draw stock; place: {change}
        1 turn: draw stock; place: swap s1
        {asked}
    """)


@pytest.mark.parametrize(("flipped", "row"), [("s1", 0), ("s3", 1)])
def test_tdk_05_amb_62_next_turn_a_card_turned_up_makes_a_pair_too(start: Start, flipped: str, row: int) -> None:
    match = later_on(start, "7H (7S) / 9D (9C) / QS (8C)", DOWN, pairs_leave="next_turn")
    match.play(f"""
        1 turn: draw stock; place: swap s0
        0 turn: draw stock; place: discard; flip: flip {flipped}
        1 turn: draw stock; place: swap s1
        0 pairs
    """)
    assert match.offered == {"discard_pairs": [row]}


def test_c_119_tdk_05_a_pair_with_a_face_down_card_is_not_offered_nor_any_pair_after_the_draw(start: Start) -> None:
    match = later_on(start, "7H (7S) / (4C) 4D / (9D) (9C)", DOWN, stock="?? 7D")
    match.play("1 turn: draw stock; place: swap s0", "0 turn: draw stock; place: swap s1", "1 turn")
    assert match.grid(0) == "7H 7D / (4C) 4D / (9D) (9C)"


@pytest.mark.parametrize("chosen", ["0 2", "2 0"])
def test_tdk_06_rows_go_to_the_pile_from_the_top_left_card_first(start: Start, chosen: str) -> None:
    match = later_on(start, "7H 7S / (QS) (4D) / 9D 9C", DOWN, up="KS")
    match.play("1 turn: draw stock; place: swap s0", f"0 pairs: discard_pairs {chosen}; turn")
    assert match.table.pile[-4:] == ["7H", "7S", "9D", "9C"]
    assert match.grid(0) == "-- -- / (QS) (4D) / -- --"
    for viewer in (None, 0, 1):
        assert match.news(viewer)[-1] == PairsDiscarded(seat=0, rows=(0, 2), cards=("7H", "7S", "9D", "9C"))


def test_c_118_tdk_07_tdk_10_tdk_11_a_card_of_the_pair_may_be_drawn_back_into_the_cards_that_are_left(
    start: Start,
) -> None:
    match = later_on(start, "7H 7S / (QS) (4D) / 9D (8C)", DOWN)
    match.play("1 turn: draw stock; place: swap s0", "0 pairs: discard_pairs 0; turn: draw pile; place")
    assert match.table.hand == "7S"
    assert match.offered == {"swap": [2, 3, 4, 5]}
    assert match.ask.fallback == Swap(slot=2)
    match.refuses("discard")
    match.refuses("swap s0")
    match.play("0 place: swap s3", "1 turn")
    assert match.news(1) == [Swapped(seat=0, slot=3, card="7S", face_up=True, replaced="4D")]
    assert match.grid(0) == "-- -- / (QS) 7S / 9D (8C)"


# Turns


def test_tdk_08_a_stock_card_is_seen_by_everybody_and_takes_any_occupied_slot(start: Start) -> None:
    match = later_on(start, "7H 7S / QS (4D) / 9D (8C)", DOWN, stock="?? 3C")
    match.play("1 turn: draw stock; place: swap s0", "0 pairs: discard_pairs 0; turn: draw stock; place")
    for viewer in (None, 0, 1):
        assert match.news(viewer)[-1] == Drew(seat=0, source="stock", card="3C", stock=37)
    assert match.offered == {"swap": [2, 3, 4, 5], "discard": []}
    match.play("0 place: swap s2", "1 turn")
    assert match.grid(0) == "-- -- / 3C (4D) / 9D (8C)"


def test_c_121_tdk_09_with_two_cards_down_one_must_be_turned_up_after_a_discard(start: Start) -> None:
    match = later_on(start, "7H 6S / QS (4D) / 9D (8C)", DOWN)
    match.play("1 turn: draw stock; place: swap s0", "0 turn: draw stock; place: discard; flip")
    assert match.offered == {"flip": [3, 5]}
    assert match.ask.fallback == Flip(slot=3)
    match.refuses("none")


@pytest.mark.parametrize(("answer", "finished"), [("none", []), ("flip s5", [Finished(seat=0)])])
def test_c_122_tdk_09_tdk_12_the_last_face_down_card_need_not_be_turned_up(
    start: Start, answer: str, finished: list[Finished]
) -> None:
    match = later_on(start, "7H 6S / QS 4D / 9D (8C)", DOWN, DOWN)
    match.play("2 turn: draw stock; place: swap s0", "0 turn: draw stock; place: discard; flip")
    assert match.offered == {"flip": [5], "none": []}
    assert match.ask.fallback == Nothing()
    match.play(f"""
        0 flip: {answer}
        1 turn: draw pile; place: swap s0
        2 turn: draw pile; place: swap s1
        {"end" if finished else "0 turn"}
    """)
    assert [event for event in match.news(None) if isinstance(event, Finished)] == finished


def test_c_128_tdk_12_tdk_13_in_its_last_turn_a_seat_may_discard_a_pair_and_finish_to_no_effect(
    start: Start,
) -> None:
    match = later_on(start, "7H 6S / QS 4D / 9D (8C)", "5H 5S / QC JD / 9S (KC)", DOWN)
    match.play("""
        2 turn: draw stock; place: swap s0
        0 turn: draw pile; place: swap s5
        1 pairs: discard_pairs 0; turn: draw stock; place: swap s5
        2 turn: draw stock; place: swap s5
        end
    """)
    assert match.grid(1).startswith("-- --")
    assert [event for event in match.news(None) if isinstance(event, Finished)] == [Finished(seat=0)]
    assert match.game.result.rounds[0].ender == 0


def test_tdk_14_with_two_rows_gone_the_last_two_cards_end_the_round_before_they_can_be_discarded(start: Start) -> None:
    match = later_on(start, "-- -- / 5H (JD) / -- --", DOWN, stock="?? 5S")
    match.play("1 turn: draw stock; place: swap s0", "0 turn: draw stock; place: swap s3", "1 turn")
    assert match.grid(0) == "-- -- / 5H 5S / -- --"
    match.play("1 turn: draw stock; place: swap s1", "end")
    assert match.game.result.rounds[0].raw[0] == 10


# The end


def test_tdk_18_the_drawer_of_the_last_stock_card_completes_its_turn_and_play_stops(start: Start) -> None:
    match = later_on(start, "7H 6S / QS (4D) / 9D (8C)", DOWN, stock="3C 4C")
    match.leave_in_stock(2)
    match.play("""
        1 turn: draw stock; place: swap s0
        0 turn: draw stock; place: discard; flip: flip s3
        end
    """)
    (result,) = match.game.result.rounds
    assert (result.ender, result.capped) == (None, False)
    assert result.scores == result.raw
