"""The events of a run, as hooks and `--progress FILE` are sent them: one JSON object a line, with its kind in `type`.

tournaments/EVENTS.md is the page about them. Anybody may read events, so none holds the key, a seed, cards, a
line of a bot, or the command, folder or environment of a bot. The detail of a fault can name cards of its match, which
no new version of a bot meets again.
"""

import msgspec
from msgspec import Struct, field

from protocol.text import escaped_json, harmless, printable
from referee import wall_clock

LONGEST_TEXT = 2000
"""How many characters a text of strangers has at most."""


def now() -> str:
    """The time in UTC, such as `2026-11-23T19:30:05.123Z`."""
    return wall_clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Event(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """What all events have."""

    at: str = field(default_factory=now)
    """When it was sent, in UTC."""


class Player(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot that takes part."""

    name: str
    owner: str
    version: str
    """In hexadecimal; another version is another program."""


class Begin(_Event, frozen=True, tag="begin"):
    """Matches are played from now on. A ladder that takes new versions up begins again."""

    name: str
    """The tournament's name."""
    golfref: str
    """The version of golfref."""
    store: str
    """Absolute path of the run's store."""
    commitment: str
    """SHA-256 of the key, in hexadecimal."""
    games: tuple[str, ...]
    bots: tuple[Player, ...]
    played: int
    """How many matches are there already."""
    planned: int
    """How many the plan has, as far as it has been drawn."""
    goes_on: bool
    """Whether more may be drawn when these have been played."""
    left_s: float
    """How many seconds what is planned and not played takes, by the forecast."""


class Match(_Event, frozen=True, tag="match"):
    """A match has ended and is in the store. Lists are by seat."""

    match: int | None
    """Its number in the plan. None where it does not count any more."""
    game: str
    bots: tuple[str, ...]
    match_points: tuple[float, ...]
    """The share of the opponents at the table that each beat, a tie counting half."""
    totals: tuple[int, ...]
    """Strokes of the whole match, or what counts in this game in their place."""
    ranks: tuple[int, ...]
    """1 is best."""
    forfeited: tuple[bool, ...]
    faults: tuple[dict[str, int], ...]
    """How many faults of each kind."""
    id: int
    """The id of its row in the store."""
    played: int
    planned: int


class Fault(_Event, frozen=True, tag="fault"):
    """A bot was at fault in a match that has ended."""

    match: int | None
    game: str
    bot: str
    kind: str
    times: int
    """How often in this match."""
    detail: str | None
    """What was wrong the first time. None where the record of the match cannot be read."""
    id: int
    """As of the match."""


class Void(_Event, frozen=True, tag="void"):
    """The referee or its host spoiled an attempt at a match, which is no bot's fault."""

    match: int | None
    """As of a match."""
    game: str
    attempt: int
    reason: str
    id: int
    """The id of its row in the store."""


class Suspect(_Event, frozen=True, tag="void_suspect"):
    """The presence of a bot alone explains the voids at which it sat."""

    bot: str
    voided: int
    """At how many voided attempts it sat since the run was last amended."""
    of: int
    """How many attempts were voided in that time."""


class Drawn(_Event, frozen=True, tag="round"):
    """Another round has been drawn."""

    title: str
    matches: int
    """How many matches it has."""


class RoundsOver(_Event, frozen=True, tag="rounds_over"):
    """No more rounds are drawn."""

    reason: str


class Progress(_Event, frozen=True, tag="progress"):
    """How far the run is, every few seconds."""

    played: int
    planned: int
    voided: int
    """How many attempts were spoiled since the command began."""
    left_s: float
    """Seconds left, by the forecast."""


class Place(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot's place in the standings."""

    bot: str
    rank: int | None
    """None where it cannot be compared yet."""
    rank_from: int | None
    """The best rank that it can have by what is known."""
    rank_to: int | None
    """The worst one."""
    match_points: float | None
    """The mean over its matches, from 0 to 1. None without a match."""
    match_points_interval: tuple[float, float] | None
    """The interval of 95 %. None where it is not known."""
    strokes: float | None
    """The mean a round, less its opponents'. None over several games."""
    matches: int
    faults: int
    """How many faults of all kinds."""


class Standings(_Event, frozen=True, tag="standings"):
    """The standings, the best first."""

    played: int
    planned: int
    standings: tuple[Place, ...]


class Note(_Event, frozen=True, tag="note"):
    """What `golfref tournament` prints in words; also warnings and errors."""

    text: str


class LeftOut(_Event, frozen=True, tag="left_out"):
    """The reader is slower than events come, or stopped for a while: lines are missing here."""

    lines: int


class End(_Event, frozen=True, tag="end"):
    """The command ends. It is the last line."""

    code: int
    """The exit code."""
    why: str
    """Why it is not 0; empty where it is."""
    store: str | None
    """Absolute path of the run's store; None where there is none."""
    played: int | None
    """How many matches of the plan are there; None where that is not known."""
    planned: int | None


Event = (
    Begin | Match | Fault | Void | Suspect | Drawn | RoundsOver | Progress | Standings | Note | LeftOut | End
)  # fmt: skip
"""Any of them."""


def line_of(event: Event) -> bytes:
    """Its line, with the newline."""
    return escaped_json(msgspec.json.encode(event).decode()).encode() + b"\n"


def safe(text: str) -> str:
    """A text of strangers, harmless to a terminal, and bounded."""
    return printable(text, LONGEST_TEXT)


def safe_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(harmless, text.splitlines()))[: 10 * LONGEST_TEXT]
