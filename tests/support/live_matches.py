"""Matches of real bots by a referee in this process."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement
from referee.rules.check_options import with_options
from referee.rules.record import Record

PATIENT = Clocks(start_s=60.0, move_s=60.0, bank_s=600.0, slap_s=10.0)
"""A busy machine is no fault of the bots."""


def match_setup(
    bots: Sequence[BotSpec], preset: str = "six-card", options: dict[str, Any] | None = None, **more: Any
) -> MatchSetup:
    """A match between these bots, of one round unless options are given; `more` are further fields of the setup."""
    usual: dict[str, Any] = {
        "name": preset,
        "seeds": tuple(range(len(bots))),
        "deal_key": bytes(32),
        "clocks": PATIENT,
        "faults": FaultPolicy(),
        "confinement": Confinement(),
        "games": (GameMessage(variant=preset, name=preset, seats=len(bots)),),
    }
    variant = with_options(preset, {"rounds": 1} if options is None else options)
    return MatchSetup(variant=variant, bots=tuple(bots), **(usual | more))


def matches(*setups: MatchSetup) -> list[Record]:
    """The records of matches that are played side by side."""
    records: dict[int, Record] = {}

    async def work(number: int, pump: Pump) -> None:
        records[number] = await play(pump, setups[number])

    run_session([partial(work, number) for number in range(len(setups))])
    return [records[number] for number in range(len(setups))]
