"""How matches go from round to round and end: dealers, totals, ties, forfeits, and who can sit down at all."""

from random import Random

import msgspec
import pytest
from at_random import AtRandom
from scripted import Script, Start

from protocol.actions import Discard, Draw, Knock, Nothing
from protocol.events import Round
from protocol.offers import Offer
from referee.rules.book.changes import BadOptions
from referee.rules.book.variant import deck
from referee.rules.book.variants import customised, preset, seat_problem
from referee.rules.game import Game
from referee.rules.table.asks import Ask, Sealed
from referee.rules.table.chance import Keyed

DOWN = "(??) (??) (??) / (??) (??) (??)"


THIRTY_THREES = ("(10H) (9H) (8H) / (3H) (2H) (5H)", "(10D) (9D) (8D) / (3D) (2D) (5D)")


def knock_at_once(match: Script, starter: int) -> None:
    """The starter knocks, the others throw a stock card away."""
    seats = match.table.seats
    for seat in [(starter + step) % seats for step in range(seats)]:
        assert match.open == f"{seat} turn"
        if seat == starter:
            match.game.answer(Knock())
            continue
        match.game.answer(Draw(source="stock"))
        match.game.answer(Discard())
        if match.open == f"{seat} flip":
            match.game.answer(Nothing())


def test_c_062_the_dealer_moves_left_and_the_starter_sits_left_of_the_dealer(start: Start) -> None:
    """C-062 [GEN-01 GEN-02 GEN-03 SIX-04]: the same seats, clockwise, in every round."""
    match = start("six-card-knock", [DOWN] * 4, later=[[DOWN] * 4], first_dealer=2)
    for starter in (3, 0):
        begun = [event for event in match.game.events if isinstance(event, Round)][-1]
        assert (begun.dealer, begun.starter) == ((starter - 1) % 4, starter)
        knock_at_once(match, starter)
    match.play("end")


# Totals, ties and ends


def test_c_205_equal_totals_share_the_rank(start: Start) -> None:
    match = start("six-card-knock", [*THIRTY_THREES, "(10S) (9S) (8S) / (7S) (5S) (AS)"])
    knock_at_once(match, 0)
    assert match.game.result.totals == (33, 33, 40)
    assert match.game.result.ranks == (1, 1, 3)


def test_gen_13_a_playoff_decides_the_tie_and_joins_no_total(start: Start) -> None:
    first = [*THIRTY_THREES, "(10S) (9S) (8S) / (7S) (5S) (AS)"]
    match = start("six-card-knock", first, later=[[first[2], first[1], first[0]]], rounds=1, tiebreak="playoff")
    knock_at_once(match, 0)
    assert [event.playoff for event in match.game.events if isinstance(event, Round)] == [False, True]
    knock_at_once(match, 1)
    assert match.game.result.totals == (33, 33, 40)
    assert match.game.result.ranks == (2, 1, 3)
    assert [one.playoff for one in match.game.result.rounds] == [False, True]


def test_gen_13_at_most_nine_playoffs(start: Start) -> None:
    match = start("six-card-knock", THIRTY_THREES, later=[THIRTY_THREES] * 12, rounds=1, tiebreak="playoff")
    for number in range(10):
        knock_at_once(match, number % 2)
    assert match.open == "end"
    assert match.game.result.ranks == (1, 1)


@pytest.mark.parametrize(("mode", "limit", "rounds"), [("reach", 33, 1), ("exceed", 33, 2), ("reach", 34, 2)])
def test_gen_12_a_limit_is_reached_or_exceeded(start: Start, mode: str, limit: int, rounds: int) -> None:
    later = [THIRTY_THREES] * 4
    match = start("six-card-knock", THIRTY_THREES, later=later, rounds=5, limit=limit, limit_mode=mode)
    while match.open != "end":
        knock_at_once(match, match.table.starter)
    assert len(match.game.result.rounds) == rounds


def test_gen_12_a_match_without_rounds_stops_after_a_hundred() -> None:
    variant = customised("six-card-knock", {"rounds": "none", "initial_up": 0})
    game = Game(variant, 2, Keyed(b"key", variant, 2))
    while isinstance(ask := game.question, Ask):
        game.answer(Knock() if Offer(kind="knock") in ask.offers else ask.fallback)
    assert len(game.result.rounds) == 100
    assert game.result.capped


def test_c_034_of_two_with_four_of_a_kind_the_lower_total_wins_the_match(start: Start) -> None:
    layouts = [
        "(8S) (8H) (8D) / (3S) (3H) (8C)",
        "(KS) (KH) (AD) / (AS) (AH) (2C)",
        "(9S) (9H) (9D) / (3D) (3C) (9C)",
    ]
    match = start("six-card-knock", layouts, decks=2, rounds=9, four_kind_wins=True, tiebreak="playoff")
    match.table.totals = [19, 10, 13]
    knock_at_once(match, 0)
    assert match.game.result.totals == (41, 11, 37)
    assert match.game.result.ranks == (3, 2, 1)
    assert len(match.game.result.rounds) == 1


def test_sco_11_four_of_a_kind_wins_against_lower_totals(start: Start) -> None:
    layouts = ["(8S) (8H) (8D) / (3S) (3H) (8C)", "(KS) (KH) (AD) / (AS) (AH) (2C)"]
    match = start("six-card-knock", layouts, rounds=9, four_kind_wins=True)
    knock_at_once(match, 0)
    assert match.game.result.ranks == (1, 2)


def test_knk_08_only_the_knockers_score_changes(start: Start) -> None:
    """KNO-04."""
    layouts = [*THIRTY_THREES, "(10S) (9S) (8S) / (7S) (5S) (AS)"]
    match = start("six-card-knock", layouts, knock_penalty="add:10", knock_tie="penalty")
    knock_at_once(match, 0)
    (result,) = match.game.result.rounds
    assert result.raw == (33, 33, 40)
    assert result.scores == match.game.result.totals == (43, 33, 40)


def test_six_10_a_beaten_knocker_pays_nothing_by_default(start: Start) -> None:
    match = start("six-card-knock", [THIRTY_THREES[0], "(KS) (AH) (4D) / (KD) (AC) (3S)"])
    knock_at_once(match, 0)
    (result,) = match.game.result.rounds
    assert (result.ender, result.raw, result.scores) == (0, (33, 7), (33, 7))


def test_gen_11_totals_are_sums_and_the_lowest_wins_below_zero_too(start: Start) -> None:
    minus_five, plus_seven = "(2S) (2H) (2D) / (KH) (AD) (KC)", "(KS) (AH) (4D) / (KD) (AC) (3S)"
    match = start("six-card-knock", [plus_seven, minus_five], later=[[plus_seven, minus_five]])
    knock_at_once(match, 0)
    knock_at_once(match, 1)
    assert match.game.result.totals == (14, -10)
    assert match.game.result.ranks == (2, 1)


@pytest.mark.parametrize(("options", "rounds"), [({}, 9), ({"rounds": 18}, 18)])
def test_six_11_nine_rounds_or_as_many_as_are_wished(options: dict[str, int], rounds: int) -> None:
    variant = customised("six-card-knock", options)
    game = Game(variant, 2, Keyed(b"key", variant, 2))
    while (question := game.question) is not None:
        if isinstance(question, Ask):
            game.answer(Knock() if Offer(kind="knock") in question.offers else question.fallback)
        elif isinstance(question, Sealed):
            game.answer(tuple(ask.fallback for ask in question.asks))
    result = game.result
    assert len(result.rounds) == rounds
    assert list(result.ranks) == [1 + (total > min(result.totals)) for total in result.totals]


# Forfeits


def test_a_forfeited_seat_ranks_last_and_gets_the_highest_score_from_that_round_on(start: Start) -> None:
    """GEN-01, GEN-13: the seat itself stays at the table."""
    better, worse = "(KS) (AH) (4D) / (KD) (AC) (3S)", THIRTY_THREES[0]
    match = start("six-card-knock", [better, worse], later=[[better, worse]] * 2)
    knock_at_once(match, 0)
    match.game.forfeit(0)
    knock_at_once(match, 1)
    knock_at_once(match, 0)
    assert [one.scores for one in match.game.result.rounds] == [(7, 33), (33, 33), (33, 33)]
    assert {one.raw for one in match.game.result.rounds} == {(7, 33)}
    assert match.game.result.totals == (73, 99)
    assert match.game.result.ranks == (2, 1)


def test_a_forfeited_seat_neither_wins_by_four_of_a_kind_nor_keeps_another_from_it(start: Start) -> None:
    layouts = [
        "(8S) (8H) (8D) / (3S) (3H) (8C)",
        "(KS) (KH) (AD) / (AS) (AH) (2C)",
        "(9S) (9H) (9D) / (3D) (3C) (9C)",
    ]
    match = start("six-card-knock", layouts, decks=2, four_kind_wins=True, flip_on_discard="never")
    match.table.totals = [-50, -50, 10]
    match.game.forfeit(0)
    knock_at_once(match, 0)
    assert match.game.result.ranks == (3, 2, 1)


# Which tables can play


@pytest.mark.parametrize(
    ("name", "options", "fewest", "most"),
    [
        ("six-card", {}, 2, 8),
        ("six-card-knock", {}, 2, 8),
        ("six-card", {"decks": 3}, 2, 22),
        ("six-card", {"decks": 2}, 2, 14),
        ("six-card", {"decks": 1}, 2, 7),
        ("single-deck", {}, 2, 4),
        ("single-deck", {"decks": 3}, 2, 4),
        ("four-card", {"decks": 3}, 3, 7),
        ("nine-card", {}, 1, 10),
        ("nine-card", {"decks": 3}, 1, 15),
        ("eight-card", {"decks": 3}, 2, 17),
        ("cutthroat", {"decks": 3}, 2, 22),
        ("cambio", {"decks": 3}, 2, 32),
        ("cambio", {"decks": 3, "jokers": 0}, 2, 31),
        ("powers", {"decks": 3}, 2, 22),
        ("two-deck", {"decks": 3}, 2, 22),
        ("cactus", {}, 2, 24),
    ],
)
def test_gen_14_seat_numbers(name: str, options: dict[str, int], fewest: int, most: int) -> None:
    """CAC-01, CMB-01, CUT-01, EIG-01, FOU-01, NIN-01, POW-01, SIX-01, SGL-01, TDK-01."""
    variant = customised(name, options)
    possible = [seats for seats in range(1, 40) if seat_problem(variant, seats) is None]
    assert possible == list(range(fewest, most + 1))


@pytest.mark.parametrize(
    ("name", "options", "seats", "advice"),
    [
        ("six-card", {}, 9, "six-card is for 2 to 8 seats (up to 14 with `decks = 2`), got 9"),
        ("six-card", {}, 15, "six-card is for 2 to 8 seats (up to 22 with `decks = 3`), got 15"),
        ("six-card", {"decks": 1}, 8, "six-card is for 2 to 7 seats (up to 14 with `decks = 2`), got 8"),
        ("six-card", {}, 23, "six-card is for 2 to 8 seats, got 23"),
        ("six-card", {}, 1, "six-card is for 2 to 8 seats, got 1"),
        ("single-deck", {}, 5, "single-deck is for 2 to 4 seats, got 5"),
        ("cactus", {}, 25, "cactus is for 2 to 24 seats, got 25"),
    ],
)
def test_gen_14_too_many_seats_are_told_which_packs_suffice(
    name: str, options: dict[str, int], seats: int, advice: str
) -> None:
    problem = seat_problem(customised(name, options), seats)
    assert problem is not None
    assert problem.text == advice


@pytest.mark.parametrize(("name", "seats"), [("six-card", 22), ("nine-card", 15), ("cambio", 32), ("two-deck", 22)])
def test_gen_14_the_fullest_table_plays_to_the_end(name: str, seats: int) -> None:
    """With a stock of at least one card for each seat after the deal."""
    variant = customised(name, {"decks": 3, "rounds": 1, "turn_cap": 3})
    game = Game.from_seed(variant, seats, "many")
    assert len(game.table.stock) >= seats
    dice = Random(seats)  # noqa: S311
    while game.question is not None:
        game.answer(AtRandom().response(game, dice))
    assert len(game.result.ranks) == seats


def test_gen_14_the_first_dealer_must_sit_at_the_table() -> None:
    assert seat_problem(customised("six-card", {"first_dealer": 3}), 3) is not None
    assert seat_problem(customised("six-card", {"first_dealer": 3}), 4) is None


@pytest.mark.parametrize(("seats", "cards"), [(2, 52), (3, 52), (4, 104), (8, 104)])
def test_six_01_packs_by_seats(seats: int, cards: int) -> None:
    assert len(deck(preset("six-card"), seats)) == cards


def test_sgl_01_six_card_golf_with_one_pack() -> None:
    six, single = preset("six-card"), preset("single-deck")
    assert single.options == msgspec.structs.replace(six.options, decks=1)
    assert (single.play, single.rows, single.columns) == (six.play, six.rows, six.columns)
    assert [len(deck(single, seats)) for seats in (2, 3, 4)] == [52] * 3


def test_sgl_03_four_players_leave_a_stock_of_27(start: Start) -> None:
    assert len(start("single-deck", [DOWN] * 4).table.stock) == 27


def test_sgl_02_two_jokers() -> None:
    assert sorted(set(deck(customised("single-deck", {"jokers": 2}), 2)) - set(deck(preset("single-deck"), 2))) == [
        "X1",
        "X2",
    ]


def test_c_032_a_diagonal_needs_a_square_layout() -> None:
    with pytest.raises(BadOptions):
        customised("six-card", {"cancel": ["diag"]})
