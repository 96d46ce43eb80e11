"""The front page: who leads and how sure that is, the final, the standings, and what is worth seeing."""

from collections import Counter

from msgspec import Struct

from referee.reports import provenance
from referee.reports.tables.bot_tables import ONLY_CHALLENGERS
from referee.reports.tables.figures import ALL_PAIRS
from referee.reports.verdict import how_far, is_over, tie_groups, winner
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.bracket import bracket
from referee.site.pages.frame import Site, sentence
from referee.site.pages.highlights import moments
from referee.site.pages.tables import Col, Table
from referee.tournament.formats.knockout import Tie
from referee.tournament.summary import RunSummary

MOMENTS = 3
"""How many highlights the front page has."""

NAMED = 4
"""How many bots the headline names at most."""


NOT_LUCK = "Luck alone makes such a lead in fewer than 1 of 20 tournaments"
"""What p < 0.05 means."""


class Headline(Struct, frozen=True, kw_only=True):
    """Who is first."""

    label: str
    """Such as `Winner`."""
    bots: tuple[str, ...]
    """Their marked names; none where there are too many."""
    words: str
    """How sure that is, in a sentence."""


class Progress(Struct, frozen=True, kw_only=True):
    """How far a run has come that is not over."""

    words: str
    matches: int
    planned: int
    """0 where nobody knows yet how many there will be."""


def front_page(site: Site) -> File:
    """The front page of a run, also of one without a match."""
    summary = site.content.summary
    has_rows = bool(summary.standings)
    final = summary.stages[-1] if summary.stages else None
    present = {row.bot for row in summary.standings}
    ranked = [row for row in summary.standings if row.rank is not None]
    return site.page(
        "front.html",
        "index.html",
        headline=headline(site),
        progress=progress(summary),
        bracket=bracket(site, final) if final and final.levels else [],
        final=standings.stage_table(site, final) if final and final.bots else None,
        table=standings.of_run(site) if has_rows else None,
        is_parted=summary.order != "places" and len(list(tie_groups(ranked))) > 1,
        only_challengers=sentence(f"This is a gauntlet: {ONLY_CHALLENGERS}"),
        why=[sentence(line) for line in standings.why(site)],
        waiting=[site.bots(bot.name) for bot in summary.bots if bot.name not in present],
        moments=moments(site, site.content.highlights[:MOMENTS]),
        games=games(site),
        doubts=doubts(site),
    )


def headline(site: Site) -> Headline:
    """Who is first, and how sure that is, in words for everybody."""
    summary = site.content.summary
    ranked = [row for row in summary.standings if row.rank is not None]
    first = [row for row in ranked if row.rank == ranked[0].rank]
    if summary.order == "places" and not is_over(summary):
        label = "Still in"
    elif not is_over(summary):
        label = "In the lead"
    else:
        label = "Winner" if summary.order == "places" or (first and first[0].rank_to == 1) else "First, but not surely"
    words = winner(summary, site.bots).removeprefix(f"So far ({how_far(summary)}) ")
    words = f"{words[0].upper()}{words[1:]}".replace(f" ({ALL_PAIRS})", f". {NOT_LUCK}")
    if summary.stages and summary.stages[-1].levels and is_over(summary):
        words = _final_in_words(site, summary.stages[-1].levels[-1].ties[-1]) or words
    return Headline(
        label=label, bots=tuple(site.bots(row.bot) for row in first) if len(first) <= NAMED else (), words=words
    )


def _final_in_words(site: Site, final: Tie) -> str:
    """How a final was decided; empty where not by its matches or seeds."""
    first, *others = (site.bots(name) for name in final.names)
    rivals = " and ".join(others)
    won = f"{first} beat {rivals} in the final"
    return {
        "settled": f"{won}. {NOT_LUCK}.",
        "match points": f"{won} by more match points. That may be luck: {rivals} may be as good.",
        "strokes": f"{won} by fewer strokes, after equal match points. {rivals} may be as good.",
        "seed": f"{first} and {rivals} were equal in the final; {first} had the better seed.",
    }.get(final.rule, "")


def progress(summary: RunSummary) -> Progress | None:
    """None where nothing is left to be played."""
    if is_over(summary):
        return None
    left = summary.planned - summary.matches - len(summary.unplayed)
    words = f"{how_far(summary)} have been played; {left:,} are left"
    if summary.goes_on:
        words = f"So far: {how_far(summary)}. {left:,} more are planned, and further rounds are drawn after them"
    return Progress(words=f"{words}.", matches=summary.matches, planned=0 if summary.goes_on else summary.planned)


def games(site: Site) -> Table:
    """The games with how often they were played and who is ahead."""
    summary = site.content.summary
    variants = site.content.config.variants
    often = Counter(row.variant for row in site.content.matches if row.number is not None)
    ahead = [
        ", ".join(site.bots(row.bot) for row in summary.variants.get(entry.name, ()) if row.rank == 1)
        for entry in variants
    ]
    cols = (
        Col(title="game", cells=[site.games(entry.name) for entry in variants], is_text=True, is_head=True),
        Col(title="what it is", cells=[entry.variant.summary for entry in variants], is_text=True, is_minor=True),
        *([Col(title="ahead", cells=[some or "-" for some in ahead], is_text=True)] if any(ahead) else []),
        Col(title="seats", cells=[str(entry.seats) for entry in variants]),
        Col(title="matches", cells=[f"{often[entry.name]:,}" for entry in variants]),
    )
    return Table(id="games", caption="Games", cols=cols, is_wide=True)


def doubts(site: Site) -> list[str]:
    """What casts doubt on the results."""
    summary = site.content.summary
    lines = [*provenance.influences(summary, site.bots), *provenance.void_suspects(summary, site.bots)]
    found = [line.removeprefix("WARNING: ") for line in lines if line.startswith("WARNING: ")]
    late = provenance.lateness(summary)
    return [sentence(line) for line in [*found, *[f"the {late}"] * ("too busy" in late)]]
