"""What golfref printed before 0.5.0 is compared by the definitions of then: a tournament worked by hand."""

from math import sqrt
from typing import Any

import msgspec
import pytest

from referee.tournament.results import Result
from referee.tournament.tally import standings_of
from referee.tournament.verify.earlier_standings import in_the_earlier_way

pytestmark = pytest.mark.full


def result(number: int, block: int, variant: str = "six", rounds: int = 2, **totals: int) -> Result:
    points = tuple(totals.values())
    return Result(
        number=number,
        variant=variant,
        block=block,
        bots=tuple(totals),
        totals=points,
        ranks=tuple(1 + sum(other < total for other in points) for total in points),
        rounds=rounds,
        forfeited=(False,) * len(points),
        faults=({},) * len(points),
        late_slaps=(0,) * len(points),
    )


RESULTS = [
    result(0, 0, a=10, b=20, c=30),
    result(1, 0, b=16, c=16, a=22),
    result(2, 1, c=0, a=6, b=12),
    result(3, 2, "duel", rounds=4, a=4, b=0),
    result(4, 2, "duel", rounds=4, b=0, a=0),
    result(5, 3, "duel", rounds=4, a=8, b=0),
]
"""Match points: a 1, 0, 1/2 and 0, 1/2, 0; b 1/2, 3/4, 0 and 1, 1/2, 1; c 0, 3/4, 1."""


def earlier(rank_by: Any = "match-points") -> dict[str, Any]:
    standings = standings_of(RESULTS, rank_by)
    own = {"standings": standings.overall, "variants": standings.variants, "crosstable": standings.crosstable}
    return in_the_earlier_way(msgspec.json.decode(msgspec.json.encode(own)), RESULTS, rank_by)


def test_figures_of_then() -> None:
    """For b in `six`: the mean is 5/12; its blocks deviate by 5/12 and -5/12; so sqrt(2 * 2 * (5/12)**2) / 3."""
    found = earlier()
    figures = {
        row["bot"]: [row[key] for key in ("rank", "match_points", "match_points_stderr", "strokes", "strokes_stderr")]
        for row in found["standings"]
    }
    assert figures == {
        "b": pytest.approx([1, 5 / 8, sqrt(29) / 36, 1 / 12, sqrt(205) / 18]),
        "c": pytest.approx([2, 7 / 12, 5 / 18, 1 / 3, 20 / 9]),
        "a": pytest.approx([3, 1 / 3, 1 / 18, -1 / 4, sqrt(5) / 6]),
    }
    duel = {row["bot"]: (row["rank"], row["match_points_stderr"]) for row in found["variants"]["duel"]}
    assert duel == {"b": (1, pytest.approx(1 / 9)), "a": (2, pytest.approx(1 / 9))}
    cell = found["crosstable"]["a"]["b"]
    assert (cell["match_points"], cell["strokes"]) == pytest.approx((5 / 12, -1 / 3))


def test_ranks_by_strokes_of_then() -> None:
    assert {row["bot"]: row["rank"] for row in earlier("strokes")["standings"]} == {"a": 1, "b": 2, "c": 3}
