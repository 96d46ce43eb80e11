"""One object between a game and a policy: its codes, tensor, mask and numbers, from an `Env` or from a bot's lines.

    codec = Codec("six-card", 2)
    for line in sys.stdin:
        if codec.feed(line):  # a request
            number = policy(codec.tensor(), codec.mask())
            ...

The same codec trains and plays: at each decision the lines that a bot is sent give the same codes and the same mask as
the `Env` in which it was trained.
"""

from functools import lru_cache
from typing import Any, get_args, get_origin

import msgspec
from msgspec.structs import replace

from protocol.actions import Action, Pass
from protocol.cards import Card
from protocol.events import Event
from protocol.messages import Match, Request
from referee.research.arguments import default_seats, variant_for, whole, without_clock
from referee.research.codes import Codes
from referee.research.columns import Fields, fields_of
from referee.research.moves import NOTHING_BEGUN, Begun, Legal, Mask, Moves
from referee.research.tensors import Field, Ints, Tensor, Tensors
from referee.rules.check_options import BadOptions, seat_problem
from referee.rules.options import OPTIONS
from referee.rules.questions import Ask, IllegalAnswer
from referee.rules.variants import Variant, card_values, from_record

_EVENTS = {
    str(get_origin(kind).__struct_config__.tag if get_origin(kind) else kind.__struct_config__.tag)
    for kind in get_args(Event)
}
"""The names of all events. A later version of the protocol may have others, which mean nothing here."""


class Codec:
    """The numbers of a game at a table with so many seats.

    `preset` is a game of the rule book, `seats` how many play (None: as few as its rules advise, at least two), and
    `options` are those of RULES.md section 21. With `derived` the tensor has further fields: which cards are equal in
    rank to the pile's top, to the card in hand and to another card of their column, and the points of each column.

    Raises UnknownVariant and BadOptions (both ValueErrors) for games, options and numbers of seats that there are not.

    >>> codec = Codec("four-card", 3)
    >>> codec.size, codec.shape, codec.code_count
    (19, (286,), 43)
    """

    def __init__(self, preset: str, seats: int | None = None, *, derived: bool = False, **options: Any) -> None:
        variant = variant_for(preset, options)
        self._set_up(variant, default_seats(variant) if seats is None else whole("seats", seats), derived=derived)

    @classmethod
    def of(cls, variant: Variant, seats: int, *, derived: bool = False) -> "Codec":
        """Return the codec of a game that `referee.with_options` or `referee.preset` made."""
        codec = cls.__new__(cls)
        codec._set_up(variant, seats, derived=derived)
        return codec

    @classmethod
    def of_match(cls, line: str | bytes) -> "Codec":
        """Return the codec of the game that a line `match` begins, which it has read."""
        match = msgspec.json.decode(line, type=Match)
        codec = cls.of(_variant(match), match.seats)
        codec.feed(line)
        return codec

    def _set_up(self, variant: Variant, seats: int, *, derived: bool) -> None:
        if problem := seat_problem(variant, seats):
            raise BadOptions([problem])
        self.variant, self.seats, self.derived = variant, seats, derived
        self.moves, self.layout = _tables(variant.preset, msgspec.json.encode(variant.options), seats)
        """The numbered moves, and where each code stands."""
        self._tensors = Tensors(variant, self.layout, derived=derived)
        self.fields: tuple[Field, ...] = self._tensors.fields
        """Every field of the tensor, in its order."""
        self.shape: tuple[int] = (self.fields[-1].stop,)
        """The shape of the tensor."""
        self._codes: Codes | None = None
        self._seat = 0
        self._ask: Ask | None = None
        self._begun = NOTHING_BEGUN

    @property
    def size(self) -> int:
        """How many numbers moves have; they run from 0 to `size` - 1."""
        return len(self.moves)

    @property
    def code_count(self) -> int:
        """How many codes an observation has."""
        return self.layout.size

    @property
    def kinds(self) -> tuple[tuple[Card, ...], ...]:
        """The cards of each kind, in the order of the kinds in codes and tensors.

        >>> [cards[0] for cards in Codec("four-card").kinds][:3]
        ['AS', '2S', '3S']
        """
        kinds = self.layout.kinds
        return tuple(tuple(card for card in kinds if kinds[card] == kind) for kind in range(len(self.layout.of_kind)))

    # From a bot's lines

    def feed(self, line: str | bytes) -> bool:
        """Read a line of the referee; return whether it is a request, which must be answered.

        Raises ValueError for a match of another game, in words that say which one this codec is for.
        """
        message = msgspec.json.decode(line)
        if message["type"] == "match":
            self._begin(msgspec.convert(message, Match))
        elif message["type"] == "request":
            message["events"] = [event for event in message["events"] if event["event"] in _EVENTS]
            self._hear(msgspec.convert(message, Request))
            return True
        return False

    def _begin(self, match: Match) -> None:
        game = _variant(match)
        own, other = _told(self.variant), _told(game)
        if (self.variant.preset, self.seats, own) != (game.preset, match.seats, other):
            raise ValueError(
                f"this codec is for {self.variant.preset} with {self.seats} seats and {own}, "
                f"and the match is {game.preset} with {match.seats} seats and {other}"
            )
        self._codes = Codes(self.variant, self.layout, (match.seat,))
        self._seat = match.seat
        self._ask, self._begun = None, NOTHING_BEGUN

    def _hear(self, request: Request) -> None:
        codes = self._read()
        codes.follow(request.events)
        ask = Ask(seat=self._seat, decision=request.decision, offers=request.legal, fallback=Pass())
        self._ask = self.moves.within(ask, codes.layouts, codes.beyond) if self.layout.grows else ask
        self._begun = NOTHING_BEGUN
        codes.turn_of(ask)
        codes.decide(self._seat, ask)

    def _read(self) -> Codes:
        if self._codes is None:
            raise LookupError("no match has begun: feed the line `match` first")
        return self._codes

    def _asked(self) -> Ask:
        if self._ask is None:
            raise LookupError("nothing is asked: feed the line of a request first")
        return self._ask

    def codes(self) -> Ints:
        """Return the observation of the open decision as small integers, a copy."""
        return self._read().rows[self._seat].copy()

    def tensor(self) -> Tensor:
        """Return the same as a tensor (`one_hot`)."""
        return self.one_hot(self._read().rows[self._seat])

    def mask(self) -> Mask:
        """Return, by number, which moves are legal now: booleans of shape (size,)."""
        return self._legal().mask.copy()

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the legal moves in rising order."""
        return self._legal().numbers

    def _legal(self) -> Legal:
        return self.moves.legal(self._asked(), self._begun)

    def number(self, action: Action) -> int:
        """Return the number of the next step to this whole action. Raises ValueError where no number leads there."""
        try:
            return self.moves.towards(self._asked(), self._begun, action)
        except LookupError as error:
            raise IllegalAnswer(str(error)) from None

    def action(self, number: int) -> Action | None:
        """Make the move of this number: return the whole action, or None where it takes further steps.

        Codes and mask are then those of the next step. Raises ValueError for a number that is not legal now.
        """
        ask = self._asked()
        if number not in self._legal().keys:
            raise IllegalAnswer(f"number {number} is not legal; legal are {', '.join(map(str, self.numbers()))}")
        after = self.moves.after(ask, self._begun, int(number))
        self._begun = after if isinstance(after, Begun) else NOTHING_BEGUN
        self._read().decide(self._seat, ask, self._begun)
        return None if isinstance(after, Begun) else after

    def __getstate__(self) -> dict[str, Any]:
        return {"variant": self.variant, "seats": self.seats, "derived": self.derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_up(state["variant"], state["seats"], derived=state["derived"])  # without the match that it has read

    def one_hot(self, codes: Ints) -> Tensor:
        """Return codes as tensors: float32 from -1 to 1, of shape (..., shape[0]); any axes may come first."""
        return self._tensors.one_hot(codes)


def _variant(match: Match) -> Variant:
    variant = from_record(match.variant, {name: match.options[name] for name in OPTIONS if name in match.options})
    if card_values(variant) != match.values:
        variant = replace(variant, options=replace(variant.options, values=match.values))
    return without_clock(variant)


def _told(variant: Variant) -> dict[str, Any]:
    """The game's options with the points of all cards, but for those that say how slaps are timed."""
    options = {name: value for name, value in variant.own_options().items() if name not in _TIMES}
    return options | {"values": card_values(variant)}


_TIMES = ("slap_order", "photo_finish_us")


@lru_cache(32)
def _tables(preset: str, options: bytes, seats: int) -> tuple[Moves, Fields]:
    """The same for all codecs of a game. Legal moves are cached with each question by this object of moves."""
    variant = from_record(preset, msgspec.json.decode(options))
    return Moves(variant, seats), fields_of(variant, seats)
