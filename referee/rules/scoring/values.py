"""What cards are worth (SCO-01): a base table for each kind of game, edited by the options of RULES.md 21.3.

This module knows nothing of layouts or of which cards cancel.
"""

from collections.abc import Callable, Mapping

from protocol.cards import JOKER, Card, is_card, rank
from referee.rules.book.options import Options
from referee.rules.book.variants import Variant

_PIPS = {str(points): points for points in range(2, 11)}

_B0 = {"0": 0, "1": 1, **_PIPS, "J": 10, "Q": 10}
_B0_KA = {"A": 1, **_PIPS, "J": 10, "Q": 10, "K": 0}
_B1 = {"A": 1, **_PIPS, "2": -2, "J": 10, "Q": 10, "K": 0}
_B2 = {"A": 1, **_PIPS, "J": 0, "Q": 10, "K": 10}
_B3 = {"A": 1, **_PIPS, "J": -2, "Q": 12, "K": 0}


def card_values(variant: Variant) -> dict[str, int]:
    """Points by rank, and by card code where one card differs from its rank, for the cards that a deal can hold."""
    table = value_table(variant)
    if not variant.options.jokers:
        table.pop(JOKER, None)
    return table


def value_table(variant: Variant) -> dict[str, int]:
    """As `card_values`, and where jokers exist with their points also when none is dealt; read it with `value`."""
    table = _BASES.get(variant.tag, _family_table)(variant.options)
    if values := variant.options.values:
        table = {key: points for key, points in table.items() if not (is_card(key) and rank(key) in values)}
        table.update(values)
    return table


def value(table: Mapping[str, int], card: Card) -> int:
    """A card's points: its own where the table names it, else its rank's."""
    return table[card] if card in table else table[rank(card)]


def _family_table(options: Options) -> dict[str, int]:
    """Table B1 with its options; no two of them set the same rank (OPT-01)."""
    table = _cambio_table(options)
    table.update({"J": options.jack_value, "Q": options.queen_value})
    if options.qs40:
        table.update({"8": 0, "QS": 40})
    if options.j0q12k13:
        table.update({"J": 0, "Q": 12, "K": 13})
    if options.kings15:
        table["K"] = 15
    return table


def _cambio_table(options: Options) -> dict[str, int]:
    """CMB-08."""
    return {**_B1, "2": _twos(options), JOKER: options.joker_value}


def _powers_table(options: Options) -> dict[str, int]:
    """POW-27: red kings score -1."""
    return {**_B1, "2": _twos(options), "KH": -1, "KD": -1}


def _cactus_table(options: Options) -> dict[str, int]:
    """Table B0 (CAC-40)."""
    return dict(_B0_KA if options.cactus_ranks == "KA" else _B0)


def _four_turns_table(_: Options) -> dict[str, int]:
    """Table B2 (T4-10)."""
    return dict(_B2)


def _two_deck_table(_: Options) -> dict[str, int]:
    """Table B3 (TDK-15)."""
    return dict(_B3)


def _par_values(options: Options) -> dict[str, int]:
    """PAR-25, PAR-26: B1, or the scoring table's own values; ranks that it does not name keep B1's."""
    own = options.par_table.values
    named = {"2": _twos(options)} if own == "B1" else {str(rank): points for rank, points in own.items()}
    return {**_B1, **named}


def _twos(options: Options) -> int:
    return 2 if options.twos == "plus2" else -2


_BASES: Mapping[str, Callable[[Options], dict[str, int]]] = {
    "CAC": _cactus_table,
    "CMB": _cambio_table,
    "POW": _powers_table,
    "T4": _four_turns_table,
    "TDK": _two_deck_table,
    "PAR": _par_values,
}
"""By tag: the table of a game that is not of the six-card family."""
