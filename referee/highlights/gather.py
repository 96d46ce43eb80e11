"""Gathers the highlights of a run, match by match, in memory that does not grow with the number of matches."""

from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from referee.highlights.highlight import Candidate, Highlight, Kind, Match, Order, lead_changes, parts_of, sentence_of
from referee.highlights.kinds import KINDS, UPSET
from referee.highlights.upsets import Upsets
from referee.rules.counts import SeatCounts
from referee.rules.match import MatchResult
from referee.tournament.store.rows import CommittedMatch

KEPT = 10
"""How many highlights of each kind are kept of each game."""

Deal = tuple[frozenset[str], int]
"""The bots at a table and the number of their deal: in its rotations much happens alike."""


class Highlights:
    """The best highlights of each kind, as tournaments/HIGHLIGHTS.md defines them.

    Of the matches of the same bots on one deal only the best is kept. The order in which matches come has no influence.
    A match in which a bot forfeited, or that is out of the standings, has no highlights.
    """

    def __init__(self, kept: int = KEPT) -> None:
        """Keep so many of each kind and game."""
        self.matches = 0
        """How many matches have been looked at."""
        self._kept = kept
        self._best: dict[tuple[str, str], dict[Deal, Candidate]] = {}
        """By kind and game the best of the best deals."""
        self._gaps: dict[str, list[int]] = {}
        """By game the sum of the distances between two seats in a round, and how many there were."""
        self._upsets = Upsets()

    def add(self, row: CommittedMatch, result: MatchResult, counts: tuple[SeatCounts, ...]) -> None:
        """Take a match in. Its result and its counts are those of its record.

        Raises ValueError or LookupError where they are damaged.
        """
        if row.number is None or any(row.result.forfeited):
            return
        match = Match(
            id=row.id,
            number=row.number,
            variant=row.identity.variant,
            bots=row.identity.bots,
            result=result,
            counts=counts,
        )
        counted = match.counted
        if not counted:
            raise ValueError("it has no rounds")
        self.matches += 1
        self._measure(match)
        self._upsets.add(match, row.result)
        ties = (Fraction(-match.margin, len(counted)), len(counted), len(lead_changes(match)), -row.id)
        for kind in KINDS:
            if (found := kind.find(match)) is not None:
                one = Candidate(match=match, found=found, order=(found.order, *ties))
                self._keep(kind, (frozenset(match.bots), row.identity.deal), one)

    def best(self, count: int, variant: str | None = None, kinds: Sequence[Kind] = KINDS) -> tuple[Highlight, ...]:
        """So many highlights of all games or of one, the best first.

        The kinds take turns in the order of KINDS. Each adds its greatest highlight of a match that is not listed yet.
        """
        turns = deque((kind, iter(self._greatest(kind, variant))) for kind in kinds)
        listed: dict[int, Highlight] = {}
        while turns and len(listed) < count:
            kind, greatest = turns.popleft()
            one = next((one for one in greatest if one.match.id not in listed), None)
            if one is not None:
                listed[one.match.id] = self._highlight(kind, one)
                turns.append((kind, greatest))
        return tuple(listed.values())

    @property
    def games(self) -> list[str]:
        """The games of which there are matches, by name."""
        return sorted(self._gaps)

    def gap(self, variant: str) -> Fraction:
        """The usual gap of a game: how many strokes two seats of a table lie apart in a round, on average.

        It is 1 where no two seats ever did.
        """
        total, pairs = self._gaps[variant]
        return Fraction(total, pairs) if total else Fraction(1)

    def _measure(self, match: Match) -> None:
        gaps = self._gaps.setdefault(match.variant, [0, 0])
        for one in match.counted:
            distances = [abs(own - other) for own, other in combinations(one.scores, 2)]
            gaps[0] += sum(distances)
            gaps[1] += len(distances)

    def _keep(self, kind: Kind, deal: Deal, one: Candidate) -> None:
        best = self._best.setdefault((kind.name, one.match.variant), {})
        if deal not in best or one.order > best[deal].order:
            best[deal] = one
        if len(best) > self._kept:
            del best[min(best, key=lambda deal: best[deal].order)]

    def _greatest(self, kind: Kind, variant: str | None) -> list[Candidate]:
        return sorted(self._candidates(kind, variant), key=lambda one: self._across(kind, one), reverse=True)

    def _candidates(self, kind: Kind, variant: str | None) -> Iterator[Candidate]:
        if kind is UPSET:
            yield from self._upsets.found(variant)
        for (name, game), best in self._best.items():
            if name == kind.name and variant in (None, game):
                yield from best.values()

    def _across(self, kind: Kind, one: Candidate) -> Order:
        """By which candidates of several games are compared."""
        gap = self.gap(one.match.variant)
        order, closeness, *rest = one.order
        return (order / gap if kind.is_scaled else order, closeness / gap, *rest)  # type: ignore[return-value] # three

    def _highlight(self, kind: Kind, one: Candidate) -> Highlight:
        parts, match = parts_of(one.found.words), one.match
        return Highlight(
            kind=kind.name,
            match=match.number,
            id=match.id,
            variant=match.variant,
            bots=match.bots,
            seats=one.found.seats,
            moment=one.found.moment,
            score=one.found.score,
            sentence=sentence_of(parts, match.bots),
            parts=parts,
        )
