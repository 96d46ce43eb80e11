"""What a tournament plays, where that is not known when it begins: rounds that are drawn one after another.

A round is drawn when all matches before it have ended, from the key, the names of the bots and the results. It is
written down before it is played, so that a run goes on with it, and anybody can draw it again. This module must not
know how rounds are drawn or kept.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

from referee.tournament.plan.deals import PlannedVariant
from referee.tournament.results import Result

if TYPE_CHECKING:
    from referee.tournament.plan.meetings import PairHistory

Format = Literal["round-robin", "gauntlet", "swiss", "knockout", "ladder"]
"""How it is chosen who meets whom: the rows of `formats/table.py`."""


class StageRules(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one stage of a tournament is played. What a format has no use for is not set."""

    format: Format = "round-robin"
    deals: int
    """How many deals each line-up plays: in a round-robin and a gauntlet in all (at most, where it can stop earlier),
    in a Swiss and a ladder in each round, in a knockout before a tie can be settled."""
    lineups: int | None = None
    """Line-ups of each game that are played, a balanced sample. Default: all."""
    rounds: int | None = None
    """Rounds. Default: by the number of bots; a ladder has no end."""
    advance: int | None = None
    """Bots that go on: into the next stage, or in a knockout from each table (default 1)."""
    limit: int | None = None
    """Deals of a tie of a knockout at most. Default: ten times `deals`."""
    challengers: tuple[str, ...] = ()
    """The bots that the gauntlet compares, by name."""


class StopRules(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a tournament ends before its last round. It ends when everything that is set here holds."""

    when: str | None = None
    """`all`: every pair is ordered; `top 3`: the three best bots are known."""
    difference: Annotated[float, Meta(ge=0, lt=1, description="match points")] = 0.0
    """Two bots that differ by less match points (p < 0.05, all pairs) count as settled."""
    precision: Annotated[float, Meta(gt=0, le=0.5, description="match points")] | None = None
    """Every interval of the overall table extends at most this far from its mean, in match points."""


class Entrant(Struct, frozen=True, kw_only=True):
    """A bot of the tournament, as whoever draws rounds sees it."""

    name: str
    owner: str


class Block(Struct, frozen=True, kw_only=True, array_like=True):
    """A block that is to be played: these bots meet on this deal, once with each rotation."""

    variant: str
    bots: tuple[str, ...]
    """By name, in the order of code points."""
    deal: int
    """From 0. Whenever these bots meet again in this variant, it is a later deal."""


class Round(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the plan that is drawn as a whole: either a whole deal of the fixed plan, or tables."""

    number: int
    """Counts the rounds of the run from 0."""
    title: str
    """What is printed of it, such as `Swiss round 3 of 7`."""
    stage: int = 0
    """The number of the stage, from 0."""
    whole_deal: int | None = None
    """The deal that all line-ups of the fixed plan play; None if `tables` has the blocks."""
    tables: tuple[Block, ...] = ()
    known: str = ""
    """What the rounds before it have shown, in words, if the format has such words."""
    entered: tuple[str, ...] = ()
    """Who takes part in the stage, by name, the best of the stage before first. Empty in the first stage."""


class End(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Nothing more is played."""

    reason: str
    """Why, in words, such as `the top 3 are settled after 6 of 20 deals`."""


class DrawInput(Struct, frozen=True, kw_only=True):
    """All that a drawing depends on besides what was played."""

    master_key: bytes
    bots: Sequence[Entrant]
    variants: Sequence[PlannedVariant]
    stages: Sequence[StageRules]
    """At least one."""
    stop: StopRules | None = None
    apart: bool = False
    """Whether bots of the same owner never sit at one table."""


class History(Struct, frozen=True, kw_only=True):
    """What has been drawn and played of a run."""

    rounds: Sequence[Round] = ()
    """In their order, without tables at which a bot or game sat that is no longer in the run."""
    played: Sequence[Sequence[Result]] = ()
    """By round, the results of its tables. A match that was voided every time has none."""
    former: Mapping[int, Sequence[Result]] = {}
    """By stage, results with bots that are no longer in the run, each such bot under a name that tells its version.
    They count for ratings only."""
    meetings: "PairHistory | None" = None
    """What rounds, played and former come to, for formats that need no more than these sums. None where nobody has
    made them."""
