"""Which bots of a run are barred: what its history tells of that, and what its matches and voids say to it.

This module must not know how matches are played.
"""

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from referee.play.faults import OUT_OF_MEMORY
from referee.tournament.store.events import barred_bot, tells_part, told_as_barred
from referee.tournament.store.facts import Facts
from referee.tournament.store.rows import RunEvent
from referee.tournament.store.store import Store
from referee.tournament.store.tables import EARLIER_FORMAT
from referee.tournament.voids import VoidTally


class Moment(NamedTuple):
    """A place in the course of a run."""

    after: int
    """How many matches had been committed."""
    events: int
    """How many events of the history had happened."""


def barred_in(history: Iterable[RunEvent], facts: Facts) -> set[str]:
    """The bots of a run that are barred by its history. A bar goes with a version of a bot."""
    versions = {bot.name: bot.version for bot in facts.bots}
    told = (told_as_barred(line, versions) for event in history for line in event.lines)
    return {bot for bot in told if bot is not None}


def voids_that_bar(store: Store, facts: Facts) -> int:
    """From how many voided attempts on a bot can be barred; 0 where none can.

    None can in a run of the earlier format, which does not tell when an attempt was voided.
    """
    return 0 if store.format == EARLIER_FORMAT else facts.voids_that_bar


def tally_of(store: Store, facts: Facts, begin: Moment, end: Moment | None = None) -> VoidTally:
    """The attempts of a run in order, between two moments. An amendment makes a beginning. Raises StoreError."""
    tally = VoidTally({bot.name: bot.owner for bot in facts.bots})
    for _, _, bots, reason in heapq.merge(
        _finished(store, begin, end), _voided(store, begin, end), key=lambda one: one[:2]
    ):
        if reason is None:
            tally.finished(bots)
        else:
            tally.voided(bots, shows=shows_something(reason))
    return tally


def shows_something(reason: str) -> bool:
    """Whether a void for this reason says something of the bots at its table. See `voids.py`."""
    return not reason.startswith(OUT_OF_MEMORY)


def tally_now(store: Store, facts: Facts) -> VoidTally:
    """All attempts of a run since it was last amended. Raises StoreError."""
    former = store.former()
    begin = Moment(former[-1].after, former[-1].event) if former else Moment(0, 0)
    return tally_of(store, facts, counts_from(store.history(), begin))


def counts_from(history: Iterable[RunEvent], begin: Moment) -> Moment:
    """From where on attempts count after these events, the first of which begins the run. An amendment was at `begin`.

    Each shard has counted its own.
    """
    for number, event in enumerate(history, 1):
        if number > begin.events and any(map(tells_part, event.lines)):
            begin = Moment(event.after, number)
    return begin


def bar_in_words(bot: str, facts: Facts, tally: VoidTally) -> str:
    """The line of the history that bars a bot."""
    version = next(one.version for one in facts.bots if one.name == bot)
    told = tally.of(bot)
    return barred_bot(bot, version, attempts=told.attempts, voided=told.voided)


_Attempt = tuple[int, bool, tuple[str, ...], str | None]
"""After how many matches it ended, the own one among them; whether it was void; its bots; why it was void."""


def _finished(store: Store, begin: Moment, end: Moment | None) -> Iterator[_Attempt]:
    for id_, bots in store.tables():
        if begin.after < id_ and (end is None or id_ <= end.after):
            yield id_, False, bots, None


def _voided(store: Store, begin: Moment, end: Moment | None) -> Iterator[_Attempt]:
    for void in store.voids():
        if void.after is None or void.events is None:
            continue
        if begin.events <= void.events and (end is None or void.events < end.events):
            yield void.after, True, void.bots, void.reason
