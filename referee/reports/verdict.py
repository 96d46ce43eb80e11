"""The last words about a run: who won and by which evidence, ties, faults, and where to read on."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.reports.tables.figures import ALL_PAIRS, with_interval
from referee.reports.tables.layout import Names
from referee.tournament.formats.knockout import Tie
from referee.tournament.standings import BotStanding
from referee.tournament.summary import RunSummary

NAMED = 3
"""How many bots or ranks a line names at most."""


def verdict(summary: RunSummary, width: int, left: str = "") -> list[str]:
    """Who won or leads and how sure that is, ties, faults, with names as a screen of `width` cells shows them.

    `left` is in words how long the run goes on, if it is played.
    """
    names = Names((row.bot for row in summary.standings), width)
    return [winner(summary, names, left), ties(summary.standings, names), faults_line(summary, names)]


def winner(summary: RunSummary, names: Names, left: str = "") -> str:
    """Who is first, and whether it is better than all others. `left` is as in `verdict`."""
    if not summary.standings:
        return "No match has a result yet."
    rows = [row for row in summary.standings if row.rank is not None]
    so_far = "" if is_over(summary) else f"So far ({how_far(summary)}{left and f', {left}'}) "
    if not rows:
        return f"{so_far}nobody can be ranked: {summary.standings[0].reason}.".replace("nobody", "Nobody", not so_far)
    if summary.order == "places":
        return so_far + _came_first(summary, rows, names)
    if len(rows) == 1:
        return so_far + _alone(rows[0], summary, names)
    if rows[0].rank_to == 1:
        others = "other challenger" if summary.challengers else "other bot"
        whom = f"the {others}" if len(rows) == 2 else f"each of the {len(rows) - 1} {others}s"
        whom += _that_are_ranked(summary)
        return f"{so_far}{names(rows[0].bot)} {'leads' if so_far else 'won'}: it is better than {whom} ({ALL_PAIRS})."
    return so_far + _not_settled(rows, summary, names)


def _alone(row: BotStanding, summary: RunSummary, names: Names) -> str:
    """What there is to say of the only bot that is ranked."""
    if not summary.challengers:
        return f"{names(row.bot)} alone is ranked, so there is nobody to compare it with."
    points = with_interval(row.match_points, row.match_points_interval)
    return f"{names(row.bot)} has {points} match points against the field."


def _came_first(summary: RunSummary, rows: Sequence[BotStanding], names: Names) -> str:
    """Who won or leads a knockout or the last stage, and by which evidence."""
    first, last = names(rows[0].bot), summary.stages[-1]
    final = last.levels[-1].ties[-1] if last.levels and last.levels[-1].title == "final" else None
    if final is not None and final.rule not in ("withdrawn", "dropped"):
        return _final(final, names, is_over=is_over(summary))
    if not is_over(summary):
        there = {row.bot for row in last.bots} or {row.bot for row in rows if row.rank == 1}
        still = [row for row in rows if row.bot in there and row.rank_from == 1]
        return f"{len(still)} bot{'s' * (len(still) != 1)} can still come first."
    if not last.levels and not last.bots:
        return f"No bot of the last stage is left; of the others {first} came furthest."
    if not last.levels:
        is_best = last.bots[0].rank_to == 1
        evidence = f"it is better than the others of it ({ALL_PAIRS})" if is_best else "others of it may be as good"
        return f"{first} won the last stage; {evidence}."
    return f"{first} won: the others were withdrawn."


def _final(tie: Tie, names: Names, *, is_over: bool) -> str:
    """Who won or leads the final, with its figures, and whether that may be luck."""
    first, *others = tie.bots
    whom = " and ".join(names(one.bot) for one in others)
    if first.match_points is None:
        return f"{names(first.bot)} and {whom} are in the final, and no match of it has been played."
    scores = ["-" if one.match_points is None else f"{one.match_points:.3f}" for one in tie.bots]
    after = f"after {tie.deals} deal{'s' * (tie.deals != 1)}"
    if scores[0] == scores[1]:
        if not is_over:
            return f"{names(first.bot)} and {whom} are level in the final {after}; nothing is settled."
        if tie.rule in ("seed", "strokes"):
            by = "its seed" if tie.rule == "seed" else tie.rule
            return f"{names(first.bot)} won the final against {whom} by {by}: their match points are level {after}."
    figures = f"by {' to '.join(scores)} match points {after}"
    if not is_over:
        return f"{names(first.bot)} leads the final against {whom} {figures}; it is not settled."
    if tie.rule == "settled":
        return f"{names(first.bot)} won the final against {whom} {figures}; it is better there (p < 0.05)."
    rule = "the seed" if tie.rule == "seed" else tie.rule
    return f"{names(first.bot)} won the final against {whom} {figures}. It may be luck: {rule} decided, no test did."


def _not_settled(rows: Sequence[BotStanding], summary: RunSummary, names: Names) -> str:
    """Who is first by the figure, and who may be as good. The rows are those of ranked bots."""
    best = [row for row in rows if row.rank == rows[0].rank]
    rivals = [row for row in rows if row.rank_from == 1 and row not in best]
    most = "the most match points" if summary.rank_by == "match-points" else "the fewest strokes"
    most = "the best rating" if summary.order == "ratings" else most
    leads = f"{_listed(best, names)} {'has' if len(best) == 1 else 'have'} {most}"
    if len(best) + len(rivals) == len(rows) > 2:
        return f"{leads}, but any of the {len(rows)}{_that_are_ranked(summary)} may be the best."
    if not rivals:
        return f"{leads}; which of them is better is not known."
    return f"{leads}, but {_listed(rivals, names)} may be as good."


def _that_are_ranked(summary: RunSummary) -> str:
    """Limits a claim about all others where some bots are not ranked. A gauntlet has words of its own."""
    limits = not summary.challengers and any(row.rank is None for row in summary.standings)
    return " that can be ranked" if limits else ""


def ties(rows: Sequence[BotStanding], names: Names) -> str:
    """Which ranks are not known: groups of bots that are better than all bots below, but of unknown order."""
    unranked = [row for row in rows if row.rank is None and row.matches]
    unplayed = [row for row in rows if not row.matches]
    groups = tie_groups([row for row in rows if row.rank is not None])
    tied = [(first, group) for first, group in groups if len(group) > 1]
    if not tied:
        parts = ["No ranks are ties."] if groups else []
    elif len(groups) == 1 and all((row.rank_from, row.rank_to) == (1, len(rows)) for row in tied[0][1]):
        parts = [f"No test settles any of the {len(rows)} ranks."]
    else:
        shown = [f"{first}-{first + len(group) - 1} ({_listed(group, names)})" for first, group in tied[:NAMED]]
        more = len(tied) - NAMED
        known = all(_is_one_tie(first, group) for first, group in tied)
        what = "Ties: ranks" if known else "Not every order is known within ranks"
        parts = [f"{what} {', '.join(shown)}{f', and {more} more' * (more > 0)}."]
    parts += [f"Not ranked: {_listed(unranked, names)}."] if unranked else []
    parts += [f"No matches: {_listed(unplayed, names)}."] if unplayed else []
    return " ".join(parts) or "There are no ranks yet."


def tie_groups(rows: Sequence[BotStanding]) -> list[tuple[int, list[BotStanding]]]:
    """Bots whose ranks overlap, with the first rank that they can have. Nobody of a group can come into another."""
    groups: list[tuple[int, list[BotStanding]]] = []
    end = 0
    for place, row in enumerate(rows, 1):
        if place > end:
            groups.append((place, []))
        groups[-1][1].append(row)
        end = max(end, row.rank_to or place)
    return groups


def _is_one_tie(first: int, group: Sequence[BotStanding]) -> bool:
    """Whether nothing is known of the order in a group."""
    return all((row.rank_from, row.rank_to) == (first, first + len(group) - 1) for row in group)


def faults_line(summary: RunSummary, names: Names) -> str:
    """Who was at fault how often, what the referee or its host spoiled, and who may help whom."""
    counts = sorted(
        ((sum(row.faults.values()), row.bot) for row in summary.standings if row.faults), key=lambda one: -one[0]
    )
    shown = [f"{names(bot)} {count:,}" for count, bot in counts[:NAMED]]
    more = len(counts) - NAMED
    faults = ", ".join(shown) + f", and {more} more bot{'s' * (more != 1)}" * (more > 0) if counts else "none"
    parts = [f"Faults: {faults}."]
    if left_out := len(summary.unplayed):
        parts.append(f"Left out, since the host spoiled them: {left_out:,} match{'es' * (left_out != 1)}.")
    if suspects := [names(one.bot) for one in summary.void_suspects]:
        parts.append(f"The presence of {' and of '.join(suspects)} explains voids.")
    for row in summary.influences:
        if row.is_suspected:
            what = f"{names(row.bot)} may help {names(row.on)}"
            parts.append(f"{what if row.effect > 0 else f'{names(row.on)} may give way to {names(row.bot)}'}.")
    return " ".join(parts)


def commands_to_read_on(summary: RunSummary, store: Path) -> Iterator[str]:
    """Three commands at most that print or make more."""
    run = shlex.quote(str(store))
    if len(summary.standings) > 1:
        yield f"golfref compare {run}"
    if summary.matches:
        yield f"golfref highlights {run}"
    if summary.shard is not None:
        yield f"golfref merge {run} OTHER_SHARDS -o RUN"
    elif is_over(summary):
        yield f"golfref publish {run} -o DIR"


def is_over(summary: RunSummary) -> bool:
    """Whether every match was played, or given up. A shard is never all of a run."""
    return summary.shard is None and not summary.goes_on and summary.matches + len(summary.unplayed) >= summary.planned


def how_far(summary: RunSummary) -> str:
    """How many matches have a result, and of how many where that is known."""
    if summary.shard is not None:
        return f"{summary.matches:,} of {summary.planned:,} matches of shard {summary.shard}"
    if not summary.goes_on:
        return f"{summary.matches:,} of {summary.planned:,} matches"
    return (
        f"{summary.rounds[-1].title}, {summary.matches:,} matches" if summary.rounds else f"{summary.matches:,} matches"
    )


def _listed(rows: Sequence[BotStanding], names: Names) -> str:
    """Names, such as `ann, bea and cid` or `ann, bea and 7 more`."""
    shown = [names(row.bot) for row in rows]
    if len(shown) > NAMED:
        shown = [*shown[: NAMED - 1], f"{len(shown) - NAMED + 1} more"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
