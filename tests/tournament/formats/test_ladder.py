"""A ladder: who meets whom, how a new entry finds its place, and that it ends only when it is told to."""

from collections import Counter
from collections.abc import Mapping

from drawn_rounds import Played, by_name, by_strength, dice, field_of
from msgspec.structs import replace

from referee.tournament.formats.ladder import LEAST_TABLES, MOST_TABLES, most_matches, next_round
from referee.tournament.plan.rounds import End, Field, Past, Round, StageRules
from referee.tournament.statistics.pair_strengths import pair_strengths

SPREAD = 0.08
"""How much better each bot is than the next."""


def strengths(count: int) -> dict[str, float]:
    return {f"bot{number:02d}": -SPREAD * number for number in range(count)}


def ladder(bots: Mapping[str, float], seats: int = 2, rounds: int | None = None) -> Field:
    return field_of(bots, {"six": seats}, StageRules(format="ladder", deals=2, rounds=rounds))


def seatings(played: Played, rounds: slice) -> Counter[str]:
    return Counter(bot for one in played.rounds[rounds] for table in one.tables for bot in table.bots)


def test_neighbours_meet_most_and_others_meet_too() -> None:
    bots = strengths(24)
    played = Played()
    played.play(ladder(bots), next_round, by_strength(bots, dice(1)), most=60)
    tables = [table.bots for one in played.rounds[40:] for table in one.tables]
    apart = [int(high[3:]) - int(low[3:]) for low, high in tables]

    assert sum(apart) / len(apart) < 0.7 * (24 + 1) / 3, "by the lot alone, it would be a third of the bots"
    assert max(apart) > 12


def test_everybody_plays_about_as_much() -> None:
    bots = strengths(24)
    played = Played()
    played.play(ladder(bots), next_round, by_strength(bots, dice(2)), most=40)
    often = seatings(played, slice(None)).values()

    assert min(often) > 0.75 * 80
    assert max(often) < 1.25 * 80


def test_a_new_entry_plays_more_until_as_much_is_known_of_it() -> None:
    bots = strengths(24)
    played = Played()
    chance = dice(3)
    played.play(ladder(bots), next_round, by_strength(bots, chance), most=30)
    more = bots | {"new": 1.0}
    played.play(ladder(more), next_round, by_strength(more, chance), most=16)
    found = pair_strengths(played.meetings.scores, more)

    assert seatings(played, slice(30, 33))["new"] >= 3 * 2 * MOST_TABLES
    assert seatings(played, slice(43, 46))["new"] <= 3 * MOST_TABLES
    assert max(found, key=lambda bot: found[bot].strength) == "new"
    assert found["new"].stderr < 1.1 * max(one.stderr for bot, one in found.items() if bot != "new")


def test_what_a_bot_did_before_it_was_gone_counts_for_the_others() -> None:
    """`a` beat a strong bot and `b` a weak one, and then both of these were withdrawn."""
    bots = dict.fromkeys(["strong", "weak", "a", "b"], 0.0)
    played = Played()
    played.play(ladder(bots), next_round, by_name, most=5)
    left = ladder({"a": 0.0, "b": 0.0, "c": 0.0})
    rounds = [replace(one, tables=tuple(t for t in one.tables if t.bots == ("a", "b"))) for one in played.rounds]
    former = [result for some in played.results for result in some if {*result.bots} != {"a", "b"}]
    kept = [[result for result in some if {*result.bots} == {"a", "b"}] for some in played.results]
    drawn = next_round(left, Past(rounds=rounds, played=kept, former={0: former}))

    assert isinstance(drawn, Round)
    assert drawn.number == 5
    assert {bot for table in drawn.tables for bot in table.bots} == {"a", "b", "c"}
    assert drawn == next_round(left, Past(rounds=rounds, played=kept[::-1], former={0: former[::-1]}))


def test_it_goes_on_until_somebody_says_how_many_rounds_there_are() -> None:
    bots = strengths(3)
    played = Played()

    assert played.play(ladder(bots), next_round, by_name, most=30) is None
    assert played.play(ladder(bots, rounds=20), next_round, by_name) == End(
        reason="all 20 rounds of the ladder have been played"
    )
    assert len(played.rounds) == 30
    assert most_matches(ladder(bots)) is None
    assert most_matches(ladder(bots, rounds=30)) == sum(len(some) for some in played.results)


def test_a_round_keeps_several_workers_busy_even_with_few_bots() -> None:
    drawn = next_round(ladder(strengths(4), seats=3), Past())

    assert isinstance(drawn, Round)
    assert len(drawn.tables) == 2 * LEAST_TABLES
    assert len({(table.bots, table.deal) for table in drawn.tables}) == 2 * LEAST_TABLES


def test_bots_of_one_owner_never_sit_together() -> None:
    bots = strengths(9)
    owners = dict(zip(bots, "aaaabbbc", strict=False))
    entered = field_of(bots, {"six": 3, "two": 2}, StageRules(format="ladder", deals=1), owners=owners)
    played = Played()
    played.play(entered, next_round, by_strength(bots, dice(4)), most=10)

    for table in (table for one in played.rounds for table in one.tables):
        owned = [owners[bot] for bot in table.bots if bot in owners]
        assert len({*owned}) == len(owned)
