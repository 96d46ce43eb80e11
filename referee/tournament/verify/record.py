"""Checking a record again: deals, the replay of every move, slap windows, scores, and what passed on the wire.

Nothing here trusts a stored outcome; what is wrong is told in words. Every stored fact is held against another one
that it must follow from: the deals against the key, the moves against the rules, each answer against the line that
the bot wrote, and the whole conversation, with its events, clocks and faults, against the hash of what was sent.

What a record alone cannot prove: that somebody has not made all of it anew. And a few facts hang on nothing else in it:
times of answers that change no time left as bots are told it (to the millisecond), times of slaps that change no order,
names, host, isolation, standard error, lines beyond those that are kept, and the words about the fault that forfeits.
In a run each of them is covered by the hash of the record and the digest of the run.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import sha256

import msgspec
from msgspec import Struct, field

from protocol.actions import Action, Slap
from protocol.codec import BadLine, decode_answer
from protocol.messages import Answer
from referee.play.talk.exchange import READY, Delivery
from referee.play.talk.inbox import KEPT_BYTES, KEPT_OF_LINE, LEAST_LINE
from referee.play.talk.retell import Answered, Retelling, answered, foreign
from referee.rules.book.changes import BadOptions
from referee.rules.book.variant import Variant
from referee.rules.book.variants import UnknownVariant, restored
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.record import (
    BrokenRecord,
    Forfeit,
    Given,
    GivenSlaps,
    Line,
    Move,
    Reaction,
    Record,
    SeatRecord,
    walk,
)  # fmt: skip
from referee.rules.table.asks import Ask, Window
from referee.rules.table.chance import BadDeck, Chance, Keyed, Recorder, Stacked
from referee.rules.table.seen import view

ROUNDED_US = 0.11
"""Slap times are kept to a tenth of a microsecond."""


def check_record(record: Record) -> Iterator[str]:
    """What is wrong with a record, one text for each finding; nothing when all of it holds.

    The match is played again with the chance outcomes that the deal key gives, not with those of the record. What was
    sent is compared only where this version of golfref played the match (`not_compared`).
    """
    try:
        variant = restored(record.preset, record.options)
        chance = Recorder(_chance(record, variant))
        wire = Wire(record)
    except (UnknownVariant, BadOptions, BadDeck, msgspec.ValidationError, ValueError) as error:
        yield f"it cannot be set up: {error}"
        return
    decks = [chance.deck(number) for number in range(1, len(record.rounds) + 1)]
    wrong = [number for number, deck in enumerate(decks, 1) if deck != record.rounds[number - 1].deck]
    if wrong:
        yield from (f"round {number}: the deck is not the one that the deal key gives" for number in wrong)
        return
    chance.rounds.clear()
    game = None
    try:
        for game, move in walk(record, chance):
            if isinstance(move, GivenSlaps):
                yield from _check_window(record, game, move, chance)
            yield from wire.step(game, move)
    except BrokenRecord as error:
        yield str(error)
        return
    if tuple(chance.rounds) != record.rounds:
        yield "a shuffle during play is not the one that the deal key gives"
    if game is not None and game.result != record.result:
        yield f"the match ends {game.result.totals}, ranks {game.result.ranks}; the record claims otherwise"
    if game is not None:
        yield from wire.end(game)


def not_compared(golfref: str, protocol: str) -> str | None:
    """Why what these versions sent is not compared, although that is no finding; None where it is."""
    why = foreign(golfref, protocol)
    return None if why is None else f"{why}: what was sent is not compared"


def _check_window(record: Record, game: Game, move: GivenSlaps, chance: Chance) -> Iterator[str]:
    """CAC-25: were all asked in their order, were the lots those of the key, does the outcome follow from both?"""
    where = f"round {move.round}, window {move.window}"
    window, table = game.question, game.table
    if not isinstance(window, Window) or (table.round, window.number) != (move.round, move.window):
        yield f"{where}: no such window is open here"
        return
    timed = table.options.slap_order == "reaction"
    order = chance.asking(move.round, move.window) if timed else range(table.seats)
    at_fault = {reaction.seat for reaction in move.reactions if reaction.fault is not None}
    due = [seat for seat in order if record.seats[seat].wants_slaps and seat not in table.forfeited - at_fault]
    if list(move.asked) != due or [reaction.seat for reaction in move.reactions] != due:
        yield f"{where}: seats {move.asked} are asked, in this order; it should be {tuple(due)}"
    if move.lots != chance.lots(move.round, move.window):
        yield f"{where}: the lots are not those that the deal key gives"
    slaps = {reaction.seat: Slap(target=reaction.target) for reaction in move.reactions if reaction.target is not None}
    times = {reaction.seat: reaction.corrected_us or 0.0 for reaction in move.reactions}
    outcome = order_slaps(table.options, window, slaps, times, move.lots)
    if tuple(slap.seat for slap in outcome.slaps) != move.order:
        yield f"{where}: the order does not follow from the times and the lots"
    yield from (f"{where}, seat {one.seat}: its times contradict each other" for one in move.reactions if _odd(one))


def _odd(reaction: Reaction) -> bool:
    """Whether the corrected time cannot come from the raw one and the wait for a core."""
    raw, wait, corrected = reaction.raw_us, reaction.wait_us, reaction.corrected_us
    if raw is None or corrected is None:
        return False
    return not raw - (wait or 0.0) - ROUNDED_US <= corrected <= raw + ROUNDED_US


def _chance(record: Record, variant: Variant) -> Chance:
    """The chance outcomes that the key gives; a given deck can only be taken as it is."""
    key, seats = bytes.fromhex(record.deal_key), len(record.seats)
    if record.stacked:
        return Stacked(key, variant, seats, [outcomes.deck for outcomes in record.rounds])
    return Keyed(key, variant, seats)


# The wire


class _Events(Struct):
    """The events of a line to a bot, as they stand there."""

    events: list[msgspec.Raw] = field(default_factory=list)


class _Seat(Struct):
    """How far the conversation with a seat has been followed."""

    lines: dict[int, list[Line]] = field(default_factory=lambda: defaultdict(list))
    """What it wrote, by the number of messages that it had been sent."""
    asked: int = 0
    events: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    told_faults: int = 0
    late_slaps: int = 0
    answer: Answer | None = None
    """Its last one."""


class Wire:
    """What was said to each seat and by it, held against the match move by move."""

    def __init__(self, record: Record) -> None:
        """Raises ValueError as Retelling does."""
        self._record = record
        self._is_ours = foreign(record.golfref, record.protocol) is None
        self._retelling = Retelling(record)
        self._seats = [_Seat() for _ in record.seats]
        for seat, bot in zip(self._seats, record.seats, strict=True):
            for line in bot.lines:
                seat.lines[line.after].append(line)

    def step(self, game: Game, move: Move) -> Iterator[str]:
        """What is wrong with the messages before a move and with the answers that made it."""
        for delivery, given in self._retelling.before(game, move):
            seat = self._seats[delivery.seat]
            seat.asked += 1
            seat.answer = None
            if delivery.awaits != READY:
                yield from self._check_told(game, delivery)
            if given is not None and self._is_ours:
                yield from self._check_heard(game, delivery, given)
        if isinstance(move, Forfeit):
            if not self._record.seats[move.seat].ready:
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
            if (problem := _check_written(bot)) is not None:
                yield f"{who}: {problem}"
            counted = (dict(seat.faults), seat.late_slaps, number in self._retelling.gone)
            if counted != (bot.faults, bot.late_slaps, bot.forfeited):
                yield f"{who}: its faults, late slaps and forfeit are not those of the moves"

    def _check_told(self, game: Game, delivery: Delivery) -> Iterator[str]:
        """INF: exactly what happened since, as this seat may see it, and its own faults; asked of the bytes alone."""
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
        """Does what was played stand in the line that the bot wrote?"""
        _, given = asked
        seat, bot = self._seats[given.seat], self._record.seats[given.seat]
        lines = seat.lines[seat.asked]
        is_kept = len(bot.lines) >= bot.wrote_lines or any(line.after > seat.asked for line in bot.lines[-1:])
        if not is_kept or not all(map(_is_whole, lines)):
            return
        seat.answer = next(
            (answer for line in lines if (answer := _answer(line)) and answer.id == delivery.awaits), None
        )
        silent = isinstance(given, Reaction) and given.late
        if given.fault is not None or silent:
            return
        if seat.answer is None:
            yield f"{self._where(game, given.seat)}: the line that it answered with is not there"
        elif not _plays(seat.answer.action, given):
            yield f"{self._where(game, given.seat)}: it answered otherwise than the record plays"

    def _check_played(self, game: Game, ask: Ask, given: Given | Reaction) -> Iterator[str]:
        """Where nothing was heard or a fault was made, is the fallback played? And did what joins come along?"""
        seat = self._seats[ask.seat]
        if given.fault is not None:
            seat.faults[given.fault.kind] += 1
        if isinstance(given, Reaction):
            seat.late_slaps += given.late
            if (given.late or given.fault is not None) and given.target is not None:
                yield f"{self._where(game, ask.seat)}: a slap that was not made"
            return
        was_gone = ask.seat in self._retelling.gone
        if (given.fault is not None or was_gone) and given.action != ask.fallback:
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


def _answer(line: Line) -> Answer | None:
    try:
        return decode_answer(line.text.encode())
    except BadLine:
        return None


def _is_whole(line: Line) -> bool:
    """Whether the kept text is the line itself."""
    return "\ufffd" not in line.text and len(line.text.encode()) == line.size


def _check_written(bot: SeatRecord) -> str | None:
    """What is wrong with the lines that a bot wrote; None where they hold or too little is kept to say."""
    size = sum(line.size for line in bot.lines)
    if len(bot.lines) > bot.wrote_lines or size > bot.wrote_bytes:
        return "more of its lines are kept than it wrote"
    if len(bot.lines) < bot.wrote_lines:
        kept = sum(max(LEAST_LINE, min(line.size, KEPT_OF_LINE)) for line in bot.lines)
        return None if kept >= KEPT_BYTES else "lines that it wrote are missing"
    if not all(map(_is_whole, bot.lines)):
        return None
    text = "".join(line.text for line in bot.lines).encode()
    if (len(text), sha256(text).hexdigest()) != (bot.wrote_bytes, bot.wrote_sha256):
        return "the lines that it wrote are not those that were read"
    return None
