"""What is drawn next: hands the field and the past to the format that is played."""

from collections.abc import Collection, Sequence

from referee.tournament.formats import stages
from referee.tournament.formats.swiss import sizes_of
from referee.tournament.formats.table import FORMATS
from referee.tournament.plan.deals import WholeDeals
from referee.tournament.plan.rounds import DrawInput, End, History, Round


def next_round(field: DrawInput, past: History) -> Round | End:
    """What follows once all matches of the past have ended, the same for whoever asks."""
    several = len(field.stages) > 1
    drawn = (stages if several else FORMATS[field.stages[0].format].drawing).next_round(field, past)
    if isinstance(drawn, Round) and drawn.whole_deal is None and not drawn.tables:
        raise ValueError(f"a round without tables was drawn: {drawn.title}")
    return drawn


def hours_are_over(hours: float) -> End:
    """The end of a run whose time is over. It depends on a clock, so it cannot be drawn again."""
    return End(reason=f"its time is over (hours = {hours:g})")


def needs_results(field: DrawInput) -> bool:
    """Whether rounds are drawn from results. Else they are drawn from `History.meetings` alone."""
    return len(field.stages) > 1 or FORMATS[field.stages[0].format].needs_results


def will_not_play(field: DrawInput, rounds: Sequence[Round], played: Collection[str]) -> list[str]:
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
    usual_rounds = FORMATS[rules.format].usual_rounds
    most = rules.rounds or (usual_rounds and usual_rounds(len(names), sizes_of(field.variants)))
    is_last = most is not None and len(drawn) >= most and len(seated) >= (rules.advance or 0)
    late = {*names}.intersection(entered) - seated if is_last else set[str]()
    of_stage = f" of stage {stage + 1}" * (len(field.stages) > 1)
    where = f"the [[stages]]{of_stage}" if of_stage else "[tournament]"
    found = {
        f"stage {stage + 1} has begun; --fresh begins a run in which they play": outside,
        f"the last round{of_stage} is drawn; rounds = {len(drawn) + 1} in {where} lets them play": late,
    }
    return [f"no match in this run: {', '.join(sorted(bots))} ({why})" for why, bots in found.items() if bots]


def most_matches(field: DrawInput, whole: WholeDeals) -> int | None:
    """How many matches the tournament has at most. None where nobody knows. `whole` has all deals as a whole."""
    row = FORMATS[field.stages[0].format]
    if len(field.stages) > 1:
        return stages.most_matches(field)
    return len(whole) if row.has_whole_deals else row.drawing.most_matches(field)
