"""The powers of Powers that one answer carries out, ace, 3, 4, 6, 7, 10 and jack, and the black king, rule by rule."""

from typing import Any

import pytest
from msgspec.structs import replace
from powers_played import COPIES, IN_ONE, IN_TWO, ONE, TWO, VIEWERS, ZERO, deal, discard
from scripted import Script, Start

from protocol.actions import (
    Action,
    AddCard,
    Block,
    CancelKnock,
    Copy,
    Discard,
    Exchange,
    Expose,
    Hide,
    Keep,
    Peek,
    Plant,
    RemoveCard,
    Shield,
    Shuffle,
    Stop,
    Swap,
    SwapLines,
    TakeTwo,
)
from protocol.events import (
    CardAdded,
    CardRemoved,
    Discarded,
    Drew,
    DrewTwo,
    Event,
    Exposed,
    Hidden,
    Kept,
    KnockCancelled,
    LinesSwapped,
    Peeked,
    Planted,
    PowerUsed,
    Reshuffled,
    Shielded,
    Shuffled,
    Swapped,
    Switched,
)
from protocol.offers import Offer, OneOf, Pick


def power(card: str, *targets: tuple[int, int], against: int | None = None) -> PowerUsed[str | None]:
    """What seat 0's use of a card announces."""
    return PowerUsed(seat=0, card=card, power=card[:-1], against=against, targets=targets)


# What each does


OWN = [(0, slot) for slot in range(6)]


@pytest.mark.parametrize(
    ("stock", "up", "offered", "answer", "events", "grids", "pile"),
    [
        pytest.param(
            "AC KH", None, {"add": [1, 2], "remove": [*range(6)]}, AddCard(seat=2),
            [power("AC", against=2), CardAdded(seat=0, target=(2, 6), stock=32)], {2: TWO + " / (KH) --"}, ["AC"],
            id="POW-10 an ace adds the top stock card unseen",
        ),
        pytest.param(
            "AC", None, {"add": [1, 2], "remove": [*range(6)]}, RemoveCard(slot=4),
            [power("AC", (0, 4)), CardRemoved(seat=0, target=(0, 4), card="7S")],
            {0: "(AS) (3S) (4S) / (6S) -- (8S)"}, ["AC", "7S"], id="POW-10 or removes an own card",
        ),
        pytest.param(
            "4C", (0, 3), {"expose": IN_ONE + IN_TWO, "hide": [3]}, Hide(slot=3),
            [power("4C", (0, 3)), Hidden(seat=0, target=(0, 3))], {0: ZERO}, ["4C"],
            id="POW-15 a 4 turns an own open card down",
        ),
        pytest.param(
            "5C", None, {"shield": []}, Shield(), [power("5C"), Shielded(seat=0, card="5C", shields=1)], {0: ZERO}, [],
            id="POW-16 a 5 is a shield beside the set",
        ),
        pytest.param(
            "6C", None, {"exchange": [*range(6), *IN_ONE, *IN_TWO]}, Exchange(slot=2, target=(1, 4)),
            [power("6C", (0, 2), (1, 4), against=1), Switched(seat=0, targets=((0, 2), (1, 4)))],
            {0: "(AS) (3S) (7H) / (6S) (7S) (8S)", 1: "(AH) (3H) (4H) / (6H) (4S) (8H)"}, ["6C"],
            id="C-211 POW-18 a 6 swaps an own card with an opponent's",
        ),
        pytest.param(
            "9C", (1, 2), {"plant": IN_ONE + IN_TWO}, Plant(target=(1, 2)),
            [power("9C", (1, 2), against=1), Planted(seat=0, target=(1, 2), card="9C", replaced="4H")],
            {1: "(AH) (3H) (9C) / (6H) (7H) (8H)"}, ["4H"],
            id="C-175 POW-13 POW-07 a 9 takes the place of an opponent's card and never lies on the pile",
        ),
        pytest.param(
            "10C", None, {"peek": IN_ONE + IN_TWO}, Peek(target=(2, 5)),
            [power("10C", (2, 5), against=2), Peeked(seat=0, target=(2, 5), card="8D")], {}, ["10C"],
            id="POW-12 a 10 looks at an opponent's card",
        ),
        pytest.param(
            "JC", None, {"peek": OWN}, Peek(target=(0, 5)),
            [power("JC", (0, 5)), Peeked(seat=0, target=(0, 5), card="8S")], {}, ["JC"],
            id="POW-12 a jack looks at an own card",
        ),
    ],
)  # fmt: skip
def test_pow_29_what_a_power_offers_and_does_and_who_sees_it(
    start: Start,
    *,
    stock: str,
    up: tuple[int, int] | None,
    offered: dict[str, list[Any]],
    answer: Action,
    events: list[Event],
    grids: dict[int, str],
    pile: list[str],
) -> None:
    """The others see the same but for the card of a look."""
    match = deal(start, stock)
    if up:
        match.table.at(*up).up = True
    match.play("0 turn: draw stock; place: discard; power")
    assert match.offered == offered | {"none": []}
    match.game.answer(answer)
    assert match.news(0)[1:] == events
    for viewer in (None, 1, 2):
        assert match.news(viewer)[1:] == [
            replace(event, card=None) if isinstance(event, Peeked) else event for event in events
        ]
    assert ({seat: match.grid(seat) for seat in grids}, match.table.pile, match.open) == (grids, pile, "1 turn")


# Where an added card lies


def test_pow_08_an_added_card_fills_the_lowest_hole_and_then_opens_a_column(start: Start) -> None:
    """s6 and s7 are the fourth column, s8 opens the fifth."""
    match = deal(
        start, "AC 2S QS AS 2H QH AD 2D QD AH 2C", "(3S) (4S) (5S) / (6S) (7S) (8S)", "(10S) (9H) -- / -- (9D) (10D)"
    )
    for seat in (0, 1, 0, 1, 0, 1):
        discard(match, *[AddCard(seat=1)] * (seat == 0), seat=seat, then=f"{1 - seat} turn")
    assert match.grid(1) == "(10S) (9H) (2S) / (2H) (9D) (10D) / (2D) --"
    discard(match, AddCard(seat=1), then="1 turn")
    assert match.grid(1) == "(10S) (9H) (2S) / (2H) (9D) (10D) / (2D) (2C)"
    match = deal(start, "AC 2S")
    match.table.layouts[1] += match.table.layouts[1][:2]
    discard(match, AddCard(seat=1), then="1 turn")
    assert [number for number, slot in enumerate(match.table.layouts[1]) if slot is None] == [9]
    assert match.table.at(1, 8).card == "2S"


def test_pow_10_the_ace_lies_on_the_pile_when_its_card_is_drawn(start: Start) -> None:
    """POW-07, GEN-08: the one card below it is reshuffled; without any there is nothing to add."""
    match = deal(start, "QC AC")
    discard(match, then="1 turn")
    match.leave_in_stock(1)
    assert discard(match, AddCard(seat=0), seat=1, then="end")[1:3] == [
        Reshuffled(stock=1),
        CardAdded(seat=1, target=(0, 6), stock=0),
    ]
    assert match.grid(0) == ZERO + " / (QC) --"
    bare = deal(start, "AC")
    bare.leave_in_stock(1)
    bare.play("0 turn: draw stock; place: discard; power")
    assert "add" not in bare.offered


# 3, 4, 7


def test_c_179_a_three_turns_a_set_down_and_shuffles_it(start: Start) -> None:
    """POW-14: over the occupied slots; nobody is told the order (POW-29)."""
    match = deal(start, "3C", ZERO, "(AH) (3H) -- / (6H) (7H) (8H)", TWO)
    match.table.at(1, 3).up = True
    shuffled = match.table.chance.shuffle(1, 1, ("AH", "3H", "6H", "7H", "8H"))
    assert shuffled != ("AH", "3H", "6H", "7H", "8H")
    discard(match, Shuffle(seat=1), then="1 turn")
    for viewer in VIEWERS:
        assert match.news(viewer)[1:] == [power("3C", against=1), Shuffled(seat=0, of=1)]
    first, second, *rest = (f"({card})" for card in shuffled)
    assert match.grid(1) == f"{first} {second} -- / {' '.join(rest)}"


def test_c_184_a_four_turns_an_opponents_card_up_or_an_own_one_down(start: Start) -> None:
    """POW-15, POW-09: in between a 6 moves it away, and it keeps its face."""
    match = deal(start, "4C QC QD 6C 4D", ZERO, ONE, "")
    discard(match, Expose(target=(1, 0)), then="1 turn")
    assert match.news(None)[1:] == [power("4C", (1, 0), against=1), Exposed(seat=0, target=(1, 0), card="AH")]
    discard(match, seat=1, then="2 turn")
    discard(match, seat=2, then="0 turn")
    discard(match, Exchange(slot=2, target=(1, 0)), then="1 turn")
    assert match.grid(0) == "(AS) (3S) AH / (6S) (7S) (8S)"
    assert match.grid(1) == "(4S) (3H) (4H) / (6H) (7H) (8H)"
    match.play("1 turn: draw stock; place: discard; power")
    assert match.offered["expose"] == [(0, slot) for slot in (0, 1, 3, 4, 5)] + IN_TWO


@pytest.mark.parametrize("hidden", [True, False])
def test_c_185_a_seven_swaps_two_columns_that_only_the_actor_knows(start: Start, hidden: bool) -> None:
    """POW-19: with `hidden_rearrange`; face-up cards are seen in their new places."""
    match = deal(start, "7C", hidden_rearrange=hidden)
    match.table.at(1, 3).up = True
    discard(match, SwapLines(seat=1, axis="column", lines=(0, 2)), then="1 turn")
    assert match.grid(1) == "(4H) (3H) (AH) / (8H) (7H) 6H"
    for viewer in VIEWERS:
        knows = viewer == 0 or not hidden
        assert match.news(viewer)[1:] == [
            power("7C", against=1),
            LinesSwapped(
                seat=0,
                of=1,
                axis="column" if knows else None,
                lines=(0, 2) if knows else None,
                layout=("?", "?", "?", "?", "?", "6H"),
            ),
        ]


@pytest.mark.parametrize(
    ("axis", "lines", "grid"),
    [
        ("row", (0, 1), "(6H) (7H) (8H) / (AH) -- (4H) / -- (KH)"),
        ("row", (1, 0), "(6H) (7H) (8H) / (AH) -- (4H) / -- (KH)"),
        ("column", (0, 1), "-- (AH) (4H) / (7H) (6H) (8H) / (KH) --"),
        ("column", (1, 3), "(AH) (KH) (4H) / (6H) -- (8H) / -- (7H)"),
        ("column", (3, 2), "(AH) -- (KH) / (6H) (7H) -- / (4H) (8H)"),
    ],
)
def test_pow_19_lines_of_a_grown_set_with_holes(start: Start, axis: Any, lines: Any, grid: str) -> None:
    """POW-08: the fourth column is s6 over s7; empty slots move along."""
    match = deal(start, "AC KH QC QD 7C", ZERO, "(AH) -- (4H) / (6H) (7H) (8H)", TWO)
    discard(match, AddCard(seat=1), then="1 turn")
    layout = match.table.layouts[1]
    assert [slot.card if slot else None for slot in layout] == ["AH", "KH", "4H", "6H", "7H", "8H"]
    layout += [layout[1], None]
    layout[1] = None
    discard(match, seat=1, then="2 turn")
    discard(match, seat=2, then="0 turn")
    match.play("0 turn: draw stock; place: discard; power")
    seat = OneOf((1,))
    assert match.ask.offers[:2] == (
        Offer(kind="swap_lines", seat=seat, axis=OneOf(("row",)), lines=Pick(2, (0, 1))),
        Offer(kind="swap_lines", seat=seat, axis=OneOf(("column",)), lines=Pick(2, (0, 1, 2, 3))),
    )
    match.game.answer(SwapLines(seat=1, axis=axis, lines=lines))
    assert match.grid(1) == grid


# Black kings


def lap(start: Start, stock: str, zero: str = ZERO, one: str = ONE, two: str = TWO, **options: Any) -> Script:
    """Seat 0 has knocked; seats 1 and 2 have a turn each."""
    match = deal(start, stock, zero, one, two, **options)
    match.play("0 turn: knock", "1 turn")
    return match


KING_ONE = "(KS) (3H) (4H) / (6H) (7H) (8H)"
KING_TWO = "(KS) (3D) (4D) / (6D) (7D) (8D)"
KING_ZERO = "(KS) (3S) (4S) / (6S) (7S) (8S)"


def test_pow_22_a_drawn_black_king_cancels_a_knock_by_choice(start: Start) -> None:
    """(a)"""
    match = lap(start, "KC")
    match.play("1 turn: draw stock; place: discard; power")
    assert match.offered == {"cancel_knock": [], "none": []}
    match.game.answer(CancelKnock())
    for viewer in VIEWERS:
        assert match.news(viewer)[1:] == [
            PowerUsed(seat=1, card="KC", power="BK", against=None, targets=()),
            KnockCancelled(knocker=0),
        ]
    assert match.open == "2 turn"
    assert match.offered == {"draw": ["stock"], "knock": []}


def test_pow_22_a_two_can_copy_a_black_king_while_a_knock_is_pending(start: Start) -> None:
    """(b): the second power of the 2 is still to come, and no other black king."""
    match = lap(start, "2C")
    match.play("1 turn: draw stock; place: discard; pick2")
    assert match.offered["copy"] == [*COPIES, "BK"]
    match.game.answer(Copy(power="BK"))
    match.game.answer(CancelKnock())
    assert match.open == "1 pick2"
    assert match.offered["copy"] == COPIES
    assert match.news(None)[-1] == KnockCancelled(knocker=0)


@pytest.mark.parametrize(
    ("stock", "answers", "sets"),
    [
        ("9C", (Discard(), Plant(target=(0, 0))), (KING_ZERO, ONE, TWO)),
        ("9C", (Discard(), Plant(target=(2, 0))), (ZERO, ONE, KING_TWO)),
        ("AC", (Discard(), RemoveCard(slot=0)), (ZERO, KING_ONE, TWO)),
        ("8C 10C 10S", (Discard(), TakeTwo(), Keep(card=1, slot=0)), (ZERO, KING_ONE, TWO)),
        ("4C", (Discard(), Expose(target=(0, 0))), (KING_ZERO, ONE, TWO)),
        ("4C", (Discard(), Expose(target=(2, 0))), (ZERO, ONE, KING_TWO)),
        ("2C", (Discard(), Copy(power="4"), Expose(target=(2, 0)), Stop()), (ZERO, ONE, KING_TWO)),
    ],
)
def test_pow_22_a_black_king_that_turns_up_in_the_lap_cancels_by_itself(
    start: Start, stock: str, answers: tuple[Action, ...], sets: tuple[str, str, str]
) -> None:
    """(c): from any set, also the knocker's and the own."""
    match = lap(start, stock, *sets)
    match.play("1 turn: draw stock; place")
    for answer in answers:
        match.game.answer(answer)
    assert match.news(None)[-1] == KnockCancelled(knocker=0)
    assert match.open == "2 turn"
    assert match.offered == {"draw": ["stock"], "knock": []}


def test_pow_22_a_black_king_replaced_by_a_swap_cancels(start: Start) -> None:
    """(c), POW-06: the one effect of a replaced card."""
    match = lap(start, "10C", one=KING_ONE)
    match.play("1 turn: draw stock; place: swap s0", "2 turn")
    assert match.news(None)[-1] == KnockCancelled(knocker=0)
    match = lap(start, "", one=KING_ONE, up="10C", powers_draw_pile=True)
    match.play("1 turn: draw pile; place: swap s0", "2 turn")
    assert match.news(None)[-1] == KnockCancelled(knocker=0)


def test_pow_22_red_kings_and_what_an_eight_does_not_keep_cancel_nothing(start: Start) -> None:
    """POW-20: of the cards of an 8 only the replaced one counts."""
    match = lap(start, "8C KS KC", one="(KH) (3H) (4H) / (6H) (7H) (8H)")
    discard(match, TakeTwo(), Keep(card=0, slot=0), seat=1, then="2 turn")
    assert match.table.ended_by == 0


def test_pow_22_amb_51_a_black_king_cancels_by_being_drawn_by_option(start: Start) -> None:
    """INF-04, INF-07, POW-23: everybody sees it, and where it then lies; there is no power left to use."""
    match = lap(start, "KC QC KS", black_king_cancels="drawn")
    match.play("1 turn: draw stock; place")
    for viewer in VIEWERS:
        assert match.news(viewer) == [Drew(seat=1, source="stock", card="KC", stock=33), KnockCancelled(knocker=0)]
    assert match.offered == {"swap": [0, 1, 2, 3, 4, 5], "discard": []}
    match.play("1 place: swap s0", "2 turn")
    for viewer in VIEWERS:
        assert match.news(viewer) == [Swapped(seat=1, slot=0, card="KC", face_up=False, replaced="AH")]
    assert match.offered == {"draw": ["stock"], "knock": []}
    discard(match, seat=2, then="0 turn")
    match.play("0 turn: knock", "1 turn: draw stock; place: discard", "2 turn")
    assert match.news(None)[1:] == [
        Drew(seat=1, source="stock", card="KS", stock=31),
        KnockCancelled(knocker=0),
        Discarded(seat=1, card="KS"),
    ]


@pytest.mark.parametrize("stock", ["8C", "2C"])
def test_pow_22_amb_51_a_black_king_drawn_by_an_eight_cancels_too(start: Start, stock: str) -> None:
    """POW-20, POW-11: of two the first is shown, and the other stays private."""
    match = lap(start, f"{stock} KS KC", black_king_cancels="drawn")
    match.play("1 turn: draw stock; place")
    for answer in (Discard(), *((Copy(power="8"),) if stock == "2C" else ()), TakeTwo()):
        match.game.answer(answer)
    for viewer in VIEWERS:
        assert match.news(viewer)[-2:] == [
            DrewTwo(seat=1, cards=("KS", "KC" if viewer == 1 else None), stock=31),
            KnockCancelled(knocker=0),
        ]
    match.game.answer(Keep(card=1, slot=0))
    kept = next(event for event in match.news(None) if isinstance(event, Kept))
    assert (kept.card, kept.discarded) == ("KS", (stock, "KC", "AH"))
    assert match.table.ended_by is None


def test_pow_22_amb_51_no_other_way_of_a_black_king_cancels_unseen(start: Start) -> None:
    """Neither is it drawn when it comes from the pile or goes to somebody unseen, nor is there a knock before one."""
    match = lap(start, "QC", up="KC", powers_draw_pile=True, black_king_cancels="drawn")
    match.play("1 turn: draw pile; place: swap s0", "2 turn")
    assert match.table.ended_by == 0
    match = lap(start, "AC KC", black_king_cancels="drawn")
    discard(match, AddCard(seat=2), seat=1, then="2 turn")
    assert match.table.ended_by == 0
    match = deal(start, "KC", black_king_cancels="drawn")
    match.play("0 turn: draw stock; place")
    assert match.news(1) == [Drew(seat=0, source="stock", card=None, stock=33)]


def test_pow_22_amb_51_the_last_stock_card_cancels_too(start: Start) -> None:
    """GEN-08: no power follows it, but this one needs none; nobody has ended the round."""
    match = lap(start, "KC", stock_out="end", black_king_cancels="drawn", knock_penalty="add:10")
    match.leave_in_stock(1)
    match.play("1 turn: draw stock; place: discard", "end")
    assert match.game.result.rounds[0].ender is None


@pytest.mark.parametrize(
    ("stock", "answers", "sets"),
    [
        ("10C", (Swap(slot=0),), (ZERO, KING_ONE, TWO)),
        ("9C", (Discard(), Plant(target=(2, 0))), (ZERO, ONE, KING_TWO)),
        ("AC", (Discard(), RemoveCard(slot=0)), (ZERO, KING_ONE, TWO)),
        ("8C 10C 10S", (Discard(), TakeTwo(), Keep(card=0, slot=0)), (ZERO, KING_ONE, TWO)),
    ],
)
def test_c_215_a_black_king_that_lay_open_before_the_knock_never_cancels(
    start: Start, stock: str, answers: tuple[Action, ...], sets: tuple[str, str, str]
) -> None:
    """POW-22: a 4 had turned it up."""
    match = deal(start, f"4C QC QD {stock}", *sets)
    discard(match, Expose(target=(1 if "KS" in sets[1] else 2, 0)), then="1 turn")
    discard(match, seat=1, then="2 turn")
    discard(match, seat=2, then="0 turn")
    match.play("0 turn: knock", "1 turn: draw stock; place")
    for answer in answers:
        match.game.answer(answer)
    assert (match.table.pile[-1], match.table.ended_by, match.open) == ("KS", 0, "2 turn")


def test_c_215_a_black_king_turned_down_by_a_four_is_not_turned_up(start: Start) -> None:
    """Neither is one that a 6 moves openly."""
    match = lap(start, "4C 6C", one=KING_ONE)
    match.table.at(1, 0).up = True
    discard(match, Hide(slot=0), seat=1, then="2 turn")
    assert match.table.ended_by == 0


def test_c_178_a_black_king_has_no_effect_at_showdown(start: Start) -> None:
    match = lap(start, "QC QD", one=KING_ONE)
    discard(match, seat=1, then="2 turn")
    discard(match, seat=2, then="end")
    (result,) = match.game.result.rounds
    assert (result.ender, result.raw) == (0, (29, 28, 29))


def test_c_176_after_a_cancelled_knock_play_goes_on_left_of_the_actor(start: Start) -> None:
    """POW-22, POW-23: everybody may knock again, the former knocker too, and has a turn in the new lap."""
    match = lap(start, "QC 9C QD QH", "(AS) (3S) (4S) / (6S) (7S) (KS)", knock_penalty="add:10")
    discard(match, seat=1, then="2 turn")
    news = discard(match, Plant(target=(0, 5)), seat=2, then="0 turn")
    assert news[1:] == [
        Planted(seat=2, target=(0, 5), card="9C", replaced="KS"),
        KnockCancelled(knocker=0),
    ]
    assert match.table.pile[-1] == "KS"
    assert match.offered == {"draw": ["stock"], "knock": []}
    discard(match, seat=0, then="1 turn")
    match.play("1 turn: knock", "2 turn")
    discard(match, seat=2, then="0 turn")
    match.play("0 turn: draw stock; place: swap s5", "end")
    assert match.game.result.rounds[0].ender == 1


def test_pow_17_pow_22_a_blocked_nine_turns_no_king_up(start: Start) -> None:
    match = lap(start, "QC 9C", one=KING_ONE)
    match.table.shields[1] = ["5C"]
    discard(match, seat=1, then="2 turn")
    discard(match, Plant(target=(1, 0)), Block(), seat=2, then="end")
    assert match.game.result.rounds[0].ender == 0
