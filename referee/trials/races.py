"""Races between bots whose own work is known, in slap windows of real Cactus matches, and what they came to.

The bots of a table are identical, or one of them has less to compute. They are started and played as any others are.
Nothing here judges what is measured.
"""

import math
import secrets
import sys
from collections.abc import Sequence
from functools import partial

import trio
from msgspec import Struct

from protocol.messages import Clocks, FaultPolicy, GameMessage, SlapTiming
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.spec import SHIPPED, BotSpec, Confinement, Isolation
from referee.rules.check_options import with_options
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import GivenSlaps, Reaction

WORK_US = 500
"""How long a bot computes before it slaps, by its own CPU clock."""

SEATS = 4

ROUNDS = 40
"""The most rounds of a match. Wrong slaps soon empty the stock, which ends a round."""

WINDOWS = 6
"""How many windows a round has, roughly."""

GAME = GameMessage(variant="cactus", name="cactus", seats=SEATS)

PYTHON_BOT = """
import json
import sys
import time

WISHES = "slap", "draw", "discard", "none"
work_ns = 1000 * int(sys.argv[1]) if sys.argv[1:] else 0

def fill(choice):
    if "one_of" in choice:
        return next((one for one in choice["one_of"] if isinstance(one, list) and one[0] == seat), choice["one_of"][0])
    return choice["of"][: choice["pick"]] if "pick" in choice else []

seat = 0
for line in sys.stdin:
    end_ns = time.thread_time_ns() + work_ns
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready", "table": false}', flush=True)
    elif message["type"] == "match":
        seat = message["seat"]
    elif message["type"] == "request":
        offers = {offer["kind"]: offer for offer in message["legal"]}
        offer = next((offers[wish] for wish in WISHES if wish in offers), message["legal"][0])
        action = {name: choice if name == "kind" else fill(choice) for name, choice in offer.items()}
        while message["decision"] == "slap" and time.thread_time_ns() < end_ns:
            pass
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""
"""It slaps a card of its own in every window, right or wrong, and never knocks. So every seat has the same work."""

PYTHON = (sys.executable, "-c", PYTHON_BOT)


class Scenario(Struct, frozen=True, kw_only=True):
    """What is raced."""

    command: tuple[str, ...] = PYTHON
    """A bot's command; the microseconds that it is to compute before a slap are added."""
    work_us: int = WORK_US
    """What each bot computes before a slap."""
    faster_us: int = 0
    """How much less one of the bots computes; 0: all are identical."""
    slap_timing: SlapTiming = "isolated"
    beside: int = 0
    """How many more matches of the same kind are played at the same time; they count too."""
    rounds: int = ROUNDS
    """The most rounds of a match. The bots of each match are new processes, which the system places anew."""
    confinement: Confinement = Confinement()
    dir: str = str(SHIPPED / "random")
    """The bots' folder. Any folder that others may read does; under `bwrap` a bot sees nothing else."""


USUAL = Scenario(work_us=0, rounds=8)
"""The races that tell whether a host is fair: identical bots, without any work of their own."""

USUAL_WINDOWS = 240
"""How many windows these races have, which takes about four matches and a second or two."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What was raced, and what the windows came to; times are corrected times, in microseconds."""

    level: Isolation
    slap_timing: SlapTiming
    seats: int
    work_us: int
    faster_us: int
    windows: int
    disturbed: int
    """Windows that are marked as disturbed."""
    late: int
    """Slaps that did not come in time."""
    median_us: float
    """The median of all slaps."""
    excess_p50_us: float
    excess_p90_us: float
    excess_p99_us: float
    """What a slap took beyond the bot's own work."""
    behind_p50_us: float
    behind_p90_us: float
    behind_p99_us: float
    """Among identical bots: how far the others lay behind the quickest of their window; else 0."""
    first_by_seat: tuple[int, ...]
    """The number of windows in which each seat was announced first, by seat."""
    first_by_place: tuple[int, ...]
    """The same number by the seat's place in the order of asking."""
    chance_seat: float
    """The probability that chance alone spreads `first_by_seat` at least so unevenly (chi-square)."""
    chance_place: float
    """The same for `first_by_place`."""
    quickest: float
    """Share of the windows in which the faster bot had the least time; 0 where there is none."""
    announced: float
    """Share of the windows in which the faster bot was announced first; 0 where there is none."""
    lateness_ms: float
    """The longest time in which the referee did not look at its pipes."""


class Window(Struct, frozen=True):
    """A slap window, and the seat of the faster bot; None where all are identical."""

    move: GivenSlaps
    faster: int | None


async def race(pump: Pump, scenario: Scenario, windows: int, *, within_s: float = math.inf) -> Outcome:
    """Play matches until they have had this many windows, or for so long; raises HostFault where the host spoils one.

    The match that is being played when the time is over is played to its end.
    """
    found, lateness_ms = await raced(pump, scenario, windows, within_s=within_s)
    return summary(found, scenario, lateness_ms=lateness_ms)


async def raced(
    pump: Pump, scenario: Scenario, windows: int, *, within_s: float = math.inf
) -> tuple[list[Window], float]:
    """Windows, as `race` plays them, and the longest time in milliseconds in which the referee read no pipe.

    Raises HostFault where the host spoils a match.
    """
    found: list[Window] = []
    lags_us: list[int] = []
    end_s = trio.current_time() + within_s

    async def play_on(first: int) -> None:
        number = first
        while len(found) < windows and (not found or trio.current_time() < end_s):
            faster = number % SEATS if scenario.faster_us else None
            record = await play(pump, _setup(scenario, faster, windows))
            found.extend(Window(move, faster) for move in record.moves if isinstance(move, GivenSlaps))
            lags_us.append(record.lag_us)
            number += 1 + scenario.beside

    async with trio.open_nursery() as nursery:
        for first in range(1 + scenario.beside):
            nursery.start_soon(partial(play_on, first))
    return found[:windows], max(lags_us) / 1e3


def summary(windows: Sequence[Window], scenario: Scenario, *, lateness_ms: float) -> Outcome:
    """What these windows came to; raises HostFault if nobody answered in any."""
    slaps: list[float] = []
    excess: list[float] = []
    behind: list[float] = []
    by_seat, by_place = [0] * SEATS, [0] * SEATS
    quickest = announced = 0
    for window in windows:
        times = times_us(window.move.reactions)
        slaps += times.values()
        for seat, us in times.items():
            excess.append(us - scenario.work_us + (scenario.faster_us if seat == window.faster else 0))
        if window.faster is None:
            behind += (us - min(times.values()) for us in sorted(times.values())[1:])
        elif times:
            quickest += min(times, key=times.__getitem__) == window.faster
        for seat in window.move.order[:1]:
            by_seat[seat] += 1
            by_place[window.move.asked.index(seat)] += 1
            announced += seat == window.faster
    if not excess:
        raise HostFault("no bot answered within the time for a slap")
    return Outcome(
        level=scenario.confinement.isolation,
        slap_timing=scenario.slap_timing,
        seats=SEATS,
        work_us=scenario.work_us,
        faster_us=scenario.faster_us,
        windows=len(windows),
        disturbed=sum(bool(window.move.disturbed) for window in windows),
        late=sum(reaction.late for window in windows for reaction in window.move.reactions),
        median_us=quantile(slaps, 0.5),
        excess_p50_us=quantile(excess, 0.5),
        excess_p90_us=quantile(excess, 0.9),
        excess_p99_us=quantile(excess, 0.99),
        behind_p50_us=quantile(behind, 0.5),
        behind_p90_us=quantile(behind, 0.9),
        behind_p99_us=quantile(behind, 0.99),
        first_by_seat=tuple(by_seat),
        first_by_place=tuple(by_place),
        chance_seat=round(chance_of(by_seat), 4),
        chance_place=round(chance_of(by_place), 4),
        quickest=quickest / len(windows),
        announced=announced / len(windows),
        lateness_ms=round(lateness_ms, 1),
    )


def times_us(reactions: Sequence[Reaction]) -> dict[int, float]:
    """The corrected times of those that answered in time, by seat."""
    return {one.seat: one.corrected_us for one in reactions if one.corrected_us is not None and not one.late}


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies; 0 if there are none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else 0.0


def chance_of(counts: Sequence[int]) -> float:
    """The probability that equally likely outcomes fall at least as unevenly as these counts (chi-square).

    Each seat is the discarder, who comes last in a photo finish, about equally often. This makes the counts of the
    seats a little more even than chance alone.
    """
    from scipy.stats import chisquare  # noqa: PLC0415 - it takes a while, and only a race needs it

    return float(chisquare(counts).pvalue) if any(counts) else 1.0


def _setup(scenario: Scenario, faster: int | None, windows: int) -> MatchSetup:
    """A match in which every seat starts a round equally often, because the discarder comes last in a photo finish."""
    key = secrets.token_bytes(32)
    turns = min(scenario.rounds, windows // WINDOWS) // SEATS  # how often each seat starts a round
    work_us = [scenario.work_us - (scenario.faster_us if seat == faster else 0) for seat in range(SEATS)]
    return MatchSetup(
        variant=with_options("cactus", {"rounds": SEATS * max(1, turns), "limit": None, "fixed_starter": True}),
        name="cactus",
        bots=tuple(racer(scenario, name=f"bot{seat}", work_us=work_us[seat]) for seat in range(SEATS)),
        seeds=tuple(bot_seed(key, 0, seat) for seat in range(SEATS)),
        deal_key=key,
        # A slow host shall show in the figures, not in missing answers.
        clocks=Clocks(move_s=10.0, bank_s=1000.0, slap_s=1.0, slap_timing=scenario.slap_timing),
        faults=FaultPolicy(strikes=1_000_000),
        confinement=scenario.confinement,
        games=(GAME,),
    )


def racer(scenario: Scenario, *, name: str, work_us: int) -> BotSpec:
    """One of the bots, and how long it computes before it slaps."""
    return BotSpec(name=name, command=(*scenario.command, str(work_us)), dir=scenario.dir, env={})
