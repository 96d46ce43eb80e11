"""What looking again and again costs, against the constants of Pocock's boundaries."""

from math import erfc, sqrt

import pytest

from referee.tournament.statistics.looks import LEAST_DF, looks_of, p_at_look, repeated_p
from referee.tournament.statistics.means import Estimate, p_of


@pytest.mark.parametrize(
    ("looks", "z", "level"),
    [(1, 1.960, 0.05), (2, 2.178, 0.05), (5, 2.413, 0.05), (10, 2.555, 0.05), (20, 2.672, 0.05), (5, 2.986, 0.01)],
)
def test_the_boundaries_are_those_of_pocock(looks: int, z: float, level: float) -> None:
    """Jennison and Turnbull, Group Sequential Methods (2000), table 2.1."""
    assert repeated_p(erfc(z / sqrt(2)), looks) == pytest.approx(level, rel=2e-3)


def test_more_looks_cost_more_and_never_more_than_all_of_them_one_by_one() -> None:
    costs = [repeated_p(0.001, looks) for looks in (1, 2, 3, 10, 50)]

    assert costs == sorted(costs)
    assert costs[0] == 0.001
    assert costs[2] < 0.003
    assert repeated_p(1e-40, 20) == 0
    assert repeated_p(1.0, 20) == 1


def test_a_small_first_look_is_one_more_chance_to_err() -> None:
    """With next to nothing in it, it has nothing in common with the others, which are then nine equal steps."""
    p = 0.01
    alone = 1 - (1 - p) * (1 - repeated_p(p, 9))

    assert repeated_p(p, 10, first=1e-6) == pytest.approx(alone, rel=5e-3)
    assert repeated_p(p, 10) < repeated_p(p, 10, first=0.1) < alone


def test_there_are_fifty_looks_at_most() -> None:
    assert [looks_of(deals) for deals in (1, 20, 50, 51, 99, 1000)] == [1, 20, 50, 26, 50, 50]


def test_a_variance_that_is_hardly_known_settles_nothing_where_there_are_other_looks() -> None:
    gap = Estimate(mean=0.5, stderr=0.01, df=LEAST_DF - 1, blocks=5)

    assert p_at_look(gap, 1) == pytest.approx(p_of(gap), abs=1e-11)
    assert p_at_look(gap, 20) == 1
