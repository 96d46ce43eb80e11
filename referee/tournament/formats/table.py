"""The formats, a row for each: what draws its rounds, and all else that golfref asks about a format by name.

Knows the files of the formats; it must not know configs, stores or runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from referee.tournament.formats import knockout, ladder, round_robin, swiss
from referee.tournament.plan.rounds import DrawInput, End, Format, History, Round, StageRules
from referee.tournament.standings import RankedBy


class Drawing(Protocol):
    """The functions in the module of a format."""

    def next_round(self, field: DrawInput, past: History, *, stage: int = 0) -> Round | End:
        """The next round of this stage."""

    def most_matches(self, field: DrawInput, *, stage: int = 0) -> int | None:
        """How many matches the stage has at most. None without a limit."""


class Traits(Struct, frozen=True, kw_only=True):
    """The properties of a format, or of several stages as a whole."""

    ranked_by: RankedBy
    """The order of its bots. `places`: by how far they came, in a knockout or through stages."""
    keys: frozenset[str] = frozenset()
    """The keys of [tournament] and [[stages]] that not all formats have; `stop` is the table."""
    usual_deals: int = 0
    """How many deals it has if the config sets none."""
    has_whole_deals: bool = False
    """Whether it plays whole deals of line-ups that are known from the start, unless it is a stage of several."""
    needs_results: bool = True
    """Whether its rounds are drawn from results. Else they are drawn from the sums in `History.meetings`."""
    no_stage: str = ""
    """Why it cannot be a stage. Empty if it can."""
    spare_bots: int = 0
    """How many bots it needs besides those of one table."""
    most_rounds: Callable[[int, Iterable[int]], int] | None = None
    """By how many bots and which sizes of tables, the limit of `rounds`. None without a limit."""
    usual_rounds: Callable[[int, Iterable[int]], int] | None = None
    """Likewise, how many rounds it has if the config sets none."""
    is_closed: bool = False
    """Whether no bot may enter, nor `deals` change, once it has begun."""
    is_endless: bool = False
    """Whether it goes on when its hours are over, and lets bots in while it is played."""
    deciding_rounds: int | None = None
    """How many of its last rounds decide it. None: all of them, together."""


class FormatRow(Traits, frozen=True, kw_only=True):
    """A format."""

    drawing: Drawing
    """The module that draws its rounds."""


FORMATS: Mapping[Format, FormatRow] = {
    "round-robin": FormatRow(
        drawing=round_robin,
        ranked_by="means",
        keys=frozenset({"lineups", "stop", "hours", "same_owner"}),
        usual_deals=20,
        has_whole_deals=True,
    ),
    "gauntlet": FormatRow(
        drawing=round_robin,
        ranked_by="means",
        keys=frozenset({"lineups", "challengers", "stop", "hours", "same_owner"}),
        usual_deals=20,
        has_whole_deals=True,
        no_stage="does not rank all of its bots",
    ),
    "swiss": FormatRow(
        drawing=swiss,
        ranked_by="ratings",
        keys=frozenset({"rounds", "same_owner"}),
        usual_deals=4,
        needs_results=False,
        spare_bots=1,
        most_rounds=swiss.most_rounds,
        usual_rounds=swiss.usual_rounds,
        deciding_rounds=1,
    ),
    "knockout": FormatRow(
        drawing=knockout,
        ranked_by="places",
        keys=frozenset({"advance", "limit"}),
        usual_deals=4,
        is_closed=True,
        deciding_rounds=2,
    ),
    "ladder": FormatRow(
        drawing=ladder,
        ranked_by="ratings",
        keys=frozenset({"rounds", "hours", "same_owner"}),
        usual_deals=2,
        needs_results=False,
        no_stage="never ends",
        spare_bots=1,
        is_endless=True,
    ),
}

_SEVERAL_STAGES = Traits(ranked_by="places")


def traits_of(stages: Sequence[StageRules]) -> Traits:
    """The properties of what these stages are played by: of their format, where there is one stage."""
    return FORMATS[stages[0].format] if len(stages) == 1 else _SEVERAL_STAGES


def formats_with(key: str) -> list[str]:
    """The formats that have this key. None if all have it."""
    return [name for name, row in FORMATS.items() if key in row.keys]


def ranked_by(rules: StageRules) -> RankedBy:
    """The order of the bots of a stage. Ratings order a sample of line-ups, in which bots meet different opponents."""
    return "ratings" if rules.lineups is not None else FORMATS[rules.format].ranked_by
