"""What passes between a sans-I/O conversation and whoever drives it: lines to write, answers and their times."""

from typing import ClassVar

from msgspec import Struct

from protocol.messages import Answer, Ready
from referee.play.faults import Trouble

READY = "ready"
"""Stands in place of a request's id where the awaited message is `ready`."""


class Delivery(Struct, frozen=True, gc=False):
    """Bytes for one seat; `awaits` is the id of the request in them (or READY), None where no answer is due.

    It is an exchange, too: of this line alone. Most exchanges are.
    """

    seat: int
    data: bytes
    awaits: str | None = None
    limit_s: float = 0.0
    """The time for the answer, which begins when the line is written."""
    timed: ClassVar[bool] = False
    at_once: ClassVar[bool] = False
    dismissed: ClassVar[tuple[int, ...]] = ()

    @property
    def deliveries(self) -> "tuple[Delivery, ...]":
        """The line itself."""
        return (self,)


class Exchange(Struct, frozen=True, kw_only=True, gc=False):
    """Write all deliveries and gather an answer for each that awaits one.

    With `timed` the answers are a slap window's: by default the seats are asked one after another in the order given,
    each alone on the machine (DESIGN.md section 4), with `at_once` all together, and a reply's time ends when it is
    seen. The bots of `dismissed` seats are out of the match and stopped.
    """

    deliveries: tuple[Delivery, ...]
    timed: bool = False
    at_once: bool = False
    dismissed: tuple[int, ...] = ()


Saying = Exchange | Delivery
"""What a conversation says next."""


class Reply(Struct, frozen=True, gc=False):
    """What came back from one seat; times in microseconds since its write.

    `heard` is the message, a Trouble, or None when the time was over. Only timed replies have `wait_us`, `disturbed`.
    """

    seat: int
    heard: Ready | Answer | Trouble | None
    elapsed_us: float
    waived_us: float = 0.0
    """Time that is not in `elapsed_us`: in it the referee did not look, or the bot waited for a core."""
    wait_us: float | None = None
    corrected_us: float | None = None
    hint: str = ""
    """The likely reason why nothing was heard, for the bot's author; empty where something was."""
    disturbed: tuple[str, ...] = ()
    """Why the measurement is in doubt, if it is."""
