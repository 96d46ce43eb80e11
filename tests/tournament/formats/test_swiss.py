"""A Swiss: who meets whom in which round, who sits out, and when it is over. It is all drawn from sums in memory."""

from collections import Counter
from itertools import combinations

import pytest
from drawn_rounds import Played, by_name, by_strength, dice, field_of
from msgspec.structs import replace

from referee.rules.table.streams import Stream
from referee.tournament.formats.seating import Player, seat, seatable
from referee.tournament.formats.swiss import most_matches, most_rounds, next_round, usual_rounds
from referee.tournament.plan.rounds import End, Past, Round, StageRules


def names(count: int) -> list[str]:
    return [f"bot{number:02d}" for number in range(count)]


def swiss(deals: int = 1, rounds: int | None = None) -> StageRules:
    return StageRules(format="swiss", deals=deals, rounds=rounds)


def sat_out(played: Played, bots: list[str]) -> Counter[str]:
    seated = [{bot for table in one.tables for bot in table.bots} for one in played.rounds]
    return Counter({bot: sum(bot not in some for some in seated) for bot in bots})


@pytest.mark.parametrize(("bots", "seats", "rounds"), [(12, 2, 8), (11, 2, 7), (20, 3, 6), (30, 4, 5)])
def test_nobody_meets_twice_and_everybody_sits_out_about_as_often(bots: int, seats: int, rounds: int) -> None:
    played = Played()
    end = played.play(field_of(names(bots), {"six": seats}, swiss()), next_round, by_name)

    assert end == End(reason=f"all {rounds} rounds of the Swiss have been played")
    assert len(played.rounds) == rounds
    assert max(played.meetings.met.values()) == 1
    assert {len(one.tables) for one in played.rounds} == {bots // seats}
    out = sat_out(played, names(bots)).values()
    assert max(out) - min(out) <= 1


def test_winners_meet_winners() -> None:
    played = Played()
    played.play(field_of(names(16), {"six": 2}, swiss()), next_round, by_name, most=2)

    winners = {min(table.bots) for table in played.rounds[0].tables}
    assert all(len(winners & {*table.bots}) in (0, 2) for table in played.rounds[1].tables)


def test_after_many_rounds_neighbours_meet() -> None:
    """Where the best always wins, the order is soon known, and the tables are those of bots next to each other."""
    played = Played()
    played.play(field_of(names(32), {"six": 2}, swiss(rounds=4)), next_round, by_name)

    first, last = (
        sum(int(high[3:]) - int(low[3:]) for table in one.tables for low, high in combinations(table.bots, 2))
        for one in (played.rounds[0], played.rounds[-1])
    )
    assert last < first / 2


def test_games_of_as_many_seats_share_the_tables_of_a_round() -> None:
    played = Played()
    entered = field_of(names(24), {"two": 2, "four": 4, "four more": 4}, swiss(deals=3))
    played.play(entered, next_round, by_name)

    for drawn in played.rounds:
        tables = {
            name: [table.bots for table in drawn.tables if table.variant == name] for name in ("four", "four more")
        }
        assert tables["four"] == tables["four more"]
        assert Counter(tables["four"]).most_common(1)[0][1] == 3
        two = {pair for table in drawn.tables if table.variant == "two" for pair in [table.bots]}
        together = {pair for bots in tables["four"] for pair in combinations(bots, 2)}
        assert not two & together
    assert len({(table.variant, table.bots, table.deal) for one in played.rounds for table in one.tables}) == sum(
        len(one.tables) for one in played.rounds
    )
    assert most_matches(entered) == sum(len(table.bots) for one in played.rounds for table in one.tables)


def test_those_who_meet_again_play_the_next_deals() -> None:
    played = Played()
    played.play(field_of(names(4), {"six": 2}, swiss(deals=2, rounds=6)), next_round, by_name)

    assert Counter(played.meetings.met.values()) == {2: 6}
    deals = sorted(table.deal for one in played.rounds for table in one.tables if table.bots == ("bot00", "bot01"))
    assert deals == [0, 1, 2, 3]


@pytest.mark.parametrize("seats", [2, 3])
def test_bots_of_one_owner_never_sit_together(seats: int) -> None:
    owners = dict(zip(names(15), "aaaaaabbbbccc", strict=False))
    played = Played()
    played.play(field_of(names(15), {"six": seats}, swiss(rounds=6), owners=owners), next_round, by_name)

    for table in (table for one in played.rounds for table in one.tables):
        owned = [owners[bot] for bot in table.bots if bot in owners]
        assert len({*owned}) == len(owned)


def test_bots_that_are_nobodys_sit_with_anybody() -> None:
    entered = field_of(["greedy", "keeper", "random"], {"six": 3}, swiss(), owners={"random": "somebody"})
    drawn = next_round(entered, Past())

    assert isinstance(drawn, Round)
    assert [table.bots for table in drawn.tables] == [("greedy", "keeper", "random")]


def test_as_many_tables_are_filled_as_owners_allow() -> None:
    players = [Player(name=str(number), group=owner) for number, owner in enumerate("aaaaaaabbc")]

    assert seatable(players, 2) == 3
    assert seatable(players, 3) == 1
    assert seatable(players, 4) == 0


def test_a_round_does_not_depend_on_the_order_of_bots_and_results() -> None:
    entered = field_of(names(13), {"six": 3}, swiss())
    played = Played()
    ranks = by_strength({bot: number / 5 for number, bot in enumerate(names(13))}, dice(1))
    played.play(entered, next_round, ranks, most=3)
    forth = Past(rounds=played.rounds, played=played.results)
    back = Past(rounds=played.rounds, played=[some[::-1] for some in played.results[::-1]])

    assert next_round(entered, forth) == next_round(replace(entered, bots=entered.bots[::-1]), back)


def test_a_bot_that_comes_late_plays_and_one_that_is_gone_counts_for_the_others() -> None:
    played = Played()
    played.play(field_of(names(9), {"six": 2}, swiss()), next_round, by_name, most=2)
    gone = [result for some in played.results for result in some if "bot00" in result.bots]
    kept = [[result for result in some if "bot00" not in result.bots] for some in played.results]
    rounds = [replace(one, tables=tuple(t for t in one.tables if "bot00" not in t.bots)) for one in played.rounds]
    later = field_of(["late", *names(9)[1:]], {"six": 2}, swiss())
    drawn = next_round(later, Past(rounds=rounds, played=kept, former={0: gone}))

    assert isinstance(drawn, Round)
    assert drawn.number == 2
    seated = {bot for table in drawn.tables for bot in table.bots}
    assert "late" in seated
    assert "bot00" not in seated


def test_rounds_of_other_stages_do_not_count() -> None:
    entered = replace(field_of(names(8), {"six": 2}, swiss(rounds=1)), stages=[swiss(rounds=1), swiss(rounds=2)])
    played = Played()
    played.play(entered, next_round, by_name)
    drawn = next_round(entered, Past(rounds=played.rounds, meetings=played.meetings), stage=1)

    assert isinstance(drawn, Round)
    assert (drawn.number, drawn.stage, drawn.title) == (1, 1, "Swiss round 1 of 2")
    assert not {table.bots for table in drawn.tables} & {table.bots for table in played.rounds[0].tables}


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
def test_how_many_rounds_there_are(bots: int, sizes: list[int], usual: int, most: int) -> None:
    assert usual_rounds(bots, sizes) == usual
    assert most_rounds(bots, sizes) == most


def test_the_best_tables_are_found() -> None:
    """Among all 2,627,625 ways to seat 16 bots at tables of 4, the one that repeats nothing is known here."""
    players = [Player(name=bot, group=bot) for bot in names(16)]
    rows = [names(16)[first : first + 4] for first in range(0, 16, 4)]
    met = dict.fromkeys(combinations(names(16), 2), 1)
    columns = sorted(tuple(sorted(row[place] for row in rows)) for place in range(4))
    for column in columns:
        met.update(dict.fromkeys(combinations(column, 2), 0))

    assert sorted(seat(players, 4, met, Stream(b"", "test"))) == columns
