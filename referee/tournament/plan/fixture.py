"""A match of a plan: where it stands there, who sits where, and on which deal.

Workers and single matches know this much of a plan, and do not wait for the rest of it.
"""

from msgspec import Struct

Lineup = tuple[int, ...]
"""Bots that meet at a table, as indexes."""


class Fixture(Struct, frozen=True, kw_only=True):
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
