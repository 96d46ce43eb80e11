"""What a run's store has of voided matches: their places in the tournament, and who sat at which attempt.

The cards of a match have been shown as often as it was voided. This module must not know who deals other cards then, or
why.
"""

import heapq
from collections import defaultdict
from operator import itemgetter

from referee.play.faults import OUT_OF_MEMORY
from referee.tournament.plan.planned_match import BlockKey
from referee.tournament.store.rows import Void
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidTally


def voids_by_place(store: Store) -> dict[BlockKey, list[tuple[int, Void]]]:
    """The voids of each match with their ids, in order, under whatever config it was played. Raises StoreError."""
    found: dict[BlockKey, list[tuple[int, Void]]] = defaultdict(list)
    for id_, void in store.voids():
        found[void.identity.place].append((id_, void))
    return found


def void_tally(store: Store) -> VoidTally:
    """The attempts of a run since it was last amended, in order. Raises StoreError."""
    since = store.last_amendment()
    finished = ((id_, False, bots) for id_, bots in store.tables(since))
    voided = ((id_, True, void.bots) for id_, void in store.voids() if id_ > since and says_of_bots(void.reason))
    tally = VoidTally({bot.name: bot.owner for bot in store.meta().config.bots})
    for _, is_void, bots in heapq.merge(finished, voided, key=itemgetter(0)):
        (tally.voided if is_void else tally.finished)(bots)
    return tally


def says_of_bots(reason: str) -> bool:
    """Whether a void for this reason says something of the bots at its table. See `voids.py`."""
    return not reason.startswith(OUT_OF_MEMORY)
