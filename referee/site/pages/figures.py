"""The page of all tables: bots by games and against each other, earlier stages, slap times, faults, pictures."""

from referee.plots.data import KINDS
from referee.reports.tables.bot_tables import standings_of
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.about import SLAPS_IN_WORDS
from referee.site.pages.bracket import bracket
from referee.site.pages.frame import Site
from referee.site.pages.tables import Col, Table
from referee.site.pages.times import times_table


def figures_page(site: Site) -> File:
    """The page, also of a run without a match."""
    summary = site.content.summary
    has_rows = bool(summary.standings)
    several = len(summary.variants) > 1 and summary.order != "ratings"
    return site.page(
        "figures.html",
        "figures.html",
        has_rows=has_rows,
        by_game=standings.by_games(site) if has_rows and several else None,
        crosstable=standings.crosstable(site, standings_of(summary)) if has_rows else None,
        stages=[(stage, bracket(site, stage), standings.stage_table(site, stage)) for stage in summary.stages],
        slaps=slap_times(site),
        slap_words=SLAPS_IN_WORDS.get(summary.slap_timing or "", ""),
        faults=standings.faults(site),
        pictures=[(KINDS[kind], f"{one.path}.svg") for kind, one in site.content.plots.items()],
    )


def slap_times(site: Site) -> Table | None:
    """How long the slaps of each bot took, in the order of the standings; None where none were timed."""
    times = site.content.times
    if times is None or site.content.summary.slap_timing is None:
        return None
    bots = [row.bot for row in site.content.summary.standings]
    found = [(site.bots(bot), times.slaps[bot]) for bot in bots if bot in times.slaps and times.slaps[bot].count]
    late = [str(times.late.get(bot, 0)) for bot in bots if bot in times.slaps and times.slaps[bot].count]
    if not found:
        return None
    return times_table("slap-times", "Slaps that were timed", "bot", found, Col(title="too late", cells=late))
