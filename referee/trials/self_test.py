"""Trying this host out with real bots: how long they take to start, and how evenly identical ones are timed.

The bots are one tiny Python program, run as any other bot is; the races are windows of real Cactus matches through the
real pump. Nothing here judges what is measured.
"""

import secrets
import statistics
from collections.abc import Sequence

from msgspec import Struct

from protocol.messages import Clocks, FaultPolicy, Game
from referee.play.faults import HostFault
from referee.play.greeting import greet
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.spec import SHIPPED, BotSpec, Confinement, Isolation
from referee.rules.book.variants import customised
from referee.rules.record import GivenSlaps
from referee.rules.table.streams import bot_seed
from referee.trials.races import PYTHON, chance_of, quantile, times_us

SEATS = 4

STARTS = 3
"""How often the bot is started under each level."""

MATCHES = 4
"""Each has processes of its own, which the system places anew."""

_ROUNDS = 8
"""Of a match. Wrong slaps soon empty the stock, which ends a round after five windows or so."""

_START_S = 10.0


class Start(Struct, frozen=True, kw_only=True):
    """Whether a bot can be started under a level."""

    level: Isolation
    start_ms: float | None
    """Median time from the start of a Python bot to its `ready`; None where it did not get there."""
    problem: str
    """Why it did not; empty if it did."""


class Races(Struct, frozen=True, kw_only=True):
    """What slap windows between identical bots came to; times are corrected times, in microseconds."""

    level: Isolation
    seats: int
    windows: int
    disturbed: int
    """Windows that are marked as disturbed."""
    late: int
    """Slaps that did not come in time."""
    median_us: float
    """Of all slaps: a Python bot's own work for the most part."""
    behind_p50_us: float
    behind_p90_us: float
    behind_p99_us: float
    """How far the others lay behind the fastest of their window."""
    first: tuple[int, ...]
    """By seat: windows in which it was announced first."""
    chance: float
    """The probability that chance alone spreads `first` at least so unevenly (chi-square)."""
    lateness_ms: float
    """The longest time in which the referee did not look at its pipes."""


async def try_start(pump: Pump, confinement: Confinement) -> Start:
    """Start the bot a few times, one after another."""
    level = confinement.isolation
    bots = [_bot("bot")] * STARTS
    try:
        greeted = await greet(pump, bots, games=(_game(),), confinement=confinement, start_s=_START_S)
    except HostFault as fault:
        return Start(level=level, start_ms=None, problem=str(fault))
    for one in greeted:
        if one.mishap is not None:
            words = one.stderr.strip().splitlines()[-1:]
            return Start(level=level, start_ms=None, problem="; ".join([one.mishap.detail, *words]))
    median_s = statistics.median(one.start_s for one in greeted)
    return Start(level=level, start_ms=round(1e3 * median_s, 1), problem="")


async def try_races(pump: Pump, confinement: Confinement) -> Races:
    """Play matches between identical bots; raises HostFault where the host spoils one."""
    records = [await play(pump, _setup(confinement)) for _ in range(MATCHES)]
    windows = [move for record in records for move in record.moves if isinstance(move, GivenSlaps)]
    return summary(windows, confinement.isolation, lateness_ms=max(record.lag_us for record in records) / 1e3)


def summary(windows: Sequence[GivenSlaps], level: Isolation, *, lateness_ms: float) -> Races:
    """What these windows came to; raises HostFault if nobody answered in any."""
    times = [some for window in windows if (some := [*times_us(window.reactions).values()])]
    if not times:
        raise HostFault("no bot answered within the time for a slap")
    behind = sorted(us - min(some) for some in times for us in sorted(some)[1:])
    first = tuple(sum(window.order[:1] == (seat,) for window in windows) for seat in range(SEATS))
    return Races(
        level=level,
        seats=SEATS,
        windows=len(windows),
        disturbed=sum(bool(window.disturbed) for window in windows),
        late=sum(reaction.late for window in windows for reaction in window.reactions),
        median_us=round(statistics.median(us for some in times for us in some), 1),
        behind_p50_us=quantile(behind, 0.5),
        behind_p90_us=quantile(behind, 0.9),
        behind_p99_us=quantile(behind, 0.99),
        first=first,
        chance=round(chance_of(first), 4),
        lateness_ms=round(lateness_ms, 1),
    )


def _bot(name: str) -> BotSpec:
    # Any folder that others may read does; under `bwrap` the bot sees nothing else.
    return BotSpec(name=name, command=PYTHON, dir=str(SHIPPED / "random"), env={})


def _game() -> Game:
    return Game(variant="cactus", name="cactus", seats=SEATS)


def _setup(confinement: Confinement) -> MatchSetup:
    key = secrets.token_bytes(32)
    # Every seat starts, and so discards, equally often: the discarder comes last in a photo finish.
    options = {"rounds": _ROUNDS, "limit": None, "fixed_starter": True}
    return MatchSetup(
        variant=customised("cactus", options),
        name="cactus",
        bots=tuple(_bot(f"bot{seat}") for seat in range(SEATS)),
        seeds=tuple(bot_seed(key, 0, seat) for seat in range(SEATS)),
        deal_key=key,
        clocks=Clocks(move_s=10.0, slap_s=1.0),  # a slow host shall show in the figures, not in missing answers
        faults=FaultPolicy(),
        confinement=confinement,
        games=(_game(),),
    )
