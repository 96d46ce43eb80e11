"""What a person sees of a run before and while it is played: the plan, how long the rest will take, who leads."""

import io
import re
from collections.abc import Sequence

import pytest
from made_up_runs import made_up_result
from rich.console import Console

from referee.commands.tournament.announcement import plan_lines
from referee.commands.tournament.forecast import Estimate, Pace
from referee.commands.tournament.progress import (
    PLAIN_EVERY_S,
    BarDisplay,
    Leaders,
    LineDisplay,
    RunProgress,
    make_bar,
)
from referee.reports.tables.figures import duration
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.results import Result

# The plan


def test_the_plan_is_a_product_for_each_size_of_tables() -> None:
    assert plan_lines({"par-3": 2}, {"par-3": 1}, 20, 80) == [
        "1 game x 1 line-up of 2 x 20 deals x 2 seats = 40 matches",
        "  par-3",
    ]
    seats = {"six-card": 4, "two-deck": 2, "cactus": 4}
    assert plan_lines(seats, {"six-card": 1001, "two-deck": 91, "cactus": 1001}, 3, 80) == [
        "2 games x 1,001 line-ups of 4 x 3 deals x 4 seats = 24,024 matches",
        "  six-card, cactus",
        "1 game x 91 line-ups of 2 x 3 deals x 2 seats = 546 matches",
        "  two-deck",
        "together 24,570 matches",
    ]


# How long the rest will take


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
        self.pace.begun(planned_match(number, variant))
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


# Who leads, and when a line or a bar is drawn


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def leaders(matches: int) -> Leaders:
    """After so many matches, all of which ann has won."""
    made = Leaders("match-points")
    for number in range(matches):
        made.add(result(number))
    return made


def test_of_a_gauntlet_only_challengers_lead() -> None:
    made = Leaders("match-points", ranked=("bea",))
    made.add(result(0))
    assert made.words(80) == "leading: bea 0.00"


def test_where_means_do_not_rank_nobody_leads(capsys: pytest.CaptureFixture[str]) -> None:
    made = Leaders("match-points", ranked=())
    made.add(result(0))
    RunProgress(LineDisplay(), made, pace(1, Clock()), total=2, clock=Clock())
    assert capsys.readouterr().err == "1/2 matches, about 1 s left\n"


def result(number: int, bots: tuple[str, str] = ("ann", "bea"), totals: tuple[int, int] = (3, 9)) -> Result:
    return made_up_result(bots, totals, number=number, game="six", block=number)


def planned_match(number: int, variant: str = "six") -> PlannedMatch:
    return PlannedMatch(number=number, variant=variant, block=0, lineup=(0, 1), rotation=0, deal=0, deal_key=b"")


def pace(matches: int, clock: Clock) -> Pace:
    """The pace of a session with this many matches, of a second each."""
    estimate = Estimate(matches={"six": matches}, match_s={"six": 1.0}, side_by_side=1, stored_bytes=0)
    return Pace(estimate, clock)


def test_a_run_that_goes_on_tells_time_and_leaders_before_a_match_ends(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    RunProgress(LineDisplay(), leaders(4), pace(6, clock), total=10, clock=clock)
    assert capsys.readouterr().err == "4/10 matches, about 6 s left; leading: ann 1.00, bea 0.00\n"


def test_a_bar_that_goes_on_shows_time_and_leaders_before_a_match_ends() -> None:
    clock, drawn = Clock(), io.StringIO()
    with make_bar(Console(file=drawn, force_terminal=True, width=120, color_system=None)) as bar:
        progress = RunProgress(BarDisplay(bar), leaders(4), pace(6, clock), total=10, clock=clock)
        pictures = [line for line in re.split(r"[\r\n]", drawn.getvalue()) if "/10" in line]
        assert pictures
        assert all("4/10 about 6 s left leading: ann 1.00, bea 0.00" in picture for picture in pictures)
        progress.begun(planned_match(4))
        clock.now += 2
        progress.finished(result(4))
        assert "5/10 about 8 s left leading: ann 1.00, bea 0.00" in drawn.getvalue()


def test_a_new_run_says_nothing_until_there_is_something_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = RunProgress(LineDisplay(), leaders(0), pace(10, clock), total=10, clock=clock)
    assert capsys.readouterr().err == ""
    for number in range(10):
        progress.begun(planned_match(number))
        clock.now += 0.4 * PLAIN_EVERY_S
        if number == 0:
            progress.waiting()
        progress.finished(result(number))
    first, *lines, last = capsys.readouterr().err.splitlines()
    assert first.startswith("0/10 matches so far; about ")
    assert [line.partition(",")[0] for line in lines] == ["3/10 matches", "6/10 matches", "9/10 matches"]
    assert last == "10/10 matches; leading: ann 1.00, bea 0.00"


def test_as_many_leaders_are_named_as_find_room() -> None:
    ahead = leaders(1)
    assert [ahead.words(room) for room in (27, 26)] == ["leading: ann 1.00, bea 0.00", "leading: ann 1.00"]
    long = Leaders("match-points")
    long.add(result(0, ("a neural network of the first kind", "bea")))
    assert long.words(50) == "leading: a neural netw…e first kind 1.00, bea 0.00"
    assert long.words(20) == "leading: a neu…kind 1.00"


def test_a_void_is_told_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = RunProgress(LineDisplay(), leaders(0), pace(2, clock), total=2, clock=clock)
    progress.begun(planned_match(0))
    progress.voided(planned_match(0), 1, "the referee slept", 1)
    progress.begun(planned_match(0))
    clock.now += PLAIN_EVERY_S
    progress.finished(result(0))
    void, line = capsys.readouterr().err.splitlines()
    assert void == "match 0 is void (attempt 1), no bot's fault: the referee slept"
    assert line.startswith("1/2 matches, 1 voided, about ")
