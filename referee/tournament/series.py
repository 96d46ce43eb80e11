"""A few games between given bots, without a run: who sits where on which deal, and what all of them come to.

Games and figures are those of a tournament: the bots change seats on the same deal, and the intervals are clustered by
deal. This module must not know how a game is played or how figures are shown.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Record
from referee.tournament.orders import result_of
from referee.tournament.plan.schedule import Fixture
from referee.tournament.results import Result
from referee.tournament.slaps import SlapCounts, slaps_of
from referee.tournament.standings import BotStanding, Encounter, RankBy, standings_of
from referee.trials.races import quantile


class Times(Struct, frozen=True, kw_only=True):
    """How long a bot took for its answers, in microseconds."""

    answers: int
    p50_us: float
    p99_us: float
    worst_us: float


class BotFigures(Struct, frozen=True, kw_only=True):
    """What a bot did in all games together, beside its standing."""

    bot: str
    shared_firsts: int
    """How many of its games it ended with rank 1 beside another bot."""
    thinking: Times | None
    """As charged for its answers, but for those in slap windows; None where it gave none."""
    slaps: Times | None
    """For slaps and passes in windows, as they counted; None where none was timed. Late ones are not among them."""
    verdicts: SlapCounts | None
    """How its slaps came out; None where there were no slap windows."""
    late_slaps: int
    """How many slaps and passes came too late, which is no fault."""


class Best(Struct, frozen=True, kw_only=True):
    """The best match of a seat that plays alone (NIN-13)."""

    game: int
    """From 0."""
    rounds: int
    total: int


class SeriesSummary(Struct, frozen=True, kw_only=True):
    """What a series comes to."""

    variant: str
    seed: str
    isolation: str
    games: int
    """How many games were played."""
    deals: int
    """On how many deals; the last one may lack rotations."""
    seats: int
    rotates: bool
    """Whether the bots changed seats on each deal."""
    rank_by: RankBy
    standings: tuple[BotStanding, ...]
    """As in a tournament. Empty for a bot that plays alone, which beats nobody."""
    crosstable: dict[str, dict[str, Encounter]]
    bots: tuple[BotFigures, ...]
    """In the order in which they were given."""
    faults: dict[str, dict[str, int]]
    """By bot and kind."""
    best: Best | None
    """The best game of a bot that plays alone."""


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
        self._seats, self._rotates = seats, rotates
        self._names = [""] * seats
        self._played: list[tuple[Seating, Result]] = []
        self._seed = self._isolation = ""
        self._thinking: dict[int, array[float]] = defaultdict(lambda: array("d"))
        self._slaps: dict[int, array[float]] = defaultdict(lambda: array("d"))
        self._verdicts: dict[int, SlapCounts] = {}
        self._late: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._played)

    def add(self, seat: Seating, record: Record) -> Result:
        """Count a game, and return its result. The bots have the names that they have in the last record."""
        result = result_of(_fixture(seat, record), record)
        self._played.append((seat, result))
        self._seed, self._isolation = record.seed, record.isolation
        verdicts = slaps_of(record)
        for number, bot in enumerate(seat.order):
            self._names[bot] = record.seats[number].name
            self._late[bot] += result.late_slaps[number]
            if verdicts is not None:
                self._verdicts[bot] = self._verdicts.get(bot, SlapCounts()) + verdicts[number]
        for number, took_us in _thinking(record):
            self._thinking[seat.order[number]].append(took_us)
        for number, took_us in _slaps(record):
            self._slaps[seat.order[number]].append(took_us)
        if self._seats == 1 and not result.forfeited[0]:
            one = Best(game=seat.game, rounds=len(record.result.rounds), total=result.totals[0])
            self.best = min(one, self.best or one, key=lambda best: (-best.rounds, best.total))
        return result

    def summary(self, rank_by: RankBy = "match-points") -> SeriesSummary:
        """What the games come to so far; there must be one."""
        results = [replace(result, bots=tuple(self._names[bot] for bot in seat.order)) for seat, result in self._played]
        standings = standings_of(results if self._seats > 1 else (), rank_by, rotates=self._rotates)
        shared = Counter(bot for result in results for bot in _sharing_first(result))
        return SeriesSummary(
            variant=results[0].variant,
            seed=self._seed,
            isolation=self._isolation,
            games=len(results),
            deals=len({seat.deal for seat, _ in self._played}),
            seats=self._seats,
            rotates=self._rotates,
            rank_by=rank_by,
            standings=standings.overall,
            crosstable=standings.crosstable,
            bots=tuple(
                BotFigures(
                    bot=name,
                    shared_firsts=shared[name],
                    thinking=_times(self._thinking.get(bot, ())),
                    slaps=_times(self._slaps.get(bot, ())),
                    verdicts=self._verdicts.get(bot),
                    late_slaps=self._late[bot],
                )
                for bot, name in enumerate(self._names)
            ),
            faults=_faults(results),
            best=self.best,
        )


def _fixture(seat: Seating, record: Record) -> Fixture:
    return Fixture(
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
    out = set[int]()
    for move in record.moves:
        if isinstance(move, Forfeit):
            out.add(move.seat)
        for given in move.answers if isinstance(move, GivenTogether) else (move,):
            if isinstance(given, Given) and given.seat not in out and not given.joined:
                yield given.seat, float(given.time_us)


def _slaps(record: Record) -> Iterable[tuple[int, float]]:
    """Seat and time of each answer in time in a slap window."""
    for move in record.moves:
        for one in move.reactions if isinstance(move, GivenSlaps) else ():
            if one.corrected_us is not None and not one.late and one.fault is None:
                yield one.seat, one.corrected_us


def _times(took_us: Sequence[float]) -> Times | None:
    if not took_us:
        return None
    return Times(
        answers=len(took_us), p50_us=quantile(took_us, 0.5), p99_us=quantile(took_us, 0.99), worst_us=max(took_us)
    )


def _sharing_first(result: Result) -> Iterable[str]:
    first = [bot for bot, rank in zip(result.bots, result.ranks, strict=True) if rank == 1]
    return first if len(first) > 1 else ()


def _faults(results: Iterable[Result]) -> dict[str, dict[str, int]]:
    found: Mapping[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for bot, faults in zip(result.bots, result.faults, strict=True):
            if faults:
                found[bot].update(faults)
    return {bot: dict(sorted(faults.items())) for bot, faults in found.items()}
