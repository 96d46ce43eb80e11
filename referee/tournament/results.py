"""What came of each match of a run: the rows from which every table and statistic is computed."""

from functools import lru_cache

from msgspec import Struct, field

from referee.rules.counts import Actions

NOT_PLANNED = -1
"""The number, and the block's number, of a match that the plan does not have."""


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """What came of a match, wherever the plan has it. Tuples are by seat."""

    variant: str
    deal: int = 0
    """The deal's number, from 0. The deal key follows from it, the variant and the names of the bots; from the rotation
    too, where each rotation of a deal has cards of its own."""
    rotation: int = 0
    """The rotation's number, from 0. With each rotation every bot of the line-up sits one seat lower."""
    redeals: int = 0
    """How often other cards were dealt in place of those that a voided match had shown. The deal key depends on it."""
    versions_before: tuple[int, ...] = ()
    """How many versions each bot had before in the run; empty if all are 0. The deal key depends on it."""
    bots: tuple[str, ...]
    totals: tuple[int, ...]
    """Strokes of the whole match."""
    ranks: tuple[int, ...]
    """1 is best. Equal totals share a rank, and forfeited seats come last."""
    rounds: int
    """Rounds that were played, without playoffs."""
    forfeited: tuple[bool, ...]
    faults: tuple[dict[str, int], ...]
    """How many faults of each kind."""
    late_slaps: tuple[int, ...]
    actions: tuple[Actions, ...] = ()
    """What each bot did and how often; empty if the match never began."""
    windows: int = 0
    """How many slap windows were opened."""
    disturbed: int = 0
    """In how many of them the times are in doubt."""
    lag_us: int = 0
    """The longest time in which the referee did not look at its pipes, in microseconds."""
    idle_cpu_ms: tuple[int, ...] = ()
    """What each bot computed outside its turns, as far as the referee saw it; empty where that was nothing."""
    counts_cpu: bool = False
    """Whether control groups counted all that the bots computed, also in processes that had ended."""


class Result(Outcome, frozen=True, kw_only=True, gc=False):
    """A finished match, as tables and statistics need it: its outcome, and its place in the plan."""

    number: int = field(default=NOT_PLANNED, name="match")
    """Its place in the plan, from 0: `match` in JSON."""
    block: int = NOT_PLANNED
    """The block's number, from 0. All matches of one line-up on one deal of a variant are a block."""
    id: int = 0
    """The id of its row in the store. 0 where it has not been committed."""


LEAST_SEATS = 2


def check_seats(result: Outcome) -> None:
    """Raise ValueError where a result does not have one entry for each seat, or ranks that no match has."""
    seats = len(result.bots)
    by_seat = (result.totals, result.ranks, result.forfeited, result.faults, result.late_slaps)
    may_be_empty = (result.idle_cpu_ms, result.versions_before, result.actions)
    if (
        seats < LEAST_SEATS
        or any(len(some) != seats for some in by_seat)
        or any(len(some) not in (0, seats) for some in may_be_empty)
    ):
        raise ValueError("expected one entry for each seat, of which there are two at least")
    if len(set(result.bots)) < seats or not all(1 <= rank <= seats for rank in result.ranks):
        raise ValueError(f"expected {seats} different bots, and ranks from 1 to {seats}")


@lru_cache(maxsize=1024)
def beaten_shares(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """The share of its opponents that each seat beat, by seat; a tie counts half."""
    beaten = [len([rank for rank in ranks if rank > own]) + (ranks.count(own) - 1) / 2 for own in ranks]
    return tuple(some / (len(ranks) - 1) for some in beaten)
