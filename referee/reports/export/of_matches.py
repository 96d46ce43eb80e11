"""The rows of matches, seats, rounds, decisions and slaps, from committed matches and their records."""

from collections.abc import Iterator
from itertools import accumulate

from msgspec import Struct

from referee.reports.export.rows import FaultColumns, MatchRow, RoundRow, SeatRow
from referee.reports.export.scope import Scope
from referee.rules.match import MatchResult
from referee.rules.record import was_asked
from referee.tournament.results import Result, beaten_shares
from referee.tournament.store.disk import StoreError
from referee.tournament.store.reading import Part, parts_of
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.store.voided import voids_by_place


class _Origin(Part, frozen=True, kw_only=True):
    golfref: str
    protocol: str
    preset: str
    isolation: str
    host: str
    result: MatchResult


def match_rows(store: Store, scope: Scope) -> Iterator[MatchRow]:
    """A row for each match. Raises StoreError."""
    voids = {place: len(some) for place, some in voids_by_place(store).items()}
    names = {id_: one.name for id_, one in store.hosts().items()}
    for row, part in parts_of(store, _Origin, scope.until):
        if not scope.has(row):
            continue
        result = row.result
        yield MatchRow(
            match=row.number,
            id=row.id,
            game=row.identity.variant,
            preset=part.preset,
            seats=len(result.bots),
            block=block_of(row),
            deal=result.deal,
            rotation=result.rotation,
            redeals=result.redeals,
            voids=voids.get(row.identity.place, 0),
            rounds=result.rounds,
            playoffs=len([one for one in part.result.rounds if one.playoff]),
            capped=part.result.capped,
            faults=sum(sum(some.values()) for some in result.faults),
            forfeits=sum(result.forfeited),
            lag_us=result.lag_us,
            golfref=part.golfref,
            protocol=part.protocol,
            isolation=part.isolation,
            host=part.host,
            host_name=names.get(row.host or 0, ""),
            record_sha256=row.hash,
        )


def block_of(row: CommittedMatch) -> int | None:
    """The number of a match's block in the plan. None where the match is out of the standings."""
    return None if row.number is None else row.result.block


class _Fault(Struct, frozen=True, kw_only=True):
    kind: str


class _Given(Struct, frozen=True, kw_only=True, tag="answer", tag_field="move"):
    seat: int
    time_us: int = 0
    fault: _Fault | None = None
    joined: bool = False


class _GivenTogether(Struct, frozen=True, kw_only=True, tag="sealed", tag_field="move"):
    answers: tuple[_Given, ...]


class _GivenSlaps(Struct, frozen=True, kw_only=True, tag="slaps", tag_field="move"):
    pass


class _Forfeit(Struct, frozen=True, kw_only=True, tag="forfeit", tag_field="move"):
    seat: int


class _Seat(Struct, frozen=True, kw_only=True):
    owner: str = ""


class _Course(Part, frozen=True, kw_only=True):
    """What a row of a seat needs: no actions, no cards."""

    seats: tuple[_Seat, ...]
    moves: tuple[_Given | _GivenTogether | _GivenSlaps | _Forfeit, ...]


def seat_rows(store: Store, scope: Scope) -> Iterator[SeatRow]:
    """A row for each bot of each match. Raises StoreError."""
    for row, course in parts_of(store, _Course, scope.until):
        if not scope.has(row):
            continue
        times = _times(course)
        for seat in range(len(row.result.bots)):
            yield _seat_row(row, seat, course.seats[seat].owner, times[seat])


def _times(course: _Course) -> list[list[int]]:
    """By seat the times of all decisions for which it was asked, in microseconds."""
    times: list[list[int]] = [[] for _ in course.seats]
    out = set[int]()
    for move in course.moves:
        if isinstance(move, _Forfeit):
            out.add(move.seat)
        answers = (move,) if isinstance(move, _Given) else move.answers if isinstance(move, _GivenTogether) else ()
        for given in answers:
            if was_asked(given, out):
                times[given.seat].append(given.time_us)
    return times


def no_replay(store: Store, id_: int, error: Exception) -> StoreError:
    """What to raise where a record cannot be played again."""
    what = f"the record of match #{id_} does not replay ({error})"
    return StoreError(f"{store.path}: {what}; `golfref verify` says more")


def _seat_row(row: CommittedMatch, seat: int, owner: str, times: list[int]) -> SeatRow:
    result = row.result
    slaps = result.slaps[seat] if result.slaps else None
    return SeatRow(
        match=row.number,
        id=row.id,
        game=row.identity.variant,
        block=block_of(row),
        deal=result.deal,
        rotation=result.rotation,
        seats=len(result.bots),
        seat=seat,
        bot=result.bots[seat],
        owner=owner,
        version=row.identity.versions[seat],
        total=result.totals[seat],
        rank=result.ranks[seat],
        match_points=beaten_shares(result.ranks)[seat] if len(result.ranks) > 1 else 0.0,
        strokes=_strokes(result, seat),
        forfeited=result.forfeited[seat],
        faults=FaultColumns.of(result.faults[seat]),
        late_slaps=result.late_slaps[seat],
        knocks=result.knocks[seat] if result.knocks else 0,
        pile_takes=result.pile_takes[seat] if result.pile_takes else 0,
        slaps_right=None if slaps is None else slaps.right,
        slaps_wrong=None if slaps is None else slaps.wrong,
        slaps_after_another=None if slaps is None else slaps.late,
        decisions=len(times),
        thinking_us=sum(times),
        longest_us=max(times, default=0),
        idle_cpu_ms=result.idle_cpu_ms[seat] if result.idle_cpu_ms else 0,
    )


def _strokes(result: Result, seat: int) -> float:
    """The points of a seat a round, less the mean of the table, as standings count them."""
    return (result.totals[seat] - sum(result.totals) / len(result.totals)) / (result.rounds or 1)


class _Scores(Part, frozen=True, kw_only=True):
    result: MatchResult


def round_rows(store: Store, scope: Scope) -> Iterator[RoundRow]:
    """A row for each bot in each round of each match. Raises StoreError."""
    for row, part in parts_of(store, _Scores, scope.until):
        if not scope.has(row):
            continue
        bots, rounds = row.result.bots, part.result.rounds
        totals = [
            list(accumulate(0 if one.playoff else one.scores[seat] for one in rounds)) for seat in range(len(bots))
        ]
        for number, one in enumerate(rounds):
            for seat, bot in enumerate(bots):
                yield RoundRow(
                    match=row.number,
                    id=row.id,
                    game=row.identity.variant,
                    round=number + 1,
                    playoff=one.playoff,
                    seat=seat,
                    bot=bot,
                    raw=one.raw[seat],
                    score=one.scores[seat],
                    total=totals[seat][number],
                    ended=one.ender == seat,
                    capped=one.capped,
                )
