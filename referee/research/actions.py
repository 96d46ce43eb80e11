"""Numbered moves: every action that can ever be legal in a game, as a fixed table that a policy can have outputs for.

Numbers are as the acting seat sees them: the seat of a target is how many seats to the left of the actor it sits, 0
the actor itself. README.md in this folder says how actions with several choices and layouts that grow are numbered.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, combinations
from typing import Any, Literal, cast, get_args

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from protocol.actions import (
    Action,
    AddCard,
    Allow,
    Arrange,
    Block,
    CancelKnock,
    ChoosePar,
    Copy,
    Discard,
    DiscardPairs,
    Draw,
    End,
    Exchange,
    Expose,
    Flip,
    Give,
    Hide,
    Keep,
    Knock,
    Look,
    Nothing,
    Pass,
    Peek,
    Plant,
    Rearrange,
    RemoveCard,
    Shield,
    Shuffle,
    Slap,
    Stop,
    Stroke,
    Swap,
    SwapLines,
    SwapOwn,
    Switch,
    TakeTwo,
    Target,
    Trade,
    TurnUp,
)  # fmt: skip
from protocol.offers import ACTIONS, FIELDS, AnyOf, Offer, OneOf, Pick
from referee.rules.book.variant import Variant, possible_pars, size
from referee.rules.games.powers import COPIED
from referee.rules.table.asks import Ask

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


MOST_KEPT = 1024
"""How many states of a begun answer are kept for a question; those of an arrangement of ten cards are millions."""

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


class Legal(Struct, frozen=True):
    """The legal moves of a question: numbers in rising order, the move of each, and by number which are legal.

    It is kept with the question, for whoever is asked it again.
    """

    numbers: tuple[int, ...]
    moves: dict[int, Move]
    mask: Mask
    """It cannot be written to."""
    after: dict[int, "Action | Begun"] = field(default_factory=dict)
    """What moves that were made before give: the whole answer, or as much of it as has begun then (`after`)."""


class Actions(Sequence[Move]):
    """The numbered moves of a game with so many seats: `actions[7]` is move 7 as seat 0 makes it."""

    def __init__(self, variant: Variant, seats: int) -> None:
        """Number the moves of this game. The same game, options and seats always give the same numbers."""
        self.seats = seats
        self.window = window(variant)
        """How many slots of a layout have numbers of their own; others are reached by `Further`."""
        self._moves = tuple(dict.fromkeys(_moves(variant, seats, self.window)))
        self._numbers = {move: number for number, move in enumerate(self._moves)}
        self._placed: list[dict[Move, tuple[int, int]]] = [{} for _ in range(seats)]
        """By seat, of moves that were legal before: the page on which each stands, and its number."""

    @property
    def size(self) -> int:
        """How many numbers there are; they run from 0 to `size` - 1."""
        return len(self._moves)

    def __len__(self) -> int:
        return len(self._moves)

    def __getitem__(self, number: Any) -> Any:
        return self._moves[number]

    @property
    def fingerprint(self) -> str:
        """The SHA-256, in hex, of all moves in their order. It tells whether two tables number alike."""
        return sha256(msgspec.json.encode([_plain(move) for move in self._moves])).hexdigest()

    def legal(self, ask: Ask, begun: Begun) -> Legal:
        """Return what the seat that is asked may do next."""
        what: object = self if begun is NOTHING_BEGUN else (self, begun)
        legal: Legal | None = ask.kept.get(what)
        if legal is not None:
            return legal
        if begun.kind == "arrange":  # what can be chosen next does not depend on the order of what was chosen
            chosen = self, frozenset(begun.chosen)
            like = ask.kept.get(chosen) or self._legal(ask, begun)
            _keep(ask, chosen, like)
            legal = Legal(like.numbers, like.moves, like.mask)
        else:
            legal = self._legal(ask, begun)
        _keep(ask, what, legal)
        return legal

    def _legal(self, ask: Ask, begun: Begun) -> Legal:
        found: dict[int, Move] = {}
        more = False
        known = self._placed[ask.seat]
        for move in _choices(ask, begun):
            placed = known.get(move)
            if placed is None:
                page, key = self.reduced(move, ask.seat)
                placed = known[move] = page, self._numbers[key]
            if placed[0] == begun.page:
                found[placed[1]] = move
            more = more or placed[0] > begun.page
        if more:
            found[self._numbers[Further()]] = Further()
        mask = np.zeros(self.size, np.bool_)
        mask[list(found)] = True
        mask.flags.writeable = False
        return Legal(tuple(sorted(found)), dict(sorted(found.items())), mask)

    def after(self, ask: Ask, begun: Begun, number: int) -> Action | Begun:
        """Return what a legal number gives: the whole answer, or as much of it as has begun then.

        Raises LookupError for a number that is not legal.
        """
        legal = self.legal(ask, begun)
        known = legal.after.get(number)
        if known is None:
            known = legal.after[number] = _after(ask, begun, legal.moves[number])
        return known

    def reduced(self, move: Move, seat: int) -> tuple[int, Move]:
        """Return the page on which a move of this seat stands, and the move as the table has it."""
        if isinstance(move, Further):
            return 0, move
        if isinstance(move, Then):
            page, value = self._place(move.value, seat)
            return page, Then(value=cast(Any, value))
        if isinstance(move, Begin):
            if move.kind in ("rearrange", "swap_lines", "keep"):
                return 0, Begin(kind=move.kind, value=self._unpaged(move.kind, move.value, seat))
            page, value = self._place(cast(Any, move.value), seat)
            return page, Begin(kind=move.kind, value=value)
        return self._reduced_action(move, seat)

    def _reduced_action(self, action: Action, seat: int) -> tuple[int, Action]:
        page, changes = 0, {}
        for name in type(action).__struct_fields__:
            value = getattr(action, name)
            if name in ("slot", "target"):
                page, value = self._place(value, seat)
            elif name == "seat":
                value = (value - seat) % self.seats
            elif name in ("slots", "rows"):
                value = tuple(sorted(value))
            changes[name] = value
        return page, type(action)(**changes)

    def _place(self, value: int | Target, seat: int) -> tuple[int, int | Target]:
        if isinstance(value, tuple):
            page, index = divmod(value[1], self.window)
            return page, ((value[0] - seat) % self.seats, index)
        return divmod(value, self.window)

    def _unpaged(self, kind: Several, value: Value, seat: int) -> Value:
        if kind == "keep":
            return value
        if isinstance(value, tuple):
            return (value[0] - seat) % self.seats, cast(Any, value[1])
        return (value - seat) % self.seats

    def expanded(self, number: int, seat: int, page: int = 0) -> Move:
        """Return the move of this number as this seat makes it on a page; the reverse of `reduced`."""
        move = self._moves[number]
        if isinstance(move, (Further, TurnUp, Look, SwapOwn, DiscardPairs)):
            return move
        if isinstance(move, Begin) and move.kind in ("rearrange", "swap_lines", "keep"):
            return Begin(kind=move.kind, value=self._unpaged(move.kind, move.value, -seat))
        changes = {name: self._expanded(name, getattr(move, name), seat, page) for name in move.__struct_fields__}
        return cast(Move, type(move)(**changes))

    def _expanded(self, name: str, value: Any, seat: int, page: int) -> Any:
        if name == "seat":
            return (value + seat) % self.seats
        if name not in ("slot", "target", "value"):
            return value
        if isinstance(value, tuple):
            return (value[0] + seat) % self.seats, value[1] + page * self.window if isinstance(
                value[1], int
            ) else value[1]
        return value + page * self.window

    def path(self, ask: Ask, action: Action) -> tuple[int, ...]:
        """Return the numbers that, one after another, give this answer to the ask.

        Slots that a kind of action takes in any order are given in rising order. Raises ValueError for an action that
        the ask does not offer.
        """
        wanted, begun, numbers = _ordered(action, ask.seat), NOTHING_BEGUN, []
        while True:
            legal = self.legal(ask, begun)
            number, begun = self._towards(ask, legal, begun, wanted)
            numbers.append(number)
            done = finished(ask, begun) if begun.kind is not None else None
            if begun.kind is None and begun.page == 0:
                return tuple(numbers)
            if done is not None:
                return tuple(numbers)

    def _towards(self, ask: Ask, legal: Legal, begun: Begun, wanted: Action) -> tuple[int, Begun]:
        """Return the number of the next step to this action, and what has begun then."""
        for number, move in legal.moves.items():
            if isinstance(move, (Begin, Then)):
                after = extended(ask, begun, move)
                if _leads_to(after, wanted):
                    return number, after
            elif move == wanted:
                return number, NOTHING_BEGUN
        further = self._numbers.get(Further())
        if further is not None and further in legal.moves:
            return further, Begun(kind=begun.kind, chosen=begun.chosen, page=begun.page + 1)
        raise ValueError(f"seat {ask.seat} may not answer {wanted!r} to `{ask.decision}`")


def _keep(ask: Ask, what: object, legal: Legal) -> None:
    if len(ask.kept) < MOST_KEPT:
        ask.kept[what] = legal


def _after(ask: Ask, begun: Begun, move: Move) -> Action | Begun:
    if isinstance(move, Further):
        return replace(begun, page=begun.page + 1)
    if not isinstance(move, (Begin, Then)):
        return move
    after = extended(ask, begun, move)
    return finished(ask, after) or after


def window(variant: Variant) -> int:
    """Return how many slots of a layout have numbers: all of them, twice as many as are dealt where layouts grow."""
    return size(variant) * (2 if grows(variant) else 1)


def grows(variant: Variant) -> bool:
    """Return whether layouts can have more slots than they are dealt with."""
    return variant.layout_size == "changes" or (variant.has("slaps") and variant.options.slaps)


def extended(ask: Ask, begun: Begun, move: Begin | Then) -> Begun:
    """Return what has begun after this step; choices with one value left are made, too."""
    kind, chosen = (move.kind, (move.value,)) if isinstance(move, Begin) else (begun.kind, (*begun.chosen, move.value))
    while len(left := _next_values(ask, cast(Several, kind), chosen)) == 1:
        chosen = (*chosen, *left)
    return Begun(kind=kind, chosen=chosen)


def finished(ask: Ask, begun: Begun) -> Action | None:
    """Return the action whose choices have all been made; None where one is still open."""
    if begun.kind is None or _next_values(ask, begun.kind, begun.chosen):
        return None
    return _built(begun.kind, begun.chosen)


def _leads_to(begun: Begun, wanted: Action) -> bool:
    parts = _parts(wanted)
    return begun.kind == _kind(wanted) and parts[: len(begun.chosen)] == begun.chosen


# The table


def _moves(variant: Variant, seats: int, slots: int) -> Iterator[Move]:
    """Every move of the game in the order of the numbers."""
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
        yield from (TurnUp(slots=some) for some in combinations(range(dealt), options.initial_up))
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


def _plain(move: Move) -> list[Any]:
    return [type(move).__name__, *asdict(move).values()]


# What an ask offers, as moves


def _choices(ask: Ask, begun: Begun) -> Iterator[Move]:
    """The moves that come next, of all pages, with the numbers of seats and slots as they are at the table."""
    if begun.kind is not None:
        yield from (Then(value=cast(Any, value)) for value in _next_values(ask, begun.kind, begun.chosen))
        return
    for kind in dict.fromkeys(offer.kind for offer in ask.offers if offer.kind in SEVERAL):
        several = cast(Several, kind)
        yield from (Begin(kind=several, value=value) for value in _next_values(ask, several, ()))
    for offer in ask.offers:
        if offer.kind not in SEVERAL:
            yield from _whole(offer)


def _whole(offer: Offer) -> Iterator[Action]:
    """The actions of an offer with at most one choice, those that take slots in any order once, in rising order."""
    make = ACTIONS[offer.kind]
    fields = FIELDS[offer.kind]
    if not fields:
        yield make()
        return
    (name,) = fields
    choice = getattr(offer, name)
    if isinstance(choice, OneOf):
        yield from (make(**{name: value}) for value in choice.one_of)
    elif isinstance(choice, Pick):
        yield from (make(**{name: some}) for some in combinations(sorted(choice.of), choice.pick))
    else:
        counts = range(len(cast(AnyOf, choice).any_of) + 1)
        every = chain.from_iterable(combinations(sorted(choice.any_of), count) for count in counts)
        yield from (make(**{name: some}) for some in every)


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
            return _rising(sorted(offer.targets.of, key=lambda target: from_actor(target, actor)), chosen)
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


def from_actor(target: Any, actor: int) -> tuple[bool, int, int]:
    """Sorts targets clockwise, beginning with the cards of the seat that acts."""
    return target[0] < actor, target[0], target[1]


def _rising(values: Sequence[Value], chosen: Chosen) -> Sequence[Value]:
    """Two different values in their order: all but the last one, then those after the first choice."""
    if not chosen:
        return values[:-1]
    return values[values.index(chosen[0]) + 1 :] if len(chosen) == 1 else ()


def _built(kind: Several, chosen: Any) -> Action:
    match kind:
        case "switch":
            return Switch(targets=chosen)
        case "exchange":
            return Exchange(slot=chosen[0], target=chosen[1])
        case "keep":
            return Keep(card=chosen[0], slot=chosen[1])
        case "arrange":
            return Arrange(slots=chosen)
        case "rearrange":
            return Rearrange(seat=chosen[0], slots=chosen[1:])
        case "swap_lines":
            return SwapLines(seat=chosen[0][0], axis=chosen[0][1], lines=chosen[1:])


def _parts(action: Action) -> Chosen:  # noqa: PLR0911 - as above
    """The choices of an action that takes several steps, in the order of the steps."""
    match action:
        case Switch(targets=targets):
            return targets
        case Exchange(slot=slot, target=target):
            return slot, target
        case Keep(card=card, slot=slot):
            return card, slot
        case Arrange(slots=slots):
            return slots
        case Rearrange(seat=seat, slots=slots):
            return seat, *slots
        case SwapLines(seat=seat, axis=axis, lines=lines):
            return (seat, axis), *lines
    return ()


def _kind(action: Action) -> str:
    return str(type(action).__struct_config__.tag)


def _ordered(action: Action, actor: int) -> Action:
    """The same action with what it takes in any order in the order of the steps."""
    match action:
        case TurnUp(slots=slots) | Look(slots=slots):
            return type(action)(slots=tuple(sorted(slots)))
        case SwapOwn(slots=pair):
            return SwapOwn(slots=cast(Any, tuple(sorted(pair))))
        case DiscardPairs(rows=rows):
            return DiscardPairs(rows=tuple(sorted(rows)))
        case Switch(targets=targets):
            return Switch(targets=cast(Any, tuple(sorted(targets, key=lambda target: from_actor(target, actor)))))
        case SwapLines(seat=of, axis=axis, lines=lines):
            return SwapLines(seat=of, axis=axis, lines=cast(Any, tuple(sorted(lines))))
    return action
