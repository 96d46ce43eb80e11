"""The scoring tables of par golf (PAR-26): each is a list of rules for a pair of cards, and the first that fits counts.

The publisher's own table is not in our sources. `ours-1` is ours, and is always labelled so.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from protocol.cards import RANKS, Card, rank, suit

MOST_RULES = 200
"""The most rules of a table. All pairs of ranks are 91, and a bot is sent the table in one line of bounded length."""

MOST_POINTS = 1_000_000
"""A number of points that a table names is at most so far from 0."""

Score = Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


class Condition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on two cards. All that is set must hold for them, and at least one thing is set."""

    same_rank: bool | None = None
    same_suit: bool | None = None
    same_colour: bool | None = None
    ranks: tuple[Rank, Rank] | None = None
    gap: Annotated[int, Meta(ge=0, le=12)] | None = None
    any: Literal[True] | None = None

    def __post_init__(self) -> None:
        if all(getattr(self, name) is None for name in self.__struct_fields__):
            raise ValueError("a condition needs at least one of " + ", ".join(self.__struct_fields__))

    def holds(self, first: Card, second: Card) -> bool:
        """Return whether the pair meets the condition. The order of the cards does not matter (PAR-27)."""
        one, other = RANKS.index(rank(first)), RANKS.index(rank(second))
        return (
            self.same_rank in (None, one == other)
            and self.same_suit in (None, suit(first) == suit(second))
            and self.same_colour in (None, (suit(first) in "HD") == (suit(second) in "HD"))
            and (self.ranks is None or sorted(self.ranks) == sorted((rank(first), rank(second))))
            and self.gap in (None, abs(one - other))
        )


class PairRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a pair scores where the condition holds: a number, or what the two cards' values make."""

    condition: Condition = field(name="if")
    score: Score | Literal["sum", "high", "low", "diff"]


class ParTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scoring table: its name, the values of cards (B1, or points by rank), and the rules in their order."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    values: Literal["B1"] | dict[Rank, Score] = "B1"
    rules: Annotated[tuple[PairRule, ...], Meta(min_length=1, max_length=MOST_RULES)]


OURS_1 = ParTable(
    name="ours-1",
    rules=(
        PairRule(condition=Condition(same_rank=True), score=0),
        PairRule(condition=Condition(any=True), score="sum"),
    ),
)
"""PAR-25: equal ranks score 0, all others the sum of their values in six-card golf."""


_TAKES = {
    "values": f'"B1" or a table by rank of integers from -{MOST_POINTS} to {MOST_POINTS}',
    "rules": f"1 to {MOST_RULES} rules",
    "score": f'an integer from -{MOST_POINTS} to {MOST_POINTS}, "sum", "high", "low" or "diff"',
    "ranks": 'two ranks such as ["A", "K"]',
    "any": "true",
}
"""Field of a scoring table, a rule or a condition -> the values that it takes, in words."""


def in_words(error: str) -> str:
    """What the decoder says is wrong with a scoring table, and which values are allowed in that place."""
    takes = _TAKES.get(error.removesuffix("`").rpartition(".")[2].partition("[")[0])
    return error if takes is None else f"{error}; it takes {takes}"


def score_pair(table: ParTable, left: tuple[Card, int], right: tuple[Card, int]) -> int:
    """Return what two cards, given with their values, score in a row (PAR-21): 0 where no rule of the table fits."""
    (card, points), (other, more) = left, right
    for rule in table.rules:
        if rule.condition.holds(card, other):
            match rule.score:
                case "sum":
                    return points + more
                case "high":
                    return max(points, more)
                case "low":
                    return min(points, more)
                case "diff":
                    return abs(points - more)
                case number:
                    return number
    return 0
