"""What timing slaps costs the other matches: bots frozen meanwhile, beside waiting until every other bot has answered.

    python tests/benchmarks/freezing.py [REPETITIONS]

Matches of Cactus between bots that think for 20 ms a decision and pass in windows at once. Prints decisions a second of
one match, and of four side by side both ways, as medians; the ratios are what can be compared between machines.
"""

import statistics
import sys
import time
from collections import deque
from typing import Any
from unittest.mock import patch

from protocol.messages import Clocks, FaultPolicy
from referee.play import session
from referee.play.match import MatchSetup, play
from referee.play.pump import pump as pump_module
from referee.play.pump.clock import NEVER_NS
from referee.play.pump.in_flight import MatchInFlight
from referee.play.pump.pump import Pump
from referee.play.pump.slap_timer import SlapTimer
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement
from referee.rules.book.variants import customised
from referee.rules.record import Given, GivenSlaps, Record
from referee.trials.races import PYTHON_BOT

THINKER = PYTHON_BOT.replace('WISHES = "slap", ', "WISHES = ").replace(
    "        action =", '        if message["decision"] != "slap": time.sleep(0.02)\n        action ='
)
SEATS = 4
MATCHES = 4
RETRY_NS = 100_000


class DrainingTimer(SlapTimer):
    """Times a window once no bot owes an answer any more."""

    async def _try_window(self, now_ns: int, *, are_frozen: bool = False) -> MatchInFlight | None:
        if any(channel.owes_answer for channel in self._bots):
            self._retry_ns = now_ns + RETRY_NS
            return None
        return await super()._try_window(now_ns, are_frozen=are_frozen)


class Draining(Pump):
    """A pump that asks nothing new while a window waits."""

    def __init__(self, *given: Any, **named: Any) -> None:
        with patch.object(pump_module, "SlapTimer", DrainingTimer):
            super().__init__(*given, **named)
        self._held_back: deque[MatchInFlight] = deque()

    def _advance(self, match: MatchInFlight) -> None:
        if self._slap_timer.due_ns() < NEVER_NS and match.exchange is not None:
            self._held_back.append(match)
            return
        super()._advance(match)
        while self._held_back and self._slap_timer.due_ns() == NEVER_NS:
            super()._advance(self._held_back.popleft())


def decisions_a_second(matches: int, pump: type[Pump]) -> float:
    """The decisions a second of this many matches side by side."""
    bot = BotSpec(name="thinker", command=(sys.executable, "-c", THINKER), dir="/", env={})
    setup = MatchSetup(
        variant=customised("cactus", {"rounds": 2, "limit": None}),
        name="cactus",
        bots=(bot,) * SEATS,
        seeds=(0,) * SEATS,
        deal_key=b"benchmark",
        clocks=Clocks(),
        faults=FaultPolicy(),
        confinement=Confinement(),
        games=(),
    )
    records: list[Record] = []

    async def work(pump: Pump) -> None:
        records.append(await play(pump, setup))

    start = time.perf_counter()
    with patch.object(session, "Pump", pump):
        run_session([work] * matches)
    asked = [
        len(move.asked) if isinstance(move, GivenSlaps) else isinstance(move, Given)
        for record in records
        for move in record.moves
    ]
    return sum(asked) / (time.perf_counter() - start)


def main() -> None:
    """Measure and print."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ways = {"1 match": (1, Pump), "4 matches, frozen": (MATCHES, Pump), "4 matches, drained": (MATCHES, Draining)}
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repetitions):
        for name, (matches, pump) in ways.items():
            found[name].append(decisions_a_second(matches, pump))
    medians = {name: statistics.median(rates) for name, rates in found.items()}
    print(f"{'':20}{'decisions/s':>12}{'of 1 match':>12}   (medians of {repetitions})")
    for name, rate in medians.items():
        print(f"{name:20}{rate:12.0f}{rate / medians['1 match']:12.2f}")
    print(f"frozen is {medians['4 matches, frozen'] / medians['4 matches, drained']:.2f} of drained")


if __name__ == "__main__":
    main()
