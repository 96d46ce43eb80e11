"""The bars of a run that is played: a bot whose presence alone explains the voids at which it sat plays no more.

Its matches are played without it: it forfeits them at the start, and is not started. This module must not know how
matches are handed out.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from referee.play.match import MatchSetup
from referee.tournament.store.bars import (
    bar_in_words,
    barred_in,
    shows_something,
    tally_now,
    voids_that_bar,
)
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidTally


class Bars:
    """Says who is barred in a run, and bars a bot when it has come to that."""

    def __init__(self, store: Store) -> None:
        """Raises StoreError."""
        self._store = store
        self._facts = store.meta().facts
        self._voids = voids_that_bar(store, self._facts)
        self._barred = barred_in(store.history(), self._facts)
        self._tally: VoidTally | None = None
        """The attempts of the run, from the first one on that is voided; until then nobody needs them."""

    def applied(self, setup: MatchSetup) -> MatchSetup:
        """The setup of a match with the bots that are barred."""
        barred = tuple(bot.name for bot in setup.bots if bot.name in self._barred)
        return replace(setup, barred=barred) if barred != setup.barred else setup

    def finished(self, bots: Sequence[str]) -> None:
        """A match of these bots has been committed."""
        if self._tally is not None:
            self._tally.finished(bots)

    def voided(self, bots: Sequence[str], reason: str) -> dict[str, str]:
        """An attempt of these bots has been noted as void. Returns who is barred from now on, each with why, in words.

        Raises WriteFailed.
        """
        if not self._voids:
            return {}
        if self._tally is None:
            self._tally = tally_now(self._store, self._facts)
        else:
            self._tally.voided(bots, shows=shows_something(reason))
        present = [bot for bot in bots if bot not in self._barred]
        found = {bot: bar_in_words(bot, self._facts, self._tally) for bot in self._tally.blamed(present, self._voids)}
        for line in found.values():
            self._store.note(line)
        self._barred.update(found)
        return found
