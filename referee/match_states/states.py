"""The states document: a match as states, for whoever shows it. Its format is `golfref-states-1`.

A document has one viewer: the public, a seat, or `open`, who sees all cards. It begins with a state, and each step
tells what has happened, in words, and what it changes in the state. Changes are paths with values, so whoever shows
them needs no rules. Nothing here guesses: what a viewer cannot know is null. README.md says what each field means.
"""

from typing import Any, Literal

from msgspec import Struct, field

from protocol.actions import Action, Target
from protocol.cards import Card
from protocol.messages import FaultKind
from referee.reports.bot_match import Entry

FORMAT: Literal["golfref-states-1"] = "golfref-states-1"
"""What a states document says that it is."""

TOP_OF_PILE = 3
"""How many cards of the pile a state tells, from the top."""


class Knows(Struct, frozen=True, array_like=True):
    """That a seat knows a card."""

    seat: int
    since: int
    """The number of the step at which it was shown the card, from 0."""
    how: str
    """The kind of event that showed it, as in `Step.event`: `looked`, `peeked`, `drew`, `swapped`, `slapped`, ..."""


class SlotState(Struct, frozen=True, kw_only=True):
    """A card in a slot."""

    up: bool
    card: Card | None
    knows: tuple[Knows, ...] = ()


class HandState(Struct, frozen=True, kw_only=True):
    """What a seat has drawn and not placed yet."""

    seat: int
    cards: tuple[Card | None, ...]
    knows: tuple[tuple[Knows, ...], ...] = ()


class PileState(Struct, frozen=True, kw_only=True):
    """The discard pile."""

    count: int
    top: tuple[Card | None, ...]


class SeatState(Struct, frozen=True, kw_only=True):
    """What lies before a seat."""

    slots: tuple[SlotState | None, ...]
    places: tuple[tuple[int, int], ...]
    shields: tuple[Card | None, ...] = ()
    strokes: tuple[int, ...] = ()
    total: int = 0
    score: int | None = None
    worth: int | None = None
    forfeited: bool = False


class State(Struct, frozen=True, kw_only=True):
    """All that lies on the table, as the viewer knows it."""

    round: int
    playoff: bool
    dealer: int
    turn: int | None
    ender: int | None
    stock: int
    pile: PileState
    hand: HandState | None
    seats: tuple[SeatState, ...]


Change = tuple[tuple[str | int, ...], Any]
"""A path into the state, as in `["seats", 0, "slots", 2]`, and the value that stands there now."""


class Place(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a card can lie."""

    lies: Literal["stock", "pile", "hand", "slot", "shield"]
    seat: int | None = None
    slot: int | None = None


class Moved(Struct, frozen=True, kw_only=True):
    """A card that has moved, as far as the viewer can follow it."""

    source: Place = field(name="from")
    target: Place = field(name="to")


class FaultOfStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fault of a bot."""

    kind: FaultKind
    detail: str
    line: str = ""
    """The start of the line at which it was at fault. It is a stranger's text."""
    forfeits: bool = False


class Answered(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a bot was asked and answered. A document tells of its own seat's answers, the open one of all."""

    seat: int
    decision: str | None = None
    """What was to be decided, as on the wire (protocol/README.md section 5); None for a forfeit."""
    action: Action | None = None
    """What was played: with a fault the fallback answer."""
    time_us: int = 0
    waived_us: int = 0
    joined: bool = False
    fault: FaultOfStep | None = None
    comment: str = ""


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that has happened. A step is an event, so that the n-th step is the n-th event of the match."""

    at: str
    round: int
    turn: int
    window: int = 0
    event: str
    seat: int | None = None
    against: int | None = None
    power: str | None = None
    words: tuple[str, ...] = ()
    cards: tuple[Target, ...] = ()
    moved: tuple[Moved, ...] = ()
    blinds: tuple[int, ...] = ()
    answers: tuple[Answered, ...] = ()
    changes: tuple[Change, ...] = ()


class SlapOfWindow(Struct, frozen=True, kw_only=True):
    """A slap as everybody was told of it, in the order in which slaps counted."""

    seat: int
    target: Target
    card: Card
    verdict: Literal["right", "wrong", "late"]
    step: int
    """The number of the step that tells it."""


class Reacted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat did in a slap window, with its times in microseconds. A seat that was not asked has none."""

    seat: int
    target: Target | None = None
    """The card that it slapped; None for a pass."""
    raw_us: float | None = None
    wait_us: float | None = None
    corrected_us: float | None = None
    late: bool = False
    hint: str = ""
    fault: FaultOfStep | None = None
    comment: str = ""


class SlapWindow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A slap window. Times stand in the open document, and in a seat's its own ones; nobody is told others' times."""

    at: str
    round: int
    number: int
    step: int
    steps: int
    discarder: int
    discard: Card
    slaps: tuple[SlapOfWindow, ...] = ()
    slap_order: str
    """What decides who is first: `reaction`, `lottery` or `clockwise`."""
    photo_finish_us: int
    """Slaps less than this behind the fastest of their group are drawn by lot (CAC-25)."""
    reactions: tuple[Reacted, ...] = ()
    """Of the seats of which this viewer may know."""
    asked: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    lots: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    disturbed: str = ""


class RoundOfMatch(Struct, frozen=True, kw_only=True):
    """A round that is over."""

    round: int
    playoff: bool
    first: int
    last: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    """By seat, after the round."""
    par: int | None = None
    """The par of the hole, in par golf."""
    ender: int | None
    capped: bool


class Swing(Struct, frozen=True, kw_only=True):
    """The lead changed, or is shared by others than before."""

    step: int
    leaders: tuple[int, ...]
    """The seats with the lowest total, the worth of their layouts included in the open document."""
    by: int


WireEntry = tuple[int, Entry]
"""What passed on a seat's wire, and the number of the step after which it stands; -1 before the first one."""


class Wire(Struct, frozen=True, kw_only=True):
    """All that a bot was sent and wrote, in order, with its times and faults."""

    seat: int
    entries: tuple[WireEntry, ...]
    """Their texts are a stranger's, and stand as they came: they are not safe to show as they are."""
    wrote_lines: int = 0
    """How many lines it wrote; those beyond a bound are not kept."""
    wrote_bytes: int = 0
    stderr: str = ""
    """The start of its standard error, as far as it is kept, escaped."""
    stderr_bytes: int = 0


class BotOfMatch(Struct, frozen=True, kw_only=True):
    """Who sits on a seat."""

    name: str
    owner: str = ""


class Document(Struct, frozen=True, kw_only=True):
    """A match as one viewer may know it."""

    format: Literal["golfref-states-1"] = FORMAT
    golfref: str
    """The version that played it."""
    preset: str
    game: str
    """The game's name in tables."""
    view: Literal["public", "seat", "open"]
    seat: int | None = None
    """Whose view it is, where it is that of a seat."""
    bots: tuple[BotOfMatch, ...]
    rows: int
    """The rows of a layout; in par golf those of the first hole at most."""
    columns: int
    totals: tuple[int, ...]
    """By seat, at the end of the match; lower is better."""
    ranks: tuple[int, ...]
    start: State
    """The state before the first step."""
    steps: tuple[Step, ...]
    rounds: tuple[RoundOfMatch, ...] = ()
    windows: tuple[SlapWindow, ...] = ()
    swings: tuple[Swing, ...] = ()
    """After each round; in the open document after each step, with what the layouts are worth."""
    wires: tuple[Wire, ...] = ()
    """None in the public document, a seat's own in its document, all in the open one."""
