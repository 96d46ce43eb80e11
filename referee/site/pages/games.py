"""The page of a game: its rules in short, who is how good at it, how scores are spread, and what the bots do."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import quantiles

from msgspec import Struct

from referee.reports.tables.layout import Column, with_content
from referee.rules.describe import rules_in_full
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.frame import Site
from referee.site.pages.highlights import moments
from referee.site.pages.tables import Col, Table, cols_of
from referee.tournament.config.run_config import RunVariant
from referee.tournament.standings import BotStanding

BINS = 30
"""Into how many parts the range of scores is cut."""

MOMENTS = 5
"""How many moments a game's page has at most."""


ACTIONS: tuple[Column[BotStanding], ...] = (
    Column("pile cards a round", lambda row: _a_round(row.actions.pile_takes, row.rounds), is_optional=True),
    Column("ends the round", lambda row: _percent(row.actions.ends, row.rounds), is_optional=True),
    Column("and wins it", lambda row: _percent(row.actions.ends_won, row.actions.ends), is_optional=True),
    Column("is penalised", lambda row: _percent(row.actions.ends_penalised, row.actions.ends), is_optional=True),
    Column("slaps a round", lambda row: _slaps(row)[0], is_optional=True),
    Column("right", lambda row: _slaps(row)[1], is_optional=True),
    Column("wrong", lambda row: _slaps(row)[2], is_optional=True),
    Column("too slow", lambda row: _slaps(row)[3], is_optional=True),
)
"""How often a bot does something, and with what success."""


def _slaps(row: BotStanding) -> tuple[str, str, str, str]:
    """How many slaps a round, and how many of them were right, wrong, and right but slower than another's."""
    slaps = row.actions.slaps
    if slaps is None:
        return "-", "-", "-", "-"
    often = slaps.right + slaps.wrong + slaps.late
    return (
        _a_round(often, row.rounds),
        _percent(slaps.right, often),
        _percent(slaps.wrong, often),
        _percent(slaps.late, often),
    )


def _a_round(count: int, rounds: int) -> str:
    return f"{count / rounds:.2f}" if count else "0"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if part else "0" if whole else "-"


class Chapter(Struct, frozen=True, kw_only=True):
    """A part of the rules."""

    title: str
    sentences: tuple[str, ...]

    @property
    def gist(self) -> str:
        """Its most telling sentence: what each seat has, or else the first one."""
        return next((one for one in self.sentences if one.startswith("Each seat has")), self.sentences[0])


def game_pages(site: Site) -> Iterator[File]:
    """A page for each game of the run."""
    for entry in site.content.config.variants:
        yield _page(site, entry)


def _page(site: Site, entry: RunVariant) -> File:
    content, variant = site.content, entry.variant
    rows = standings.in_order(content.summary.variants.get(entry.name, ()))
    of_game = content.game_standings.get(entry.name)
    chapters, options = rules(rules_in_full(variant))
    highlights = content.game_highlights.get(entry.name, ())
    return site.page(
        "game.html",
        site.game_path(entry.name),
        game=entry,
        variant=variant,
        table=standings.of_game(site, rows, "standings", f"Standings in {site.games(entry.name)}") if rows else None,
        spread=scores(site, entry.name),
        actions=actions(site, rows),
        crosstable=standings.crosstable(site, of_game, entry.name) if of_game is not None else None,
        chapters=chapters,
        options=options,
        moments=moments(site, highlights[:MOMENTS]),
    )


def scores(site: Site, game: str) -> Table | None:
    """How the scores of each bot in a match are spread, the one with the lowest median first; None without a match."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in site.content.matches:
        if row.number is not None and row.variant == game and row.rounds:
            for bot, total in zip(row.bots, row.totals, strict=True):
                found[bot].append(total / row.rounds)
    if not found:
        return None
    quarters = {
        bot: quantiles(some, n=4, method="inclusive") if len(some) > 1 else some * 3 for bot, some in found.items()
    }
    order = sorted(found, key=lambda bot: (quarters[bot][1], bot))
    least, most = min(map(min, found.values())), max(map(max, found.values()))
    strips = [_strip(found[bot], least, most) for bot in order]
    return Table(
        id="scores",
        caption=f"Strokes a round in each match, from {least:.1f} at the left to {most:.1f}; fewer are better",
        cols=(
            Col(title="bot", cells=[site.bots(bot) for bot in order], is_text=True, is_head=True),
            Col(title="matches by strokes a round", cells=[""] * len(order), strips=strips, is_text=True),
            Col(title="median", cells=[f"{quarters[bot][1]:.1f}" for bot in order]),
            Col(
                title="half of its matches",
                cells=[f"{quarters[bot][0]:.1f} to {quarters[bot][2]:.1f}" for bot in order],
                is_minor=True,
            ),
        ),
        is_wide=True,
    )


def actions(site: Site, rows: Sequence[BotStanding]) -> Table | None:
    """What each bot did and with what success, in the order of the standings; None where nobody did any of it."""
    rows = [row for row in rows if row.rounds]
    columns = with_content(ACTIONS, rows)
    if not columns:
        return None
    head = Col(title="bot", cells=[site.bots(row.bot) for row in rows], is_text=True, is_head=True)
    return Table(
        id="actions",
        caption="How often, and with what success; a round ends by a knock, or by the first to finish",
        cols=(head, *cols_of(columns, rows, "")),
        is_wide=True,
    )


def _strip(values: list[float], least: float, most: float) -> list[int]:
    """How many of the values lie in each part of the range, from 0 to 10, which is the fullest part."""
    width = (most - least) / BINS or 1
    often = Counter(min(int((value - least) / width), BINS - 1) for value in values)
    top = max(often.values())
    return [-(-10 * often[place] // top) for place in range(BINS)]


def rules(text: str) -> tuple[list[Chapter], list[str]]:
    """The chapters of the rules of a game in full, and the lines of its options."""
    _, *chapters, options = text.split("\n\n")  # the page has the summary and the seats already
    parted = [block.splitlines() for block in chapters]
    return (
        [Chapter(title=lines[0], sentences=tuple(line.strip() for line in lines[1:])) for lines in parted],
        options.splitlines()[1:],
    )
