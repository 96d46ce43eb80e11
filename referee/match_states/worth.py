"""What each layout would score if the round ended now, by the rules' own scoring, and who leads the match by that."""

from collections.abc import Sequence

from protocol.cards import Card
from referee.match_states.view import View
from referee.rules.scoring.knocker import score_round
from referee.rules.scoring.scoring import layout_score
from referee.rules.variants import Variant

Worth = tuple[int, ...] | None

Layout = tuple[Card | None, ...]
"""Cards by slot; None is an empty one."""


class Layouts:
    """Scores the layouts of a table by the rules, each different one once."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._raw: dict[Layout, int] = {}

    def raw(self, layout: Layout) -> int:
        """What a layout scores by itself."""
        if layout not in self._raw:
            self._raw[layout] = layout_score(self._variant, layout)
        return self._raw[layout]

    def scores(self, layouts: Sequence[Layout], ender: int | None) -> tuple[int, ...]:
        """By seat, what they score, with what ending the round costs or earns the seat that has knocked or finished."""
        raw = [self.raw(layout) for layout in layouts]
        return score_round(self._variant, raw, None if len(raw) == 1 else ender)


class Scorer:
    """Scores the layouts of a table whose cards are all known."""

    def __init__(self, variant: Variant, cards: dict[int, Card]) -> None:
        """`cards` are those of the views by number."""
        self._layouts, self._cards = Layouts(variant), cards

    def worth(self, view: View) -> Worth:
        """By seat, what the layouts would score if they were shown now, with what ending the round has cost or earned.

        The ender is whoever has knocked or finished by now. As at a showdown (rules/match.py), a seat that has
        forfeited gets the highest score. None before the first deal, and once the round is scored.
        """
        if not view.round or view.scores:
            return None
        layouts = [
            tuple(None if placed is None else self._cards.get(placed.number, "") for placed in layout)
            for layout in view.layouts
        ]
        if any("" in layout for layout in layouts):
            return None
        scores = list(self._layouts.scores(layouts, view.knocker))
        for seat in view.forfeited:
            scores[seat] = max(scores)
        return tuple(scores)


def lead(totals: Sequence[int], forfeited: frozenset[int]) -> tuple[tuple[int, ...], int]:
    """The seats with the lowest total, and by how much they are ahead of the others; 0 where there are none."""
    standing = {seat: total for seat, total in enumerate(totals) if seat not in forfeited}
    best = min(standing.values(), default=0)
    leaders = tuple(seat for seat, total in standing.items() if total == best)
    return leaders, min((total - best for total in standing.values() if total > best), default=0)
