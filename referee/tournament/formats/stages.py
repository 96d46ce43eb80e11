"""Stages: one format after another, each with the best bots of the one before.

Only its own results count in a stage. Its order is that of ratings over its results where bots meet different opponents
on purpose, and of mean match points in a round-robin; bots without a match in the stage come last, and where two are
equal at the cut, the key decides by lot. Who goes on is written into every round of the next stage, and stands from
then on, whatever is withdrawn or played afterwards.
"""

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from referee.rules.keyed_streams import Stream
from referee.tournament.figures.blocks import table_of
from referee.tournament.figures.ratings import RatedBots as Ratings
from referee.tournament.formats.table import FORMATS, ranked_by
from referee.tournament.plan.rounds import DrawInput, End, Entrant, History, Round
from referee.tournament.results import Result
from referee.tournament.tally import standings_of


def next_round(field: DrawInput, past: History) -> Round | End:
    """What follows in the stage that is played, or the first round of the next."""
    stage = past.rounds[-1].stage if past.rounds else 0
    bots = entrants(field, past, stage)
    drawn = _draw(field, past, stage, [bot.name for bot in bots])
    while isinstance(drawn, End) and stage + 1 < len(field.stages):
        going = ordered(field, past, stage)[: field.stages[stage].advance]
        stage += 1
        drawn = _draw(field, past, stage, going)
    return drawn


def entrants(field: DrawInput, past: History, stage: int) -> list[Entrant]:
    """The bots of a stage that has begun which are still in the run; in a later stage the best of the one before first.

    Of the first stage, when it is over, they are those that sat at its tables, also with bots that have left the run,
    or went on: whoever came later was never in it. Of a later stage they are those that its first round tells.
    """
    there = {entrant.name: entrant for entrant in field.bots}
    if stage == 0 and (later := [drawn for drawn in past.rounds if drawn.stage]):
        sat = {bot for drawn in past.rounds if drawn.stage == 0 for table in drawn.tables for bot in table.bots}
        sat |= {bot for result in past.former.get(0, ()) for bot in result.bots}
        return [entrant for entrant in field.bots if entrant.name in sat.union(later[0].entered)]
    first = next((drawn for drawn in past.rounds if drawn.stage == stage), None)
    if stage == 0 or first is None:
        return list(field.bots)
    return [there[name] for name in first.entered if name in there]


def results_of(field: DrawInput, past: History, stage: int) -> list[Result]:
    """The results by which a stage is ordered.

    Where ratings order it, those with bots that have left the run count too, so that nobody who leaves takes anything
    from the others. In a round-robin they do not, since the means of those who met the bot could not be compared.
    """
    former = past.former.get(stage, ()) if ranked_by(field.stages[stage]) == "ratings" else ()
    own = (played for drawn, played in zip(past.rounds, past.played, strict=True) if drawn.stage == stage)
    return [*chain.from_iterable(own), *former]


def ordered(field: DrawInput, past: History, stage: int) -> list[str]:
    """The bots of a stage, the best first, and those without a match in it last.

    The order is that of mean match points in a round-robin of all line-ups, elsewhere that of the strengths of
    figures/ratings.py. Bots that are equal are ordered by lot, drawn by the key.
    """
    names = [entrant.name for entrant in entrants(field, past, stage)]
    results = results_of(field, past, stage)
    if ranked_by(field.stages[stage]) == "ratings":
        merit = Ratings(table_of(results), names).strength
    else:
        merit = {row.bot: row.match_points or 0.0 for row in standings_of(results).overall}
    played = {bot for result in results for bot in result.bots}
    lots = {name: Stream(field.master_key, f"cut/{stage}/{name}").bits53() for name in names}
    return sorted(names, key=lambda name: (name not in played, -merit.get(name, 0.0), lots[name], name))


def most_matches(field: DrawInput) -> int | None:
    """How many matches the tournament has at most. None where nobody knows."""
    total = 0
    bots: Sequence[Entrant] = field.bots
    for stage, rules in enumerate(field.stages):
        most = FORMATS[rules.format].drawing.most_matches(replace(field, bots=bots), stage=stage)
        if most is None:
            return None
        total += most
        bots = bots[: rules.advance]
    return total


def _draw(field: DrawInput, past: History, stage: int, names: Sequence[str]) -> Round | End:
    there = {entrant.name: entrant for entrant in field.bots}
    sub = replace(field, bots=[there[name] for name in names])
    drawn = FORMATS[field.stages[stage].format].drawing.next_round(sub, past, stage=stage)
    if isinstance(drawn, End):
        return drawn
    first = next((one for one in past.rounds if one.stage == stage), None)
    whole = () if stage == 0 else first.entered if first else tuple(names)
    return replace(
        drawn, title=f"stage {stage + 1} of {len(field.stages)}: {drawn.title}", entered=drawn.entered or whole
    )
