"""Checking what passed on the wire of a match: messages, answers, lines and counts against the moves of its record."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec
from msgspec import Struct, field

from protocol.actions import Action, Slap
from protocol.messages import Answer
from referee.play.talk.exchange import READY, Delivery
from referee.play.talk.retell import Answered, Retelling, answered, other_version
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.record import Forfeit, Given, Line, Mishap, Move, Reaction, Record, SeatRecord
from referee.rules.secrets import view
from referee.tournament.verify.seats import all_kept, answer_of, check_seat, is_whole


class _Events(Struct):
    """The events in a line that was sent to a bot, each as its JSON."""

    events: list[msgspec.Raw] = field(default_factory=list)


class _Seat(Struct):
    """How far the conversation with a seat has been followed."""

    lines: dict[int, list[tuple[int, Line]]] = field(default_factory=lambda: defaultdict(list))
    """What the bot wrote, by the number of messages that had been sent to it, each line with its place from 1."""
    asked: int = 0
    """How many messages have awaited something of it."""
    events: int = 0
    """How many events of the game it has been told."""
    faults: Counter[str] = field(default_factory=Counter)
    told_faults: int = 0
    late_slaps: int = 0
    answer: Answer | None = None
    """The bot's last answer, where its line is kept."""
    heard: int = 0
    """How many lines answered what was asked, as far as they are kept."""
    late: int = 0
    """How often lines came when it was too late: one may have been taken for the answer, or all for unasked ones."""
    judged: int | None = 0
    """How many lines had been looked at when the last answer was heard. None where something else came of it."""
    fatal: Mishap | None = None
    """The fault by which it has just forfeited."""

    def unasked(self, bot: SeatRecord) -> range:
        """How many lines may have answered nothing. Empty where nobody can say which were looked at in the end."""
        if not self.judged:
            return range(0)
        most = self.judged - (0 if bot.matches_before else 1) - self.heard - self.faults["bad_message"]
        return range(most - self.late, most + 1)


class ConversationCheck:
    """Compares what was said to each seat and by it with the match, move by move."""

    def __init__(self, record: Record) -> None:
        """Raises ValueError as Retelling does."""
        self._record = record
        self._is_ours = other_version(record.golfref, record.protocol) is None
        self._retelling = Retelling(record)
        self._seats = [_Seat() for _ in record.seats]
        for seat, bot in zip(self._seats, record.seats, strict=True):
            for place, line in enumerate(bot.lines, 1):
                seat.lines[line.after].append((place, line))

    def step(self, game: Game, move: Move) -> Iterator[str]:
        """What is wrong with the messages before a move and with the answers that made it."""
        for delivery, given in self._retelling.before(game, move):
            seat = self._seats[delivery.seat]
            seat.asked += 1
            seat.answer, seat.judged = None, None
            if delivery.awaits != READY:
                yield from self._check_told(game, delivery)
            if given is not None and self._is_ours:
                yield from self._check_heard(game, delivery, given)
        if isinstance(move, Forfeit):
            if self._record.seats[move.seat].ready:
                self._seats[move.seat].fatal = move.fault
            else:
                self._seats[move.seat].faults[move.fault.kind] += 1
            return
        for ask, one in answered(game.question, move):
            yield from self._check_played(game, ask, one)

    def end(self, game: Game) -> Iterator[str]:
        """What is wrong with the last messages, with all that was sent or written, and with what is counted."""
        for delivery in self._retelling.after():
            yield from self._check_told(game, delivery)
        for number, (seat, bot) in enumerate(zip(self._seats, self._record.seats, strict=True)):
            who = f"seat {number} {bot.name}"
            if self._is_ours and self._retelling.sent(number) != (bot.sent_bytes, bot.sent_sha256):
                yield f"{who}: it was sent other bytes than the record tells"
            if self._is_ours and any(line.after > seat.asked for line in bot.lines):
                yield f"{who}: a line of it came after more messages than it was sent"
            yield from (f"{who}: {problem}" for problem in check_seat(self._record, number))
            if all_kept(bot) and (unasked := seat.unasked(bot)) and bot.unasked_lines not in unasked:
                yield f"{who}: {unasked[-1]} of its lines answer nothing; the record claims otherwise"
            counted = (dict(seat.faults), seat.late_slaps, number in self._retelling.forfeited)
            if counted != (bot.faults, bot.late_slaps, bot.forfeited):
                yield f"{who}: its faults, late slaps and forfeit are not those of the moves"

    def _check_told(self, game: Game, delivery: Delivery) -> Iterator[str]:
        """INF: the bytes tell exactly what has happened since, as this seat may see it, and its own faults."""
        seat = self._seats[delivery.seat]
        lines = [msgspec.json.decode(line, type=_Events) for line in delivery.data.splitlines()]
        told = [bytes(event) for line in lines for event in line.events]
        happened = [msgspec.json.encode(view(event, delivery.seat)) for event in game.events[seat.events :]]
        seat.events = len(game.events)
        if told[: len(happened)] != happened:
            yield f"{self._where(game, delivery.seat)}: it is told other events than it may see"
        faults = told[len(happened) :]
        seat.told_faults += len(faults)
        own = all(event.startswith(b'{"event":"fault"') for event in faults)
        if not own or seat.told_faults != seat.faults.total():
            yield f"{self._where(game, delivery.seat)}: it is told other faults than its own"

    def _check_heard(self, game: Game, delivery: Delivery, asked: Answered) -> Iterator[str]:
        """What was played stands in the line that the bot wrote."""
        _, given = asked
        seat, bot = self._seats[given.seat], self._record.seats[given.seat]
        lines = seat.lines[seat.asked]
        is_kept = len(bot.lines) >= bot.wrote_lines or any(line.after > seat.asked for line in bot.lines[-1:])
        if not is_kept or not all(is_whole(line) for _, line in lines):
            return
        found = ((place, answer_of(self._record, line)) for place, line in lines)
        place, seat.answer = next(
            ((place, answer) for place, answer in found if answer and answer.id == delivery.awaits), (0, None)
        )
        silent = isinstance(given, Reaction) and given.late
        is_late = silent or (given.fault is not None and given.fault.kind != "illegal_action")
        if is_late and lines:
            seat.late += 1
        elif seat.answer is not None:
            seat.heard, seat.judged = seat.heard + 1, place
        if given.fault is not None or silent:
            return
        if seat.answer is None:
            yield f"{self._where(game, given.seat)}: the line that it answered with is not there"
        elif not _plays(seat.answer.action, given):
            yield f"{self._where(game, given.seat)}: it answered otherwise than the record plays"

    def _check_played(self, game: Game, ask: Ask, given: Given | Reaction) -> Iterator[str]:
        """The fallback is played where nothing was heard or a fault was made; what joins had come along (DEC-15)."""
        seat = self._seats[ask.seat]
        if seat.fatal is not None and given.fault != seat.fatal:
            yield f"{self._where(game, ask.seat)}: it forfeits by another fault than that of its answer"
        seat.fatal = None
        if given.fault is not None:
            seat.faults[given.fault.kind] += 1
        if isinstance(given, Reaction):
            seat.late_slaps += given.late
            if (given.late or given.fault is not None) and given.target is not None:
                yield f"{self._where(game, ask.seat)}: a slap that was not made"
            if given.hint and not given.late:
                yield f"{self._where(game, ask.seat)}: why it was late is told, but it was not"
            return
        had_forfeited = ask.seat in self._retelling.forfeited
        if (given.fault is not None or had_forfeited) and given.action != ask.fallback:
            yield f"{self._where(game, ask.seat)}: the fallback should have been played"
        came = seat.answer.then if seat.answer is not None else None
        if given.joined and given.fault is None and came is not None and came != given.action:
            yield f"{self._where(game, ask.seat)}: it answered otherwise than the record plays"

    def _where(self, game: Game, seat: int) -> str:
        decision = "" if game.question is None else f", {_decision(game, seat)}"
        return f"seat {seat} {self._record.seats[seat].name}, round {game.table.round}{decision}"


def _decision(game: Game, seat: int) -> str:
    question = game.question
    asks = (question,) if isinstance(question, Ask) else () if question is None else question.asks
    return next((ask.decision for ask in asks if ask.seat == seat), "")


def _plays(action: Action, given: Given | Reaction) -> bool:
    if isinstance(given, Given):
        return action == given.action
    return (action.target if isinstance(action, Slap) else None) == given.target
