"""Checking that other cards were dealt for a match only as often as voided matches had shown its cards."""

from collections import defaultdict
from collections.abc import Iterator

from referee.tournament.plan.schedule import Place
from referee.tournament.store.rows import CommittedMatch, Void
from referee.tournament.store.store import Store
from referee.tournament.store.tables import EARLIER_FORMAT
from referee.tournament.store.voided import voids_by_place

_Cards = tuple[str, frozenset[str], int, tuple[str, ...]]
"""Whatever matches that share their cards have in common: variant, bots and deal; else also the bots by seat."""


class RedealCheck:
    """Takes the matches of a run in the order of their commits. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._is_shared = store.meta().facts.rotations == "same"
        self._voids: dict[_Cards, list[Void]] = defaultdict(list)
        for place, voids in voids_by_place(store).items():
            self._voids[self._cards(place)] += voids
        self._redeals: dict[_Cards, set[int]] = defaultdict(set)
        """The redeals of the matches so far, where there were voids."""
        self._is_earlier = store.format == EARLIER_FORMAT
        """Whether the run tells neither when its voids came nor, once it was amended, of which match they were."""
        self._all = sum(store.void_reasons().values())

    def findings(self, match: CommittedMatch) -> Iterator[str]:
        """What is wrong with the redeals that a match tells.

        There must be as many as there were voids by then, or as many as those of an earlier match with the same cards.
        """
        cards, redeals = self._cards(match.identity.place), match.result.redeals
        if self._is_earlier:
            if redeals > self._all:
                yield f"its cards were dealt anew {redeals} times, but only {self._all} matches were voided"
            return
        voids = self._voids.get(cards, [])
        shown = sum(void.after is not None and void.after < match.id for void in voids)
        if redeals not in {shown, *self._redeals.get(cards, ())}:
            yield f"its cards were dealt anew {redeals} times, but voided matches had shown them {shown} times"
        if voids:
            self._redeals[cards].add(redeals)

    def _cards(self, place: Place) -> _Cards:
        variant, bots, deal = place
        return variant, frozenset(bots), deal, () if self._is_shared else bots
