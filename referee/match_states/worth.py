"""What each layout would score if the round ended now, by the rules' own scoring, and who leads the match by that."""

from collections.abc import Mapping, Sequence

from protocol.cards import Card
from referee.match_states.view import View
from referee.rules.scoring.knocker import score_round
from referee.rules.scoring.scoring import layout_score
from referee.rules.variants import Variant

Worth = tuple[int, ...] | None


class Scorer:
    """Scores the layouts of a table whose cards are all known, each different layout once."""

    def __init__(self, variant: Variant, cards: Mapping[int, Card]) -> None:
        """`cards` are those of the views by number."""
        self._variant, self._cards = variant, cards
        self._raw: dict[tuple[Card | None, ...], int] = {}

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
        raw = [self._layout_score(layout) for layout in layouts]
        scores = list(score_round(self._variant, raw, None if len(raw) == 1 else view.knocker))
        for seat in view.forfeited:
            scores[seat] = max(scores)
        return tuple(scores)

    def _layout_score(self, layout: tuple[Card | None, ...]) -> int:
        if layout not in self._raw:
            self._raw[layout] = layout_score(self._variant, layout)
        return self._raw[layout]


def lead(totals: Sequence[int], forfeited: frozenset[int]) -> tuple[tuple[int, ...], int]:
    """The seats with the lowest total, and by how much they are ahead of the others; 0 where there are none."""
    standing = {seat: total for seat, total in enumerate(totals) if seat not in forfeited}
    best = min(standing.values(), default=0)
    leaders = tuple(seat for seat, total in standing.items() if total == best)
    return leaders, min((total - best for total in standing.values() if total > best), default=0)
