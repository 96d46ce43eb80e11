"""Upsets: a bot wins before one that is far better by the ratings, which are known at the end only."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import exp

from msgspec import Struct

from referee.highlights.highlight import Candidate, Found, Match, strokes

MOST_LIKELY = 0.1
"""A victory is an upset if its chance is below this."""


class Won(Struct, frozen=True, kw_only=True, gc=False):
    """A match that a bot won before another one."""

    match: Match
    winner: int
    beaten: int
    """The seat of the other bot."""

    @property
    def margin(self) -> int:
        """By how many strokes its total was higher."""
        return self.match.result.totals[self.beaten] - self.match.result.totals[self.winner]

    @property
    def order(self) -> tuple[Fraction, int]:
        """By which matches of the same two bots in the same game are compared: more is better."""
        return Fraction(self.margin, len(self.match.counted)), -self.match.id


class Upsets:
    """Keeps the clearest victory of each bot over each other in each game."""

    def __init__(self) -> None:
        self._won: dict[tuple[str, str, str], Won] = {}
        """By game, winner and beaten bot."""

    def add(self, match: Match) -> None:
        """Take a match in."""
        winner = match.winner
        if winner is None:
            return
        for seat, bot in enumerate(match.bots):
            if seat != winner:
                won = Won(match=match, winner=winner, beaten=seat)
                pair = (match.variant, match.bots[winner], bot)
                if pair not in self._won or won.order > self._won[pair].order:
                    self._won[pair] = won

    def found(self, variant: str | None, strengths: Mapping[str, float]) -> Iterator[Candidate]:
        """All upsets, or those of one game: of each match the greatest one."""
        best: dict[int, tuple[float, Won]] = {}
        for (game, bot, beaten), won in self._won.items():
            if variant not in (None, game) or not {bot, beaten} <= strengths.keys():
                continue
            chance = round(1 / (1 + exp(strengths[beaten] - strengths[bot])), 6)
            if chance < min(MOST_LIKELY, best[won.match.id][0] if won.match.id in best else 1.0):
                best[won.match.id] = chance, won
        for chance, won in best.values():
            yield _candidate(chance, won)


def _candidate(chance: float, won: Won) -> Candidate:
    match, winner, beaten = won.match, won.winner, won.beaten
    by = f"leaves {{{beaten}}} {strokes(won.margin)} behind" if won.margin else f"beats {{{beaten}}}"
    found = Found(
        order=Fraction(-chance),
        score=chance,
        seats=(winner, beaten),
        moment=match.last_round,
        words=f"{{{winner}}} wins and {by}. By the ratings it finishes before {{{beaten}}} in {chance:.1%} of matches.",
    )
    counted = len(match.counted)
    return Candidate(
        match=match, found=found, order=(found.order, Fraction(won.margin, counted), counted, 0, -match.id)
    )
