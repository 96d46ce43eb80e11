"""How long a run takes: the estimate before anything is played, and the time left while it is."""

import time
from collections.abc import Callable, Mapping

from msgspec import Struct

from referee.play.sandbox.system_info import cores
from referee.tournament.config.config import Config
from referee.tournament.plan.planned_match import PlannedMatch, for_blocks
from referee.trials.random_games import mean_game

DECISION_S = 0.0004
"""Wall time of a decision of a bot that answers at once, with its part of the match's end. Measured on two cores."""


class Estimate(Struct, frozen=True, kw_only=True):
    """What the matches take that a run has left, if bots answer at once."""

    matches: dict[str, int]
    """Matches that are left of each variant."""
    match_s: dict[str, float]
    """Seconds that a match of each variant takes a process that plays one at a time, or all where one plays alone."""
    side_by_side: int
    """Processes that have a core each."""
    stored_bytes: float
    """What all of the matches add to the store."""

    @property
    def wall_s(self) -> float:
        """Seconds until the last of them has ended."""
        return sum(self.matches[name] * match_s for name, match_s in self.match_s.items()) / self.side_by_side


def estimate(
    config: Config,
    matches: Mapping[str, int],
    *,
    processes: int,
    start_s: float,
    grows: bool,
    is_elsewhere: bool = False,
) -> Estimate:
    """The estimate for these numbers of matches of the variants, where a bot takes `start_s` to start.

    `grows` says whether matches of all variants may be added, and `is_elsewhere` that hosts of a cluster play.
    """
    variants = [one for one in config.variants if matches[one.name] or grows]
    games = {one.name: mean_game(for_blocks(one.variant), one.seats) for one in variants}
    start_s = 0.0 if config.reuse == "tournament" else start_s
    side_by_side = max(1, processes if is_elsewhere else min(processes, cores()))
    match_s = {one.name: one.seats * start_s + games[one.name].decisions * DECISION_S for one in variants}
    alone = frozenset[str]() if is_elsewhere else config.alone
    return Estimate(
        matches=dict(matches),
        match_s={name: seconds * (side_by_side if name in alone else 1) for name, seconds in match_s.items()},
        side_by_side=side_by_side,
        stored_bytes=sum(games[one.name].stored_bytes * matches[one.name] for one in variants),
    )


class Pace:
    """Follows the matches of a session.

    The estimate says how much work a match of each variant is. How long the session takes for it is measured from
    when its first match begins, so that the start of the workers does not count, and matches that are being played
    count in part. The estimate weighs as much in this as one match.
    """

    def __init__(self, estimate: Estimate, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` tells seconds."""
        self._match_s, self._clock = estimate.match_s, clock
        self._left = estimate.wall_s * estimate.side_by_side
        self._usual_rate = 1 / estimate.side_by_side
        """Seconds of the session for a second of work, as the estimate has it."""
        self._weight = self._left / max(1, sum(estimate.matches.values()))
        self._begun_at: float | None = None
        self._playing: dict[int, tuple[float, float]] = {}
        """By number: when the match began, and how much work it is."""
        self._done = self._done_s = 0.0
        """The work of the matches that have ended, and how long they took together."""

    def begun(self, planned_match: PlannedMatch) -> None:
        """A match is played from now on."""
        now = self._clock()
        self._begun_at = now if self._begun_at is None else self._begun_at
        self._playing[planned_match.number] = now, self._match_s[planned_match.variant]

    def finished(self, number: int) -> None:
        """A match has ended."""
        begun_at, work = self._playing.pop(number)
        self._left -= work
        self._done += work
        self._done_s += self._clock() - begun_at

    def voided(self, number: int) -> None:
        """A match was spoiled. One that is spoiled while its bots start has not begun."""
        self._playing.pop(number, None)

    def grown(self, matches: Mapping[str, int]) -> None:
        """The plan has so many more matches of each variant."""
        self._left += sum(count * self._match_s[name] for name, count in matches.items() if count)

    def left_s(self, more: int = 0) -> float:
        """Seconds until the run has nothing left to play, and so many matches that are not drawn yet."""
        left = self._left + more * self._weight
        if self._begun_at is None:
            return left * self._usual_rate
        now, playing = self._clock(), tuple(self._playing.values())
        elapsed_s = now - self._begun_at
        if not self._done:
            underway = sum(work for _, work in playing)
            return left * max(self._usual_rate, elapsed_s / underway if underway else 0.0)
        match_rate = self._done_s / self._done
        underway = sum(min(work, (now - begun_at) / match_rate) if match_rate else 0.0 for begun_at, work in playing)
        rate = (self._weight * self._usual_rate + elapsed_s) / (self._weight + self._done + underway)
        return max(0.0, left - underway) * rate
