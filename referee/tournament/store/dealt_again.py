"""Which matches of a run may not be shown yet, because their cards are still to be dealt again.

The cards of a match follow from the names of its bots, not from their versions: so a match that is out of the standings
waits until it has been played again, since its record has the cards. Until then only its result may be shown.
"""

from msgspec import Struct

from referee.tournament.plan.schedule import Place
from referee.tournament.store.plans import extent_of, plan_now
from referee.tournament.store.store import Store


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
    retired = [row for row in store.retired() if row.id <= until]
    extent = extent_of(store)
    if not retired or (extent.has_ended and sum(store.counts().values()) == extent.planned):
        return Withheld(ids=frozenset(), until=until)  # drawing a plan may take longer than reading all results
    plan = plan_now(store)
    there = {row.identity.place for row in store.committed() if row.number is not None}

    def is_open(place: Place) -> bool:
        if not plan.has_table(*place):
            return not extent.has_ended  # a plan that grows may have it once more
        return place not in there

    return Withheld(ids=frozenset(row.id for row in retired if is_open(row.identity.place)), until=until)
