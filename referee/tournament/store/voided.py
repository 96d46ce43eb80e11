"""Which matches of a run were voided, by their place in the tournament. Their cards have been shown as often.

Knows the store and the plans that the run has had; it must not know who deals other cards then, or why.
"""

from bisect import bisect_right
from collections import defaultdict

from referee.tournament.plan.schedule import Place
from referee.tournament.store.plans import plans_until, stretches_of
from referee.tournament.store.rows import Void
from referee.tournament.store.store import Store


def voids_by_place(store: Store) -> dict[Place, list[Void]]:
    """The voids of each match, in order, under whatever config it was played. Raises StoreError.

    Left out are voids of which the run does not tell the match, because it began in an earlier format and was amended.
    """
    voids = list(store.voids())
    if not voids:
        return {}
    stretches = stretches_of(store)
    plans = plans_until(stretches, bytes.fromhex(store.meta().master_key))
    amendments = [one.event for one in stretches[1:]]
    found: dict[Place, list[Void]] = defaultdict(list)
    for void in voids:
        plan = plans[-1 if void.events is None else bisect_right(amendments, void.events)]
        if void.number is not None and 0 <= void.number < len(plan):
            found[plan.place(plan[void.number])].append(void)
    return found
