"""What `golfref match` is asked to do, and what follows from that before anything is played."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from protocol.cards import Card
from protocol.messages import Clocks, FaultPolicy
from referee.play.spec import BotSpec, Confinement
from referee.rules.variants import Variant


class Ordered(Struct, frozen=True, kw_only=True):
    """What `golfref match` is asked to do."""

    variant: str
    changes: Mapping[str, Any]
    bots: list[str]
    folders: list[str]
    games: int
    fixed_seats: bool
    verbose: bool
    seed: str | None
    deck: Path | None
    record: Path | None
    as_json: bool
    isolation: str
    clocks: Clocks
    faults: FaultPolicy
    strict: bool
    show_stderr: bool

    @property
    def rotates(self) -> bool:
        """Whether the bots change seats from game to game."""
        return self.games > 1 and not self.fixed_seats and len(self.bots) > 1


class Table(Struct, frozen=True, kw_only=True):
    """What stays the same in all games of a command."""

    variant: Variant
    bots: tuple[BotSpec, ...]
    """As they were given."""
    confinement: Confinement
    seed: str
    decks: tuple[tuple[Card, ...], ...] | None
