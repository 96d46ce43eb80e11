"""Checking that other cards were dealt for a match only as often as voided matches had shown its cards."""

from collections.abc import Iterator

from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.store.tables import EARLIER_FORMAT
from referee.tournament.store.voided import voids_by_place


class RedealCheck:
    """Checks the matches of a run one by one. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        is_shared = store.meta().facts.rotations == "same"
        self._voids = {} if is_shared else voids_by_place(store)
        """Those after which other cards are dealt."""
        self._is_earlier = store.format == EARLIER_FORMAT
        """Whether the run tells neither when its voids came nor, once it was amended, of which match they were."""
        self._all = sum(store.void_reasons().values())

    def findings(self, match: CommittedMatch) -> Iterator[str]:
        """What is wrong with the redeals that a match tells: there must be as many as there were voids by then."""
        redeals = match.result.redeals
        if self._is_earlier:
            if redeals > self._all:
                yield f"its cards were dealt anew {redeals} times, but only {self._all} matches were voided"
            return
        voids = self._voids.get(match.identity.place, [])
        shown = sum(void.after is not None and void.after < match.id for void in voids)
        if redeals != shown:
            yield f"its cards were dealt anew {redeals} times, but voided matches had shown them {shown} times"
