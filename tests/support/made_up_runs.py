"""Results and summaries of runs that nobody played."""

from collections.abc import Sequence
from typing import Any

from referee.tournament.results import Result
from referee.tournament.standings import BotStanding
from referee.tournament.summary import Lateness, RunSummary


def made_up_result(
    bots: Sequence[str],
    totals: Sequence[int],
    *,
    number: int = 0,
    game: str = "game",
    block: int = 0,
    deal: int = 0,
    rotation: int = 0,
    rounds: int = 1,
) -> Result:
    """A match that came out like this, by seat, and in which no bot was at fault."""
    return Result(
        number=number,
        variant=game,
        block=block,
        deal=deal,
        rotation=rotation,
        bots=tuple(bots),
        totals=tuple(totals),
        ranks=tuple(1 + sum(other < own for other in totals) for own in totals),
        rounds=rounds,
        forfeited=(False,) * len(bots),
        faults=({},) * len(bots),
        late_slaps=(0,) * len(bots),
    )


def made_up_summary(standings: Sequence[BotStanding], *, matches: int, **more: Any) -> RunSummary:
    """What a run with these standings comes to, all of whose matches were played. `more` are fields of it."""
    fields: dict[str, Any] = {
        "name": "a run",
        "matches": matches,
        "planned": matches,
        "voided": 0,
        "void_reasons": {},
        "unplayed": (),
        "lateness": Lateness(worst_ms=0, above_100_ms=0),
        "counts_cpu": True,
        "results": (),
        "retired": (),
        "history": (),
        "version": "",
        "host": "",
        "isolation": "none",
        "rotations": "same",
        "reuse": "match",
        "slap_timing": None,
        "bots": (),
        "rank_by": "match-points",
        "scoring_tables": {},
        "commitment": "",
        "key": None,
        "digest": "",
        "standings": tuple(standings),
        "variants": {},
        "crosstable": {},
    }
    return RunSummary(**{**fields, **more})
