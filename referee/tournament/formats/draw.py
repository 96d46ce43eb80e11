"""What is drawn next: hands the field and the past to the format that is played."""

from collections.abc import Collection, Mapping, Sequence

from referee.tournament.figures.blocks import table_of
from referee.tournament.figures.compare import Comparer
from referee.tournament.figures.ratings import Field as Ratings
from referee.tournament.figures.stopping import Look, Progress, by_means, by_ratings, judge, no_look
from referee.tournament.formats import knockout, ladder, round_robin, stages, swiss
from referee.tournament.formats.stages import Drawing
from referee.tournament.plan.deals import WholeDeals
from referee.tournament.plan.rounds import End, Field, Format, Past, Round, StageRules, StopRules

_FORMATS: Mapping[Format, Drawing] = {"knockout": knockout, "ladder": ladder, "swiss": swiss}
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


def hours_are_over(hours: float) -> End:
    """The end of a run whose time is over. It depends on a clock, so it cannot be drawn again."""
    return End(reason=f"its time is over (hours = {hours:g})")


def needs_results(field: Field) -> bool:
    """Whether rounds are drawn from results. Else they are drawn from `Past.meetings` alone."""
    return len(field.stages) > 1 or field.stages[0].format not in _BY_SUMS


def will_not_play(field: Field, rounds: Sequence[Round], played: Collection[str]) -> list[str]:
    """Which bots have no table in the stage that is played and will get none, with what lets them play, in words.

    Those in `played` have matches, perhaps at tables of bots that have left the run.
    """
    if not rounds:
        return []
    stage, names = rounds[-1].stage, [bot.name for bot in field.bots]
    rules, drawn = field.stages[stage], [one for one in rounds if one.stage == stage]
    entered = drawn[0].entered or names
    seated = {bot for one in drawn for table in one.tables for bot in table.bots}.union(played)
    ever_seated = seated | {bot for one in rounds for table in one.tables for bot in table.bots}
    outside = {*names}.difference(entered, ever_seated)
    most = _most_rounds(field, rules)
    is_last = most is not None and len(drawn) >= most and len(seated) >= (rules.advance or 0)
    late = {*names}.intersection(entered) - seated if is_last else set[str]()
    of_stage = f" of stage {stage + 1}" * (len(field.stages) > 1)
    where = f"the [[stages]]{of_stage}" if of_stage else "[tournament]"
    found = {
        f"stage {stage + 1} has begun; --fresh begins a run in which they play": outside,
        f"the last round{of_stage} is drawn; rounds = {len(drawn) + 1} in {where} lets them play": late,
    }
    return [f"no match in this run: {', '.join(sorted(bots))} ({why})" for why, bots in found.items() if bots]


def _most_rounds(field: Field, rules: StageRules) -> int | None:
    """How many rounds are drawn at most; None where bots that come are taken in without a round of their own."""
    if rules.format == "swiss":
        return rules.rounds or swiss.usual_rounds(len(field.bots), swiss.sizes_of(field.variants))
    return rules.rounds if rules.format == "ladder" else None


def most_matches(field: Field, whole: WholeDeals) -> int | None:
    """How many matches the tournament has at most. None where nobody knows. `whole` has all deals as a whole."""
    format_ = field.stages[0].format
    if len(field.stages) > 1:
        return stages.most_matches(field, _STAGES)
    return _FORMATS[format_].most_matches(field) if format_ in _FORMATS else len(whole)


def look_at(field: Field, past: Past) -> Look:
    """What is known after the last round of a tournament with [stop] that plays whole deals."""
    rules, stop = field.stages[0], field.stop or StopRules()
    progress = Progress(played=len(past.rounds), planned=max(rules.deals, len(past.rounds)))
    if (look := no_look(progress)) is not None:
        return look
    table = table_of(result for results in past.played for result in results)
    bots = rules.challengers or tuple(bot.name for bot in field.bots)
    if rules.lineups is not None:
        known = by_ratings(Ratings(table, bots), bots)
    else:
        known = by_means(Comparer(table), bots, [planned.variant for planned in field.variants])
    return judge(known, progress, when=stop.when, difference=stop.difference, precision=stop.precision)


def _whole_deal(field: Field, past: Past) -> Round | End:
    """The next deal of all line-ups, until all deals are played or what `stop` asks for is known."""
    played, deals = len(past.rounds), field.stages[0].deals
    look = look_at(field, past) if field.stop is not None and played else None
    if look is not None and (look.is_settled or played >= deals):
        return End(reason=look.words)
    if played >= deals:
        return End(reason=f"all {deals} deals are played")
    return Round(
        number=played, title=f"deal {played + 1} of {deals}", whole_deal=played, known=look.with_pairs if look else ""
    )
