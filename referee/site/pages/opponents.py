"""Whom each bot of a Swiss met in which round: a table without the empty cells of every bot against every other."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

from referee.site.pages.frame import Site
from referee.site.pages.names import unmarked
from referee.site.pages.tables import Col, Table, tint

CAPTION = "Opponents by Swiss round, each with the share of the matches that the row's bot won, a tie counting half"

Met = dict[str, list[float]]
"""By opponent 1 for each match that a bot won against it, a half for a tie, and 0."""


def by_round(site: Site, bots: Sequence[str], game: str | None = None) -> Table | None:
    """A row for each of these bots, a column for each round of a Swiss; None where none was played."""
    config, rounds = site.content.config, site.content.summary.rounds
    swiss = [place for place, one in enumerate(rounds) if config.stages[one.stage].format == "swiss"]
    if not swiss:
        return None
    met = _met(site, game)
    cols = [Col(title="bot", cells=[site.bots(bot) for bot in bots], is_text=True, is_head=True)]
    for number, place in enumerate(swiss, 1):
        of_round = [met[place, bot] for bot in bots]
        tints = [tint(mean(map(mean, one.values()))) if one else None for one in of_round]
        cells = [_in_words(site, one) for one in of_round]
        cols.append(Col(title=f"Swiss round {number}", cells=cells, tints=tints, is_text=True))
    return Table(id="crosstable", caption=CAPTION, cols=tuple(cols))


def _in_words(site: Site, met: Met) -> str:
    return "; ".join(f"{unmarked(site.bots(bot))} {mean(won):.2f}" for bot, won in met.items()) or "-"


def _met(site: Site, game: str | None) -> defaultdict[tuple[int, str], Met]:
    """Whom a bot met in a round, and with what success, by the place of the round and the name of the bot."""
    drawn = [one.id for one in site.content.summary.rounds]
    met: defaultdict[tuple[int, str], Met] = defaultdict(dict)
    for row in site.content.matches:
        if row.number is None or game not in (None, row.variant):
            continue
        place = bisect_left(drawn, row.id) - 1
        for bot, rank in zip(row.bots, row.ranks, strict=True):
            for other, rank_of_other in zip(row.bots, row.ranks, strict=True):
                if other != bot:
                    won = 0.5 if rank == rank_of_other else float(rank < rank_of_other)
                    met[place, bot].setdefault(other, []).append(won)
    return met
