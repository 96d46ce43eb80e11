"""An adaptive tournament: after a first round of all line-ups, those play most that separate what is undecided.

Which line-ups play how often in a round follows from the rounds before, and is settled before the round is played. So
the mean of a line-up in a round is unbiased, however the round was drawn, and so is its mean over rounds with weights
that are fixed beforehand (WEIGHT for each round after the first). Pooling all blocks of a line-up would not be: bots
that were lucky early are sooner decided and play fewer blocks, which keeps their luck in.
Every line-up plays at least one block in each round, so that none is left out of any mean.

The estimate is that of a stratified sample (Cochran, Sampling Techniques, 1977, 5.3): with weight h of a round and n
blocks of a line-up in it, the variance of the line-up's mean is the sum of h**2 / n times the variance of a block.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import floor, sqrt

from referee.rules.table.streams import Stream
from referee.tournament.plan.meetings import Meetings
from referee.tournament.plan.rounds import End, Field, Past, Round, StageRules, StopRules
from referee.tournament.plan.samples import choose_lineups, more_lineups
from referee.tournament.plan.schedule import PlannedVariant
from referee.tournament.statistics.blocks import Blocks
from referee.tournament.statistics.looks import MOST_LOOKS, look_step
from referee.tournament.statistics.means import Figures
from referee.tournament.statistics.stopping import Look, Pair, Parts, every_lineup, judge, possible_of

BLOCKS_A_LINEUP = 3
"""How many blocks a line-up plays on average in each round after the first. With fewer, most of a round would be the
one block that each line-up must have; with more, a tournament would seldom be looked at."""

WEIGHT = 4.5
"""As how many blocks the mean of a line-up counts in each round after the first. A line-up that plays on average loses
little by it, and one that is needed plays ten and more."""

USUAL_ROUNDS = 10
"""How many rounds there are where the config does not say it, with the first."""

_LEAST_ROOM = 1e-3
"""No pair is asked for as if its bots were nearer to each other than so many match points."""

Place = tuple[str, tuple[str, ...]]
"""A game and a line-up, its bots by name in the order of code points."""


def next_round(field: Field, past: Past, *, stage: int = 0) -> Round | End:
    """The next round of this stage, or its end: when all rounds are played, or what `stop` asks for is known."""
    rules, rounds = field.stages[stage], rounds_of(field.stages[stage])
    number = past.rounds[-1].number + 1 if past.rounds else 0
    drawn = [one for one in past.rounds if one.stage == stage]
    figures = figures_of(field, past, stage=stage)
    look = _judged(field, past, figures, stage=stage) if drawn else None
    if look is not None and field.stop is not None and (look.is_settled or len(drawn) >= rounds):
        return End(reason=look.words)
    if len(drawn) >= rounds:
        return End(reason=f"all {rounds} rounds of the adaptive tournament are played")
    before = Counter((table.variant, table.bots) for one in drawn for table in one.tables)
    lineups = [place for variant in field.variants for place in _lineups(field, variant, rules, before, number)]
    if look is None:
        counts = dict.fromkeys(lineups, rules.deals)
    else:
        undecided = look.undecided if field.stop is not None and field.stop.when else _open(look)
        stream = Stream(field.master_key, f"adaptive/{number}")
        asked = _asked(figures, undecided, [one.variant for one in field.variants], field.stop or StopRules())
        counts = _shares(lineups, asked, {one.variant: one.seats for one in field.variants}, stream)
        counts |= {place: max(rules.deals, counts[place]) for place in lineups if place not in before}
    meetings = Meetings()
    for one in past.rounds:
        meetings.drawn(one)
    tables = [table for (game, bots), count in counts.items() for table in meetings.next_tables([game], [bots], count)]
    title = f"adaptive round {len(drawn) + 1} of {rounds}"
    return Round(
        number=number,
        title=title,
        stage=stage,
        tables=tuple(sorted(tables, key=lambda table: table.deal)),
        known=look.told if look is not None else "",
    )


def most_matches(field: Field, *, stage: int = 0) -> int:
    """How many matches this stage has if its bots stay as they are, and nothing stops it."""
    rules = field.stages[stage]
    blocks = rules.deals + BLOCKS_A_LINEUP * (rounds_of(rules) - 1)
    return blocks * sum(
        min(rules.lineups or len(every), len(every)) * one.seats
        for one in field.variants
        for every in [every_lineup(field, one)]
    )


def rounds_of(rules: StageRules) -> int:
    """How many rounds there are at most."""
    return rules.rounds or USUAL_ROUNDS


def parts_of(rules: StageRules, played: int) -> Parts:
    """How much is played after so many rounds, and how the first of the looks stands to the later ones.

    The less the looks have in common, the likelier is a great difference at any of them. They have least in common
    for a line-up that plays one block in each later round: in variances of a block, the weighted sum of its means has
    the variance `deals` after the first round, and WEIGHT**2 more after each other. Looks at all differences are taken
    to be such.
    """
    rounds = rounds_of(rules)
    step = look_step(rounds)
    first = (rules.deals + WEIGHT**2 * (step - 1)) / (WEIGHT**2 * step)
    return Parts(played=played, planned=rounds, unit="round", first=min(float(MOST_LOOKS), first))


def round_weights(rounds: Sequence[Round], rules: StageRules, *, stage: int = 0) -> dict[int, float]:
    """By the number of a round of this stage, the weight of what is played in it."""
    numbers = [one.number for one in rounds if one.stage == stage]
    return {number: WEIGHT if place else float(rules.deals) for place, number in enumerate(numbers)}


def look_at(field: Field, past: Past, *, stage: int = 0) -> Look:
    """What is known after the last round of this stage; without [stop] it is asked for all pairs."""
    return _judged(field, past, figures_of(field, past, stage=stage), stage=stage)


def figures_of(field: Field, past: Past, *, stage: int = 0) -> Figures:
    """The match points of this stage."""
    rules = field.stages[stage]
    blocks = Blocks()
    for one, results in zip(past.rounds, past.played, strict=True):
        for result in results if one.stage == stage else ():
            blocks.add(result, round_number=one.number)
    weights = round_weights(past.rounds, rules, stage=stage)
    return Figures(blocks, "points", possible=possible_of(field) if rules.lineups else None, weights=weights)


def _judged(field: Field, past: Past, figures: Figures, *, stage: int) -> Look:
    parts = parts_of(field.stages[stage], sum(one.stage == stage for one in past.rounds))
    names = [bot.name for bot in field.bots]
    games = [planned.variant for planned in field.variants]
    return judge(figures, field.stop or StopRules(when="all"), bots=names, games=games, parts=parts)


def _open(look: Look) -> tuple[Pair, ...]:
    """All pairs of which nothing is sure."""
    return look.compared.open if look.compared is not None else ()


def _lineups(
    field: Field, variant: PlannedVariant, rules: StageRules, before: Mapping[Place, int], number: int
) -> list[Place]:
    """The line-ups of a game in this round: all, or a sample, which stays as it is while its bots are there."""
    every = every_lineup(field, variant)
    names = sorted(bot.name for bot in field.bots)
    index = {name: bot for bot, name in enumerate(names)}
    had = [tuple(index[bot] for bot in bots) for game, bots in before if game == variant.variant]
    stands = len(had) == rules.lineups and len({bot for lineup in had for bot in lineup}) == len(names)
    if rules.lineups is None or not had:
        stream = Stream(field.master_key, f"lineups/{variant.variant}")
        some = list(choose_lineups(stream, every, rules.lineups))
    elif stands:
        some = had
    else:
        stream = Stream(field.master_key, f"lineups/{variant.variant}/{number}")
        newcomers = {*range(len(names))}.difference(*had)
        some = more_lineups(stream, every, min(rules.lineups, len(every)), had=had, newcomers=newcomers)
    return [(variant.variant, tuple(names[bot] for bot in lineup)) for lineup in some]


def _shares(
    lineups: Sequence[Place], asked: Mapping[Pair, float], seats: Mapping[str, int], stream: Stream
) -> dict[Place, int]:
    """How many blocks each line-up plays in a round.

    As many as makes the variances of the undecided differences least in sum, each times how much it is `asked` for,
    with at least one block for each line-up: in proportion to the root of what a line-up adds to that sum for what its
    block costs (Neyman 1934). What is left over of whole blocks is given at even distances from a start that is drawn
    by lot.
    """
    whole = BLOCKS_A_LINEUP * sum(seats[game] for game, _ in lineups)
    scores = _scores(lineups, asked, seats)
    wanted = _at_least_one(scores, [seats[game] for game, _ in lineups], whole)
    start = stream.below(1_000_000) / 1_000_000
    counts, due = {}, start
    for place, blocks in zip(lineups, wanted, strict=True):
        sure = floor(blocks)
        due = round(due + blocks - sure, 9)
        counts[place] = sure + (due >= 1)
        due -= due >= 1
    return counts


def _asked(figures: Figures, undecided: Sequence[Pair], games: Sequence[str], stop: StopRules) -> dict[Pair, float]:
    """By undecided pair, how much a smaller variance of its difference is asked for; 1 where it is most.

    How small the variance must be to settle a pair goes with the square of the difference, or of what it is less than
    the one that matters. Where that is uncertain itself it counts as its standard error.
    """
    rooms = {}
    for one, other in undecided:
        gap = figures.difference(one, other, games)
        room = max(abs(gap.mean), stop.difference - abs(gap.mean), gap.stderr or 0.0)
        rooms[min(one, other), max(one, other)] = max(room, _LEAST_ROOM)
    least = min(rooms.values(), default=1.0)
    return {pair: round((least / room) ** 2, 6) for pair, room in rooms.items()}


def _scores(lineups: Sequence[Place], asked: Mapping[Pair, float], seats: Mapping[str, int]) -> list[float]:
    """By line-up, the root of what it adds to the variances of the undecided differences, for the cost of a block.

    All bots of a table are taken to scatter alike, and any two of n bots to have the correlation -1 / (n - 1), since
    what some win others lose.
    """
    of_bot: dict[str, float] = defaultdict(float)
    for pair, weight in asked.items():
        for bot in pair:
            of_bot[bot] += weight
    in_game = Counter((game, bot) for game, bots in lineups for bot in bots)
    scores = []
    for game, bots in lineups:
        parts = {bot: 1 / in_game[game, bot] for bot in bots}
        own = sum(of_bot[bot] * parts[bot] ** 2 for bot in bots)
        both = sum(parts[one] * parts[other] * asked.get((one, other), 0.0) for one, other in combinations(bots, 2))
        scores.append(sqrt((own + 2 * both / (seats[game] - 1)) / seats[game]))
    return scores


def _at_least_one(scores: Sequence[float], costs: Sequence[int], whole: int) -> list[float]:
    """Blocks in proportion to the scores, of at least one each, that cost `whole` matches in all."""
    if not any(scores):
        return [whole / sum(costs)] * len(scores)
    few: set[int] = set()
    while True:
        rest = whole - sum(costs[place] for place in few)
        scored = sum(score * costs[place] for place, score in enumerate(scores) if place not in few)
        factor = rest / scored if scored else 0.0
        fewer = {place for place, score in enumerate(scores) if score * factor < 1}
        if fewer <= few:
            return [1.0 if place in few else round(score * factor, 9) for place, score in enumerate(scores)]
        few |= fewer
