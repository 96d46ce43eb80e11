"""A match as a path through a game tree: at each node either a seat moves or chance settles one thing.

openspiel.py shows it to OpenSpiel. This module must not know that library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from random import Random
from typing import Any

from protocol.actions import Slap
from protocol.cards import Card
from referee.research.adapters.explicit_chance import ExplicitChance, Need, Order, Piece, Pieces, Uses, without
from referee.research.env import Env
from referee.research.moves import NOTHING_BEGUN
from referee.rules.questions import IllegalAnswer, Window
from referee.rules.variants import Variant, deck

CHANCE = -1
"""Stands for chance where seats have their numbers."""

NO_KEY = bytes(32)
"""Nobody reads the messages of these matches, whose ids would follow from a key."""


class Tree:
    """The tree of a game with so many seats and this pack."""

    def __init__(self, variant: Variant, seats: int, pack: tuple[Card, ...]) -> None:
        self.pack = pack
        self.seats = seats
        self.template = Env.of(variant, seats)
        self.cards = tuple(dict.fromkeys(card for card in deck(variant, seats) if card in pack))
        """The cards by the numbers that they have as outcomes of chance."""
        self.card_numbers = {card: number for number, card in enumerate(self.cards)}

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.template.variant, self.seats, self.pack)

    def number(self, piece: Piece) -> int:
        """Return the number of an outcome of chance: that of a card, or of a seat that is first."""
        return piece if isinstance(piece, int) else self.card_numbers[piece]


class Path:
    """How far a match has come: what chance has settled, the numbers of all moves, and the `Env` that has made them.

    A move is made in a copy of the env. If the move uses chance that is not settled, the path stays at a chance node
    before it until all of that is settled; then the move is made again. So copies of a path share their env.
    """

    def __init__(self, tree: Tree, settled: dict[Order, Pieces] | None = None) -> None:
        """Begin at the root; pieces that are settled already become no chance nodes."""
        self.tree = tree
        self.settled = settled or {}
        self.numbers: tuple[int, ...] = ()
        self.steps = 0
        """How many of the last moves belong to an answer that is not whole yet."""
        self.need: Need | None = None
        """What chance must settle before the last move is made, or before the first."""
        self.seen: Env | None = None
        """The match as players have seen it: at a chance node before the last move; None before the first deal."""
        self._uses = Uses(tree.template.variant.columns, tree.seats)
        self._deal()

    def copy(self) -> Path:
        """Return another one that stands where this one does."""
        other = Path.__new__(Path)
        vars(other).update(vars(self))
        return other

    def __deepcopy__(self, memo: Any) -> Path:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.tree, self.settled, self.numbers)

    @property
    def env(self) -> Env:
        """The match. Raises LookupError at a chance node."""
        if self.need is not None or self.seen is None:
            raise LookupError("chance comes first")
        return self.seen

    @property
    def seat(self) -> int | None:
        """The seat that decides, or CHANCE; None at the end."""
        return CHANCE if self.need is not None else self.env.seat

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of what chance can settle next, in rising order, with their probabilities."""
        need = self.need
        if need is None:
            return []
        pieces = without(need.among, self.settled.get(need.order, ()))
        left = Counter(map(self.tree.number, pieces))
        return [(number, left[number] / len(pieces)) for number in sorted(left)]

    def settle(self, number: int) -> None:
        """Go on from a chance node with this outcome."""
        need = self.need
        if need is None or number not in dict(self.outcomes()):
            raise IllegalAnswer(f"outcome {number}: this is none of the outcomes that the chance node has")
        piece: Piece = number if need.order.of == "lots" else self.tree.cards[number]
        self.settled = {**self.settled, need.order: (*self.settled.get(need.order, ()), piece)}
        if len(self.settled[need.order]) < need.upto:
            return
        if self.seen is None:
            self._deal()
            return
        chance, env = self._chance(), self.seen.clone()
        env._chance = env._playing.chance = chance
        env.game.redeal(chance, self._uses.stock(chance))
        self._make(env)

    def move(self, number: int) -> None:
        """Make a move. Raises IllegalAnswer for one that is not legal, and then nothing has changed."""
        if self.need is not None:
            raise IllegalAnswer(f"move {number}: chance comes first here")
        self.env.move(number)
        self.numbers += (number,)
        self._make(self.env.clone())

    def _chance(self) -> ExplicitChance:
        return ExplicitChance(self.tree.pack, self.tree.seats, self.settled)

    def _deal(self) -> None:
        """Begin the match with all that is settled now."""
        env, uses = self.tree.template.sibling(), self._uses.copy()
        env._begin(chance := self._chance(), NO_KEY)
        self._arrive(env, uses, uses.needs(env.game.events, chance))

    def _make(self, env: Env) -> None:
        """Make the last move in this copy of the match."""
        uses = self._uses.copy()
        self._arrive(env, uses, _made(env, uses, self.numbers[-1]))

    def _arrive(self, env: Env, uses: Uses, used: Iterable[Need]) -> None:
        """Stand where the env stands, unless what its last move has used is still open."""
        self.need = next((need for need in used if len(self.settled.get(need.order, ())) < need.upto), None)
        if self.need is None:
            self.seen, self._uses = env, uses
            self.steps = 0 if env.begun == NOTHING_BEGUN else self.steps + 1

    def resampling(self, other: Path, seat: int, dice: Random) -> Iterator[int]:
        """Yield the outcomes and moves that lead from the root to a node that this seat cannot tell from this one.

        `Env.resample` draws the node. The caller goes along `other` by what is yielded, beginning at the root. What
        other seats have answered to the open question nobody has seen: they answer again, by the dice. Raises TooRare
        as `Env.resample` does, and LookupError at a chance node.
        """
        here = self.env
        like = here.resample(seat, dice)
        answers = list(like.history)
        while other.seat is not None:
            if other.need is not None:
                yield self.tree.number(other.need.next_of(like._chance, other.settled))
                continue
            env, ask = other.env, other.env.ask
            found = next((number for number, (of, _) in enumerate(answers[: env.seats]) if of == env.seat), None)
            if found is None and env.seat == here.seat and not answers:
                break
            action = None if found is None else answers.pop(found)[1]
            while other.need is None and other.env.ask is ask:
                yield dice.choice(other.env.numbers()) if action is None else other.env.number(action)
        if seat == here.seat:
            yield from self.numbers[len(self.numbers) - self.steps :]


def _restored(tree: Tree, settled: dict[Order, Pieces], numbers: tuple[int, ...]) -> Path:
    """Return a path that was written down."""
    path = Path(tree, settled)
    for number in numbers:
        path.move(number)
    return path


def _made(env: Env, uses: Uses, number: int) -> Iterable[Need]:
    """Make a move; return what it used."""
    game, chance = env.game, env._chance
    if not isinstance(chance, ExplicitChance):
        raise TypeError("here chance is settled piece by piece")
    before, window, round_ = len(game.events), game.question, game.table.round
    env.step(number)
    used = uses.needs(game.events[before:], chance)
    if isinstance(window, Window) and game.question is not window:
        answers = env.history[-len(window.asks) :]
        slappers = sorted(seat for seat, action in answers if isinstance(action, Slap))
        return chain(uses.slapped(Order("lots", round_, window.number), slappers, chance), used)
    return used
