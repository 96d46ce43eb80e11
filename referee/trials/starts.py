"""Starting a tiny Python bot under a level of isolation: whether that works on this host, and how long it takes."""

import statistics

from msgspec import Struct

from referee.play.faults import HostFault, Missing
from referee.play.greeting import greet
from referee.play.pump.pump import Pump
from referee.play.sandbox.levels import bubblewrap
from referee.play.spec import Confinement, Isolation
from referee.trials.races import GAME, Scenario, racer

STARTS = 3
"""How often the bot is started under each level."""

_START_S = 10.0


class Level(Struct, frozen=True, kw_only=True):
    """A level of isolation on this host."""

    name: Isolation
    available: bool
    """Whether a bot has been started under it."""
    problem: str = ""
    """Why not; empty if it was."""
    remedy: str = ""
    """What the organiser can do about it; may be empty."""
    start_ms: float | None = None
    """Median time from the start of a Python bot to its `ready`; None where it did not get there."""


async def try_start(pump: Pump, confinement: Confinement) -> Level:
    """Start the bot a few times, one after another, until it does not start."""
    name = confinement.isolation
    bot = racer(Scenario(confinement=confinement), name="bot", work_us=0)
    starts_s: list[float] = []
    try:
        if name == "bwrap":
            bubblewrap()
        while len(starts_s) < STARTS:
            (one,) = await greet(pump, [bot], games=(GAME,), confinement=confinement, start_s=_START_S)
            if one.mishap is not None:
                words = one.stderr.strip().splitlines()[-1:]
                return Level(name=name, available=False, problem="; ".join([one.mishap.detail, *words]))
            starts_s.append(one.start_s)
    except Missing as missing:
        return Level(name=name, available=False, problem=missing.reason, remedy=missing.remedy)
    except HostFault as fault:
        return Level(name=name, available=False, problem=str(fault))
    return Level(name=name, available=True, start_ms=round(1e3 * statistics.median(starts_s), 1))
