"""A player who does anything that is legal, by the dice."""

from random import Random

from protocol.actions import Action
from protocol.offers import ACTIONS, Choice, Offer, OneOf, Pick


def any_action(offers: tuple[Offer, ...], dice: Random) -> Action:
    """A legal action: a kind that is offered, then its choices, all by the dice."""
    offer = dice.choice(offers)
    return ACTIONS[offer.kind](**{name: _value(choice, dice) for name, choice in offer.choices().items()})


def _value(choice: Choice, dice: Random) -> object:
    if isinstance(choice, OneOf):
        return dice.choice(choice.one_of)
    if isinstance(choice, Pick):
        return tuple(dice.sample(choice.of, choice.pick))
    return tuple(value for value in choice.any_of if dice.random() < 0.5)
