"""The course of play of six-card golf and its family, against the worked cases and the clauses they leave out."""

from typing import Any

import pytest
from scripted import Start

from protocol.actions import Draw, Flip, Nothing, Swap, TurnUp
from protocol.events import (
    Discarded,
    Drew,
    Finished,
    Reshuffled,
    Round,
    Showdown,
    Skipped,
    Swapped,
    TurnedUp,
    UpCard,
)
from protocol.messages import TableMessage
from protocol.offers import Offer, Pick
from referee.play.talk.script import table_message
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import IllegalAnswer, Sealed
from referee.rules.secrets import view
from referee.rules.variants import preset

FIVE_UP = "KS 4H 9D / KD AC (7S)"
DOWN = "(??) (??) (??) / (??) (??) (??)"


# Set-up


def test_gen_04_cards_go_out_one_at_a_time_from_the_dealers_left() -> None:
    variant = with_options("six-card", {"first_dealer": 1})
    game = Game(variant, 3, Keyed(b"key", variant, 3))
    pack = Keyed(b"key", variant, 3).deck(1)
    dealt = [[slot.card for slot in layout if slot] for layout in game.table.layouts]
    assert dealt == [list(pack[1:18:3]), list(pack[2:18:3]), list(pack[0:18:3])]
    assert game.table.pile == [pack[18]]
    assert game.table.stock[::-1] == list(pack[19:])


def test_c_053_initial_flips_are_sealed_and_come_after_the_up_card() -> None:
    """C-053 [DEC-01 KER-01 SIX-02 SIX-03]: the up-card first, then each seat turns up any two, all at once."""
    variant = preset("six-card")
    game = Game(variant, 3, Keyed(b"key", variant, 3))
    assert isinstance(game.question, Sealed)
    assert [ask.seat for ask in game.question.asks] == [0, 1, 2]
    assert {ask.offers for ask in game.question.asks} == {
        (Offer(kind="turn_up", slots=Pick(2, tuple(range(6)))),),
    }
    assert {ask.fallback for ask in game.question.asks} == {TurnUp(slots=(0, 1))}
    assert [type(event) for event in game.events] == [Round, UpCard]

    flips = TurnUp(slots=(4, 1)), TurnUp(slots=(0, 5)), TurnUp(slots=(2, 3))
    with pytest.raises(IllegalAnswer):
        game.answer(flips[:2])
    game.answer(flips)
    cards = [[slot.card for slot in layout if slot] for layout in game.table.layouts]
    for viewer in (None, 0, 1, 2):
        assert [view(event, viewer) for event in game.events[2:]] == [
            TurnedUp(seat=seat, slots=flip.slots, cards=tuple(cards[seat][slot] for slot in flip.slots))
            for seat, flip in enumerate(flips)
        ]


# A turn


def test_six_05_six_06_ker_04_the_turns_of_six_card_golf(start: Start) -> None:
    match = start("six-card", ["KS 4H (9D) / (KD) (AC) (7S)", ""])
    assert match.offered == {"draw": ["stock", "pile"]}
    match.play("0 turn: draw pile; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5]}
    match.play("0 place: swap s0", "1 turn: draw stock; place: swap s0", "0 turn: draw stock; place")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5], "discard": []}
    match.play("0 place: swap s1", "1 turn")
    assert match.table.pile[-1] == "4H"


def test_inf_10_what_everybody_can_count(start: Start) -> None:
    match = start("six-card-knock", ["KS 4H (9D) / (KD) (AC) (7S)", "2S 3H (5D) / (8C) (9C) (6H)"], up="JD")
    begun, *_ = match.game.events
    assert begun == Round(round=1, dealer=1, starter=0, totals=(0, 0), rows=2, stock=40, playoff=False)
    match.table.totals = [7, -2]
    match.play("0 turn: knock", "1 turn")
    assert table_message(match.table) == TableMessage(
        round=1,
        dealer=1,
        turn=1,
        knocker=0,
        stock=39,
        pile=("JD",),
        layouts=(("KS", "4H", "?", "?", "?", "?"), ("2S", "3H", "?", "?", "?", "?")),
        totals=(7, -2),
    )


def test_c_047_the_optional_flip_of_the_last_card_ends_the_round_at_once(start: Start) -> None:
    """C-047 [INF-01 INF-07 SIX-07 SIX-08 KER-13]: only the drawer sees the card; the flip comes first."""
    match = start("six-card", [FIVE_UP, "", ""], stock="10C")
    match.play("0 turn: draw stock; place: discard; flip: flip s5", "end")
    drawn, *public = match.news(0)
    stock = len(match.table.stock)
    assert drawn == Drew(seat=0, source="stock", card="10C", stock=stock)
    for viewer in (None, 1, 2):
        assert match.news(viewer) == [Drew(seat=0, source="stock", card=None, stock=stock), *public]
    assert public[:3] == [
        Discarded(seat=0, card="10C"),
        TurnedUp(seat=0, slots=(5,), cards=("7S",)),
        Finished(seat=0),
    ]
    assert isinstance(public[3], Showdown)
    (result,) = match.game.result.rounds
    assert (result.raw[0], result.ender, result.capped) == (21, 0, False)
    with pytest.raises(IllegalAnswer):
        match.game.answer(Draw(source="stock"))


def test_c_049_one_turn_each_after_a_complete_layout_and_no_effect_of_a_second_one(start: Start) -> None:
    """C-049 [SIX-08]: the final lap is an option."""
    match = start("six-card", [FIVE_UP, "2S 3H 5D / 8C 9C (6H)", ""], stock="10C 10D 8S", final_turns="one_each")
    match.play("""
        0 turn: draw stock; place: discard; flip: flip s5
        1 turn: draw stock; place: swap s5
        2 turn: draw stock; place: discard; flip: none
        end
    """)
    assert [event for event in match.news(None) if isinstance(event, Finished)] == [Finished(seat=0)]
    assert match.game.result.rounds[0].ender == 0


def test_c_050_a_pile_card_cannot_be_put_back(start: Start) -> None:
    """C-050 [KER-03]."""
    match = start("six-card", [FIVE_UP, ""], up="JD")
    match.play("0 turn: draw pile; place")
    match.refuses("discard")
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5]}
    assert match.ask.fallback == Swap(slot=0)


def test_c_052_a_replaced_card_is_seen_by_its_owner_with_all_others(start: Start) -> None:
    """C-052 [KER-05 INF-08 SIX-07]."""
    match = start("six-card", ["KS 4H (9D) / (KD) (AC) (7S)", "", ""], stock="3C")
    match.play("0 turn: draw stock; place")
    assert [event.card for event in match.news(0) if isinstance(event, Drew)] == ["3C"]
    assert [event.card for event in match.news(1) if isinstance(event, Drew)] == [None]
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5], "discard": []}
    match.play("0 place: swap s5", "1 turn")
    for viewer in (None, 0, 1, 2):
        assert match.news(viewer) == [Swapped(seat=0, slot=5, card="3C", face_up=True, replaced="7S")]
    assert match.grid(0) == "KS 4H (9D) / (KD) (AC) 3C"
    assert match.table.pile[-1] == "7S"


@pytest.mark.parametrize(
    ("rule", "layout", "offered", "fallback"),
    [
        ("may", "KS 4H (9D) / (KD) (AC) (7S)", {"flip": [2, 3, 4, 5], "none": []}, Nothing()),
        ("must", "KS 4H (9D) / (KD) (AC) (7S)", {"flip": [2, 3, 4, 5]}, Flip(slot=2)),
        ("must", FIVE_UP, {"flip": [5]}, Flip(slot=5)),
        ("must_unless_last", "KS 4H 9D / KD (AC) (7S)", {"flip": [4, 5]}, Flip(slot=4)),
        ("must_unless_last", FIVE_UP, {"flip": [5], "none": []}, Nothing()),
    ],
)
def test_ker_06_the_flip_after_a_discard(
    start: Start, rule: str, layout: str, offered: dict[str, list[int]], fallback: object
) -> None:
    match = start("six-card", [layout, ""], flip_on_discard=rule)
    match.play("0 turn: draw stock; place: discard; flip")
    assert match.offered == offered
    assert match.ask.fallback == fallback
    assert match.ask.joins


# Ends of a round


def test_c_055_in_knock_mode_a_complete_layout_ends_nothing_and_its_owner_plays_on(start: Start) -> None:
    """C-055 [KER-10 KNO-01 SIX-12]: no flip where nothing is face down; later turns offer a knock too."""
    match = start("six-card-knock", [FIVE_UP, "2S 3H 5D / 8C 9C (6H)"])
    match.play("""
        0 turn: draw stock; place: discard; flip: flip s5
        1 turn: draw stock; place: discard; flip: none
        0 turn: draw stock; place: discard
        1 turn
    """)
    assert match.offered == {"draw": ["stock", "pile"], "knock": []}


def test_ker_10_every_other_seat_has_one_turn_after_a_knock_and_nobody_else_knocks(start: Start) -> None:
    """KNO-01, KNO-02: a knock in a first turn takes its place, and the knocker has no other turn."""
    match = start("six-card-knock", [DOWN] * 3)
    match.play("0 turn: draw stock; place: swap s0", "1 turn: knock", "2 turn")
    assert match.offered == {"draw": ["stock", "pile"]}
    match.refuses("knock")
    match.play("2 turn: draw pile; place: swap s0", "0 turn")
    match.refuses("knock")
    match.play("0 turn: draw stock; place: discard; flip: none", "end")
    assert match.game.result.rounds[0].ender == 1


def test_kno_03_face_down_cards_count_normally_at_showdown(start: Start) -> None:
    match = start("six-card-knock", ["(KS) (4H) (9D) / (KD) (AC) (7S)", ""], stock="2D", knock_penalty="add:10")
    match.play("0 turn: knock", "1 turn: draw stock; place: discard; flip: none", "end")
    assert match.game.result.rounds[0].raw[0] == 21


def test_sgl_no_knock_unless_the_end_mode_includes_it(start: Start) -> None:
    """KER-02."""
    match = start("single-deck", [DOWN] * 4)
    assert match.offered == {"draw": ["stock", "pile"]}
    match = start("single-deck", [DOWN] * 4, end_mode="knock")
    assert match.offered == {"draw": ["stock", "pile"], "knock": []}


@pytest.mark.parametrize(("final_turns", "then"), [("none", "end"), ("one_each", "1 turn")])
def test_ker_11_both_a_complete_layout_comes_first(start: Start, final_turns: str, then: str) -> None:
    match = start("six-card", [FIVE_UP, "", ""], end_mode="both", final_turns=final_turns)
    match.play("0 turn: draw stock; place: discard; flip: flip s5", f"{then}")
    if then != "end":
        match.refuses("knock")


def test_c_203_the_turn_cap_stops_a_round_without_a_knock_adjustment(start: Start) -> None:
    match = start("six-card", [FIVE_UP, ""], knock_penalty="add:10")
    turns = 0
    while match.open != "end":
        match.game.answer(Draw(source="pile"))
        match.game.answer(Swap(slot=0))
        turns += 1
    (result,) = match.game.result.rounds
    assert turns == 120
    assert (result.capped, result.ender) == (True, None)
    assert result.raw == result.scores


def test_gen_09_a_knock_before_the_cap_counts_and_its_lap_is_cut_off(start: Start) -> None:
    layouts = ["(??) (??) (??) / (??) (??) (??)", "", "(QS) (JD) (10C) / (9H) (9C) (8S)"]
    match = start("six-card-knock", layouts, turn_cap=1, knock_penalty="add:10")
    match.play("""
        0 turn: draw stock; place: swap s0
        1 turn: draw stock; place: swap s0
        2 turn: knock
        end
    """)
    (result,) = match.game.result.rounds
    assert (result.capped, result.ender) == (True, 2)
    assert result.scores[2] == result.raw[2] + 10 * (result.raw[2] > min(result.raw))


def test_gen_09_a_lap_that_ends_with_the_cap_is_not_cut_off(start: Start) -> None:
    match = start("six-card-knock", [DOWN] * 2, turn_cap=1)
    match.play("0 turn: knock", "1 turn: draw stock; place: swap s0", "end")
    assert not match.game.result.rounds[0].capped


# The stock runs out


def test_c_061_with_an_empty_stock_and_one_pile_card_only_the_pile_can_be_drawn(start: Start) -> None:
    """C-061 [KER-02 GEN-08 SIX-12]."""
    match = start("six-card", [FIVE_UP, ""])
    match.leave_in_stock(1)
    match.play("0 turn: draw stock; place: swap s0", "1 turn: draw stock; place: swap s0", "0 turn")
    assert [event for event in match.news(None) if isinstance(event, Reshuffled)] == [Reshuffled(stock=1)]
    assert match.table.stock == []
    assert match.offered == {"draw": ["stock", "pile"]}
    match.table.pile = match.table.pile[-1:]
    match.play("0 turn: draw pile; place: swap s0", "1 turn")
    assert match.offered == {"draw": ["pile"]}
    assert match.ask.fallback == Draw(source="pile")


def test_gen_08_a_reshuffle_leaves_the_top_of_the_pile_and_shows_nothing(start: Start) -> None:
    match = start("six-card", [DOWN] * 2, up="2D", stock="3C 4C 5C", flip_on_discard="never")
    match.leave_in_stock(3)
    match.play("""
        0 turn: draw stock; place: discard
        1 turn: draw stock; place: discard
        0 turn: draw stock; place: discard
        1 turn: draw stock; place
    """)
    drawn = match.table.hand
    assert match.table.pile == ["5C"]
    assert {drawn, *match.table.stock} == {"2D", "3C", "4C"}
    assert match.news(1)[-2:] == [Reshuffled(stock=3), Drew(seat=1, source="stock", card=drawn, stock=2)]
    assert match.news(0)[-2:] == [Reshuffled(stock=3), Drew(seat=1, source="stock", card=None, stock=2)]


def test_c_218_the_drawer_of_the_last_card_completes_its_turn_and_may_be_the_ender(start: Start) -> None:
    """C-218 [GEN-08 KER-13]: the end trigger is looked at before the stock."""
    layouts = ["KS AH 2D / KD AC (2S)", "9S 8H QD / 10D 7C (6S)", ""]
    match = start("six-card", layouts, stock="4C 5C", stock_out="end", knock_penalty="add:10", final_turns="one_each")
    match.leave_in_stock(2)
    match.play("""
        0 turn: draw stock; place: discard; flip: none
        1 turn: draw stock; place: discard; flip: flip s5
        end
    """)
    (result,) = match.game.result.rounds
    assert (result.ender, result.capped) == (1, False)
    assert result.raw[:2] == (0, 50)
    assert result.scores[:2] == (0, 60)


# Jack skip


NEVER: dict[str, Any] = {"jack_skip": True, "flip_on_discard": "never"}


@pytest.mark.parametrize(
    ("preset", "seats", "stock", "options", "text", "skipped", "capped"),
    [
        pytest.param(
            "six-card", 3, "JC 3C", {}, ["0 discards", "2 discards", "0 discards", "1 turn"], [1], None,
            id="C-056 a discarded jack costs the next seat its turn",
        ),
        pytest.param("six-card", 2, "JC", {}, ["0 discards", "0 turn"], [1], None, id="KER-12 another turn of two"),
        pytest.param(
            "six-card", 3, "JH", {"one_eyed_wild": True}, ["0 discards", "2 turn"], [1], None,
            id="C-224 OPT-05 a one-eyed jack skips like any jack",
        ),
        pytest.param(
            "six-card", 3, "3C", {"up": "JC"}, ["0 discards", "1 turn"], [], None,
            id="C-059 a jack as first up-card has no effect",
        ),
        pytest.param(
            "six-card-knock", 3, "JC", {}, ["0 turn: knock", "1 discards", "end"], [2], False,
            id="C-058 OPT-07 a skipped final turn is lost",
        ),
        pytest.param(
            "six-card-knock", 3, "4C JC", {}, ["0 turn: knock", "1 discards", "2 discards", "end"], [], False,
            id="C-058 the last of the lap has nobody to skip",
        ),
        pytest.param(
            "six-card-knock", 2, "2C JC", {"turn_cap": 1}, ["0 discards", "1 discards", "end"], [], True,
            id="KER-13 AMB-86 GEN-09 nobody is skipped where the turn cap ends the round",
        ),
        pytest.param(
            "six-card-knock", 4, "2C 3C JC", {"turn_cap": 1},
            ["0 discards", "1 discards", "2 turn: knock", "3 discards", "end"], [], True,
            id="KER-13 AMB-86 GEN-09 nor in a final lap, which the cap cuts off",
        ),
        pytest.param(
            "six-card-knock", 3, "JC JD", {"turn_cap": 1}, ["0 discards", "2 turn: knock", "0 discards", "end"],
            [1, 1], False, id="KER-12 GEN-09 the cap cuts nothing off where the lap's last turn is skipped",
        ),
        pytest.param(
            "six-card", 3, "JC", {"turn_cap": 1}, ["0 discards", "2 discards", "0 discards", "end"], [1], True,
            id="GEN-09 skipped turns do not count for the cap",
        ),
    ],
)  # fmt: skip
def test_ker_12_whom_a_jack_skips(
    start: Start, *, preset: str, seats: int, stock: str, options: Any, text: list[str], skipped: list[int], capped: Any
) -> None:
    match = start(preset, [DOWN] * seats, stock=stock, **NEVER, **options)
    match.play(*(line.replace(" discards", " turn: draw stock; place: discard") for line in text))
    assert [event.seat for event in match.news(None) if isinstance(event, Skipped)] == skipped
    assert match.open != "end" or match.game.result.rounds[0].capped is capped


def test_ker_12_a_replaced_jack_skips_but_a_jack_that_is_placed_does_not(start: Start) -> None:
    match = start("six-card", ["(JS) (3H) (4H) / (5H) (6H) (7H)", "", ""], stock="JC 2C 2D", jack_skip=True)
    match.play("""
        0 turn: draw stock; place: swap s1
        1 turn: draw stock; place: swap s0
        2 turn: draw stock; place: swap s0
        0 turn: draw pile; place: swap s0
        2 turn
    """)


def test_ker_12_the_enders_own_jack_costs_the_first_of_the_lap_its_turn(start: Start) -> None:
    """KER-13: the end trigger comes before the jack."""
    match = start("six-card", ["KS 4H 9D / KD AC (JS)", "", ""], final_turns="one_each", jack_skip=True)
    match.play("0 turn: draw stock; place: swap s5", "2 turn: draw stock; place: swap s5", "end")
    assert [event for event in match.news(None) if isinstance(event, Finished | Skipped)] == [
        Finished(seat=0),
        Skipped(seat=1),
    ]


def test_ker_13_a_jack_skips_nobody_where_the_stock_ends_the_round(start: Start) -> None:
    """KER-13 [AMB-86 GEN-08]: the stock check comes before the jack; no turn would have come."""
    match = start("six-card", [DOWN] * 3, stock="JC", stock_out="end", **NEVER)
    match.leave_in_stock(1)
    match.play("0 turn: draw stock; place: discard", "end")
    assert not any(isinstance(event, Skipped) for event in match.news(None))
