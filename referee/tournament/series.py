"""A few games between given bots, without a run: who sits where on which deal, and what is kept of each.

Games are those of a tournament: the bots change seats on the same deal. This module must not know how a game is played,
nor what several come to (series_summary.py): what it imports is imported for a single game too.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import Struct

from referee.rules.counts import Actions
from referee.rules.record import GivenSlaps, Record, asked_in
from referee.tournament.orders import result_of
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.results import Result


class Best(Struct, frozen=True, kw_only=True):
    """The best match of a seat that plays alone (NIN-13)."""

    game: int
    """From 0."""
    rounds: int
    total: int


class Seating(Struct, frozen=True, kw_only=True):
    """Which deal a game has, and who sits where."""

    game: int
    """From 0, as are the deal and the rotation."""
    deal: int
    rotation: int
    order: tuple[int, ...]
    """The bots by seat, each by its number among those that were given."""


def seating(game: int, seats: int, *, rotates: bool) -> Seating:
    """Who sits where in this game.

    Each deal is played once from every seat: with each rotation every bot moves one seat down, and the bot of seat 0 to
    the highest. Odd deals take the bots backwards, as in a tournament. Without rotation each game has a deal of its
    own, and the bots sit as they were given.
    """
    if not rotates:
        return Seating(game=game, deal=game, rotation=0, order=tuple(range(seats)))
    deal, rotation = divmod(game, seats)
    order = tuple(range(seats)) if deal % 2 == 0 else tuple(reversed(range(seats)))
    return Seating(game=game, deal=deal, rotation=rotation, order=(*order[rotation:], *order[:rotation]))


class Series:
    """Counts the games of a series. It keeps results and times, and no records."""

    def __init__(self, *, seats: int, rotates: bool) -> None:
        self.best: Best | None = None
        """The best game so far of a bot that plays alone; None where it forfeited all of them."""
        self.seats, self.rotates = seats, rotates
        self.names = [""] * seats
        """The names of the bots, by their numbers, as are their times and slaps."""
        self.played: list[tuple[Seating, Result]] = []
        self.seed = self.isolation = ""
        self.thinking: dict[int, array[float]] = defaultdict(lambda: array("d"))
        """How long each answer took that was asked for outside of slap windows, in microseconds."""
        self.slaps: dict[int, array[float]] = defaultdict(lambda: array("d"))
        """The same for slaps and passes in time."""
        self.actions: defaultdict[int, Actions] = defaultdict(Actions)
        self.late: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self.played)

    def add(self, seat: Seating, record: Record) -> Result:
        """Count a game, and return its result. The bots have the names that they have in the last record."""
        result = result_of(_planned_match(seat, record), record)
        self.played.append((seat, result))
        self.seed, self.isolation = record.seed, record.isolation
        for number, bot in enumerate(seat.order):
            self.names[bot] = record.seats[number].name
            self.actions[bot] += result.actions[number]
            self.late[bot] += result.late_slaps[number]
        for number, took_us in _thinking(record):
            self.thinking[seat.order[number]].append(took_us)
        for number, took_us in _slaps(record):
            self.slaps[seat.order[number]].append(took_us)
        if self.seats == 1 and not result.forfeited[0]:
            one = Best(game=seat.game, rounds=len(record.result.rounds), total=result.totals[0])
            self.best = min(one, self.best or one, key=lambda best: (-best.rounds, best.total))
        return result


def _planned_match(seat: Seating, record: Record) -> PlannedMatch:
    return PlannedMatch(
        number=seat.game,
        variant=record.name,
        block=seat.deal,
        lineup=seat.order,
        rotation=seat.rotation,
        deal=seat.deal,
        deal_key=bytes.fromhex(record.deal_key),
    )


def _thinking(record: Record) -> Iterable[tuple[int, float]]:
    """Seat and time of each answer that was asked for, but for those in slap windows.

    What was there at the referee's first look took no time that it could measure.
    """
    return ((given.seat, float(given.time_us)) for given in asked_in(record.moves))


def _slaps(record: Record) -> Iterable[tuple[int, float]]:
    """Seat and time of each answer in time in a slap window."""
    for move in record.moves:
        for one in move.reactions if isinstance(move, GivenSlaps) else ():
            if one.corrected_us is not None and not one.late and one.fault is None:
                yield one.seat, one.corrected_us
