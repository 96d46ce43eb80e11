"""The columns of each exported table: a struct for a table, a field for a column or for some of them, in this order.

meanings.py has what each column means. None is an empty field in CSV, and null elsewhere. Seats and numbers of matches
count from 0, all else from 1.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

from protocol.messages import Decision, FaultKind

Verdict = Literal["right", "wrong", "late"]
"""What becomes of a slap: it takes the card, the card is wrong, or it is right but another bot was first."""


class OfMatch(Struct, frozen=True, kw_only=True):
    """The columns with which the rows of every match begin."""

    match: int | None
    id: int
    game: str


class FaultColumns(Struct, frozen=True, kw_only=True):
    """The columns that count a bot's faults. They stand in a row at the place of the field that has them."""

    faults: int
    start_failed: int
    start_timeout: int
    timeout: int
    crashed: int
    closed_output: int
    bad_message: int
    illegal_action: int
    line_too_long: int
    flood: int

    @classmethod
    def of(cls, faults: Mapping[str, int]) -> "FaultColumns":
        """The columns for these faults, told by their kind."""
        return cls(faults=sum(faults.values()), **{kind: faults.get(kind, 0) for kind in get_args(FaultKind)})


class MatchRow(OfMatch, frozen=True, kw_only=True):
    """A match that was played."""

    preset: str
    seats: int
    block: int | None
    deal: int
    rotation: int
    redeals: int
    voids: int
    rounds: int
    playoffs: int
    capped: bool
    faults: int
    forfeits: int
    lag_us: int
    golfref: str
    protocol: str
    isolation: str
    host: str
    host_name: str
    record_sha256: str


class SeatRow(OfMatch, frozen=True, kw_only=True):
    """What a match came to for one of its bots."""

    block: int | None
    deal: int
    rotation: int
    seats: int
    seat: int
    bot: str
    owner: str
    version: str
    total: int
    rank: int
    match_points: float
    strokes: float
    forfeited: bool
    faults: FaultColumns
    late_slaps: int
    knocks: int
    pile_takes: int
    slaps_right: int | None
    slaps_wrong: int | None
    slaps_after_another: int | None
    decisions: int
    thinking_us: int
    longest_us: int
    idle_cpu_ms: int


class RoundRow(OfMatch, frozen=True, kw_only=True):
    """What a round came to for one of the bots."""

    round: int
    playoff: bool
    seat: int
    bot: str
    raw: int
    score: int
    total: int
    ended: bool
    capped: bool


class DecisionRow(OfMatch, frozen=True, kw_only=True):
    """A decision of a bot, slaps apart."""

    place: int
    round: int
    turn: int
    seat: int
    bot: str
    decision: Decision
    action: str
    asked: bool
    time_us: int | None
    waived_us: int | None
    joined: bool
    fault: FaultKind | None
    forfeited: bool


class SlapRow(OfMatch, frozen=True, kw_only=True):
    """What a bot did in a slap window."""

    round: int
    turn: int
    window: int
    seat: int
    bot: str
    discarder: bool
    asked: int | None
    raw_us: float | None
    wait_us: float | None
    corrected_us: float | None
    late: bool
    slapped: bool
    lot: int
    place: int | None
    photo_finish: bool
    verdict: Verdict | None
    fault: FaultKind | None
    disturbed: str | None


class PairRow(Struct, frozen=True, kw_only=True):
    """A bot against one opponent, over all matches in which both sat at the table."""

    game: str | None
    bot: str
    opponent: str
    matches: int
    match_points: float
    match_points_from: float | None
    match_points_to: float | None
    strokes: float | None
    strokes_from: float | None
    strokes_to: float | None


class StandingRow(Struct, frozen=True, kw_only=True):
    """A bot's place in the standings, over all games or in one."""

    game: str | None
    rank: int | None
    rank_from: int | None
    rank_to: int | None
    bot: str
    owner: str
    version: str
    match_points: float | None
    match_points_stderr: float | None
    match_points_from: float | None
    match_points_to: float | None
    strokes: float | None
    strokes_stderr: float | None
    strokes_from: float | None
    strokes_to: float | None
    reason: str
    games: int
    matches: int
    waiting: int
    rounds: int
    firsts: int
    forfeits: int
    faults: FaultColumns
    late_slaps: int
    idle_cpu_ms: int
    opponents: float | None
    rating: float | None
    rating_from: float | None
    rating_to: float | None
    anchor: bool


Row = MatchRow | SeatRow | RoundRow | DecisionRow | SlapRow | PairRow | StandingRow

Table = Literal["matches", "seats", "rounds", "decisions", "slaps", "pairs", "standings"]

TABLES: dict[Table, type[Row]] = {
    "matches": MatchRow,
    "seats": SeatRow,
    "rounds": RoundRow,
    "decisions": DecisionRow,
    "slaps": SlapRow,
    "pairs": PairRow,
    "standings": StandingRow,
}
"""The columns of each table."""
