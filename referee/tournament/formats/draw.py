"""What is drawn next: hands the field and the past to the format that is played."""

from collections.abc import Mapping

from referee.tournament.formats import adaptive, knockout, ladder, parts, round_robin, stages, swiss
from referee.tournament.formats.stages import Drawing
from referee.tournament.plan.rounds import End, Field, Format, Past, Round
from referee.tournament.plan.schedule import Plan
from referee.tournament.statistics.stopping import look_at

_FORMATS: Mapping[Format, Drawing] = {"adaptive": adaptive, "knockout": knockout, "ladder": ladder, "swiss": swiss}
"""What draws the tables of the rounds."""

_BY_SUMS: frozenset[Format] = frozenset({"ladder", "swiss"})
"""Formats that draw from sums over the past, and need no results."""

_STAGES: Mapping[Format, Drawing] = {**_FORMATS, "round-robin": round_robin}
"""The same, where it is one stage of several. Alone, a round-robin and a gauntlet take whole deals of a fixed plan."""


def next_round(field: Field, past: Past) -> Round | End:
    """What follows once all matches of the past have ended, the same for whoever asks."""
    format_ = field.stages[0].format
    if len(field.stages) > 1:
        drawn = stages.next_round(field, past, _STAGES)
    elif format_ in _FORMATS:
        drawn = _FORMATS[format_].next_round(field, past)
    else:
        drawn = _whole_deal(field, past)
    if isinstance(drawn, Round) and drawn.whole_deal is None and not drawn.tables:
        raise ValueError(f"a round without tables was drawn: {drawn.title}")
    return drawn


def needs_results(field: Field) -> bool:
    """Whether rounds are drawn from results. Else they are drawn from `Past.meetings` alone."""
    return len(field.stages) > 1 or field.stages[0].format not in _BY_SUMS


def most_matches(field: Field, whole: Plan) -> int | None:
    """How many matches the tournament has at most. None where nobody knows. `whole` has all deals as a whole."""
    format_ = field.stages[0].format
    if len(field.stages) > 1:
        return stages.most_matches(field, _STAGES)
    return _FORMATS[format_].most_matches(field) if format_ in _FORMATS else len(whole)


def _whole_deal(field: Field, past: Past) -> Round | End:
    """The next deal of all line-ups, until all deals are played or what `stop` asks for is known."""
    if field.stages[0].lineups_a_round is not None:
        return parts.next_round(field, past)
    played, deals = len(past.rounds), field.stages[0].deals
    look = look_at(field, past) if field.stop is not None and played else None
    if look is not None and (look.is_settled or played >= deals):
        return End(reason=look.words)
    if played >= deals:
        return End(reason=f"all {deals} deals are played")
    return Round(
        number=played, title=f"deal {played + 1} of {deals}", whole_deal=played, known=look.told if look else ""
    )
