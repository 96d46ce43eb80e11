"""Plays one match in a process of its own, so that a test can say what it cost: setup on stdin, outcome on stdout.

No bot: it is what `golfref match` does, with every limit open to the test.
"""

import json
import sys

import msgspec

from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement
from referee.rules.check_options import with_options


def peak_kb():
    """The most memory that this program has had; `ru_maxrss` would count that of the one that started it too."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


given = json.loads(sys.stdin.buffer.read())
variant = with_options(given["preset"], given["options"])
setup = MatchSetup(
    variant=variant,
    name=given["preset"],
    bots=tuple(msgspec.convert(bot, BotSpec) for bot in given["bots"]),
    seeds=tuple(range(len(given["bots"]))),
    deal_key=bytes(32),
    clocks=msgspec.convert(given["clocks"], Clocks),
    faults=msgspec.convert(given["faults"], FaultPolicy),
    confinement=msgspec.convert(given["confinement"], Confinement),
    games=(GameMessage(variant=given["preset"], name=given["preset"], seats=len(given["bots"])),),
)
outcome = {"record": None, "void": ""}


async def work(pump):
    outcome["record"] = msgspec.to_builtins(await play(pump, setup))


try:
    run_session([work])
except HostFault as fault:
    outcome["void"] = str(fault)
outcome["peak_kb"] = peak_kb()
sys.stdout.buffer.write(msgspec.json.encode(outcome))
