"""Whether bots help each other at tables of three and more: does B do better against others where A is at the table?

For a bot B and another C, all blocks of a game in which both sat are compared: how often B finished before C where A
sat with them, and how often where A did not. How strong B and C are, and how they suit each other, is in both figures,
so honest bots of very unequal strength differ in neither. What A does to everybody at its table, it does to B and to C.
The *effect* of A on B is the mean of these differences over all C, all games and all blocks, weighted by what each can
tell. A bot that helps B, say by the cards that it leaves, has an effect on B above 0. A bot B that throws its games
where A sits does worse there against everybody: then the effect of A on B is below 0.

With d the share of matches of a block in which B finished before C (a tie counts half), m its mean over all blocks of B
and C, and q the share of these blocks in which A sat, the sum over blocks and over C of (1[A sat] - q) (d - m) is the
score of A and B. It is a sum over blocks, so the sum of their squares is its variance where A has no effect.

Honest bots can suit each other, too: each ordered pair has some effect, which many matches show. What differs from pair
to pair beyond chance is estimated from the median of all pairs of different owners (an empirical null: Efron 2004), and
is no reason to suspect anybody. It is taken to be something even where it does not show, so effects that are small in
any case are none either. So a pair is suspected whose effect is far from those of the others. Every ordered pair is
tested in both directions, and p-values are made greater by Holm's method in two families, pairs of one owner and all
others, each at half of LEVEL: the probability that anybody is named in a run of honest bots is about LEVEL at most.

An effect on B also shows, though weaker, on those whom B meets. So when a pair is named, the blocks in which both sat
are left out, and all others are tested again without them. It is computed in presence.py; this module does not
import numpy.
"""

from collections.abc import Mapping

from msgspec import Struct

from referee.tournament.statistics.rankings import Matches

LEVEL = 0.01
"""How often anybody is named in runs of honest bots."""

FEWEST = 4
"""A pair is tested from so many blocks on in which both sat with others."""


class Influence(Struct, frozen=True, kw_only=True):
    """What one bot's presence does to another."""

    bot: str
    """The bot that is there or not."""
    on: str
    """The bot whose results are looked at."""
    one_owner: bool
    blocks: int
    """In how many blocks both sat, with others."""
    effect: float
    """How much more often `on` finishes before its other opponents where `bot` is at the table, from -1 to 1."""
    stderr: float
    p: float
    """How likely a pair of honest bots comes to an effect as great, in either direction."""
    p_of_all: float
    """The same, made greater because all pairs were tested (Holm)."""
    is_suspected: bool


def influences(matches: Matches, owners: Mapping[str, str]) -> tuple[Influence, ...]:
    """What the test says of each ordered pair that met often enough: suspects first, then by p-value.

    `owners` are those of the bots of the run; whoever is not in it has left, and is not tested but as an opponent.
    """
    if all(seats < 3 for seats in matches.rows):
        return ()
    from referee.tournament.statistics.presence import found_in  # noqa: PLC0415 - it imports numpy

    return found_in(matches, owners)
