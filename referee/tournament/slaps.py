"""How the slaps of a match went, from its record. This module must not know how slaps are timed."""

from msgspec import Struct

from protocol.events import Slapped
from referee.rules.record import Record, replay
from referee.rules.variants import from_record


class SlapCounts(Struct, frozen=True, kw_only=True):
    """How many slaps of a bot came out how (CAC-26). A slap of a card that an earlier slap took is none of them."""

    right: int = 0
    wrong: int = 0
    late: int = 0
    """Right, but another bot was first."""

    def __add__(self, other: "SlapCounts") -> "SlapCounts":
        return SlapCounts(right=self.right + other.right, wrong=self.wrong + other.wrong, late=self.late + other.late)


def slaps_of(record: Record) -> tuple[SlapCounts, ...] | None:
    """By seat how its slaps came out; None where the game has no slaps.

    Raises BrokenRecord, and ValueError for options that there cannot be.
    """
    if not from_record(record.preset, record.options).options.slaps:
        return None
    counts = [SlapCounts() for _ in record.seats]
    for event in replay(record).events:
        if isinstance(event, Slapped):
            counts[event.seat] += SlapCounts(**{event.verdict: 1})
    return tuple(counts)
