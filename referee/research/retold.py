"""A path through a game's tree to another state that one seat cannot tell from the present one.

Which state that is `Env.resample` decides. Here it becomes a node: with the chance nodes that lead to it, and with the
answers to the open question given in the one order that the tree knows.
"""

from collections.abc import Iterable
from random import Random

from referee.research.moves import NOTHING_BEGUN
from referee.research.settling import Need, Order, Pieces, Settling
from referee.research.tree import CHANCE, Begun, Path, Tree, begins, made
from referee.rules.chance import Chance

History = tuple[tuple[int, int], ...]
"""Who did what from the root to a node: seats or CHANCE, and the numbers of moves and outcomes."""


def other_path(path: Path, seat: int, dice: Random) -> tuple[Path, History]:
    """Return a node that this seat cannot tell from the one at which the path ends, and the history that leads there.

    What other seats have answered to the open question nobody has been told. They answer again here, by the dice.
    Raises TooRare as `Env.resample` does, and LookupError at a chance node.
    """
    env = path.env
    other = env.resample(seat, dice)
    retold = _Retold(path.tree, other._chance)
    answers = list(other.history)
    while (ask := retold.env.ask) is not None:
        found = next((number for number, (of, _) in enumerate(answers[: env.seats]) if of == ask.seat), None)
        if found is not None:
            action = answers.pop(found)[1]
            while retold.env.ask is ask:
                retold.move(retold.env.number(action))
        elif ask.seat == env.seat and not answers:
            break
        else:
            while retold.env.ask is ask:
                retold.move(dice.choice(retold.env.numbers()))
    if seat == env.seat:
        for number in path.numbers[len(path.numbers) - path.steps :]:
            retold.move(number)
    return retold.path(), tuple(retold.history)


class _Retold:
    """A match that is played along with known chance; every piece of chance that it uses becomes a chance node."""

    def __init__(self, tree: Tree, rest: Chance) -> None:
        self._tree = tree
        self._chance = Settling(tree.pack, tree.seats, {}, rest=rest)
        self.env, self._uses, used = tree.begin(self._chance)
        self.history: list[tuple[int, int]] = []
        self._settled: dict[Order, Pieces] = {}
        self._numbers: list[int] = []
        self._steps = 0
        self._note(used)
        self._begun = self._here()

    def move(self, number: int) -> None:
        """Make a move of the seat that decides."""
        env = self.env
        if env.seat is None:
            raise LookupError("the match is over")
        self.history.append((env.seat, number))
        self._numbers.append(number)
        self._note(made(env, self._uses, number))
        self._steps = 0 if env.begun == NOTHING_BEGUN else self._steps + 1
        if begins(env, self._begun.env):
            self._begun = self._here()

    def _here(self) -> Begun:
        return Begun(self.env.clone(), self._uses.copy(), len(self._numbers))

    def _note(self, used: Iterable[Need]) -> None:
        """Chance has settled what was used."""
        for need in used:
            settled = self._settled.get(need.order, ())
            whole = [piece for piece in self._chance.asked[need.order] if piece in need.among]
            new = whole[len(settled) : need.upto]
            self.history += [(CHANCE, self._tree.number(piece)) for piece in new]
            self._settled[need.order] = (*settled, *new)

    def path(self) -> Path:
        """Return the path to where it has arrived."""
        path = Path.__new__(Path)
        path.arrived(self._tree, self._settled, tuple(self._numbers), self._begun)
        path.stand(self.env, self._uses, self._steps)
        return path
