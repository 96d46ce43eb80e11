"""Every state that a seat cannot tell from the present one, found by trying out all of them. For tiny packs only.

Nothing here is known of how states are resampled: each order of the deck, each outcome of a shuffle, and each answer
that another seat may have given in secret is played, and counts if the seat is told the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from random import Random
from typing import Any, TypeVar

from protocol.actions import Rearrange, SwapLines
from protocol.cards import Card
from protocol.offers import every_action
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.questions import Ask, IllegalAnswer, Response
from referee.rules.secrets import view

T = TypeVar("T")

Order = Sequence[int]
"""For each place after a shuffle, the place before it."""


class Orders(Chance):
    """Chance by given orders: of the pack, of each reshuffle, of each shuffle of a set."""

    def __init__(self, deck: Sequence[Card], reshuffles: Sequence[Order], shuffles: Sequence[Order]) -> None:
        self._deck, self._reshuffles, self._shuffles = tuple(deck), reshuffles, shuffles

    def deck(self, _: int) -> tuple[Card, ...]:
        return self._deck

    def reshuffle(self, _: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return in_order(cards, self._reshuffles[count - 1])

    def shuffle(self, _: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return in_order(cards, self._shuffles[count - 1])

    def lots(self, _: int, window: int) -> tuple[int, ...]:
        raise LookupError(f"no game with slaps is tried out here, and so no window {window}")

    def asking(self, _: int, window: int) -> tuple[int, ...]:
        return self.lots(_, window)


class Drawn(Orders):
    """Chance by dice, which remembers how many cards were shuffled each time."""

    def __init__(self, pack: Sequence[Card], dice: Random) -> None:
        super().__init__(dice.sample(pack, len(pack)), [], [])
        self._dice = dice
        self.reshuffled: dict[int, int] = {}
        self.shuffled: dict[int, int] = {}
        self._known: dict[tuple[str, int], Order] = {}

    def reshuffle(self, _: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        self.reshuffled[count] = len(cards)
        return in_order(cards, self._order("reshuffle", count, len(cards)))

    def shuffle(self, _: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        self.shuffled[count] = len(cards)
        return in_order(cards, self._order("shuffle", count, len(cards)))

    def _order(self, what: str, count: int, size: int) -> Order:
        if (what, count) not in self._known:
            self._known[what, count] = self._dice.sample(range(size), size)
        return self._known[what, count]


def in_order(cards: Sequence[T], order: Order) -> tuple[T, ...]:
    if len(cards) != len(order):
        raise LookupError("other cards are shuffled here")
    return tuple(cards[index] for index in order)


def state(game: Game) -> Any:
    """What there is to know of the table, and what every seat has been told of the round."""
    table = game.table
    layouts = tuple(tuple(slot and (str(slot.card), slot.up) for slot in layout) for layout in table.layouts)
    told = [[view(event, seat) for event in game.events[game.events_before :]] for seat in range(table.seats)]
    return layouts, tuple(map(str, table.stock)), str(table.hand), repr(told)


def every_state(game: Game, seat: int) -> Counter[Any]:
    """How many deals and hidden answers lead to each state that this seat cannot tell from that of the game.

    The game's chance is a `Drawn`, and its open question is put to one seat.
    """
    chance, question = game.table.chance, game.question
    assert isinstance(chance, Drawn)
    assert isinstance(question, Ask)
    told = [view(event, seat) for event in game.events[game.events_before :]]
    found: Counter[Any] = Counter()
    reshuffles = [permutations(range(size)) for size in chance.reshuffled.values()]
    shuffles = [permutations(range(size)) for size in chance.shuffled.values()]
    answers = list(every_answer(game, seat))
    for deck, mixed, shuffled, given in product(
        orders_of(chance.deck(1)), list(product(*reshuffles)), list(product(*shuffles)), list(product(*answers))
    ):
        other = game.round_again(Orders(deck, mixed, shuffled))
        if _is_told(other, given, seat, told) and _asks_the_same(other, question, seat):
            found[state(other)] += 1
    return found


def orders_of(cards: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """Every order of these cards, equal ones being alike."""
    if not cards:
        yield ()
    for card in sorted(set(cards)):
        rest = list(cards)
        rest.remove(card)
        yield from ((card, *order) for order in orders_of(rest))


def every_answer(game: Game, seat: int) -> Iterator[Sequence[Response]]:
    """For each answer of the round all those that it may have been, as far as this seat is told."""
    again = game.round_again(game.table.chance)
    for response in game.answers:
        question = again.question
        is_secret = isinstance(question, Ask) and question.seat != seat and game.table.options.hidden_rearrange
        if isinstance(question, Ask) and is_secret and isinstance(response, (Rearrange, SwapLines)):
            kinds = [action for action in every_action(question.offers) if isinstance(action, type(response))]
            yield [action for action in kinds if action.seat == response.seat and not _is_falling(action)]
        else:
            yield [response]
        again.answer(response)


def _is_falling(action: Rearrange | SwapLines) -> bool:
    """Whether it says of two lines the later one first, which swaps the same two."""
    return isinstance(action, SwapLines) and action.lines[0] > action.lines[1]


def _is_told(other: Game, responses: Sequence[Response], seat: int, told: Sequence[Any]) -> bool:
    """Play these responses on; return whether the seat is told just that. Stop where it is told something else."""
    began = seen = other.events_before
    for response in (None, *responses):
        try:
            if response is not None:
                other.answer(response)
        except (IllegalAnswer, LookupError):
            return False
        for event in other.events[seen:]:
            if seen - began >= len(told) or view(event, seat) != told[seen - began]:
                return False
            seen += 1
    return seen - began == len(told)


def _asks_the_same(other: Game, question: Ask, seat: int) -> bool:
    asked = other.question
    return asked == question if question.seat == seat else isinstance(asked, Ask) and asked.seat == question.seat
