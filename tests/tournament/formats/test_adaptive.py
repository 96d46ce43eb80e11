"""An adaptive tournament gives its effort to what is undecided, by shares that are settled before a round is played."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from made_up_rounds import by_strength, field_of, results_of
from msgspec.structs import replace
from simulated import chance

from referee.tournament.formats import adaptive
from referee.tournament.plan.rounds import End, Field, Past, Round, StageRules, StopRules
from referee.tournament.plan.schedule import PlannedVariant

pytestmark = pytest.mark.full

EVEN = dict.fromkeys("abcdef", 0.0)
ONE_BETTER = EVEN | {"a": 2.0}


def tournament(stop: StopRules | None = None, *, seats: int = 2, bots: str = "abcdef", **keys: Any) -> Field:
    rules = StageRules(format="adaptive", **({"deals": 2, "rounds": 5} | keys))
    return replace(field_of(bots, rules, tables={"six-card": seats}), stop=stop)


def play(field: Field, strengths: dict[str, float], *, most: int = 99) -> tuple[Past, End | None]:
    """All rounds of the tournament, or so many, and its end."""
    past, block, ranks = Past(), 0, by_strength(strengths, chance("6"))
    while len(past.rounds) < most:
        drawn = adaptive.next_round(field, past)
        if isinstance(drawn, End):
            return past, drawn
        results = []
        for table in drawn.tables:
            results += [replace(one, block=block) for one in results_of([table], ranks)]
            block += 1
        past = replace(past, rounds=[*past.rounds, drawn], played=[*past.played, results])
    return past, None


def counts(drawn: Round) -> Counter[tuple[str, ...]]:
    return Counter(table.bots for table in drawn.tables)


def test_the_first_round_has_all_lineups_and_no_later_one_leaves_any_out() -> None:
    past, end = play(tournament(), EVEN)

    everybody = set(combinations("abcdef", 2))
    assert end == End(reason="all 5 rounds of the adaptive tournament are played")
    assert counts(past.rounds[0]) == dict.fromkeys(everybody, 2)
    assert all(set(counts(drawn)) == everybody for drawn in past.rounds)
    assert [len(drawn.tables) for drawn in past.rounds] == [30, 45, 45, 45, 45]
    assert [drawn.title for drawn in past.rounds][-1] == "adaptive round 5 of 5"
    assert adaptive.most_matches(tournament()) == 2 * sum(len(drawn.tables) for drawn in past.rounds)


def test_no_lineup_plays_a_deal_twice_or_leaves_one_out() -> None:
    past, _ = play(tournament(), EVEN)

    deals = Counter((table.bots, table.deal) for drawn in past.rounds for table in drawn.tables)
    assert set(deals.values()) == {1}
    assert all((bots, deal - 1) in deals for bots, deal in deals if deal)


def test_those_play_most_who_separate_the_best_from_the_rest() -> None:
    past, _ = play(tournament(StopRules(when="top 1"), rounds=3), ONE_BETTER, most=2)
    second = counts(past.rounds[1])

    with_a = [count for bots, count in second.items() if "a" in bots]
    without = [count for bots, count in second.items() if "a" not in bots]
    assert sum(with_a) / len(with_a) > 1.5 * sum(without) / len(without)
    assert min(without) == 1


def test_it_ends_when_the_best_is_known() -> None:
    past, end = play(tournament(StopRules(when="top 1"), rounds=20), {**ONE_BETTER, "a": 6.0})

    assert end == End(reason=f"the best bot is settled after {len(past.rounds)} of 20 rounds")
    assert len(past.rounds) < 6


def test_a_round_is_drawn_again_as_it_was() -> None:
    field = tournament(StopRules(when="all"))
    past, _ = play(field, ONE_BETTER)

    for number, drawn in enumerate(past.rounds):
        assert adaptive.next_round(field, Past(rounds=past.rounds[:number], played=past.played[:number])) == drawn


def test_rounds_weigh_what_was_settled_beforehand() -> None:
    field = tournament(deals=3)
    past, _ = play(field, EVEN)

    assert adaptive.round_weights(past.rounds, field.stages[0]) == {0: 3.0, 1: 4.5, 2: 4.5, 3: 4.5, 4: 4.5}


def test_a_sample_of_lineups_stays_while_its_bots_are_there_and_is_filled_where_one_leaves() -> None:
    field = tournament(seats=3, lineups=6)
    past, _ = play(field, EVEN, most=2)
    fewer = replace(field, bots=[bot for bot in field.bots if bot.name != "f"])
    left = replace(
        past,
        rounds=[replace(one, tables=tuple(t for t in one.tables if "f" not in t.bots)) for one in past.rounds],
        played=[[one for one in some if "f" not in one.bots] for some in past.played],
    )
    third = adaptive.next_round(fewer, left)

    assert set(counts(past.rounds[0])) == set(counts(past.rounds[1]))
    assert isinstance(third, Round)
    assert len(counts(third)) == 6
    had = {table.bots for one in left.rounds for table in one.tables}
    assert {bots: count for bots, count in counts(third).items() if bots not in had}.keys()
    assert all(count >= 2 for bots, count in counts(third).items() if bots not in had)


def test_a_bot_that_comes_in_plays_as_many_deals_as_the_others_did_at_first() -> None:
    field = tournament(bots="abcde")
    past, _ = play(field, EVEN, most=2)
    drawn = adaptive.next_round(tournament(bots="abcdef"), past)

    assert isinstance(drawn, Round)
    assert all(counts(drawn)[bots, "f"] >= 2 for bots in "abcde")


def test_games_share_the_effort() -> None:
    games = [PlannedVariant(variant="six-card", seats=2), PlannedVariant(variant="nine-card", seats=4)]
    field = replace(tournament(StopRules(when="top 1")), variants=games)
    past, _ = play(field, ONE_BETTER, most=3)

    for drawn in past.rounds[1:]:
        of_game = Counter(table.variant for table in drawn.tables)
        assert of_game["six-card"] >= 15
        assert of_game["nine-card"] >= 15
        assert abs(2 * of_game["six-card"] + 4 * of_game["nine-card"] - 3 * (2 * 15 + 4 * 15)) <= 6


def test_the_first_of_the_looks_adds_least() -> None:
    parts = {
        (deals, rounds): adaptive.parts_of(StageRules(format="adaptive", deals=deals, rounds=rounds), 1)
        for deals, rounds in ((2, 10), (81, 10), (2, 60))
    }

    assert {case: some.looks for case, some in parts.items()} == {(2, 10): 10, (81, 10): 10, (2, 60): 30}
    assert {case: round(some.first, 3) for case, some in parts.items()} == {
        (2, 10): 0.099,
        (81, 10): 4.0,
        (2, 60): 0.549,
    }


def test_close_pairs_are_asked_for_more_than_clear_ones() -> None:
    field = tournament(StopRules(when="top 1"), rounds=9, bots="abcdefgh")
    strengths = dict.fromkeys("abcdefgh", 0.0) | {"a": 4.0, "b": 3.9}
    past, _ = play(field, strengths, most=5)
    last = counts(past.rounds[-1])

    assert last["a", "b"] == max(last.values())
    assert last["a", "b"] >= 8
    assert all(count == 1 for bots, count in last.items() if not {"a", "b"} & set(bots))
