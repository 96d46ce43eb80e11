"""What a highlight is, and what is known of a match in which one is looked for."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from string import Formatter

from msgspec import Struct

from protocol.text import printable
from referee.rules.counts import SeatCounts
from referee.rules.match import MatchResult, RoundResult

NAME_LIMIT = 40
"""How many characters of a bot's name a sentence has at most."""

Order = tuple[Fraction, Fraction, int, int, int]
"""By which highlights of a kind and game are compared, more is better: how much it is, how close the match ended, its
rounds, its lead changes, and that it was committed earlier."""


class Highlight(Struct, frozen=True, kw_only=True):
    """A moment of a run that is worth seeing."""

    kind: str
    """The name of its kind, as in KINDS."""
    match: int
    """The match's number in the plan: `golfref replay RUN:N` shows it."""
    id: int
    """The id of its row in the store."""
    variant: str
    """The game, by its name in the run."""
    bots: tuple[str, ...]
    """The names of all bots at the table, by seat, as they came: they are not safe to show."""
    seats: tuple[int, ...]
    """The seats that the sentence names, the most important one first."""
    moment: str
    """The name of the moment in the match, as match_states/moments.py has it, such as `r3t12`."""
    score: float
    """How much it is: a chance, lead changes, or strokes."""
    sentence: str
    """What happened, with the names of bots made safe to show."""
    parts: tuple[str | int, ...]
    """The same sentence in pieces: texts, and the seats of the bots whose names stand there."""


class Match(Struct, frozen=True, kw_only=True, dict=True):
    """A match in which highlights are looked for."""

    id: int
    """The id of its row in the store."""
    number: int
    """Its number in the plan."""
    variant: str
    bots: tuple[str, ...]
    result: MatchResult
    counts: tuple[SeatCounts, ...] = ()
    """By seat; empty where nobody knocked, drew from the pile or slapped."""

    @cached_property
    def counted(self) -> tuple[RoundResult, ...]:
        """The rounds that count in the totals: all but playoffs."""
        return tuple(one for one in self.result.rounds if not one.playoff)

    @cached_property
    def totals(self) -> list[tuple[int, ...]]:
        """By counted round the totals after it, by seat."""
        return list(accumulate((one.scores for one in self.counted), _added))

    @property
    def margin(self) -> int:
        """By how many strokes the lowest total of the match lies below the second lowest; 0 where they are equal."""
        lowest, second = sorted(self.result.totals)[:2]
        return second - lowest

    @property
    def winner(self) -> int | None:
        """The seat that won alone, and with the lowest total. None where there is no such seat.

        Four of a kind can win with a higher total (SCO-11).
        """
        ranks, totals = self.result.ranks, self.result.totals
        first = ranks.index(1) if ranks.count(1) == 1 else None
        return first if first is not None and totals[first] == min(totals) else None

    @property
    def last_round(self) -> str:
        """The moment at which the last round begins, playoffs included."""
        return f"r{len(self.result.rounds)}"


class Found(Struct, frozen=True, kw_only=True):
    """The highlight of a kind in one match."""

    order: Fraction
    """By which it is compared with others of its kind and game: more is better."""
    score: float
    """As in Highlight."""
    seats: tuple[int, ...]
    """As in Highlight."""
    moment: str
    """As in Highlight."""
    words: str
    """The sentence, with the seats of bots in braces."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A highlight that may be listed."""

    match: Match
    found: Found
    order: Order


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of highlights."""

    name: str
    title: str
    plain: str
    """What one is called that is not the greatest of its kind."""
    is_scaled: bool
    """Whether games are compared by multiples of their usual gap."""
    find: Callable[[Match], Found | None] = lambda _: None
    """Returns the best highlight of this kind in a match, None where there is none, or where it takes other matches."""


def leaders(totals: tuple[int, ...]) -> list[int]:
    """The seats with the lowest total."""
    return [seat for seat, total in enumerate(totals) if total == min(totals)]


def lead_changes(match: Match) -> list[tuple[int, int, int]]:
    """By lead change the round, from 1, the seat that led alone before, and the one that leads alone after it.

    A lead that is shared for a while changes hands when another seat leads alone.
    """
    changes: list[tuple[int, int, int]] = []
    leader = None
    for number, totals in enumerate(match.totals, start=1):
        now = leaders(totals)
        if len(now) == 1:
            if leader is not None and now[0] != leader:
                changes.append((number, leader, now[0]))
            leader = now[0]
    return changes


def parts_of(words: str) -> tuple[str | int, ...]:
    """The pieces of a sentence that has seats in braces."""
    parts: list[str | int] = []
    for text, seat, _, _ in Formatter().parse(words):
        parts += [text] * bool(text)
        parts += [] if seat is None else [int(seat)]
    return tuple(parts)


def sentence_of(parts: tuple[str | int, ...], bots: tuple[str, ...]) -> str:
    """The pieces as one sentence, with the names of bots made safe to show."""
    return "".join(part if isinstance(part, str) else printable(bots[part], NAME_LIMIT) for part in parts)


def strokes(count: int) -> str:
    """So many strokes in words."""
    return "1 stroke" if count == 1 else f"{count} strokes"


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(sum, zip(one, other, strict=True)))
