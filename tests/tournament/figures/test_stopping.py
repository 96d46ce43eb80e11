"""When a tournament may end: what is said at a look, for results that are made up."""

from itertools import combinations

import pytest
from made_up_rounds import Points, a_round, field_of, results_of
from msgspec.structs import replace

from referee.tournament.figures.means import Estimate, p_of
from referee.tournament.figures.stopping import Look, Progress, looks_of
from referee.tournament.formats.draw import next_round
from referee.tournament.formats.round_robin import look_at
from referee.tournament.plan.rounds import Block, DrawInput, End, History, Round, StageRules, StopRules
from referee.tournament.tally import Tally

AFTER_9 = "after 9 of 20 deals"


def by_name(table: Block, _rotation: int, bot: str) -> int:
    """The first always wins, but for one deal in five."""
    return int((bot == table.bots[0]) == (table.deal % 5 == 4))


def only_first(table: Block, _rotation: int, bot: str) -> int:
    """The bot `a` beats everybody; all others win by turns."""
    return int((bot == table.bots[0]) != (table.bots[0] == "a" or table.deal % 2 == 1))


def ties(_table: Block, _rotation: int, _bot: str) -> int:
    return 0


def tournament(stop: StopRules, *, bots: str = "abcd", deals: int = 20) -> DrawInput:
    return replace(field_of(bots, StageRules(deals=deals)), stop=stop)


def played(field: DrawInput, points: Points, deals: int) -> History:
    """So many deals of the round-robin."""
    names = [bot.name for bot in field.bots]
    results, number = [], 0
    for deal in range(deals):
        some = []
        for lineup in combinations(names, 2):
            table = Block(variant="game", bots=lineup, deal=deal)
            some += [
                replace(one, block=number, number=2 * number + one.rotation) for one in results_of([table], points)
            ]
            number += 1
        results.append(some)
    return History(rounds=[Round(number=deal, title="", whole_deal=deal) for deal in range(deals)], played=results)


def first_end(field: DrawInput, points: Points) -> tuple[int, str]:
    """After how many deals it ends, and why."""
    whole = played(field, points, field.stages[0].deals)
    for deals in range(field.stages[0].deals + 1):
        drawn = next_round(field, History(rounds=whole.rounds[:deals], played=whole.played[:deals]))
        if isinstance(drawn, End):
            return deals, drawn.reason
    raise AssertionError("it goes on after all deals")


def look(stop: StopRules, points: Points, deals: int, *, planned: int = 20) -> Look:
    field = tournament(stop, deals=planned)
    return look_at(field, played(field, points, deals))


@pytest.mark.parametrize(
    ("stop", "points", "deals", "reason"),
    [
        (StopRules(when="top 1"), only_first, 4, "the best bot is settled after 4 of 20 deals"),
        (StopRules(when="top 2"), only_first, 20, "after 20 of 20 deals 2 of 6 pairs are undecided"),
        (StopRules(when="all"), ties, 20, "after 20 of 20 deals 6 of 6 pairs are undecided"),
        (
            StopRules(when="all", difference=0.3),
            ties,
            16,
            "all 6 pairs are settled (6 nearer than 0.3) after 16 of 20 deals",
        ),
        (StopRules(precision=0.1), ties, 8, "all 4 intervals are within ± 0.1 after 8 of 20 deals"),
    ],
)
def test_a_tournament_ends_at_the_first_look_at_which_all_is_known(
    stop: StopRules, points: Points, deals: int, reason: str
) -> None:
    assert first_end(tournament(stop), points) == (deals, reason)


def test_without_stop_rules_all_deals_are_played() -> None:
    field = replace(tournament(StopRules()), stop=None)

    assert first_end(field, only_first) == (20, "all 20 deals are played")


def test_a_tournament_with_two_stop_rules_ends_when_both_hold() -> None:
    found = look(StopRules(when="top 1", precision=0.05), only_first, 4)

    assert not found.is_settled
    assert found.words.startswith("after 4 of 20 deals the widest interval is ± 0.317, where 0.05 is asked for")


def test_a_precision_that_the_deals_will_not_reach_is_told() -> None:
    within_reach = look(StopRules(precision=0.2), only_first, 4).words
    beyond = look(StopRules(precision=0.05), only_first, 4).words

    assert within_reach == "after 4 of 20 deals the widest interval is ± 0.317, where 0.2 is asked for"
    assert beyond.endswith("where 0.05 is asked for (all 20 deals will give about 0.142)")


def test_intervals_that_are_narrow_by_luck_end_nothing() -> None:
    found = look(StopRules(precision=0.32), only_first, 4)

    assert not found.is_settled
    assert found.words.endswith("the widest interval is ± 0.317, which is not yet reliably within 0.32")


def test_the_words_after_each_deal_list_the_pairs_that_are_undecided() -> None:
    field = tournament(StopRules(when="all"))
    drawn = a_round(next_round(field, played(field, only_first, 4)))
    assert drawn.known == "after 4 of 20 deals 3 of 6 pairs are undecided: b - c, b - d, c - d"
    assert look(StopRules(when="all"), ties, 4).with_pairs.endswith(
        "6 of 6 pairs are undecided: a - b, a - c, a - d and 3 more"
    )


def test_only_pairs_between_the_top_and_the_rest_keep_the_top_open() -> None:
    assert look(StopRules(when="top 2"), only_first, 4).undecided == (("b", "c"), ("b", "d"))
    assert len(look(StopRules(when="all"), only_first, 4).undecided) == 3


def test_between_looks_nothing_is_judged() -> None:
    found = look(StopRules(when="top 1"), only_first, 5, planned=200)

    assert not found.is_settled
    assert found.words == "after 5 of 200 deals nothing is judged; the next look is after 8"


def test_one_deal_settles_nothing() -> None:
    assert not look(StopRules(when="all", difference=0.9), ties, 1).is_settled
    assert first_end(tournament(StopRules(when="all", difference=0.9), deals=1), ties)[0] == 1


def test_the_order_of_results_within_a_round_does_not_matter() -> None:
    field = tournament(StopRules(when="all"))
    past = played(field, by_name, 8)
    by_block = [sorted(some, key=lambda one: (-one.block, -one.rotation)) for some in past.played]

    assert look_at(field, replace(past, played=by_block)) == look_at(field, past)


def test_challengers_alone_are_compared_in_a_gauntlet() -> None:
    rules = StageRules(format="gauntlet", deals=20, challengers=("a", "b"))
    field = replace(tournament(StopRules(when="all")), stages=[rules])
    past = played(field, only_first, 8)
    tables = [[one for one in some if len({"a", "b"} & set(one.bots)) == 1] for some in past.played]

    assert look_at(field, replace(past, played=tables)).words == "the pair is settled after 8 of 20 deals"


def test_the_table_says_what_the_look_says() -> None:
    field = tournament(StopRules(when="all"), deals=50)
    past = played(field, by_name, 8)
    tally = Tally(looks=looks_of(50))
    for some in past.played:
        for one in some:
            tally.add(one)
    undecided = look_at(field, past).undecided
    assert undecided == (("a", "b"), ("b", "c"), ("c", "d"))
    ranges = {row.bot: (row.rank_from, row.rank_to) for row in tally.standings("match-points").overall}
    assert ranges == {"a": (1, 2), "b": (1, 3), "c": (2, 4), "d": (3, 4)}


# What looking again and again costs


def test_it_is_looked_at_doubling_intervals_and_at_the_end() -> None:
    for planned, looks in (
        (1, [1]),
        (2, [2]),
        (3, [2, 3]),
        (20, [2, 4, 8, 16, 20]),
        (1000, [*(2**n for n in range(1, 10)), 1000]),
    ):
        found = [played for played in range(1, planned + 1) if Progress(played=played, planned=planned).is_look]
        assert found == looks
        assert looks_of(planned) == len(looks)


def test_a_p_value_is_multiplied_by_the_number_of_looks() -> None:
    gap = Estimate(mean=0.5, stderr=0.1, df=9.0, blocks=10)
    assert p_of(gap, 5) == pytest.approx(5 * p_of(gap))
    assert p_of(gap, 10_000) == 1
