"""The scoring engine (RULES.md section 6): what one layout scores at showdown, rule by rule in the book's order.

It sees a layout's cards and the options. Who knocked, the other seats and the totals are knocker.py and match.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from protocol.cards import JOKER, RANKS, Card, rank
from referee.rules.options import Lines, Options
from referee.rules.values import value, value_table
from referee.rules.variants import Variant

Group = tuple[int, ...]
"""Slots, numbered row by row, whose cards cancel when they are all equal."""

_ONE_EYED = frozenset({"JS", "JH"})

_STEPS = {"col": ((1, 0),), "row": ((0, 1),), "diag": ((1, 1), (1, -1))}
"""Direction -> the steps (down, right) from a card to its next neighbours that way."""


def raw_score(variant: Variant, layout: Sequence[Sequence[Card | None]]) -> int:
    """A layout's raw score (SCO-12, CAC-40), from its rows; None is an empty slot.

    The grid must be rectangular where an option makes cards cancel.
    """
    options = variant.options
    table = value_table(variant)
    cards = [card for row in layout for card in row]
    points = [0 if card is None else value(table, card) for card in cards]
    if not (options.cancel or options.cancel_pairs):
        return sum(points)
    rows, columns = len(layout), len(layout[0])
    groups = _lines(rows, columns, options.cancel) + _neighbours(rows, columns, options.cancel_pairs)
    cancelled = max(_cancelled_points(points, ranks, groups) for ranks in _readings(options, cards))
    pairs = _joker_pairs(options, cards, _neighbours(rows, columns, options.cancel + options.cancel_pairs))
    paired = sum(int(options.joker_pair) - points[first] - points[second] for first, second in pairs)
    return sum(points) - cancelled + paired


def has_four_of_a_kind(cards: Iterable[Card | None]) -> bool:
    """SCO-11: whether four or more of a layout's cards share a rank; jokers do not count, None is an empty slot."""
    ranks = Counter(rank(card) for card in cards if card is not None)
    del ranks[JOKER]
    return max(ranks.values(), default=0) >= 4


@cache
def _lines(rows: int, columns: int, directions: Lines) -> tuple[Group, ...]:
    """SCO-04 `cancel`: complete columns, rows and, on square grids, the two main diagonals."""
    size = rows * columns
    lines: list[Group] = []
    if "col" in directions:
        lines += [tuple(range(column, size, columns)) for column in range(columns)]
    if "row" in directions:
        lines += [tuple(range(start, start + columns)) for start in range(0, size, columns)]
    if "diag" in directions and rows == columns:
        lines += [tuple(range(0, size, columns + 1)), tuple(range(columns - 1, size - 1, columns - 1))]
    return tuple(lines)


@cache
def _neighbours(rows: int, columns: int, directions: Lines) -> tuple[Group, ...]:
    """SCO-04 `cancel_pairs`: every two cards that are next to each other in one of the directions."""
    return tuple(
        (row * columns + column, (row + down) * columns + column + right)
        for direction in sorted(set(directions))
        for down, right in _STEPS[direction]
        for row in range(rows - down)
        for column in range(columns)
        if 0 <= column + right < columns
    )


def _cancelled_points(points: Sequence[int], ranks: Sequence[str | None], groups: Iterable[Group]) -> int:
    """SCO-03: what the cards of all groups of equal ranks would count; a rank of None is in no group."""
    cancelled: set[int] = set()
    for group in groups:
        first = ranks[group[0]]
        if first is not None and all(ranks[slot] == first for slot in group):
            cancelled.update(group)
    return sum(points[slot] for slot in cancelled)


def _readings(options: Options, cards: Sequence[Card | None]) -> Iterator[list[str | None]]:
    """The ranks that the cards have in groups: one reading, or with wild jacks one for each naming (SCO-07)."""
    ranks = [_group_rank(options, card) for card in cards]
    wilds = [slot for slot, card in enumerate(cards) if card in _ONE_EYED] if options.one_eyed_wild else []
    held = tuple({found: None for found in ranks if found is not None})
    unused = tuple(other for other in RANKS if other not in held)
    for named in _namings(len(wilds), held, unused):
        reading = ranks.copy()
        for slot, taken in zip(wilds, named, strict=True):
            reading[slot] = taken
        yield reading


def _group_rank(options: Options, card: Card | None) -> str | None:
    """SCO-06: a joker takes part in groups only with `joker_pair = zero`."""
    if card is None or (rank(card) == JOKER and options.joker_pair != "zero"):
        return None
    return rank(card)


def _namings(wilds: int, held: tuple[str, ...], unused: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every way to give so many wilds a rank, up to renaming ranks that no card has.

    Such a rank keeps wilds out of a group that would cost more than it saves: negative cards cancel too.
    """
    if not wilds:
        yield ()
        return
    for taken in held:
        for others in _namings(wilds - 1, held, unused):
            yield (taken, *others)
    if unused:
        for others in _namings(wilds - 1, (*held, unused[0]), unused[1:]):
            yield (unused[0], *others)


def _joker_pairs(options: Options, cards: Sequence[Card | None], neighbours: Iterable[Group]) -> tuple[Group, ...]:
    """SCO-06: with an integer `joker_pair`, as many disjoint pairs of neighbouring jokers as possible."""
    if isinstance(options.joker_pair, str):
        return ()
    jokers = {slot for slot, card in enumerate(cards) if card is not None and rank(card) == JOKER}
    return _most_disjoint(tuple(pair for pair in neighbours if jokers.issuperset(pair)))


def _most_disjoint(pairs: tuple[Group, ...]) -> tuple[Group, ...]:
    """A largest choice of pairs that share no slot."""
    if not pairs:
        return ()
    first, rest = pairs[0], pairs[1:]
    apart = tuple(pair for pair in rest if not set(first) & set(pair))
    return max((first, *_most_disjoint(apart)), _most_disjoint(rest), key=len)
