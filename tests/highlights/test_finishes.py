"""Highlights that follow from scores: the worked examples of tournaments/HIGHLIGHTS.md, and what does not count."""

from collections.abc import Callable, Sequence

import pytest

from referee.highlights.finishes import closest_finish, greatest_comeback, greatest_swing, most_lead_changes
from referee.highlights.highlight import Found, Match, parts_of, sentence_of
from referee.rules.match import MatchResult, RoundResult

Scores = tuple[int, ...]
Kind = Callable[[Match], Found | None]

NO_SWING = ([(1, 2)], [(1, 1), (0, 5)], [(0, 1), (5, 4)], [(0, 3), (0, 9)])
"""Rounds without one leader before and another after."""


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
    return Match(id=1, number=0, variant="game", bots=("ann", "bob", "cy")[: len(totals)], result=result)


LAST_ROUND = played((20, 34), (25, 5))
ENDED = played((1, 3), (9, 0), ender=0)

FOUND: list[tuple[Kind, Match, tuple[int, tuple[int, ...], int], str]] = [
    # A swing is what the new leader made good in the round; of equal ones the latest counts.
    (
        greatest_swing, LAST_ROUND, (20, (1, 0), 2),
        "bob overtakes ann in the last round, from 14 strokes behind to 6 ahead: bob scores 5, ann scores 25.",
    ),
    (greatest_swing, played((0, 2), (6, 0), (0, 6)), (6, (0, 1), 3), ""),
    (greatest_swing, ENDED, (9, (1, 0), 2), "bob scores 0, ann ends the round and scores 9 instead of 2."),
    # A comeback is how far the winner was behind before the next round; a playoff decides who that is.
    (
        greatest_comeback, played((10, 3), (8, 8), (2, 10), (2, 9)), (7, (0, 1), 3),
        "ann is 7 strokes behind bob 2 rounds before the end, and still wins.",
    ),
    (greatest_comeback, played((2, 0), (0, 2), playoffs=[(1, 3)], ranks=(1, 2)), (2, (0, 1), 2), ""),
    (
        closest_finish, played((3, 9, 4), (4, 9, 4)), (1, (0, 2), 2),
        "After 2 rounds ann wins by 1 stroke ahead of cy, 7 to 8.",
    ),
    (
        closest_finish, played((3, 9, 3)), (0, (0, 2), 1),
        "After one round ann and cy have 3 strokes each, and share the victory.",
    ),
    (
        closest_finish, played((1, 1, 1), playoffs=[(2, 2, 2), (3, 3, 1)], ranks=(2, 2, 1)), (0, (2, 0, 1), 3),
        "After one round ann, bob and cy have 1 stroke each, and cy wins 2 playoff rounds.",
    ),
    # A lead changes hands when another seat leads alone.
    (most_lead_changes, played((0, 2), (2, 0), (1, 0)), (1, (1, 0), 3), ""),
    (
        most_lead_changes, played((0, 1, 9), (3, 1, 9), (0, 9, 9), (9, 9, 0), playoffs=[(9, 0, 9)]), (2, (0, 1), 3),
        "the lead changes hands twice, for the last time in round 3 of 4, when ann takes it from bob.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "match", "what", "words"), FOUND)
def test_a_moment_is_found_with_its_seats_and_its_round_and_told(
    kind: Kind, match: Match, what: tuple[int, tuple[int, ...], int], words: str
) -> None:
    found = kind(match)
    assert found is not None
    assert (found.score, found.seats, found.moment) == (*what[:2], f"r{what[2]}")
    assert sentence_of(parts_of(found.words), match.bots).endswith(words)


@pytest.mark.parametrize(
    ("kind", "match"),
    [
        *((greatest_swing, played(*rounds)) for rounds in NO_SWING),
        (greatest_comeback, played((1, 2), (1, 2))),  # never behind
        (greatest_comeback, played((2, 0), (0, 2))),  # a shared victory
        (greatest_comeback, played((9, 0), (0, 1), ranks=(1, 2))),  # four of a kind won with a higher total
        (closest_finish, played((5, 4), ranks=(1, 2))),  # so here
        (most_lead_changes, played((0, 2), (2, 0), (0, 1))),  # shared for a while
    ],
)
def test_what_is_no_such_moment_is_not_found(kind: Kind, match: Match) -> None:
    assert kind(match) is None


def test_the_margin_a_round_says_how_close_a_finish_was() -> None:
    long, short = closest_finish(played((44, 45), *[(0, 0)] * 8)), closest_finish(played((30, 31), *[(0, 0)] * 4))
    assert long is not None
    assert short is not None
    assert (long.score, short.score) == (1, 1)
    assert long.order > short.order
