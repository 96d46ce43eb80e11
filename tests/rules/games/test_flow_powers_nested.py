"""The powers of Powers that nest, interrupt or undo: 9, 8, 2, shields and the black king, rule by rule."""

import pytest
from powers_played import COPIES, ONE, VIEWERS, ZERO, deal, discard
from scripted import Script, Start

from protocol.actions import (
    Action,
    AddCard,
    Allow,
    Block,
    Copy,
    Exchange,
    Expose,
    Hide,
    Keep,
    Nothing,
    Peek,
    Plant,
    RemoveCard,
    Shield,
    Shuffle,
    Stop,
    SwapLines,
    TakeTwo,
)
from protocol.events import (
    Blocked,
    Discarded,
    DrewTwo,
    Kept,
    Peeked,
    PowerUsed,
    Reshuffled,
    Shielded,
)

ATTACKS: list[tuple[str, Action]] = [
    ("AC", AddCard(seat=1)),
    ("3C", Shuffle(seat=1)),
    ("4C", Expose(target=(1, 0))),
    ("6C", Exchange(slot=0, target=(1, 0))),
    ("7C", SwapLines(seat=1, axis="row", lines=(0, 1))),
    ("9C", Plant(target=(1, 0))),
    ("10C", Peek(target=(1, 0))),
]
"""Every power that is aimed at another set, as seat 0 uses it against seat 1 (POW-17)."""


def power(card: str, name: str, *targets: tuple[int, int], against: int | None = None) -> PowerUsed[str | None]:
    """What seat 0's use of a card announces."""
    return PowerUsed(seat=0, card=card, power=name, against=against, targets=targets)


def with_shields(match: Script, *cards: str) -> Script:
    """The match, with shields of these cards beside the set of seat 1."""
    match.table.shields[1] = list(cards)
    return match


# 8


@pytest.mark.parametrize(
    ("kept", "grid", "pile"),
    [
        (0, "(8C) (3S) (4S) / (6S) (7S) (8S)", ["KH", "10S", "AS"]),
        (1, "(KH) (3S) (4S) / (6S) (7S) (8S)", ["8C", "10S", "AS"]),
        (2, "(10S) (3S) (4S) / (6S) (7S) (8S)", ["8C", "KH", "AS"]),
    ],
)
def test_c_182_an_eight_draws_two_more_and_keeps_one_of_three(
    start: Start, kept: int, grid: str, pile: list[str]
) -> None:
    """POW-20, POW-29: public is which two of three went to the pile; the order is 8, first, second, replaced card."""
    match = deal(start, "8C KH 10S")
    discard(match, TakeTwo(), then="0 pick8")
    assert match.offered == {"keep": [0, 1, 2, 0, 1, 2, 3, 4, 5]}
    assert match.ask.fallback == Keep(card=0, slot=0)
    assert match.table.pile == []
    match.game.answer(Keep(card=kept, slot=0))
    assert (match.grid(0), match.table.pile, match.open) == (grid, pile, "1 turn")
    for viewer in VIEWERS:
        drawn = ("KH", "10S")
        shown = ("8C", *drawn)[kept] if viewer == 0 or kept == 0 else None
        assert match.news(viewer)[1:] == [
            power("8C", "8"),
            DrewTwo(seat=0, cards=drawn if viewer == 0 else (None, None), stock=31),
            Kept(seat=0, slot=0, card=shown, discarded=tuple(pile)),
        ]


def test_pow_20_an_eight_draws_what_there_is(start: Start) -> None:
    """GEN-08: after a reshuffle, in which the 8 takes no part because it lies on no pile yet."""
    match = deal(start, "QC QD 8C KH")
    discard(match, then="1 turn")
    discard(match, seat=1, then="2 turn")
    match.leave_in_stock(2)
    news = discard(match, TakeTwo(), seat=2, then="2 pick8")
    assert news[1:] == [Reshuffled(stock=1), DrewTwo(seat=2, cards=(None, None), stock=0)]
    assert match.table.extra == ["KH", "QC"]
    match = deal(start, "8C KH")
    match.leave_in_stock(2)
    discard(match, TakeTwo(), then="0 pick8")
    assert match.offered["keep"][:2] == [0, 1]
    match = deal(start, "8C")
    match.leave_in_stock(1)
    discard(match, TakeTwo(), then="0 pick8")
    match.refuses("swap s0")
    match.game.answer(Keep(card=0, slot=5))
    assert match.table.pile == ["8S"]


# 2


def test_pow_11_a_two_copies_one_power_and_then_another(start: Start) -> None:
    """DEC-14: the second is chosen when the first has been resolved; POW-07: the 2 lies on the pile."""
    match = deal(start, "2C")
    match.play("0 turn: draw stock; place: discard; pick2")
    assert match.offered == {"copy": COPIES, "stop": []}
    assert match.ask.fallback == Stop()
    match.game.answer(Copy(power="10"))
    assert match.offered == {"peek": [(seat, slot) for seat in (1, 2) for slot in range(6)], "none": []}
    match.game.answer(Peek(target=(1, 0)))
    assert match.open == "0 pick2"
    assert match.news(0)[1:] == [
        power("2C", "2"),
        power("2C", "10", (1, 0), against=1),
        Peeked(seat=0, target=(1, 0), card="AH"),
    ]
    assert match.offered == {"copy": [name for name in COPIES if name != "10"], "stop": []}
    match.game.answer(Copy(power="6"))
    match.game.answer(Exchange(slot=5, target=(1, 0)))
    assert match.open == "1 turn"
    assert match.grid(0) == "(AS) (3S) (4S) / (6S) (7S) (AH)"
    assert match.table.pile == ["2C"]


def test_pow_11_a_two_may_stop_at_once_or_after_one(start: Start) -> None:
    assert discard(deal(start, "2C"), Stop(), then="1 turn") == [Discarded(seat=0, card="2C")]
    match = deal(start, "2C")
    discard(match, Copy(power="J"), Peek(target=(0, 0)), Stop(), then="1 turn")
    assert match.table.pile == ["2C"]


def test_pow_11_a_copy_may_be_declined_but_counts(start: Start) -> None:
    match = deal(start, "2C")
    discard(match, Copy(power="9"), Nothing(), then="0 pick2")
    assert "9" not in match.offered["copy"]
    match.game.answer(Copy(power="5"))
    match.game.answer(Nothing())
    assert (match.open, match.table.pile) == ("1 turn", ["2C"])


def test_pow_11_a_queen_is_copied_and_does_nothing(start: Start) -> None:
    """POW-12, POW-29: which power was used is public."""
    match = deal(start, "2C")
    news = discard(match, Copy(power="Q"), then="0 pick2")
    assert news == [power("2C", "2"), power("2C", "Q")]
    assert "Q" not in match.offered["copy"]


def test_c_181_a_two_stands_in_only_once(start: Start) -> None:
    """POW-11: as a shield it is gone from the pile, and cannot be placed as a 9."""
    match = deal(start, "2C")
    news = discard(match, Copy(power="5"), Shield(), then="0 pick2")
    assert news == [power("2C", "2"), power("2C", "5"), Shielded(seat=0, card="2C", shields=1)]
    assert (match.table.shields[0], match.table.pile) == (["2C"], [])
    assert "9" not in match.offered["copy"]


def test_pow_11_a_two_placed_as_a_nine_is_no_shield(start: Start) -> None:
    match = deal(start, "2C")
    discard(match, Copy(power="9"), Plant(target=(1, 2)), then="0 pick2")
    assert match.grid(1) == "(AH) (3H) (2C) / (6H) (7H) (8H)"
    assert match.table.pile == ["4H"]
    assert "5" not in match.offered["copy"]


def test_pow_11_after_standing_in_an_eight_keeps_a_drawn_card(start: Start) -> None:
    """DEC-13: the fallback is the first drawn card."""
    match = deal(start, "2C KH 10S")
    discard(match, Copy(power="5"), Shield(), Copy(power="8"), TakeTwo(), then="0 pick8")
    assert match.offered == {"keep": [1, 2, 0, 1, 2, 3, 4, 5]}
    assert match.ask.fallback == Keep(card=1, slot=0)
    match.game.answer(Keep(card=2, slot=0))
    assert match.grid(0) == "(10S) (3S) (4S) / (6S) (7S) (8S)"
    assert (match.table.pile, match.table.shields[0]) == (["KH", "AS"], ["2C"])


def test_pow_11_after_standing_in_an_eight_needs_a_card_to_draw(start: Start) -> None:
    match = deal(start, "2C")
    match.leave_in_stock(1)
    discard(match, Copy(power="5"), Shield(), then="0 pick2")
    assert "8" not in match.offered["copy"]


def test_pow_11_a_two_kept_as_the_eight_has_stood_in(start: Start) -> None:
    match = deal(start, "2C KH 10S")
    discard(match, Copy(power="8"), TakeTwo(), Keep(card=0, slot=0), then="0 pick2")
    assert match.grid(0) == "(2C) (3S) (4S) / (6S) (7S) (8S)"
    assert match.table.pile == ["KH", "10S", "AS"]
    assert not {"5", "8", "9"} & set(match.offered["copy"])


def test_pow_11_a_two_not_kept_as_the_eight_can_still_stand_in(start: Start) -> None:
    """POW-07: it is taken from the pile again, from below the other cards."""
    match = deal(start, "2C KH 10S")
    discard(match, Copy(power="8"), TakeTwo(), Keep(card=1, slot=0), then="0 pick2")
    assert match.table.pile == ["2C", "10S", "AS"]
    match.game.answer(Copy(power="5"))
    match.game.answer(Shield())
    assert (match.table.pile, match.table.shields[0]) == (["10S", "AS"], ["2C"])


def test_gen_08_with_stock_out_end_an_eight_that_draws_the_last_card_is_the_last_power(start: Start) -> None:
    match = deal(start, "2C KH", stock_out="end")
    match.leave_in_stock(2)
    discard(match, Copy(power="8"), TakeTwo(), Keep(card=1, slot=0), then="end")


# Shields (5)


def test_pow_16_several_shields_may_be_held(start: Start) -> None:
    match = deal(start, "5C QC 5S", ZERO, ONE)
    discard(match, Shield(), then="1 turn")
    discard(match, seat=1, then="0 turn")
    assert discard(match, Shield(), then="1 turn")[-1] == Shielded(seat=0, card="5S", shields=2)
    assert match.table.shields[0] == ["5C", "5S"]


@pytest.mark.parametrize(("card", "attack"), ATTACKS)
def test_pow_17_a_blocked_attack_has_no_effect(start: Start, card: str, attack: Action) -> None:
    """DEC-10: the question comes when the attack has been announced; a blocked 9 goes to the pile before the shield
    (POW-07)."""
    match = with_shields(deal(start, card), "5C")
    announced = discard(match, attack, then="1 block")
    assert announced == [event for event in announced if isinstance(event, PowerUsed) and event.against == 1]
    assert match.table.pile == ([] if card == "9C" else [card])
    assert (match.offered, match.ask.fallback) == ({"block": [], "allow": []}, Allow())
    match.game.answer(Block())
    for viewer in VIEWERS:
        assert match.news(viewer)[2:] == [Blocked(seat=1, shields=0, shield="5C")]
    assert (match.grid(0), match.grid(1), match.open) == (ZERO, ONE, "1 turn")
    assert match.table.pile == [card, "5C"]


@pytest.mark.parametrize(("card", "attack"), ATTACKS)
def test_pow_17_an_allowed_attack_happens_and_the_shield_stays(start: Start, card: str, attack: Action) -> None:
    match = with_shields(deal(start, card), "5C")
    discard(match, attack, Allow(), then="1 turn")
    assert match.table.shields[1] == ["5C"]
    assert len(match.news(None)) == 3
    assert match.grid(1) != ONE or card == "10C"


@pytest.mark.parametrize(("card", "attack"), [pair for pair in ATTACKS if pair[0] != "AC"])
def test_pow_17_attacks_through_a_two_can_be_blocked(start: Start, card: str, attack: Action) -> None:
    """A 2 that would have been placed as a 9 goes to the pile and stays used."""
    match = with_shields(deal(start, "2C"), "5C")
    discard(match, Copy(power=card[:-1]), attack, then="1 block")
    assert match.table.pile == ([] if card == "9C" else ["2C"])
    match.game.answer(Block())
    assert (match.grid(0), match.grid(1), match.open) == (ZERO, ONE, "0 pick2")
    assert match.table.pile == ["2C", "5C"]
    assert ("5" in match.offered["copy"]) == (card != "9C")


def test_c_212_two_shields_block_both_powers_of_a_two(start: Start) -> None:
    match = with_shields(deal(start, "2C"), "5C", "5S")
    discard(match, Copy(power="10"), Peek(target=(1, 0)), Block(), Copy(power="6"), then="0 power")
    match.game.answer(Exchange(slot=0, target=(1, 0)))
    assert match.open == "1 block"
    match.game.answer(Block())
    blocks = [event for event in match.news(None) if isinstance(event, Blocked)]
    assert blocks == [Blocked(seat=1, shields=1, shield="5C"), Blocked(seat=1, shields=0, shield="5S")]
    assert (match.table.pile, match.grid(1), match.open) == (["2C", "5C", "5S"], ONE, "1 turn")


@pytest.mark.parametrize(
    ("card", "use"), [("AC", RemoveCard(slot=0)), ("4C", Hide(slot=0)), ("JC", Peek(target=(0, 1)))]
)
def test_pow_17_a_power_over_the_own_set_is_no_attack(start: Start, card: str, use: Action) -> None:
    match = deal(start, card)
    match.table.at(0, 0).up = True
    match.table.shields = [["5C"], ["5S"], ["5D"]]
    discard(match, use, then="1 turn")


@pytest.mark.parametrize(
    ("uses", "told"),
    [
        (1, [(1, "5C"), (0, "5S")]),
        (2, [(2, None), (1, "5C"), (1, None), (0, "5S")]),
        ("unlimited", [(2, None)] * 4),
    ],
)
def test_pow_17_pow_29_how_many_blocks_a_shield_serves_and_which_one_leaves(
    start: Start, uses: int | str, told: list[tuple[int, str | None]]
) -> None:
    """Option `shield_uses`; the oldest shield is used up first, and everybody is told that it lies on the pile."""
    tens = "10C QC 10S QS 10H QH 10D QD"
    match = with_shields(deal(start, tens, ZERO, ONE, shield_uses=uses), "5C", "5S")
    for shields, gone in told:
        discard(match, Peek(target=(1, 0)), Block(), then="1 turn")
        for viewer in VIEWERS:
            assert match.news(viewer)[-1] == Blocked(seat=1, shields=shields, shield=gone)
        assert gone in (None, match.table.pile[-1])
        discard(match, seat=1, then="0 turn")
    if uses != "unlimited":
        assert [card for card in match.table.pile if card[0] == "5"] == ["5C", "5S"]
