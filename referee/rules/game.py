"""One match in progress, for whoever drives it: the question that is open, the answers that go in, what happened.

The driver may be a live conversation, a replay, or a test; all of them see the same.
"""

from collections.abc import Sequence

from protocol import events
from referee.rules.book.variants import Variant
from referee.rules.match import MatchResult, play_match
from referee.rules.table.asks import Flow, IllegalAnswer, Question, Response, check
from referee.rules.table.chance import Chance
from referee.rules.table.seen import Happening
from referee.rules.table.table import Table


class Game:
    """A match of `seats` seats. `question` is what must be answered next, None once the match is over."""

    def __init__(self, variant: Variant, seats: int, chance: Chance) -> None:
        self.table = Table(variant=variant, seats=seats, chance=chance, totals=[0] * seats)
        self.question: Question | None = None
        self._result: MatchResult | None = None
        self._flow: Flow[MatchResult] = play_match(self.table)
        self._advance(None)

    @property
    def events(self) -> Sequence[Happening]:
        """Everything that has happened, oldest first."""
        return self.table.events

    @property
    def result(self) -> MatchResult:
        """The outcome; raises LookupError before the match is over."""
        if self._result is None:
            raise LookupError("the match is not over")
        return self._result

    def answer(self, response: Response) -> None:
        """Play on to the next question. Raises IllegalAnswer, and then nothing has changed (DEC-16)."""
        if self.question is None:
            raise IllegalAnswer("the match is over")
        check(self.question, response)
        self._advance(response)

    def go_on(self, response: Response) -> None:
        """As `answer`, for whoever has made sure that the open question offers this response."""
        self._advance(response)

    def forfeit(self, seat: int) -> None:
        """A seat's bot forfeits now: from this round on the seat gets the round's highest score and ranks last."""
        if seat not in self.table.forfeited:
            self.table.forfeited.add(seat)
            self.table.emit(events.Forfeited(seat=seat))

    def _advance(self, response: Response | None) -> None:
        try:
            self.question = next(self._flow) if response is None else self._flow.send(response)
        except StopIteration as stop:
            self.question, self._result = None, stop.value
