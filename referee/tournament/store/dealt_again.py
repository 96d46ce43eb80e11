"""Which matches of a run may not be shown yet, because their cards are still to be dealt again.

Whoever saw such a match would know the cards of another one that is still to be played. The cards follow from the
variant, the names of the bots and the deal, and where each rotation has cards of its own from the rotation too; so a
match that is out of the standings waits as well, where another version of a bot is to play it again. Of these matches
only the results may be told.
"""

from collections import Counter

from msgspec import Struct

from referee.tournament.store.plans import extent_of, plan_now
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

Cards = tuple[str, frozenset[str], int, tuple[str, ...]]
"""What the cards of a match follow from: variant, names and deal; and the seats, where each rotation has its own."""


class Withheld(Struct, frozen=True, kw_only=True):
    """Which matches may not be shown: `id_ in withheld`. It stays true while the run goes on."""

    ids: frozenset[int]
    """Those that had been committed."""
    until: int
    """The id of the match that had been committed last. All that came later are withheld."""

    def __contains__(self, id_: int) -> bool:
        return id_ > self.until or id_ in self.ids


def dealt_again(store: Store) -> Withheld:
    """The committed matches whose cards are still to be dealt again. Raises StoreError.

    There are none where every match of the run has been played. The run may go on meanwhile.
    """
    until = store.last_id()  # first of all: what is read after it can only say that fewer of these wait
    extent = extent_of(store)
    if extent.has_ended and sum(store.counts().values()) == extent.planned:
        return Withheld(ids=frozenset(), until=until)  # drawing a plan may take longer than reading all results
    plan = plan_now(store)
    is_shared = store.meta().facts.rotations == "same"
    there = Counter(_cards(row, is_shared=is_shared) for row in store.committed() if row.number is not None)

    def is_open(row: CommittedMatch) -> bool:
        where = row.identity
        if not plan.has_table(where.variant, where.bots, where.deal):
            return not extent.has_ended  # a plan that grows may have it once more
        return there[_cards(row, is_shared=is_shared)] < (len(where.bots) if is_shared else 1)

    return Withheld(ids=frozenset(row.id for row in store.committed() if row.id <= until and is_open(row)), until=until)


def _cards(row: CommittedMatch, *, is_shared: bool) -> Cards:
    where = row.identity
    return where.variant, frozenset(where.bots), where.deal, () if is_shared else where.bots
