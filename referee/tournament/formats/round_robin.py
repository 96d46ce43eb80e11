"""A round-robin or a gauntlet: all line-ups of its bots, or a sample of them, on the same deals.

By itself it is played deal by deal, each a round, so that it can stop when what [stop] asks for is known. As a stage of
several it is one round.
"""

from collections import Counter
from itertools import chain

from referee.rules.keyed_streams import Stream
from referee.tournament.figures.blocks import BlockTable, table_of
from referee.tournament.figures.compare import Comparer
from referee.tournament.figures.ratings import RatedBots
from referee.tournament.figures.stopping import Look, Progress, by_means, by_ratings, judge, no_look
from referee.tournament.plan.deals import PlannedVariant
from referee.tournament.plan.lineups import LineupRule
from referee.tournament.plan.rounds import Block, DrawInput, End, History, Round, StopRules
from referee.tournament.plan.samples import choose_lineups


def next_round(field: DrawInput, past: History, *, stage: int = 0) -> Round | End:
    """The next deal, or of a stage all tables that have not been drawn yet; the end when there are none."""
    if len(field.stages) == 1:
        return _next_deal(field, past)
    deals, tables = field.stages[stage].deals, _lacking(field, past, stage)
    if not tables:
        return End(reason=f"all {deals} deals are played")
    number = past.rounds[-1].number + 1 if past.rounds else 0
    return Round(number=number, title=f"round-robin of {len(field.bots)}", stage=stage, tables=tuple(tables))


def most_matches(field: DrawInput, *, stage: int = 0) -> int:
    """How many matches the stage has."""
    rules = field.stages[stage]
    counts = {planned.variant: _rule(field, planned).count for planned in field.variants}
    return rules.deals * sum(
        min(counts[planned.variant], rules.lineups or counts[planned.variant]) * planned.seats
        for planned in field.variants
    )


def look_at(field: DrawInput, past: History) -> Look:
    """What is known after the last deal of a tournament with [stop]."""
    progress = Progress(played=len(past.rounds), planned=max(field.stages[0].deals, len(past.rounds)))
    return no_look(progress) or judged(field, table_of(chain.from_iterable(past.played)), progress)


def judged(field: DrawInput, table: BlockTable, progress: Progress) -> Look:
    """How far the results in this table decide what [stop] asks for."""
    rules, stop = field.stages[0], field.stop or StopRules()
    bots = rules.challengers or tuple(bot.name for bot in field.bots)
    if rules.lineups is not None:
        known = by_ratings(RatedBots(table, bots), bots)
    else:
        known = by_means(Comparer(table), bots, [planned.variant for planned in field.variants])
    return judge(known, progress, when=stop.when, difference=stop.difference, precision=stop.precision)


def _next_deal(field: DrawInput, past: History) -> Round | End:
    """The next deal of all line-ups, until all deals are played or what `stop` asks for is known."""
    played, deals = len(past.rounds), field.stages[0].deals
    look = look_at(field, past) if field.stop is not None and played else None
    if played >= deals or (look is not None and look.is_settled):
        return End(reason=f"all {deals} deals are played" if look is None else look.words)
    return Round(
        number=played, title=f"deal {played + 1} of {deals}", whole_deal=played, known=look.with_pairs if look else ""
    )


def _lacking(field: DrawInput, past: History, stage: int) -> list[Block]:
    """All tables of a stage that have not been drawn yet: once it has begun, those of new bots and versions."""
    earlier = Counter((one.variant, one.bots) for drawn in past.rounds if drawn.stage < stage for one in drawn.tables)
    drawn = {one for drawn in past.rounds if drawn.stage == stage for one in drawn.tables}
    tables: list[Block] = []
    for planned in field.variants:
        had = {one.bots for one in drawn if one.variant == planned.variant}
        for bots in [*sorted(had), *_more(field, planned, stage, had)]:
            first = earlier[planned.variant, bots]
            deals = range(first, first + field.stages[stage].deals)
            tables += (Block(variant=planned.variant, bots=bots, deal=deal) for deal in deals)
    return sorted((one for one in tables if one not in drawn), key=lambda one: one.deal)


def _rule(field: DrawInput, planned: PlannedVariant) -> LineupRule:
    bots = sorted(field.bots, key=lambda entrant: entrant.name)
    owners = [entrant.owner for entrant in bots] if field.apart else ()
    return LineupRule(len(bots), planned.seats, owners=owners)


def _more(field: DrawInput, planned: PlannedVariant, stage: int, had: set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The line-ups that the stage lacks besides those that it `had`, by the names of their bots."""
    names = sorted(entrant.name for entrant in field.bots)
    wanted, purpose = field.stages[stage].lineups, f"lineups/{planned.variant}/stage/{stage}"
    there = [tuple(map(names.index, bots)) for bots in sorted(had)]
    late = {*range(len(names))}.difference(*there)
    chosen = choose_lineups(
        Stream(field.master_key, f"{purpose}/{len(had)}" if had else purpose),
        _rule(field, planned),
        wanted,
        had=there or None,
        newcomers=() if wanted is None or wanted * planned.seats < len(names) else late,
    )
    return [bots for lineup in chosen if (bots := tuple(names[bot] for bot in lineup)) not in had]
