"""The tables of card values (SCO-01, CAC-40), and how options change them.

A table has points by rank, or by card where one differs from its rank.
"""

from collections.abc import Iterator

from protocol.cards import JOKER
from referee.rules.book.options import Options

_PIPS = {str(points): points for points in range(2, 11)}

B0 = {"0": 0, "1": 1, "A": 1, **_PIPS, "J": 10, "Q": 10, "K": 0}
"""Cactus has this table (CAC-40); it names the ranks of both packs that Cactus can have."""
B1 = {"A": 1, **_PIPS, "2": -2, "J": 10, "Q": 10, "K": 0}
"""Six-card golf has this table, and so has every game that is played with its values (SCO-01)."""
B2 = {"A": 1, **_PIPS, "J": 0, "Q": 10, "K": 10}
"""The game of four turns has this table (T4-10)."""
B3 = {"A": 1, **_PIPS, "J": -2, "Q": 12, "K": 0}
"""The two-deck game has this table (TDK-15)."""
B1_RED_KINGS = {**B1, "KH": -1, "KD": -1}
"""Powers has this table (POW-27): red kings count -1."""


def changed_by_options(options: Options, *, with_jokers: bool) -> Iterator[tuple[str, int]]:
    """Yield the points that options set (RULES.md 21.3); no two of them set the same rank (OPT-01)."""
    if with_jokers:
        yield JOKER, options.joker_value
    if options.twos == "plus2":
        yield "2", 2
    if options.jack_value != 10:
        yield "J", options.jack_value
    if options.queen_value != 10:
        yield "Q", options.queen_value
    if options.qs40:
        yield from (("8", 0), ("QS", 40))
    if options.j0q12k13:
        yield from (("J", 0), ("Q", 12), ("K", 13))
    if options.kings15:
        yield "K", 15
    if options.par_table.values != "B1":
        yield from options.par_table.values.items()
