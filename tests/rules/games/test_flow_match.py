"""How matches go from round to round and end: dealers, totals, ties, rounds and forfeits."""

import pytest
from scripted import Script, Start

from protocol.actions import Discard, Draw, Knock, Nothing
from protocol.events import Round
from protocol.offers import Offer
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask, Sealed

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
    variant = with_options("six-card-knock", {"rounds": "none", "initial_up": 0})
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


@pytest.mark.parametrize(
    ("name", "options", "rounds"),
    [
        ("six-card", {}, 9),
        ("six-card-knock", {"rounds": 18}, 18),
        ("four-card", {}, 9),
        ("nine-card", {"limit": 1000}, 9),
        ("cambio", {}, 9),
        ("powers", {}, 9),
        ("two-deck", {}, 9),
        ("four-turns", {}, 1),
        ("four-turns", {"rounds": 3}, 3),
        ("no-par", {}, 9),
        ("no-par", {"rounds": 2}, 2),
        ("par-course", {}, 9),
    ],
)
def test_six_11_a_match_has_the_rounds_of_its_game_and_the_lowest_sum_wins(
    name: str, options: dict[str, int], rounds: int
) -> None:
    """CMB-10, FOU-07, GEN-11, NIN-12, PAR-19, PAR-23, POW-28, T4-12, TDK-19."""
    game = Game.from_seed(with_options(name, {"turn_cap": 4, **options}), 3, "rounds")
    while (question := game.question) is not None:
        sealed = isinstance(question, Sealed)
        asks = question.asks if isinstance(question, Sealed) else (question,)
        answers = tuple(ask.fallback for ask in asks if isinstance(ask, Ask))
        game.answer(answers if sealed else answers[0])
    totals, ranks = game.result.totals, game.result.ranks
    assert len(game.result.rounds) == rounds
    assert totals == tuple(sum(one.scores[seat] for one in game.result.rounds) for seat in range(3))
    assert ranks == tuple(1 + sum(other < total for other in totals) for total in totals)


# Forfeits


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
