"""What one layout scores at showdown (RULES.md section 6, CAC-40, CMB-08, POW-27, TDK-15, PAR-21).

This module sees a layout's cards and the options. cancelling.py says which cards count 0, bonuses.py which count
together. It must not see who knocked, the other seats or the totals: those are for knocker.py and match.py.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from protocol.cards import JOKER, Card, rank
from referee.rules.par_table import score_pair
from referee.rules.scoring.bonuses import bonus_choices, is_straight
from referee.rules.scoring.cancelling import joker_pairs, zero_sets
from referee.rules.variants import Variant

Layout = Sequence[Sequence[Card | None]]
"""Rows of cards; None is an empty slot."""


def raw_score(variant: Variant, layout: Layout) -> int:
    """Return a layout's raw score (SCO-12). An empty slot counts 0 and equals nothing (KER-08, KER-14)."""
    if variant.options.pairs_zero_at_end:
        layout = [row for row in layout if not _is_pair(row)]
    cards = [card for row in layout for card in row if card is not None]
    if variant.scores_by_row:
        return _par_score(variant, cards)
    if not variant.combines_cards:
        return sum([variant.worth[card] for card in cards])
    if variant.options.straight_score is not None and is_straight(cards):
        return variant.options.straight_score
    return _combined_score(variant, (len(layout), len(layout[0])), [card for row in layout for card in row])


def layout_score(variant: Variant, cards: Sequence[Card | None]) -> int:
    """Return the raw score of cards by slot. Slots beyond the dealt ones (CAC-44) make further rows."""
    width = variant.columns
    return raw_score(variant, [cards[start : start + width] for start in range(0, len(cards), width)])


def has_four_of_a_kind(cards: Iterable[Card | None]) -> bool:
    """Return whether four or more cards share a rank (SCO-11); jokers do not count. None is an empty slot."""
    ranks = Counter(rank(card) for card in cards if card is not None)
    del ranks[JOKER]
    return max(ranks.values(), default=0) >= 4


def _is_pair(row: Sequence[Card | None]) -> bool:
    """Return whether a row has two cards of one rank (TDK-16)."""
    return None not in row and len({rank(card) for card in row if card is not None}) == 1


def _par_score(variant: Variant, cards: Sequence[Card]) -> int:
    """PAR-21: every row scores by the scoring table, whether it was taken as a stroke or not (PAR-16)."""
    valued = [(card, variant.worth[card]) for card in cards]
    par_table = variant.options.par_table
    return sum([score_pair(par_table, left, right) for left, right in zip(valued[::2], valued[1::2], strict=True)])


def _combined_score(variant: Variant, shape: tuple[int, int], cards: Sequence[Card | None]) -> int:
    """Return the lowest total over the ranks that wild jacks may take (SCO-07) and the choices of bonuses (SCO-08).

    In each of them the cards that cancel count 0 (SCO-03), and pairs of jokers what `joker_pair` says (SCO-06)."""
    options = variant.options
    points = [0 if card is None else variant.worth[card] for card in cards]
    everything = sum(points)
    zeros = list(zero_sets(options, shape, cards, points))
    totals: list[int] = []
    for bonuses in bonus_choices(options, shape, cards, points):
        taken = {slot for bonus in bonuses for slot in bonus.slots}
        together = sum([bonus.score for bonus in bonuses])
        if isinstance(options.joker_pair, int):
            gain = options.joker_pair - 2 * variant.card_points[JOKER]
            together += gain * joker_pairs(options, shape, cards, taken)
        for zero in zeros:
            totals.append(together + everything - sum([points[slot] for slot in zero | taken]))
    return min(totals)
