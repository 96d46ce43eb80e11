"""Gathers the highlights of a run, match by match, in memory that does not grow with the number of matches."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from heapq import nlargest, nsmallest
from itertools import combinations

from msgspec import Struct

from protocol import events as wire
from referee.film.reel import Reel
from referee.highlights.course import course_of, has_slaps_or_powers
from referee.highlights.highlight import Found, Highlight, Kind, Match, lead_changes, parts_of, sentence_of
from referee.highlights.kinds import KINDS, UPSET
from referee.highlights.upsets import Upset, Upsets
from referee.rules.record import Record
from referee.rules.variants import Variant, from_record
from referee.tournament.store.rows import CommittedMatch

KEPT = 10
"""How many highlights of each kind are kept of each game."""

MOST_REPLAYED = 20_000
"""How many matches are played again at most to see their slaps and powers."""

Read = Callable[[int], Record]
"""Reads the record of a match, given its id in the store."""

Order = tuple[Fraction, Fraction, int, int, int]
"""By which highlights of a kind and game are compared, more is better: how much it is, how close the match ended, its
rounds, its lead changes, and that it was committed earlier."""

Deal = tuple[frozenset[str], int]
"""The bots at a table and the number of their deal: in its rotations much happens alike."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A highlight that may be told."""

    variant: str
    id: int
    number: int
    bots: tuple[str, ...]
    found: Found
    order: Order


class Highlights:
    """The best highlights of each kind, as tournaments/HIGHLIGHTS.md defines them.

    Of the matches of the same bots on one deal only the best is kept. The order in which matches come has no influence.
    A match in which a bot forfeited, that a bot played alone, or that is out of the standings has no highlights.
    """

    def __init__(self, kept: int = KEPT, *, replayed_until: str | None = None) -> None:
        """Keep so many of each kind and game. `replayed_until` is what the function of that name returns."""
        self.matches = 0
        """How many matches have been looked at."""
        self.with_slaps_or_powers = 0
        """How many of them are of games with slaps or powers."""
        self.replayed = 0
        """How many of those were played again."""
        self._kept, self._replayed_until = kept, replayed_until
        self._best: dict[tuple[str, str], dict[Deal, Candidate]] = {}
        """By kind and game the best of the best deals."""
        self._gaps: dict[str, list[int]] = {}
        """By game the sum of the distances between two seats in a round, and how many there were."""
        self._upsets = Upsets()
        self._games: dict[str, bool] = {}
        """By the hash of a game whether it has slaps or powers."""
        self._moments: dict[tuple[int, int, int | None], str] = {}

    def add(self, row: CommittedMatch, record: Record) -> None:
        """Take a match in. Raises BrokenRecord where its record does not replay."""
        if row.number is None or len(record.seats) < 2 or any(seat.forfeited for seat in record.seats):
            return
        has_more, is_replayed = self._to_replay(row, record)
        match = Match(
            variant=row.identity.variant,
            bots=row.identity.bots,
            result=record.result,
            course=course_of(record) if is_replayed else None,
        )
        self.matches += 1
        self.with_slaps_or_powers += has_more
        self.replayed += is_replayed
        self._measure(match)
        self._upsets.add(row.id, row.number, match)
        counted = match.counted
        ties = (Fraction(-match.margin, len(counted)), len(counted), len(lead_changes(match)), -row.id)
        for kind in KINDS:
            found = kind.find(match)
            if found is not None:
                one = Candidate(
                    variant=match.variant,
                    id=row.id,
                    number=row.number,
                    bots=match.bots,
                    found=found,
                    order=(found.order, *ties),
                )
                self._keep(kind, (frozenset(match.bots), row.identity.deal), one)

    def best(self, per_kind: int, read: Read, variant: str | None = None) -> tuple[Highlight, ...]:
        """The best highlights of each kind, of all games or of one: so many of each, as far as they are kept.

        `read` is asked for the records of those that are told, to name their moments.
        """
        return tuple(
            self._told(kind, one, read)
            for kind in KINDS
            for one in nlargest(per_kind, self._candidates(kind, variant), key=lambda one: self._across(kind, one))
        )

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

    def _to_replay(self, row: CommittedMatch, record: Record) -> tuple[bool, bool]:
        """Whether the game has slaps or powers, and whether the match is played again to see them."""
        game = row.identity.game
        if game not in self._games:
            self._games[game] = has_slaps_or_powers(from_record(record.preset, record.options))
        has_more = self._games[game]
        return has_more, has_more and (self._replayed_until is None or row.hash <= self._replayed_until)

    def _measure(self, match: Match) -> None:
        gaps = self._gaps.setdefault(match.variant, [0, 0])
        for one in match.counted:
            distances = [abs(own - other) for own, other in combinations(one.scores, 2)]
            gaps[0] += sum(distances)
            gaps[1] += len(distances)

    def _keep(self, kind: Kind, deal: Deal, one: Candidate) -> None:
        best = self._best.setdefault((kind.name, one.variant), {})
        if deal not in best or one.order > best[deal].order:
            best[deal] = one
        if len(best) > self._kept:
            del best[min(best, key=lambda deal: best[deal].order)]

    def _candidates(self, kind: Kind, variant: str | None) -> Iterator[Candidate]:
        if kind is UPSET:
            yield from map(_of_upset, self._upsets.found(variant))
        for (name, game), best in self._best.items():
            if name == kind.name and variant in (None, game):
                yield from best.values()

    def _across(self, kind: Kind, one: Candidate) -> Order:
        """By which candidates of several games are compared."""
        gap = self.gap(one.variant)
        order, closeness, *rest = one.order
        return (order / gap if kind.is_scaled else order, closeness / gap, *rest)  # type: ignore[return-value] # three

    def _told(self, kind: Kind, one: Candidate, read: Read) -> Highlight:
        parts = parts_of(one.found.words)
        return Highlight(
            kind=kind.name,
            match=one.id,
            number=one.number,
            variant=one.variant,
            bots=one.bots,
            seats=one.found.seats,
            moment=self._moment(one, read),
            score=one.found.score,
            unit=kind.unit,
            gaps=round(float(one.found.score / self.gap(one.variant)), 6) if kind.is_scaled else None,
            sentence=sentence_of(parts, one.bots),
            parts=parts,
        )

    def _moment(self, one: Candidate, read: Read) -> str:
        where = one.id, one.found.round, one.found.event
        if where not in self._moments:
            self._moments[where] = _moment_in(read(one.id), one.found)
        return self._moments[where]


def replayed_until(rows: Iterable[CommittedMatch], games: Mapping[str, Variant]) -> str | None:
    """The greatest record hash of the matches that are played again, where a run has more than MOST_REPLAYED of them.

    Those with the least hashes are: a sample that nobody can choose. None where all of them are. `games` are those of
    the run, by name.
    """
    names = {name for name, variant in games.items() if has_slaps_or_powers(variant)}
    hashes = [row.hash for row in rows if row.number is not None and row.identity.variant in names]
    return nsmallest(MOST_REPLAYED, hashes)[-1] if len(hashes) > MOST_REPLAYED else None


def _of_upset(upset: Upset) -> Candidate:
    won = upset.won
    found = Found(
        order=upset.surprise,
        score=round(float(upset.surprise), 6),
        seats=(won.winner, won.beaten),
        round=won.rounds,
        words=upset.words,
    )
    order = (upset.surprise, Fraction(won.margin, won.counted), won.counted, 0, -won.id)
    return Candidate(variant=upset.variant, id=won.id, number=won.number, bots=won.bots, found=found, order=order)


def _moment_in(record: Record, found: Found) -> str:
    """The name of the moment. Raises BrokenRecord where the record does not replay."""
    reel = Reel(record)
    for number, (name, event, moment) in enumerate(zip(reel.names, reel.events, reel.moments, strict=True)):
        ends = found.event is None and isinstance(event, wire.Scored) and moment.round == found.round
        if ends or number == found.event:
            return name
    raise ValueError(f"round {found.round} of the match has no such event")
