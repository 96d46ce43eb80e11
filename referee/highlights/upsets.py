"""Upsets: a bot wins before one that does far better in the same game. What a bot does is known at the end only."""

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from referee.highlights.highlight import Match, strokes


class Won(Struct, frozen=True, kw_only=True, gc=False):
    """A match that a bot won before another one."""

    id: int
    number: int
    bots: tuple[str, ...]
    winner: int
    beaten: int
    """The seat of the other bot."""
    margin: int
    """By how many strokes its total was higher."""
    counted: int
    """How many rounds counted."""
    rounds: int
    """How many were played, with playoffs."""

    @property
    def order(self) -> tuple[Fraction, int]:
        """By which matches of the same two bots in the same game are compared: more is better."""
        return Fraction(self.margin, self.counted), -self.id


class Upset(Struct, frozen=True, kw_only=True):
    """The clearest victory of a bot over one that does better in this game."""

    variant: str
    won: Won
    own: Fraction
    """Of all opponents that it met in this game, the share that the winner beat; a tie counts half."""
    other: Fraction
    """The same for the bot that it beat."""

    @property
    def surprise(self) -> Fraction:
        """How much more the beaten bot does in this game than the winner, in match points."""
        return self.other - self.own

    @property
    def words(self) -> str:
        """The sentence, with the seats of bots in braces."""
        winner, beaten = self.won.winner, self.won.beaten
        by = f"leaves {{{beaten}}} {strokes(self.won.margin)} behind" if self.won.margin else f"beats {{{beaten}}}"
        return (
            f"{{{winner}}} wins and {by}, though in this game it beats {float(self.own):.0%} of its opponents and "
            f"{{{beaten}}} {float(self.other):.0%}."
        )


class Upsets:
    """Keeps the clearest victory of each bot over each other in each game, and what share of opponents each beats."""

    def __init__(self) -> None:
        self._beaten: dict[tuple[str, str], list[int]] = {}
        """By game and bot: how many opponents it beat, doubled so that a tie counts 1, and how many it met."""
        self._won: dict[tuple[str, str, str], Won] = {}
        """By game, winner and beaten bot."""

    def add(self, id_: int, number: int, match: Match) -> None:
        """Take a match in."""
        ranks = match.result.ranks
        for bot, own in zip(match.bots, ranks, strict=True):
            counts = self._beaten.setdefault((match.variant, bot), [0, 0])
            counts[0] += 2 * len([rank for rank in ranks if rank > own]) + ranks.count(own) - 1
            counts[1] += len(ranks) - 1
        winner = match.winner
        if winner is None:
            return
        for seat, bot in enumerate(match.bots):
            if seat != winner:
                won = Won(
                    id=id_,
                    number=number,
                    bots=match.bots,
                    winner=winner,
                    beaten=seat,
                    margin=match.result.totals[seat] - match.result.totals[winner],
                    counted=len(match.counted),
                    rounds=len(match.result.rounds),
                )
                pair = (match.variant, match.bots[winner], bot)
                if pair not in self._won or won.order > self._won[pair].order:
                    self._won[pair] = won

    def found(self, variant: str | None) -> Iterator[Upset]:
        """All upsets, or those of one game: of each match the greatest one."""
        best: dict[int, Upset] = {}
        for (game, bot, beaten), won in self._won.items():
            if variant in (None, game):
                upset = Upset(variant=game, won=won, own=self._share(game, bot), other=self._share(game, beaten))
                if upset.surprise > 0 and (won.id not in best or upset.surprise > best[won.id].surprise):
                    best[won.id] = upset
        yield from best.values()

    def _share(self, variant: str, bot: str) -> Fraction:
        twice, met = self._beaten[variant, bot]
        return Fraction(twice, 2 * met)
