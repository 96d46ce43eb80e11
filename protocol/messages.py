"""The lines of the conversation, one struct a kind of message, told apart by `type`; README.md tells it as a story.

The referee says `hello`, `match`, `request`, `end`; a bot says `ready` and `answer`.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from protocol.actions import Action
from protocol.cards import Card
from protocol.events import Event
from protocol.offers import Offer

Decision = Literal[
    "turn_up", "look", "arrange", "turn", "place", "flip", "power", "slap", "give", "block", "pairs", "stroke", "pick8",
    "pick2", "par",
]  # fmt: skip
"""The fifteen kinds of decision, in the order of the table in RULES.md section 4."""

SlapTiming = Literal["isolated", "broadcast"]
"""How slaps are timed: one bot at a time, alone on the machine; or all at once, as their answers are seen."""

FaultKind = Literal[
    "start_failed", "start_timeout", "timeout", "crashed", "closed_output", "bad_message", "illegal_action",
    "line_too_long", "flood",
]  # fmt: skip
"""What a bot can be at fault for."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds that hold for a bot's output."""

    line_bytes: int = 65536
    """The longest line, its newline included, in both directions."""
    spare_lines: int = 1000
    """How many lines in a match may answer nothing that was asked; one more is a flood."""
    stderr_bytes: int = 65536
    """How many bytes of standard error are kept in a match; the rest is read and dropped."""


class Clocks(Struct, frozen=True, kw_only=True):
    """Time limits in seconds, and how slaps are timed."""

    start_s: float = 10.0
    """Seconds from the start of the process to its `ready`."""
    move_s: float = 1.0
    """Seconds for each answer except slaps."""
    bank_s: float = 60.0
    """Seconds for all answers of a match but slaps; an empty bank forfeits the match."""
    slap_s: float = 0.2
    """Seconds for each slap window; silence is a pass."""
    slap_timing: SlapTiming = "isolated"
    """How slaps are timed."""


class FaultPolicy(Struct, frozen=True, kw_only=True):
    """What a fault costs: `fallback` plays the fallback answer and counts, `forfeit` forfeits at the first fault."""

    policy: Literal["fallback", "forfeit"] = "fallback"
    """`fallback`: after a wrong or late answer golfref plays the fallback answer and counts the fault; `forfeit`: the
    first fault forfeits. A failed start, a crash and a flood forfeit the match in either case."""
    strikes: int = 10
    """With `fallback`: a bot forfeits a match after this many faults."""


class GameMessage(Struct, frozen=True, kw_only=True):
    """One of the games that will be played: the preset, the name it goes by, and the seats at a table."""

    variant: str
    name: str
    seats: int


class Hello(Struct, frozen=True, kw_only=True, tag="hello", tag_field="type"):
    """The first line of a process."""

    protocol: str
    referee: str
    games: tuple[GameMessage, ...]
    limits: Limits


class Ready(Struct, frozen=True, kw_only=True, tag="ready", tag_field="type"):
    """The bot's reply to `hello`: who it is and what it wishes."""

    name: Annotated[str, Meta(max_length=64)] = ""
    version: Annotated[str, Meta(max_length=64)] = ""
    author: Annotated[str, Meta(max_length=64)] = ""
    table: bool = True
    """Whether the first request of a turn shall carry the table."""
    slaps: bool = True
    """False renounces slaps for good: the bot passes in every window and is not asked."""


class Match(Struct, frozen=True, kw_only=True, tag="match", tag_field="type"):
    """A match begins, with everything that stays the same in it."""

    variant: str
    name: str
    rules: str
    """The game in a few lines for people; not meant to be parsed."""
    options: dict[str, Any]
    seats: int
    seat: int
    """The bot's own seat, 0 to seats - 1; play goes clockwise, to the next higher number."""
    rows: int
    """The rows of a layout; in par golf the most that a hole can have. The event `round` tells those of each hole."""
    columns: int
    cards: int
    """Cards in the whole pack."""
    values: dict[str, int]
    """Points by rank, or by card code where one card differs from its rank; `X` is the joker."""
    seed: int
    """For the bot's own randomness, 0 to 2**53 - 1."""
    matches_before: int = 0
    """How many matches this process has played before. None of them had the cards of this one."""
    clocks: Clocks
    faults: FaultPolicy


class TableMessage(Struct, frozen=True, kw_only=True):
    """The table as everybody sees it now: only what lies open."""

    round: int
    dealer: int
    turn: int
    """The seat whose turn it is."""
    knocker: int | None
    """Who knocked, ended the hole or finished first, if somebody did and no power has cancelled it."""
    stock: int
    pile: tuple[Card, ...]
    """The top card of the pile as an array of one, empty where the pile is."""
    layouts: tuple[tuple[str | None, ...], ...]
    """By seat and slot: a card code face up, `?` face down, null for an empty slot."""
    totals: tuple[int, ...]


class Fault(Struct, frozen=True, kw_only=True, tag="fault", tag_field="event"):
    """Sent to one bot alone, among its events: what it did wrong and how many more faults forfeit the match."""

    kind: FaultKind
    detail: str
    strikes_left: int


class Request(Struct, frozen=True, kw_only=True, tag="request", tag_field="type"):
    """The bot must answer."""

    events: tuple[Event | Fault, ...]
    """What happened since the last line to this bot, oldest first."""
    id: str
    decision: Decision
    legal: tuple[Offer, ...]
    table: TableMessage | UnsetType = UNSET
    time_s: float
    """Seconds for this answer."""
    bank_s: float
    """Seconds left for the whole match."""


class Answer(Struct, frozen=True, kw_only=True, gc=False, tag="answer", tag_field="type"):
    """The bot's answer to the request with this id."""

    id: str
    action: Action
    then: Action | None = None
    """The answer to the question that follows at once, where DEC-15 allows it."""
    comment: Raw | UnsetType = UNSET
    """The bot's own words for people, as JSON of any type: `codec.comment_of` reads it. No bot is sent it."""


class End(Struct, frozen=True, kw_only=True, tag="end", tag_field="type"):
    """The match is over; a further `match` may follow, or the end of input."""

    events: tuple[Event | Fault, ...]
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    """By seat, 1 is best; equal totals share a rank; forfeited seats come last."""
    forfeited: tuple[int, ...]
    """The seats that forfeited."""


FromReferee = Hello | Match | Request | End
"""Any line that the referee writes."""

FromBot = Ready | Answer
"""Any line that a bot writes."""
