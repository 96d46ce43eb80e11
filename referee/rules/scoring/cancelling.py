"""Which cards of a layout count 0 because they are equal (RULES.md section 6): lines, neighbours, pairs anywhere.

Ranks and places decide. Points decide only which cards of a rank pair first (SCO-05). The slots of a grid are numbered
row by row; a shape is a number of rows and one of columns.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from protocol.cards import JOKER, RANKS, Card, rank
from referee.rules.options import Lines, Options

Group = tuple[int, ...]
"""Slots whose cards cancel when they are all equal."""

_ONE_EYED = frozenset({"JS", "JH"})

_STEPS = {"col": ((1, 0),), "row": ((0, 1),), "diag": ((1, 1), (1, -1))}
"""For each direction the steps (down, right) from a card to its next neighbours that way."""


def zero_sets(
    options: Options, shape: tuple[int, int], cards: Sequence[Card | None], points: Sequence[int]
) -> Iterator[set[int]]:
    """Yield the set of slots that count 0 (SCO-03): one set, or one for each way to name the wild jacks (SCO-07).

    Cards are equal in rank (SCO-02). What they are worth does not matter: twos cancel too (SIX-09), and kings of 15
    (CUT-07)."""
    wilds = _wild_jacks(options, cards)
    groups = _groups(shape, () if options.any_pair else options.cancel, options.cancel_pairs)
    if wilds:
        of_wilds = _groups_of_wilds(shape, options.one_eyed_pairs)
        groups += tuple(group for group in of_wilds if not wilds.isdisjoint(group))
    for ranks in _readings(options, cards, sorted(wilds)):
        zero = _equal(groups, ranks)
        if options.any_pair:
            zero |= _pairs_anywhere(ranks, points, most=1 if options.any_pair == "one_per_rank" else len(cards))
        yield zero


def equal_lines(options: Options, shape: tuple[int, int], cards: Sequence[Card | None]) -> set[int]:
    """Return the slots of the lines of `cancel` whose cards are all equal; wild jacks are jacks here (KER-14)."""
    return _equal(_groups(shape, options.cancel, ()), _ranks(options, cards))


def _equal(groups: Iterable[Group], ranks: Sequence[str | None]) -> set[int]:
    equal: set[int] = set()
    for group in groups:
        found = ranks[group[0]]
        if found is not None and found == ranks[group[-1]] and all(ranks[slot] == found for slot in group):
            equal.update(group)
    return equal


def joker_pairs(options: Options, shape: tuple[int, int], cards: Sequence[Card | None], taken: Collection[int]) -> int:
    """Return the most pairs of neighbouring jokers that share no card and lie outside the slots `taken` (SCO-06).

    With `any_pair` jokers are neighbours wherever they lie.
    """
    jokers = {slot for slot, card in enumerate(cards) if card and card[0] == JOKER and slot not in taken}
    if len(jokers) < 2:
        return 0
    if options.any_pair:
        return len(jokers) // 2
    neighbours = _neighbours(shape, options.cancel + options.cancel_pairs)
    return _most_disjoint([pair for pair in neighbours if jokers.issuperset(pair)])


@cache
def _groups(shape: tuple[int, int], cancel: Lines, cancel_pairs: Lines) -> tuple[Group, ...]:
    """Return the groups of `cancel` and of `cancel_pairs` (SCO-04)."""
    return _lines(shape, cancel) + _neighbours(shape, cancel_pairs)


def _lines(shape: tuple[int, int], directions: Lines) -> tuple[Group, ...]:
    """Return the lines of `cancel`: columns, rows and, on square grids, the two diagonals (NIN-06, NIN-07, EIG-03)."""
    rows, columns = shape
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
def _neighbours(shape: tuple[int, int], directions: Lines) -> tuple[Group, ...]:
    """Return the pairs of `cancel_pairs`: every two neighbours in one of the directions (NIN-09)."""
    rows, columns = shape
    return tuple(
        (row * columns + column, (row + down) * columns + column + right)
        for direction in sorted(set(directions))
        for down, right in _STEPS[direction]
        for row in range(rows - down)
        for column in range(columns)
        if 0 <= column + right < columns
    )


@cache
def _groups_of_wilds(shape: tuple[int, int], directions: Lines) -> tuple[Group, ...]:
    """SCO-07, AMB-13: where only wild jacks make groups: with a neighbour, in nine-card golf along a line of three."""
    return _lines(shape, directions) if shape == (3, 3) else _neighbours(shape, directions)


def _wild_jacks(options: Options, cards: Sequence[Card | None]) -> set[int]:
    """Return the slots of the one-eyed jacks, if they are wild."""
    return {slot for slot, card in enumerate(cards) if card in _ONE_EYED} if options.one_eyed_wild else set()


def _pairs_anywhere(ranks: Sequence[str | None], points: Sequence[int], *, most: int) -> set[int]:
    """Return the slots of at most so many pairs of each rank, the dearest cards first (SCO-05, T4-11).

    Of equally dear cards the first slots pair."""
    paired: set[int] = set()
    for equal in {one for one in ranks if one is not None}:
        slots = sorted((slot for slot, one in enumerate(ranks) if one == equal), key=lambda slot: -points[slot])
        paired.update(slots[: 2 * min(most, len(slots) // 2)])
    return paired


def _ranks(options: Options, cards: Sequence[Card | None]) -> list[str | None]:
    """Return the ranks that cards have in groups: None for an empty slot, and for a joker that does not cancel."""
    jokers_cancel = options.joker_pair == "zero"
    return [None if card is None or (card[0] == JOKER and not jokers_cancel) else rank(card) for card in cards]


def _readings(options: Options, cards: Sequence[Card | None], wilds: Sequence[int]) -> Iterator[list[str | None]]:
    """Yield the ranks that the cards have in groups: one reading, or one for each way to name wild jacks (SCO-07)."""
    ranks = _ranks(options, cards)
    if not wilds:
        yield ranks
        return
    held = tuple({found: None for found in ranks if found is not None})
    unheld = tuple(other for other in RANKS if other not in held)
    for names in _namings(len(wilds), held, unheld):
        reading = ranks.copy()
        for slot, name in zip(wilds, names, strict=True):
            reading[slot] = name
        yield reading


def _namings(wilds: int, held: tuple[str, ...], unheld: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield every way to give so many wild jacks a rank; of the ranks that no card has, any one stands for all.

    Such a rank keeps wilds out of a group that would cost more than it saves: negative cards cancel too.
    """
    if not wilds:
        yield ()
        return
    for name in held:
        for others in _namings(wilds - 1, held, unheld):
            yield (name, *others)
    if unheld:
        for others in _namings(wilds - 1, (*held, unheld[0]), unheld[1:]):
            yield (unheld[0], *others)


def _most_disjoint(pairs: Sequence[Group]) -> int:
    """Return how many of the pairs can be chosen so that no two share a slot."""
    if not pairs:
        return 0
    first, rest = pairs[0], pairs[1:]
    apart = [pair for pair in rest if not set(first) & set(pair)]
    return max(1 + _most_disjoint(apart), _most_disjoint(rest))
