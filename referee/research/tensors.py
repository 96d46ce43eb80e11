"""Tensors of codes: each value is 1 at a place that a code names, or a number that one or two codes give.

Places and factors are precomputed for all codes of a game, so that a tensor takes a few operations in numpy.
"""

from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.research.columns import KNOWN, UNKNOWN, Column, Fields
from referee.rules.variants import Variant, size

LOW, HIGH = -1.0, 1.0
"""All values of a tensor lie between these; larger ones are cut off."""

Tensor = NDArray[np.float32]
Ints = NDArray[np.int32]


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


class _Number(Struct, frozen=True):
    """A value that is a sum of codes, cut off: its place, a code and its factor, and perhaps a second one."""

    place: int
    code: int
    factor: float
    other: int = 0
    other_factor: float = 0.0
    times: int = 0
    """The place of a value that multiplies it; place 0 is always 1."""


class Tensors:
    """Makes tensors of the codes of one game."""

    def __init__(self, variant: Variant, layout: Fields, *, derived: bool) -> None:
        """Lay out the fields: a constant, the points of the cards, one for each column, and those that follow."""
        self._layout, self._columns, self._derived = layout, variant.columns, derived
        self._fields: list[Field] = []
        self._chosen: list[tuple[int, int]] = []
        """For each choice its code, and the place before that of its first value."""
        self._numbers: list[_Number] = []
        count, seats = len(layout.of_kind), layout.seats
        self._points, self._rank = _points_and_ranks(variant, layout)
        self._tables = {"cards": _table_of_cards(count)}
        """By column the values for each code."""
        self._seats = np.arange(seats)
        self._field("one", (1,), "always 1")
        points = self._field("points", (count,), "the points of each kind of card, as a part of the dearest")
        for column in layout.columns:
            self._add(column)
        ahead = self._field("ahead", (seats,), "the points more than this seat, in tens for each card of a layout")
        totals, factor = layout.at["totals"], 0.1 / size(variant)
        self._numbers += [_Number(ahead.start + seat, totals + seat, factor, totals, -factor) for seat in range(seats)]
        if derived:
            slots = seats, layout.places
            self._field("like_top", slots, "1 at a known card with the rank of the pile's top")
            self._field("like_hand", slots, "1 at a known card with the rank of the card in hand")
            self._field("like_column", slots, "1 at a known card equal in rank to another known one of its column")
            means = "by seat and column, the points of the known cards, as a part of the dearest"
            self._field("column_points", (seats, variant.columns), means)
        self.fields = tuple(self._fields)
        self._at = {field.name: field for field in self.fields}
        self._blank = np.zeros(self.fields[-1].stop, np.float32)
        self._blank[0] = 1.0
        self._blank[points.start : points.stop] = self._points
        self._choices, self._before = np.array(self._chosen).T
        self._compile_numbers()

    def _field(self, name: str, shape: tuple[int, ...], means: str) -> Field:
        """Add a field after the others."""
        start = self._fields[-1].stop if self._fields else 0
        self._fields.append(Field(name=name, start=start, shape=shape, means=means))
        return self._fields[-1]

    def _add(self, column: Column) -> None:
        """Add the field of a column, and note how its values are made."""
        layout, most = self._layout, column.most
        at, kinds = layout.at, len(layout.of_kind)
        if not column.becomes:
            return
        shape = column.shape
        if column.becomes in ("one_of", "card", "seats"):
            width = {"card": 3 + kinds, "seats": layout.seats}.get(column.becomes) or int(most)
            shape = (width,) if shape == (1,) else (*shape, width)
        first = self._field(column.name, shape, column.means).start
        for number in range(column.count):
            place, code = first + number, at[column.name] + number
            match column.becomes:
                case "one_of":
                    self._chosen.append((code, first + number * int(most) - 1))
                case "part":
                    whole = layout.of_kind[number] if column.name == "unseen" else most
                    self._numbers.append(_Number(place, code, 1 / whole))
                case "age":
                    cards = next(field for field in self._fields if field.name == "cards").start
                    known = cards + number * (3 + kinds) + 2
                    self._numbers.append(_Number(place, at["now"], 1 / most, code, -1 / most, known))
                case "left":
                    self._numbers.append(_Number(place, code, 0.25, at["shield_uses"] + number, -0.25 / most))

    def _compile_numbers(self) -> None:
        """Put places and factors into arrays; the sums of two codes come last."""
        numbers = sorted(self._numbers, key=lambda number: number.other_factor != 0)
        sums = [number for number in numbers if number.other_factor]
        self._first_sum = len(numbers) - len(sums)
        self._places = np.array([number.place for number in numbers])
        self._codes = np.array([number.code for number in numbers])
        self._factors = np.array([number.factor for number in numbers])
        self._others = np.array([number.other for number in sums])
        self._other_factors = np.array([number.other_factor for number in sums])
        self._times = np.array([number.times for number in sums])

    def one_hot(self, codes: Ints) -> Tensor:
        """Return codes as tensors: float32 from -1 to 1, of shape (..., length); any axes may come first."""
        rows = codes.reshape(-1, codes.shape[-1])
        tensor = np.empty((len(rows), len(self._blank)), np.float32)
        tensor[:] = self._blank
        chosen = rows.take(self._choices, axis=1)
        places = (chosen + self._before) * (chosen > 0)  # nothing chosen: place 0, which is 1 anyway
        if len(rows) > 1:
            places += (np.arange(len(rows)) * len(self._blank))[:, None]
        tensor.put(places, 1.0)
        for name, table in self._tables.items():
            self._put(tensor, name, table.take(self._codes_of(rows, name), axis=0))
        if self._layout.is_hidden:
            self._put(tensor, "knows", self._codes_of(rows, "knows")[..., None] >> self._seats & 1)
        numbers = rows.take(self._codes, axis=1) * self._factors
        sums = numbers[:, self._first_sum :]
        sums += rows.take(self._others, axis=1) * self._other_factors
        np.minimum(np.maximum(numbers, LOW, out=numbers), HIGH, out=numbers)
        sums *= tensor.take(self._times, axis=1)
        tensor[:, self._places] = numbers
        if self._derived:
            self._put_derived(tensor, rows)
        return tensor.reshape(*codes.shape[:-1], -1)

    def _codes_of(self, rows: Ints, name: str) -> Ints:
        """Return the codes that each slot has one of, by row, seat and slot."""
        start, slots = self._layout.at[name], (self._layout.seats, self._layout.places)
        return rows[:, start : start + prod(slots)].reshape(-1, *slots)

    def _put(self, tensor: Tensor, name: str, values: NDArray[Any]) -> None:
        field = self._at[name]
        tensor[:, field.start : field.stop] = values.reshape(len(tensor), -1)

    def _put_derived(self, tensor: Tensor, rows: Ints) -> None:
        """Write what follows from the other fields, and a small network does not find by itself."""
        layout, count = self._layout, len(self._layout.of_kind)
        cards = self._codes_of(rows, "cards")
        is_known = cards >= KNOWN
        kinds = np.where(is_known, (cards - KNOWN) % count, 0)
        ranks = np.where(is_known, self._rank[kinds], -1)
        for name in ("top", "hand"):
            one = rows[:, layout.at[name]]
            rank = np.where(one > 0, self._rank[one - 1], -2)
            self._put(tensor, f"like_{name}", ranks == rank[:, None, None])
        grid = self._in_columns(ranks, -1)
        is_like = ((grid[..., :, None, :] == grid[..., None, :, :]).sum(axis=-2) > 1) & (grid >= 0)
        self._put(tensor, "like_column", is_like.reshape(*ranks.shape[:2], -1)[..., : layout.places])
        points = self._in_columns(np.where(is_known, self._points[kinds], 0), 0)
        self._put(tensor, "column_points", points.sum(axis=2).clip(LOW, HIGH))

    def _in_columns(self, values: NDArray[Any], nothing: int) -> NDArray[Any]:
        """Return values by slot as those by row and column of each layout."""
        rest = -values.shape[2] % self._columns
        padded = np.pad(values, ((0, 0), (0, 0), (0, rest)), constant_values=nothing)
        return padded.reshape(*values.shape[:2], -1, self._columns)


def _points_and_ranks(variant: Variant, layout: Fields) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return for each kind its points, as a part of the dearest, and a number that is equal for equal ranks."""
    points, numbers = np.zeros(len(layout.of_kind), np.float32), np.zeros(len(layout.of_kind), np.intp)
    ranks: dict[str, int] = {}
    for card, kind in layout.kinds.items():
        points[kind] = variant.worth[card]
        numbers[kind] = ranks.setdefault(card[:-1] if card[0] != "X" else "X", len(ranks))
    return points / max(1.0, float(np.abs(points).max())), numbers


def _table_of_cards(kinds: int) -> Tensor:
    """For each code of a slot the numbers in the tensor: card, up, known, and the kind."""
    table = np.zeros((KNOWN + 2 * kinds, 3 + kinds), np.float32)
    table[UNKNOWN:, 0] = 1
    table[KNOWN + kinds :, 1] = 1
    table[KNOWN:, 2] = 1
    for up in range(2):
        table[KNOWN + up * kinds + np.arange(kinds), 3 + np.arange(kinds)] = 1
    return table
