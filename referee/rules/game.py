"""A match in progress: the question that is open, the answers that go in, what has happened.

A live conversation, a replay and a test drive it in the same way and see the same.
"""

from collections.abc import Sequence

from protocol import events
from protocol.events import Event
from referee.rules.book.changes import BadOptions
from referee.rules.book.variant import Variant
from referee.rules.book.variants import seat_problem
from referee.rules.match import MatchResult, play_match
from referee.rules.table.asks import Ask, Flow, IllegalAnswer, Question, Response, Sealed, check
from referee.rules.table.chance import Chance, Keyed
from referee.rules.table.seen import Happening, view
from referee.rules.table.streams import seed_key
from referee.rules.table.table import Table


class Game:
    """A match in progress: answer the open `question` until it is None; then `result` tells how the match ended.

    `question` says who must decide, and what may be answered (RULES.md section 4):

    * an `Ask`: one seat answers with an action (protocol.actions) that one of its `offers` describes;
    * a `Sealed`: several seats answer at the same time, with a tuple of actions in the order of its `asks` (GEN-06);
    * a `Window`: who slaps (CAC-22), a `SlapOrder` of `Slap`s in the order in which they count.

    Every ask names a legal `fallback` (GEN-07). `table` holds all cards and totals as they are now, whoever may know
    them. Scores are in points, and lower is better (GEN-11).

    >>> from referee import Game, preset
    >>> game = Game.from_seed(preset("six-card-knock"), seats=2, seed="demo")
    >>> game.question.asks[1].decision  # both seats choose two cards to turn up (DEC-01)
    'turn_up'
    >>> game.answer(tuple(ask.fallback for ask in game.question.asks))
    >>> game.question.seat, game.question.decision, [offer.kind for offer in game.question.offers]
    (1, 'turn', ['draw', 'knock'])
    """

    def __init__(self, variant: Variant, seats: int, chance: Chance) -> None:
        """Begin a match between seats 0 to `seats` - 1, with the cards and lots of this chance (GEN-04, GEN-05)."""
        self.table = Table(variant=variant, seats=seats, chance=chance, totals=[0] * seats)
        self.question: Question | None = None
        self._result: MatchResult | None = None
        self._flow: Flow[MatchResult] = play_match(self.table)
        self._advance(None)

    @classmethod
    def from_seed(cls, variant: Variant, seats: int, seed: str) -> "Game":
        """Begin a match whose cards follow from the seed, in the same way on every machine.

        Its deal key is `seed_key(seed)`. `golfref match --seed` deals other cards, since its keys depend on the bots
        too (protocol/README.md section 9). Raises BadOptions where so many seats cannot play the variant (GEN-14).
        """
        if problem := seat_problem(variant, seats):
            raise BadOptions([problem])
        return cls(variant, seats, Keyed(seed_key(seed), variant, seats))

    @property
    def events(self) -> Sequence[Happening]:
        """Everything that has happened, oldest first; each secret in it says which seats may see it (seen.py)."""
        return self.table.events

    def seen(self, viewer: int | None, since: int = 0) -> list[Event]:
        """Return what this seat was told of the events from number `since` on; the viewer None is a spectator (INF-01).

        A card that the viewer may not see is None there.
        """
        return [view(event, viewer) for event in self.events[since:]]

    @property
    def turn_number(self) -> int:
        """The number of the turn in its round to which the open question belongs; 0 before the first one."""
        question = self.question
        is_before = isinstance(question, Sealed) or (isinstance(question, Ask) and question.decision == "par")
        return 0 if is_before else self.table.turns + 1

    @property
    def result(self) -> MatchResult:
        """Totals, ranks and rounds by seat (GEN-10, GEN-12, GEN-13); raises LookupError before the match is over."""
        if self._result is None:
            raise LookupError("the match is not over")
        return self._result

    def answer(self, response: Response) -> None:
        """Play on to the next question. Raises IllegalAnswer (a ValueError), and then nothing has changed (DEC-16)."""
        if self.question is None:
            raise IllegalAnswer("the match is over")
        check(self.question, response)
        self._advance(response)

    def go_on(self, response: Response) -> None:
        """Play on as `answer` does, but unchecked: the caller knows that the open question offers the response."""
        self._advance(response)

    def forfeit(self, seat: int) -> None:
        """Let a seat forfeit: from this round on it gets the round's highest score, and it ranks last."""
        if seat not in self.table.forfeited:
            self.table.forfeited.add(seat)
            self.table.emit(events.Forfeited(seat=seat))

    def _advance(self, response: Response | None) -> None:
        try:
            self.question = next(self._flow) if response is None else self._flow.send(response)
        except StopIteration as stop:
            self.question, self._result = None, stop.value
