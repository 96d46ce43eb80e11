"""A kit for bots in Python, of the standard library alone: copy this folder beside your bot, and import it.

    from kit import Bot, run

    class Mine(Bot):
        ...

    run(Mine)

README.md in this folder shows a whole bot. `Bot` has a method for each decision, `Table` is what lies on the table and
what this seat knows of it, `Unseen` the cards that it has not seen, `Measure` what layouts cost. The powers
of cards are in `kit.powers`.
"""

from kit.cards import CHOSEN, UNKNOWN, Layout, Target, is_known, pack_of, points_of, rank
from kit.measure import Measure
from kit.play import Action, Bot, Choice, Offers, Reply, best_of, run
from kit.table import Event, Table
from kit.unseen import Unseen

__all__ = [
    "CHOSEN", "UNKNOWN", "Action", "Bot", "Choice", "Event", "Layout", "Measure", "Offers", "Reply", "Table", "Target",
    "Unseen", "best_of", "is_known", "pack_of", "points_of", "rank", "run",
]  # fmt: skip
