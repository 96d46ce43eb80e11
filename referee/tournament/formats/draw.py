"""What is drawn next: hands the field and the past to the format that is played."""

from collections.abc import Collection, Sequence
from itertools import chain

from referee.tournament.figures.blocks import BlockTable, table_of
from referee.tournament.figures.compare import Comparer
from referee.tournament.figures.ratings import RatedBots as Ratings
from referee.tournament.figures.stopping import Look, Progress, by_means, by_ratings, judge, no_look
from referee.tournament.formats import stages
from referee.tournament.formats.swiss import sizes_of
from referee.tournament.formats.table import FORMATS, ranked_by
from referee.tournament.plan.deals import WholeDeals
from referee.tournament.plan.rounds import DrawInput, End, History, Round, StopRules


def next_round(field: DrawInput, past: History) -> Round | End:
    """What follows once all matches of the past have ended, the same for whoever asks."""
    row = FORMATS[field.stages[0].format]
    if len(field.stages) > 1:
        drawn = stages.next_round(field, past)
    elif row.has_whole_deals:
        drawn = _whole_deal(field, past)
    else:
        drawn = row.drawing.next_round(field, past)
    if isinstance(drawn, Round) and drawn.whole_deal is None and not drawn.tables:
        raise ValueError(f"a round without tables was drawn: {drawn.title}")
    return drawn


def hours_are_over(hours: float) -> End:
    """The end of a run whose time is over. It depends on a clock, so it cannot be drawn again."""
    return End(reason=f"its time is over (hours = {hours:g})")


def needs_results(field: DrawInput) -> bool:
    """Whether rounds are drawn from results. Else they are drawn from `Past.meetings` alone."""
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


def look_at(field: DrawInput, past: History) -> Look:
    """What is known after the last round of a tournament with [stop] that plays whole deals."""
    progress = Progress(played=len(past.rounds), planned=max(field.stages[0].deals, len(past.rounds)))
    return no_look(progress) or judged(field, table_of(chain.from_iterable(past.played)), progress)


def judged(field: DrawInput, table: BlockTable, progress: Progress) -> Look:
    """How far the results in this table decide what [stop] asks for."""
    rules, stop = field.stages[0], field.stop or StopRules()
    bots = rules.challengers or tuple(bot.name for bot in field.bots)
    if ranked_by(rules) == "ratings":
        known = by_ratings(Ratings(table, bots), bots)
    else:
        known = by_means(Comparer(table), bots, [planned.variant for planned in field.variants])
    return judge(known, progress, when=stop.when, difference=stop.difference, precision=stop.precision)


def _whole_deal(field: DrawInput, past: History) -> Round | End:
    """The next deal of all line-ups, until all deals are played or what `stop` asks for is known."""
    played, deals = len(past.rounds), field.stages[0].deals
    look = look_at(field, past) if field.stop is not None and played else None
    if played >= deals or (look is not None and look.is_settled):
        return End(reason=f"all {deals} deals are played" if look is None else look.words)
    return Round(
        number=played, title=f"deal {played + 1} of {deals}", whole_deal=played, known=look.with_pairs if look else ""
    )
