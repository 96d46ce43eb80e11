"""The clock of a run that is played for some hours: which round still fits."""

from collections.abc import Mapping
from typing import Any

from referee.tournament.run.clock import HoursClock


class Session:
    """A store as a clock sees it, and the time as a test sets it."""

    def __init__(self, **counts: int) -> None:
        self.now, self.matches = 0.0, counts
        self.noted_s: int | None = None

    def counts(self) -> Mapping[str, int]:
        return self.matches

    def used_s(self) -> int | None:
        return self.noted_s


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
    store.noted_s = 90
    clock = clock_of(store, 1.0)
    assert (clock.used_s, clock.has_pace) == (90.0, True)
    assert round(clock.needed_s({"short": 1}, store.matches), 6) == 11.0
    assert clock_of(store, 1.0, counts_earlier=False).used_s == 0.0
