"""Upsets: a bot wins before one that is far better by the ratings of the game, which are known at the end only."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from math import exp

from msgspec import Struct

from referee.highlights.highlight import Candidate, Found, Match, strokes
from referee.tournament.figures.strengths import strengths_of
from referee.tournament.plan.meetings import PairHistory
from referee.tournament.results import Result

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
    """Keeps for each game how often each bot was ahead of each other, and its clearest victory over it."""

    def __init__(self) -> None:
        self._met: defaultdict[str, PairHistory] = defaultdict(PairHistory)
        self._won: dict[tuple[str, str, str], Won] = {}
        """By game, winner and beaten bot."""

    def add(self, match: Match, result: Result) -> None:
        """Take a match with this result in."""
        self._met[match.variant].ended(result)
        winner = match.winner
        if winner is None:
            return
        for seat, bot in enumerate(match.bots):
            if seat != winner:
                won = Won(match=match, winner=winner, beaten=seat)
                kept = self._won.setdefault((match.variant, match.bots[winner], bot), won)
                if won.order > kept.order:
                    self._won[match.variant, match.bots[winner], bot] = won

    def found(self, variant: str | None) -> Iterator[Candidate]:
        """All upsets, or those of one game: of each match the greatest one."""
        strengths = {
            game: strengths_of(met.scores, {bot for pair in met.scores for bot in pair})
            for game, met in self._met.items()
            if variant in (None, game)
        }
        best: dict[int, tuple[float, Won]] = {}
        for (game, bot, beaten), won in self._won.items():
            if game not in strengths:
                continue
            behind = strengths[game][beaten].strength - strengths[game][bot].strength
            chance = round(1 / (1 + exp(behind)), 6)
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
        words=f"{{{winner}}} wins and {by}. By their ratings in this game that happens in {chance:.1%} of matches.",
    )
    counted = len(match.counted)
    return Candidate(
        match=match, found=found, order=(found.order, Fraction(won.margin, counted), counted, 0, -match.id)
    )
