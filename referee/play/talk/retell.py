"""Tells a match again from its record alone: the very bytes that each seat was sent, in order.

The record is played again, and a Script of our own composes once more what the live one did. It must not know more
than the record says. Sent is what was handed to a bot's pipe; whether the bot has read it, nobody can say.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from referee.play.talk.exchange import Delivery
from referee.play.talk.script import Script, announcements, hello
from referee.rules.game import Game
from referee.rules.questions import Ask, Question, Sealed, Window
from referee.rules.record import (
    Forfeit,
    Given,
    GivenSlaps,
    GivenTogether,
    Move,
    Reaction,
    Record,
)  # fmt: skip
from referee.rules.variants import from_record

Answered = tuple[Ask, Given | Reaction]
"""What a seat was asked, and what came of it."""


class Retelling:
    """A match told again along `walk`: call `before` at each of its steps and `after` at its end."""

    def __init__(self, record: Record) -> None:
        """Raises what `from_record` raises for the options, and ValueError where the id key is no hex."""
        self._record = record
        self._variant = from_record(record.preset, record.options)
        self._id_key = bytes.fromhex(record.id_key)
        self._answers = iter([move for move in record.moves if not isinstance(move, Forfeit)])
        self._script: Script | None = None
        self.forfeited: set[int] = set()
        """The seats that have forfeited."""
        self._asked: list[Answered] | None = None
        """The question that is open, once the requests for it have been sent."""

    def before(self, game: Game, move: Move) -> Iterator[tuple[Delivery, Answered | None]]:
        """What had been sent when the move was made, and was not told before; with each request what came of it."""
        if self._script is None:
            self._script = self._begin(game)
            new = [number for number, seat in enumerate(self._record.seats) if not seat.matches_before]
            yield from ((self._script.hello(seat), None) for seat in new)
        if isinstance(move, Forfeit) and not self._record.seats[move.seat].ready:
            self.forfeited.add(move.seat)
            return
        if self._asked is None:
            self._asked = answered(game.question, next(self._answers, None))
            yield from (
                (self._script.request(ask), (ask, given)) for ask, given in self._asked if self._was_asked(given)
            )
        if isinstance(move, Forfeit):
            self.forfeited.add(move.seat)
            return
        for ask, given in self._asked:
            if isinstance(given, Given):
                self._script.charge(ask.seat, given.time_us)
            if given.fault is not None:
                self._script.note_fault(ask.seat, given.fault)
        self._asked = None

    def after(self) -> Iterator[Delivery]:
        """What was sent when the match was over. A seat that has forfeited is sent nothing any more."""
        if self._script is not None:
            telling = self._script
            yield from (telling.end(seat) for seat in range(len(self._record.seats)) if seat not in self.forfeited)

    def sent(self, seat: int) -> tuple[int, str]:
        """How many bytes have been told to a seat, and their SHA-256 in hex."""
        if self._script is None:
            return 0, ""
        sent = self._script.seats[seat].sent
        return sent.bytes, sent.hexdigest()

    def _begin(self, game: Game) -> Script:
        record = self._record
        matches = announcements(
            self._variant,
            record.name,
            seeds=[seat.seed for seat in record.seats],
            clocks=record.clocks,
            own_clocks={number: seat.clocks for number, seat in enumerate(record.seats) if seat.clocks is not None},
            faults=record.faults,
            matches_before=[seat.matches_before for seat in record.seats],
        )
        # An option that the record does not list came later: no bot was told of it.
        matches = [
            replace(match, options={name: value for name, value in match.options.items() if name in record.options})
            for match in matches
        ]
        script = Script(
            game, hello=hello(record.games, record.bounds, record.golfref), matches=matches, id_key=self._id_key
        )
        for seat, bot in zip(script.seats, record.seats, strict=True):
            seat.wants_table = bot.wants_table
        return script

    def _was_asked(self, given: Given | Reaction) -> bool:
        """Whether a request was sent for a question. None was where the seat had forfeited, or had answered before."""
        return given.seat not in self.forfeited and not (isinstance(given, Given) and given.joined)


def answered(question: Question | None, move: Move | None) -> list[Answered]:
    """Each ask with what its seat answered; nothing where the move is no answer to the question."""
    match question, move:
        case Ask(), Given():
            return [(question, move)] if question.seat == move.seat else []
        case Sealed(), GivenTogether():
            return _paired(question.asks, move.answers)
        case Window(), GivenSlaps():
            return _paired(question.asks, [one for one in move.reactions if one.seat in move.asked])
    return []


def _paired(asks: Sequence[Ask], given: Sequence[Given] | Sequence[Reaction]) -> list[Answered]:
    by_seat = {one.seat: one for one in given}
    return [(ask, by_seat[ask.seat]) for ask in asks if ask.seat in by_seat]
