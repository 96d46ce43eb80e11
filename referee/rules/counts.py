"""What each seat did in a match and how often, from the events of its game."""

from msgspec import Struct

from protocol.events import Drew, Knocked, Slapped
from referee.rules.game import Game


class SlapCounts(Struct, frozen=True, kw_only=True):
    """How many slaps of a bot came out how (CAC-26). A slap of a card that an earlier slap took is none of them."""

    right: int = 0
    wrong: int = 0
    late: int = 0
    """Right, but another bot was first."""

    def __add__(self, other: "SlapCounts") -> "SlapCounts":
        return SlapCounts(right=self.right + other.right, wrong=self.wrong + other.wrong, late=self.late + other.late)


class SeatCounts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat did in all rounds of a match, playoffs included."""

    knocks: int = 0
    pile_takes: int = 0
    """How often it drew from the pile."""
    slaps: SlapCounts | None = None
    """None where the game has no slaps."""


def seat_counts(game: Game) -> tuple[SeatCounts, ...]:
    """By seat what was done in a game so far."""
    seats = game.table.seats
    knocks, takes, slaps = [0] * seats, [0] * seats, [SlapCounts()] * seats
    for event in game.events:
        match event:
            case Knocked(seat=seat):
                knocks[seat] += 1
            case Drew(seat=seat, source="pile"):
                takes[seat] += 1
            case Slapped(seat=seat, verdict=verdict):
                slaps[seat] += SlapCounts(**{verdict: 1})
    has_slaps = game.table.options.slaps
    return tuple(
        SeatCounts(knocks=knocks[seat], pile_takes=takes[seat], slaps=slaps[seat] if has_slaps else None)
        for seat in range(seats)
    )
