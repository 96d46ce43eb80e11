"""What must be known of a run to judge its figures: what they mean, what went wrong, what played it, and its proofs."""

from collections.abc import Callable

from protocol.text import printable
from referee.reports.tables.bot_tables import ONLY_CHALLENGERS, TERMS, anchor_line, idle_cpu, own_terms
from referee.reports.tables.figures import duration
from referee.reports.tables.layout import LONGEST, shortened
from referee.tournament.figures.collusion import FEWEST
from referee.tournament.figures.stopping import saved_words
from referee.tournament.plan.keys import ROTATIONS_IN_WORDS
from referee.tournament.summary import RunSummary
from referee.tournament.voids import TO_WITHDRAW

NAMED = 5
"""How many reasons or matches a line names at most."""

NAMED_HOSTS = 8
"""How many hosts a line names at most."""

NAMED_VOIDED = 20
"""Of how many bots at most the voided attempts are counted."""

LEGEND = "in brackets, or with ±, ≥ and ≤: the 95 % confidence interval"
"""What the figures mean."""

RANKS = "rank 2-4: the range of ranks that a bot can have (p < 0.05, all pairs)"
"""What the ranks mean."""

PLACES = (
    "place: how far a bot came; rank 2-4: the places that it may have by what is known, where a cut or a tie was not "
    "settled"
)
"""What the ranks of a knockout or of stages mean."""

_OPEN = "bots could read what you can read, and golfref does not log what they read"

ISOLATION_IN_WORDS = {
    "none": f"isolation none: {_OPEN}",
    "limits": f"isolation limits: {_OPEN}",
    "bwrap": "isolation bwrap: bots found nothing but what the config shows them; golfref does not log what they tried",
}
"""What a bot could find where it should not look."""

CROWDED = 0.1
"""If the referee was late in a greater share of the matches than this, the host was too busy."""


def short(name: str) -> str:
    """A name as it stands in a sentence."""
    return shortened(name, LONGEST)


def provenance(summary: RunSummary) -> list[str]:
    """Where the figures of a run come from, a line each. Without this no result can be defended."""
    voided = f", {summary.voided} voided and played again" if summary.voided else ""
    missing = "" if summary.matches == summary.planned else f" of {summary.planned}"
    shard = "" if summary.shard is None else f", shard {summary.shard}"
    all_of_it = "all matches are played" if summary.shard is None else "all shards have been played and merged"
    reuse = "" if summary.reuse == "match" else f", bots' processes kept for the {summary.reuse}"
    return [
        *scoring_tables(summary),
        *[f"gauntlet: {ONLY_CHALLENGERS}"] * bool(summary.challengers),
        f"{summary.name}{shard}: {summary.matches}{missing} matches{voided}",
        *((LEGEND, PLACES if summary.order == "places" else RANKS) if summary.standings else ()),
        *([anchor_line(summary.ratings)] if summary.ratings else []),
        *[f"terms: {TERMS}"] * any(map(own_terms, summary.bots)),
        *["opponents: the rating that a bot as strong as those it met would have"] * (summary.order == "ratings"),
        *([slaps(summary)] if summary.slap_timing else []),
        *idle_cpu_meaning(summary),
        *troubles(summary),
        lateness(summary),
        *(influences(summary) or [nobody_helps(summary)]),
        *[f"{line}; {TO_WITHDRAW}" for line in void_suspects(summary)],
        f"rotations {summary.rotations}: {ROTATIONS_IN_WORDS[summary.rotations]}",
        f"golfref {summary.version}, isolation {summary.isolation}{reuse}, {summary.host}",
        ISOLATION_IN_WORDS[summary.isolation],
        *hosts(summary),
        f"commitment {summary.commitment}",
        f"key        {summary.key or f'revealed when {all_of_it}'}",
        f"digest     {summary.digest if summary.matches else 'no match yet'}",
    ]


def slaps(summary: RunSummary) -> str:
    """How slaps were timed, and in how many windows that is in doubt."""
    doubts = "; `golfref export RUN --table slaps` says why" * bool(summary.disturbed)
    return f"slaps: {summary.slap_timing} timing, {summary.windows} windows, {summary.disturbed} disturbed{doubts}"


def hosts(summary: RunSummary) -> list[str]:
    """Which hosts of a cluster played how many matches. Nothing where one machine played all."""
    if not summary.hosts:
        return []
    named = [f"{host} {count}" for host, count in [*summary.hosts.items()][:NAMED_HOSTS]]
    more = f" and {len(summary.hosts) - NAMED_HOSTS} more" * (len(summary.hosts) > NAMED_HOSTS)
    return [f"matches by host: {', '.join(named)}{more}; `golfref standings --hosts` has the figures of each"]


def scoring_tables(summary: RunSummary) -> list[str]:
    """Which scoring table each game of par golf used, a line for each table."""
    games: dict[str, list[str]] = {}
    for variant, table in summary.scoring_tables.items():
        games.setdefault(table, []).append(variant)
    return [f"{', '.join(some)} score{'s' * (len(some) == 1)} by {table}" for table, some in games.items()]


def idle_cpu_meaning(summary: RunSummary) -> list[str]:
    """What the column of that name means, where there is one."""
    if all(idle_cpu(row) == "0" for row in summary.standings):
        return []
    least = "" if summary.counts_cpu else ", at least: no control group counted processes that had ended"
    return [f"idle CPU: what a bot computed outside its turns, as far as the referee saw it{least}"]


def influences(summary: RunSummary, names: Callable[[str], str] = short, bot: str | None = None) -> list[str]:
    """Who may help whom, of all bots or with this one. Nothing where nobody is suspected."""
    lines = []
    for row in summary.influences:
        if not row.is_suspected or bot not in (None, row.on, row.bot):
            continue
        on, by = names(row.on), names(row.bot)
        owners = " (both of one owner)" if row.one_owner else ""
        more, who = ("more", f"{by} may help it") if row.effect > 0 else ("fewer", f"it may give way to {by}")
        lines.append(
            f"WARNING: {on} finishes before {abs(row.effect):.1%} {more} of its other opponents where {by} is at the "
            f"table{owners}, p = {row.p_of_all:.2g}, {row.blocks} blocks: {who}"
        )
    return lines


def nobody_helps(summary: RunSummary) -> str:
    """That nobody is suspected to help another, or why that was not tested."""
    if summary.influences:
        return f"who helps whom: none of {len(summary.influences)} pairs is suspected"
    return f"who helps whom: not tested; that takes {FEWEST} whole blocks of a pair at tables of three or more"


def void_suspects(summary: RunSummary, names: Callable[[str], str] = short) -> list[str]:
    """Whose presence explains the voids of the run."""
    return [f"WARNING: {suspect.in_words(names)}" for suspect in summary.void_suspects]


def lateness(summary: RunSummary) -> str:
    """How late the referee was, whether the host was fast enough, and what to do about it."""
    late = summary.lateness
    text = f"referee's lateness: worst {late.worst_ms:.1f} ms, above 100 ms in {late.above_100_ms} of {summary.matches}"
    if late.above_100_ms > CROWDED * summary.matches:
        return f"{text} matches: the host was too busy (more than {100 * CROWDED:.0f} % of the matches), use fewer jobs"
    return f"{text} matches: the host was fast enough (at most {100 * CROWDED:.0f} % of the matches)"


def voided_bots(summary: RunSummary, names: Callable[[str], str] = short) -> list[str]:
    """By bot at how many voided attempts it sat, the greatest share first, and how many of its matches are missing."""
    voided = sorted((bot for bot in summary.bots if bot.voided), key=lambda bot: (-bot.voided / bot.attempts, bot.name))
    suspects = {one.bot for one in summary.void_suspects}
    lines = []
    for bot in voided[:NAMED_VOIDED]:
        left_out = f", {bot.left_out} of its matches left out" if bot.left_out else ""
        explained = ", which its presence alone explains" if bot.name in suspects else ""
        name = names(bot.name)
        lines.append(f"  {name}: {bot.voided} of its {bot.attempts} attempts voided{explained}{left_out}")
    return lines + [f"  and {len(voided) - NAMED_VOIDED} more bots; --json has all"] * (len(voided) > NAMED_VOIDED)


def rounds(summary: RunSummary, names: Callable[[str], str] = short) -> list[str]:
    """How far a run has come that is played in rounds."""
    if not summary.rounds and not summary.goes_on:
        return []
    last = f", the last one {printable(summary.rounds[-1].title, 100)}" if summary.rounds else ""
    after = "more to come" if summary.end is None else f"no more: {printable(summary.end, 200)}"
    if summary.stop is not None and summary.stop.saved:
        after += f": {saved_words(summary.matches, summary.stop.most_matches)}"
    elif summary.stop is not None and summary.end is not None and summary.stop.undecided:
        pairs = [f"{names(one)} - {names(other)}" for one, other in summary.stop.undecided]
        more = f" and {len(pairs) - NAMED} more" * (len(pairs) > NAMED)
        are = "" if summary.end == summary.stop.words else "; undecided"
        after += f"{are}: {', '.join(pairs[:NAMED])}{more}"
    used = f"  played for {duration(summary.used_s or 0)} of {duration(summary.hours * 3600)}" if summary.hours else ""
    return [f"  rounds: {len(summary.rounds)}{last}; {after}", *filter(None, [used])]


def troubles(summary: RunSummary, names: Callable[[str], str] = short) -> list[str]:
    """What did not go as planned when the run began."""
    lines = spoiled(summary, names)
    if summary.retired:
        some = ", ".join(f"#{match.id}" for match in summary.retired[:NAMED])
        more = ", ..." * (len(summary.retired) > NAMED)
        lines.append(f"  {len(summary.retired)} matches are out of the standings: {some}{more}; --json lists them")
        if summary.order != "means" and any(len(match.bots) > 2 for match in summary.retired):
            lines.append("    but what the remaining bots of a table played among themselves counts")
    lines += rounds(summary, names)
    for event in summary.history:
        lines.append(f"  after {event.after} matches:")
        lines += [f"    {printable(line, 300)}" for line in event.lines]
    return lines


def kept_out(summary: RunSummary) -> list[str]:
    """Who did not qualify, and why."""
    return [
        f"{printable(one.bot, 40)}, version {one.version}: {printable(one.reason, 300)}" for one in summary.kept_out
    ]


def spoiled(summary: RunSummary, names: Callable[[str], str] = short) -> list[str]:
    """Why attempts at matches were spoiled, at whose tables, and what was given up."""
    often = sorted(summary.void_reasons.items(), key=lambda pair: -pair[1])
    lines = [f"  voided {count} times: {printable(reason, 300)}" for reason, count in often[:NAMED]]
    lines += [f"  voided for {len(often) - NAMED} more reasons; --json has all"] * (len(often) > NAMED)
    lines += voided_bots(summary, names)
    if summary.unplayed:
        lines.append(f"  given up after every attempt was voided: matches {', '.join(map(str, summary.unplayed))}")
    return lines
