"""Sealed choices of several steps that several seats make at the same time, none of which may be seen by the others.

In a slap window some cards can lie beyond the first page of numbers. Whoever means one takes more steps than the
others, and the number of steps alone would tell. So every such window takes as many steps as its longest choice does.
"""

from collections.abc import Mapping

from referee.research.actions import Actions, Begun, Further
from referee.research.env import Env
from referee.rules.questions import Ask


def has_pages(env: Env) -> bool:
    """Return whether some of the seats that are asked at the same time can choose on further pages."""
    return len(env.asks) > 1 and any(_pages(env.actions, ask) > 1 for ask in env.asks)


class AtOnce:
    """The choices of the seats of an open question, each made in an environment of its own."""

    def __init__(self, env: Env) -> None:
        """Begin with a question that nobody has answered."""
        self._steps_left = max(_pages(env.actions, ask) for ask in env.asks)
        self._chosen: dict[int, list[int]] = {ask.seat: [] for ask in env.asks}
        self.views: dict[int, Env] = {seat: _of_seat(env, seat) for seat in self._chosen}
        """What each seat has before it: the question, with its own steps alone."""

    @property
    def is_over(self) -> bool:
        """Whether the last step has been made."""
        return not self._steps_left

    def numbers(self) -> dict[int, tuple[int, ...]]:
        """Return the legal numbers by seat of those that have not made their whole choice; the others wait."""
        return {seat: view.numbers() for seat, view in self.views.items() if view.seat == seat}

    def take(self, given: Mapping[int, int]) -> list[int]:
        """Take a step of each seat that has not made its choice.

        Return what all seats have chosen, one seat's numbers after another's, once this was the last step, and before
        that nothing.
        """
        for seat, number in given.items():
            self.views[seat].step(number)
            self._chosen[seat].append(number)
        self._steps_left -= 1
        return [] if self._steps_left else [number for numbers in self._chosen.values() for number in numbers]


def _of_seat(env: Env, seat: int) -> Env:
    view = env.clone()
    view._playing.turn_to(seat)
    return view


def _pages(actions: Actions, ask: Ask) -> int:
    """How many pages the seat can turn to, the first one included: layouts lie open, so everybody knows that."""
    count = 1
    while Further() in actions.legal(ask, Begun(page=count - 1)).moves.values():
        count += 1
    return count
