"""Which matches of a run are exported, and of which of them no more is told than standings tell."""

from collections.abc import Set as AbstractSet

from msgspec import Struct

from referee.tournament.store.dealt_again import dealt_again
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store


class Scope(Struct, frozen=True, kw_only=True):
    """What is exported of the matches that a run had at some moment."""

    until: int
    """The id of the last match that there was. What was committed later is not exported, since nobody looked at it."""
    held_back: AbstractSet[int]
    """The ids of those that are exported whose cards are still to be dealt again."""
    with_retired: bool = False
    """Whether matches are exported that are out of the standings."""

    def has(self, row: CommittedMatch) -> bool:
        """Whether anything is told of this match."""
        return self.with_retired or row.number is not None


def scope_of(store: Store, *, with_retired: bool = False) -> Scope:
    """What can be exported now. Raises StoreError."""
    waiting = dealt_again(store)
    retired = set() if with_retired else {row.id for row in store.retired()}
    return Scope(until=waiting.until, held_back=waiting.ids - retired, with_retired=with_retired)
