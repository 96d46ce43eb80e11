"""Samples a deal of a round in which every place of which a seat was shown the card holds that card.

This module knows places and cards, and neither rules nor seats. Pools are shuffled by chance, so every order of their
cards is equally likely before anything is shown; so is every permutation of a mix. Given what is shown, `sample_deal`
draws one of all possible deals, each with the same chance. Where no cards are mixed, it shuffles what is left over.

Mixes are gone through in their order. A card that is shown behind a mix is one of the cards before it that can be this
one; the others go anywhere. Where the cards of one mix go into another one, or where the pack has equal cards, some
proposals are likelier than others. There, DRAWS of them are weighed against each other (Metropolis-Hastings with
independent proposals). README.md in this folder has the mathematics.
"""

from collections import Counter
from collections.abc import Sequence
from math import lgamma, log
from random import Random

from msgspec import Struct

from protocol.cards import Card
from referee.research.resample.observed_round import Mix, ObservedRound, Permutation, Pool

DRAWS = 65
"""How many draws are weighed against each other where not all deals come out equally often."""

FRUITLESS = 1000
"""After so many draws in a row that lead nowhere, none is looked for any more."""


class Deal(Struct, frozen=True, kw_only=True):
    """How all cards of a round lie and went."""

    pools: tuple[tuple[Card, ...], ...]
    """The cards of each pool in their order."""
    permutations: tuple[Permutation, ...]
    """How each mix went."""
    mixed: tuple[tuple[Card, ...], ...]
    """The cards of each mix as they lay behind it."""
    proposals: int
    """How many proposals were begun, including those that led nowhere."""


class Proposal(Struct, frozen=True, kw_only=True):
    """The permutations of all mixes, and what follows from them: which card lies where in the pools."""

    permutations: tuple[Permutation, ...]
    known: dict[int, Card]
    """By place in a pool, the card that must lie there."""
    roots: dict[int, int]
    """By place behind a mix, the place in a pool from which its card comes."""
    weight: float
    """Log importance weight: target over proposal probability."""


class Constraints(Struct, frozen=True, kw_only=True):
    """What all proposals of a round begin with."""

    round: ObservedRound
    pool_of: dict[int, int]
    """By place, the number of its pool."""
    known: dict[int, Card]
    """By place in a pool, the card that the seat was shown there."""
    left: tuple[Counter[Card], ...]
    """The cards of each pool of which it is not known where they lie."""


def sample_deal(constraints: Constraints, dice: Random, most: int) -> Deal | None:
    """Return a deal in which every place that was shown holds the card that was seen.

    None where none was found, or `most` proposals were too few for it.
    """
    known, begun = constraints.round, 0
    chosen: Proposal | None = None
    for _ in range(1 if _all_alike(known) else DRAWS):
        proposal, tries = _some_proposal(constraints, dice, min(FRUITLESS, most - begun))
        begun += tries
        if proposal is None:
            return None
        if chosen is None or log(1 - dice.random()) < proposal.weight - chosen.weight:
            chosen = proposal
    return None if chosen is None else _filled(known, chosen, dice, begun)


def _all_alike(known: ObservedRound) -> bool:
    """Return whether all proposals have the same weight."""
    behind = {place for mix in known.mixes for place in mix.after}
    is_nested = any(place in behind for mix in known.mixes for place in mix.before)
    has_equals = any(len(set(pool.cards)) < len(pool.cards) for pool in known.pools)
    return not known.mixes or not (is_nested or has_equals)


def constraints_of(known: ObservedRound) -> Constraints:
    """Return what all proposals of this round begin with."""
    pool_of = {place: number for number, pool in enumerate(known.pools) for place in pool.places}
    shown = {place: card for place, card in known.shown.items() if place in pool_of}
    left = tuple(_left_over(pool, shown) for pool in known.pools)
    return Constraints(round=known, pool_of=pool_of, known=shown, left=left)


def _some_proposal(constraints: Constraints, dice: Random, most: int) -> tuple[Proposal | None, int]:
    """Return a proposal, None where `most` led nowhere, and how many were begun."""
    for number in range(1, most + 1):
        proposal = _ProposalDraw(constraints, dice).draw()
        if proposal is not None:
            return proposal, number
    return None, most


class _ProposalDraw:
    """One proposal in the making."""

    def __init__(self, constraints: Constraints, dice: Random) -> None:
        self._round, self._dice, self._pool_of = constraints.round, dice, constraints.pool_of
        self._known = dict(constraints.known)
        self._left = [left.copy() for left in constraints.left]
        self._totals = [left.total() for left in constraints.left]
        self._roots: dict[int, int] = {}
        self._weight = 0.0

    def draw(self) -> Proposal | None:
        """Return a proposal; None where the draws so far leave none."""
        permutations = []
        for mix in self._round.mixes:
            roots = [self._roots.get(place, place) for place in mix.before]
            permutation = (
                self._any_permutation(mix, roots)
                if mix.permutations is None
                else self._one_permutation(mix, mix.permutations, roots)
            )
            if permutation is None:
                return None
            self._roots.update(zip(mix.after, (roots[index] for index in permutation), strict=True))
            permutations.append(permutation)
        weight = self._weight + sum(_log_orders(left) for left in self._left)
        return Proposal(permutations=tuple(permutations), known=self._known, roots=self._roots, weight=weight)

    def _any_permutation(self, mix: Mix, roots: Sequence[int]) -> Permutation | None:
        """Draw one of all orders: first the cards that are shown behind the mix, then the others."""
        waiting = list(range(len(roots)))
        permutation: dict[int, int] = {}
        for number, place in enumerate(mix.after):
            if (card := self._round.shown.get(place)) is None:
                continue
            chances = [self._likely(roots[index], card) for index in waiting]
            whole = sum(chances)
            if not whole:
                return None
            (pick,) = self._dice.choices(range(len(waiting)), chances)
            self._weight -= log(chances[pick] / whole)
            permutation[number] = waiting.pop(pick)
            self._settle(roots[permutation[number]], card)
        self._dice.shuffle(waiting)
        self._weight += lgamma(len(waiting) + 1)
        rest = iter(waiting)
        return tuple(permutation[number] if number in permutation else next(rest) for number in range(len(roots)))

    def _one_permutation(
        self, mix: Mix, permutations: Sequence[Permutation], roots: Sequence[int]
    ) -> Permutation | None:
        """Draw one of these permutations that agree with what is shown behind the mix."""
        shown = {
            number: self._round.shown[place] for number, place in enumerate(mix.after) if place in self._round.shown
        }
        fitting = [
            permutation
            for permutation in permutations
            if all(self._likely(roots[permutation[number]], card) for number, card in shown.items())
        ]
        if not fitting:
            return None
        permutation = self._dice.choice(fitting)
        self._weight += log(len(fitting))
        for number, card in shown.items():
            if not self._likely(roots[permutation[number]], card):
                return None  # two places show the last card of its kind
            self._settle(roots[permutation[number]], card)
        return permutation

    def _likely(self, root: int, card: Card) -> float:
        """Return how likely it is, by what is settled so far, that this card lies at this place of a pool."""
        if root in self._known:
            return float(self._known[root] == card)
        pool = self._pool_of[root]
        return self._left[pool][card] / self._totals[pool]

    def _settle(self, root: int, card: Card) -> None:
        if root not in self._known:
            self._known[root] = card
            pool = self._pool_of[root]
            self._left[pool][card] -= 1
            self._totals[pool] -= 1


def _left_over(pool: Pool, known: dict[int, Card]) -> Counter[Card]:
    left = Counter(pool.cards)
    left.subtract(known[place] for place in pool.places if place in known)
    return left


def _log_orders(cards: Counter[Card]) -> float:
    """Return the logarithm of the number of orders in which these cards can lie, equal ones being alike."""
    return lgamma(cards.total() + 1) - sum(lgamma(count + 1) for count in cards.values() if count > 1)


def _filled(known: ObservedRound, proposal: Proposal, dice: Random, proposals: int) -> Deal:
    """Return the deal with all other cards of each pool in any order."""
    lie: dict[int, Card] = {}
    for pool in known.pools:
        left = list(_left_over(pool, proposal.known).elements())
        dice.shuffle(left)
        rest = iter(left)
        lie.update((place, proposal.known.get(place) or next(rest)) for place in pool.places)
    return Deal(
        pools=tuple(tuple(lie[place] for place in pool.places) for pool in known.pools),
        permutations=proposal.permutations,
        mixed=tuple(tuple(lie[proposal.roots[place]] for place in mix.after) for mix in known.mixes),
        proposals=proposals,
    )
