"""The front page: who is how good and how sure that is, what is known of how it was played, and where to read on."""

import shlex
from collections import Counter
from pathlib import Path

from msgspec import Struct

from protocol.text import printable
from referee.reports import provenance
from referee.reports.tables.bot_tables import ONLY_CHALLENGERS, standings_of
from referee.reports.verdict import commands_to_read_on, faults_line, how_far, is_over, ties, winner
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.highlights import first_of_each_kind, shown
from referee.site.pages.frame import NAME_LIMIT, Site
from referee.site.pages.tables import Col, Table
from referee.site.pages.times import times_table
from referee.tournament.plan.keys import ROTATIONS_IN_WORDS
from referee.tournament.summary import RunSummary

SLAPS_IN_WORDS = {
    "isolated": "When a slap window opens, the bots are asked one after another while all else on the machine is "
    "quiet, so that the measured times decide, and not the place of a bot on the machine.",
    "broadcast": "When a slap window opens, all bots are asked at once, and answers are taken as they arrive. The load "
    "of the machine has a part in who is first.",
}
"""How slaps are timed, by the name of the timing."""

PICTURES = {
    "intervals": "intervals of the standings",
    "ranks": "ranks over time",
    "slaps": "slap times",
    "thinking": "thinking times",
}
"""What pictures are called, by their keys."""


class Fact(Struct, frozen=True, kw_only=True):
    """A line about where the figures come from."""

    title: str
    text: str
    is_code: bool = False


def front_page(site: Site) -> File:
    """The front page of a run, also of one without a match."""
    summary = site.content.summary
    has_rows = bool(summary.standings)
    table = standings.of_run(site) if has_rows else None
    several = len(summary.variants) > 1 and summary.order != "ratings"
    return site.page(
        "front.html",
        "index.html",
        winner=winner(summary, site.bots),
        verdict=verdict(site) if has_rows else [],
        progress=progress(summary),
        table=table,
        meanings=standings.meanings(table) if table else [],
        only_challengers=sentence(f"This is a gauntlet: {ONLY_CHALLENGERS}"),
        why=[sentence(line) for line in standings.why(site)],
        newcomers=newcomers(site),
        stages=list(standings.stages(site)),
        games=games(site),
        by_game=standings.by_games(site) if has_rows and several else None,
        crosstable=standings.crosstable(site, standings_of(summary)) if has_rows else None,
        faults=standings.faults(site),
        moments=[shown(site, one) for one in first_of_each_kind(site.content.highlights)],
        slaps=slap_times(site),
        slap_words=SLAPS_IN_WORDS.get(summary.slap_timing or "", ""),
        warnings=warnings(site),
        pictures=[(PICTURES.get(key, key), path) for key, path in site.content.plots.items() if "/" not in key],
        spoiled=[sentence(line) for line in provenance.spoiled(summary, site.bots)],
        rounds=[sentence(line) for line in provenance.rounds(summary, site.bots)],
        facts=facts(site),
        proofs=proofs(site),
        commands=[line for line in commands_to_read_on(summary, Path(site.content.store)) if " verify " not in line],
        verify=verify_command(site),
    )


def about_page(site: Site) -> File:
    """What the figures mean."""
    overall = standings.of_run(site) if site.content.summary.standings else None
    return site.page("about.html", "about.html", meanings=standings.meanings(overall) if overall else [])


def verdict(site: Site) -> list[str]:
    """What the run comes to, in the words with which the terminal ends, but for its first line and the digest."""
    summary = site.content.summary
    return [ties(summary.standings, site.bots), faults_line(summary, site.bots)]


class Progress(Struct, frozen=True, kw_only=True):
    """How far a run has come that is not over."""

    words: str
    matches: int
    planned: int
    """0 where nobody knows yet how many there will be."""


def progress(summary: RunSummary) -> Progress | None:
    """None where nothing is left to be played."""
    if is_over(summary):
        return None
    left = summary.planned - summary.matches - len(summary.unplayed)
    words = f"{how_far(summary)} have been played; {left:,} are left"
    if summary.goes_on:
        words = f"So far: {how_far(summary)}. {left:,} more are planned, and further rounds are drawn after them"
    return Progress(words=f"{words}.", matches=summary.matches, planned=0 if summary.goes_on else summary.planned)


def newcomers(site: Site) -> Table | None:
    """The bots that have no row in the standings; None where all have one."""
    summary = site.content.summary
    told = {row.bot for row in summary.standings}
    bots = [bot for bot in summary.bots if bot.name not in told]
    if not bots:
        return None
    cols = (
        Col(title="bot", cells=[site.bots(bot.name) for bot in bots], is_text=True, is_head=True),
        Col(title="owner", cells=[printable(bot.owner, NAME_LIMIT) or "not told" for bot in bots], is_text=True),
    )
    return Table(id="newcomers", caption=f"{len(bots)} bot{'s' * (len(bots) != 1)}", cols=cols)


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
        Col(title="seats", cells=[str(entry.seats) for entry in variants]),
        Col(title="matches", cells=[f"{often[entry.name]:,}" for entry in variants]),
        *([Col(title="ahead", cells=[some or "-" for some in ahead], is_text=True)] if any(ahead) else []),
        Col(title="what it is", cells=[entry.variant.summary for entry in variants], is_text=True),
    )
    return Table(id="games", caption="Games", cols=cols)


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


def warnings(site: Site) -> list[str]:
    """What casts doubt on the results."""
    summary = site.content.summary
    lines = [*provenance.influences(summary, site.bots), *provenance.void_suspects(summary, site.bots)]
    found = [line.removeprefix("WARNING: ") for line in lines if line.startswith("WARNING: ")]
    late = provenance.lateness(summary)
    return [sentence(line) for line in [*found, *[f"the {late}"] * ("overloaded" in late)]]


def sentence(line: str) -> str:
    """A line of the terminal as a sentence of a page."""
    text = line.strip().replace("; --json has all", "")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def facts(site: Site) -> list[Fact]:
    """How the run was played."""
    summary = site.content.summary
    reuse = "a match" if summary.reuse == "match" else f"the whole {summary.reuse}"
    slaps = [f"{timing.capitalize()} timing. {SLAPS_IN_WORDS[timing]}"] if (timing := summary.slap_timing) else []
    return [
        Fact(title="Played by", text=f"golfref {summary.version}"),
        Fact(title="On", text=summary.host),
        Fact(title="Isolation of the bots", text=sentence(f"{summary.isolation}; a bot's process lives for {reuse}")),
        *[Fact(title="Slaps", text=words) for words in slaps],
        Fact(title="Rotations", text=sentence(f"{summary.rotations}: {ROTATIONS_IN_WORDS[summary.rotations]}")),
        *[Fact(title="Scoring", text=sentence(line)) for line in provenance.scoring_tables(summary)],
        *[
            Fact(title="Idle CPU", text=sentence(line.partition(": ")[2]))
            for line in provenance.idle_cpu_meaning(summary)
        ],
        *[Fact(title="Kept out", text=sentence(line)) for line in provenance.kept_out(summary)],
        Fact(title="Lateness", text=sentence(f"the {provenance.lateness(summary)}")),
    ]


def proofs(site: Site) -> list[Fact]:
    """The commitment, the key once it may be told, and the digest."""
    summary = site.content.summary
    key = summary.key if site.content.is_complete else None
    return [
        Fact(title="Commitment", text=summary.commitment, is_code=True),
        Fact(title="Key", text=key or "It is published when all matches have been played.", is_code=key is not None),
        Fact(
            title="Digest",
            text=summary.digest if summary.matches else "No match has a result yet.",
            is_code=bool(summary.matches),
        ),
    ]


def verify_command(site: Site) -> str:
    """The command that checks the run against what is published here."""
    summary = site.content.summary
    digest = f" --digest {summary.digest}" if summary.matches else ""
    return f"golfref verify {shlex.quote(site.content.store)}{digest}"
