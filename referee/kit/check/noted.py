"""What is noted of a match with the bot under check: its answers, its faults, late slaps, lines that answer nothing."""

from msgspec import Struct

from protocol.actions import Action
from referee.kit.check.rules import Rule
from referee.rules.questions import Ask
from referee.rules.record import Mishap


class Given(Struct, frozen=True, kw_only=True):
    """A request that was put to the bot, and its answer where that was legal."""

    ask: Ask
    id: str
    action: Action | None
    elapsed_us: float
    line_bytes: int
    """The length of the bot's line; 0 where there was none."""


class Slip(Struct, frozen=True, kw_only=True):
    """A fault of the bot, with what is needed to tell of it."""

    mishap: Mishap
    line: bytes
    """The line that was judged; empty where there was none."""
    ask: Ask | None
    id: str
    joined: bool
    """Whether it was the `then` of the line before."""
    is_of_before: bool
    """Whether the line answers an earlier request too late."""
    asked_bytes: int
    """The length of the line that it was to answer."""
    answered_bytes: int
    """The length of the longest line that the bot had answered in the match."""
    round: int
    conversation: tuple[str, ...]


class Blamed(Struct, frozen=True, kw_only=True):
    """What brought a fault about: without it, the same match went well."""

    trial: str
    """What the bot was tried with, in words."""
    about: Rule
    """The rule that a bot breaks which cannot bear that."""


class Late(Struct, frozen=True, kw_only=True):
    """A slap window in which the bot said nothing in time."""

    id: str
    hint: str
    ask: Ask
    conversation: tuple[str, ...]


class Spare(Struct, frozen=True, kw_only=True):
    """A line of the bot that answers nothing."""

    line: bytes
    after: str
    """The type of the referee's last message before it; empty where there was none."""
    is_repeat: bool
    """Whether it has the id of a request that had been answered."""
    conversation: tuple[str, ...]
