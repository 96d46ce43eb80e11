"""A round-robin or gauntlet that is played for some hours: its deals in parts, so that it can end after each.

A part is the next so many line-ups of every variant, in the order of the fixed plan. Wherever the run ends, no line-up
has played more than one deal more than another, and which have played more follows from the key alone.
"""

from referee.tournament.plan.rounds import End, Field, Past, Round
from referee.tournament.plan.schedule import all_lineups


def hours_are_over(hours: float) -> End:
    """The end of a run whose time is over. It hangs on a clock, so that nobody can draw it again."""
    return End(reason=f"its time is over (hours = {hours:g})")


def next_round(field: Field, past: Past) -> Round | End:
    """The first line-ups that have not been drawn, of the first deal of which there are any."""
    rules = field.stages[0]
    owners = {bot.name: bot.owner for bot in field.bots} if field.apart else None
    bots = [bot.name for bot in field.bots]
    every = [all_lineups(bots, one.seats, owners=owners, challengers=rules.challengers) for one in field.variants]
    most = max(len(some) for some in every)
    lineups = most if rules.lineups is None else min(rules.lineups, most)
    for deal in range(rules.deals):
        taken = sorted(one.lineups or (0, lineups) for one in past.rounds if one.whole_deal == deal)
        first = 0
        for start, end in taken:
            if first < start:
                break
            first = max(first, end)
        if first < lineups:
            later = [start for start, _ in taken if start > first]
            until = min([first + (rules.lineups_a_round or lineups), lineups, *later])
            title = f"deal {deal + 1} of at most {rules.deals}, line-ups {first + 1} to {until} of {lineups}"
            number = past.rounds[-1].number + 1 if past.rounds else 0
            return Round(number=number, title=title, whole_deal=deal, lineups=(first, until))
    return End(reason=f"all {rules.deals} deals are played")
