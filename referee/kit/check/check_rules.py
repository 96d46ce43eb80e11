"""By which rules a bot is checked, besides its games: those of the specification, or those of a competition."""

from collections.abc import Sequence

from msgspec import Struct

from protocol.messages import Clocks, FaultPolicy
from referee.kit.check.games import CROWDS, POSITIONS, GameToTry


class CheckRules(Struct, frozen=True, kw_only=True):
    """The clocks and faults that each `match` announces, and what is played besides the games themselves."""

    clocks: Clocks = Clocks()
    faults: FaultPolicy = FaultPolicy()
    positions: Sequence[GameToTry] = POSITIONS
    """In which a bot is asked what it has not been asked before, after the dice have played up to there."""
    tries: int = 3
    """How often each of them may be played for that."""
    crowds: Sequence[GameToTry] = CROWDS
    """The largest tables."""
    only_these: bool = False
    """Whether no other game may be played than these, nor with other options: those of a competition."""
    reuses: bool = True
    """Whether a process plays several matches."""


BY_THE_BOOK = CheckRules()
"""The clocks that hold by default, and all that any game can bring."""
