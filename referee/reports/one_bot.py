"""One bot of a run: its place in the tables with its neighbours, its games, and its matches, the worst first."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.reports.bot_results import OwnResult, OwnResults, results_table
from referee.reports.tables.layout import Column, fitted, wider
from referee.reports.tables.names import Names
from referee.reports.tables.rows import Figure, figure_columns, rank, reasons, rows_table
from referee.tournament.standings import BotStanding, Standings


class OneBot(Struct, frozen=True, kw_only=True):
    """What a run tells of one bot."""

    bot: str
    standing: BotStanding | None
    """Its row in the table of all games, or of the one that was asked for; None where no match of it counts yet."""
    neighbours: tuple[BotStanding, ...]
    """The rows above and below it."""
    variants: dict[str, BotStanding]
    """Its row in each game."""
    matches: tuple[OwnResult, ...]
    """The worst first. Empty where they were not asked for."""


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


def one_bot_report(one: OneBot, width: int, bots: int, figures: Sequence[Figure] | None = None) -> Iterator[str]:
    """Its row between those of its neighbours, its games, and some of its matches, on a screen of `width` cells.

    `bots` is how many bots the table has. `figures` are its columns, where they are not those of a table of means.
    """
    if (own := one.standing) is None:
        return
    beside = sorted([own, *one.neighbours], key=lambda row: (row.rank or bots + 1, row.bot))
    names = Names((row.bot for row in beside), width)
    shown = [rows_table(beside, width, names, figures)]
    yield f"{names(one.bot)} and its neighbours among {bots} bots\n\n{shown[0].text}"
    if len(one.variants) > 1:
        shown.append(fitted(_by_game(one, width), width))
        yield f"{names(one.bot)} by game\n\n{shown[1].text}"
    why = reasons([own], width, names) if figures is None or own.rank is None else ()
    if note := "\n".join([*why, *([wider(shown, width)] if wider(shown, width) else [])]):
        yield note
    if one.matches:
        yield "\n".join(results_table(OwnResults(bot=one.bot, matches=one.matches), width))
        if shortened := own.matches - len(one.matches):
            yield f"{shortened} more matches count for what the remaining bots of the table played among themselves"


def _by_game(one: OneBot, width: int) -> list[Column]:
    games, rows = Names(one.variants, width), list(one.variants.values())
    return [
        Column(title="game", cells=[games(game) for game in one.variants], is_text=True),
        Column(title="rank", cells=[rank(row) for row in rows]),
        *figure_columns(rows),
    ]
