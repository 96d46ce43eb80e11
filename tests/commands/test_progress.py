"""What a person sees while a run is played: how much is there, how long the rest will take, and who leads."""

import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from referee.commands.forecast import Estimate, Pace
from referee.commands.progress import (
    PLAIN_EVERY_S,
    BarDisplay,
    Leaders,
    LineDisplay,
    RunProgress,
    StageLeaders,
    make_bar,
)
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.rounds import Round, StageRules, Table
from referee.tournament.results import Result


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


def test_where_bots_meet_different_opponents_who_leads_is_told_by_strength() -> None:
    """`weak` has the better mean, but only because it met weaker bots."""
    made = Leaders("match-points", by_strength=True)
    for number, bots in enumerate([("ann", "bea"), ("ann", "bea"), ("bea", "weak"), ("weak", "cid")] * 3):
        made.add(replace(result(number), bots=bots))
    made.add(replace(result(99), bots=("weak", "cid")))

    assert made.words(80) == "leading: ann, bea, weak"
    assert made.words(20) == "leading: ann, bea"


def test_in_a_knockout_those_lead_who_lead_its_ties() -> None:
    """`cid` has the better seed in a tie that is even; `ann`, who won before, is out."""
    swiss = Round(number=0, title="")
    table = Table(variant="six", bots=("bea", "cid"), deal=0)
    final = Round(number=1, title="", stage=1, entered=("cid", "bea"), tables=(table,))
    rules = (StageRules(format="swiss", deals=1, advance=2), StageRules(format="knockout", deals=1, limit=1))
    made = StageLeaders("match-points", lambda number: final if number > 3 else swiss, rules)
    for number, bots in enumerate([("ann", "bea"), ("bea", "cid")] * 2):
        made.add(replace(result(number), bots=bots))
    assert made.words(80).startswith("leading: ann")
    made.add(replace(result(4), bots=("bea", "cid"), ranks=(1, 1), totals=(3, 3)))
    assert made.words(80) == "leading: cid"


def result(number: int) -> Result:
    return Result(
        number=number,
        variant="six",
        block=number,
        bots=("ann", "bea"),
        totals=(3, 9),
        ranks=(1, 2),
        rounds=1,
        forfeited=(False, False),
        faults=({}, {}),
        late_slaps=(0, 0),
    )


def fixture(number: int) -> Fixture:
    return Fixture(number=number, variant="six", block=0, lineup=(0, 1), rotation=0, deal=0, deal_key=b"")


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
        progress.begun(fixture(4))
        clock.now += 2
        progress.finished(result(4))
        assert "5/10 about 8 s left leading: ann 1.00, bea 0.00" in drawn.getvalue()


def test_a_new_run_says_nothing_until_there_is_something_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = RunProgress(LineDisplay(), leaders(0), pace(10, clock), total=10, clock=clock)
    assert capsys.readouterr().err == ""
    for number in range(10):
        progress.begun(fixture(number))
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
    long.add(replace(result(0), bots=("a neural network of the first kind", "bea")))
    assert long.words(50) == "leading: a neural netw…e first kind 1.00, bea 0.00"
    assert long.words(20) == "leading: a neu…kind 1.00"


def test_a_void_is_told_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = RunProgress(LineDisplay(), leaders(0), pace(2, clock), total=2, clock=clock)
    progress.begun(fixture(0))
    progress.voided(fixture(0), 1, "the referee slept")
    progress.begun(fixture(0))
    clock.now += PLAIN_EVERY_S
    progress.finished(result(0))
    void, line = capsys.readouterr().err.splitlines()
    assert void == "match 0 is void (attempt 1), no bot's fault: the referee slept"
    assert line.startswith("1/2 matches, 1 voided, about ")
