"""Slap windows: who may slap what, in which order, what each slap does, and how windows end rounds."""

from typing import Any

import pytest
from scripted import Script, Start

from protocol.actions import Action, Draw, Give, Pass, Slap
from protocol.events import Discarded, Drew, Gave, Peeked, Reshuffled, Scored, Showdown, Slapped, WindowClosed
from protocol.offers import OneOf
from referee.rules.check_options import with_options
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Window

ZERO = "(2S) (3S) / (4S) (8D)"
ONE = "(2H) (7H) / (4H) (5H)"
TWO = "(2D) (7D) / (4D) (5D)"


def window(match: Script) -> Window:
    assert isinstance(match.game.question, Window)
    return match.game.question


def after_7c(start: Start, zero: str = ZERO, one: str = ONE, two: str = TWO, more: str = "", **options: Any) -> Script:
    """Seat 0 has drawn and discarded 7C; the window is open."""
    match = start("cactus", [zero, one, two], stock=f"7C {more}", **options)
    match.play("0 turn: draw stock; place: discard; window")
    return match


# Slaps


WON = (1, (1, 1), "7H", "right", None, 39)
"""Seat 1 slaps its seven, before anybody else."""


@pytest.mark.parametrize(
    ("given", "window", "slapped", "grids"),
    [
        pytest.param(
            {}, "1 at 1 s1", [WON], {1: "(2H) -- / (4H) (5H)"}, id="C-133 CAC-26 CAC-27 a right own card"
        ),
        pytest.param(
            {"one": "(2H) (9D) / (4H) (5H)"}, "1 at 1 s1", [(1, (1, 1), "9D", "wrong", 4, 38)],
            {1: "(2H) (9D) / (4H) (5H) / (6C)"}, id="C-134 CAC-28 a wrong own card comes back with a penalty card",
        ),
        pytest.param(
            {}, "1 at 1 s1, 2 at 2 s1", [WON, (2, (2, 1), "7D", "late", None, 39)], {2: TWO},
            id="C-136 CAC-31 CAC-34 the second right card goes back",
        ),
        pytest.param(
            {}, "1 at 1 s1, 2 at 2 s0", [WON, (2, (2, 0), "2D", "wrong", 4, 38)],
            {2: "(2D) (7D) / (4D) (5D) / (6C)"}, id="C-137 a wrong card costs a penalty also when it is late",
        ),
        pytest.param(
            {"zero": "(2S) (3S) / (4S) (QD)"}, "2 at 0 s3", [(2, (0, 3), "QD", "wrong", 4, 39)],
            {0: "(2S) (3S) / (4S) --", 2: "(2D) (7D) / (4D) (5D) / (QD)"},
            id="C-139 CAC-30 CAC-37 a wrong card of another seat becomes the slapper's",
        ),
        pytest.param(
            {}, "1 at 1 s1, 2 at 0 s0", [WON, (2, (0, 0), "2S", "wrong", 4, 39)],
            {2: "(2D) (7D) / (4D) (5D) / (2S)"},
            id="CAC-32 a wrong card of another seat becomes the slapper's also when it is late",
        ),
        pytest.param(
            {"zero": "(2S) (3S) / (4S) (7S)"}, "1 at 1 s1, 2 at 0 s3",
            [WON, (2, (0, 3), "7S", "late", None, 39)], {0: "(2S) (3S) / (4S) (7S)", 2: TWO},
            id="C-140 CAC-31 a late right card of another seat stays",
        ),
        pytest.param(
            {"zero": "(2S) (3S) / (4S) (7S)", "late_card": "slapper"}, "1 at 1 s1, 2 at 0 s3, 0 at 0 s3",
            [WON, (2, (0, 3), "7S", "late", 4, 39)],
            {0: "(2S) (3S) / (4S) --", 2: "(2D) (7D) / (4D) (5D) / (7S)"},
            id="CAC-31 CAC-33 AMB-40 by option a late card becomes the slapper's, and the next slap finds it gone",
        ),
        pytest.param(
            {"late_card": "slapper"}, "1 at 1 s1, 2 at 2 s1", [WON, (2, (2, 1), "7D", "late", None, 39)], {2: TWO},
            id="AMB-40 a late own card goes back whatever the option says",
        ),
        pytest.param(
            {"one": "(2H) (9D) / (4H) (5H)"}, "1 at 1 s1, 2 at 1 s1",
            [(1, (1, 1), "9D", "wrong", 4, 38), (2, (1, 1), "9D", "wrong", 4, 38)],
            {1: "(2H) -- / (4H) (5H) / (6C)", 2: "(2D) (7D) / (4D) (5D) / (9D)"},
            id="C-143 CAC-33 a card that came back can be slapped again",
        ),
        pytest.param(
            {"zero": "(2S) (3S) / (4S) (9D)"}, "1 at 0 s3, 2 at 0 s3", [(1, (0, 3), "9D", "wrong", 4, 39)], {2: TWO},
            id="C-142 CAC-33 the second slap at a card that has gone is void, and nothing is told of it",
        ),
    ],
)  # fmt: skip
def test_cac_26_what_a_slap_does(
    start: Start, given: dict[str, Any], window: str, slapped: list[tuple[Any, ...]], grids: dict[int, str]
) -> None:
    """Everybody sees the same; next is the discarder's left."""
    match = after_7c(start, more="6C", **given)
    match.play(f"window: {window}", "1 turn")
    names = ("seat", "target", "card", "verdict", "new_slot", "stock")
    slaps = [Slapped[str | None](**dict(zip(names, one, strict=True))) for one in slapped]
    for viewer in (None, 0, 1, 2):
        assert match.news(viewer) == [*slaps, WindowClosed()]
    assert {seat: match.grid(seat) for seat in grids} == grids
    assert match.table.pile == ["7C", *(slap.card for slap in slaps if slap.verdict == "right")]


def test_cac_29_a_right_card_of_another_seat_is_paid_for_with_an_own_one(start: Start) -> None:
    """DEC-09, INF-04: any own card may be given, and where it goes is seen by all, the card by nobody."""
    match = after_7c(start, zero="(2S) (3S) / (4S) (7S)")
    match.play("window: 2 at 0 s3", "2 give")
    assert match.table.pile == ["7C", "7S"]
    assert match.offered == {"give": [0, 1, 2, 3]}
    assert match.ask.fallback == Give(slot=0)
    match.play("2 give: give s2", "1 turn")
    for viewer in (None, 0, 1, 2):
        assert match.news(viewer) == [Gave(seat=2, slot=2, target=(0, 3)), WindowClosed()]
    assert match.grid(0) == "(2S) (3S) / (4S) (4D)"
    assert match.grid(2) == "(2D) (7D) / -- (5D)"


def test_cac_29_the_gift_waits_for_all_slaps_and_may_be_a_card_just_received(start: Start) -> None:
    match = after_7c(start, zero="(2S) (3S) / (4S) (7S)", more="6C")
    match.play("window: 2 at 0 s3, 1 at 1 s0, 0 at 2 s0", "2 give: give s1", "1 turn")
    assert match.grid(0) == "(2S) (3S) / (4S) (7D) / (2D)"
    assert match.grid(1) == "(2H) (7H) / (4H) (5H) / (6C)"
    assert match.grid(2) == "-- -- / (4D) (5D)"


def test_c_160_slapped_cards_open_no_window(start: Start) -> None:
    """C-160 [CAC-34]."""
    match = after_7c(start, two="(2D) (7S) / (4D) (5D)")
    match.play("window: 1 at 1 s1", "1 turn: draw stock; place")
    assert match.table.windows == 1


def test_c_161_the_discarder_slaps_its_new_card(start: Start) -> None:
    """C-161 [CAC-22]: a replaced card opens a window, and its rank is what counts."""
    match = start("cactus", ["(7D) (3S) / (4S) (8D)", ONE, ""], stock="7C")
    match.play("0 turn: draw stock; place: swap s0; window: 0 at 0 s0", "1 turn")
    assert match.table.pile == ["7D", "7C"]
    assert match.grid(0) == "-- (3S) / (4S) (8D)"


@pytest.mark.parametrize("matching", [True, False])
def test_c_164_every_seat_is_asked_alike_and_passes_leave_no_trace(start: Start, *, matching: bool) -> None:
    """C-164 [CAC-23 DEC-08 DEC-16]: the same slaps are legal whatever the cards are."""
    match = after_7c(start, one=ONE if matching else "(2H) (3H) / (4H) (5H)", two="(2D) (3D) / (4D) (5D)")
    asks = window(match).asks
    assert [ask.seat for ask in asks] == [0, 1, 2]
    assert len({(ask.offers, ask.decision, ask.fallback) for ask in asks}) == 1
    assert asks[0].fallback == Pass()
    match.play("window: nobody", "1 turn")
    for viewer in (None, 0, 1, 2):
        assert match.news(viewer) == [WindowClosed()]


def test_c_209_a_slap_at_an_empty_or_unknown_slot_is_illegal(start: Start) -> None:
    """C-209 [CAC-24 DEC-08]: one slap for each seat, at any seat's cards."""
    match = after_7c(start, zero="(2S) (3S) / -- (4S)")
    for target in ("0 s2", "0 s4", "3 s0"):
        match.refuses(f"1 at {target}")
    match.refuses("1 at 0 s0, 1 at 0 s1")
    match.refuses("3 at 0 s0")
    match.play("window: 0 at 2 s0", "1 turn")


def test_option_slaps_off_opens_no_window(start: Start) -> None:
    match = start("cactus", [ZERO, ONE, TWO], stock="7C QC", slaps=False)
    match.play("""
        0 turn: draw stock; place: discard
        1 turn: draw stock; place: discard; power: none
        2 turn
    """)


# Another window where all slaps were wrong


def test_cac_45_amb_37_who_slapped_wrong_may_slap_again_by_option(start: Start) -> None:
    """CAC-24, CAC-28: with its penalty card, which nobody has seen, among the cards that may be slapped."""
    match = after_7c(start, more="6C", slap_tries=2)
    match.play("window: 1 at 1 s0", "window")
    assert [type(event) for event in match.news(None)] == [Slapped, WindowClosed]
    again = window(match)
    assert again.number == 2
    assert [ask.seat for ask in again.asks] == [0, 1, 2]
    assert all((1, 4) in targets.one_of for ask in again.asks if isinstance(targets := ask.offers[1].target, OneOf))
    match.play("window: 1 at 1 s1", "1 turn")
    assert match.table.pile == ["7C", "7H"]
    assert match.grid(1) == "(2H) -- / (4H) (5H) / (6C)"


def test_cac_45_there_are_no_more_windows_than_tries(start: Start) -> None:
    match = after_7c(start, slap_tries=3)
    match.play("""
        window: 1 at 1 s0
        window: 1 at 1 s2
        window: 1 at 1 s3
        1 turn
    """)
    assert len(match.table.layouts[1]) == 7


@pytest.mark.parametrize("slaps", ["nobody", "1 at 1 s1", "2 at 2 s0, 1 at 1 s1", "1 at 1 s1, 2 at 2 s0"])
def test_cac_45_no_further_window_follows_a_right_slap_or_none(start: Start, slaps: str) -> None:
    after_7c(start, slap_tries=5).play(f"window: {slaps}", "1 turn")


def test_cac_45_a_void_slap_says_nothing(start: Start) -> None:
    """CAC-33, INF-09: the further window opens for the slap that everybody saw; who slapped in vain has it, too."""
    match = after_7c(start, zero="(2S) (3S) / (4S) (9D)", slap_tries=2)
    match.play("window: 1 at 0 s3, 2 at 0 s3", "window: 2 at 2 s1", "1 turn")
    assert [(event.seat, event.verdict) for event in match.news(0) if isinstance(event, Slapped)] == [
        (1, "wrong"),
        (2, "right"),
    ]


def test_cac_45_cac_21_the_stock_that_runs_out_ends_the_round_after_the_first_window(start: Start) -> None:
    match = after_7c(start, more="6C", slap_tries=2)
    match.leave_in_stock(1)
    match.play("window: 1 at 1 s0", "end")
    assert [type(event) for event in match.news(None)] == [Slapped, WindowClosed, Showdown, Scored]


def test_cac_45_cmb_09_the_power_comes_after_all_windows(start: Start) -> None:
    """CAC-14, in Cambio; the next discard has its tries anew."""
    match = start("cambio", [ZERO, ONE], stock="JC 9C 8C 6C", slaps=True, slap_tries=2)
    match.play("""
        0 turn: draw stock; place: discard; window: 1 at 1 s0; window: 0 at 0 s0; power: none
        1 turn: draw stock; place: discard; window: 1 at 1 s1; window: nobody
        0 turn
    """)


# What is equal to the discard


@pytest.mark.parametrize(
    ("match", "slapped", "values", "verdict"),
    [
        ("rank", "JH", {}, "wrong"),
        ("points", "JH", {}, "right"),
        ("points", "QH", {}, "right"),
        ("points", "10H", {}, "right"),
        ("points", "9H", {}, "wrong"),
        ("points", "3H", {"3": 10}, "right"),
        ("points", "JH", {"J": 11}, "wrong"),
        ("points", "JH", {"10C": 4}, "wrong"),
        ("points", "4H", {"10C": 4}, "right"),
    ],
)
def test_cac_22_amb_83_equal_in_rank_or_in_points(
    start: Start, match: str, slapped: str, values: dict[str, int], verdict: str
) -> None:
    """Option `slap_match`: a 10 is discarded; points are those of this game, `values` included."""
    options: dict[str, Any] = {"slap_match": match} | ({"values": values} if values else {})
    one = f"({slapped}) (7H) / (6H) (5H)"
    game = start("cactus", ["(2S) (3S) / (4S) (8D)", one, TWO], stock="10C", **options)
    game.play("0 turn: draw stock; place: discard; window: 1 at 1 s0", "1 turn")
    assert [event.verdict for event in game.news(None) if isinstance(event, Slapped)] == [verdict]


def test_cmb_09_amb_83_in_cambio_points_are_cambios(start: Start) -> None:
    """CAC-22: a joker of no points is equal to a king."""
    match = start("cambio", [ZERO, "(X1) (7H) / (4H) (5H)"], stock="KC", slaps=True, slap_match="points", joker_value=0)
    match.play("0 turn: draw stock; place: discard; window: 1 at 1 s0; power")
    assert match.table.pile[-2:] == ["KC", "X1"]


# The power before the slaps


def test_cac_14_amb_35_the_power_comes_before_the_slaps_by_option(start: Start) -> None:
    """CAC-15: who has peeked may slap what it saw, and the power is not asked for a second time."""
    match = start("cactus", [ZERO, "(QH) (7H) / (4H) (5H)", TWO], stock="QC", power_before_slaps=True)
    match.play("0 turn: draw stock; place: discard; power: peek 1 s0; window")
    assert [type(event) for event in match.news(1)] == [Drew, Discarded, Peeked]
    match.play("window: 0 at 1 s0", "0 give: give s3", "1 turn")
    assert match.grid(1) == "(8D) (7H) / (4H) (5H)"


def test_cac_14_amb_35_a_declined_power_and_a_discard_without_power_open_the_window_at_once(start: Start) -> None:
    """CAC-13, CAC-22: a jack that was replaced has its power, too."""
    match = start("cactus", ["(JD) (3S) / (4S) (8D)", ONE, TWO], stock="2C 7C", power_before_slaps=True)
    match.play("""
        0 turn: draw stock; place: swap s0; power: none; window: nobody
        1 turn: draw stock; place: discard; window: 2 at 2 s1
        2 turn
    """)
    assert match.table.pile[-2:] == ["7C", "7D"]


@pytest.mark.parametrize("first", [True, False])
def test_c_149_amb_35_the_last_stock_card_brings_neither_window_nor_power(start: Start, first: bool) -> None:
    match = start("cactus", [ZERO, ONE, TWO], stock="QC", power_before_slaps=first)
    match.leave_in_stock(1)
    match.play("0 turn: draw stock; place: discard", "end")
    assert match.game.result.rounds[0].ender is None


def test_cac_21_amb_35_a_last_stock_card_that_is_taken_as_a_penalty_comes_after_the_power(start: Start) -> None:
    taken = start("cactus", [ZERO, ONE, TWO], stock="QC 6C", power_before_slaps=True)
    taken.leave_in_stock(2)
    taken.play("0 turn: draw stock; place: discard; power: none; window: 1 at 1 s0", "end")
    assert [type(event) for event in taken.news(None)][-4:] == [Slapped, WindowClosed, Showdown, Scored]


# The order of slaps


@pytest.mark.parametrize(
    ("times_us", "given", "order"),
    [
        pytest.param({0: 300.0, 1: 200.0, 2: 100.0, 3: 400.0}, {}, [2, 1, 0, 3], id="the fastest is first"),
        pytest.param({0: 100.0, 1: 99.9, 2: 100.1}, {"margin_us": 0, "lots": (3, 2, 1, 0)}, [1, 0, 2], id="no margin"),
        pytest.param({2: 5.0}, {"passing": (0, 1, 3)}, [2], id="who passes is not in the order"),
        pytest.param(
            {1: 100.0, 2: 149.9, 3: 150.0}, {"lots": (0, 3, 2, 1)}, [2, 1, 3], id="a photo finish is drawn by lot"
        ),
        pytest.param(
            {1: 100.0, 2: 130.0, 3: 160.0}, {"lots": (3, 2, 1, 0)}, [2, 1, 3], id="it is measured from its fastest"
        ),
        pytest.param(
            {1: 110.0, 2: 100.0, 3: 500.0}, {"discarder": 1, "lots": (1, 2, 3, 0)}, [2, 1, 3],
            id="the discarder is last in its photo finish",
        ),
        pytest.param(
            {2: 200.0, 1: 100.0}, {"discarder": 1, "lots": (2, 1, 0)}, [1, 2], id="the discarder is first if it was"
        ),
        pytest.param(
            {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, {"discarder": 3, "lots": (3, 1, 0, 2), "slap_order": "lottery"},
            [1, 0, 2, 3], id="without times the lot decides",
        ),
        pytest.param(
            {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, {"discarder": 1, "lots": (3, 1, 0, 2), "slap_order": "clockwise"},
            [2, 3, 0, 1], id="or the seat",
        ),
    ],
)  # fmt: skip
def test_cac_25_in_which_order_slaps_are_resolved(
    times_us: dict[int, float], given: dict[str, Any], order: list[int]
) -> None:
    lots, by = given.get("lots", (0, 1, 2, 3)), given.get("slap_order", "reaction")
    margin = {"photo_finish_us": given.get("margin_us", 50)} if by == "reaction" else {}
    options = with_options("cactus", {"slap_order": by, **margin}).options
    asks = tuple(Ask(seat=seat, decision="slap", offers=(), fallback=Pass()) for seat in range(len(lots)))
    answers: dict[int, Action] = {seat: Slap(target=(seat, 0)) for seat in times_us}
    answers |= dict.fromkeys(given.get("passing", ()), Pass())
    asked = Window(number=1, discarder=given.get("discarder", 0), asks=asks)
    assert [slap.seat for slap in order_slaps(options, asked, answers, times_us, lots).slaps] == order


# Empty seats


LAST = "(4S) -- / -- --"


def test_c_145_giving_the_last_card_away_ends_the_round(start: Start) -> None:
    match = after_7c(start, zero="(2S) (3S) / (8S) (7D)", one=LAST, two="")
    match.play("window: 1 at 0 s3", "1 give")
    assert match.offered == {"give": [0]}
    match.play("1 give: give s0", "end")
    assert match.game.result.rounds[0].raw[:2] == (17, 0)


def test_c_146_losing_the_last_card_to_a_wrong_slap_ends_the_round(start: Start) -> None:
    """C-146 [CAC-33 CAC-36]: nothing is published of the slap that was left."""
    match = after_7c(start, zero="(9D) -- / -- --", two="")
    match.play("window: 1 at 0 s0, 2 at 1 s1", "end")
    (result,) = match.game.result.rounds
    assert result.raw[:2] == (0, 27)
    assert [event.seat for event in match.news(None) if isinstance(event, Slapped)] == [1]


def test_cac_36_slapping_the_own_last_card_ends_the_round_without_power(start: Start) -> None:
    match = start("cactus", [ZERO, "(QD) -- / -- --", TWO], stock="QC")
    match.play("0 turn: draw stock; place: discard; window: 1 at 1 s0", "end")
    assert match.game.result.rounds[0].raw[1] == 0


def test_c_206_the_slapper_is_emptied_before_it_gives(start: Start) -> None:
    match = after_7c(start, zero="(2S) (3S) / (8S) (7D)", one=LAST, two="")
    match.play("window: 1 at 0 s3, 2 at 1 s0", "end")
    assert match.grid(0) == "(2S) (3S) / (8S) --"
    assert match.game.result.rounds[0].raw[:2] == (13, 0)


# The stock runs out


def test_c_148_cac_35_a_penalty_takes_the_last_stock_card_and_the_round_ends(start: Start) -> None:
    match = start("cactus", [ZERO, ONE, TWO], stock="QC 6C")
    match.leave_in_stock(2)
    match.play("0 turn: draw stock; place: discard; window: 1 at 1 s0, 2 at 2 s0", "end")
    slaps = [event for event in match.news(None) if isinstance(event, Slapped)]
    assert [(slap.verdict, slap.new_slot, slap.stock) for slap in slaps] == [("wrong", 4, 0), ("wrong", None, 0)]
    assert match.grid(2) == TWO


def test_cac_21_a_seat_without_cards_ends_the_round_inside_its_window(start: Start) -> None:
    """CAC-36: also where a penalty card has just emptied the stock."""
    match = after_7c(start, one="(7H) -- / -- --", more="6C")
    match.leave_in_stock(1)
    match.play("window: 2 at 2 s0, 1 at 1 s0", "end")
    assert [type(event) for event in match.news(None)] == [Slapped, Slapped, Showdown, Scored]


def test_cac_21_a_window_in_which_the_stock_ran_out_is_completed_with_its_gift(start: Start) -> None:
    match = after_7c(start, zero="(2S) (3S) / (4S) (7S)", more="6C")
    match.leave_in_stock(1)
    match.play("window: 1 at 1 s0, 2 at 0 s3", "2 give: give s0", "end")
    assert match.grid(0) == "(2S) (3S) / (4S) (2D)"


def test_gen_08_with_reshuffle_a_penalty_reshuffles_first(start: Start) -> None:
    match = start("cactus", [ZERO, ONE, TWO], stock="6C 7C", stock_out="reshuffle")
    match.leave_in_stock(2)
    match.play("""
        0 turn: draw stock; place: discard; window: nobody
        1 turn: draw stock; place: discard; window: 1 at 1 s0, 2 at 2 s0
        2 turn
    """)
    slap, other = (event for event in match.news(0) if isinstance(event, Slapped))
    assert [event for event in match.news(0) if isinstance(event, Reshuffled)] == [Reshuffled(stock=1)]
    assert (slap.new_slot, other.new_slot) == (4, None)
    assert match.grid(1) == "(2H) (7H) / (4H) (5H) / (6C)"
    assert match.offered == {"draw": ["pile"], "knock": []}
    assert match.ask.fallback == Draw(source="pile")
