"""All that the pages of a site are made from. It is gathered from a run, and must not know templates or files."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from referee.highlights.highlight import Highlight
from referee.plots.times import Times
from referee.site.cards import Layout
from referee.tournament.config.run_config import RunConfig
from referee.tournament.standings import Standings
from referee.tournament.summary import RunSummary


class MatchRow(Struct, frozen=True, kw_only=True):
    """A match in a list. Tuples are by seat."""

    id: int
    """Its id in the store, which never changes."""
    number: int | None
    """Its number in the plan, by which people call it. None where it is out of the standings."""
    variant: str
    bots: tuple[str, ...]
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    """How many faults of any kind."""
    forfeited: tuple[bool, ...]
    rounds: int
    problem: str = ""
    """What is wrong with its record, where it cannot be shown."""
    href: str | None = None
    """The path of its page from the site's root. None where it has none."""


class FaultExample(Struct, frozen=True, kw_only=True):
    """A fault of a bot, as its author needs it."""

    kind: str
    match: int | None
    """The match's number in the plan. None where it is out of the standings."""
    id: int
    """The id of its row in the store."""
    seat: int
    where: str
    """In words, such as `round 3, turn 12, at its decision "turn"`."""
    moment: str
    """The name of the moment in the match, as match_states/moments.py has it; empty where there is none."""
    detail: str
    """What was wrong. A stranger's words: not safe to show."""
    line: str
    """The start of the line of the bot that was at fault; likewise, and often empty."""
    forfeits: bool
    """Whether the bot lost the match by it."""
    stderr: tuple[str, ...]
    """The last lines that it wrote to standard error in that match; likewise."""
    stderr_bytes: int
    """How much it wrote to standard error in that match."""


class BotFaults(Struct, frozen=True, kw_only=True):
    """The faults of a bot."""

    bot: str
    matches: Mapping[str, int]
    """By kind of fault in how many matches there was one."""
    examples: tuple[FaultExample, ...]
    """The first one of each kind, in the first matches with it."""
    late: str = ""
    """How late it was in the slap windows of one match, and the likely reason; empty where it never was. No fault."""
    late_id: int | None = None
    """The id of that match."""


class Verified(Struct, frozen=True, kw_only=True):
    """What `golfref verify` said of the run when its site was made."""

    verdict: str
    findings: tuple[str, ...]


class Underway(Struct, frozen=True, kw_only=True):
    """A run of which matches are left to be played, as the head of each page tells it."""

    as_of: datetime
    """When something was written to its store last, in UTC."""
    is_played: bool
    """Whether anybody plays it."""


class SitePicture(Struct, frozen=True, kw_only=True):
    """A picture of the run."""

    path: str
    """That of its files from the site's root, without their ends: `.svg`, `-dark.svg`, and for phones `-narrow.svg`."""
    alt: str
    """What it shows, for readers who do not see it."""


class Content(Struct, frozen=True, kw_only=True):
    """A run as its site shows it."""

    summary: RunSummary
    """Without the single results."""
    config: RunConfig
    store: str
    """The name of the run's file, as commands name it."""
    matches: tuple[MatchRow, ...] = ()
    """By number, then those that are out of the standings."""
    matches_by_id: Mapping[int, MatchRow] = {}
    best: Mapping[str, tuple[int, ...]] = {}
    """By bot the ids of its best matches, the best first."""
    worst: Mapping[str, tuple[int, ...]] = {}
    """By bot the ids of its worst matches, the worst first."""
    highlights: tuple[Highlight, ...] = ()
    """The best moments of the run, in the order of kinds."""
    game_highlights: Mapping[str, tuple[Highlight, ...]] = {}
    """The same of each game."""
    recent_highlights: tuple[Highlight, ...] = ()
    """The two best of the last quarter of an hour, as far as it is known when matches were played."""
    layouts: Mapping[int, tuple[Layout, ...]] = {}
    """By the id of a match the cards at its moment in `highlights` and `recent_highlights`."""
    left: str = ""
    """How long the run still takes, in words; empty if nobody plays it, or it is not known."""
    game_standings: Mapping[str, Standings] = {}
    """By game its tables. Where one is missing, its page has no crosstable."""
    times: Times | None = None
    """How long each bot took; None where no records were read."""
    faults: tuple[BotFaults, ...] = ()
    plots: Mapping[str, SitePicture] = {}
    """By kind the pictures of the run."""
    is_complete: bool = False
    """Whether nothing of the run is left to be played, so that nothing of it is secret."""
    underway: Underway | None = None
    """None where nothing is left to be played, and where pages must follow from the content of the store alone."""
    version: str = ""
    """Changes with each result while the site is kept current. Empty if it is not kept current."""
    verified: Verified | None = None
    """None where the run was not checked for the site."""
    assets: Mapping[str, str] = {}
    """By the name of an asset its path from the site's root."""
