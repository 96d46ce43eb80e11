"""A Swiss: who meets whom in which round, who sits out, and when it is over."""

from collections import Counter
from itertools import combinations

import pytest
from made_up_rounds import a_round, by_strength, field_of, numbered, played, played_out, where
from msgspec.structs import replace
from simulated import chance

from referee.rules.keyed_streams import Stream
from referee.tournament.formats.seating import Player, seat, seatable
from referee.tournament.formats.swiss import most_matches, most_rounds, next_round, usual_rounds
from referee.tournament.plan.meetings import meetings_of
from referee.tournament.plan.rounds import End, History, StageRules


def swiss(deals: int = 1, rounds: int | None = None) -> StageRules:
    return StageRules(format="swiss", deals=deals, rounds=rounds)


@pytest.mark.parametrize(("bots", "seats", "rounds"), [(11, 2, 7), (20, 3, 6)])
def test_nobody_meets_twice_and_everybody_sits_out_about_as_often(bots: int, seats: int, rounds: int) -> None:
    past, end = played_out(field_of(bots, swiss(), tables={"game": seats}), next_round)
    seated = [{bot for table in one.tables for bot in table.bots} for one in past.rounds]
    out = [sum(bot not in some for some in seated) for bot in numbered(bots)]

    assert end == End(reason=f"all {rounds} rounds of the Swiss have been played")
    assert len(past.rounds) == rounds
    assert max(meetings_of(past).met.values()) == 1
    assert {len(one.tables) for one in past.rounds} == {bots // seats}
    assert max(out) - min(out) <= 1


def test_winners_meet_winners() -> None:
    past = played(field_of(16, swiss()), next_round, 2)

    winners = {max(table.bots) for table in past.rounds[0].tables}
    assert all(len(winners & {*table.bots}) in (0, 2) for table in past.rounds[1].tables)


def test_after_many_rounds_neighbours_meet() -> None:
    """Where the best always wins, the order is soon known, and the tables are those of bots next to each other."""
    past, _ = played_out(field_of(32, swiss(rounds=4)), next_round)

    first, last = (
        sum(int(high[1:]) - int(low[1:]) for table in one.tables for low, high in combinations(table.bots, 2))
        for one in (past.rounds[0], past.rounds[-1])
    )
    assert last < first / 2


def test_games_of_as_many_seats_share_the_tables_of_a_round() -> None:
    entered = field_of(24, swiss(deals=3), tables={"two": 2, "four": 4, "four more": 4})
    past, _ = played_out(entered, next_round)

    for drawn in past.rounds:
        tables = {
            name: [table.bots for table in drawn.tables if table.variant == name] for name in ("four", "four more")
        }
        assert tables["four"] == tables["four more"]
        assert Counter(tables["four"]).most_common(1)[0][1] == 3
        two = {table.bots for table in drawn.tables if table.variant == "two"}
        together = {pair for bots in tables["four"] for pair in combinations(bots, 2)}
        assert not two & together
    every = [table for one in past.rounds for table in one.tables]
    assert len({(table.variant, table.bots, table.deal) for table in every}) == len(every)
    assert most_matches(entered) == sum(len(table.bots) for table in every)


def test_bots_that_meet_again_play_the_next_deals() -> None:
    past, _ = played_out(field_of(4, swiss(deals=2, rounds=6)), next_round)

    assert Counter(meetings_of(past).met.values()) == {2: 6}
    deals = sorted(table.deal for one in past.rounds for table in one.tables if table.bots == ("b00", "b01"))
    assert deals == [0, 1, 2, 3]


@pytest.mark.parametrize("seats", [2, 3])
def test_bots_of_one_owner_never_sit_together(seats: int) -> None:
    owners = dict(zip(numbered(15), "aaaaaabbbbccc", strict=False))
    past, _ = played_out(field_of(15, swiss(rounds=6), tables={"game": seats}, owners=owners), next_round)

    for table in (table for one in past.rounds for table in one.tables):
        owned = [owners[bot] for bot in table.bots if bot in owners]
        assert len({*owned}) == len(owned)


def test_bots_that_are_nobodys_sit_with_anybody() -> None:
    entered = field_of(["greedy", "keeper", "random"], swiss(), tables={"game": 3}, owners={"random": "somebody"})
    drawn = a_round(next_round(entered, History()))
    assert [table.bots for table in drawn.tables] == [("greedy", "keeper", "random")]


def test_as_many_tables_are_filled_as_owners_allow() -> None:
    players = [Player(name=str(number), group=owner) for number, owner in enumerate("aaaaaaabbc")]

    assert [seatable(players, seats) for seats in (2, 3, 4)] == [3, 1, 0]


def test_a_round_does_not_depend_on_the_order_of_bots_and_results() -> None:
    entered = field_of(13, swiss(), tables={"game": 3})
    strengths = {bot: number / 5 for number, bot in enumerate(numbered(13))}
    past = played(entered, next_round, 3, by_strength(strengths, chance("1")))
    back = replace(past, played=[some[::-1] for some in past.played[::-1]])

    assert next_round(entered, past) == next_round(replace(entered, bots=entered.bots[::-1]), back)


def test_a_bot_that_comes_late_plays_and_one_that_is_gone_counts_for_the_others() -> None:
    past = played(field_of(9, swiss()), next_round, 2)
    gone = [result for some in past.played for result in some if "b00" in result.bots]
    left = replace(where(past, lambda bots: "b00" not in bots), former={0: gone})
    drawn = a_round(next_round(field_of(["late", *numbered(9)[1:]], swiss()), left))
    assert drawn.number == 2
    seated = {bot for table in drawn.tables for bot in table.bots}
    assert "late" in seated
    assert "b00" not in seated


def test_rounds_of_other_stages_do_not_count() -> None:
    entered = field_of(8, swiss(rounds=1), swiss(rounds=2))
    past, _ = played_out(entered, next_round)
    drawn = a_round(next_round(entered, past, stage=1))
    assert (drawn.number, drawn.stage, drawn.title) == (1, 1, "Swiss round 1 of 2")
    assert not {table.bots for table in drawn.tables} & {table.bots for table in past.rounds[0].tables}


@pytest.mark.parametrize(
    ("bots", "sizes", "usual", "most"),
    [
        (60, [2], 12, 59),
        (60, [4], 6, 59),
        (60, [2, 4], 4, 59),
        (11, [2], 7, 11),
        (8, [4], 3, 7),
        (6, [2], 5, 5),
        (3, [2], 3, 3),
        (5, [4], 3, 4),
    ],
)
def test_how_many_rounds_a_swiss_has(bots: int, sizes: list[int], usual: int, most: int) -> None:
    assert usual_rounds(bots, sizes) == usual
    assert most_rounds(bots, sizes) == most


def test_the_best_tables_are_found() -> None:
    """Among all 2,627,625 ways to seat 16 bots at tables of 4, the one that repeats nothing is known here."""
    names = numbered(16)
    players = [Player(name=bot, group=bot) for bot in names]
    rows = [names[first : first + 4] for first in range(0, 16, 4)]
    met = dict.fromkeys(combinations(names, 2), 1)
    columns = sorted(tuple(sorted(row[place] for row in rows)) for place in range(4))
    for column in columns:
        met.update(dict.fromkeys(combinations(column, 2), 0))

    assert sorted(seat(players, 4, met, Stream(b"", "test"))) == columns
