"""Starting a tiny Python bot under a level of isolation: whether that works on this host, and how long it takes."""

import statistics

from msgspec import Struct

from referee.play.faults import HostFault
from referee.play.greeting import greet
from referee.play.pump.pump import Pump
from referee.play.spec import Confinement, Isolation
from referee.trials.races import GAME, Scenario, racer

STARTS = 3
"""How often the bot is started under each level."""

_START_S = 10.0


class Start(Struct, frozen=True, kw_only=True):
    """Whether a bot can be started under a level."""

    level: Isolation
    start_ms: float | None
    """Median time from the start of a Python bot to its `ready`; None where it did not get there."""
    problem: str
    """Why it did not; empty if it did."""


async def try_start(pump: Pump, confinement: Confinement) -> Start:
    """Start the bot a few times, one after another."""
    level = confinement.isolation
    bots = [racer(Scenario(confinement=confinement), name="bot", work_us=0)] * STARTS
    try:
        greeted = await greet(pump, bots, games=(GAME,), confinement=confinement, start_s=_START_S)
    except HostFault as fault:
        return Start(level=level, start_ms=None, problem=str(fault))
    for one in greeted:
        if one.mishap is not None:
            words = one.stderr.strip().splitlines()[-1:]
            return Start(level=level, start_ms=None, problem="; ".join([one.mishap.detail, *words]))
    median_s = statistics.median(one.start_s for one in greeted)
    return Start(level=level, start_ms=round(1e3 * median_s, 1), problem="")
