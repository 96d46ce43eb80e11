"""The tables of matches, seats and rounds, from committed matches and parts of their records."""

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, get_args

from msgspec import Struct

from protocol.messages import FaultKind
from referee.reports.export.columns import ExportTable, Scope, Values
from referee.rules.counts import Actions
from referee.rules.match import MatchResult, RoundResult
from referee.rules.record import Move, asked_in
from referee.tournament.results import Result, beaten_shares
from referee.tournament.store.disk import StoreError
from referee.tournament.store.reading import Part, parts_of
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.store.voided import voids_by_place


class OfMatch(Struct, frozen=True, kw_only=True):
    """The source of a row about a match, or a part of one."""

    row: CommittedMatch

    @property
    def result(self) -> Result:
        """What came of the match."""
        return self.row.result

    @property
    def block(self) -> int | None:
        """The number of the match's block in the plan. None where the match is out of the standings."""
        return None if self.row.number is None else self.row.result.block


class OfSeat(OfMatch, frozen=True, kw_only=True):
    """The source of a row about a bot in a match."""

    seat: int

    @property
    def bot(self) -> str:
        """The bot's name."""
        return self.row.result.bots[self.seat]


MATCH: Values = {
    "match": ("int?", lambda one: one.row.number),
    "id": ("int", lambda one: one.row.id),
    "game": ("text", lambda one: one.row.identity.variant),
}
"""The columns with which the rows of every match begin."""

SEAT: Values = {"seat": ("int", lambda one: one.seat), "bot": ("text", lambda one: one.bot)}


def fault_values(faults: Callable[[Any], Mapping[str, int]]) -> Values:
    """The columns that count the faults of a bot: all of them, and those of each kind."""

    def count(kind: str) -> Callable[[Any], int]:
        return lambda one: faults(one).get(kind, 0)

    all_faults: Values = {"faults": ("int", lambda one: sum(faults(one).values()))}
    return {**all_faults, **{kind: ("int", count(kind)) for kind in get_args(FaultKind)}}


def action_values(actions: Callable[[Any], Actions]) -> Values:
    """The columns that count what a bot did."""

    def slaps(verdict: str) -> Callable[[Any], int | None]:
        return lambda one: None if (own := actions(one).slaps) is None else getattr(own, verdict)

    return {
        "pile_takes": ("int", lambda one: actions(one).pile_takes),
        "knocks": ("int", lambda one: actions(one).knocks),
        "ends": ("int", lambda one: actions(one).ends),
        "ends_won": ("int", lambda one: actions(one).ends_won),
        "ends_penalised": ("int", lambda one: actions(one).ends_penalised),
        "slaps_right": ("int?", slaps("right")),
        "slaps_wrong": ("int?", slaps("wrong")),
        "slaps_after_another": ("int?", slaps("late")),
    }


class _Origin(Part, frozen=True, kw_only=True):
    golfref: str
    protocol: str
    preset: str
    isolation: str
    host: str
    result: MatchResult


class _Match(OfMatch, frozen=True, kw_only=True):
    origin: _Origin
    voids: int
    host_name: str


def _matches(store: Store, scope: Scope) -> Iterator[_Match]:
    voids = {place: len(some) for place, some in voids_by_place(store).items()}
    names = {id_: one.name for id_, one in store.hosts().items()}
    for row, part in parts_of(store, _Origin, scope.until):
        if scope.has(row):
            yield _Match(
                row=row,
                origin=part,
                voids=voids.get(row.identity.place, 0),
                host_name=names.get(row.host or 0, ""),
            )


DEAL: Values = {
    "block": ("int?", lambda one: one.block),
    "deal": ("int", lambda one: one.result.deal),
    "rotation": ("int", lambda one: one.result.rotation),
}

MATCHES = ExportTable(
    _matches,
    {
        **MATCH,
        "preset": ("text", lambda one: one.origin.preset),
        "seats": ("int", lambda one: len(one.result.bots)),
        **DEAL,
        "redeals": ("int", lambda one: one.result.redeals),
        "voids": ("int", lambda one: one.voids),
        "rounds": ("int", lambda one: one.result.rounds),
        "playoffs": ("int", lambda one: sum(some.playoff for some in one.origin.result.rounds)),
        "capped": ("bool", lambda one: one.origin.result.capped),
        "faults": ("int", lambda one: sum(sum(some.values()) for some in one.result.faults)),
        "forfeits": ("int", lambda one: sum(one.result.forfeited)),
        "lag_us": ("int", lambda one: one.result.lag_us),
        "golfref": ("text", lambda one: one.origin.golfref),
        "protocol": ("text", lambda one: one.origin.protocol),
        "isolation": ("text", lambda one: one.origin.isolation),
        "host": ("text", lambda one: one.origin.host),
        "host_name": ("text", lambda one: one.host_name),
        "record_sha256": ("text", lambda one: one.row.hash),
    },
)
"""A row for each match."""


class _OwnedSeat(Struct, frozen=True, kw_only=True):
    owner: str = ""


class _Course(Part, frozen=True, kw_only=True):
    seats: tuple[_OwnedSeat, ...]
    moves: tuple[Move, ...]


class _Seat(OfSeat, frozen=True, kw_only=True):
    owner: str
    times: list[int]
    """Those of all decisions for which it was asked, in microseconds."""

    def of(self, by_seat: tuple[Any, ...], absent: Any = 0) -> Any:
        """The value of this seat; `absent` where there are none."""
        return by_seat[self.seat] if by_seat else absent

    @property
    def strokes(self) -> float:
        """The points of the seat a round, less the mean of the table, as standings count them."""
        totals = self.result.totals
        return (totals[self.seat] - sum(totals) / len(totals)) / (self.result.rounds or 1)


def _seats(store: Store, scope: Scope) -> Iterator[_Seat]:
    for row, course in parts_of(store, _Course, scope.until):
        if not scope.has(row):
            continue
        times: list[list[int]] = [[] for _ in course.seats]
        for answer in asked_in(course.moves):
            times[answer.seat].append(answer.time_us)
        for seat, bot in enumerate(course.seats):
            yield _Seat(row=row, seat=seat, owner=bot.owner, times=times[seat])


SEATS = ExportTable(
    _seats,
    {
        **MATCH,
        **DEAL,
        "seats": ("int", lambda one: len(one.result.bots)),
        **SEAT,
        "owner": ("text", lambda one: one.owner),
        "version": ("text", lambda one: one.row.identity.versions[one.seat]),
        "total": ("int", lambda one: one.of(one.result.totals)),
        "rank": ("int", lambda one: one.of(one.result.ranks)),
        "match_points": ("float", lambda one: beaten_shares(one.result.ranks)[one.seat]),
        "strokes": ("float", lambda one: one.strokes),
        "forfeited": ("bool", lambda one: one.of(one.result.forfeited)),
        **fault_values(lambda one: one.of(one.result.faults)),
        "late_slaps": ("int", lambda one: one.of(one.result.late_slaps)),
        **action_values(lambda one: one.of(one.result.actions, Actions())),
        "decisions": ("int", lambda one: len(one.times)),
        "thinking_us": ("int", lambda one: sum(one.times)),
        "longest_us": ("int", lambda one: max(one.times, default=0)),
        "idle_cpu_ms": ("int", lambda one: one.of(one.result.idle_cpu_ms)),
    },
)
"""A row for each bot of each match."""


class _Scores(Part, frozen=True, kw_only=True):
    result: MatchResult


class _Round(OfSeat, frozen=True, kw_only=True):
    number: int
    scores: RoundResult
    totals: list[int]
    """Of the seat, after each round."""


def _rounds(store: Store, scope: Scope) -> Iterator[_Round]:
    for row, part in parts_of(store, _Scores, scope.until):
        if not scope.has(row):
            continue
        rounds, seats = part.result.rounds, range(len(row.result.bots))
        totals = [list(accumulate(0 if one.playoff else one.scores[seat] for one in rounds)) for seat in seats]
        for number, one in enumerate(rounds, 1):
            for seat in seats:
                yield _Round(row=row, seat=seat, number=number, scores=one, totals=totals[seat])


ROUNDS = ExportTable(
    _rounds,
    {
        **MATCH,
        "round": ("int", lambda one: one.number),
        "playoff": ("bool", lambda one: one.scores.playoff),
        **SEAT,
        "raw": ("int", lambda one: one.scores.raw[one.seat]),
        "score": ("int", lambda one: one.scores.scores[one.seat]),
        "total": ("int", lambda one: one.totals[one.number - 1]),
        "ended": ("bool", lambda one: one.scores.ender == one.seat),
        "capped": ("bool", lambda one: one.scores.capped),
    },
)
"""A row for each bot in each round of each match."""


def no_replay(store: Store, id_: int, error: Exception) -> StoreError:
    """What to raise where a record cannot be played again."""
    what = f"the record of match #{id_} does not replay ({error})"
    return StoreError(f"{store.path}: {what}; `golfref verify` prints more")
