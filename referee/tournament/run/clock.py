"""How long a run has played of the hours that it has, and whether another round fits into what is left.

The run's history has the time that was used, so that it counts when the run goes on; of a session that was killed, the
time up to its last round. This module must not know how matches are played.
"""

import time
from collections.abc import Callable, Mapping

from referee.tournament.store.rows import Hours
from referee.tournament.store.store import Store

HOUR_S = 3600.0

MARGIN = 1.1
"""A round may take so many times as long as it should."""


class HoursClock:
    """Counts from when it is made."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` tells seconds."""
        self.hours = 0.0
        self._clock = clock
        self._earlier_s = 0.0
        """What earlier sessions used."""
        self._since = clock()
        self._match_s: Mapping[str, float] = {}
        self._side_by_side = 1.0
        self._begun: tuple[float, float] | None = None
        """When matches began to be played in this session, and how much work had been done by then."""

    @property
    def used_s(self) -> float:
        """How many seconds have been used in all."""
        return self._earlier_s + self._clock() - self._since

    @property
    def left_s(self) -> float:
        """How many seconds are left; below 0 where it took longer."""
        return self.hours * HOUR_S - self.used_s

    @property
    def has_pace(self) -> bool:
        """Whether earlier sessions of the run have shown how long matches take."""
        return self._earlier_s > 0

    def begin(
        self,
        store: Store | None,
        hours: float,
        match_s: Mapping[str, float],
        side_by_side: float,
        *,
        counts_earlier: bool,
    ) -> None:
        """Matches are played from now on, for so many hours; `counts_earlier` adds what earlier sessions used of them.

        `match_s` is an estimate of how long matches of each variant take, of which so many go on `side_by_side`. A run
        that has not begun has no `store`.
        """
        self.hours, self._match_s, self._side_by_side = hours, match_s, side_by_side
        self._begun = self._clock(), 0.0 if store is None else self._work(store.counts())
        if store is not None and counts_earlier:
            self._earlier_s = store.used_s() or 0

    def note(self, store: Store) -> None:
        """Write into the run's journal how much time has been used. Each round that is drawn has it too."""
        store.add(Hours(used_s=round(self.used_s)))

    def has_time_for(self, matches: Mapping[str, int], played: Mapping[str, int]) -> bool:
        """Whether a round with so many matches of each variant probably ends in time, after so many were `played`."""
        return self.left_s >= self.needed_s(matches, played)

    def needed_s(self, matches: Mapping[str, int], played: Mapping[str, int]) -> float:
        """How long so many matches of each variant take at most, at the pace of those that were `played`."""
        return MARGIN * self._work(matches) * self._pace(self._work(played))

    def _pace(self, work: float) -> float:
        """Seconds that a second of work takes: as in this session, else as in earlier ones, else as estimated."""
        begun_at, before = self._begun or (self._since, 0.0)
        if work > before:
            return (self._clock() - begun_at) / (work - before)
        return self._earlier_s / work if work and self._earlier_s else 1 / self._side_by_side

    def _work(self, matches: Mapping[str, int]) -> float:
        return sum(count * self._match_s.get(name, 0.0) for name, count in matches.items())
