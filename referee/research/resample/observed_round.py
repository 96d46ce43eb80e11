"""Where each card of the present round has come from, and which of them a seat has been shown.

The round is played again with cards that carry a place: their number in the deck. Where cards are mixed so that the
seat cannot follow them, they get new places. What the seat was shown then says what lies at a place in every other deal
in which this seat sees the same.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from random import Random

from msgspec import Struct
from msgspec.structs import astuple

from protocol import events
from protocol.actions import Action, Arrange, Rearrange, SwapLines
from protocol.cards import Card
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.games.power_cards import line_of_set
from referee.rules.questions import Ask, Question, Response, SlapOrder
from referee.rules.secrets import Secret, TableEvent, view
from referee.rules.table import Layout

Permutation = tuple[int, ...]
"""How cards were mixed: for each place after it, which of the places before it the card comes from."""


class Placed(str):
    """A card whose place is known."""

    __slots__ = ("place",)
    place: int


class Pool(Struct, frozen=True, kw_only=True):
    """Cards in an order that nobody knows: the deck, or the new stock after a reshuffle. Everybody knows which.

    The cards are as they truly lie, the one first that comes first.
    """

    places: range
    cards: tuple[Card, ...]


class Choice(Struct, frozen=True, kw_only=True):
    """The hidden answer of another seat that mixed cards."""

    response: int
    """Which of the round's responses it is, or belongs to."""
    seat: int
    action: Callable[[Permutation, Random], Action]
    """Returns an answer that makes this permutation, by the dice where several do."""


class Mix(Struct, frozen=True, kw_only=True):
    """A permutation of cards that the seat was not shown."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    permutations: tuple[Permutation, ...] | None = None
    """The possible permutations, each as often as answers lead to it; None: all of them."""
    choice: Choice | None = None
    """None for a shuffle by chance."""


class Step(Struct, frozen=True, kw_only=True):
    """A response of the present round, the question to it, and how many events it led to."""

    question: Question
    response: Response
    events: int


class ObservedRound(Struct, frozen=True, kw_only=True):
    """The present round as one seat has seen it, with what lay behind that."""

    steps: tuple[Step, ...]
    """What was answered, as far as it was played out."""
    question: Question | None
    """The question after these steps."""
    views: tuple[events.Event, ...]
    """Every event of the round as the seat was told it."""
    pools: tuple[Pool, ...]
    mixes: tuple[Mix, ...]
    shown: dict[int, Card]
    """The card at each place of which the seat was shown what lies there."""


def follow(game: Game, seat: int, deciding: int | None) -> ObservedRound:
    """Return the present round as this seat has seen it; `deciding` is the seat whose answer the game waits for.

    Two kinds of answers are left out, since nobody has been told of them. Slaps of other seats that came too late to
    count are (CAC-33), and answers of the deciding seat, if it is another one, that have led to no event yet.
    """
    follower = _Follower(game, seat)
    for response in game.answers:
        follower.step(response)
    steps, question = follower.steps, game.question
    while deciding != seat and isinstance(question, Ask) and steps and _is_unseen(steps[-1], question.seat):
        question = steps.pop().question
    return ObservedRound(
        steps=tuple(steps),
        question=question,
        views=tuple(follower.views),
        pools=tuple(follower.places.pools),
        mixes=tuple(follower.places.mixes),
        shown=follower.shown,
    )


def _is_unseen(step: Step, seat: int) -> bool:
    return isinstance(step.question, Ask) and step.question.seat == seat and not step.events


class _Places(Chance):
    """The true chance, with a place on each card."""

    def __init__(self, truth: Chance) -> None:
        self._truth = truth
        self._count = 0
        self.pools: list[Pool] = []
        self.mixes: list[Mix] = []

    def deck(self, number: int) -> tuple[Card, ...]:
        return self._pool(self._truth.deck(number))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Everybody has seen every card of the pile."""
        return self._pool(self._truth.reshuffle(number, count, tuple(map(str, cards))))

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        after = self.new(self._truth.shuffle(number, count, tuple(map(str, cards))))
        self.mixes.append(Mix(before=tuple(map(_place, cards)), after=tuple(map(_place, after))))
        return after

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        return self._truth.lots(number, window)

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        return self._truth.asking(number, window)

    def new(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Return the cards at new places."""
        return tuple(map(self._at_next, cards))

    def _pool(self, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        self.pools.append(Pool(places=range(self._count, self._count + len(cards)), cards=cards))
        return self.new(cards)

    def _at_next(self, card: Card) -> Placed:
        placed = Placed(card)
        placed.place = self._count
        self._count += 1
        return placed


class _Follower:
    """The round, played again beside what a seat saw of it."""

    def __init__(self, game: Game, seat: int) -> None:
        self._seat = seat
        self.places = _Places(game.table.chance)
        self._game = game.round_again(self.places)
        self.steps: list[Step] = []
        self.views: list[events.Event] = []
        self.shown: dict[int, Card] = {}
        for event in self._game.events[game.events_before :]:
            self._look(event, {})

    def step(self, response: Response) -> None:
        """Play what was answered next."""
        table, question = self._game.table, self._game.question
        if question is None:
            raise LookupError("the match was over before this answer")
        layouts = [[None if slot is None else (slot.card, slot.up) for slot in layout] for layout in table.layouts]
        count = len(table.events)
        self._game.go_on(response)
        happened = table.events[count:]
        if isinstance(response, SlapOrder):
            counted = {event.seat for event in happened if isinstance(event, events.Slapped)} | {self._seat}
            response = SlapOrder(slaps=tuple(slap for slap in response.slaps if slap.seat in counted))
        self.steps.append(Step(question=question, response=response, events=len(happened)))
        moved: dict[int, int] = {}
        for event in happened:
            self._mix(event, layouts, moved)
            self._look(event, moved)

    def _look(self, event: TableEvent, moved: dict[int, int]) -> None:
        """Note what the seat is told; cards that were `moved` have these places by now."""
        told = view(event, self._seat)
        self.views.append(told)
        for card in _cards(astuple(told)):
            place = _place(card)
            self.shown[moved.get(place, place)] = str(card)

    def _mix(self, event: TableEvent, layouts: Sequence["_Was"], moved: dict[int, int]) -> None:
        """Give new places to the cards of a layout where another seat has mixed them in secret."""
        hidden = _in_secret(event, self._seat)
        if hidden is None:
            return
        actor, of = hidden
        was, now = layouts[of], self._game.table.layouts[of]
        before = tuple(_place(slot[0]) for slot in was if slot is not None)
        for slot in now:
            if slot is not None:
                old = _place(slot.card)
                (slot.card,) = self.places.new((slot.card,))
                moved[old] = _place(slot.card)
        after = tuple(_place(slot.card) for slot in now if slot is not None)
        permutations, action = _answers(event, was, now)
        choice = Choice(response=len(self.steps) - 1, seat=actor, action=action)
        self.places.mixes.append(Mix(before=before, after=after, permutations=permutations, choice=choice))


_Was = Sequence[tuple[Card, bool] | None]
"""A layout as it was: each card, and whether it lay face up."""


def _in_secret(event: TableEvent, seat: int) -> tuple[int, int] | None:
    """Return who has mixed whose cards, if this event tells it and the seat may not know how; else None."""
    match event:
        case events.Arranged(seat=actor, slots=Secret() as secret):
            of = actor
        case events.Rearranged(seat=actor, of=of, slots=Secret() as secret):
            pass
        case events.LinesSwapped(seat=actor, of=of, lines=Secret() as secret):
            pass
        case _:
            return None
    return None if secret.to is None or seat in secret.to else (actor, of)


def _answers(
    event: TableEvent, was: _Was, now: Layout
) -> tuple[tuple[Permutation, ...] | None, Callable[[Permutation, Random], Action]]:
    """Return the possible permutations of the cards, None for all, and a function from a permutation to an answer."""
    slots = [number for number, slot in enumerate(was) if slot is not None]
    match event:
        case events.LinesSwapped(of=of):
            found = tuple(_swaps_of_lines(of, was, now))
            permutations = tuple(permutation for permutation, _ in found)
            return permutations, lambda permutation, dice: dice.choice(
                [action for one, action in found if one == permutation]
            )
        case events.Rearranged(of=of):
            return None, lambda permutation, _: Rearrange(seat=of, slots=tuple(slots[index] for index in permutation))
    return None, lambda permutation, _: Arrange(slots=permutation)


def _swaps_of_lines(of: int, was: _Was, now: Layout) -> Iterator[tuple[Permutation, SwapLines]]:
    """Every swap of two lines after which the same slots are empty and face up as everybody sees it now (POW-19)."""
    columns = len(was) // 2
    numbers = {slot: index for index, slot in enumerate(slot for slot, card in enumerate(was) if card is not None)}
    seen = [slot and slot.up for slot in now]
    for swap in _pairs_of_lines(of, columns):
        source = list(range(len(was)))
        for one, other in zip(*(line_of_set(columns, swap.axis, number) for number in swap.lines), strict=True):
            source[one], source[other] = other, one
        swapped = [was[slot] for slot in source]
        if [card and card[1] for card in swapped] == seen:
            permutation = tuple(numbers[slot] for slot, card in zip(source, swapped, strict=True) if card is not None)
            yield permutation, swap


def _pairs_of_lines(of: int, columns: int) -> Iterator[SwapLines]:
    yield SwapLines(seat=of, axis="row", lines=(0, 1))
    yield from (SwapLines(seat=of, axis="column", lines=pair) for pair in combinations(range(columns), 2))


def _place(card: Card) -> int:
    if not isinstance(card, Placed):
        raise TypeError(f"{card} has lost its place")
    return card.place


def _cards(values: Sequence[object]) -> Iterator[Card]:
    """Return the cards among these values, also inside tuples."""
    for value in values:
        if isinstance(value, Placed):
            yield value
        elif isinstance(value, tuple):
            yield from _cards(value)
