"""One object between a game and a policy: its codes, tensor, mask and numbers, from an `Env` or from a bot's lines.

    codec = Codec("six-card", 2)
    for line in sys.stdin:
        if codec.feed(line):  # a request
            number = policy(codec.tensor(), codec.mask())
            ...

The same codec trains and plays: at each decision the lines that a bot is sent give the same codes and the same mask as
the `Env` in which it was trained.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any, get_args, get_origin

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from protocol.actions import Action, Pass
from protocol.cards import Card
from protocol.events import Event
from protocol.messages import Match, Request
from referee.research.arguments import default_seats, variant_for, whole, without_clock
from referee.research.codes import DECISIONS, KINDS, KNOWN, POWER_NAMES, UNKNOWN, Codes, Fields, fields_of
from referee.research.moves import NOTHING_BEGUN, Begun, Legal, Mask, Moves
from referee.rules.check_options import BadOptions, seat_problem
from referee.rules.options import OPTIONS
from referee.rules.questions import Ask, IllegalAnswer
from referee.rules.variants import Variant, card_values, from_record, size

LOW, HIGH = -1.0, 1.0
"""All values of a tensor lie between these; larger ones are cut off."""

Tensor = NDArray[np.float32]
Ints = NDArray[np.int32]

_EVENTS = {
    str(get_origin(kind).__struct_config__.tag if get_origin(kind) else kind.__struct_config__.tag)
    for kind in get_args(Event)
}
"""The names of all events. A later version of the protocol may have others, which mean nothing here."""


class Field(Struct, frozen=True, kw_only=True):
    """A part of the tensor: its name, where it begins, its shape, and what stands in it."""

    name: str
    start: int
    shape: tuple[int, ...]
    means: str

    @property
    def stop(self) -> int:
        """Where the next field begins."""
        return self.start + prod(self.shape)

    def of(self, tensor: Tensor) -> Tensor:
        """Return this field of a tensor in its shape; of several tensors at once, with their axes first."""
        return tensor[..., self.start : self.stop].reshape(*tensor.shape[:-1], *self.shape)


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
        self._points = np.zeros(len(self.layout.of_kind), np.float32)
        self._rank = np.zeros(len(self.layout.of_kind), np.intp)
        ranks: dict[str, int] = {}
        for card, kind in self.layout.kinds.items():
            self._points[kind] = variant.worth[card]
            self._rank[kind] = ranks.setdefault(card[:-1] if card[0] != "X" else "X", len(ranks))
        self._points /= max(1.0, float(np.abs(self._points).max()))
        self._cards = _table_of_cards(len(self.layout.of_kind))
        sample = self._parts(np.array(self.layout.blank, np.int32)[None])
        found: list[Field] = []
        for name, part, means in sample:
            found.append(Field(name=name, start=found[-1].stop if found else 0, shape=part.shape[1:], means=means))
        self.fields: tuple[Field, ...] = tuple(found)
        """Every field of the tensor, in its order."""
        self.shape: tuple[int] = (found[-1].stop,)
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
        self._ask = self.moves.within(ask, codes.beyond) if self.layout.grows else ask
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

    # The tensor

    def one_hot(self, codes: Ints) -> Tensor:
        """Return codes as tensors: float32 from -1 to 1, of shape (..., shape[0]); any axes may come first."""
        rows = codes.reshape(-1, codes.shape[-1])
        parts = [part.reshape(len(rows), -1) for _, part, _ in self._parts(rows)]
        tensor: Tensor = np.concatenate(parts, axis=1, dtype=np.float32)
        return tensor.reshape(*codes.shape[:-1], -1)

    def _parts(self, rows: Ints) -> Iterator[tuple[str, NDArray[Any], str]]:  # noqa: PLR0915 - a line for each field
        """Yield the fields: name, values by row, meaning."""
        layout, variant, seats = self.layout, self.variant, self.seats
        kinds, options = len(layout.of_kind), variant.options
        unit = 10.0 * size(variant)
        rounds = float(options.rounds or 9)
        slots = (seats, layout.places)

        def ints(name: str, *shape: int) -> NDArray[Any]:
            start = layout.at[name]
            return rows[:, start : start + prod(shape)].reshape(-1, *shape)

        def part(name: str, whole: float, *shape: int) -> NDArray[Any]:
            return _cut(ints(name, *(shape or (1,))) / np.float32(whole))

        def one_of(name: str, count: int, *shape: int) -> NDArray[Any]:
            equal: NDArray[Any] = ints(name, *(shape or (1,)))[..., None] == np.arange(1, count + 1)
            return equal

        cards = ints("cards", *slots)
        totals = ints("totals", seats).astype(np.float32)
        yield "one", np.ones((len(rows), 1), np.float32), "always 1"
        yield (
            "points",
            np.broadcast_to(self._points, (len(rows), kinds)),
            "what each kind of card counts, as a part of the dearest",
        )
        yield "decision", one_of("decision", len(DECISIONS))[:, 0], "1 at what this seat is asked and has not answered"
        yield "turn", one_of("turn", seats)[:, 0], "1 at whose turn it is"
        yield "dealer", one_of("dealer", seats)[:, 0], "1 at the dealer"
        yield "ender", one_of("ender", seats)[:, 0], "1 at the seat that has knocked or finished"
        yield "to_come", ints("to_come", seats), "in a final lap, 1 at the seats that have a turn after this one"
        yield "round", part("round", rounds), "the number of the round, as a part of all (of 9 where none are set)"
        turns = float((variant.turns_each or options.turn_cap) * seats)
        yield "turns", part("turns", turns), "the turns of this round that are over, as a part of the turn cap"
        yield "playoff", ints("playoff", 1), "1 in a playoff"
        limit = float(abs(options.limit or 0) or unit * rounds / 2)
        yield (
            "totals",
            _cut(totals / limit),
            "as a part of `limit`, or of 5 points a card of all rounds",
        )
        ahead = _cut((totals - totals[:, :1]) / unit)
        yield "ahead", ahead, "how many points more than this seat it has, in tens for each card of a layout"
        yield "stock", part("stock", sum(layout.of_kind)), "the cards in the stock, as a part of all cards"
        yield "pile", part("pile", sum(layout.of_kind)), "the cards in the pile, as a part of all cards"
        yield "top", one_of("top", kinds)[:, 0], "1 at the top card of the pile"
        yield "hand_of", one_of("hand_of", seats)[:, 0], "1 at the seat that has drawn a card and not placed it"
        yield "hand", one_of("hand", kinds)[:, 0], "1 at that card, if this seat knows it"
        unseen = ints("unseen", kinds) / np.array(layout.of_kind, np.float32)
        yield "unseen", unseen, "the part of the cards of each kind of which this seat does not know where they are"
        meaning = "1 if a card lies there; 1 if it lies face up; 1 if this seat knows it; 1 at its kind, if it is known"
        yield "cards", self._cards[cards], f"by seat and slot: {meaning}"
        if layout.is_hidden:
            knows = ints("knows", *slots)[..., None] >> np.arange(seats) & 1
            yield "knows", knows, "by seat and slot, for each seat 1 if anybody can tell that it knows the card"
            age = _cut((ints("now", 1, 1) - ints("shown", *slots)) / np.float32(20 * seats))
            age = np.where(cards >= KNOWN, np.maximum(age, 0), 0)
            yield "age", age, "of a known card, how many events ago it was shown last, as a part of 20 for each seat"
        if "aimed" in layout.at:
            yield "aimed", ints("aimed", *slots), "1 if the latest power, or its right slap, is aimed at the card"
        if layout.grows:
            yield "beyond", part("beyond", layout.places, seats), "the cards without a place, as a part of all places"
        if layout.has_steps:
            yield from self._begun_parts(part, one_of, ints)
        yield from self._own_parts(part, one_of, ints)
        if self.derived:
            yield from self._derived(cards, ints("top", 1), ints("hand", 1))

    def _begun_parts(self, part: Any, one_of: Any, ints: Any) -> Iterator[tuple[str, NDArray[Any], str]]:
        places = self.layout.places
        yield "chosen", part("chosen", places, self.seats, places), "its place in the choice that this seat has begun"
        yield "begun", one_of("begun", len(KINDS))[:, 0], "1 at the kind of action that this seat has begun"
        yield "begun_seat", one_of("begun_seat", self.seats)[:, 0], "1 at the seat that it has chosen in it"
        yield "begun_axis", ints("begun_axis", 1), "1 if it has chosen columns"
        yield "begun_card", part("begun_card", 3), "the card that it has chosen to keep, as a part of 3"
        yield "begun_line", part("begun_line", places), "the line that it has chosen first, as a part of all places"

    def _own_parts(self, part: Any, one_of: Any, ints: Any) -> Iterator[tuple[str, NDArray[Any], str]]:
        """The fields of some games."""
        seats, play, rows = self.seats, self.variant.play, self.variant.rows
        if play == "par":
            yield "rows", part("rows", 5), "the rows of the hole, as a part of 5"
            yield "strokes", ints("strokes", seats, rows), "by seat and row, 1 at those taken as strokes"
        if play == "powers":
            kinds, uses = len(self.layout.of_kind), self.variant.options.shield_uses
            yield "extra", one_of("extra", kinds, 2), "1 at each card that this seat has drawn by an 8 and not placed"
            yield "power", one_of("power", len(POWER_NAMES))[:, 0], "1 at the power announced last in this turn"
            used = ints("shield_uses", seats) / (float("inf") if uses == "unlimited" else float(uses))
            left = _cut((ints("shields", seats) - used) / 4)
            yield "shields", left, "how many shields, the part of one that is left included, as a part of 4"
        if play == "two_deck":
            latest = one_of("latest_row", rows, seats)
            yield "latest_row", latest, "by seat, 1 at the row in which it placed or turned a card last"

    def _derived(self, cards: Ints, top: Ints, hand: Ints) -> Iterator[tuple[str, NDArray[Any], str]]:
        """The fields that follow from the others, and that a small network does not find by itself."""
        count, columns = len(self.layout.of_kind), self.variant.columns
        is_known = cards >= KNOWN
        kind = np.where(is_known, (cards - KNOWN) % count, 0)
        rank = np.where(is_known, self._rank[kind], -1)
        for name, one in (("like_top", top), ("like_hand", hand)):
            of_one = np.where(one > 0, self._rank[np.maximum(one - 1, 0)], -2)
            yield (
                name,
                rank == of_one[:, :, None],
                f"1 at a known card with the rank of the {name[5:]}",
            )
        rest = -cards.shape[2] % columns
        grid = np.pad(rank, ((0, 0), (0, 0), (0, rest)), constant_values=-1).reshape(*rank.shape[:2], -1, columns)
        like = ((grid[..., :, None, :] == grid[..., None, :, :]).sum(axis=-2) > 1) & (grid >= 0)
        like = like.reshape(*rank.shape[:2], -1)[..., : cards.shape[2]]
        yield "like_column", like, "1 at a known card equal in rank to another known one of its column"
        points = np.where(is_known, self._points[kind], 0)
        points = np.pad(points, ((0, 0), (0, 0), (0, rest))).reshape(*rank.shape[:2], -1, columns)
        together = _cut(points.sum(axis=2))
        yield "column_points", together, "by seat and column, the points of the known cards, as a part of the dearest"


def _cut(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values with those beyond the bounds cut off; `np.clip` takes five times as long for one row."""
    cut: NDArray[Any] = np.minimum(np.maximum(values, LOW), HIGH)
    return cut


def _table_of_cards(kinds: int) -> Tensor:
    """For each code of a slot the numbers in the tensor: card, up, known, and the kind."""
    table = np.zeros((KNOWN + 2 * kinds, 3 + kinds), np.float32)
    table[UNKNOWN:, 0] = 1
    table[KNOWN + kinds :, 1] = 1
    table[KNOWN:, 2] = 1
    for up in range(2):
        table[KNOWN + up * kinds + np.arange(kinds), 3 + np.arange(kinds)] = 1
    return table


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
