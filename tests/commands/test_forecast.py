"""How long a run will still take, told by a clock that the test puts forward."""

from collections.abc import Sequence

import pytest

from referee.commands.forecast import Estimate, Pace
from referee.reports.tables.figures import duration
from referee.tournament.plan.fixture import Fixture


class Session:
    """A session that plays a plan, so many matches at a time, each for as long as the test says."""

    def __init__(self, variants: Sequence[str], match_s: dict[str, float], side_by_side: int = 1) -> None:
        self.now = 0.0
        self._variants = list(variants)
        self._next = 0
        matches = {variant: self._variants.count(variant) for variant in match_s}
        estimate = Estimate(matches=matches, match_s=match_s, side_by_side=side_by_side, stored_bytes=0)
        self.pace = Pace(estimate, lambda: self.now)

    def begin(self) -> int:
        """The next match begins; returns its number."""
        number = self._next
        self._next += 1
        variant = self._variants[number]
        self.pace.begun(Fixture(number=number, variant=variant, block=0, lineup=(), rotation=0, deal=0, deal_key=b""))
        return number

    def play(self, matches: int, took_s: float, at_a_time: int = 1) -> None:
        """Play so many more, in groups that begin and end together."""
        for _ in range(matches // at_a_time):
            numbers = [self.begin() for _ in range(at_a_time)]
            self.now += took_s
            for number in numbers:
                self.pace.finished(number)


def test_before_anything_is_played_the_estimate_tells() -> None:
    session = Session(["six"] * 10 + ["cactus"] * 10, {"six": 1.0, "cactus": 3.0}, side_by_side=2)
    assert session.pace.left_s() == pytest.approx(20)


def test_the_start_of_workers_and_bots_is_not_taken_for_the_pace_of_matches() -> None:
    """Once, five seconds until the first of 245 matches had ended were told as `1220 s left`, where 122 were."""
    session = Session(["six"] * 245, {"six": 0.6})
    session.now += 5
    session.play(1, 0.5)
    assert session.pace.left_s() == pytest.approx(122, rel=0.2)
    session.play(9, 0.5)
    assert session.pace.left_s() == pytest.approx(117, rel=0.05)


def test_what_is_left_counts_by_how_long_its_games_are() -> None:
    """The short games come first here, and the long ones are twice as slow as estimated, as the short ones are."""
    session = Session(["short"] * 50 + ["long"] * 50, {"short": 0.1, "long": 1.0})
    session.play(50, 0.2)
    assert session.pace.left_s() == pytest.approx(100, rel=0.1)


@pytest.mark.parametrize("at_a_time", [1, 2, 8])
def test_bots_that_think_for_long_are_noticed_soon(at_a_time: int) -> None:
    """However many matches are played at a time, and also before the first of them has ended."""
    session = Session(["six"] * 80, {"six": 0.1}, side_by_side=2)
    playing = [session.begin() for _ in range(at_a_time)]
    session.now += 10
    assert session.pace.left_s() >= 10 * 80 / at_a_time
    for number in playing:
        session.pace.finished(number)
    left = 80 - at_a_time
    assert session.pace.left_s() == pytest.approx(10 * left / at_a_time, rel=0.6)
    session.play(24, 10, at_a_time)
    assert session.pace.left_s() == pytest.approx(10 * (left - 24) / at_a_time, rel=0.05)


def test_matches_that_are_being_played_count_in_part() -> None:
    session = Session(["six"] * 20, {"six": 1.0})
    session.play(10, 1.0)
    session.begin()
    before = session.pace.left_s()
    session.now += 0.5
    assert session.pace.left_s() == pytest.approx(before - 0.5)


def test_a_match_that_is_void_is_still_to_be_played() -> None:
    session = Session(["six"] * 10, {"six": 1.0})
    session.play(5, 1.0)
    session.pace.voided(session.begin())
    session.pace.voided(7)
    assert session.pace.left_s() == pytest.approx(5)


def test_at_the_end_nothing_is_left_and_nobody_reads_of_less_than_nothing() -> None:
    """Three times 0.3 s, taken from their sum one by one, leave less than 0."""
    session = Session(["six"] * 3, {"six": 0.3})
    session.play(3, 2.0)
    assert session.pace.left_s() == pytest.approx(0)
    assert duration(session.pace.left_s()) == "0 s"
