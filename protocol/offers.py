"""The legal actions of a request, as offers: a kind of action and, for each of its fields, what may stand there.

An offer holds one choice a field: `one_of` (one of these values), `pick`/`of` (an array of so many different ones of
these) or `any_of` (an array of any number of different ones, none included). Every combination is legal, so a
program that knows nothing of a game can fill in an offer and never break a rule.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from math import perm, prod
from typing import get_args

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import fields

from protocol.actions import Action, Target

Value = int | str | Target


class OneOf(Struct, frozen=True):
    """One value out of these."""

    one_of: tuple[Value, ...]


class Pick(Struct, frozen=True):
    """An array of exactly `pick` different values out of `of`, in any order."""

    pick: int
    of: tuple[Value, ...]


class AnyOf(Struct, frozen=True):
    """An array of different values out of these, as many as wished, perhaps none."""

    any_of: tuple[Value, ...]


Choice = OneOf | Pick | AnyOf


class Offer(Struct, frozen=True, kw_only=True):
    """One kind of legal action; the fields that this kind has hold a choice, the others are absent."""

    kind: str
    source: OneOf | UnsetType = field(name="from", default=UNSET)
    slot: OneOf | UnsetType = UNSET
    slots: Pick | UnsetType = UNSET
    target: OneOf | UnsetType = UNSET
    targets: Pick | UnsetType = UNSET
    seat: OneOf | UnsetType = UNSET
    axis: OneOf | UnsetType = UNSET
    lines: Pick | UnsetType = UNSET
    row: OneOf | UnsetType = UNSET
    rows: AnyOf | UnsetType = UNSET
    card: OneOf | UnsetType = UNSET
    power: OneOf | UnsetType = UNSET
    par: OneOf | UnsetType = UNSET

    def choices(self) -> dict[str, Choice]:
        """The choices by the field's name in Python, in the order of the struct."""
        return {name: getattr(self, name) for name in FIELDS[self.kind]}


ACTIONS: Mapping[str, Callable[..., Action]] = {kind.__struct_config__.tag: kind for kind in get_args(Action)}
"""The type of action by its kind."""

FIELDS = {kind.__struct_config__.tag: kind.__struct_fields__ for kind in get_args(Action)}
"""The fields of each kind of action, by their names in Python."""

_KINDS = {type_: kind for kind, type_ in ACTIONS.items()}


def admits(offers: Sequence[Offer], action: Action) -> bool:
    """Whether `action` is one of those that the offers describe."""
    kind = _KINDS[type(action)]
    for offer in offers:  # noqa: SIM110 - asked at every decision, and `any` costs more than the rest
        if offer.kind == kind and _fits(offer, action):
            return True
    return False


def _fits(offer: Offer, action: Action) -> bool:
    for name in FIELDS[offer.kind]:  # noqa: SIM110 - as above
        if not _allows(getattr(offer, name), getattr(action, name)):
            return False
    return True


def _allows(choice: Choice, value: object) -> bool:
    if isinstance(choice, OneOf):
        return value in choice.one_of
    if not isinstance(value, tuple) or len(set(value)) != len(value):
        return False
    if isinstance(choice, Pick):
        return len(value) == choice.pick and all(one in choice.of for one in value)
    return all(one in choice.any_of for one in value)


def every_action(offers: Sequence[Offer]) -> Iterator[Action]:
    """Every action that the offers describe, one after the other, in the order in which they name kinds and values.

    `size` says how many there are: ten cards can be arranged in 3628800 ways.
    """
    for offer in offers:
        choices, kind = offer.choices(), ACTIONS[offer.kind]
        for values in product(*(_values(choice) for choice in choices.values())):
            yield kind(**dict(zip(choices, values, strict=True)))


def _values(choice: Choice) -> Iterator[object]:
    if isinstance(choice, OneOf):
        return iter(choice.one_of)
    if isinstance(choice, Pick):
        return permutations(choice.of, choice.pick)
    return (some for count in range(len(choice.any_of) + 1) for some in combinations(choice.any_of, count))


def in_words(offer: Offer) -> str:
    """The offer for people: `swap with slot one of 0 1 2`."""
    wire = {field.name: field.encode_name for field in fields(offer)}
    choices = [f"{wire[name]} {_in_words(choice)}" for name, choice in offer.choices().items()]
    return offer.kind + (f" with {' and '.join(choices)}" if choices else "")


def _in_words(choice: Choice) -> str:
    values = choice.one_of if isinstance(choice, OneOf) else choice.of if isinstance(choice, Pick) else choice.any_of
    listed = " ".join(str(list(value)) if isinstance(value, tuple) else str(value) for value in values)
    if isinstance(choice, OneOf):
        return f"one of {listed}"
    return f"{choice.pick} different ones of {listed}" if isinstance(choice, Pick) else f"any of {listed}"


def size(offer: Offer) -> int:
    """How many different answers the offer describes; arrays in another order count as different."""
    return prod(_size(choice) for choice in offer.choices().values())


def _size(choice: Choice) -> int:
    if isinstance(choice, OneOf):
        return len(choice.one_of)
    if isinstance(choice, Pick):
        return perm(len(choice.of), choice.pick)
    return int(2 ** len(choice.any_of))
