"""Knockouts: brackets for any number of bots and any tables, and ties that are played until they are settled."""

from math import sqrt

import pytest
from made_up_rounds import a_round, by_name, field_of, played_out, results_of, without
from msgspec.structs import replace

from referee.rules.keyed_streams import Stream
from referee.tournament.formats.bracket import next_bracket_round, rounds_of
from referee.tournament.formats.knockout import Level, bracket, most_matches, next_round, places
from referee.tournament.formats.ties import stand
from referee.tournament.plan.rounds import Block, History, StageRules

RULES = StageRules(format="knockout", deals=4, advance=1, limit=12)
TWO = replace(RULES, advance=2)


def names_of(level: Level) -> list[tuple[str, ...]]:
    return [tie.names for tie in level.ties]


# The bracket


def test_the_best_seeds_are_in_opposite_halves() -> None:
    first = next_bracket_round(8, seats=2, advance=1, last_tables={})
    assert first.tables == ((0, 7), (1, 6), (2, 5), (3, 4))
    winners = next_bracket_round(4, seats=2, advance=1, last_tables={0: 0, 1: 1, 2: 2, 3: 3})
    assert winners.tables == ((0, 3), (1, 2))


def test_the_best_seeds_have_byes_where_the_bots_fill_no_bracket() -> None:
    assert next_bracket_round(13, seats=2, advance=1, last_tables={}).tables == (
        (3, 12),
        (4, 11),
        (5, 10),
        (6, 9),
        (7, 8),
    )
    assert rounds_of(13, seats=2, advance=1) == [5, 4, 2, 1]


def test_one_more_goes_on_where_tables_would_throw_out_too_many() -> None:
    """60 bots at tables of four: 15 tables leave 15, but the next round has 16."""
    first = next_bracket_round(60, seats=4, advance=1, last_tables={})
    assert first.goes == (2, *(1,) * 14)
    assert sorted(bot for table in first.tables for bot in table) == [*range(60)]
    assert rounds_of(60, seats=4, advance=1) == [15, 4, 1]


def test_two_of_one_table_are_kept_apart_in_the_next_round() -> None:
    last = {0: 0, 1: 1, 2: 2, 3: 3, 4: 3, 5: 2, 6: 1, 7: 0}
    tables = next_bracket_round(8, seats=4, advance=2, last_tables=last).tables
    assert all(len({last[bot] for bot in table}) == 4 for table in tables)


@pytest.mark.parametrize(("seats", "advance"), [(2, 1), (3, 1), (4, 1), (4, 2), (6, 3), (10, 5)])
def test_every_number_of_bots_comes_down_to_one_final(seats: int, advance: int) -> None:
    for bots in range(seats, 70):
        left = bots
        while left > seats:
            found = next_bracket_round(left, seats=seats, advance=advance, last_tables={})
            assert all(0 < goes < seats for goes in found.goes)
            left -= sum(seats - goes for goes in found.goes)
        assert left == seats


# Ties


def one_tie(*leads: int) -> list[bool]:
    """Whether a tie of two is settled after each of these deals, in each of which `a` wins so many of two matches."""

    def total(table: Block, rotation: int, bot: str) -> int:
        return (bot == "b") == (rotation < leads[table.deal])

    tables = [Block(variant="game", bots=("a", "b"), deal=deal) for deal in range(len(leads))]
    results = results_of(tables, total)
    return [stand(("a", "b"), 1, results[: 2 * deal]).is_settled for deal in range(1, len(leads) + 1)]


def test_a_tie_is_settled_when_one_has_won_eight_deals_and_the_other_none() -> None:
    """The stakes 1/16 to 1 make (1 + stake)**8 = 46.7 on average of 1, more than the 40 that two bots need."""
    assert one_tie(*[2] * 8) == [False] * 7 + [True]


def test_a_tie_that_stands_even_is_not_settled() -> None:
    assert not any(one_tie(*[1, 2, 1, 0] * 10))


def test_equal_bots_are_rarely_settled_however_often_one_looks() -> None:
    """At most 5 in 100 by the theorem; 40 ties of 24 deals, looked at after each, leave room for 3 standard errors."""
    chance = Stream(b"key", "test")
    wrong = sum(any(one_tie(*((0, 1, 1, 2)[chance.below(4)] for _ in range(24)))) for _ in range(40))
    assert wrong <= 40 * 0.05 + 3 * sqrt(40 * 0.05 * 0.95)


@pytest.mark.parametrize(
    ("totals", "rule", "first"),
    [
        ({"a": (1, 3), "b": (2, 4)}, "match points", "a"),
        ({"a": (5, 1), "b": (3, 2)}, "strokes", "b"),
        ({"a": (5, 1), "b": (1, 5)}, "seed", "b"),
    ],
)
def test_what_decides_a_tie_that_is_not_settled(totals: dict[str, tuple[int, int]], rule: str, first: str) -> None:
    table = Block(variant="game", bots=("a", "b"), deal=0)
    found = stand(("b", "a"), 1, results_of([table], lambda _, rotation, bot: totals[bot][rotation]))
    assert (found.rule, found.bots[0].bot, found.is_settled) == (rule, first, False)


# The knockout


def test_a_knockout_of_seven_finds_the_best_and_ranks_the_others_by_how_far_they_came() -> None:
    field = field_of(7, RULES, tables={"one": 2, "two": 2})
    past, end = played_out(field, next_round)
    assert end.reason == "b06 wins the knockout"
    levels = bracket(field, past)
    assert [(level.title, len(level.ties), len(level.byes)) for level in levels] == [
        ("round of 7", 3, 1),
        ("semi-finals", 2, 0),
        ("final", 1, 0),
    ]
    assert all((tie.rule, tie.deals) == ("settled", 8) for level in levels for tie in level.ties)
    found = places(levels, [entrant.name for entrant in field.bots])
    assert found["b06"] == (1, 1)
    assert sorted(found.values()) == [(1, 1), (2, 2), (3, 4), (3, 4), (5, 7), (5, 7), (5, 7)]
    assert sum(map(len, past.played)) == 6 * 8 * 2 * 2 <= most_matches(field) == 6 * 12 * 2 * 2


def test_settled_ties_rest_while_others_play_on() -> None:
    field = field_of(4, RULES)
    first = a_round(next_round(field, History()))
    even = first.tables[0].bots
    past = History()
    for _ in range(3):
        drawn = a_round(next_round(field, past))
        results = results_of(
            drawn.tables, lambda table, rotation, bot: rotation * (table.bots == even) or by_name(table, 0, bot)
        )
        past = History(rounds=[*past.rounds, drawn], played=[*past.played, results])
    assert [len({table.bots for table in drawn.tables}) for drawn in past.rounds] == [2, 2, 1]
    assert [table.deal for table in past.rounds[2].tables] == [8, 9, 10, 11]
    assert past.rounds[2].title == "semi-finals: 1 tie, up to deal 12"


def test_the_others_of_a_withdrawn_bots_table_go_on_to_the_next_round() -> None:
    field = field_of(8, RULES)
    first = a_round(next_round(field, History()))
    gone, rival = first.tables[0].bots
    past = without(History(rounds=[first], played=[results_of(first.tables)]), gone)
    left = replace(field, bots=[entrant for entrant in field.bots if entrant.name != gone])
    past, end = played_out(left, next_round, past=past)
    levels = bracket(left, past)
    (tie,) = [tie for tie in levels[0].ties if gone in tie.names]
    assert (tie.rule, tie.names[0]) == ("withdrawn", rival)
    assert rival in levels[1].bots
    assert "wins the knockout" in end.reason


def test_a_bot_that_lost_to_one_that_is_withdrawn_later_stays_out() -> None:
    field = field_of(8, RULES)
    past, _ = played_out(field, next_round)
    second = next(index for index, drawn in enumerate(past.rounds) if len(drawn.entered) == 4)
    past = without(History(rounds=past.rounds[: second + 1], played=past.played[: second + 1]), "b07")
    left = replace(field, bots=field.bots[:-1])
    past, _ = played_out(left, next_round, past=past)
    assert past.rounds[-1].entered
    assert set(past.rounds[-1].entered) < set(past.rounds[second].entered)


@pytest.mark.parametrize("is_withdrawn", [True, False])
def test_an_earlier_tie_tells_who_went_on_though_its_matches_no_longer_count(is_withdrawn: bool) -> None:
    field = field_of(8, RULES)
    past, _ = played_out(field, next_round)
    second = next(index for index, drawn in enumerate(past.rounds) if len(drawn.entered) == 4)
    past = without(History(rounds=past.rounds[: second + 1], played=past.played[: second + 1]), "b07")
    left = replace(field, bots=field.bots[:-1]) if is_withdrawn else field
    levels = bracket(left, past)
    (tie,) = (tie for tie in levels[0].ties if "b07" in tie.names)
    assert (tie.rule, tie.names[0], tie.goes) == ("dropped", "b07", 1)
    assert "b07" in levels[1].bots


def test_the_place_of_a_withdrawn_bot_at_a_larger_table_is_taken_by_the_best_that_went_out() -> None:
    field = field_of(8, TWO, tables={"game": 4})
    past, _ = played_out(field, next_round)
    first = sum(len(drawn.entered) == 8 for drawn in past.rounds)
    past = without(History(rounds=past.rounds[:first], played=past.played[:first]), "b07")
    left = replace(field, bots=field.bots[:-1])
    past, end = played_out(left, next_round, past=past)
    assert end.reason == "b06 wins the knockout"
    assert len(past.rounds[-1].entered) == 4


def test_a_replaced_bot_plays_its_tie_again() -> None:
    field = field_of(4, RULES)
    first = a_round(next_round(field, History()))
    past = without(History(rounds=[first], played=[results_of(first.tables)]), "b03")
    again = a_round(next_round(field, past))
    (bots,) = {table.bots for table in again.tables if table.deal == 0}
    assert "b03" in bots
    assert again.entered == first.entered


def test_a_tie_that_is_being_played_is_open() -> None:
    field = field_of(2, replace(RULES, limit=4))
    drawn = a_round(next_round(field, History()))
    past = History(rounds=[drawn], played=[results_of(drawn.tables[:2])])
    names = [entrant.name for entrant in field.bots]
    assert bracket(field, past, is_playing=True)[0].ties[0].rule == "open"
    assert places(bracket(field, past, is_playing=True), names) == {"b00": (1, 2), "b01": (1, 2)}
    assert bracket(field, past)[0].ties[0].rule == "match points"
