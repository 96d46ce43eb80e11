"""A match in progress: the question that is open, the answers that go in, what has happened.

A live conversation, a replay and a test drive it in the same way and see the same.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from protocol import events
from protocol.cards import Card
from protocol.events import Event
from referee.rules.chance import Chance, Keyed
from referee.rules.check_options import BadOptions, seat_problem
from referee.rules.keyed_streams import seed_key
from referee.rules.match import MatchResult, RoundResult, play_match
from referee.rules.questions import Ask, Flow, IllegalAnswer, Question, Response, Sealed, check
from referee.rules.secrets import TableEvent, view
from referee.rules.table import Table
from referee.rules.variants import Variant

_LATE = 8
"""The last so many answers of a round are likely to hold the beginning of a turn."""

_OFTEN = 16
"""After so many answers another turn is kept, where turns are kept."""


class _Forfeits(Struct, frozen=True):
    """A seat forfeited."""

    seat: int


class _Before(Struct, frozen=True, kw_only=True):
    """How the match stood when the present round began: how many events and rounds there were, and the totals."""

    events: int
    totals: list[int]
    rounds: int


class _Turn(Struct, frozen=True, kw_only=True):
    """The table when a turn began, or before the deal, and how much had been done in its round. It stays as it is."""

    table: Table
    played: int
    is_dealt: bool


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

    def __init__(self, variant: Variant, seats: int, chance: Chance, *, kind: Callable[..., Table] = Table) -> None:
        """Begin a match between seats 0 to `seats` - 1, with the cards and lots of this chance (GEN-04, GEN-05).

        `kind` makes the table, which may be one that notes more after each event than the rules need.
        """
        table = kind(variant=variant, options=variant.options, seats=seats, chance=chance, totals=[0] * seats)
        self._go_on_from(table, [])

    def _go_on_from(self, table: Table, rounds: list[RoundResult], *, amid_round: bool = False) -> None:
        """Play at this table after these rounds: the next one, or the turns that are left of the present one."""
        self.table = table
        self.question: Question | None = None
        self._result: MatchResult | None = None
        self._rounds = rounds
        """The rounds that are over."""
        self._before = _Before(events=len(table.events), totals=table.totals, rounds=len(rounds))
        self._played: list[Response | _Forfeits] = []
        """What was done in the present round, the last one if the match is over."""
        self._turn: _Turn | None = None
        """A turn of the present round from which copies can begin."""
        self.keeps_turns = False
        """Whether such turns are kept on the way, so that copies are quick. The first copy begins it."""
        self._flow: Flow[MatchResult] = play_match(table, rounds, amid_round=amid_round)
        self.question = next(self._flow)  # the cards are enough for a first one (GEN-14)

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
    def events(self) -> Sequence[TableEvent]:
        """Everything that has happened, oldest first; each secret in it says which seats may see it (secrets.py)."""
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
        self.go_on(response)

    def go_on(self, response: Response) -> None:
        """Play on as `answer` does, but unchecked: the caller knows that the open question offers the response."""
        self._played.append(response)
        try:
            self.question = self._flow.send(response)
        except StopIteration as stop:
            self.question, self._result = None, stop.value
            return
        if len(self._rounds) > self._before.rounds:
            self._note_round()
        elif self.keeps_turns and len(self._played) >= _OFTEN + (self._turn.played if self._turn else 0):
            self._note_turn()

    def forfeit(self, seat: int) -> None:
        """Let a seat forfeit: from this round on it gets the round's highest score, and it ranks last."""
        if seat not in self.table.forfeited:
            self.table.forfeited.add(seat)
            self.table.emit(events.Forfeited(seat=seat))
            self._played.append(_Forfeits(seat))

    def _note_round(self) -> None:
        """Another round has begun: what was done in the one before is over."""
        table = self.table
        number = len(table.events) - 1
        while type(table.events[number]) is not events.Scored:
            number -= 1
        self._before = _Before(events=number + 1, totals=table.totals, rounds=len(self._rounds))
        self._played, self._turn = [], None

    # Copies

    @property
    def answers(self) -> tuple[Response, ...]:
        """What was answered in the present round, oldest first; when the match is over, in the last one."""
        return tuple(response for response in self._played if not isinstance(response, _Forfeits))

    @property
    def events_before(self) -> int:
        """How many events there were when the present round began."""
        return self._before.events

    def copy(self) -> "Game":
        """Return an independent game that stands as this one does and has the same chance from now on.

        Both use one source of chance, which must give the same outcome whenever it is asked again, as `Keyed` does.
        A generator cannot be copied. So the copy begins at the table of a turn, or with the round, and what was
        answered since is played again. The first copy plays all of the round again; from then on tables of turns are
        kept, so that further ones cost the same however long the round lasts.
        """
        self._note_turn()
        self.keeps_turns = True
        if self._turn is None:
            game = self.round_again(self.table.chance)
        else:
            game = Game.__new__(Game)
            rounds = self._rounds[: self._before.rounds]
            game._go_on_from(self._turn.table.copy(), rounds, amid_round=self._turn.is_dealt)
            game._before, game._turn, game._played = self._before, self._turn, self._played[: self._turn.played]
        game._follow(self._played[len(game._played) :])
        self._turn = game._turn
        game.keeps_turns = True
        return game

    def round_again(self, chance: Chance) -> "Game":
        """Return a game that stands at the first question of the present round, and has this chance from there on."""
        before, table = self._before, self.table.copy()
        table.chance = chance
        table.totals = list(before.totals)
        table.forfeited -= {one.seat for one in self._played if isinstance(one, _Forfeits)}
        del table.events[before.events :], table.pars[before.rounds :]
        table.extra, table.four_of_a_kind = [], ()
        game = Game.__new__(Game)
        game._go_on_from(table, self._rounds[: before.rounds])
        return game

    def redeal(self, chance: Chance, stock: Sequence[Card]) -> None:
        """Have this chance and this stock, top first, from here on; with them the same has happened so far."""
        self.table.chance, self.table.stock, self._turn = chance, list(reversed(stock)), None

    def _follow(self, played: Sequence["Response | _Forfeits"]) -> None:
        """Do again what was done; keep one of the last turns that begin on the way."""
        for number, response in enumerate(played):
            if len(played) - number <= _LATE:
                self._note_turn()
            if isinstance(response, _Forfeits):
                self.forfeit(response.seat)
            else:
                self.go_on(response)

    def _note_turn(self) -> None:
        """Keep the table where it says all that there is to know: when a turn begins, and before the deal."""
        question, turn = self.question, self._turn
        is_kept = turn is not None and turn.played == len(self._played)
        if not is_kept and isinstance(question, Ask) and (question.opens_turn or question.decision == "par"):
            is_dealt = question.decision != "par"
            self._turn = _Turn(table=self.table.copy(), played=len(self._played), is_dealt=is_dealt)
