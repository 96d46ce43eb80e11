"""The clock of a run that is played for some hours: which round still fits."""

from collections.abc import Mapping
from typing import Any

from referee.tournament.formats.draw import hours_are_over
from referee.tournament.plan.rounds import End
from referee.tournament.run.clock import HoursClock
from referee.tournament.store.events import played_for, told_as_played_for, used_s
from referee.tournament.store.rows import RunEvent


class Session:
    """A store as a clock sees it, and the time as a test sets it."""

    def __init__(self, **counts: int) -> None:
        self.now, self.matches = 0.0, counts
        self.lines: list[tuple[int, str]] = []

    def counts(self) -> Mapping[str, int]:
        return self.matches

    def history(self) -> list[RunEvent]:
        return [RunEvent(after=after, lines=(line,)) for after, line in self.lines]


def clock_of(store: Any, hours: float, *, counts_earlier: bool = True) -> HoursClock:
    clock = HoursClock(lambda: store.now)
    clock.begin(store, hours, {"short": 1.0, "long": 3.0}, 2, counts_earlier=counts_earlier)
    return clock


def test_a_round_fits_if_it_ends_in_time_at_the_pace_of_the_matches_so_far() -> None:
    """Ten matches, one of them of three times the work, took 120 s; so seven short ones take 70 s more, or 77."""
    store: Any = Session()
    clock = clock_of(store, 200 / 3600)
    assert clock.has_time_for({"short": 363}, {}), "as long as estimated, two at a time"
    assert not clock.has_time_for({"short": 364}, {})
    store.now, played = 120.0, {"short": 9, "long": 1}
    assert clock.has_time_for({"short": 7}, played)
    assert not clock.has_time_for({"short": 5, "long": 1}, played)
    assert (clock.used_s, round(clock.left_s)) == (120.0, 80)


def test_time_that_earlier_sessions_noted_counts_and_shows_how_long_matches_take() -> None:
    """It noted 90 s, in which 9 matches were played."""
    store: Any = Session(short=9)
    store.lines = [(0, played_for(4.0)), (6, played_for(90.0)), (9, "something else")]
    clock = clock_of(store, 1.0)
    assert (clock.used_s, clock.has_pace) == (90.0, True)
    assert round(clock.needed_s({"short": 1}, store.matches), 6) == 11.0
    assert clock_of(store, 1.0, counts_earlier=False).used_s == 0.0


def test_the_words_for_time_are_recognised() -> None:
    assert told_as_played_for(played_for(61.7)) == 62
    assert told_as_played_for("played for 6x s of its hours") is None
    assert used_s([played_for(3), "other", played_for(61)]) == 61
    assert used_s(["other"]) is None
    assert hours_are_over(0.5) == End(reason="its time is over (hours = 0.5)")
