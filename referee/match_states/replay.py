"""A match played again from its record: each event, the table after it with all cards open, and who knows which card.

What one viewer sees of a step is in step_view.py.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol import events as wire
from protocol.cards import Card
from protocol.text import printable
from referee.match_states.follower import Follower
from referee.match_states.knowledge import Knowledge, KnownBy, WatchedTable
from referee.match_states.moments import Moment, MomentNames
from referee.match_states.view import View
from referee.reports.comments import Comments
from referee.rules.game import Game
from referee.rules.questions import Ask, Question
from referee.rules.record import GivenSlaps, Move, Record, walk
from referee.rules.secrets import Secret, TableEvent
from referee.rules.variants import from_record


class Answer(Struct, frozen=True, kw_only=True):
    """A move of the record, with the question that was open."""

    question: Question | None
    move: Move
    step: int
    """The number of the first step after it; of the last one where none follows."""
    top: Card | None
    """The top card of the pile when it was made."""
    comments: Mapping[int, str]
    """By seat, what bots wrote with their answers for people; safe to show."""


class ReplayedStep(Struct, frozen=True, kw_only=True):
    """An event, and the table after it."""

    number: int
    event: TableEvent
    moment: Moment
    at: str
    """The name of the moment."""
    view: View
    """A card keeps its number wherever it lies. `known` in it is no viewer's knowledge."""
    knowledge: Knowledge
    touched: tuple[int, ...]
    """The seats whose slots may look otherwise than before."""


class Replay:
    """The steps of a match, one for each event."""

    def __init__(self, record: Record) -> None:
        """Raises BrokenRecord where the record does not replay, ValueError for options or a key that cannot be."""
        self.record = record
        self.title = record.name
        self.names = [printable(bot.name, 40) for bot in record.seats]
        """Of the bots, by seat; they are safe to show."""
        self.variant = from_record(record.preset, record.options)
        self.steps: list[ReplayedStep] = []
        self.cards: dict[int, Card] = {}
        """All cards by their numbers."""
        self._follower = Follower(seats=len(record.seats), rows=self.variant.rows, columns=self.variant.columns)
        self.blank = self._follower.view
        """The table before the first event."""
        self._moment_names = MomentNames()
        answers = self._play(record)
        self.answers = [replace(one, step=min(one.step, len(self.steps) - 1)) for one in answers]
        self._answers_at: defaultdict[int, list[Answer]] = defaultdict(list)
        for answer in self.answers:
            self._answers_at[answer.step].append(answer)

    def before(self, step: ReplayedStep) -> View:
        """The table before a step."""
        return self.steps[step.number - 1].view if step.number else self.blank

    def answers_at(self, step: ReplayedStep) -> Sequence[Answer]:
        """What was answered since the step before."""
        return self._answers_at.get(step.number, ())

    def _play(self, record: Record) -> list[Answer]:
        answers: list[Answer] = []
        known: list[KnownBy] = []
        comments = Comments(record)
        game, moment = None, Moment(round=1, turn=0)
        for game, move in walk(record, kind=partial(WatchedTable, known=known)):
            self._take(game, moment, known)
            table = game.table
            window = table.windows if isinstance(move, GivenSlaps) else 0
            moment = Moment(round=table.round, turn=game.turn_number, window=window)
            answers.append(
                Answer(
                    question=game.question,
                    move=move,
                    step=len(self.steps),
                    top=table.pile[-1] if table.pile else None,
                    comments=comments.of(move),
                )
            )
        if game is not None:
            self._take(game, moment, known)
        return answers

    def _take(self, game: Game, moment: Moment, known: Sequence[KnownBy]) -> None:
        """Follow what the last answer has brought about, at this moment."""
        for number in range(len(self.steps), len(game.events)):
            event = game.events[number]
            if isinstance(event, wire.Round):
                moment = Moment(round=event.round, turn=0)
            view = self._follower.follow(opened(event))
            self.cards.update(view.known)
            before = self.steps[-1].knowledge if self.steps else Knowledge.before_the_match(self.blank)
            knowledge, touched = before.after(number, event, view, known[number])
            self.steps.append(
                ReplayedStep(
                    number=number,
                    event=event,
                    moment=moment,
                    at=self._moment_names.name(moment),
                    view=view,
                    knowledge=knowledge,
                    touched=touched,
                )
            )
        self._correct(game)

    def _correct(self, game: Game) -> None:
        """Whose turn it is now, and which cards lie there, stands on the table alone: events need not say it.

        Between rounds the table has gone on already, while the showdown is shown.
        """
        question, table = game.question, game.table
        if question is None or (isinstance(question, Ask) and question.decision == "par"):
            return
        for placed_in, layout in zip(self._follower.view.layouts, table.layouts, strict=True):
            for placed, slot in zip(placed_in, layout, strict=True):
                if placed is not None and slot is not None:
                    self.cards.setdefault(placed.number, slot.card)
        self._follower.set_turn(table.turn)
        if self.steps:
            self.steps[-1] = replace(self.steps[-1], view=self._follower.view)


def opened(event: TableEvent) -> wire.Event:
    """The event with all its secrets."""
    shown = {name: _value(getattr(event, name)) for name in event.__struct_fields__}
    return replace(event, **shown)  # type: ignore[return-value] # of secrets nothing is left


def _value(value: Any) -> Any:
    if isinstance(value, Secret):
        return value.value
    return tuple(map(_value, value)) if isinstance(value, tuple) else value
