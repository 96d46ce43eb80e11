"""What cards are worth (SCO-01): the table of the game, changed by the options of RULES.md 21.3.

This module must not know layouts, nor which cards cancel.
"""

from collections.abc import Iterator, Mapping

from protocol.cards import JOKER, Card, is_card, rank
from referee.rules.book.variant import Variant, rank_of, ranks


def card_values(variant: Variant) -> dict[str, int]:
    """Return the points of the cards that a deal can hold: by rank, and by card where one differs from its rank."""
    table = value_table(variant)
    if not variant.options.jokers:
        table.pop(JOKER, None)
    return table


def value_table(variant: Variant) -> dict[str, int]:
    """Return the points as `card_values` does, with jokers too if the game can have them. Read them with `value`."""
    pack = ranks(variant)
    table = {key: points for key, points in variant.points.items() if rank_of(key) in pack}
    table.update(_changed_by_options(variant))
    if values := variant.options.values:
        table = {key: points for key, points in table.items() if not (is_card(key) and rank(key) in values)}
        table.update(values)
    return table


def value(table: Mapping[str, int], card: Card) -> int:
    """Return a card's points: its own where the table names it, otherwise its rank's."""
    return table[card] if card in table else table[rank(card)]


def _changed_by_options(variant: Variant) -> Iterator[tuple[str, int]]:
    """Yield the points that options set (RULES.md 21.3); no two of them set the same rank (OPT-01)."""
    options = variant.options
    if variant.has("jokers"):
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
