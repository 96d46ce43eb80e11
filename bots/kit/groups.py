"""Which slots of a layout count together, and what the cards in them score.

The layout falls into parts that do not touch each other; each part has its own way to score. Bonuses that one can
hardly play for (straights, blocks, sides of kings) are left out.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from kit.cards import RANKS


class Face(NamedTuple):
    """A card as it scores."""

    rank: str | None
    """The rank; None where it is not known, or where the card never counts together with another one."""
    points: float
    suit: str = ""


Score = Callable[[Sequence[Face]], float]


class Part(NamedTuple):
    """Slots that count together."""

    slots: tuple[int, ...]
    score: Score
    by_rank: bool
    """Whether cards score more or less than their points only where two ranks are equal."""


def parts_of(match: dict[str, Any], rows: int) -> list[Part]:
    """The parts of a layout of so many rows in this match."""
    options, columns = match["options"], match["columns"]
    size = rows * columns
    each_row = [tuple(range(start, start + columns)) for start in range(0, size, columns)]
    if match["variant"] == "two-deck":
        return [Part(row, score_discardable, by_rank=True) for row in each_row]
    if match["variant"].startswith(("par-", "no-par")):
        score, plain = score_by_table(options["par_table"]), options["par_table"]["name"] == "ours-1"
        return [Part(row, score, by_rank=plain) for row in each_row]
    if options.get("any_pair"):
        return [Part(tuple(range(size)), score_pairs_anywhere(options["any_pair"]), by_rank=True)]
    lines = whole_lines(rows, columns, options.get("cancel", ()))
    lines += neighbours(rows, columns, options.get("cancel_pairs", ()))
    return separate_parts(size, lines)


def score_discardable(faces: Sequence[Face]) -> float:
    """Two-deck game: a pair can be discarded in a later turn, and will be unless it is worth keeping."""
    points = sum(face.points for face in faces)
    equal = faces[0].rank is not None and faces[0].rank == faces[1].rank
    return min(0.0, points) if equal else points


@cache
def score_lines(lines: tuple[tuple[int, ...], ...]) -> Score:
    """The cards of a line count nothing when they are all equal; lines may share cards."""

    def score(faces: Sequence[Face]) -> float:
        cancelled: set[int] = set()
        for line in lines:
            first = faces[line[0]].rank
            if first is not None and all(faces[slot].rank == first for slot in line):
                cancelled.update(line)
        return sum([face.points for slot, face in enumerate(faces) if slot not in cancelled])

    return score


def score_pairs_anywhere(kind: str) -> Score:
    """Equal cards cancel wherever they lie: one pair of a rank, or as many as there are."""

    def score(faces: Sequence[Face]) -> float:
        total = sum([face.points for face in faces])
        for held, number in Counter([face.rank for face in faces]).items():
            if held is not None and number > 1:
                points = sorted([face.points for face in faces if face.rank == held], reverse=True)
                total -= sum(points[: number // 2 * 2 if kind == "all_pairs" else 2])
        return total

    return score


def score_by_table(table: dict[str, Any]) -> Score:
    """Par golf: the first rule of the table that fits the two cards; the sum, where one of them is not known."""

    def score(faces: Sequence[Face]) -> float:
        points = [face.points for face in faces]
        if faces[0].rank is None or faces[1].rank is None:
            return sum(points)
        for rule in table["rules"]:
            if fits(rule["if"], faces[0], faces[1]):
                made = {"sum": sum(points), "high": max(points), "low": min(points), "diff": max(points) - min(points)}
                return made[rule["score"]] if isinstance(rule["score"], str) else rule["score"]
        return 0

    return score


def fits(condition: dict[str, Any], one: Face, other: Face) -> bool:
    """Whether two known cards meet all that the condition names; an unknown suit equals no other."""
    facts = {
        "same_rank": one.rank == other.rank,
        "same_suit": bool(one.suit) and one.suit == other.suit,
        "same_colour": bool(one.suit and other.suit) and (one.suit in "HD") == (other.suit in "HD"),
        "ranks": sorted([str(one.rank), str(other.rank)]),
        "gap": abs(RANKS.index(str(one.rank)) - RANKS.index(str(other.rank))),
        "any": True,
    }
    wanted = {name: sorted(value) if name == "ranks" else value for name, value in condition.items()}
    return all(value is None or facts[name] == value for name, value in wanted.items())


def whole_lines(rows: int, columns: int, directions: Sequence[str]) -> list[tuple[int, ...]]:
    """The option `cancel`: complete columns, rows and diagonals."""
    size = rows * columns
    lines = {
        "col": [tuple(range(column, size, columns)) for column in range(columns)],
        "row": [tuple(range(start, start + columns)) for start in range(0, size, columns)],
        "diag": [tuple(range(0, size, columns + 1)), tuple(range(columns - 1, size - 1, columns - 1))],
    }
    return [line for direction in directions for line in lines[direction]]


def neighbours(rows: int, columns: int, directions: Sequence[str]) -> list[tuple[int, ...]]:
    """The option `cancel_pairs`: two cards next to each other."""
    steps = {"col": [(1, 0)], "row": [(0, 1)], "diag": [(1, 1), (1, -1)]}
    return [
        (row * columns + column, (row + down) * columns + column + right)
        for direction in directions
        for down, right in steps[direction]
        for row in range(rows - down)
        for column in range(columns)
        if 0 <= column + right < columns
    ]


def separate_parts(size: int, lines: list[tuple[int, ...]]) -> list[Part]:
    """The slots in groups that no line connects, each with its lines, whose numbers count within the group."""
    groups = [{slot} for slot in range(size)]
    for line in lines:
        apart = [group for group in groups if not group & set(line)]
        groups = [*apart, set().union(*(group for group in groups if group not in apart))]
    parts = []
    for slots in (tuple(sorted(group)) for group in groups):
        own = tuple(tuple(map(slots.index, line)) for line in lines if line[0] in slots)
        parts.append(Part(slots, score_lines(own), by_rank=True))
    return parts
