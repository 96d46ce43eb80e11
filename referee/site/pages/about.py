"""How a run was played, how it can be checked, and what its figures mean."""

import shlex
from pathlib import Path

from msgspec import Struct

from referee.reports import provenance
from referee.reports.verdict import commands_to_read_on
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.frame import Site, sentence
from referee.tournament.plan.keys import ROTATIONS_IN_WORDS

SLAPS_IN_WORDS = {
    "isolated": "When a slap window opens, the bots are asked one after another while all else on the machine is "
    "quiet, so that the measured times decide, and not the place of a bot on the machine.",
    "broadcast": "When a slap window opens, all bots are asked at once, and answers are taken as they arrive. The load "
    "of the machine has a part in who is first.",
}
"""How slaps are timed, by the name of the timing."""


class Fact(Struct, frozen=True, kw_only=True):
    """A line about where the figures come from."""

    title: str
    text: str
    is_code: bool = False


def about_page(site: Site) -> File:
    """The page."""
    summary = site.content.summary
    return site.page(
        "about.html",
        "about.html",
        meanings=standings.meanings(standings.of_run(site)) if summary.standings else [],
        spoiled=[sentence(line) for line in provenance.spoiled(summary, site.bots)],
        rounds=[sentence(line) for line in provenance.rounds(summary, site.bots)],
        facts=facts(site),
        proofs=proofs(site),
        commands=[line for line in commands_to_read_on(summary, Path(site.content.store)) if " verify " not in line],
        verify=verify_command(site),
    )


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
    """The commitment, the key once it may be published, and the digest."""
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
