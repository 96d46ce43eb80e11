"""A match asked one seat at a time: sealed questions and slap windows collect their answers here first.

It knows the rules' questions, and neither numbers nor messages.
"""

from protocol.actions import Action, Slap
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Sealed, Window


class Serial:
    """A game, and whose answer it waits for. Seats that decide at the same time are asked in rising order of seats.

    Nothing of the game changes, and nobody is told anything, before the last of them has answered (GEN-06, CAC-22).
    """

    def __init__(self, game: Game, chance: Chance) -> None:
        """Begin with the game's open question; `chance` has the lots of slap windows."""
        self.game = game
        self.chance = chance
        self.asks: tuple[Ask, ...] = ()
        """Who is asked by the open question, in order; () when the match is over."""
        self.given: dict[int, Action] = {}
        """The answers to the open question so far, by seat, where several seats are asked."""
        self.ask: Ask | None = None
        """What the next seat is asked; None when the match is over."""
        self._open()

    def copy(self) -> "Serial":
        """Return an independent game that stands as this one does, with the same answers given."""
        serial = Serial(self.game.copy(), self.chance)
        serial.given, serial.ask = dict(self.given), self.ask
        return serial

    def give(self, action: Action) -> bool:
        """Take the answer of the seat that is asked, which its offers admit; return whether the game has gone on."""
        question = self.game.question
        if isinstance(question, Ask):
            self.game.go_on(action)
            self._open()
            return True
        if self.ask is None:
            raise LookupError("the match is over, and nobody is asked")
        self.given[self.ask.seat] = action
        if len(self.given) < len(self.asks):
            number = self.asks.index(self.ask)
            waiting = (*self.asks[number + 1 :], *self.asks[:number])
            self.ask = next(ask for ask in waiting if ask.seat not in self.given)
            return False
        if isinstance(question, Window):
            self._settle(question)
        else:
            self.game.go_on(tuple(self.given[ask.seat] for ask in self.asks))
        self._open()
        return True

    def turn_to(self, seat: int) -> None:
        """Ask this seat next, of those that are asked at the same time and have not answered."""
        self.ask = next(ask for ask in self.asks if ask.seat == seat)

    def _settle(self, window: Window) -> None:
        """CAC-25: the slaps count in the order that the window's lots, or the seats, give them."""
        table = self.game.table
        is_contested = sum(isinstance(action, Slap) for action in self.given.values()) > 1
        lots = self.chance.lots(table.round, window.number) if is_contested else ()
        self.game.go_on(order_slaps(table.options, window, self.given, {}, lots))

    def _open(self) -> None:
        question = self.game.question
        self.given = {}
        if isinstance(question, Ask):
            self.asks, self.ask = (question,), question
        elif isinstance(question, (Sealed, Window)):
            self.asks, self.ask = question.asks, question.asks[0]
        else:
            self.asks, self.ask = (), None
