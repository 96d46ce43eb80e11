"""One match as an environment: ask whose turn it is, what may be done, do it, and read what it was worth.

What a seat is told comes from `telling.py`, which moves have which numbers from `actions.py`.
"""

from __future__ import annotations  # so that help(Env) says Move, not all 40 kinds of it

import secrets
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from operator import sub
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec
import numpy as np
from msgspec.structs import replace

from protocol.actions import Action
from protocol.cards import Card
from protocol.messages import FromReferee
from protocol.offers import admits, in_words
from referee.research.actions import (
    ACTION_TYPES,
    NOTHING_BEGUN,
    Actions,
    Begin,
    Begun,
    Further,
    Legal,
    Mask,
    Move,
    Then,
)  # fmt: skip
from referee.research.asking import Asking
from referee.research.chance import Pack, Seeded, pack_of
from referee.research.fields import Field, Tensor
from referee.research.given import plain, seed_of, whole, wrong
from referee.research.resample import other_state, rewritten
from referee.research.telling import Telling
from referee.research.tensors import Tensors
from referee.rules.chance import Chance, Keyed
from referee.rules.check_options import NOT_OPTIONS, BadOptions, OptionProblem, seat_problem, with_options
from referee.rules.game import Game
from referee.rules.keyed_streams import bot_seed, seed_key
from referee.rules.match import MatchResult
from referee.rules.questions import Ask, IllegalAnswer
from referee.rules.variants import Variant, from_record, size

_NOTHING = Legal((), {}, np.zeros(0, np.bool_))

Reward = Literal["match", "rounds", "ranks"]
"""When rewards come, and for what."""

Deals = Literal["seeded", "keyed"]
"""How a seed is dealt: fast, or as the referee deals with the key of that seed (`referee.Game.from_seed`)."""


OF_A_MATCH = ("history", "begun", "seed")
"""What an environment has once a match has begun."""

KEPT_GAMES = 32
"""How many games, with options and seats, are kept for further environments."""


class Env:
    """A match of any game in which all seats move through this one object.

    `preset` is a game of the rule book, `seats` how many play (None: as few as its rules advise, at least two), and
    `options` are those of RULES.md section 21. Where a game has slaps that reaction times would order, the lot does:
    nobody's time is taken here. `reward` says what `rewards` tells, `deals` how a seed becomes cards (`reset`).

    Raises UnknownVariant and BadOptions (both ValueErrors) for games, options and numbers of seats that there are not,
    and ValueError for what can be none of them.

    >>> env = Env("four-card", seats=3, rounds=1)
    >>> env.reset(7)
    >>> env.seat, env.ask.decision, len(env.legal()), env.actions[0]
    (0, 'turn_up', 6, TurnUp(slots=(0, 1)))
    >>> while env.seat is not None:
    ...     env.step(env.numbers()[0])
    >>> env.result.totals, env.rewards()
    ((15, 16, 21), (0.0875, 0.05, -0.1375))

    An environment can be copied in the middle of a match (`clone`), and pickled: it is then played again along its
    `history`.
    """

    history: list[tuple[int, Action]]
    """The seat and the whole answer of every decision so far, in the order in which they were made."""

    begun: Begun
    """How far the seat that decides has come with an action that takes several steps."""

    seed: str
    """The seed of the match, also where none was given."""

    def __init__(
        self,
        preset: str,
        seats: int | None = None,
        *,
        reward: Reward = "match",
        deals: Deals = "seeded",
        **options: Any,
    ) -> None:
        variant = variant_for(preset, options)
        self._set_up(variant, default_seats(variant) if seats is None else whole("seats", seats), reward, deals)

    @classmethod
    def of(cls, variant: Variant, seats: int, *, reward: Reward = "match", deals: Deals = "seeded") -> Env:
        """Return an environment of a game that `referee.with_options` or `referee.preset` made."""
        env = cls.__new__(cls)
        env._set_up(without_clock(variant), seats, reward, deals)
        return env

    def __repr__(self) -> str:
        """Return the game, its seats and the round."""
        if self._asking is None:
            where = "no match"
        else:
            where = "the match is over" if self.seat is None else f"round {self.game.table.round}"
        return f"<{type(self).__name__} {self.variant.preset}, {self.seats} seats, {where}>"

    def sibling(self) -> Env:
        """Return another environment of the same game, with no match begun; numbered moves are shared."""
        env = self._shallow()
        env._asking = None
        for name in OF_A_MATCH:
            env.__dict__.pop(name, None)
        return env

    if not TYPE_CHECKING:  # the annotations above say what there is

        def __getattr__(self, name: str) -> Any:
            """Raise LookupError where no match has begun that could have this."""
            if name in OF_A_MATCH:
                return self._playing
            raise AttributeError(f"an Env has no `{name}`", name=name, obj=self)

    def _shallow(self) -> Env:
        """Another environment that shares everything with this one."""
        env = object.__new__(type(self))
        env.__dict__.update(self.__dict__)
        return env

    def _set_up(self, variant: Variant, seats: int, reward: str, deals: str) -> None:
        if problem := seat_problem(variant, seats):
            raise BadOptions([problem])
        self.variant, self.seats = variant, seats
        self.reward = _one_of("reward", reward, get_args(Reward))
        self.deals = _one_of("deals", deals, get_args(Deals))
        self.actions, self._tensors, self._pack = _tables(variant.preset, msgspec.json.encode(variant.options), seats)
        self._no_rewards = (0.0,) * seats
        self._asking: Asking | None = None

    def reset(self, seed: str | int | None = None) -> None:
        """Begin a new match. All its chance follows from the seed, on every machine; without one it is always other.

        With `deals` = "seeded" the cards come from a stream that is made for speed (chance.py), with "keyed" they are
        those of `referee.Game.from_seed`, as a referee deals them. 7 and "7" are the same seed. Raises ValueError for a
        seed that is neither a whole number from 0 on nor a text.
        """
        self.seed = secrets.token_hex(16) if seed is None else seed_of(seed)
        key = seed_key(self.seed)
        is_keyed = self.deals == "keyed"
        self._begin(Keyed(key, self.variant, self.seats) if is_keyed else Seeded(key, self._pack, self.seats), key)

    def _begin(self, chance: Chance, key: bytes) -> None:
        """Begin a match with this chance, in whose messages ids and seeds follow from the key."""
        self._chance, self._key = chance, key
        is_cloned = self._asking is not None and self._asking.game.keeps_turns
        self._asking = Asking(Game(self.variant, self.seats, chance), chance)
        self._asking.game.keeps_turns = is_cloned
        self._telling: Telling | None = None
        self.history, self.begun = [], NOTHING_BEGUN
        self._rewards = self._no_rewards

    # Other matches like this one

    def clone(self) -> Env:
        """Return an independent environment that stands as this one does, in the middle of anything.

        Its future chance is the same: where both make the same moves, the same happens. README.md in this folder says
        what it costs.
        """
        env = self._shallow()
        env._asking = self._playing.copy()
        env._telling = self._telling and self._telling.copy()
        env.history = list(self.history)
        return env

    def resample(self, seat: int, dice: Random | None = None) -> Env:
        """Return another environment that this seat cannot tell from this one, whoever is to move.

        It was sent the same lines, and the same seat decides. What it has not been shown is drawn anew, uniformly as
        README.md in this folder defines it, and so is all later chance; answers to the open question that only other
        seats know are asked for again. Earlier rounds stay. Equal dice give equal states.

        Raises TooRare where no such state was found in bounded time.
        """
        if not isinstance(dice, Random | None):
            raise wrong("dice", "a random.Random or None", dice)
        asking, viewer = self._playing, self._viewer(seat)
        other = other_state(asking.game, viewer, self.seat, Random() if dice is None else dice)  # noqa: S311
        env = self._shallow()
        env.seed, env._chance, env._telling = "", other.chance, None
        env._asking = Asking(other.game, other.chance)
        env.history = rewritten(self.history, asking.game, len(asking.given), other.responses)
        if self.seat != viewer:
            env.begun = NOTHING_BEGUN
        if viewer in asking.given:
            env._asking.given[viewer] = asking.given[viewer]
            env.history.append((viewer, asking.given[viewer]))
        if self.seat is not None:
            env._asking.turn_to(self.seat)
        return env

    def __getstate__(self) -> dict[str, Any]:
        names = ["variant", "seats", "reward", "deals"]
        if self._asking is not None:
            names += ["seed", "_chance", "_key", "history", "begun", "seat"]
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_up(state["variant"], state["seats"], state["reward"], state["deals"])
        if "history" not in state:
            return
        self.seed = state["seed"]
        self._begin(state["_chance"], state["_key"])
        for seat, action in state["history"]:
            self._playing.turn_to(seat)
            self.step(action)
        if state["seat"] is not None:
            self._playing.turn_to(state["seat"])
        self.begun = state["begun"]
        if self.begun != NOTHING_BEGUN:
            self._rewards = self._no_rewards

    # Where the match stands

    @property
    def game(self) -> Game:
        """The game that is played, with all that is hidden."""
        return self._playing.game

    @property
    def ask(self) -> Ask | None:
        """What the seat that decides is asked: its decision and offers; None when the match is over."""
        return self._playing.ask

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The asks of the open question that have no answer yet; the first of them is `ask`."""
        playing = self._playing
        if playing.ask is None or len(playing.asks) == 1:
            return playing.asks
        waiting = (ask for ask in playing.asks if ask.seat not in playing.given and ask is not playing.ask)
        return (playing.ask, *waiting)

    @property
    def seat(self) -> int | None:
        """The seat that decides now; None when the match is over."""
        ask = self._playing.ask
        return None if ask is None else ask.seat

    @property
    def result(self) -> MatchResult:
        """Totals, ranks and rounds by seat. Raises LookupError before the match is over."""
        return self.game.result

    @property
    def _playing(self) -> Asking:
        if self._asking is None:
            raise LookupError("no match has begun: call reset(seed) first")
        return self._asking

    # What a seat may do

    def legal(self) -> tuple[Move, ...]:
        """Return the moves of the seat that decides, one for each number that is legal; () when the match is over."""
        return tuple(self._legal().moves.values())

    def mask(self) -> Mask:
        """Return, by number, which moves are legal: booleans of shape (actions.size,)."""
        ask = self._playing.ask
        return np.zeros(self.actions.size, np.bool_) if ask is None else self.actions.legal(ask, self.begun).mask.copy()

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the legal moves in rising order."""
        return self._legal().numbers

    def move(self, number: int) -> Move:
        """Return the legal move of this number. Raises ValueError for a number that is not legal now."""
        legal, number = self._legal(), whole("number", number)
        if number not in legal.moves:
            raise self._illegal(self._in_words(number))
        return legal.moves[number]

    def number(self, move: Move) -> int:
        """Return the number of a legal move. Raises ValueError for one that is not legal now."""
        for number, legal in self._legal().moves.items():
            if legal == move:
                return number
        raise self._illegal(repr(move))

    def path(self, action: Action) -> tuple[int, ...]:
        """Return the numbers that give this whole action, one after another: one number for most actions."""
        ask = self._playing.ask
        if ask is None or self.begun != NOTHING_BEGUN or not _is_offered(ask, action):
            raise self._illegal(repr(action))
        return self.actions.path(ask, action)

    def _legal(self) -> Legal:
        ask = self._playing.ask
        return _NOTHING if ask is None else self.actions.legal(ask, self.begun)

    def step(self, move: Move | int) -> None:
        """Make a move of the seat that decides: a number, a move of `legal()`, or any action that is offered (`ask`).

        Raises IllegalAnswer (a ValueError) for everything else, and then nothing has changed. Its text names the seat,
        the decision, what was given, and what was legal. Nobody forfeits here.
        """
        ask = self._playing.ask
        if ask is None:
            raise self._illegal(repr(move))
        after: Action | Begun
        if isinstance(move, (Begin, Then, Further)):
            move = self.number(move)
        if isinstance(move, bool):
            raise self._illegal(repr(move))
        if isinstance(move, (int, np.integer)):
            try:
                after = self.actions.after(ask, self.begun, int(move))
            except LookupError:
                raise self._illegal(self._in_words(int(move))) from None
        elif self.begun.kind is not None or not _is_offered(ask, move):
            raise self._illegal(repr(move))
        else:
            after = move
        if isinstance(after, Begun):
            self.begun, self._rewards = after, self._no_rewards
        else:
            self._answer(ask, after)

    def _answer(self, ask: Ask, action: Action) -> None:
        playing = self._playing
        self.begun = NOTHING_BEGUN
        self.history.append((ask.seat, action))
        before = playing.game.table.totals
        playing.give(action)
        is_silent = playing.ask is not None and playing.game.table.totals is before
        self._rewards = self._no_rewards if is_silent else self._worth(before)

    def _in_words(self, number: int) -> str:
        """The number and what it stands for."""
        if not 0 <= number < self.actions.size or self.seat is None:
            return f"number {number} (there are 0 to {self.actions.size - 1})"
        return f"number {number} ({self.actions.expanded(number, self.seat, self.begun.page)})"

    def _illegal(self, what: str) -> IllegalAnswer:
        ask = self._playing.ask
        if ask is None:
            return IllegalAnswer(f"the match is over, {what} comes too late: call reset(seed) for another match")
        offered = ", or ".join(map(in_words, ask.offers))
        if self.begun.kind is not None:
            offered = f"{self.begun.kind} with {', or '.join(map(str, self.legal()))} next"
        return IllegalAnswer(f"seat {ask.seat} may not answer {what} to `{ask.decision}`, which offers {offered}")

    def mask_into(self, row: Mask) -> None:
        """Write what `mask` returns into a row of an array."""
        ask = self._playing.ask
        row[:] = False if ask is None else self.actions.legal(ask, self.begun).mask

    # What a seat knows, and what it gets

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the tensor in their order: name, first number, shape, meaning."""
        return self._tensors.fields

    @property
    def kinds(self) -> tuple[tuple[Card, ...], ...]:
        """The cards of each kind, in the order of the kinds in the tensor.

        >>> from protocol.cards import rank
        >>> [rank(cards[0]) for cards in Env("four-card").kinds][:3]
        ['A', '2', '3']
        """
        return self._tensors.cards_of_kinds

    @property
    def tensor_shape(self) -> tuple[int]:
        """The shape of the tensor: one axis."""
        return self._tensors.shape

    def encode(self, seat: int | None = None) -> Tensor:
        """Return what this seat (None: the one that decides) may know: float32 from -1 to 1, of shape `tensor_shape`.

        `fields` says what stands where. Seats are counted from the one that looks, so that the same policy fits all.
        What has happened since the last line to the seat is in it, too. Two states that the seat cannot tell apart
        have the same bytes.
        """
        row = np.empty(self._tensors.shape, np.float32)
        self.encode_into(row, seat)
        return row

    def encode_into(self, row: Tensor, seat: int | None = None) -> None:
        """Write what `encode` returns into a row of an array."""
        viewer = self._viewer(seat)
        ask = next((ask for ask in self.asks if ask.seat == viewer), None)
        begun = self.begun if viewer == self.seat else NOTHING_BEGUN
        self._tensors.encode(self.game.table, viewer, ask=ask, begun=begun, out=row)

    def observe(self, seat: int | None = None) -> tuple[FromReferee, ...]:
        """Return every message that a referee would have sent to this seat so far (None: the seat that decides).

        They are `hello`, `match`, a `request` for each of its decisions, the open one too, and in the end `end`, as
        protocol/README.md explains them; a request has all that has happened since the one before. Whoever reads no
        messages pays nothing for them.
        """
        return self._told().messages(self._viewer(seat))

    def lines(self, seat: int | None = None) -> tuple[bytes, ...]:
        """Return what `observe` returns as lines of the protocol: the bytes that a bot would have got."""
        return self._told().lines(self._viewer(seat))

    def _viewer(self, seat: int | None) -> int:
        viewer = self.seat if seat is None else whole("seat", seat)
        if viewer is None:
            raise ValueError("the match is over and nobody decides: name the seat")
        if not 0 <= viewer < self.seats:
            raise ValueError(f"there is no seat {viewer}; the seats are 0 to {self.seats - 1}")
        return viewer

    def _told(self) -> Telling:
        self._playing  # noqa: B018 - raises where no match has begun
        if self._telling is None:
            seeds = [bot_seed(self._key, 0, seat) for seat in range(self.seats)]
            id_key = sha256(b"golfref/research-id\0" + self._key).digest()[:16]
            self._telling = Telling(self.variant, chance=self._chance, id_key=id_key, seeds=seeds)
        self._telling.advance(self.history)
        return self._telling

    def rewards(self) -> tuple[float, ...]:
        """Return what the last step brought, by seat; more is better, and all seats together get 0.

        With `reward` = "match" all is told at the end: how many points less than the mean of the others a seat has, in
        layouts of tens (60 points in six-card golf). "rounds" tells the same after each round, and "ranks" in the end 1
        to the only first and -1 to the only last seat, evenly between, with ties at the mean of their places. A seat
        that plays alone gets its points, with a minus, or as a rank 0.
        """
        self._playing  # noqa: B018 - raises where no match has begun
        return self._rewards

    def _worth(self, before: list[int]) -> tuple[float, ...]:
        """What the latest answer brought to each seat; `before` has the totals that were there before it."""
        unit = 10 * size(self.variant)
        if self.reward == "rounds":
            after = self.game.table.totals
            return self._no_rewards if after is before else by_points([*map(sub, after, before)], unit)
        if self.seat is not None:
            return self._no_rewards
        return by_ranks(self.result.ranks) if self.reward == "ranks" else by_points(self.result.totals, unit)


@lru_cache(KEPT_GAMES)
def _tables(preset: str, options: bytes, seats: int) -> tuple[Actions, Tensors, Pack]:
    """What is the same in all environments of a game: its numbers, its tensors, its pack.

    Legal moves are kept with each question by these numbers; new ones for each environment would fill the memory.
    """
    variant = from_record(preset, msgspec.json.decode(options))
    return Actions(variant, seats), Tensors(variant, seats), pack_of(variant, seats)


def _is_offered(ask: Ask, action: Any) -> bool:
    """Whether this is an action, and one that the ask offers."""
    try:
        return type(action) in ACTION_TYPES and admits(ask.offers, action)
    except TypeError:  # a field holds what no action has there, such as a list
        return False


def by_points(points: Sequence[int], unit: float) -> tuple[float, ...]:
    """Return by how much each seat is below the mean of the others, in units; they add up to zero."""
    others = len(points) - 1
    if not others:
        return (-points[0] / unit,)
    whole = sum(points)
    return tuple(((whole - own) / others - own) / unit for own in points)


def by_ranks(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return 1 for the only first, -1 for the only last, and evenly between; shared ranks share what they span."""
    others = len(ranks) - 1
    if not others:
        return (0.0,)
    return tuple(float(sum((other > own) - (other < own) for other in ranks)) / others for own in ranks)


def variant_for(preset: str, options: dict[str, Any]) -> Variant:
    """Return the game with these options, its slaps ordered without a clock."""
    if not isinstance(preset, str):
        raise wrong("preset", 'the name of a game, such as "six-card"', preset)
    problems = [OptionProblem(name, _no_option(name)) for name in options if name in NOT_OPTIONS]
    if options.get("slap_order") == "reaction":
        problems.append(OptionProblem("slap_order", 'nobody\'s time is taken here; expected "lottery" or "clockwise"'))
    if problems:
        raise BadOptions(problems)
    return without_clock(with_options(preset, {name: plain(value) for name, value in options.items()}))


def without_clock(variant: Variant) -> Variant:
    """Return the game with slaps that the lot orders where reaction times would."""
    options = variant.options
    if options.slap_order != "reaction" or not (variant.has("slaps") and options.slaps):
        return variant
    return replace(variant, options=replace(options, slap_order="lottery"))


def default_seats(variant: Variant) -> int:
    """Return the fewest seats that can play and that the rules advise, at least two."""
    return max(2, variant.seats[0], variant.advised_from)


def _no_option(name: str) -> str:
    if name == "seed":
        return "is no option: give it to reset(seed)"
    if name in ("variant", "preset", "seats", "bots"):
        return "is no option: the game and its number of seats come first, as in Env('six-card', 2)"
    return "is no option here: nobody's time is taken"


def _one_of(name: str, given: str, allowed: tuple[str, ...]) -> str:
    if given in allowed:
        return given
    expected = ", ".join(f'"{one}"' for one in allowed[:-1])
    raise wrong(name, f'{expected} or "{allowed[-1]}"', given)
