"""The relatives of six-card golf: what four-card, nine-card, eight-card and Cutthroat golf change in it.

Turns and ends that they share with six-card golf are in test_flow_six_card.py.
"""

from typing import Any

import pytest
from scripted import Start

from protocol.actions import Discard, Draw, Nothing, Swap
from protocol.events import Drew, Finished, Round, Showdown, Swapped, Traded, TurnedUp, UpCard
from protocol.offers import Offer, Pick
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask, Sealed
from referee.rules.secrets import view

FOUR_DOWN = "(??) (??) / (??) (??)"


@pytest.mark.parametrize(
    ("preset", "options", "cards", "turned_up"),
    [
        ("four-card", {}, 4, 2),
        ("nine-card", {}, 9, 0),
        ("nine-card", {"initial_up": 2}, 9, 2),
        ("nine-card", {"initial_up": 3}, 9, 3),
        ("eight-card", {}, 8, 2),
    ],
)
def test_fou_02_fou_03_nin_02_nin_03_eig_02_what_lies_face_down_and_how_many_cards_each_seat_turns_up(
    preset: str, options: dict[str, int], cards: int, turned_up: int
) -> None:
    variant = with_options(preset, options)
    game = Game(variant, 3, Keyed(b"key", variant, 3))
    assert [type(event) for event in game.events] == [Round, UpCard]
    assert [game.table.face_down(seat) for seat in range(3)] == [tuple(range(cards))] * 3
    if not turned_up:
        assert isinstance(game.question, Ask)
        assert (game.question.seat, game.question.decision) == (1, "turn")
        return
    assert isinstance(game.question, Sealed)
    offers = (Offer(kind="turn_up", slots=Pick(turned_up, tuple(range(cards)))),)
    assert [ask.offers for ask in game.question.asks] == [offers] * 3


# Four-card golf


def test_dec_04_dec_05_dec_06_what_is_played_for_a_seat_that_does_not_answer(start: Start) -> None:
    match = start("four-card", ["2S 3S / (4S) (5S)", "", ""])
    for step, fallback in (
        ("0 turn", Draw(source="stock")),
        ("0 turn: draw stock; place", Discard()),
        ("0 place: discard; flip", Nothing()),
        ("0 flip: none\n1 turn: draw pile; place", Swap(slot=0)),
    ):
        match.play(step)
        assert match.ask.fallback == fallback


@pytest.mark.parametrize("look", ["near_row", "any:1", "all"])
def test_c_068_fou_04_after_a_secret_look_cards_land_face_down_and_nothing_is_flipped(start: Start, look: str) -> None:
    match = start("four-card", ["(2S) (3S) / (4S) (5S)", FOUR_DOWN, FOUR_DOWN], stock="9D 8D", initial_look=look)
    assert (match.table.options.initial_up, match.table.options.flip_on_discard) == (0, "never")
    if look == "any:1":
        match.play("sealed: look s0 | look s0 | look s0", "0 turn")
    match.play("0 turn: draw stock; place: swap s3", "1 turn: draw stock; place: discard", "2 turn")
    swapped = {viewer: [one for one in match.news(viewer) if isinstance(one, Swapped)] for viewer in (None, 0, 1)}
    assert swapped[0] == [Swapped(seat=0, slot=3, card="9D", face_up=False, replaced="5S")]
    assert swapped[1] == swapped[None] == [Swapped(seat=0, slot=3, card=None, face_up=False, replaced="5S")]
    assert match.grid(0) == "(2S) (3S) / (4S) (9D)"


def test_fou_05_fou_07_four_equal_cards_win_the_match(start: Start) -> None:
    layouts = ["(KS) (KH) / (KD) (2C)", "(9S) (9D) / (9C) (9H)", "(AS) (AH) / (AD) (AC)"]
    match = start("four-card", layouts, rounds=9, four_kind_wins=True, flip_on_discard="never")
    match.play("""
        0 turn: knock
        1 turn: draw stock; place: discard
        2 turn: draw stock; place: discard
        end
    """)
    assert match.game.result.totals == (-2, 0, 0)
    assert match.game.result.ranks == (3, 1, 1)


# Nine-card golf


def test_c_094_nin_04_ker_07_a_flip_instead_of_a_draw_ends_the_round(start: Start) -> None:
    """KER-02: one may flip each own face-down slot, and nothing else."""
    layouts = ["2S 2H 2D / 2C 3S 3H / 3D (3C) (4S)", "5S 6H 7D / 5C 6S 7H / 8D (9C) (4H)"]
    match = start("nine-card", layouts, flip_instead=True)
    stock = list(match.table.stock)
    assert match.offered == {"draw": ["stock", "pile"], "flip": [7, 8]}
    match.refuses("flip s0")
    match.play("0 turn: flip s7", "1 turn: flip s7", "0 turn: flip s8", "end")
    assert match.news(None)[:4] == [
        TurnedUp(seat=0, slots=(7,), cards=("3C",)),
        TurnedUp(seat=1, slots=(7,), cards=("9C",)),
        TurnedUp(seat=0, slots=(8,), cards=("4S",)),
        Finished(seat=0),
    ]
    assert match.table.stock == stock


def test_c_095_nin_05_who_completes_its_grid_ends_the_round_at_once(start: Start) -> None:
    layouts = ["2S 2H 2D / 2C 3S 3H / 3D 3C (4S)", "5S 6H 7D / 5C 6S 7H / 8D 9C (4H)", ""]
    match = start("nine-card", layouts, stock="AS KS")
    match.play("0 turn: draw stock; place: swap s0", "1 turn: draw stock; place: swap s8", "end")
    (shown,) = [event for event in match.news(None) if isinstance(event, Showdown)]
    assert shown.layouts[0][8] == "4S"
    (result,) = match.game.result.rounds
    assert (result.ender, result.raw[0]) == (1, 1 - 2 + 4 - 2 + 3 + 3 - 2 + 3 + 3)


def test_nin_13_amb_91_alone_every_turn_is_the_own_one_and_the_complete_layout_ends_the_round(start: Start) -> None:
    match = start("nine-card", ["AS 2D 3H / 4S 5C 6D / 7H 8S (9C)"], up="KD", stock="KC 10H")
    assert match.table.starter == match.table.dealer == 0
    match.play("""
        0 turn: draw pile; place: swap s7
        0 turn: draw stock; place: discard; flip: none
        0 turn: draw stock; place: swap s8
        end
    """)
    assert match.news(0)[-3] == Finished(seat=0)
    (played,) = match.game.result.rounds
    assert (played.ender, played.scores, match.game.result.ranks) == (0, (1 - 2 + 3 + 4 + 5 + 6 + 7 + 10,), (1,))


@pytest.mark.parametrize(
    "rule", [{"knock_bonus": "zero"}, {"knock_bonus": "minus_players"}, {"knock_penalty": "add:9"}]
)
def test_nin_13_alone_nobody_is_there_to_be_lower_than(start: Start, rule: dict[str, str]) -> None:
    match = start("nine-card", ["(AS) (2D) (3H) / (4S) (5C) (6D) / (7H) (8S) (9C)"], end_mode="knock", **rule)
    match.play("0 turn: knock", "end")
    assert match.game.result.totals == (1 - 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9,)


def test_nin_13_alone_four_of_a_kind_wins_against_nobody_and_no_card_can_be_traded_for(start: Start) -> None:
    layout = "KS 2D 3H / KH 5C 6D / KD KC (9C)"
    options: dict[str, Any] = {"four_kind_wins": True, "cutthroat_trade": True, "decks": 2}
    match = start("nine-card", [layout], later=[[layout]], stock="KS", **options)
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [*range(9)], "discard": []}
    match.play("0 place: swap s8", "sealed")
    assert match.table.round == 2


# Cutthroat golf


OPEN = ["3S 4S (5S) / (6S) (7S) (8S)", "2S 9S (10S) / (JS) (QS) (AS)", "AH 2H (3H) / (4H) (5H) (6H)"]


def test_c_103_cut_02_cut_03_cut_04_a_trade_is_public_and_asks_the_traded_seat_nothing(start: Start) -> None:
    match = start("cutthroat", OPEN, stock="KC")
    match.play("0 turn: draw stock; place")
    assert match.offered == {
        "swap": [0, 1, 2, 3, 4, 5],
        "discard": [],
        "trade": [(1, 0), (1, 1), (2, 0), (2, 1)],
    }
    match.play("0 place: trade 1 s0; place")
    match.refuses("discard")
    match.refuses("trade 1 s1")
    match.play("0 place: swap s0", "1 turn")
    game = match.game
    told = {viewer: [view(event, viewer) for event in game.events[-2:]] for viewer in (None, 0, 1, 2)}
    assert [told[viewer] for viewer in (0, 1, 2)] == [told[None]] * 3
    assert told[None] == [
        Traded(seat=0, target=(1, 0), given="KC", taken="2S"),
        Swapped(seat=0, slot=0, card="2S", face_up=True, replaced="3S"),
    ]
    assert (match.grid(0), match.grid(1)) == ("2S 4S (5S) / (6S) (7S) (8S)", "KC 9S (10S) / (JS) (QS) (AS)")


def test_cut_05_the_king_on_the_pile_and_the_king_of_a_layout_give_no_trade(start: Start) -> None:
    match = start("cutthroat", ["KS 4S (5S) / (6S) (7S) (8S)", *OPEN[1:]], up="KH")
    match.play("0 turn: draw pile; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5]}
    match.play("0 place: swap s0", "1 turn: draw pile; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5]}


def test_c_104_cut_05_a_king_without_a_target_is_drawn_like_any_card(start: Start) -> None:
    match = start("cutthroat", ["(3S) (4S) (5S) / (6S) (7S) (8S)", "", ""], stock="KC")
    match.play("0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5], "discard": []}
    stock = len(match.table.stock)
    assert [match.news(viewer)[0] for viewer in (None, 1)] == [
        Drew(seat=0, source="stock", card=None, stock=stock),
    ] * 2


@pytest.mark.parametrize(
    ("protected", "targets"), [(False, [(0, 0), (0, 1), (2, 0), (2, 1)]), (True, [(2, 0), (2, 1)])]
)
def test_cut_06_the_knocker_can_be_hit_unless_protected(
    start: Start, protected: bool, targets: list[tuple[int, int]]
) -> None:
    match = start("cutthroat", OPEN, stock="KC", end_mode="knock", protect_ender=protected)
    match.play("0 turn: knock", "1 turn: draw stock; place")
    assert match.offered["trade"] == targets
