"""A Swiss: round by round, bots of about equal standing meet that have not met yet, at tables of any size."""

from collections.abc import Iterable
from math import ceil, log2

from referee.rules.keyed_streams import Stream
from referee.tournament.figures.strengths import strengths_of
from referee.tournament.formats.seating import players_of, seat, seatable, who_plays
from referee.tournament.plan.deals import PlannedVariant
from referee.tournament.plan.meetings import PairHistory, meetings_of
from referee.tournament.plan.rounds import Block, DrawInput, End, History, Round


def next_round(field: DrawInput, past: History, *, stage: int = 0) -> Round | End:
    """The next round of this stage, whose entrants are the bots of the field.

    The bots are ordered by what they have done in the whole past; where that is equal, and in the first round, by lot.
    Games with the same number of seats share the tables of a round. Each other number has tables of its own, and those
    who have just met at the others count as having met. seating.who_plays says who sits out, seating.seat who meets.
    """
    rules = field.stages[stage]
    number = past.rounds[-1].number + 1 if past.rounds else 0
    drawn = sum(one.stage == stage for one in past.rounds)
    sizes = sizes_of(field.variants)
    if not matches_a_deal(field):
        return End(reason=f"too few bots are left for a table ({len(field.bots)})")
    rounds = rules.rounds or usual_rounds(len(field.bots), sizes)
    if drawn >= rounds:
        return End(reason=f"all {rounds} rounds of the Swiss have been played")
    meetings = meetings_of(past)
    strengths = strengths_of(meetings.scores, [bot.name for bot in field.bots])
    stream = Stream(field.master_key, f"swiss/{number}")
    lots = stream.shuffled(sorted(field.bots, key=lambda bot: bot.name))
    players = players_of(sorted(lots, key=lambda bot: -strengths[bot.name].strength), apart=field.apart)
    now = PairHistory(met=dict(meetings.met), seatings=dict(meetings.seatings))
    tables: list[Block] = []
    for seats in sizes:
        lineups = seat(who_plays(players, seats, now.seatings), seats, now.met, stream)
        now.sat(lineups)
        games = [variant.variant for variant in field.variants if variant.seats == seats]
        tables += meetings.next_tables(games, lineups, rules.deals)
    return Round(number=number, title=f"Swiss round {drawn + 1} of {rounds}", stage=stage, tables=tuple(tables))


def most_matches(field: DrawInput, *, stage: int = 0) -> int:
    """How many matches this stage has if its bots stay as they are."""
    rules, matches = field.stages[stage], matches_a_deal(field)
    if not matches:
        return 0
    rounds = rules.rounds or usual_rounds(len(field.bots), sizes_of(field.variants))
    return rounds * rules.deals * matches


def matches_a_deal(field: DrawInput) -> int:
    """How many matches a round with one deal has."""
    players = players_of(field.bots, apart=field.apart)
    return sum(seatable(players, variant.seats) * variant.seats for variant in field.variants)


def sizes_of(variants: Iterable[PlannedVariant]) -> list[int]:
    """The numbers of seats that there are, from the smallest."""
    return sorted({variant.seats for variant in variants})


def usual_rounds(bots: int, sizes: Iterable[int]) -> int:
    """How many rounds are played where the config does not say it: 4 log2(bots) / seats, rounded up.

    With several sizes of tables, the seats at all of them together count, since each round has tables of every size.
    It is never more than most_rounds. tests/benchmarks/results.txt has how much this finds.
    """
    sizes = list(sizes)
    return max(1, min(ceil(4 * log2(bots) / sum(sizes)), most_rounds(bots, sizes)))


def most_rounds(bots: int, sizes: Iterable[int]) -> int:
    """How many rounds a Swiss has at most: as many as a bot has opponents, or, where that is more, as many as there can
    be without two that meet again."""
    in_a_round = sum((bots // seats) * (seats * (seats - 1) // 2) for seats in sizes)
    return max(bots - 1, bots * (bots - 1) // 2 // max(1, in_a_round))
