"""Numbered moves: every action that can ever be legal in a game, as a fixed table that a policy can have outputs for.

Numbers are as the acting seat sees them: the seat of a target is how many seats to the left of the actor it sits, 0
the actor itself.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, cast

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from protocol.actions import Action, DiscardPairs, Look, SwapOwn, Target, TurnUp
from referee.research.moves import (
    ACTION_TYPES,
    NOTHING_BEGUN,
    SEVERAL,
    Begin,
    Begun,
    Further,
    Move,
    Several,
    Then,
    Value,
    every_move,
    grows,
    window,
)
from referee.research.steps import choices, extended, finished, leads_to, ordered
from referee.rules.questions import Ask
from referee.rules.variants import Variant

__all__ = [
    "ACTION_TYPES", "NOTHING_BEGUN", "SEVERAL", "Actions", "Begin", "Begun", "Further", "Legal", "Mask", "Move",
    "Several", "Then", "grows", "window",
]  # fmt: skip

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
        self._moves = tuple(dict.fromkeys(every_move(variant, seats, self.window)))
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
        legal: Legal | None = ask.cache.get(what)
        if legal is not None:
            return legal
        if begun.kind == "arrange":  # what can be chosen next does not depend on the order of what was chosen
            chosen = self, frozenset(begun.chosen)
            like = ask.cache.get(chosen) or self._legal(ask, begun)
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
        for move in choices(ask, begun):
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
            of, slot = value
            return (of + seat) % self.seats, slot + page * self.window
        return value + page * self.window

    def path(self, ask: Ask, action: Action) -> tuple[int, ...]:
        """Return the numbers that, one after another, give this answer to the ask.

        Slots that a kind of action takes in any order are given in rising order. Raises ValueError for an action that
        the ask does not offer.
        """
        wanted, begun, numbers = ordered(action, ask.seat), NOTHING_BEGUN, []
        while True:
            number, begun = self._towards(ask, begun, wanted)
            numbers.append(number)
            is_whole = begun == NOTHING_BEGUN or finished(ask, begun) is not None
            if is_whole:
                return tuple(numbers)

    def _towards(self, ask: Ask, begun: Begun, wanted: Action) -> tuple[int, Begun]:
        """Return the number of the next step to this action, and what has begun then."""
        legal = self.legal(ask, begun)
        for number, move in legal.moves.items():
            if isinstance(move, (Begin, Then)):
                after = extended(ask, begun, move)
                if leads_to(after, wanted):
                    return number, after
            elif move == wanted:
                return number, NOTHING_BEGUN
        further = self._numbers.get(Further())
        if further is not None and further in legal.moves:
            return further, Begun(kind=begun.kind, chosen=begun.chosen, page=begun.page + 1)
        raise ValueError(f"seat {ask.seat} may not answer {wanted!r} to `{ask.decision}`")


def _keep(ask: Ask, what: object, legal: Legal) -> None:
    if len(ask.cache) < MOST_KEPT:
        ask.cache[what] = legal


def _after(ask: Ask, begun: Begun, move: Move) -> Action | Begun:
    if isinstance(move, Further):
        return replace(begun, page=begun.page + 1)
    if not isinstance(move, (Begin, Then)):
        return move
    after = extended(ask, begun, move)
    return finished(ask, after) or after


def _plain(move: Move) -> list[Any]:
    return [type(move).__name__, *asdict(move).values()]
