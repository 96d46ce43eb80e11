"""A match of a plan: where it stands there, who sits where, on which deal; and the game as blocks play it.

Workers and single matches know this much of a plan, and do not wait for the rest of it.
"""

from msgspec import Struct
from msgspec.structs import replace

from referee.rules.variants import Variant

Lineup = tuple[int, ...]
"""Bots that meet at a table, as indexes."""


class PlannedMatch(Struct, frozen=True, kw_only=True):
    """A match that is to be played."""

    number: int
    """The match's number, from 0, in the order of the plan."""
    variant: str
    block: int
    """The block's number, from 0. All rotations of one line-up on one deal share it; no other match has it."""
    lineup: Lineup
    """The bots by seat, each as its index in the config."""
    rotation: int
    """The rotation's number, from 0. With each, every bot moves one seat down, and the bot of seat 0 to the highest."""
    deal: int
    deal_key: bytes
    redeals: int = 0
    """How often other cards were dealt in place of those that a voided match had shown."""
    versions_before: tuple[int, ...] = ()
    """By seat, how many versions the bot had before in the run; empty if all are 0. The deal key depends on it."""


BlockKey = tuple[str, tuple[str, ...], int, tuple[int, ...]]
"""A match's place in the tournament: its variant, the names of its bots by seat, its deal, and how many versions each
bot had before, by seat; empty if all are 0."""

Entry = tuple[str, str, int]
"""A version of a bot in a run: the bot's name, the version, and how many versions the bot had before."""


class Identity(Struct, frozen=True, kw_only=True):
    """Which match it is, whatever its number in a plan. Two with the same identity are the same match.

    Names and versions of bots are by seat.
    """

    variant: str
    game: str
    """Tells apart games that a run has had under the same name."""
    bots: tuple[str, ...]
    versions: tuple[str, ...]
    deal: int
    rotation: int
    versions_before: tuple[int, ...] = ()
    """How many versions each bot had before in the run, by seat; empty if all are 0."""

    @property
    def place(self) -> BlockKey:
        """Where in the tournament it belongs."""
        return self.variant, self.bots, self.deal, self.versions_before

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The versions of the bots that play it, by seat."""
        before = self.versions_before or (0,) * len(self.bots)
        return tuple(zip(self.bots, self.versions, before, strict=True))


CACTUS_ROUNDS = 20
"""How many rounds a Cactus match has at most where the config sets no number (AMB-46)."""


def for_blocks(variant: Variant) -> Variant:
    """The variant as blocks play it: all rotations start alike (AMB-82), and Cactus has a cap on rounds."""
    if not variant.has("fixed_starter"):
        return variant
    rounds = variant.options.rounds or CACTUS_ROUNDS
    return replace(variant, options=replace(variant.options, fixed_starter=True, rounds=rounds))
