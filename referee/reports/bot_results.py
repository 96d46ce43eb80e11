"""One bot of a run: its place in the tables with its neighbours, its games, and its matches, the worst first.

So its author knows which matches to replay.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.reports.game_report import faults_in_words
from referee.reports.tables.bot_tables import MEANS, actions_table, bots_table, rank, reasons
from referee.reports.tables.layout import Column, Names, fitted, wrapped
from referee.rules.counts import Actions
from referee.tournament.results import Result, beaten_shares
from referee.tournament.standings import BotStanding, Standings
from referee.tournament.store.plans import plan_now
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary

NEXT = 2
"""How many opponents to come are named."""

MOST_SHOWN = 20
"""How many matches the table shows."""


class OwnResult(Struct, frozen=True, kw_only=True):
    """What a match came to for a bot."""

    match: int
    """Its number in the run."""
    variant: str
    seat: int
    bots: tuple[str, ...]
    """By seat, as are the totals."""
    totals: tuple[int, ...]
    rank: int
    """1 is best."""
    beaten: float
    """The share of its opponents that it beat; a tie counts half."""
    behind: int
    """How many strokes its total is above the best other one; negative where it is below."""
    forfeited: bool
    faults: dict[str, int]
    actions: Actions
    """How often it drew, knocked and slapped, and what came of it."""
    late_slaps: int
    """How many slaps and passes came too late, which is no fault."""

    @classmethod
    def of(cls, result: Result, seat: int) -> "OwnResult":
        """What a match came to for the bot on this seat."""
        return cls(
            match=result.number,
            variant=result.variant,
            seat=seat,
            bots=result.bots,
            totals=result.totals,
            rank=result.ranks[seat],
            beaten=beaten_shares(result.ranks)[seat],
            behind=result.totals[seat] - min(result.totals[:seat] + result.totals[seat + 1 :]),
            forfeited=result.forfeited[seat],
            faults=result.faults[seat],
            actions=result.actions[seat] if result.actions else Actions(),
            late_slaps=result.late_slaps[seat],
        )


class OneBot(Struct, frozen=True, kw_only=True):
    """What a run has of one bot."""

    bot: str
    standing: BotStanding | None
    """Its row in the table of all games, or of the one that was asked for; None where no match of it counts yet."""
    neighbours: tuple[BotStanding, ...]
    """The rows above and below it."""
    variants: dict[str, BotStanding]
    """Its row in each game."""
    matches: tuple[OwnResult, ...]
    """The worst first. Empty where they were not asked for."""

    @property
    def beside(self) -> list[BotStanding]:
        """Its row between those of its neighbours."""
        rows = [*filter(None, [self.standing]), *self.neighbours]
        return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.bot))


def one_bot(bot: str, standings: Standings, matches: Sequence[OwnResult]) -> OneBot:
    """The bot as these standings have it."""
    rows = standings.overall
    place = next((place for place, row in enumerate(rows) if row.bot == bot), None)
    beside = () if place is None else (*rows[max(0, place - 1) : place], *rows[place + 1 : place + 2])
    return OneBot(
        bot=bot,
        standing=None if place is None else rows[place],
        neighbours=beside,
        variants={game: row for game, table in standings.variants.items() for row in table if row.bot == bot},
        matches=tuple(matches),
    )


def bot_results(store: Store, bot: str, variant: str | None = None) -> list[OwnResult]:
    """The matches of this bot that count, or those of one game.

    Matches that it forfeited come first, then others with faults, then those in which it beat the fewest and was the
    farthest behind. Raises StoreError.
    """
    found = [
        OwnResult.of(result, result.bots.index(bot))
        for result in store.results(bot)
        if bot in result.bots and variant in (None, result.variant)
    ]
    return sorted(found, key=lambda one: (not one.forfeited, not one.faults, one.beaten, -one.behind, one.match))


def how_many(store: Store, summary: RunSummary, bot: str) -> list[str]:
    """How many of a bot's matches count and how many the plan has, beside other bots, and why some are missing."""
    planned, plan, done = Counter[str](), plan_now(store), store.numbers().union(summary.unplayed)
    coming: dict[str, str] = {}
    number = 0
    while number < len(plan):
        _, block, _ = plan.block_at(number)
        seated = [plan.whole.bots[one] for one in block.lineup]
        planned.update(dict.fromkeys(seated, len(seated)))
        if bot in seated and len(coming) < NEXT and not done.issuperset(range(number, number + len(seated))):
            others = " and ".join(name for name in seated if name != bot) or "alone"
            coming.setdefault(others, f"{others} ({block.variant}, from match {number})")
        number += len(seated)
    theirs = sorted({count for name, count in planned.items() if name != bot}) or [0]
    each = f"{theirs[0]} each" if len(theirs) == 1 else f"{theirs[0]} to {theirs[-1]}"
    (entered,) = (one for one in summary.bots if one.name == bot)
    count = sum(row.matches for row in summary.standings if row.bot == bot)
    lines = {
        f"{bot} has {count} matches that count, of {planned[bot]} that are planned"
        f"{' so far' * summary.goes_on}; the other bots have {each}": 1,
        "to come: {}": planned[bot] - count - entered.left_out,
        f"next: {'; '.join(coming.values())}": len(coming),
        "{} no longer count, since a bot of them was withdrawn or replaced, or their game or deal left the plan": sum(
            bot in one.bots for one in summary.retired
        ),
        "{} were voided by the referee or its host, and are played again": entered.voided,
        "{} are left out, since every attempt was voided": entered.left_out,
    }
    return [line.format(some) for line, some in lines.items() if some > 0]


def one_bot_report(
    one: OneBot, width: int, bots: int, columns: Sequence[Column[BotStanding]] | None = None
) -> Iterator[str]:
    """Its row between those of its neighbours, its games, and some of its matches, on a screen of `width` cells.

    `bots` is how many bots the table has. `columns` are those of the table, where it is not one of means.
    """
    if (own := one.standing) is None:
        return
    names, games = Names((row.bot for row in one.beside), width), Names(one.variants, width)
    beside = bots_table(one.beside, width, names, columns or MEANS)
    yield f"{names(one.bot)} and its neighbours among {bots} bots\n\n{beside.text}"
    of_game = {id(row): games(game) for game, row in one.variants.items()}  # two rows may be equal
    game: Column[BotStanding] = Column("game", lambda row: of_game[id(row)], is_text=True)
    rows = list(one.variants.values())
    if len(rows) > 1:
        yield f"{names(one.bot)} by game\n\n{fitted([game, Column('rank', rank), *MEANS], rows, width).text}"
    yield actions_table(game, rows, width)
    why = list(reasons([own], width, names)) if columns is None or own.rank is None else []
    yield from ["\n".join(why)] * bool(why)
    if one.matches:
        yield "\n".join(_matches(one, width))
        if more := own.matches - len(one.matches):
            text = f"{more} more matches count for what the remaining bots of the table played among themselves"
            yield wrapped(text, width)


def _matches(one: OneBot, width: int) -> Iterator[str]:
    """The worst of its matches with a heading, in a table."""
    rows, count = one.matches[:MOST_SHOWN], len(one.matches)
    games = Names((row.variant for row in one.matches), width)
    some = f", the {len(rows)} worst of {count}" if count > len(rows) else ", the worst first"
    if faulty := sum(bool(one.faults) for one in one.matches):
        some += f"; {faulty} with faults come{'s' * (faulty == 1)} first"
    yield f"Matches of {Names([one.bot], width)(one.bot)}{some}\n"
    yield fitted(_columns(games), rows, width).text
    yield ""
    yield wrapped("behind: strokes above the best other total; below it where negative", width)


def _columns(games: Names) -> list[Column[OwnResult]]:
    return [
        Column("match", lambda row: str(row.match)),
        Column("game", lambda row: games(row.variant), is_text=True),
        Column("seat", lambda row: str(row.seat), gives_way=1),
        Column("rank", lambda row: f"{row.rank} of {len(row.bots)}", gives_way=2),
        Column("total", lambda row: str(row.totals[row.seat]), gives_way=5),
        Column("behind", lambda row: f"{row.behind:+d}"),
        Column("faults", lambda row: faults_in_words(row.faults, forfeited=row.forfeited), is_text=True),
    ]
