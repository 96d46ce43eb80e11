"""Times of bots, counted in bins."""

from random import Random

import pytest

from referee.plots.times import TimeBins, Times, time_in_words
from referee.rules.record import GivenSlaps, Reaction


def test_a_quantile_is_off_by_more_than_a_tenth() -> None:
    """Whatever the times, also where all that are in a bin stand at one end of it."""
    dice = Random(1)  # noqa: S311 - the same times every time
    even = sorted(10 ** dice.uniform(0.2, 6) for _ in range(2001))
    for times in (even, *([10 ** (4 + part / 100)] * 2001 for part in range(12))):
        bins = TimeBins()
        for time_us in times:
            bins.add(time_us)
        for share in (0.05, 0.5, 0.95, 0.99):
            assert bins.quantile(share) == pytest.approx(times[int(share * 2000)], rel=0.1)


def test_passes_and_late_answers_count_as_slaps() -> None:
    times = Times()
    reactions = (
        Reaction(seat=0, target=(1, 3), raw_us=900.0, wait_us=100.0, corrected_us=800.0),
        Reaction(seat=1, raw_us=500.0, wait_us=0.0, corrected_us=500.0),
        Reaction(seat=2, late=True),
    )
    window = GivenSlaps(round=0, window=0, asked=(0, 1, 2), reactions=reactions, lots=(), order=(0, 1, 2))
    times.add(("ann", "bob", "cyd"), [window])

    assert {bot: bins.count for bot, bins in times.slaps.items()} == {"ann": 1}
    assert times.slaps["ann"].quantile(1) == pytest.approx(800, rel=0.1)
    assert times.late == {"cyd": 1}


def test_times_in_words() -> None:
    assert [time_in_words(time_us) for time_us in (3.2, 999.4, 1300, 12_400, 2.5e6)] == [
        *("3 µs", "999 µs", "1.3 ms", "12 ms", "2.5 s"),
    ]
