"""A knockout: ties that are played on in blocks until they are settled, round after round, until one bot is left.

Seeds are drawn by the key, so that nobody chooses them; in a stage after another they are the ranks of the one before.
A tie plays the deals that the config says in every variant, each with all rotations. While it is not settled (see
ties.py) it plays as many again, until it has played `limit`. Then more match points in the tie decide, then fewer
strokes, then the better seed. All ties of a round that are open play side by side.

A bot that is withdrawn leaves the others at its table to the next round. Nobody enters late.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from referee.rules.keyed_streams import Stream
from referee.tournament.formats.bracket import next_bracket_round, round_name, rounds_of
from referee.tournament.formats.ties import Rule, Standing, TieBot, stand
from referee.tournament.plan.rounds import Block, DrawInput, End, History, Round, StageRules
from referee.tournament.results import Result


class Tie(Struct, frozen=True, kw_only=True):
    """A table of a knockout, and how it stands or went."""

    bots: tuple[TieBot, ...]
    """The best first; of those that are withdrawn nothing is told but the name, and they come last."""
    goes: int
    """How many go on; in the final 1, the winner."""
    deals: int
    """How many deals have been drawn for it in each variant."""
    rule: Rule
    """By which rule it is decided; `open` while it is played."""

    @property
    def names(self) -> tuple[str, ...]:
        """The bots, the best first."""
        return tuple(one.bot for one in self.bots)


class Level(Struct, frozen=True, kw_only=True):
    """A round of the bracket."""

    title: str
    """Such as `quarter-finals`."""
    bots: tuple[str, ...]
    """Who takes part, the best seed first."""
    ties: tuple[Tie, ...]

    @property
    def byes(self) -> tuple[str, ...]:
        """Who goes on without a tie."""
        playing = {name for tie in self.ties for name in tie.names}
        return tuple(bot for bot in self.bots if bot not in playing)


def next_round(field: DrawInput, past: History, *, stage: int = 0) -> Round | End:
    """The next deals of all ties that are open, or the first of the next round; the end when the final is decided."""
    levels = bracket(field, past, stage=stage)
    rules, there = field.stages[stage], {entrant.name for entrant in field.bots}
    open_ties = [tie for tie in levels[-1].ties if tie.rule == "open"] if levels else []
    if open_ties:
        return _round(field, past, stage, levels[-1].bots, [tie.names for tie in open_ties])
    if levels and (winner := _winner(levels[-1], there)) is not None:
        return End(reason=f"{winner} wins the knockout")
    entered = _next_bots(levels, there, _seats(field)) if levels else _seeds(field, stage)
    if not entered:
        return End(reason="too few bots are left for a table")
    tables = _tables_of(entered, levels, rules, _seats(field))
    return _round(field, past, stage, entered, [names for names, _ in tables])


def bracket(field: DrawInput, past: History, *, stage: int = 0, is_playing: bool = False) -> list[Level]:
    """The rounds of the bracket that have been drawn, with all ties as they stand.

    `is_playing` says that matches of the last round of `past` are still to be played.
    """
    rules, seats = field.stages[stage], _seats(field)
    there = {entrant.name for entrant in field.bots}
    drawn = [(one, results) for one, results in zip(past.rounds, past.played, strict=True) if one.stage == stage]
    levels: list[Level] = []
    rounds = [(entered, list(some)) for entered, some in groupby(drawn, key=lambda pair: pair[0].entered)]
    for (entered, parts), following in zip(rounds, [*(entered for entered, _ in rounds[1:]), ()], strict=False):
        deals = Counter((table.bots, table.variant) for one, _ in parts for table in one.tables)
        results: dict[tuple[str, ...], list[Result]] = defaultdict(list)
        for result in (result for _, played in parts for result in played):
            results[tuple(sorted(result.bots))].append(result)
        ties = []
        going_on = {table.bots for table in past.rounds[-1].tables} if is_playing and not following else set()
        for names, goes in _tables_of(entered, levels, rules, seats):
            key = tuple(sorted(names))
            so_far = min(deals[key, planned.variant] for planned in field.variants)
            gone = [name for name in names if name not in there]
            if gone:
                tie = _unplayed(names, [name for name in names if name not in gone], so_far, "withdrawn")
            else:
                tie = _tie(stand(names, goes, results[key]), goes, so_far, rules)
                tie = replace(tie, rule="open") if key in going_on else tie
            went_on = [name for name in names if name in following]
            if following and (tie.rule == "open" or (gone and set(tie.names[: tie.goes]) != set(went_on))):
                tie = _unplayed(names, went_on, so_far, "dropped")
            ties.append(tie)
        title = round_name(len(entered), seats=seats, advance=rules.advance or 1)
        levels.append(Level(title=title, bots=entered, ties=tuple(ties)))
    return levels


def places(levels: Sequence[Level], there: Iterable[str]) -> dict[str, tuple[int, int]]:
    """By bot, the ranks between which it is for all that has been decided, by how far it came.

    The places of a final that is decided are told one by one. Those that went out in one round share their ranks, and
    so do all that are still in. `known_places` says how much of that is known.
    """
    found: dict[str, tuple[int, int]] = {}
    named = set(there)
    last = len(named)
    for level, following in pairwise(levels):
        gone = [bot for bot in level.bots if bot in named and bot not in following.bots and bot not in found]
        found |= dict.fromkeys(gone, (last - len(gone) + 1, last))
        last -= len(gone)
    rest = named - set(found)
    if levels:
        losers = [(tie.rule != "open", name) for tie in levels[-1].ties for name in tie.names[tie.goes :]]
        losers = [(is_out, name) for is_out, name in losers if name in rest]
        found |= {name: (last - len(losers) + 1, last) for is_out, name in losers if is_out}
        last -= len(losers) if all(is_out for is_out, _ in losers) else 0
    found |= dict.fromkeys(rest - set(found), (1, last))
    if levels and (final := _final(levels[-1])) is not None and final.rule != "open":
        standing = [name for name in final.names if name in named]
        found |= {name: (place, place) for place, name in enumerate(standing, 1)}
    return found


def known_places(levels: Sequence[Level], places: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """By bot, the places between which it may be by what is known, given those by how far it came.

    Where a tie was not settled, so that match points, strokes or a seed decided it, whoever lost it may be as good as
    whoever won it.
    """
    known = dict(places)
    for level in reversed(levels):
        for tie in level.ties:
            names = [name for name in tie.names if name in known]
            winners, losers = names[: tie.goes], names[tie.goes :]
            if tie.rule in ("open", "withdrawn") or not winners or not losers:
                continue
            best, worst = min(known[name][0] for name in losers), max(known[name][1] for name in losers)
            if tie.rule != "settled":
                best = min(known[name][0] for name in winners)
                known |= {name: (known[name][0], max(worst, known[name][1])) for name in winners}
            last = worst if tie == _final(level) else 0
            known |= {name: (min(best, known[name][0]), max(last, known[name][1])) for name in losers}
    return known


def most_matches(field: DrawInput, *, stage: int = 0) -> int:
    """How many matches there are at most."""
    rules, seats = field.stages[stage], _seats(field)
    ties = sum(rounds_of(len(field.bots), seats=seats, advance=rules.advance or 1))
    return ties * (rules.limit or rules.deals) * seats * len(field.variants)


def _seats(field: DrawInput) -> int:
    return field.variants[0].seats


def _seeds(field: DrawInput, stage: int) -> tuple[str, ...]:
    """All bots, the best seed first. A bot's lot does not depend on who else takes part."""
    names = [entrant.name for entrant in field.bots]
    if stage:
        return tuple(names)
    lots = {name: Stream(field.master_key, f"knockout/seed/{name}").bits53() for name in names}
    return tuple(sorted(names, key=lambda name: (lots[name], name)))


def _tables_of(
    entered: tuple[str, ...], levels: Sequence[Level], rules: StageRules, seats: int
) -> list[tuple[tuple[str, ...], int]]:
    """The tables of a round with how many go on from each. It follows from its bots and from the round before."""
    last = {name: number for number, tie in enumerate(levels[-1].ties) for name in tie.names} if levels else {}
    last_tables = {place: last[name] for place, name in enumerate(entered) if name in last}
    found = next_bracket_round(len(entered), seats=seats, advance=rules.advance or 1, last_tables=last_tables)
    return [
        (tuple(entered[place] for place in table), goes) for table, goes in zip(found.tables, found.goes, strict=True)
    ]


def _tie(found: Standing, goes: int, deals: int, rules: StageRules) -> Tie:
    is_decided = deals >= rules.deals and (found.is_settled or deals >= (rules.limit or rules.deals))
    return Tie(bots=found.bots, goes=goes, deals=deals, rule=found.rule if is_decided else "open")


def _unplayed(names: Sequence[str], going: Sequence[str], deals: int, rule: Rule) -> Tie:
    """A tie without results that count, since bots of it were withdrawn or replaced."""
    order = [*going, *(name for name in names if name not in going)]
    bots = tuple(TieBot(bot=name, match_points=None, strokes=None) for name in order)
    return Tie(bots=bots, goes=len(going), deals=deals, rule=rule)


def _round(
    field: DrawInput, past: History, stage: int, entered: tuple[str, ...], ties: Sequence[Sequence[str]]
) -> Round:
    """The next deals of these ties: at first as many as the config says, and as many again, within the limit."""
    rules = field.stages[stage]
    met = Counter((table.variant, table.bots) for one in past.rounds for table in one.tables)
    same = [one for one in past.rounds if (one.stage, one.entered) == (stage, entered)]
    here = Counter((table.variant, table.bots) for one in same for table in one.tables)
    tables: list[Block] = []
    most = 0
    for names in ties:
        bots = tuple(sorted(names))
        played = min(here[planned.variant, bots] for planned in field.variants)
        until = min(played + rules.deals, rules.limit or rules.deals)
        most = max(most, until)
        for planned in field.variants:
            first = met[planned.variant, bots]
            more = until - here[planned.variant, bots]
            tables += (Block(variant=planned.variant, bots=bots, deal=first + one) for one in range(more))
    name = round_name(len(entered), seats=_seats(field), advance=rules.advance or 1)
    how = f"{len(ties)} {'tie' if len(ties) == 1 else 'ties'}, up to deal {most}"
    number = past.rounds[-1].number + 1 if past.rounds else 0
    return Round(number=number, title=f"{name}: {how}", stage=stage, tables=tuple(tables), entered=entered)


def _going(level: Level) -> Iterator[tuple[int, str]]:
    """Who goes on, each with the place that it takes: the best of a table takes that of the table's best seed."""
    seeds = {name: place for place, name in enumerate(level.bots)}
    for bot in level.byes:
        yield seeds[bot], bot
    for tie in level.ties:
        taken = sorted(seeds[name] for name in tie.names)
        yield from zip(taken, tie.names[: tie.goes], strict=False)


def _next_bots(levels: Sequence[Level], there: set[str], seats: int) -> tuple[str, ...]:
    """The bots of the next round, the best seed first. Empty where there are too few for a table.

    Where withdrawals leave fewer than a table has seats, the best of those that went out last take their places.
    """
    level = levels[-1]
    going = [name for _, name in sorted(_going(level)) if name in there]
    lacking = seats - len(going)
    if lacking > 0:
        going += [name for name in _gone_last(levels) if name in there and name not in going][:lacking]
        if len(going) < seats or set(going) in [set(tie.names) for tie in level.ties]:
            return ()
    return tuple(going)


def _gone_last(levels: Sequence[Level]) -> Iterator[str]:
    """Who has gone out, the last first, and of those of a round the best of each table first."""
    for level in reversed(levels):
        out = [(place, name) for tie in level.ties for place, name in enumerate(tie.names) if place >= tie.goes]
        yield from (name for _, name in sorted(out, key=itemgetter(0)))


def _final(level: Level) -> Tie | None:
    """The only tie of a round in which nobody has a bye."""
    return level.ties[0] if len(level.ties) == 1 and not level.byes else None


def _winner(level: Level, there: set[str]) -> str | None:
    """Who has won all of it: the first of the final, or the only one who is left."""
    final = _final(level)
    if final is not None and final.rule != "withdrawn":
        return final.names[0]
    going = [name for _, name in _going(level) if name in there]
    return going[0] if len(going) == 1 else None
