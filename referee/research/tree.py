"""A match as a path through a game tree: at each node either a seat moves or chance settles one thing.

openspiel.py shows it to OpenSpiel. This module must not know that library.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

from msgspec import Struct

from protocol.actions import Slap
from protocol.cards import Card
from referee.research.env import Env
from referee.research.moves import NOTHING_BEGUN
from referee.research.serial import Serial
from referee.research.settling import Need, Order, Piece, Pieces, Settling, Uses, without
from referee.rules.questions import Ask, IllegalAnswer, Window
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

    def begin(self, chance: Settling) -> tuple[Env, Uses, Iterable[Need]]:
        """Return a match with this chance before its first question, and what the deal has used."""
        env = self.template.sibling()
        env._begin(chance, NO_KEY)
        uses = Uses(env.variant.columns, self.seats)
        return env, uses, uses.needs(env.game.events, chance)


class Begun(Struct, frozen=True):
    """A match at the first question of a round or of a turn. Nobody goes on with this env."""

    env: Env
    uses: Uses
    done: int
    """How many moves had been made."""


class Path:
    """How far a match has come: what chance has settled, the numbers of all moves, and the `Env` that has made them.

    Copies share their `Env` until one of them goes on.
    """

    def __init__(self, tree: Tree) -> None:
        self.arrived(tree, {}, ())
        self._catch_up()

    def arrived(
        self, tree: Tree, settled: dict[Order, Pieces], numbers: tuple[int, ...], begun: Begun | None = None
    ) -> None:
        """Take what leads to a node; the node itself comes by `stand`."""
        self.tree = tree
        self.settled = settled
        self.numbers = numbers
        self.steps = 0
        """How many of the last moves belong to an answer that is not whole yet."""
        self.need: Need | None = None
        """What chance must settle before the last move is made, or before the first."""
        self._env: Env | None = None
        self._uses: Uses | None = None
        self._is_own = True
        """Whether no copy uses the same env."""
        self._begun = begun

    def stand(self, env: Env, uses: Uses, steps: int) -> None:
        """Stand where this env stands, which nobody else goes on with."""
        self._env, self._uses, self.need, self._is_own = env, uses, None, True
        self.steps = 0 if env.begun == NOTHING_BEGUN else steps

    def copy(self) -> "Path":
        """Return another one that stands where this one does."""
        other = Path.__new__(Path)
        self._is_own = False
        vars(other).update(vars(self))
        return other

    def __deepcopy__(self, memo: Any) -> "Path":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.tree, self.settled, self.numbers)

    @property
    def env(self) -> Env:
        """The match. Raises LookupError at a chance node."""
        if self._env is None:
            raise LookupError("chance comes first")
        return self._env

    @property
    def seat(self) -> int | None:
        """The seat that decides, or CHANCE; None at the end."""
        return CHANCE if self.need is not None else self.env.seat

    def seen(self) -> Env | None:
        """Return the match as players have seen it, at a chance node before the last move; None before the deal."""
        if self._env is not None or not self.numbers:
            return self._env
        before = self.copy()
        before.numbers = self.numbers[:-1]
        before._catch_up()
        return before._env

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
        if len(self.settled[need.order]) >= need.upto:
            self._catch_up()

    def move(self, number: int) -> None:
        """Make a move. Raises IllegalAnswer for one that is not legal, and then nothing has changed."""
        env, uses = self._env, self._uses
        if env is None or uses is None:
            raise IllegalAnswer(f"move {number}: chance comes first here")
        env.move(number)
        if not self._is_own:
            env, uses = env.clone(), uses.copy()
        self.numbers += (number,)
        steps = self.steps
        used = made(env, uses, number)
        self._arrive(env, uses, used, steps + 1)

    def _catch_up(self) -> None:
        """Play the present turn again, or the round before its first one, with all that is settled now."""
        chance = Settling(self.tree.pack, self.tree.seats, self.settled)
        begun = self._begun
        used: Iterable[Need]
        if begun is None:
            (env, uses, used), done = self.tree.begin(chance), 0
        else:
            env, uses, used, done = again(begun, chance), begun.uses.copy(), (), begun.done
        steps = 0
        for before, number in enumerate(self.numbers[done:], start=done):
            self._arrive(env, uses, used, steps, before)
            steps = self.steps + 1
            used = made(env, uses, number)
        self._arrive(env, uses, used, steps)

    def _arrive(self, env: Env, uses: Uses, used: Iterable[Need], steps: int, moves: int | None = None) -> None:
        """Stand where the env stands after so many moves, unless what the last one used is still open."""
        for need in used:
            if len(self.settled.get(need.order, ())) < need.upto:
                self._env, self._uses, self.need = None, None, need
                return
        self.stand(env, uses, steps)
        if self._begun is None or begins(env, self._begun.env):
            self._begun = Begun(env.clone(), uses.copy(), len(self.numbers) if moves is None else moves)


def _restored(tree: Tree, settled: dict[Order, Pieces], numbers: tuple[int, ...]) -> Path:
    """Return a path that was written down."""
    path = Path.__new__(Path)
    path.arrived(tree, settled, numbers)
    path._catch_up()
    return path


def begins(env: Env, before: Env) -> bool:
    """Return whether this env stands at the first question of a round or of a turn since the one before."""
    if env.game.table.round != before.game.table.round:
        return True
    return _opens_turn(env) and len(env.history) > len(before.history)


def _opens_turn(env: Env) -> bool:
    question = env.game.question
    return isinstance(question, Ask) and question.opens_turn and env.begun == NOTHING_BEGUN


def again(begun: Begun, chance: Settling) -> Env:
    """Return an env that stands at the same question and has this chance."""
    game, env = begun.env.game, begun.env._shallow()
    game = game.turn_again(chance, begun.uses.stock(chance)) if _opens_turn(env) else game.round_again(chance)
    env._chance, env._serial = chance, Serial(game, chance)
    env._messages = env._codes = env._now = None
    env.history = list(env.history)
    return env


def made(env: Env, uses: Uses, number: int) -> Iterable[Need]:
    """Make a move; return what it used."""
    game, chance = env.game, env._chance
    if not isinstance(chance, Settling):
        raise TypeError("here chance is settled piece by piece")
    before, window, round_ = len(game.events), game.question, game.table.round
    env.step(number)
    used = uses.needs(game.events[before:], chance)
    if isinstance(window, Window) and game.question is not window:
        answers = env.history[-len(window.asks) :]
        slappers = sorted(seat for seat, action in answers if isinstance(action, Slap))
        return chain(uses.slapped(Order("lots", round_, window.number), slappers, chance), used)
    return used
