"""One match as an environment: ask whose turn it is, what may be done, do it, and read what it was worth.

Messages come from `messages.py`, the numbers of moves from `moves.py`, codes and tensors from `codec.py`.
"""

from __future__ import annotations  # so that help(Env) says Move, not all 40 kinds of it

import secrets
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from operator import sub
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from protocol.actions import Action
from protocol.events import Round
from protocol.messages import FromReferee
from protocol.offers import admits, in_words
from referee.research.arguments import default_seats, seed_of, variant_for, whole, without_clock, wrong
from referee.research.chance import Seeded, pack_of
from referee.research.codec import Codec
from referee.research.codes import Codes
from referee.research.messages import Messages
from referee.research.moves import ACTION_TYPES, NOTHING_BEGUN, Begun, Legal, Mask, Move
from referee.research.resample import other_state, rewritten
from referee.research.serial import Serial
from referee.research.tensors import Ints, Tensor
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.keyed_streams import bot_seed, seed_key
from referee.rules.match import MatchResult
from referee.rules.questions import Ask, IllegalAnswer
from referee.rules.variants import Variant, size

Reward = Literal["match", "rounds", "ranks"]
"""When rewards come, and for what."""

OF_A_MATCH = ("history", "begun", "seed")
"""The attributes of an environment in which a match has begun."""


class Env:
    """A match of any game in which all seats move through this one object.

    `preset` is a game of the rule book, `seats` how many play (None: as few as its rules advise, at least two), and
    `options` are those of RULES.md section 21. Where a game has slaps that reaction times would order, the lot does:
    nobody's time is taken here. `reward` says what `rewards` tells.

    Raises UnknownVariant and BadOptions (both ValueErrors) for games, options and numbers of seats that there are not,
    and ValueError for what can be none of them.

    >>> env = Env("four-card", seats=3, rounds=1)
    >>> env.reset(7)
    >>> env.seat, env.ask.decision, len(env.numbers()), env.move(0)
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

    _asked: Ask
    """The open question without the cards that have no place; set together with `_now`."""

    def __init__(
        self,
        preset: str,
        seats: int | None = None,
        *,
        reward: Reward = "match",
        derived: bool = False,
        **options: Any,
    ) -> None:
        variant = variant_for(preset, options)
        count = default_seats(variant) if seats is None else whole("seats", seats)
        self._set_up(Codec.of(variant, count, derived=derived), reward)

    @classmethod
    def of(cls, variant: Variant, seats: int, *, reward: Reward = "match") -> Env:
        """Return an environment of a game that `referee.with_options` or `referee.preset` made."""
        env = cls.__new__(cls)
        env._set_up(Codec.of(without_clock(variant), seats), reward)
        return env

    def __repr__(self) -> str:
        """Return the game, its seats and the round."""
        if self._serial is None:
            where = "no match"
        else:
            where = "the match is over" if self.seat is None else f"round {self.game.table.round}"
        return f"<{type(self).__name__} {self.variant.preset}, {self.seats} seats, {where}>"

    def sibling(self) -> Env:
        """Return another environment of the same game, with no match begun; the codec is shared."""
        env = self._shallow()
        env._serial = env._codes = env._now = None
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

    def _set_up(self, codec: Codec, reward: str) -> None:
        self.codec = codec
        """The numbers of the game: moves, codes, fields of the tensor."""
        self.variant, self.seats, self._moves = codec.variant, codec.seats, codec.moves
        if reward not in get_args(Reward):
            raise wrong("reward", '"match", "rounds" or "ranks"', reward)
        self.reward = reward
        self._pack = pack_of(self.variant, self.seats)
        self.no_rewards = (0.0,) * self.seats
        """What a step brings that brings nothing to anybody."""
        self._serial: Serial | None = None
        self._codes: Codes | None = None
        self._now: Legal | None = None
        """The legal moves of the open decision, once somebody has asked for them."""

    def reset(self, seed: str | int | None = None) -> None:
        """Begin a new match. All its chance follows from the seed, on every machine; without one it is always other.

        The cards come from a stream that is made for speed (chance.py); a referee deals others from the same seed. 7
        and "7" are the same seed. Raises ValueError for a seed that is neither a whole number from 0 on nor a text.
        """
        self.seed = secrets.token_hex(16) if seed is None else seed_of(seed)
        key = seed_key(self.seed)
        self._begin(Seeded(key, self._pack, self.seats), key)

    def _begin(self, chance: Chance, key: bytes) -> None:
        """Begin a match with this chance, in whose messages ids and seeds follow from the key."""
        self._chance, self._key = chance, key
        is_cloned = self._serial is not None and self._serial.game.keeps_turns
        self._serial = Serial(Game(self.variant, self.seats, chance), chance)
        self._serial.game.keeps_turns = is_cloned
        self._messages: Messages | None = None
        if self._codes is not None:
            self._codes.followed = 0
        self.history, self.begun = [], NOTHING_BEGUN
        self._rewards = self.no_rewards
        self._now = None

    # Other matches like this one

    def clone(self) -> Env:
        """Return an independent environment that stands as this one does, in the middle of anything.

        Its future chance is the same: where both make the same moves, the same happens. README.md in this folder says
        what it costs.
        """
        env = self._shallow()
        env._serial = self._playing.copy()
        env._messages = self._messages and self._messages.copy()
        env._codes = self._codes and self._codes.copy()
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
        serial, viewer = self._playing, self._viewer(seat)
        other = other_state(serial.game, viewer, self.seat, Random() if dice is None else dice)  # noqa: S311
        env = self._shallow()
        env.seed, env._chance, env._messages, env._codes = "", other.chance, None, None
        env._serial, env._now = Serial(other.game, other.chance), None
        env.history = rewritten(self.history, serial.game, len(serial.given), other.responses)
        if self.seat != viewer:
            env.begun = NOTHING_BEGUN
        if viewer in serial.given:
            env._serial.given[viewer] = serial.given[viewer]
            env.history.append((viewer, serial.given[viewer]))
        if self.seat is not None:
            env._serial.turn_to(self.seat)
        return env

    def __getstate__(self) -> dict[str, Any]:
        names = ["codec", "reward"]
        if self._serial is not None:
            names += ["seed", "_chance", "_key", "history", "begun", "seat", "_rewards"]
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_up(state["codec"], state["reward"])
        if "history" not in state:
            return
        self.seed = state["seed"]
        self._begin(state["_chance"], state["_key"])
        for seat, action in state["history"]:
            self._playing.turn_to(seat)
            self.step(action)
        if state["seat"] is not None:
            self._playing.turn_to(state["seat"])
        self.begun, self._rewards, self._now = state["begun"], state["_rewards"], None

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
        ask = (self._serial or self._playing).ask
        return None if ask is None else ask.seat

    @property
    def result(self) -> MatchResult:
        """Totals, ranks and rounds by seat. Raises LookupError before the match is over."""
        return self.game.result

    @property
    def _playing(self) -> Serial:
        if self._serial is None:
            raise LookupError("no match has begun: call reset(seed) first")
        return self._serial

    # What a seat may do

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the legal moves in rising order; () when the match is over."""
        legal = self._now or self._legal()
        return legal.numbers if legal else ()

    def mask(self) -> Mask:
        """Return, by number, which moves are legal: booleans of shape (codec.size,)."""
        legal = self._now or self._legal()
        return legal.mask.copy() if legal else np.zeros(self.codec.size, np.bool_)

    @property
    def legal_mask(self) -> Mask:
        """The mask of the open decision as it is cached with the question: it cannot be written to."""
        legal = self._now or self._legal()
        if legal is None:
            raise LookupError("the match is over")
        return legal.mask

    def move(self, number: int) -> Move:
        """Return the legal move of this number. Raises ValueError for a number that is not legal now."""
        number = whole("number", number)
        if number not in self.numbers():
            raise self._illegal(self._in_words(number))
        return self._moves.move(self._asked, self.begun, number)

    def number(self, action: Action) -> int:
        """Return the number of the next step to this whole action: of most actions the only one.

        Raises ValueError for an action that is not offered, or that takes a card without a place.
        """
        if (self._now or self._legal()) and _is_offered(self._playing.ask, action):
            with suppress(LookupError):
                return self._moves.towards(self._asked, self.begun, action)
        raise self._illegal(repr(action))

    def _legal(self) -> Legal | None:
        """The legal moves; None when the match is over."""
        ask = (self._serial or self._playing).ask
        if ask is None:
            return None
        if self.codec.layout.grows:
            ask = self._moves.within(ask, self.game.table.layouts, self._beyond)
        self._asked = ask
        self._now = self._moves.legal(ask, self.begun)
        return self._now

    def _beyond(self) -> dict[tuple[int, int], int]:
        return self._track().beyond()

    def step(self, move: Action | int) -> None:
        """Make a move of the seat that decides: a number, or any action that is offered (`ask`).

        Raises IllegalAnswer (a ValueError) for everything else, and then nothing has changed. Its text names the seat,
        the decision, what was given, and what was legal. Nobody forfeits here.
        """
        legal = self._now or self._legal()
        if legal is None:
            raise self._illegal(repr(move))
        if isinstance(move, (int, np.integer)) and not isinstance(move, bool):
            after = legal.after.get(move) or self._after(int(move))
            if isinstance(after, Begun):
                self.begun, self._rewards, self._now = after, self.no_rewards, None
            else:
                self._answer(after)
        elif self.begun.kind is None and not isinstance(move, (bool, int)) and _is_offered(self._playing.ask, move):
            self._answer(move)
        else:
            raise self._illegal(repr(move))

    def _after(self, number: int) -> Action | Begun:
        try:
            return self._moves.after(self._asked, self.begun, number)
        except LookupError:
            raise self._illegal(self._in_words(number)) from None

    def _answer(self, action: Action) -> None:
        serial = self._serial or self._playing
        if serial.ask is None:
            raise self._illegal(repr(action))
        self.begun, self._now = NOTHING_BEGUN, None
        self.history.append((serial.ask.seat, action))
        table = serial.game.table
        before = table.totals
        serial.give(action)
        is_silent = serial.ask is not None and table.totals is before
        self._rewards = self.no_rewards if is_silent else self._worth(before)

    def _in_words(self, number: int) -> str:
        """The number and its meaning."""
        if not 0 <= number < self.codec.size or self.seat is None:
            return f"number {number} (there are 0 to {self.codec.size - 1})"
        return f"number {number} ({self._moves.of_seat(number, self.seat)})"

    def _illegal(self, what: str) -> IllegalAnswer:
        ask = self._playing.ask
        if ask is None:
            return IllegalAnswer(f"the match is over, {what} comes too late: call reset(seed) for another match")
        offered = ", or ".join(map(in_words, ask.offers))
        if self.begun.kind is not None:
            offered = f"{self.begun.kind} with {', or '.join(str(self.move(number)) for number in self.numbers())} next"
        return IllegalAnswer(f"seat {ask.seat} may not answer {what} to `{ask.decision}`, which offers {offered}")

    # What a seat knows, and what it gets

    def codes(self, seat: int | None = None) -> Ints:
        """Return what this seat (None: the one that decides) may know, as small integers: int32 of (codec.code_count,).

        Seats are counted from the one that looks, so that the same policy fits all. Two states that the seat cannot
        tell apart have the same codes.
        """
        return self.kept_codes(seat).copy()

    def codes_of_all(self) -> Ints:
        """Return the codes of all seats, as an array of shape (seats, codec.code_count)."""
        for seat in range(self.seats):
            self.kept_codes(seat)
        return np.array(self._track().codes, np.int32).reshape(self.seats, -1)

    def kept_codes(self, seat: int | None = None) -> Ints:
        """Return the same as the array that is kept for the seat: the next call or step writes into it."""
        codes, ask = self._track(), (self._serial or self._playing).ask
        viewer = ask.seat if seat is None and ask is not None else self._viewer(seat)
        if ask is None or ask.seat == viewer:
            codes.decide(viewer, ask, self.begun)
        else:
            codes.decide(viewer, next((one for one in self.asks if one.seat == viewer), None))
        return codes.rows[viewer]

    def write(self, row: int, masks: memoryview, codes: memoryview | None) -> int:
        """Write the mask and the codes of the open decision into a row of these arrays; return the seat."""
        ask, legal = (self._serial or self._playing).ask, self._now or self._legal()
        if ask is None or legal is None:
            raise LookupError("the match is over")
        start = row * len(legal.bits)
        masks[start : start + len(legal.bits)] = legal.bits
        if codes is not None:
            kept, count = self._track(), self.codec.layout.size
            kept.decide(ask.seat, ask, self.begun)
            codes[row * count : (row + 1) * count] = kept.codes[ask.seat * count : (ask.seat + 1) * count]
        return ask.seat

    def _track(self) -> Codes:
        """The codes of all seats as they are now."""
        serial = self._serial or self._playing
        codes, happened = self._codes, serial.game.table.events
        if codes is None:
            codes = self._codes = Codes(self.variant, self.codec.layout, range(self.seats))
            rounds = (number for number in reversed(range(len(happened))) if type(happened[number]) is Round)
            codes.followed = next(rounds, 0)
        if codes.followed < len(happened):
            codes.follow(happened[codes.followed :])
        if serial.ask is not None:
            codes.turn_of(serial.ask)
        return codes

    def tensor(self, seat: int | None = None) -> Tensor:
        """Return the codes of the seat as a tensor: float32 from -1 to 1, of shape `codec.shape` (`Codec.one_hot`)."""
        return self.codec.one_hot(self.kept_codes(seat))

    def observe(self, seat: int | None = None) -> tuple[FromReferee, ...]:
        """Return every message that a referee would have sent to this seat so far (None: the seat that decides).

        They are `hello`, `match`, a `request` for each of its decisions, the open one too, and in the end `end`, as
        protocol/README.md explains them; a request has all that has happened since the one before. Whoever reads no
        messages pays nothing for them.
        """
        return self._sent().messages(self._viewer(seat))

    def lines(self, seat: int | None = None) -> tuple[bytes, ...]:
        """Return what `observe` returns as lines of the protocol: the bytes that a bot would have got."""
        return self._sent().lines(self._viewer(seat))

    def _viewer(self, seat: int | None) -> int:
        viewer = self.seat if seat is None else whole("seat", seat)
        if viewer is None:
            raise ValueError("the match is over and nobody decides: name the seat")
        if not 0 <= viewer < self.seats:
            raise ValueError(f"there is no seat {viewer}; the seats are 0 to {self.seats - 1}")
        return viewer

    def _sent(self) -> Messages:
        self._playing  # noqa: B018 - raises where no match has begun
        if self._messages is None:
            seeds = [bot_seed(self._key, 0, seat) for seat in range(self.seats)]
            id_key = sha256(b"golfref/research-id\0" + self._key).digest()[:16]
            self._messages = Messages(self.variant, chance=self._chance, id_key=id_key, seeds=seeds)
        self._messages.advance(self.history)
        return self._messages

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
            return self.no_rewards if after is before else by_points([*map(sub, after, before)], unit)
        if self.seat is not None:
            return self.no_rewards
        return by_ranks(self.result.ranks) if self.reward == "ranks" else by_points(self.result.totals, unit)


def _is_offered(ask: Ask | None, action: Any) -> bool:
    """Whether this is an action, and one that the ask offers."""
    try:
        return ask is not None and type(action) in ACTION_TYPES and admits(ask.offers, action)
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
