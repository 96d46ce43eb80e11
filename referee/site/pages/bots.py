"""The page of a bot: how good it is in what and against whom, what went wrong, and what its author can do next."""

import shlex
from collections.abc import Iterator
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from referee.highlights.highlight import Highlight
from referee.reports import provenance
from referee.reports.bot_results import OneBot, one_bot
from referee.reports.tables.bot_tables import MEANS, own_terms, rank, standings_of
from referee.reports.tables.figures import plus_minus, signed
from referee.site.content import BotFaults, FaultExample, MatchRow
from referee.site.files import File
from referee.site.pages import matches, standings
from referee.site.pages.frame import Site
from referee.site.pages.highlights import moments
from referee.site.pages.tables import Col, Table, cols_of, tint
from referee.site.pages.times import times_table
from referee.tournament.standings import BotStanding, Encounter
from referee.tournament.summary import EnteredBot
from referee.versions.version import short

MOMENTS = 5
"""How many moments a bot's page has at most."""

MENDS = {
    "start_failed": "Try its command in its own folder. The first line that it prints must be `ready`.",
    "start_timeout": "Flush after each line, and print `ready` before loading large files.",
    "timeout": "Flush after each line, read line by line, and think for less time.",
    "bad_message": "Print answers alone to standard output, each with an action from `legal` of its request.",
    "illegal_action": "Take the action from `legal` of the request, not from a model of the table.",
    "crashed": "The end of its standard error names the line of the program.",
    "closed_output": "Keep standard output open until the end; a script starts the bot with `exec`.",
    "flood": "Answer each request once, and only when asked.",
    "line_too_long": "Answer each request once, with the action alone.",
}
"""By kind of fault, what its author looks at first."""


class Fault(Struct, frozen=True, kw_only=True):
    """A fault with where to see it."""

    example: FaultExample
    match: str
    """As people call the match."""
    where: str
    """Such as `round 3, turn 12, at its decision "place"` or `before the match`."""
    href: str
    """The moment in the page of the match as the bot knew it, from the site's root; empty where there is none."""
    command: str
    """The command that prints all that the bot was sent and wrote in that match."""
    mend: str
    """What its author looks at first."""


def bot_pages(site: Site) -> Iterator[File]:
    """A page for each bot of the run."""
    faults = {one.bot: one for one in site.content.faults}
    every = standings_of(site.content.summary)
    for bot in site.content.summary.bots:
        yield _page(site, bot, one_bot(bot.name, every, ()), faults.get(bot.name))


def _page(site: Site, bot: EnteredBot, one: OneBot, faults: BotFaults | None) -> File:
    name, content, row = bot.name, site.content, one.standing
    return site.page(
        "bot.html",
        site.bot_path(name),
        bot=bot,
        version=short(bot.version),
        terms=own_terms(bot),
        row=row if row is not None and row.matches else None,
        place="" if row is None else _place(site, row),
        by_game=_by_game(site, one),
        opponents=_opponents(site, name),
        extremes=_extremes(site, name),
        moments=moments(site, list(_best(site, name))[:MOMENTS]),
        doubts=_doubts(site, name),
        times=_times(site, name),
        faults=faults,
        examples=[] if faults is None else [_fault(site, each, name) for each in faults.examples],
        late=content.matches_by_id.get(faults.late_id) if faults is not None and faults.late_id else None,
        export=f"golfref export {shlex.quote(content.store)} --bot {shlex.quote(name)} -o matches.jsonl",
        results=f"golfref standings {shlex.quote(content.store)} --bot {shlex.quote(name)}",
    )


def _place(site: Site, row: BotStanding) -> str:
    """Its rank in words."""
    summary = site.content.summary
    if row.rank is None:
        return f"It has no rank: {row.reason}."
    figures = {"means": summary.rank_by.replace("-", " "), "ratings": "rating", "places": "the stage that it reached"}
    place = f"Rank {row.rank} of {len(summary.standings)}, by {figures[summary.order]}"
    if row.rank_from == row.rank_to:
        return f"{place}, and surely so."
    return f"{place}. It may be any from {row.rank_from} to {row.rank_to}: the matches do not settle it."


def _best(site: Site, name: str) -> Iterator[Highlight]:
    """The best highlight of each kind in which the bot is named, those of the whole run first; no match twice."""
    kinds, ids = set[str](), set[int]()
    of_games = [one for some in site.content.game_highlights.values() for one in some]
    for one in [*site.content.highlights, *sorted(of_games, key=lambda one: -one.score)]:
        if _is_named(one, name) and one.kind not in kinds and one.id not in ids:
            kinds.add(one.kind)
            ids.add(one.id)
            yield one


def _is_named(highlight: Highlight, name: str) -> bool:
    """Whether the sentence tells of this bot."""
    return any(highlight.bots[part] == name for part in highlight.parts if isinstance(part, int))


def _by_game(site: Site, one: OneBot) -> Table | None:
    if not one.variants:
        return None
    rows = list(one.variants.values())
    columns = standings.means(cols_of(MEANS, rows, ""), rows)
    games = Col(title="game", cells=[site.games(game) for game in one.variants], is_text=True, is_head=True)
    columns = tuple(replace(col, is_minor=col.title in {"strokes", "rounds", "firsts"}) for col in columns)
    ranks = [replace(col, cells=[rank(row) for row in rows]) for col in standings.ranks(rows)]
    note = "" if ranks else standings.TOO_FEW
    return Table(id="by-game", caption="Game by game", cols=(games, *ranks, *columns), note=note)


def _opponents(site: Site, name: str) -> Table | None:
    """The opponents it beats, those with whom that is not settled, and those it loses to."""
    summary = site.content.summary
    by_strokes = summary.rank_by == "strokes"
    groups: dict[str, list[tuple[str, Encounter]]] = {"beats": [], "not settled": [], "loses to": []}
    for other, met in summary.crosstable.get(name, {}).items():
        low, high = (met.strokes_interval if by_strokes else met.match_points_interval) or (-inf, inf)
        above, below = ("loses to", "beats") if by_strokes else ("beats", "loses to")
        even = 0.0 if by_strokes else 0.5
        groups[above if low > even else below if high < even else "not settled"].append((other, met))
    rows = [(how, other, met) for how, some in groups.items() for other, met in some]
    if not rows:
        return None
    figures = [
        signed(met.strokes, met.strokes_interval)
        if by_strokes
        else plus_minus(met.match_points, met.match_points_interval)
        for _, _, met in rows
    ]
    tints = [None if by_strokes else tint(met.match_points) for _, _, met in rows]
    return Table(
        id="opponents",
        caption="Against each opponent",
        cols=(
            Col(title="outcome", cells=[how for how, _, _ in rows], is_text=True),
            Col(title="opponent", cells=[site.bots(other) for _, other, _ in rows], is_text=True, is_head=True),
            Col(title="strokes a round" if by_strokes else "match points", cells=figures, tints=tints),
            Col(title="matches", cells=[str(met.matches) for _, _, met in rows]),
        ),
        groups=tuple(len(some) for some in groups.values() if some),
        note="It beats or loses to an opponent where the interval lies on one side of even.",
    )


def _extremes(site: Site, name: str) -> Table | None:
    """Its best and its worst match."""
    content = site.content
    ids = dict.fromkeys([*content.best.get(name, ())[:1], *content.worst.get(name, ())[:1]])
    rows = [content.matches_by_id[id_] for id_ in ids if id_ in content.matches_by_id]
    rows = [row for row in rows if name in row.bots]
    return matches.table_of_bot(site, name, rows, "extremes", "The best match first") if rows else None


def _doubts(site: Site, name: str) -> list[str]:
    """What casts doubt on its results."""
    summary, marked = site.content.summary, site.bots(name)
    lines = [*provenance.influences(summary, site.bots), *provenance.void_suspects(summary, site.bots)]
    return [line.removeprefix("WARNING: ") for line in lines if line.startswith("WARNING: ") and marked in line]


def _times(site: Site, name: str) -> Table | None:
    times = site.content.times
    some = [] if times is None else [("answers", times.thinking.get(name)), ("slaps", times.slaps.get(name))]
    found = [(title, bins) for title, bins in some if bins is not None and bins.count]
    return times_table("times", "How long it took", "what", found) if found else None


def _fault(site: Site, example: FaultExample, name: str) -> Fault:
    content = site.content
    row: MatchRow | None = content.matches_by_id.get(example.id)
    title = f"#{example.id}" if example.match is None else str(example.match)
    moment = f"#{example.moment}" if example.moment else ""
    page = None if row is None else row.href
    href = "" if page is None else f"{page}?view=seat{example.seat}{moment}"
    which = name if name == shlex.quote(name) else str(example.seat)
    command = f"golfref transcript {shlex.quote(f'{content.store}:{title}')} --bot {which}"
    return Fault(
        example=example, match=title, where=example.where, href=href, command=command, mend=MENDS.get(example.kind, "")
    )
