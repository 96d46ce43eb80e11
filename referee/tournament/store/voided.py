"""What a run's store has of voided matches: their places in the tournament, and who sat at which attempt.

The cards of a match have been shown as often as it was voided. Knows the store and the plans that the run has had; it
must not know who deals other cards then, or why.
"""

import heapq
from bisect import bisect_right
from collections import defaultdict
from operator import itemgetter

from referee.play.faults import OUT_OF_MEMORY
from referee.tournament.plan.fixture import BlockKey
from referee.tournament.store.plans import plans_until, stretches_of
from referee.tournament.store.rows import Void
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidTally


def voids_by_place(store: Store) -> dict[BlockKey, list[Void]]:
    """The voids of each match, in order, under whatever config it was played. Raises StoreError.

    Left out are voids of which the run does not tell the match, because it began in an earlier format and was amended.
    """
    voids = list(store.voids())
    if not voids:
        return {}
    stretches = stretches_of(store)
    plans = plans_until(stretches, bytes.fromhex(store.meta().master_key))
    amendments = [one.event for one in stretches[1:]]
    found: dict[BlockKey, list[Void]] = defaultdict(list)
    for void in voids:
        plan = plans[-1 if void.events is None else bisect_right(amendments, void.events)]
        if void.number is not None and 0 <= void.number < len(plan):
            found[plan.place(plan[void.number])].append(void)
    return found


def void_tally(store: Store) -> VoidTally:
    """The attempts of a run since it was last amended, in order. Raises StoreError."""
    former = store.former()
    committed, events = (former[-1].after, former[-1].event) if former else (0, 0)
    finished = ((id_, False, bots) for id_, bots in store.tables() if id_ > committed)
    voided = (
        (void.after or 0, True, void.bots)
        for void in store.voids()
        if (void.events or 0) >= events and says_of_bots(void.reason)
    )
    tally = VoidTally({bot.name: bot.owner for bot in store.meta().facts.bots})
    for _, is_void, bots in heapq.merge(finished, voided, key=itemgetter(0, 1)):
        (tally.voided if is_void else tally.finished)(bots)
    return tally


def says_of_bots(reason: str) -> bool:
    """Whether a void for this reason says something of the bots at its table. See `voids.py`."""
    return not reason.startswith(OUT_OF_MEMORY)
