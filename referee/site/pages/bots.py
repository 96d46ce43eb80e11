"""The page of a bot: how good it is in what and against whom, what went wrong, and what its author can do next."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from referee.highlights.highlight import Highlight
from referee.plots.times import TimeBins
from referee.reports import provenance
from referee.reports.bot_results import OneBot, one_bot
from referee.reports.tables.bot_tables import MEANS, own_terms, rank, standings_of
from referee.reports.tables.figures import plus_minus, signed
from referee.site.content import BotFaults, FaultTold, MatchRow
from referee.site.files import File
from referee.site.pages import matches, standings
from referee.site.pages.highlights import shown
from referee.site.pages.shell import Site
from referee.site.pages.tables import Col, Table, bar, cols_of, tint, with_bars
from referee.site.pages.times import times_table
from referee.tournament.summary import EnteredBot
from referee.versions.version import short


class Fault(Struct, frozen=True, kw_only=True):
    """A fault with where to see it."""

    told: FaultTold
    match: str
    """As people call the match."""
    where: str
    """Such as `round 3, turn 12, at its decision "place"` or `before the match`."""
    href: str
    """The moment in the page of the match, from the site's root; empty where the match has none."""
    own_href: str
    """The same moment as this bot knew it, with what it was sent; empty where the match has no page."""
    command: str
    """What prints all that the bot was sent and wrote in that match."""


def bot_pages(site: Site) -> Iterator[File]:
    """A page for each bot of the run."""
    faults = {one.bot: one for one in site.content.faults}
    every = standings_of(site.content.summary)
    for bot in site.content.summary.bots:
        yield _page(site, bot, one_bot(bot.name, every, ()), faults.get(bot.name))


def _page(site: Site, bot: EnteredBot, one: OneBot, faults: BotFaults | None) -> File:
    name, content = bot.name, site.content
    mine = [one for one in content.highlights if name in one.bots]
    return site.page(
        "bot.html",
        site.bot_path(name),
        bot=bot,
        version=short(bot.version),
        terms=own_terms(bot),
        row=one.standing,
        rank="" if one.standing is None else rank(one.standing),
        beside=_beside(site, one),
        by_game=_by_game(site, one),
        opponents=_opponents(site, name),
        best=_some(site, name, content.best, "best"),
        worst=_some(site, name, content.worst, "worst"),
        moments=[shown(site, one) for one in mine if _is_named(one, name)],
        others=[shown(site, one) for one in mine if not _is_named(one, name)],
        warnings=_warnings(site, name),
        times=_times(site, name),
        faults=faults,
        told=[] if faults is None else [_fault(site, one, name) for one in faults.told],
        late=content.matches_by_id.get(faults.late_id) if faults is not None and faults.late_id else None,
        export=f"golfref export {shlex.quote(content.store)} --bot {shlex.quote(name)} -o matches.jsonl",
        results=f"golfref standings {shlex.quote(content.store)} --bot {shlex.quote(name)}",
    )


def _is_named(highlight: Highlight, name: str) -> bool:
    """Whether the sentence tells of this bot."""
    return any(highlight.bots[part] == name for part in highlight.parts if isinstance(part, int))


def _beside(site: Site, one: OneBot) -> Table | None:
    """Its row between those of its neighbours."""
    if one.standing is None:
        return None
    bots = len(site.content.summary.standings)
    return standings.overall(site, one.beside, "beside", f"Its place among {bots} bots, with its neighbours")


def _by_game(site: Site, one: OneBot) -> Table | None:
    if not one.variants:
        return None
    rows = list(one.variants.values())
    columns = with_bars(
        cols_of(MEANS, rows, ""),
        "match points",
        [bar(row.match_points, row.match_points_interval) for row in rows],
    )
    games = Col(title="game", cells=[site.games(game) for game in one.variants], is_text=True, is_head=True)
    ranks = Col(title="rank", cells=[rank(row) for row in rows])
    return Table(id="by-game", caption="Game by game", cols=(games, ranks, *columns))


def _opponents(site: Site, name: str) -> Table | None:
    """How it did against each other bot, in the order of the standings."""
    summary = site.content.summary
    met = summary.crosstable.get(name)
    if not met:
        return None
    by_strokes = summary.rank_by == "strokes"
    figures = [
        signed(one.strokes, one.strokes_interval)
        if by_strokes
        else plus_minus(one.match_points, one.match_points_interval)
        for one in met.values()
    ]
    tints = [None if by_strokes else tint(one.match_points) for one in met.values()]
    return Table(
        id="opponents",
        caption="Against each opponent",
        cols=(
            Col(title="opponent", cells=[site.bots(other) for other in met], is_text=True, is_head=True),
            Col(title="strokes a round" if by_strokes else "match points", cells=figures, tints=tints),
            Col(title="matches", cells=[str(one.matches) for one in met.values()]),
        ),
    )


def _some(site: Site, name: str, ids: Mapping[str, Sequence[int]], which: str) -> Table | None:
    rows = [site.content.matches_by_id[id_] for id_ in ids.get(name, ()) if id_ in site.content.matches_by_id]
    rows = [row for row in rows if name in row.bots]
    return matches.of_bot(site, name, rows, which, f"Its {which} matches") if rows else None


def _warnings(site: Site, name: str) -> list[str]:
    """What casts doubt on its results."""
    summary, marked = site.content.summary, site.bots(name)
    lines = [*provenance.influences(summary, site.bots), *provenance.void_suspects(summary, site.bots)]
    return [line.removeprefix("WARNING: ") for line in lines if line.startswith("WARNING: ") and marked in line]


def _bins(site: Site, name: str) -> list[tuple[str, TimeBins]]:
    times = site.content.times
    if times is None:
        return []
    some = [("answers", times.thinking.get(name)), ("slaps", times.slaps.get(name))]
    return [(title, bins) for title, bins in some if bins is not None and bins.count]


def _times(site: Site, name: str) -> Table | None:
    found = _bins(site, name)
    if not found:
        return None
    return times_table("times", "How long it took", "what", found)


def _fault(site: Site, told: FaultTold, name: str) -> Fault:
    content = site.content
    row: MatchRow | None = content.matches_by_id.get(told.id)
    title = f"#{told.id}" if told.match is None else str(told.match)
    moment = f"#{told.moment}" if told.moment else ""
    page = None if row is None else row.href
    href = "" if page is None else page + moment
    own_href = "" if page is None else f"{page}?view=seat{told.seat}{moment}"
    which = name if name == shlex.quote(name) else str(told.seat)
    command = f"golfref transcript {shlex.quote(f'{content.store}:{title}')} --bot {which}"
    return Fault(told=told, match=title, where=told.where, href=href, own_href=own_href, command=command)
