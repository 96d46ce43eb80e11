"""The moves of a record without actions and cards: when a bot was asked, and how long it took. Cheap to decode."""

from collections.abc import Iterator

from msgspec import Struct

from referee.rules.record import was_asked
from referee.tournament.store.reading import Part


class TimedFault(Struct, frozen=True, kw_only=True):
    """A fault."""

    kind: str


class TimedAnswer(Struct, frozen=True, kw_only=True, tag="answer", tag_field="move"):
    """An answer."""

    seat: int
    time_us: int = 0
    joined: bool = False
    fault: TimedFault | None = None


class TimedAnswers(Struct, frozen=True, kw_only=True, tag="sealed", tag_field="move"):
    """The answers to a sealed question."""

    answers: tuple[TimedAnswer, ...]


class TimedReaction(Struct, frozen=True, kw_only=True):
    """What came of a bot in a slap window."""

    seat: int
    corrected_us: float | None = None
    late: bool = False


class TimedWindow(Struct, frozen=True, kw_only=True, tag="slaps", tag_field="move"):
    """A slap window."""

    reactions: tuple[TimedReaction, ...]
    disturbed: str = ""


class TimedForfeit(Struct, frozen=True, kw_only=True, tag="forfeit", tag_field="move"):
    """The end of a bot's part."""

    seat: int


class TimedMoves(Part, frozen=True, kw_only=True):
    """The part of a record that has its moves."""

    moves: tuple[TimedAnswer | TimedAnswers | TimedWindow | TimedForfeit, ...]

    def asked(self) -> Iterator[TimedAnswer]:
        """The answers for which bots were asked."""
        out = set[int]()
        for move in self.moves:
            if isinstance(move, TimedForfeit):
                out.add(move.seat)
            answers = (
                move.answers if isinstance(move, TimedAnswers) else (move,) if isinstance(move, TimedAnswer) else ()
            )
            yield from (one for one in answers if was_asked(one, out))
