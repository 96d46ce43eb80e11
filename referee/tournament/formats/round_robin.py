"""A round-robin that is a stage of a tournament: all line-ups of its bots, or a sample of them, in one round."""

from collections import Counter

from referee.rules.table.streams import Stream
from referee.tournament.plan.deals import PlannedVariant
from referee.tournament.plan.lineups import AllLineups
from referee.tournament.plan.rounds import Block, DrawInput, End, History, Round
from referee.tournament.plan.samples import choose_lineups


def next_round(field: DrawInput, past: History, *, stage: int = 0) -> Round | End:
    """All tables of the stage that have not been drawn yet: once it has begun, those of new bots and versions."""
    deals = field.stages[stage].deals
    earlier = Counter((one.variant, one.bots) for drawn in past.rounds if drawn.stage < stage for one in drawn.tables)
    drawn = {(one.variant, one.bots, one.deal) for drawn in past.rounds if drawn.stage == stage for one in drawn.tables}
    tables: list[Block] = []
    for planned in field.variants:
        had = {bots for variant, bots, _ in drawn if variant == planned.variant}
        for bots in [*sorted(had), *_more(field, planned, stage, had)]:
            first = earlier[planned.variant, bots]
            wanted = (Block(variant=planned.variant, bots=bots, deal=first + deal) for deal in range(deals))
            tables += (one for one in wanted if (one.variant, one.bots, one.deal) not in drawn)
    if not tables:
        return End(reason=f"all {deals} deals are played")
    tables.sort(key=lambda one: one.deal)
    number = past.rounds[-1].number + 1 if past.rounds else 0
    return Round(number=number, title=f"round-robin of {len(field.bots)}", stage=stage, tables=tuple(tables))


def most_matches(field: DrawInput, *, stage: int = 0) -> int:
    """How many matches the stage has."""
    rules = field.stages[stage]
    counts = {planned.variant: len(_every(field, planned)) for planned in field.variants}
    return rules.deals * sum(
        min(counts[planned.variant], rules.lineups or counts[planned.variant]) * planned.seats
        for planned in field.variants
    )


def _every(field: DrawInput, planned: PlannedVariant) -> AllLineups:
    bots = sorted(field.bots, key=lambda entrant: entrant.name)
    owners = [entrant.owner for entrant in bots] if field.apart else ()
    return AllLineups(len(bots), planned.seats, owners=owners)


def _more(field: DrawInput, planned: PlannedVariant, stage: int, had: set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The line-ups that the stage lacks besides those that it `had`, by the names of their bots."""
    names, every = sorted(entrant.name for entrant in field.bots), _every(field, planned)
    wanted, purpose = field.stages[stage].lineups, f"lineups/{planned.variant}/stage/{stage}"
    there = [tuple(map(names.index, bots)) for bots in sorted(had)]
    late = {*range(len(names))}.difference(*there)
    chosen = choose_lineups(
        Stream(field.master_key, f"{purpose}/{len(had)}" if had else purpose),
        every,
        wanted,
        had=there or None,
        newcomers=() if wanted is None or wanted * planned.seats < len(names) else late,
    )
    return [bots for lineup in chosen if (bots := tuple(names[bot] for bot in lineup)) not in had]
