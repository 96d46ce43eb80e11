"""The moves of a game: what the seat that acts can do in one step, the number of each, and which are legal.

README.md in this folder says which actions take several steps, and which cards of layouts that grow have numbers.
Numbers are as the acting seat sees them: the seat of a target is how many seats to the left of the actor it sits, 0
the actor itself.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, combinations
from typing import Any, Literal, cast, get_args

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import astuple, replace

from protocol import actions
from protocol.actions import Action, Target
from protocol.offers import ACTIONS, FIELDS, AnyOf, Offer, OneOf, Pick
from referee.rules.games.powers import COPIED
from referee.rules.questions import Ask
from referee.rules.variants import Variant, possible_pars, size

ACTION_TYPES: tuple[type, ...] = get_args(Action)

Several = Literal["switch", "exchange", "rearrange", "arrange", "swap_lines", "keep"]
"""The kinds of action that take several steps."""

SEVERAL: frozenset[str] = frozenset(get_args(Several))

Value = int | Target | tuple[int, str]
"""What a step chooses: a slot, line, seat or card; a target; or a seat and an axis."""

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]

MOST_KEPT = 1024
"""How many states of a begun answer are cached for a question; those of an arrangement of ten cards are millions."""

Beyond = Mapping[Target, int]
"""The places of cards that lie in slots with high numbers: free ones among those that have numbers."""


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


Move = Action | Begin | Then
"""The meaning of a number."""

Chosen = tuple[Value, ...]
"""The choices of an action that has begun."""


class Begun(Struct, frozen=True, kw_only=True):
    """How far the open answer has come: the kind and the choices of an action that has begun."""

    kind: Several | None = None
    chosen: Chosen = ()


NOTHING_BEGUN = Begun()

_Key = tuple[str, Hashable]
"""A move at the table: its kind (`begin KIND` and `then` for steps) and its choice, with seats as they are numbered."""


class Legal(Struct, frozen=True):
    """The legal moves of a question: their numbers in rising order, and the same as a mask that cannot be written."""

    numbers: tuple[int, ...]
    keys: dict[int, _Key]
    mask: Mask
    bits: bytes
    """The mask, one byte for each number."""
    after: dict[int, Action | Begun]
    """The outcomes of moves that were made before: the whole answer, or as much of it as has begun (`Moves.after`)."""


class Moves(Sequence[Move]):
    """The numbered moves of a game with so many seats: `moves[7]` is move 7 as seat 0 makes it."""

    def __init__(self, variant: Variant, seats: int) -> None:
        """Number the moves of this game. The same game, options and seats always give the same numbers."""
        self.seats = seats
        self.places = places(variant)
        """How many cards of a layout have numbers."""
        self._moves = tuple(dict.fromkeys(_every_move(variant, seats, self.places)))
        self._tables: list[dict[str, dict[Hashable, int]]] = [{} for _ in range(seats)]
        """By seat and kind: the number of each choice."""

    def __len__(self) -> int:
        return len(self._moves)

    def __getitem__(self, number: Any) -> Any:
        return self._moves[number]

    @property
    def fingerprint(self) -> str:
        """The SHA-256, in hex, of all moves in their order: equal for two tables with the same numbers."""
        return sha256(msgspec.json.encode([[type(move).__name__, *astuple(move)] for move in self._moves])).hexdigest()

    def within(self, ask: Ask, layouts: Sequence[Sequence[object]], beyond: Callable[[], Beyond]) -> Ask:
        """Return what is asked without the cards that have no place, the same ask where all layouts are short.

        `beyond` returns the places of the cards that lie in slots with high numbers.
        """
        if max(map(len, layouts)) <= self.places:
            return ask
        placed = beyond()
        offers = tuple(chain.from_iterable(_placed(offer, ask.seat, self.places, placed) for offer in ask.offers))
        narrowed = replace(ask, offers=offers)
        narrowed.cache[_BEYOND] = placed
        return narrowed

    def legal(self, ask: Ask, begun: Begun = NOTHING_BEGUN) -> Legal:
        """Return the moves of the seat that is asked; `ask` comes from `within` where layouts grow."""
        what: object = (self, begun.kind, begun.chosen) if begun.kind else self
        legal: Legal | None = ask.cache.get(what)
        if legal is None:
            legal = self._legal(ask, begun)
            if len(ask.cache) < MOST_KEPT:
                ask.cache[what] = legal
        return legal

    def _legal(self, ask: Ask, begun: Begun) -> Legal:
        table = self._tables[ask.seat] or self._fill(ask.seat)
        found: dict[int, _Key] = {}
        for kind, value, target in _choices(ask, begun):
            number = table[kind].get(value)
            if number is None and target is not None:
                place = ask.cache[_BEYOND][target]
                number = table[kind][place if isinstance(value, int) else (target[0], place)]
            if number is not None:
                found[number] = kind, value
        numbers = sorted(found)
        bits = bytearray(len(self._moves))
        for number in numbers:
            bits[number] = 1
        fixed = bytes(bits)
        return Legal(tuple(numbers), found, np.frombuffer(fixed, np.bool_), fixed, {})

    def _fill(self, seat: int) -> dict[str, dict[Hashable, int]]:
        """Return the numbers of this seat by kind and choice."""
        table = self._tables[seat]
        for number in range(len(self._moves)):
            kind, value = _key(self.of_seat(number, seat))
            table.setdefault(kind, {})[value] = number
        return table

    def of_seat(self, number: int, seat: int) -> Move:
        """Return the move of this number as this seat makes it."""
        move = self._moves[number]
        if isinstance(move, (actions.TurnUp, actions.Look, actions.SwapOwn, actions.DiscardPairs)):
            return move
        if isinstance(move, Begin) and move.kind == "keep":
            return move
        changes = {name: self._of_seat(name, getattr(move, name), seat) for name in move.__struct_fields__}
        if isinstance(move, Begin) and move.kind == "rearrange":
            changes["value"] = (cast(int, move.value) + seat) % self.seats
        return cast(Move, type(move)(**changes))

    def _of_seat(self, name: str, value: Any, seat: int) -> Any:
        if name == "seat":
            return (value + seat) % self.seats
        if name in ("target", "value") and isinstance(value, tuple):
            return (value[0] + seat) % self.seats, value[1]
        return value

    def after(self, ask: Ask, begun: Begun, number: int) -> Action | Begun:
        """Return the outcome of a legal number: the whole answer, or as much of it as has begun then.

        Raises LookupError for a number that is not legal.
        """
        legal = self.legal(ask, begun)
        after = legal.after.get(number)
        if after is None:
            after = legal.after[number] = _after(ask, begun, legal.keys[number])
        return after

    def move(self, ask: Ask, begun: Begun, number: int) -> Move:
        """Return the move of a legal number. Raises LookupError for another one."""
        return _move(*self.legal(ask, begun).keys[number])

    def towards(self, ask: Ask, begun: Begun, action: Action) -> int:
        """Return the number of the next step to this answer. Slots in any order are chosen in rising order.

        Raises LookupError where no legal number leads there.
        """
        wanted = _ordered(action, ask.seat)
        for number in self.legal(ask, begun).numbers:
            after = self.after(ask, begun, number)
            if after == wanted if not isinstance(after, Begun) else _leads_to(after, wanted):
                return number
        raise LookupError(f"no number of seat {ask.seat} leads to {action!r}")


def places(variant: Variant) -> int:
    """Return how many cards of a layout have numbers: all of them, twice as many as are dealt where layouts grow."""
    return size(variant) * (2 if grows(variant) else 1)


def grows(variant: Variant) -> bool:
    """Return whether layouts can have more slots than they are dealt with."""
    return variant.layout_size == "changes" or (variant.has("slaps") and variant.options.slaps)


# Cards in slots with high numbers

_BEYOND = "beyond"


def _placed(offer: Offer, seat: int, places: int, beyond: Beyond) -> Iterator[Offer]:
    """Yield the offer without the cards that have no place, nothing where that leaves no choice."""

    def has_place(value: Any) -> bool:
        target = value if isinstance(value, tuple) else (seat, value)
        return target[1] < places or target in beyond

    if offer.kind == "rearrange":  # takes all cards of one other seat
        owner = offer.seat.one_of[0]  # type: ignore[union-attr]
        if all(has_place((owner, slot)) for slot in offer.slots.of):  # type: ignore[union-attr]
            yield offer
        return
    changes: dict[str, OneOf | Pick] = {}
    for name in ("slot", "target", "targets"):
        choice = getattr(offer, name)
        if isinstance(choice, OneOf):
            changes[name] = OneOf(tuple(filter(has_place, choice.one_of)))
        elif isinstance(choice, Pick):
            changes[name] = Pick(choice.pick, tuple(filter(has_place, choice.of)))
    if isinstance(offer.lines, Pick):
        changes["lines"] = Pick(2, tuple(line for line in offer.lines.of if cast(int, line) < places))
    enough = [
        len(choice.one_of) > 0 if isinstance(choice, OneOf) else len(choice.of) >= choice.pick
        for choice in changes.values()
    ]
    if all(enough):
        yield replace(offer, **changes)


# Choices


def _choices(ask: Ask, begun: Begun) -> Iterator[tuple[str, Any, Any]]:
    """Yield the moves that come next: kind, choice, and where it is a card on the table its target."""
    if begun.kind is not None:
        owner = cast(int, begun.chosen[0]) if begun.kind == "rearrange" else ask.seat
        for value in _next_values(ask, begun.kind, begun.chosen):
            is_line = begun.kind == "swap_lines"
            yield "then", value, None if is_line else value if isinstance(value, tuple) else (owner, value)
        return
    for offer in ask.offers:
        kind = offer.kind
        if kind in SEVERAL:
            is_card = kind in ("switch", "exchange", "arrange")
            for value in _next_of(offer, cast(Several, kind), (), ask.seat):
                target = (value if isinstance(value, tuple) else (ask.seat, value)) if is_card else None
                yield f"begin {kind}", value, target
            continue
        fields = FIELDS[kind]
        if not fields:
            yield kind, None, None
            continue
        choice = getattr(offer, fields[0])
        if isinstance(choice, OneOf):
            if fields[0] == "slot":
                yield from ((kind, value, (ask.seat, value)) for value in choice.one_of)
            else:
                yield from ((kind, value, value if fields[0] == "target" else None) for value in choice.one_of)
        elif isinstance(choice, Pick):
            yield from ((kind, some, None) for some in combinations(sorted(choice.of), choice.pick))
        else:
            counts = range(len(cast(AnyOf, choice).any_of) + 1)
            every = chain.from_iterable(combinations(sorted(choice.any_of), count) for count in counts)
            yield from ((kind, some, None) for some in every)


def _key(move: Move) -> _Key:
    if isinstance(move, Begin):
        return f"begin {move.kind}", move.value
    if isinstance(move, Then):
        return "then", move.value
    values = astuple(move)
    return str(type(move).__struct_config__.tag), values[0] if values else None


def _move(kind: str, value: Hashable) -> Move:
    if kind == "then":
        return Then(value=cast(Any, value))
    if kind.startswith("begin "):
        return Begin(kind=cast(Several, kind.removeprefix("begin ")), value=cast(Any, value))
    fields = FIELDS[kind]
    return ACTIONS[kind](**{fields[0]: value}) if fields else ACTIONS[kind]()


def _after(ask: Ask, begun: Begun, key: _Key) -> Action | Begun:
    move = _move(*key)
    if not isinstance(move, (Begin, Then)):
        return move
    kind, chosen = (move.kind, (move.value,)) if isinstance(move, Begin) else (begun.kind, (*begun.chosen, move.value))
    while len(left := _next_values(ask, cast(Several, kind), chosen)) == 1:  # a choice with one value left is made
        chosen = (*chosen, *left)
    return Begun(kind=kind, chosen=chosen) if left else _built(cast(Several, kind), chosen)


def _leads_to(begun: Begun, wanted: Action) -> bool:
    """Return whether the action can still come of what has begun."""
    kind = str(type(wanted).__struct_config__.tag)
    return begun.kind == kind and _parts(wanted)[: len(begun.chosen)] == begun.chosen


def _next_values(ask: Ask, kind: Several, chosen: Chosen) -> tuple[Value, ...]:
    """The values of the next choice of an action of this kind; () where all have been made."""
    offers = (cast(Any, offer) for offer in ask.offers if offer.kind == kind)
    return tuple(value for offer in offers for value in _next_of(offer, kind, chosen, ask.seat))


def _next_of(  # noqa: PLR0911 - a case for each kind
    offer: Any, kind: Several, chosen: Chosen, actor: int
) -> Sequence[Value]:
    count = len(chosen)
    match kind:
        case "switch":
            return _rising(sorted(offer.targets.of, key=lambda target: _from_actor(target, actor)), chosen)
        case "exchange":
            return (offer.slot.one_of, offer.target.one_of, ())[count]
        case "keep":
            return (offer.card.one_of, offer.slot.one_of, ())[count]
        case "arrange":
            return [slot for slot in offer.slots.of if slot not in chosen]
        case "rearrange":
            if not chosen:
                return cast(Sequence[Value], offer.seat.one_of)
            return [slot for slot in offer.slots.of if slot not in chosen[1:]] if chosen[0] in offer.seat.one_of else ()
        case "swap_lines":
            start = (offer.seat.one_of[0], offer.axis.one_of[0])
            if not chosen:
                return (start,)
            return _rising(offer.lines.of, chosen[1:]) if chosen[0] == start else ()


def _from_actor(target: Any, actor: int) -> tuple[bool, int, int]:
    """Return what sorts targets clockwise, beginning with the cards of the seat that acts."""
    return target[0] < actor, target[0], target[1]


def _rising(values: Sequence[Value], chosen: Chosen) -> Sequence[Value]:
    """Two different values in their order: all but the last one, then those after the first choice."""
    if not chosen:
        return values[:-1]
    return values[values.index(chosen[0]) + 1 :] if len(chosen) == 1 else ()


def _built(kind: Several, chosen: Any) -> Action:
    match kind:
        case "switch":
            return actions.Switch(targets=chosen)
        case "exchange":
            return actions.Exchange(slot=chosen[0], target=chosen[1])
        case "keep":
            return actions.Keep(card=chosen[0], slot=chosen[1])
        case "arrange":
            return actions.Arrange(slots=chosen)
        case "rearrange":
            return actions.Rearrange(seat=chosen[0], slots=chosen[1:])
        case "swap_lines":
            return actions.SwapLines(seat=chosen[0][0], axis=chosen[0][1], lines=chosen[1:])


def _parts(action: Action) -> Chosen:  # noqa: PLR0911 - as above
    """The choices of an action that takes several steps, in the order of the steps."""
    match action:
        case actions.Switch(targets=targets):
            return targets
        case actions.Exchange(slot=slot, target=target):
            return slot, target
        case actions.Keep(card=card, slot=slot):
            return card, slot
        case actions.Arrange(slots=slots):
            return slots
        case actions.Rearrange(seat=seat, slots=slots):
            return seat, *slots
        case actions.SwapLines(seat=seat, axis=axis, lines=lines):
            return (seat, axis), *lines
    return ()


def _ordered(action: Action, actor: int) -> Action:
    """Return the same action with what it takes in any order in the order of the steps."""
    match action:
        case actions.TurnUp(slots=slots) | actions.Look(slots=slots):
            return type(action)(slots=tuple(sorted(slots)))
        case actions.SwapOwn(slots=pair):
            return actions.SwapOwn(slots=cast(Any, tuple(sorted(pair))))
        case actions.DiscardPairs(rows=rows):
            return actions.DiscardPairs(rows=tuple(sorted(rows)))
        case actions.Switch(targets=targets):
            return actions.Switch(
                targets=cast(Any, tuple(sorted(targets, key=lambda target: _from_actor(target, actor))))
            )
        case actions.SwapLines(seat=of, axis=axis, lines=lines):
            return actions.SwapLines(seat=of, axis=axis, lines=cast(Any, tuple(sorted(lines))))
    return action


# The table


def _every_move(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
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
        yield actions.Pass()
        yield from (actions.Slap(target=target) for target in _targets(range(seats), slots))
        yield from (actions.Give(slot=slot) for slot in range(slots))


def _opening(variant: Variant, slots: int) -> Iterator[Move]:
    options, dealt = variant.options, size(variant)
    if options.initial_up:
        at_a_time = 1 if options.up_in_each_row else options.initial_up
        yield from (actions.TurnUp(slots=some) for some in combinations(range(dealt), at_a_time))
    if options.initial_look is not None and options.initial_look.startswith("any:"):
        count = int(options.initial_look.removeprefix("any:"))
        yield from (actions.Look(slots=some) for some in combinations(range(dealt), count))
    yield actions.Draw(source="stock")
    if variant.can_draw_pile:
        yield actions.Draw(source="pile")
    yield from (actions.Swap(slot=slot) for slot in range(slots))


def _turns(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
    """What a turn can be in all games but par golf."""
    options = variant.options
    yield actions.Discard()
    if options.end_mode != "all_up" and variant.turns_each is None:
        yield actions.Knock()
    if options.flip_instead or options.flip_on_discard != "never":
        yield from (actions.Flip(slot=slot) for slot in range(slots))
    if options.flip_on_discard in ("may", "must_unless_last"):
        yield actions.Nothing()
    if options.cutthroat_trade:
        yield from (actions.Trade(target=target) for target in _targets(range(1, seats), slots))
    if variant.play == "two_deck":
        rows = range(variant.rows)
        every = chain.from_iterable(combinations(rows, count) for count in range(len(rows) + 1))
        yield from (actions.DiscardPairs(rows=some) for some in every)


def _par_golf(variant: Variant, slots: int) -> Iterator[Move]:
    options = variant.options
    if options.arrange == "after_look":
        yield from (Begin(kind="arrange", value=slot) for slot in range(slots))
        yield from (Then(value=slot) for slot in range(slots))
    yield from (actions.SwapOwn(slots=pair) for pair in combinations(range(slots), 2))
    if options.no_par:
        yield actions.End()
    else:
        yield actions.Nothing()
        yield from (actions.Stroke(row=row) for row in range(variant.rows))
    if options.par_choice == "dealer":
        yield from (actions.ChoosePar(par=par) for par in sorted(set(possible_pars(options))))


def _looks_and_switches(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
    """The powers of Cactus and Cambio."""
    everywhere = _targets(range(seats), slots)
    if variant.play == "cactus":
        yield actions.Nothing()
        yield from (actions.Peek(target=target) for target in everywhere)
        yield from (Begin(kind="switch", value=target) for target in everywhere)
        yield from (Then(value=target) for target in everywhere)
        return
    powers = set((variant.options.cambio_powers or {}).values())
    if powers:
        yield actions.Nothing()
    if "peek_own" in powers:
        yield from (actions.Peek(target=target) for target in _targets(range(1), slots))
    if "peek_other" in powers:
        yield from (actions.Peek(target=target) for target in _targets(range(1, seats), slots))
    if "exchange" in powers:
        yield from (Begin(kind="exchange", value=slot) for slot in range(slots))
        yield from (Then(value=target) for target in _targets(range(1, seats), slots))
    if "rearrange" in powers:
        yield from (Begin(kind="rearrange", value=seat) for seat in range(1, seats))
        yield from (Then(value=slot) for slot in range(slots))


def _powers(seats: int, slots: int) -> Iterator[Move]:
    others, theirs = range(1, seats), _targets(range(1, seats), slots)
    yield actions.Nothing()
    for kind in (actions.AddCard, actions.Shuffle):
        yield from (kind(seat=seat) for seat in others)
    for one in (actions.RemoveCard, actions.Hide):
        yield from (one(slot=slot) for slot in range(slots))
    for aimed in (actions.Peek, actions.Expose, actions.Plant):
        yield from (aimed(target=target) for target in theirs)
    yield from (actions.Peek(target=target) for target in _targets(range(1), slots))
    yield from (Begin(kind="exchange", value=slot) for slot in range(slots))
    yield from (Begin(kind="swap_lines", value=(seat, axis)) for seat in others for axis in ("row", "column"))
    yield from (Begin(kind="keep", value=card) for card in range(3))
    yield from (Then(value=target) for target in theirs)
    yield from (Then(value=slot) for slot in range(slots))
    yield from (
        actions.Shield(),
        actions.TakeTwo(),
        actions.CancelKnock(),
        actions.Block(),
        actions.Allow(),
        actions.Stop(),
    )
    yield from (actions.Copy(power=power) for power in COPIED)


def _targets(seats: range, slots: int) -> list[Target]:
    return [(seat, slot) for seat in seats for slot in range(slots)]
