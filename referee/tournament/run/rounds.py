"""The rounds of a run that is played: each is drawn when everything before it has been played, and written down.

Whatever becomes of the run afterwards, it goes on with the round that is written. This module must not know how
matches are played.
"""

from collections import Counter
from collections.abc import Callable

from referee.tournament.config.planned import MatchIdentities
from referee.tournament.formats.draw import hours_are_over, needs_results, next_round
from referee.tournament.formats.table import FORMATS
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import DrawInput, End, Round
from referee.tournament.run.clock import HoursClock
from referee.tournament.store.played import PlayedSoFar
from referee.tournament.store.store import Store


class Rounds:
    """Draws the rounds of a run, and lets its plan grow by them."""

    def __init__(  # noqa: PLR0913 - the parts of a run
        self,
        plan: Plan,
        field: DrawInput,
        terms: MatchIdentities,
        store: Store,
        *,
        clock: HoursClock | None = None,
        has_changed: Callable[[], bool] | None = None,
    ) -> None:
        """Nothing of the run's history tells that its plan does not grow any more. The `clock` can end it.

        `has_changed` tells whether the run is to rest before the next round, because its config or its bots changed.
        """
        self.plan, self._has_changed = plan, has_changed
        self._field, self._store, self._has_ended, self._clock = field, store, False, clock
        self._played = PlayedSoFar(plan, terms, keeps_results=needs_results(field))
        self._last = 0
        """The id of the last match that has been taken in."""
        self._counts = Counter[str]()
        """By variant, how many matches of the plan have been taken in."""

    def draw(self) -> Round | End | None:
        """The next round, or that there is none. It is in the store when this returns.

        None where it was there before, and where a ladder only rests: its time is over, or its bots changed.

        All matches of the plan must have been played, or given up. Raises StoreError.
        """
        if self._has_ended:
            return None
        for row in self._store.matches(self._last):
            self._played.add(row, row.number)
            self._counts[row.identity.variant] += row.number is not None
            self._last = row.id
        drawn = next_round(self._field, self._played.past())
        clock = self._clock
        if isinstance(drawn, Round) and clock and not clock.has_time_for(self.plan.matches_in(drawn), self._counts):
            self._has_ended = True
            if FORMATS[self._field.stages[0].format].is_endless:
                return None
            drawn = hours_are_over(clock.hours)
        if isinstance(drawn, Round) and self._has_changed is not None and self._has_changed():
            self._has_ended = True
            return None
        self._store.note_drawn(drawn, None if clock is None else clock.used_s)
        if isinstance(drawn, Round):
            self.plan.add(drawn)
        else:
            self._has_ended = True
        return drawn
