"""An answer by the dice: what a player does who knows nothing but the offers.

This module must not know the rules. The dice come from outside, so that the games have no randomness of their own.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from protocol.actions import Action
from protocol.offers import ACTIONS, FIELDS, Choice, Offer, OneOf, Pick

T = TypeVar("T")


class Dice(Protocol):
    """The part of `random.Random` that is needed."""

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of them, each as likely as the others."""

    def sample(self, population: Sequence[T], k: int, /) -> list[T]:
        """Return `k` different ones of them, in random order."""

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1."""


def any_action(offers: Sequence[Offer], dice: Dice) -> Action:
    """Return a legal action: the dice choose a kind that is offered, then what it leaves open."""
    offer = dice.choice(offers)
    return ACTIONS[offer.kind](**{name: _value(getattr(offer, name), dice) for name in FIELDS[offer.kind]})


def _value(choice: Choice, dice: Dice) -> object:
    if isinstance(choice, OneOf):
        return dice.choice(choice.one_of)
    if isinstance(choice, Pick):
        return tuple(dice.sample(choice.of, choice.pick))
    return tuple(value for value in choice.any_of if dice.random() < 0.5)
