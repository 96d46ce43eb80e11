"""Which matches of a run are exported."""

from msgspec import Struct

from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store


class Scope(Struct, frozen=True, kw_only=True):
    """What is exported of the matches that a run had at some moment."""

    until: int
    """The id of the last match that there was. What was committed later is not exported."""
    with_retired: bool = False
    """Whether matches are exported that are out of the standings."""

    def has(self, row: CommittedMatch) -> bool:
        """Whether this match is exported."""
        return self.with_retired or row.number is not None


def scope_of(store: Store, *, with_retired: bool = False) -> Scope:
    """What can be exported now. Raises StoreError."""
    return Scope(until=store.last_id(), with_retired=with_retired)
