"""What the person's seat is told, line by line, as it is shown: beats, then a question, then the end.

It knows the seat's lines and nothing else of the match.
"""

import msgspec
from msgspec import Struct

from protocol import events as wire
from protocol.actions import Action, Slap
from protocol.codec import encode
from protocol.messages import Answer, End, Fault, FromReferee, Hello, Match, Ready, Request
from referee.match_states.follower import Follower
from referee.match_states.view import View
from referee.match_states.words import told
from referee.terminal.screen.choose import Chooser


class Beat(Struct, frozen=True, kw_only=True):
    """Something that has happened: in words, and the table after it."""

    words: tuple[str, ...]
    view: View
    ends_round: bool = False


class Seat:
    """The person's seat in one match."""

    def __init__(self, names: list[str], author: str = "") -> None:
        """`names` are those of the bots by seat, the person's among them."""
        self.names = names
        self.match: Match | None = None
        self.request: Request | None = None
        """The request that waits for an answer."""
        self.end: End | None = None
        self.author = author
        self._decoder = msgspec.json.Decoder(FromReferee)
        self._follower: Follower | None = None
        self._has_slapped = False
        """Whether the seat slapped in the window that is open, and its slap has not been shown."""

    @property
    def view(self) -> View | None:
        """The table as the seat knows it; None before the match."""
        return None if self._follower is None else self._follower.view

    @property
    def has_choice(self) -> bool:
        """Whether the open request can be answered otherwise than by passing, as a slap window cannot without cards."""
        return self.request is not None and any(offer.kind != "pass" for offer in self.request.legal)

    def hear(self, line: bytes) -> tuple[bytes | None, list[Beat]]:
        """Take a line of the referee. Returns what is to be answered at once, if anything, and what has happened."""
        message = self._decoder.decode(line)
        if isinstance(message, Hello):
            return encode(Ready(name=self.author)), []
        if isinstance(message, Match):
            self.match = message
            self._follower = Follower(seats=message.seats, rows=message.rows, columns=message.columns)
            return None, []
        if self._follower is None:
            raise ValueError("a request came before its match")
        beats = [self._beat(self._follower, event) for event in message.events]
        if isinstance(message, Request):
            self.request = message
            if not isinstance(message.table, msgspec.UnsetType):
                self._follower.set_turn(message.table.turn)
        else:
            self.end = message
        return None, beats

    def chooser(self) -> Chooser | None:
        """The question that is open, to be answered by keys."""
        if self.request is None or self.match is None or self.view is None:
            return None
        return Chooser(self.request.decision, self.request.legal, self.match.seat, self.view, self.names)

    def answer(self, action: Action) -> bytes:
        """The line that answers the open request."""
        if self.request is None:
            raise ValueError("nothing is asked")
        request, self.request = self.request, None
        self._has_slapped = isinstance(action, Slap)
        return encode(Answer(id=request.id, action=action))

    def _beat(self, follower: Follower, event: wire.Event | Fault) -> Beat:
        if isinstance(event, Fault):
            words: tuple[str, ...] = (f"your fault ({event.kind}): {event.detail}; {event.strikes_left} more forfeit",)
            return Beat(words=words, view=follower.view)
        view = follower.follow(event)
        words = tuple(told(event, self.names))
        if isinstance(event, wire.Slapped) and self.match is not None and event.seat == self.match.seat:
            self._has_slapped = False
        elif isinstance(event, wire.WindowClosed):
            if self._has_slapped:  # such a slap is void, and is shown to nobody (CAC-33)
                words = ("    your slap came after that, and finds no card", *words)
            self._has_slapped = False
        return Beat(words=words, view=view, ends_round=isinstance(event, wire.Scored))
