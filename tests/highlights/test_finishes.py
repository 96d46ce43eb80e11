"""Highlights that follow from scores: the worked examples of tournaments/HIGHLIGHTS.md, and what does not count."""

from collections.abc import Sequence

import pytest

from referee.highlights.finishes import closest_finish, greatest_comeback, greatest_swing, most_lead_changes
from referee.highlights.highlight import Match, parts_of, sentence_of
from referee.rules.match import MatchResult, RoundResult

Scores = tuple[int, ...]


def played(
    *rounds: Scores, playoffs: Sequence[Scores] = (), ranks: Scores | None = None, ender: int | None = None
) -> Match:
    """A match with these scores by round. `ender` ended all rounds, with a raw score of 2."""
    results = [
        RoundResult(
            raw=tuple(2 if seat == ender else score for seat, score in enumerate(scores)),
            scores=scores,
            ender=ender,
            capped=False,
            playoff=number >= len(rounds),
        )
        for number, scores in enumerate([*rounds, *playoffs])
    ]
    totals = tuple(map(sum, zip(*rounds, strict=True)))
    placed = ranks or tuple(1 + sum(other < own for other in totals) for own in totals)
    result = MatchResult(totals=totals, ranks=placed, rounds=tuple(results), capped=False)
    return Match(variant="game", bots=("ann", "bob", "cy")[: len(totals)], result=result)


def told(match: Match, words: str) -> str:
    return sentence_of(parts_of(words), match.bots)


# Swings


def test_a_swing_is_what_the_new_leader_made_good_in_the_round() -> None:
    match = played((20, 34), (25, 5))

    swing = greatest_swing(match)

    assert swing is not None
    assert (swing.score, swing.seats, swing.round, swing.event) == (20, (1, 0), 2, None)
    assert told(match, swing.words) == (
        "bob overtakes ann in the last round, from 14 strokes behind to 6 ahead: bob scores 5, ann scores 25."
    )


def test_of_equal_swings_the_latest_counts() -> None:
    swing = greatest_swing(played((0, 2), (6, 0), (0, 6)))

    assert swing is not None
    assert (swing.score, swing.round, swing.seats) == (6, 3, (0, 1))


def test_what_ending_the_round_cost_the_old_leader_is_told() -> None:
    match = played((1, 3), (9, 0), ender=0)

    swing = greatest_swing(match)

    assert swing is not None
    assert told(match, swing.words).endswith("bob scores 0, ann ends the round and scores 9 instead of 2.")


@pytest.mark.parametrize("rounds", [[(1, 2)], [(1, 1), (0, 5)], [(0, 1), (5, 4)], [(0, 3), (0, 9)]])
def test_without_one_leader_before_and_another_after_there_is_no_swing(rounds: list[Scores]) -> None:
    assert greatest_swing(played(*rounds)) is None


# Comebacks


def test_a_comeback_is_how_far_the_winner_was_behind() -> None:
    match = played((10, 3), (8, 8), (2, 10), (2, 9))

    comeback = greatest_comeback(match)

    assert comeback is not None
    assert (comeback.score, comeback.seats, comeback.round) == (7, (0, 1), 2)
    assert told(match, comeback.words) == ("ann is 7 strokes behind bob 2 rounds before the end, and still wins.")


def test_only_a_winner_comes_back() -> None:
    assert greatest_comeback(played((1, 2), (1, 2))) is None, "never behind"
    assert greatest_comeback(played((2, 0), (0, 2))) is None, "a shared victory"
    assert greatest_comeback(played((9, 0), (0, 1), ranks=(1, 2))) is None, "four of a kind won with a higher total"


def test_a_playoff_decides_who_came_back() -> None:
    comeback = greatest_comeback(played((2, 0), (0, 2), playoffs=[(1, 3)], ranks=(1, 2)))

    assert comeback is not None
    assert (comeback.score, comeback.round, comeback.seats) == (2, 1, (0, 1))


# Close finishes


def test_the_margin_a_round_says_how_close_it_was() -> None:
    long = closest_finish(played((44, 45), *[(0, 0)] * 8))
    short = closest_finish(played((30, 31), *[(0, 0)] * 4))

    assert long is not None
    assert short is not None
    assert (long.score, short.score) == (1, 1)
    assert long.order > short.order


def test_a_close_finish_in_words() -> None:
    finishes = {
        "After 2 rounds ann wins by 1 stroke before cy, 7 to 8.": played((3, 9, 4), (4, 9, 4)),
        "After one round ann and cy have 3 strokes each, and share the victory.": played((3, 9, 3)),
        "After one round ann, bob and cy have 1 stroke each, and cy wins 2 playoff rounds.": played(
            (1, 1, 1), playoffs=[(2, 2, 2), (3, 3, 1)], ranks=(2, 2, 1)
        ),
    }

    found = {told(match, one.words): one for match in finishes.values() if (one := closest_finish(match))}

    assert set(found) == set(finishes)
    assert [(one.seats, one.round) for one in found.values()] == [((0, 2), 2), ((0, 2), 1), ((2, 0, 1), 3)]


def test_where_four_of_a_kind_won_with_a_higher_total_the_finish_is_not_close() -> None:
    assert closest_finish(played((5, 4), ranks=(1, 2))) is None


# Lead changes


def test_a_lead_changes_hands_when_another_seat_leads_alone() -> None:
    shared_for_a_while = played((0, 2), (2, 0), (0, 1))
    once = played((0, 2), (2, 0), (1, 0))
    match = played((0, 1, 9), (3, 1, 9), (0, 9, 9), (9, 9, 0), playoffs=[(9, 0, 9)])

    found = most_lead_changes(match)

    assert most_lead_changes(shared_for_a_while) is None
    assert (one := most_lead_changes(once)) is not None
    assert (one.score, one.round, one.seats) == (1, 3, (1, 0))
    assert found is not None
    assert (found.score, found.round, found.seats) == (2, 3, (0, 1))
    assert told(match, found.words) == (
        "The lead changes hands twice, for the last time in round 3 of 4, when ann takes it from bob."
    )
