"""A ladder: who meets whom, how a new entry finds its place, and that it ends only when it is told to."""

from collections import Counter
from collections.abc import Iterable

from made_up_rounds import a_round, by_strength, field_of, numbered, played, played_out, where
from simulated import chance

from referee.tournament.figures.strengths import strengths_of
from referee.tournament.formats.ladder import LEAST_TABLES, MOST_TABLES, most_matches, next_round
from referee.tournament.plan.meetings import meetings_of
from referee.tournament.plan.rounds import DrawInput, End, History, Round, StageRules

STRENGTHS = {bot: 0.08 * number for number, bot in enumerate(numbered(24))}


def ladder(bots: int | Iterable[str], seats: int = 2, rounds: int | None = None) -> DrawInput:
    return field_of(bots, StageRules(format="ladder", deals=2, rounds=rounds), tables={"game": seats})


def seatings(rounds: Iterable[Round]) -> Counter[str]:
    return Counter(bot for one in rounds for table in one.tables for bot in table.bots)


def test_neighbours_meet_most_others_meet_too_and_everybody_plays_about_as_much() -> None:
    past = played(ladder(24), next_round, 60, by_strength(STRENGTHS, chance("1")))
    tables = [table.bots for one in past.rounds[40:] for table in one.tables]
    apart = [int(high[1:]) - int(low[1:]) for low, high in tables]
    often = seatings(past.rounds[:40]).values()

    assert sum(apart) / len(apart) < 0.7 * (24 + 1) / 3, "by the lot alone, it would be a third of the bots"
    assert max(apart) > 12
    assert min(often) > 0.75 * 80
    assert max(often) < 1.25 * 80


def test_a_new_entry_plays_more_until_as_much_is_known_of_it() -> None:
    more = STRENGTHS | {"new": 3.0}
    points = by_strength(more, chance("3"))
    past = played(ladder(24), next_round, 30, points)
    past = played(ladder(more), next_round, 16, points, past)
    found = strengths_of(meetings_of(past).scores, more)

    assert seatings(past.rounds[30:33])["new"] > 1.5 * 3 * MOST_TABLES
    assert seatings(past.rounds[43:46])["new"] <= 3 * MOST_TABLES
    assert max(found, key=lambda bot: found[bot].strength) == "new"
    assert found["new"].stderr < 1.1 * max(one.stderr for bot, one in found.items() if bot != "new")


def test_results_of_a_bot_that_is_gone_count_for_the_others() -> None:
    """`a` beat a strong bot and `b` a weak one, and then both of these were withdrawn."""
    past = played(ladder(["strong", "weak", "a", "b"]), next_round, 5)
    left = ladder(["a", "b", "c"])
    kept = where(past, lambda bots: {*bots} == {"a", "b"})
    former = [result for some in past.played for result in some if {*result.bots} != {"a", "b"}]
    drawn = a_round(next_round(left, History(rounds=kept.rounds, played=kept.played, former={0: former})))
    assert drawn.number == 5
    assert {bot for table in drawn.tables for bot in table.bots} == {"a", "b", "c"}
    assert drawn == next_round(left, History(rounds=kept.rounds, played=kept.played[::-1], former={0: former[::-1]}))


def test_a_ladder_goes_on_until_somebody_says_how_many_rounds_it_has() -> None:
    past = played(ladder(3), next_round, 30)

    assert played_out(ladder(3, rounds=20), next_round, past=past) == (
        past,
        End(reason="all 20 rounds of the ladder have been played"),
    )
    assert most_matches(ladder(3)) is None
    assert most_matches(ladder(3, rounds=30)) == sum(map(len, past.played))


def test_a_round_keeps_several_workers_busy_even_with_few_bots() -> None:
    drawn = a_round(next_round(ladder(4, seats=3), History()))
    assert len(drawn.tables) == 2 * LEAST_TABLES
    assert len({(table.bots, table.deal) for table in drawn.tables}) == 2 * LEAST_TABLES
