"""The moves of a game: what the seat that acts can do in one step, and the table of all of them.

README.md in this folder says which actions take several steps, and how layouts that grow are numbered.
"""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Literal, get_args

from msgspec import Struct

from protocol.actions import (
    Action,
    AddCard,
    Allow,
    Block,
    CancelKnock,
    ChoosePar,
    Copy,
    Discard,
    DiscardPairs,
    Draw,
    End,
    Expose,
    Flip,
    Give,
    Hide,
    Knock,
    Look,
    Nothing,
    Pass,
    Peek,
    Plant,
    RemoveCard,
    Shield,
    Shuffle,
    Slap,
    Stop,
    Stroke,
    Swap,
    SwapOwn,
    TakeTwo,
    Target,
    Trade,
    TurnUp,
)  # fmt: skip
from referee.rules.games.powers import COPIED
from referee.rules.variants import Variant, possible_pars, size

ACTION_TYPES: tuple[type, ...] = get_args(Action)

Several = Literal["switch", "exchange", "rearrange", "arrange", "swap_lines", "keep"]
"""The kinds of action that take several steps."""

SEVERAL: frozenset[str] = frozenset({"switch", "exchange", "rearrange", "arrange", "swap_lines", "keep"})

Value = int | Target | tuple[int, str]
"""What a step chooses: a slot, line, seat or card; a target; or a seat and an axis."""


class Begin(Struct, frozen=True, kw_only=True):
    """The first step of an action that takes several: its kind, and its first choice.

    That is the first target of a `switch`, the own slot of an `exchange`, the seat of a `rearrange`, the first slot of
    an `arrange`, the seat and the axis of a `swap_lines`, the card of a `keep`.
    """

    kind: Several
    value: Value


class Then(Struct, frozen=True, kw_only=True):
    """A further step of an action that has begun: its next slot, line or target."""

    value: int | Target


class Further(Struct, frozen=True, kw_only=True):
    """Turn to the slots with higher numbers, which layouts that have grown can have."""


Move = Action | Begin | Then | Further
"""What one number stands for."""

Chosen = tuple[Value, ...]
"""The choices of an action that has begun."""


class Begun(Struct, frozen=True, kw_only=True):
    """How far the open answer has come: the kind and choices of an action that has begun, and the page of slots."""

    kind: Several | None = None
    chosen: Chosen = ()
    page: int = 0


NOTHING_BEGUN = Begun()


def window(variant: Variant) -> int:
    """Return how many slots of a layout have numbers: all of them, twice as many as are dealt where layouts grow."""
    return size(variant) * (2 if grows(variant) else 1)


def grows(variant: Variant) -> bool:
    """Return whether layouts can have more slots than they are dealt with."""
    return variant.layout_size == "changes" or (variant.has("slaps") and variant.options.slaps)


def every_move(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
    """Every move of the game, in the order of the numbers; `slots` slots of each layout have numbers of their own."""
    yield from _opening(variant, slots)
    if variant.play == "par":
        yield from _par_golf(variant, slots)
    else:
        yield from _turns(variant, seats, slots)
    if variant.play in ("cambio", "cactus"):
        yield from _looks_and_switches(variant, seats, slots)
    if variant.play == "powers":
        yield from _powers(seats, slots)
    if variant.has("slaps") and variant.options.slaps:
        yield Pass()
        yield from (Slap(target=target) for target in _targets(range(seats), slots))
        yield from (Give(slot=slot) for slot in range(slots))
    if grows(variant):
        yield Further()


def _opening(variant: Variant, slots: int) -> Iterator[Move]:
    options, dealt = variant.options, size(variant)
    if options.initial_up:
        at_a_time = 1 if options.up_in_each_row else options.initial_up
        yield from (TurnUp(slots=some) for some in combinations(range(dealt), at_a_time))
    if options.initial_look is not None and options.initial_look.startswith("any:"):
        count = int(options.initial_look.removeprefix("any:"))
        yield from (Look(slots=some) for some in combinations(range(dealt), count))
    yield Draw(source="stock")
    if variant.can_draw_pile:
        yield Draw(source="pile")
    yield from (Swap(slot=slot) for slot in range(slots))


def _turns(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
    """What a turn can be in all games but par golf."""
    options = variant.options
    yield Discard()
    if options.end_mode != "all_up" and variant.turns_each is None:
        yield Knock()
    if options.flip_instead or options.flip_on_discard != "never":
        yield from (Flip(slot=slot) for slot in range(slots))
    if options.flip_on_discard in ("may", "must_unless_last"):
        yield Nothing()
    if options.cutthroat_trade:
        yield from (Trade(target=target) for target in _targets(range(1, seats), slots))
    if variant.play == "two_deck":
        rows = range(variant.rows)
        every = chain.from_iterable(combinations(rows, count) for count in range(len(rows) + 1))
        yield from (DiscardPairs(rows=some) for some in every)


def _par_golf(variant: Variant, slots: int) -> Iterator[Move]:
    options = variant.options
    if options.arrange == "after_look":
        yield from (Begin(kind="arrange", value=slot) for slot in range(slots))
        yield from (Then(value=slot) for slot in range(slots))
    yield from (SwapOwn(slots=pair) for pair in combinations(range(slots), 2))
    if options.no_par:
        yield End()
    else:
        yield Nothing()
        yield from (Stroke(row=row) for row in range(variant.rows))
    if options.par_choice == "dealer":
        yield from (ChoosePar(par=par) for par in sorted(set(possible_pars(options))))


def _looks_and_switches(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
    """The powers of Cactus and Cambio."""
    everywhere = _targets(range(seats), slots)
    if variant.play == "cactus":
        yield Nothing()
        yield from (Peek(target=target) for target in everywhere)
        yield from (Begin(kind="switch", value=target) for target in everywhere)
        yield from (Then(value=target) for target in everywhere)
        return
    powers = set((variant.options.cambio_powers or {}).values())
    if powers:
        yield Nothing()
    if "peek_own" in powers:
        yield from (Peek(target=target) for target in _targets(range(1), slots))
    if "peek_other" in powers:
        yield from (Peek(target=target) for target in _targets(range(1, seats), slots))
    if "exchange" in powers:
        yield from (Begin(kind="exchange", value=slot) for slot in range(slots))
        yield from (Then(value=target) for target in _targets(range(1, seats), slots))
    if "rearrange" in powers:
        yield from (Begin(kind="rearrange", value=seat) for seat in range(1, seats))
        yield from (Then(value=slot) for slot in range(slots))


def _powers(seats: int, slots: int) -> Iterator[Move]:
    others, theirs = range(1, seats), _targets(range(1, seats), slots)
    yield Nothing()
    for kind in (AddCard, Shuffle):
        yield from (kind(seat=seat) for seat in others)
    for one in (RemoveCard, Hide):
        yield from (one(slot=slot) for slot in range(slots))
    for aimed in (Peek, Expose, Plant):
        yield from (aimed(target=target) for target in theirs)
    yield from (Peek(target=target) for target in _targets(range(1), slots))
    yield from (Begin(kind="exchange", value=slot) for slot in range(slots))
    yield from (Begin(kind="swap_lines", value=(seat, axis)) for seat in others for axis in ("row", "column"))
    yield from (Begin(kind="keep", value=card) for card in range(3))
    yield from (Then(value=target) for target in theirs)
    yield from (Then(value=slot) for slot in range(slots))
    yield from (Shield(), TakeTwo(), CancelKnock(), Block(), Allow(), Stop())
    yield from (Copy(power=power) for power in COPIED)


def _targets(seats: range, slots: int) -> list[Target]:
    return [(seat, slot) for seat in seats for slot in range(slots)]
