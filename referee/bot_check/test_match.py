"""One match of the bot under check: its real process at one seat, the dice at the others, and what it did wrong.

The referee's own conversation composes the lines and judges the answers, and its pump writes and reads. This module
lies between the two: the other seats answer at once, lines are altered on their way to the bot, and all is noted.
"""

import contextlib
import secrets
import time
from collections.abc import Callable, Generator, Sequence
from itertools import pairwise
from random import Random
from typing import Literal

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.actions import Action
from protocol.bad_lines import BadLine
from protocol.codec import decode_answer, decode_ready
from protocol.messages import Answer, GameMessage, Limits, Ready
from protocol.offers import admits
from referee.bot_check.games import CheckRules, GameToTry
from referee.bot_check.lines import Alter, merged
from referee.bot_check.players import SLAP_US, Players
from referee.bot_check.rules import Rule
from referee.bot_check.tape import Tape
from referee.play.faults import Trouble
from referee.play.process.channel import Channel
from referee.play.talk.conversation import Conversation, Steps
from referee.play.talk.exchange import READY, Delivery, Exchange, Reply, Saying
from referee.play.talk.script import announcements, hello, table_message
from referee.reports.faults import mishap_of
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.keyed_streams import bot_seed, seed_key
from referee.rules.questions import Ask
from referee.rules.record import Given as Played
from referee.rules.record import Mishap

MOST_SILENT = 2
"""A match is broken off when the bot has left so many requests unanswered."""

MEMORY_EVERY = 25
"""After so many answers it is looked again how much memory the bot holds."""

POLL_INTERVAL_S = 0.001
"""The time between two looks at what the bot has read."""

PIECE_S = 0.25
"""How long the bot may take to read a piece of a line."""

ALMOST_A_LINE = 60_000
"""Requests are withheld until what they tell comes to so many bytes, which leaves room for the last one."""

Silence = Literal["keeps_back", "reads_blocks", "loses_lines"]
"""Why a bot does not answer: all its answers come when its input ends; it waits for whole blocks; or it answers its
first request only where that comes apart from `match`."""

Question = Callable[[Ask], bool]
"""Whether a question is put to the bot; the dice answer the others for it."""


class Setup(Struct, frozen=True, kw_only=True):
    """A match to play with the bot: the game, and how it differs from an ordinary match."""

    game: GameToTry
    seat: int = 0
    salt: str = ""
    """Matches of one salt have the same deals."""
    trial: str = ""
    """What the bot is tried with in this match, in words; empty in an ordinary match."""
    about: Rule | None = None
    """The rule that a bot breaks which cannot bear that."""
    alter: Alter | None = None
    """What is done to each line to the bot."""
    puts: Question | None = None
    """Which questions are put to it; all of them if this is None."""
    first: int | None = None
    """After so many answers the dice play its seat to the end of the match; None: never."""
    in_pieces: bool = False
    """Whether lines are written in pieces."""
    is_apart: bool = False
    """Whether lines that otherwise come together are written one after the other."""
    loses: int | None = None
    """The number, from 1, of an answer that counts as late, so that the bot is sent a fault."""
    even: bool = False
    """Whether all its slaps count as equally fast, so that its time decides nothing."""
    patience_s: float = 4.0
    """When the bot has thought so long in the match, it is broken off."""
    answers: int = 1_000_000
    """After so many answers it is broken off."""

    def plain(self) -> "Setup":
        """The same without what the bot is tried with."""
        puts = self.puts if self.about is None else None
        return replace(self, trial="", about=None, alter=None, puts=puts, in_pieces=False)


class Answered(Struct, frozen=True, kw_only=True):
    """A request that was put to the bot, and its answer where that was legal."""

    ask: Ask
    id: str
    action: Action | None
    elapsed_us: float
    line_bytes: int
    """The length of the bot's line."""


class Fault(Struct, frozen=True, kw_only=True):
    """A fault of the bot, with what its author needs to find it."""

    mishap: Mishap
    line: bytes
    """The line that was judged; empty where there was none."""
    bad: BadLine | None
    """What is wrong with that line, if it is no message of the awaited kind."""
    hint: str
    """What the referee adds where no answer came."""
    ask: Ask | None
    id: str
    joined: bool
    """Whether it was the `then` of the line before."""
    is_of_before: bool
    """Whether the line answers an earlier request too late."""
    has_bank: bool
    """Whether the bot has thinking time left."""
    asked_bytes: int
    """The length of the line that it was to answer."""
    answers_before: int
    """How many answers it had given in the match."""
    round: int
    conversation: tuple[str, ...]


class LateSlap(Struct, frozen=True, kw_only=True):
    """A slap window in which the bot wrote nothing in time."""

    id: str
    hint: str
    ask: Ask
    conversation: tuple[str, ...]


class StrayLine(Struct, frozen=True, kw_only=True):
    """A line of the bot that answers nothing."""

    line: bytes
    after: str
    """The type of the referee's last message before it; empty where there was none."""
    is_repeat: bool
    """Whether it has the id of a request that had been answered."""
    conversation: tuple[str, ...]


class TestMatch:
    """One match: `steps` is what the pump drives; then the rest of this tells how it went."""

    def __init__(  # noqa: PLR0913, PLR0915 - what differs from match to match
        self,
        channel: Channel,
        setup: Setup,
        *,
        folder: str,
        check_rules: CheckRules,
        announced: Sequence[GameToTry],
        seed: str,
        matches_before: int = 0,
    ) -> None:
        self.channel, self.setup, self.check_rules = channel, setup, check_rules
        self.folder = folder
        """Where the bot was started."""
        self.matches_before = matches_before
        """How many matches its process has played before."""
        self.tape = channel.inbox = channel.inbox if isinstance(channel.inbox, Tape) else Tape(Limits())
        self.answered: list[Answered] = []
        self.faults: list[Fault] = []
        self.late_slaps: list[LateSlap] = []
        self.stray_lines: list[StrayLine] = []
        self.memory: list[int] = []
        """What the bot held in bytes, from time to time."""
        self.peak_bytes = 0
        """The most that it is known to have held; 0 where the host does not tell."""
        self.ready: Ready | None = None
        self.start_us = 0.0
        """From `hello` to `ready`."""
        self.is_played_by_dice = False
        """Whether the dice have decided for the bot's seat."""
        self.silence: Silence | None = None
        """What was found out about a bot that did not answer in time."""
        self.broken_off = ""
        """Why the match was not played to its end; empty where it was."""
        self.cause: tuple[str, Rule] | None = None
        """What brought its faults about, as without it the match goes well, and the rule that such a bot breaks."""
        self.comes_and_goes = False
        """Whether the bot was at fault in it, and not when it was played again."""
        self.is_declined = False
        """Whether its process, which had played before, did not read `match`, as it may. Then nothing was played."""
        self._dice = Random(seed)  # noqa: S311 - no secret
        self._thought_us = 0.0
        game = setup.game
        self._players = Players(self._dice, quits=(setup.seat + 1) % game.seats if game.quits else None)
        self.game, self.talk = _conversation(
            setup, check_rules, announced=announced, seed=seed, matches_before=matches_before
        )
        self._moves = 0
        self._read = 0
        self._silent = 0
        self._judged: tuple[bytes, str, Ask | None] = (b"", "", None)
        self._hint = ""
        self._is_excused = False
        """Whether the next fault is not the bot's own."""
        self._asked_bytes = 0
        """The length of the last line that was written to it."""
        self._answered_ids: set[str] = set()
        self._given_up: set[str] = set()
        """The ids of requests whose answers may still come, and answer nothing."""
        self.came_late: set[str] = set()
        """Those of them whose answers came."""
        self._withheld: list[bytes] = []
        self._pieces: list[bytes] = []
        self._hides_table = False
        self._has_noted_rest = False

    def steps(self, known: Ready | None = None) -> Steps:
        """Play the match. A bot that has been greeted before has said `known`."""
        self.ready = known
        talk = self._talk(known)
        exchange = next(talk)
        while self.setup.seat not in exchange.dismissed:
            replies: dict[int, Reply] = {}
            for delivery in exchange.deliveries:
                if delivery.seat == self.setup.seat:
                    reply = yield from self._deliver(delivery, exchange)
                elif delivery.awaits is not None:
                    reply = self._players.reply(delivery, self._ask_of(delivery.seat), self.game.table)
                else:
                    reply = None
                if reply is not None:
                    replies[delivery.seat] = reply
            try:
                exchange = talk.send([replies[one.seat] for one in exchange.deliveries if one.awaits is not None])
            except StopIteration:
                return
            finally:
                self._note_faults()
            if self._breaks_off():
                return

    @property
    def thought_s(self) -> float:
        """How long the bot has thought for its answers, in seconds."""
        return self._thought_us / 1e6

    @property
    def how_far(self) -> str:
        """How far a match without a fault was when its bot, which was not busy, was to end; else empty."""
        if self.faults or self.late_slaps:
            return ""
        if not self.broken_off:
            return "after a match"
        at_rest = len(self.answered) >= self.setup.answers
        return ("in the middle of a match" if self.answered else "before a match") if at_rest else ""

    def _talk(self, known: Ready | None) -> Steps:
        yield from self.talk.greet({} if known is None else {self.setup.seat: known})
        yield from self.talk.play()

    def _breaks_off(self) -> bool:
        if self._silent >= MOST_SILENT:
            self.broken_off = f"it left {self._silent} requests unanswered"
        elif len(self.answered) >= self.setup.answers:
            self.broken_off = "that was long enough"
        elif self.thought_s > self.setup.patience_s:
            self.broken_off = f"it had thought {self.thought_s:.1f} s"
        return bool(self.broken_off)

    def _ask_of(self, seat: int) -> Ask | None:
        """The open question of a seat."""
        question = self.game.question
        asks = (question,) if isinstance(question, Ask) else () if question is None else question.asks
        return next((ask for ask in asks if ask.seat == seat), None)

    # Lines to the bot

    def match_line(self) -> Delivery:
        """The line of `match` by itself, which a process that has played before is sent before `steps`."""
        data = self._line(self.talk.script.match(self.setup.seat).data)
        self.tape.note_sent(data)
        return Delivery(self.setup.seat, data)

    def _deliver(self, delivery: Delivery, exchange: Saying) -> Generator[Exchange, Sequence[Reply], Reply | None]:
        """Write a line and hear what the bot says, or let the dice answer and tell the bot of it later."""
        is_request = delivery.awaits not in (None, READY)
        ask = self._ask_of(self.setup.seat) if is_request else None
        if ask is not None and self._withholds(ask):
            self._withheld.append(delivery.data)
            self.is_played_by_dice = True
            self._hides_table |= ask.opens_turn and self.ready is not None and self.ready.table
            action = self._players.choose(ask, self.game.table)
            answer = Answer(id=delivery.awaits or "", action=action)
            return Reply(seat=self.setup.seat, heard=answer, elapsed_us=0.0, wait_us=0.0, corrected_us=SLAP_US)
        data = self._line(delivery.data)
        self.tape.note_sent(data)
        self._asked_bytes = len(data.splitlines(keepends=True)[-1])
        if (self.setup.in_pieces or self.setup.is_apart) and not exchange.timed:
            data = self._cut(data)
        replies = yield Exchange(
            deliveries=(replace(delivery, data=data),), timed=exchange.timed, at_once=exchange.at_once
        )
        return self._note(replies[0], delivery.awaits or "", ask) if replies else None

    def _withholds(self, ask: Ask) -> bool:
        first, puts = self.setup.first, self.setup.puts
        is_put = (first is None or len(self.answered) < first) and (puts is None or puts(ask))
        return not is_put and sum(map(len, self._withheld)) < ALMOST_A_LINE

    def _line(self, data: bytes) -> bytes:
        """What is written in place of these lines."""
        if self._withheld:
            table = msgspec.json.encode(table_message(self.game.table)) if self._hides_table else None
            data = merged(self._withheld, data, table)
            self._withheld, self._hides_table = [], False
        if self.setup.alter is not None:
            data = b"".join(map(self.setup.alter, data.splitlines(keepends=True)))
        return data

    def _cut(self, data: bytes) -> bytes:
        """Returns the first piece of these lines, and leaves the others for `write_pieces`."""
        if self.channel.process is None:
            return data
        if self._pieces:  # the bot spoke before it had read all of the line before
            data, self._pieces = b"".join([*self._pieces, data]), []
            return data
        cuts = sorted({0, 1, len(data) // 3, len(data) - 1, len(data)})
        pieces = [data[begin:end] for begin, end in pairwise(cuts)]
        first, *rest = data.splitlines(keepends=True) if self.setup.is_apart else pieces
        self._pieces += rest
        return first

    async def write_pieces(self) -> None:
        """Write what is left of lines that are written in pieces, each piece when the one before has been read.

        To be run beside the conversation, and cancelled when that is over and `has_pieces` is false.
        """
        waited = 0
        while True:
            await trio.sleep(POLL_INTERVAL_S)
            waited += 1
            process = self.channel.process
            is_read = process is None or not process.unread_bytes() or waited * POLL_INTERVAL_S > PIECE_S
            if self._pieces and is_read:
                waited = 0
                self.channel.write(Delivery(seat=self.setup.seat, data=self._pieces.pop(0)), time.monotonic_ns())

    @property
    def has_pieces(self) -> bool:
        """Whether pieces of lines have not been written yet."""
        return bool(self._pieces)

    # Lines from the bot

    def _note(self, reply: Reply, id_: str, ask: Ask | None) -> Reply:
        """Remember what came in place of an answer; returns the reply as the conversation is to have it."""
        lines = self.tape.heard[self._read : self.tape.lines_read]
        numbers = range(self._read, self.tape.lines_read)
        self._read = self.tape.lines_read
        judged = b""
        if isinstance(reply.heard, (Ready, Answer)) or (isinstance(reply.heard, Trouble) and lines):
            *_, judged = lines or [b""]
            numbers = numbers[:-1]
        if reply.heard is not None:
            self._note_stray(numbers)
        elif lines:  # they have other ids
            judged = lines[0]
        self._judged, self._hint = (judged or self.tape.part, id_, ask), reply.hint
        self._thought_us += reply.elapsed_us if ask is not None else 0.0
        if isinstance(reply.heard, Ready):
            self.ready, self.start_us = reply.heard, reply.elapsed_us
            if not self.tape.said_before(at := self.tape.heard_at[self._read - 1]):
                self.stray_lines.append(self._stray(judged, at))
        elif isinstance(reply.heard, Answer) and ask is not None:
            reply = self._note_answer(reply, reply.heard, ask, len(judged))
        else:
            self._given_up.add(id_)
            self._silent += reply.heard is None
            if ask is not None and ask.decision == "slap" and reply.heard is None:
                self.late_slaps.append(LateSlap(id=id_, hint=reply.hint, ask=ask, conversation=self.tape.last_lines()))
        return reply

    def _note_answer(self, reply: Reply, answer: Answer, ask: Ask, line_bytes: int) -> Reply:
        self._answered_ids.add(answer.id)
        is_legal = admits(ask.offers, answer.action)
        elapsed_us = reply.elapsed_us if reply.corrected_us is None else reply.corrected_us
        action = answer.action if is_legal else None
        answered = Answered(ask=ask, id=answer.id, action=action, elapsed_us=elapsed_us, line_bytes=line_bytes)
        self.answered.append(answered)
        if len(self.answered) % MEMORY_EVERY == 1:
            self.note_memory()
        if self.setup.loses == len(self.answered) and ask.decision != "slap":
            self._is_excused = True
            return replace(reply, heard=None, hint="this answer was taken as late, to try what the bot makes of it")
        return replace(reply, corrected_us=SLAP_US) if self.setup.even and reply.corrected_us is not None else reply

    def _note_faults(self) -> None:
        """Remember the faults that the conversation has found since the last look."""
        moves, self._moves = self.talk.moves[self._moves :], len(self.talk.moves)
        known: list[Mishap] = []
        for move in moves:
            mishap = mishap_of(move, self.setup.seat)
            if mishap is None or any(mishap is one for one in known):
                continue
            known.append(mishap)
            if self._is_excused:
                self._is_excused = False
                continue
            line, id_, ask = self._judged
            fault = Fault(
                mishap=mishap,
                line=line,
                bad=_bad(line, ask) if mishap.kind in ("bad_message", "start_failed") else None,
                hint=self._hint,
                ask=ask,
                id=id_,
                joined=any(isinstance(one, Played) and one.joined and one.fault is mishap for one in moves),
                is_of_before=bool(line.strip()) and _id_of(line) in self._given_up - {id_},
                has_bank=self.talk.script.seats[self.setup.seat].bank_us > 0,
                asked_bytes=self._asked_bytes,
                answers_before=len(self.answered),
                round=self.game.table.round,
                conversation=self.tape.last_lines(),
            )
            self.faults.append(fault)

    def note_memory(self) -> None:
        """Note what the bot holds now, and the most that it has held where its control group counts that."""
        process = self.channel.process
        if process is not None and (holds := process.resource_usage()) is not None:
            self.memory.append(holds.memory_bytes)
            self.peak_bytes = max(self.peak_bytes, process.peak_memory_bytes() or holds.memory_bytes)

    def note_rest(self) -> None:
        """Remember what the bot has written after its last answer. It is called when the bot writes no more."""
        if self._has_noted_rest:
            return
        self._has_noted_rest = True
        rest = range(self._read, len(self.tape.heard))
        came = {_id_of(self.tape.heard[number]) for number in rest}
        self.came_late = self._given_up.intersection(map(_id_of, self.tape.heard))
        all_came = len(self._given_up) > 1 and self._given_up <= came
        if READY in self._given_up:
            all_came = any(_is_ready(self.tape.heard[number]) for number in rest)
        if all_came:
            self.silence = "keeps_back"
        if not self._given_up:
            self._note_stray(rest)
            if self.tape.part.strip():
                self.stray_lines.append(self._stray(self.tape.part, len(self.tape.entries)))

    def _note_stray(self, numbers: range) -> None:
        """Remember lines that answer nothing, unless they answer too late what has been given up."""
        for number in numbers:
            line = self.tape.heard[number]
            if _id_of(line) not in self._given_up:
                self.stray_lines.append(self._stray(line, self.tape.heard_at[number]))

    def _stray(self, line: bytes, at: int) -> StrayLine:
        is_repeat = _id_of(line) in self._answered_ids
        after = self.tape.said_before(at)
        return StrayLine(line=line, after=after, is_repeat=is_repeat, conversation=self.tape.last_lines())


def _id_of(line: bytes) -> str | None:
    """The id of an answer; None for any other line."""
    with contextlib.suppress(BadLine):
        return decode_answer(line).id
    return None


def _bad(line: bytes, ask: Ask | None) -> BadLine | None:
    """What is wrong with a line in place of an answer to `ask`, or of `ready` where nothing has been asked."""
    try:
        if line:
            decode_ready(line) if ask is None else decode_answer(line)
    except BadLine as bad:
        return bad
    return None


def _is_ready(line: bytes) -> bool:
    with contextlib.suppress(BadLine):
        decode_ready(line)
        return True
    return False


def _conversation(
    setup: Setup, check_rules: CheckRules, *, announced: Sequence[GameToTry], seed: str, matches_before: int
) -> tuple[Game, Conversation]:
    """The match and what is said in it; `hello` announces the games that are played with the bot."""
    game = setup.game
    key = seed_key(seed)
    variant = game.variant
    chance = Keyed(key, variant, game.seats)
    played = Game(variant, game.seats, chance)
    matches = announcements(
        variant,
        game.name,
        seeds=[bot_seed(key, 0, number) for number in range(game.seats)],
        clocks=check_rules.clocks,
        faults=check_rules.faults,
        matches_before=[matches_before if number == setup.seat else 0 for number in range(game.seats)],
    )
    tables = dict.fromkeys((one.preset, one.name, one.seats) for one in (*announced, game))
    games = tuple(GameMessage(variant=preset, name=name, seats=seats) for preset, name, seats in tables)
    id_key = secrets.token_bytes(16)
    return played, Conversation(played, chance, hello=hello(games, Limits()), matches=matches, id_key=id_key)
