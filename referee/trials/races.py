"""Racing bots whose own work is known, in windows of real Cactus matches through the real pump, and what came of it.

The bots of a table are identical, or one of them has less to compute. Nothing here judges what is measured.
"""

import math
import secrets
import sys
from collections.abc import Sequence
from functools import partial

import trio
from msgspec import Struct

from protocol.messages import Clocks, FaultPolicy, Game, SlapTiming
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.spec import SHIPPED, BotSpec, Confinement
from referee.rules.book.variants import customised
from referee.rules.record import GivenSlaps, Reaction, Record
from referee.rules.table.streams import bot_seed

WORK_US = 500
"""What a bot computes before it slaps, by its own CPU clock."""

ROUNDS = 40
"""Of a match, at most. Wrong slaps soon empty the stock, which ends a round."""

WINDOWS = 6
"""Of a round, roughly."""

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
"""Slaps a card of its own in every window, right or wrong, and never knocks: every seat has the same work."""

PYTHON = (sys.executable, "-c", PYTHON_BOT)


class Scenario(Struct, frozen=True, kw_only=True):
    """What is raced."""

    command: tuple[str, ...] = PYTHON
    """Of a bot; the microseconds that it shall compute before a slap are added."""
    seats: int = 4
    faster_us: int = 0
    """So much less one of the bots computes; 0: all are identical."""
    slap_timing: SlapTiming = "isolated"
    beside: int = 0
    """So many more matches of the same kind are played at the same time, and count too."""
    confinement: Confinement = Confinement()
    dir: str = str(SHIPPED / "random")
    """Any folder that others may read does; under `bwrap` a bot sees nothing else."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What the windows came to; times are corrected times, in microseconds."""

    windows: int
    disturbed: int
    late: int
    """Slaps that did not come in time."""
    excess_p50_us: float
    excess_p90_us: float
    excess_p99_us: float
    """What a slap took beyond the bot's own work."""
    behind_p50_us: float
    behind_p90_us: float
    behind_p99_us: float
    """Among identical bots: how far the others lay behind the quickest of their window; else 0."""
    first_by_seat: tuple[int, ...]
    """Windows in which it was announced first."""
    first_by_place: tuple[int, ...]
    """The same by the place in the order in which the seats were asked."""
    chance_seat: float
    """The probability that chance alone spreads `first_by_seat` at least so unevenly (chi-square)."""
    chance_place: float
    quickest: float
    """Share of the windows in which the faster bot had the least time; 0 where there is none."""
    announced: float
    """The same for being announced first."""


class Window(Struct, frozen=True):
    """A window, and the seat of the faster bot."""

    move: GivenSlaps
    faster: int | None


async def race(pump: Pump, scenario: Scenario, windows: int) -> Outcome:
    """Play matches until there are so many windows; raises HostFault where the host spoils one."""
    found: list[Window] = []

    async def play_on(first: int) -> None:
        number = first
        while len(found) < windows:
            faster = number % scenario.seats if scenario.faster_us else None
            record = await play(pump, _setup(scenario, faster, windows))
            found.extend(Window(move, faster) for move in _windows(record))
            number += 1 + scenario.beside

    async with trio.open_nursery() as nursery:
        for first in range(1 + scenario.beside):
            nursery.start_soon(partial(play_on, first))
    return summary(found[:windows], scenario)


def _windows(record: Record) -> list[GivenSlaps]:
    return [move for move in record.moves if isinstance(move, GivenSlaps)]


def summary(windows: Sequence[Window], scenario: Scenario) -> Outcome:
    """What these windows came to; raises HostFault if nobody answered in any."""
    excess: list[float] = []
    behind: list[float] = []
    by_seat, by_place = [0] * scenario.seats, [0] * scenario.seats
    quickest = announced = 0
    for window in windows:
        times = times_us(window.move.reactions)
        for seat, us in times.items():
            excess.append(us - WORK_US + (scenario.faster_us if seat == window.faster else 0))
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
        windows=len(windows),
        disturbed=sum(bool(window.move.disturbed) for window in windows),
        late=sum(reaction.late for window in windows for reaction in window.move.reactions),
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
    )


def times_us(reactions: Sequence[Reaction]) -> dict[int, float]:
    """The times of those that answered in time, by seat."""
    return {one.seat: one.corrected_us for one in reactions if one.corrected_us is not None and not one.late}


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies; 0 of none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else 0.0


def chance_of(counts: Sequence[int]) -> float:
    """The probability that equally likely outcomes fall at least as unevenly as these counts (chi-square).

    Each seat is the discarder, who comes last in a photo finish, about equally often: the counts of the seats are a
    little more even than by chance.
    """
    expected = sum(counts) / len(counts)
    if not expected:
        return 1.0
    x = sum((count - expected) ** 2 for count in counts) / expected
    return _upper_gamma((len(counts) - 1) / 2, x / 2)


def _upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function where 2a is whole: Q(a + 1, x) = Q(a, x) + x^a exp(-x) / a!."""
    if x == 0:
        return 1.0
    step = 0.5 if a % 1 else 1.0
    value = math.erfc(math.sqrt(x)) if a % 1 else math.exp(-x)
    while step < a:
        value += math.exp(step * math.log(x) - x - math.lgamma(step + 1))
        step += 1
    return min(1.0, value)


def _setup(scenario: Scenario, faster: int | None, windows: int) -> MatchSetup:
    """A match. Every seat starts, and so discards, equally often: the discarder comes last in a photo finish."""
    key = secrets.token_bytes(32)
    seats = range(scenario.seats)
    work = [WORK_US - (scenario.faster_us if seat == faster else 0) for seat in seats]
    turns = min(ROUNDS, windows // WINDOWS) // scenario.seats  # in which each seat starts a round
    rounds = scenario.seats * max(1, turns)
    return MatchSetup(
        variant=customised("cactus", {"rounds": rounds, "limit": None, "fixed_starter": True}),
        name="cactus",
        bots=tuple(
            BotSpec(name=f"bot{seat}", command=(*scenario.command, str(work[seat])), dir=scenario.dir, env={})
            for seat in seats
        ),
        seeds=tuple(bot_seed(key, 0, seat) for seat in seats),
        deal_key=key,
        # A slow host shall show in the figures, not in missing answers.
        clocks=Clocks(move_s=10.0, bank_s=1000.0, slap_s=1.0, slap_timing=scenario.slap_timing),
        faults=FaultPolicy(strikes=1_000_000),
        confinement=scenario.confinement,
        games=(Game(variant="cactus", name="cactus", seats=scenario.seats),),
    )
