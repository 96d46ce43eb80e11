"""A match played again from its record, event by event, with all cards open: what documents of every viewer start from.

After each answer what has been followed is held against the rules' own table; where they differ, the table wins.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol import events as wire
from protocol.cards import Card
from referee.match_states.follower import Follower
from referee.match_states.knowledge import KnownBy, WatchedTable
from referee.match_states.moments import Moment, named
from referee.match_states.view import Hand, Layout, Placed, View
from referee.reports.comments import Comments
from referee.rules.game import Game
from referee.rules.questions import Ask, Question
from referee.rules.record import GivenSlaps, Move, Record, walk
from referee.rules.secrets import Secret, TableEvent
from referee.rules.table import Slot, Table
from referee.rules.variants import from_record


class Answer(Struct, frozen=True, kw_only=True):
    """A move of the record, with the question that was open."""

    question: Question | None
    move: Move
    moment: Moment
    """When it was given."""
    first: int
    """The number of the first event that followed from it."""
    events: int = 0
    """How many events followed from it."""
    top: Card | None = None
    """The top card of the pile when it was made."""
    comments: Mapping[int, str]
    """By seat, what bots wrote with their answers for people; safe to show."""


class Reel:
    """The events of a match, and the table after each.

    A card keeps its number in the views wherever it lies. What is known in the views is no viewer's knowledge.
    """

    def __init__(self, record: Record) -> None:
        """Raises BrokenRecord where the record does not replay, ValueError for options or a key that cannot be."""
        self.record = record
        self.variant = from_record(record.preset, record.options)
        self.events: list[TableEvent] = []
        self.views: list[View] = []
        """The table after each event."""
        self.known: list[KnownBy] = []
        """Who knows the cards on it after each event, as the rules have it."""
        self.turns: list[int | None] = []
        """Whose turn it was during each event; in the views it may be the next one's already."""
        self.moments: list[Moment] = []
        """When each event happened."""
        self.answers: list[Answer] = []
        self.cards: dict[int, Card] = {}
        """All cards by their numbers."""
        self._follower = Follower(seats=len(record.seats), rows=self.variant.rows, columns=self.variant.columns)
        self.blank = self._follower.view
        """The table before the first event."""
        self._play(record)
        self.names = named(self.moments)
        """The names of the moments of the events."""

    def name_of(self, answer: Answer) -> str:
        """The name of the moment of what followed from an answer; that of the event before it where nothing did."""
        number = answer.first if answer.events else answer.first - 1
        return self.names[number] if number >= 0 else "r1"

    def _play(self, record: Record) -> None:
        game, answer = None, None
        comments = Comments(record)
        for game, move in walk(record, kind=partial(WatchedTable, known=self.known)):
            self._take(game, answer)
            table, is_window = game.table, isinstance(move, GivenSlaps)
            top = table.pile[-1] if table.pile else None
            moment = Moment(round=table.round, turn=game.turn_number, window=table.windows if is_window else 0)
            answer = Answer(
                question=game.question,
                move=move,
                moment=moment,
                first=len(self.events),
                top=top,
                comments=comments.of(move),
            )
        if game is not None:
            self._take(game, answer)

    def _take(self, game: Game, answer: Answer | None) -> None:
        """Follow what an answer has brought about, and hold it against the table."""
        first, moment = len(self.events), Moment(round=1, turn=0) if answer is None else answer.moment
        for event in game.events[first:]:
            if isinstance(event, wire.Round):
                moment = Moment(round=event.round, turn=0)
            if isinstance(event, wire.Showdown):
                self._name([[seen.value for seen in cards] for cards in event.layouts])
            self.views.append(self._follower.follow(opened(event)))
            self.turns.append(self.views[-1].turn)
            self.cards.update(self.views[-1].known)
            self.events.append(event)
            self.moments.append(moment)
        if answer is not None:
            self.answers.append(replace(answer, events=len(self.events) - first))
        self._hold_against(game.table, game.question)

    def _hold_against(self, table: Table, question: Question | None) -> None:
        """Set what the table says otherwise. Between rounds it has gone on already, while the showdown is shown."""
        if question is None or (isinstance(question, Ask) and question.decision == "par"):
            return
        view = self._follower.view
        self._name([[None if slot is None else slot.card for slot in layout] for layout in table.layouts])
        self._follower.correct(
            round=table.round,
            playoff=table.playoff,
            dealer=table.dealer,
            turn=table.turn,
            knocker=table.ended_by,
            stock=len(table.stock),
            pile=tuple(table.pile),
            totals=tuple(table.totals),
            shields=tuple(map(tuple, table.shields)),
            strokes=tuple(map(frozenset, table.strokes)),
            forfeited=frozenset(table.forfeited),
            layouts=tuple(self._laid(view.layouts[seat], layout) for seat, layout in enumerate(table.layouts)),
            hand=self._held(view.hand, table),
        )
        if self.views:
            self.views[-1] = self._follower.view

    def _name(self, layouts: Sequence[Sequence[Card | None]]) -> None:
        """Note which cards lie where, as far as their numbers are new."""
        for layout, cards in zip(self._follower.view.layouts, layouts, strict=True):
            for placed, card in zip(layout, cards, strict=False):
                if placed is not None and card is not None:
                    self.cards.setdefault(placed.number, card)

    def _laid(self, followed: Layout, layout: Sequence[Slot | None]) -> Layout:
        """The layout as it lies on the table, with the numbers that were followed as far as the cards are the same."""
        if len(followed) == len(layout) and all(map(self._is_right, followed, layout)):
            return followed
        shown = [*followed, *[None] * (len(layout) - len(followed))][: len(layout)]
        return tuple(
            None if slot is None else self._placed(placed, slot) for placed, slot in zip(shown, layout, strict=True)
        )

    def _is_right(self, followed: Placed | None, slot: Slot | None) -> bool:
        if followed is None or slot is None:
            return followed is None and slot is None
        return followed.up == slot.up and self.cards[followed.number] == slot.card

    def _placed(self, followed: Placed | None, slot: Slot) -> Placed:
        if followed is not None and self.cards[followed.number] == slot.card:
            return followed if followed.up == slot.up else Placed(followed.number, up=slot.up)
        return Placed(self._numbered(slot.card), up=slot.up)

    def _held(self, followed: Hand | None, table: Table) -> Hand | None:
        cards = [card for card in (table.hand, *table.extra) if card is not None]
        numbers = () if followed is None else followed.cards
        if len(numbers) == len(cards):
            for number, card in zip(numbers, cards, strict=True):
                self.cards.setdefault(number, card)
        if [self.cards.get(number) for number in numbers] == cards:
            return followed
        seat = table.turn if followed is None else followed.seat
        return Hand(seat=seat, cards=tuple(map(self._numbered, cards))) if cards else None

    def _numbered(self, card: Card) -> int:
        """A new number for a card that was not followed."""
        number = self._follower.number(card)
        self.cards[number] = card
        return number


def opened(event: TableEvent) -> wire.Event:
    """The event with all its secrets."""
    shown = {name: _value(getattr(event, name)) for name in event.__struct_fields__}
    return replace(event, **shown)  # type: ignore[return-value] # of secrets nothing is left


def _value(value: Any) -> Any:
    if isinstance(value, Secret):
        return value.value
    return tuple(map(_value, value)) if isinstance(value, tuple) else value
