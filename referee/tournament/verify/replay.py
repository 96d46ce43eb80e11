"""Checking the record of one match: deals, the replay of every move, slap windows, answers, and the bytes on the wire.

Nothing here trusts a stored outcome, and what is wrong is told in words. What proves something is checked: the deals
with the key, the moves with the rules, the order of slaps with their times and lots, each answer with the line that
the bot wrote, what a bot was told with the hash of what was sent, and the outcome with the replay. Counts, sizes,
times that change nothing and words that follow from nothing are not, since whoever forges a record makes them anew:
the hash of the record covers these, and the digest of the run covers the hashes. tests/tournament/verify/
test_every_field.py lists them, each with the reason.

A record alone cannot prove that nobody has made all of it anew.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from math import inf

import msgspec
from msgspec import Struct, field

from protocol.actions import Action, Slap
from protocol.bad_lines import BadLine
from protocol.codec import answer_in, decode_ready
from protocol.messages import Answer
from protocol.text import printable
from referee.play.talk.exchange import Delivery
from referee.play.talk.inbox import KEPT_BYTES, KEPT_OF_LINE, LEAST_LINE
from referee.play.talk.retell import Answered, Retelling, answered
from referee.rules.chance import BadDeck, Chance, Keyed, Recorder, Stacked
from referee.rules.check_options import BadOptions, check_playable
from referee.rules.counts import seat_counts
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Window
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
)
from referee.rules.variants import UnknownVariant, Variant, from_record

ROUNDED_US = 0.11
"""Slap times are kept to a tenth of a microsecond."""

LONGEST_SAID = 64
"""How many characters of what a bot says of itself are kept."""


def check_record(record: Record) -> Iterator[str]:
    """What is wrong with a record, one text for each finding; nothing when all of it holds.

    The match is played again with the chance outcomes that the deal key gives, not with those of the record.
    """
    try:
        variant = from_record(record.preset, record.options)
        check_playable(variant, len(record.seats))
        chance = Recorder(_chance(record, variant))
        conversation = _Conversation(record)
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
            yield from conversation.step(game, move)
    except BrokenRecord as error:
        yield str(error)
        return
    if tuple(chance.rounds) != record.rounds:
        yield "a shuffle during play is not the one that the deal key gives"
    if game is None:
        return
    if game.result != record.result:
        yield f"the match ends {game.result.totals}, ranks {game.result.ranks}; the record claims otherwise"
    if seat_counts(game) != record.counts:
        yield "its knocks, draws from the pile and slaps are not those of the moves"
    yield from conversation.end()


# Slap windows


def _check_window(record: Record, game: Game, move: GivenSlaps, chance: Chance) -> Iterator[str]:
    """What is wrong with a window (CAC-25): the order of asking, the lots of the key, the outcome of times and lots."""
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
        return
    if move.lots != chance.lots(move.round, move.window):
        yield f"{where}: the lots are not those that the deal key gives"
        return
    slaps = {reaction.seat: Slap(target=reaction.target) for reaction in move.reactions if reaction.target is not None}
    times = {reaction.seat: reaction.corrected_us or 0.0 for reaction in move.reactions}
    outcome = order_slaps(table.options, window, slaps, times, move.lots)
    if tuple(slap.seat for slap in outcome.slaps) != move.order:
        yield f"{where}: the order does not follow from the times and the lots"
    yield from (
        f"{where}, seat {one.seat}: its times contradict each other"
        for one in move.reactions
        if _contradicts_itself(one)
    )


def _contradicts_itself(reaction: Reaction) -> bool:
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


# What passed on the wire


class _Seat(Struct):
    """How far the conversation with a seat has been followed."""

    lines: dict[int, list[Line]]
    """What the bot wrote, by the number of messages that had been sent to it."""
    kept_until: float
    """All lines are kept that the bot wrote before so many messages had been sent to it."""
    asked: int = 0
    """How many messages have awaited something of it."""
    answer: Answer | None = None
    """The bot's last answer, where its line is kept."""
    faults: Counter[str] = field(default_factory=Counter)
    late_slaps: int = 0


class _Conversation:
    """Compares what was said to each seat and by it with the match, move by move."""

    def __init__(self, record: Record) -> None:
        """Raises ValueError as Retelling does."""
        self._record = record
        self._retelling = Retelling(record)
        self._seats = [_seat(bot) for bot in record.seats]

    def step(self, game: Game, move: Move) -> Iterator[str]:
        """What is wrong with the answers that made a move."""
        for delivery, given in self._retelling.before(game, move):
            seat = self._seats[delivery.seat]
            seat.asked += 1
            seat.answer = None
            if given is not None:
                yield from self._check_heard(game, delivery, given)
        if isinstance(move, Forfeit):
            if not self._record.seats[move.seat].ready:
                self._seats[move.seat].faults[move.fault.kind] += 1
            return
        for ask, one in answered(game.question, move):
            yield from self._check_played(game, ask, one)

    def end(self) -> Iterator[str]:
        """What is wrong with what was sent, with what each bot said of itself, and with its faults."""
        for _ in self._retelling.after():
            pass
        for number, (seat, bot) in enumerate(zip(self._seats, self._record.seats, strict=True)):
            who = f"seat {number} {bot.name}"
            if self._retelling.sent(number) != (bot.sent_bytes, bot.sent_sha256):
                yield f"{who}: it was sent other bytes than the record tells"
            if not all(map(_is_as_kept, bot.lines)):
                yield f"{who}: a line of it is longer or shorter than is kept of it"
            has_forfeited = number in self._retelling.forfeited
            if bot.ready:
                yield from (f"{who}: {problem}" for problem in _check_ready(bot))
            elif not has_forfeited:
                yield f"{who}: it was not ready, but played"
            counted = (dict(seat.faults), seat.late_slaps, has_forfeited)
            if counted != (bot.faults, bot.late_slaps, bot.forfeited):
                yield f"{who}: its faults, late slaps and forfeit are not those of the moves"

    def _check_heard(self, game: Game, delivery: Delivery, asked: Answered) -> Iterator[str]:
        """What was played stands in the line that the bot wrote."""
        _, given = asked
        seat = self._seats[given.seat]
        lines = seat.lines[seat.asked]
        if seat.asked >= seat.kept_until or not all(map(_is_whole, lines)):
            return
        seat.answer = next((one for line in lines if (one := answer_in(line.text)) and one.id == delivery.awaits), None)
        has_answered = given.fault is None or given.fault.kind == "illegal_action"
        if not has_answered or (isinstance(given, Reaction) and given.late):
            return
        if seat.answer is None:
            yield f"{self._where(game, given.seat)}: the line that it answered with is not there"
        elif given.fault is None and not _plays(seat.answer.action, given):
            yield f"{self._where(game, given.seat)}: it answered otherwise than the record plays"

    def _check_played(self, game: Game, ask: Ask, given: Given | Reaction) -> Iterator[str]:
        """The fallback is played where nothing was heard or a fault was made; what joins had come along (DEC-15)."""
        seat = self._seats[ask.seat]
        if given.fault is not None:
            seat.faults[given.fault.kind] += 1
        if isinstance(given, Reaction):
            seat.late_slaps += given.late
            if (given.late or given.fault is not None) and given.target is not None:
                yield f"{self._where(game, ask.seat)}: a slap that was not made"
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


def _check_ready(bot: SeatRecord) -> Iterator[str]:
    """What a bot said of itself stands in its first line, unless an earlier match had that line."""
    line = next((line for line in bot.lines if line.text.strip() or not _is_whole(line)), None)
    if bot.matches_before or line is None or not _is_whole(line):
        return
    try:
        said = decode_ready(line.text.encode())
    except BadLine:
        yield "its first line is not a `ready` message, but it was ready"
        return
    told = (bot.ready_name, bot.version, bot.author, bot.wants_slaps, bot.wants_table)
    words = (printable(text, LONGEST_SAID) for text in (said.name, said.version, said.author))
    if told != (*words, said.slaps, said.table):
        yield "what it is told to have said in `ready` is not in its line"


def _seat(bot: SeatRecord) -> _Seat:
    lines: dict[int, list[Line]] = defaultdict(list)
    for line in bot.lines:
        lines[line.after].append(line)
    return _Seat(lines=lines, kept_until=inf if _has_room(bot) else bot.lines[-1].after)


def _has_room(bot: SeatRecord) -> bool:
    """Whether a further line of the bot would have been kept, so that no line is missing."""
    return sum(max(LEAST_LINE, min(line.size, KEPT_OF_LINE)) for line in bot.lines) < KEPT_BYTES


def _is_whole(line: Line) -> bool:
    """Whether the kept text is the line itself."""
    return "\ufffd" not in line.text and len(line.text.encode()) == line.size


def _is_as_kept(line: Line) -> bool:
    """Whether as much of a line is told as is kept of it. Where something is no UTF-8, nobody can say."""
    return "\ufffd" in line.text or len(line.text.encode()) == min(line.size, KEPT_OF_LINE)
