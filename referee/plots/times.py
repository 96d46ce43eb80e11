"""How long bots took, gathered from records: times of slaps and of thinking, as counts in bins.

A bin is a 25th of a power of ten wide, so memory does not grow with matches, and a quantile is right within a tenth.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import floor, log10

from referee.rules.record import GivenSlaps, Move, asked_in

PER_DECADE = 25
"""How many bins a power of ten has."""

DECADES = 9
"""Bins reach from 1 us to 1,000 s. What is shorter or longer goes into the first or the last."""


class TimeBins:
    """How many times fell into which bin."""

    def __init__(self) -> None:
        self.count = 0
        self._bins = array("L", bytes(8 * PER_DECADE * DECADES))

    def add(self, time_us: float) -> None:
        """Count a time in microseconds."""
        place = floor(log10(time_us) * PER_DECADE) if time_us > 1 else 0
        self._bins[min(place, len(self._bins) - 1)] += 1
        self.count += 1

    def filled(self) -> list[tuple[float, float, int]]:
        """From the first bin that holds anything to the last: its ends in microseconds, and how many fell into it."""
        some = [place for place, count in enumerate(self._bins) if count]
        if not some:
            return []
        return [(_start(place), _start(place + 1), self._bins[place]) for place in range(some[0], some[-1] + 1)]

    def quantile(self, share: float) -> float | None:
        """The time in microseconds that this share of all took at most; None where nothing was counted."""
        left = share * self.count
        for low, high, count in self.filled():
            if count and left <= count:
                return float(low * (high / low) ** (left / count))
            left -= count
        return None


class Times:
    """The times of each bot, from the records of a run in any order."""

    def __init__(self) -> None:
        self.slaps: defaultdict[str, TimeBins] = defaultdict(TimeBins)
        """By bot, how long its slaps took, as they were compared (`corrected_us`); passes and late ones are not in."""
        self.late: Counter[str] = Counter()
        """How many of a bot's answers to a slap window came too late."""
        self.thinking: defaultdict[str, TimeBins] = defaultdict(TimeBins)
        """By bot, how long its answers took; only of those that were asked for."""

    def add(self, bots: Sequence[str], moves: Sequence[Move]) -> None:
        """Count the times of the moves of a match of these bots, by seat."""
        for given in asked_in(moves):
            self.thinking[bots[given.seat]].add(given.time_us)
        for move in moves:
            if isinstance(move, GivenSlaps):
                self._add_window(bots, move)

    def _add_window(self, bots: Sequence[str], window: GivenSlaps) -> None:
        for reaction in window.reactions:
            if reaction.late:
                self.late[bots[reaction.seat]] += 1
            elif reaction.target is not None and reaction.corrected_us is not None:
                self.slaps[bots[reaction.seat]].add(reaction.corrected_us)


def _start(place: int) -> float:
    return float(10.0 ** (place / PER_DECADE))


def time_in_words(time_us: float) -> str:
    """A time with two or three figures: `850 µs`, `1.3 ms`, `12 ms`, `1.2 s`."""
    for unit, size in (("µs", 1.0), ("ms", 1e3)):
        if time_us < 999.5 * size:
            figure = time_us / size
            return f"{figure:.1f} {unit}" if figure < 9.95 and size > 1 else f"{figure:.0f} {unit}"
    return f"{time_us / 1e6:.1f} s"
