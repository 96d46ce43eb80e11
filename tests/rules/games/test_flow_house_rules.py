"""The house rules of the family: lines that leave, one card up in each row, a knock that ends the round, two seats."""

from typing import Any

import pytest
from scripted import Start

from protocol import events
from protocol.actions import TurnUp
from protocol.events import CardRemoved, Finished, Round, Swapped, UpCard
from referee.rules.chance import Keyed
from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import advice
from referee.rules.game import Game
from referee.rules.questions import Sealed
from referee.rules.variants import from_record, preset

# Lines that leave


def test_c_227_ker_14_a_column_that_is_complete_goes_to_the_pile(start: Start) -> None:
    layouts = ["KS 4H (9D) / (7C) (AC) (7S)", "2S 3H (5D) / (8C) (9C) (6H)"]
    match = start("six-card", layouts, stock="KD", lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s3
        1 turn
    """)
    assert match.grid(0) == "-- 4H (9D) / -- (AC) (7S)"
    assert match.table.pile[-3:] == ["7C", "KS", "KD"]
    for viewer in (None, 0, 1):
        assert match.news(viewer)[1:] == [
            Swapped(seat=0, slot=3, card="KD", face_up=True, replaced="7C"),
            CardRemoved(seat=0, target=(0, 0), card="KS"),
            CardRemoved(seat=0, target=(0, 3), card="KD"),
        ]
    match.play("""
        1 turn: draw pile
        1 place: swap s0
        0 turn: draw stock
        0 place
    """)
    assert match.offered["swap"] == [1, 2, 4, 5]


def test_ker_14_a_row_and_a_column_that_share_a_card_leave_together(start: Start) -> None:
    layouts = ["8S 8D (2H) / 8C AS (3H) / (5S) (6S) (9H)", ""]
    match = start("nine-card", layouts, stock="8H 8S", decks=2, cancel=["col", "row"], lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s2
        1 turn
    """)
    assert match.grid(0) == "-- -- -- / 8C AS (3H) / (5S) (6S) (9H)"
    layouts = ["(2S) 8D 8H / 8C AS (3H) / 8S (6S) (9H)", ""]
    match = start("nine-card", layouts, stock="8S", decks=2, cancel=["col", "row"], lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s0
        1 turn
    """)
    assert match.grid(0) == "-- -- -- / -- AS (3H) / -- (6S) (9H)"
    assert match.table.pile[-5:] == ["8S", "8D", "8H", "8C", "8S"]


def test_ker_14_a_line_that_the_first_choice_completes_leaves_before_play(start: Start) -> None:
    match = start("six-card", ["KS (4H) (9D) / KD (AC) (7S)", ""], lines_leave=True)
    assert match.grid(0) == "-- (4H) (9D) / -- (AC) (7S)"
    assert match.table.pile[-2:] == ["KS", "KD"]


@pytest.mark.parametrize(
    ("options", "leaves"),
    [
        ({"jokers": 2}, True),
        ({"jokers": 2, "joker_pair": "sum"}, False),
        ({"jokers": 2, "joker_pair": -5}, False),
    ],
)
def test_ker_14_jokers_leave_where_they_are_equal_cards(start: Start, options: dict[str, Any], leaves: bool) -> None:
    match = start("six-card", ["X1 4H (9D) / (7C) (AC) (7S)", ""], stock="X2", lines_leave=True, **options)
    match.play("""
        0 turn: draw stock
        0 place: swap s3
        1 turn
    """)
    assert match.grid(0).startswith("--") is leaves


def test_ker_14_a_wild_jack_is_a_jack_and_a_jack_that_leaves_skips_nobody(start: Start) -> None:
    layouts = ["JS 4H (9D) / (7C) (AC) (7S)", "", ""]
    match = start("six-card", layouts, stock="QS 10S JD", one_eyed_wild=True, jack_skip=True, lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s3
        1 turn: draw stock
        1 place: discard
        1 flip: none
        2 turn: draw stock
        2 place: swap s0
        0 turn
    """)
    assert match.grid(0) == "JS 4H (9D) / QS (AC) (7S)"
    match = start("six-card", layouts, stock="JD", one_eyed_wild=True, jack_skip=True, lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s3
        1 turn
    """)
    assert match.grid(0) == "-- 4H (9D) / -- (AC) (7S)"


def test_ker_14_ker_09_a_layout_without_cards_is_complete(start: Start) -> None:
    match = start("four-card", ["KS -- / (7C) --", "", ""], stock="KD", end_mode="all_up", lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s2
        end
    """)
    assert Finished(seat=0) in match.news(None)
    assert match.game.result.rounds[0].raw[0] == 0


def test_ker_14_a_seat_without_cards_draws_and_discards_and_cannot_trade(start: Start) -> None:
    layouts = ["(2S) (3H) (5D) / (8C) (9C) (6H)", "-- -- -- / -- -- --"]
    match = start("cutthroat", layouts, stock="4C KS", end_mode="knock", lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: swap s0
        1 turn
    """)
    assert match.offered == {"draw": ["stock"], "knock": []}
    match.play("""
        1 turn: draw stock
        1 place
    """)
    assert match.offered == {"discard": []}


def test_ker_14_a_king_that_is_traded_can_complete_anothers_column(start: Start) -> None:
    layouts = ["2S 3H 4C / (8C) (9C) (6H)", "KH QH (4D) / AC (9S) (7S)"]
    match = start("cutthroat", layouts, stock="KS", lines_leave=True)
    match.play("""
        0 turn: draw stock
        0 place: trade 1 s3
        0 place: swap s0
        1 turn
    """)
    assert match.grid(1) == "-- QH (4D) / -- (9S) (7S)"
    assert match.table.pile[-3:] == ["2S", "KH", "KS"]


def test_opt_08_lines_leave_only_where_some_cancel_and_cards_lie_open() -> None:
    for name, changes in (
        ("six-card", {"cancel": []}),
        ("four-card", {"any_pair": "all_pairs"}),
        ("four-card", {"initial_look": "near_row"}),
        ("cambio", {"cancel": ["col"]}),
    ):
        with pytest.raises(BadOptions, match="lines_leave"):
            with_options(name, {**changes, "lines_leave": True})


# One card up in each row


def test_c_228_ker_15_one_card_of_each_row_is_turned_up_and_all_are_shown_together() -> None:
    variant = with_options("nine-card", {"up_in_each_row": True})
    game = Game(variant, 2, Keyed(b"key", variant, 2))
    for row in ((0, 1, 2), (3, 4, 5), (6, 7, 8)):
        assert isinstance(game.question, Sealed)
        assert [[action.slots for action in ask.actions] for ask in game.question.asks] == [[(s,) for s in row]] * 2  # type: ignore[union-attr]
        assert [type(event) for event in game.events] == [Round, UpCard]
        game.answer((TurnUp(slots=row[:1]), TurnUp(slots=row[2:])))
    turned = [event.slots for event in game.events if isinstance(event, events.TurnedUp)]
    assert turned == [(0, 3, 6), (2, 5, 8)]


def test_ker_15_it_sets_the_number_of_cards_that_are_turned_up() -> None:
    assert [with_options(name, {"up_in_each_row": True}).options.initial_up for name in ("nine-card", "six-card")] == [
        3,
        2,
    ]
    assert from_record("nine-card", {"up_in_each_row": True}).options.initial_up == 3
    for name, changes in (("six-card", {"initial_up": 2}), ("four-card", {"initial_look": "any:2"})):
        with pytest.raises(BadOptions, match="up_in_each_row"):
            with_options(name, {**changes, "up_in_each_row": True})


# A knock that ends the round at once


def test_c_229_ker_16_after_a_knock_nobody_has_a_turn(start: Start) -> None:
    layouts = ["8S KH (9D) / (KD) (KC) (9S)", "5S 9H (KS) / (KH) (9C) (KD)", "QC 2S (2D) / (3C) (AC) (2C)"]
    match = start("six-card-knock", layouts, decks=3, knock_penalty="add:10", knock_ends_at_once=True)
    match.play("""
        0 turn: knock
        end
    """)
    (result,) = match.game.result.rounds
    assert (result.raw, result.scores, result.ender, result.capped) == ((8, 5, 12), (18, 5, 12), 0, False)


@pytest.mark.parametrize("name", ["cambio", "cactus"])
def test_ker_16_also_where_cards_are_hidden(start: Start, name: str) -> None:
    match = start(name, ["", ""], knock_ends_at_once=True)
    match.play("""
        0 turn: knock
        end
    """)


def test_ker_16_with_both_a_complete_layout_still_gives_its_turns(start: Start) -> None:
    match = start(
        "six-card",
        ["KS 4H 9D / KD AC (7S)", ""],
        end_mode="both",
        final_turns="one_each",
        knock_ends_at_once=True,
    )
    match.play("""
        0 turn: draw stock
        0 place: swap s5
        1 turn
    """)


def test_ker_16_not_without_a_knock_and_not_in_powers() -> None:
    for name in ("six-card", "powers", "no-par"):
        with pytest.raises(BadOptions, match="knock_ends_at_once"):
            with_options(name, {"knock_ends_at_once": True})


# Four-card golf for two


def test_c_230_fou_01_two_can_play_four_card_golf_and_are_warned() -> None:
    variant = preset("four-card")
    assert len(Game.from_seed(variant, 2, "two").table.stock) == 43
    assert [len(list(advice(variant, seats))) for seats in (2, 3)] == [1, 0]
