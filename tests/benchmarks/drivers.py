"""Ways to drive C bots that answer at once: the referee itself, bare loops in C and in Python, stock trio streams."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import trio
from measuring import Figure, Skipped, compiled, decisions, measured

from protocol.messages import Answer, Clocks, FaultPolicy, Limits, Ready, Request
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, match_messages, play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement
from referee.play.talk import script
from referee.play.talk.conversation import Conversation, Steps
from referee.play.talk.exchange import READY, Delivery, Reply, Saying
from referee.play.talk.inbox import Inbox
from referee.rules.chance import Keyed, Recorder
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.record import GivenTogether, Record

SEATS = 3

ATTEMPTS = 3

NO_TABLE = ("--no-table",)
"""Arguments of a bot that keeps its own books, as fast ones do."""

FLIPS = ("--no-table", "--flips")
"""Arguments of a bot that ends its rounds soon, so that a round has a sixteenth of the decisions."""


def setup(bot: str, arguments: Sequence[str] = NO_TABLE, *, rounds: int = 30, preset: str = "six-card") -> MatchSetup:
    """A match of real rules with clocks, records and the isolation `limits`; nobody runs out of time."""
    spec = BotSpec(name="instant", command=(bot, *arguments), dir="/", env={})
    return MatchSetup(
        variant=with_options(preset, {"rounds": rounds, "limit": "none"}),
        name=preset,
        bots=(spec,) * SEATS,
        seeds=(0,) * SEATS,
        deal_key=b"benchmark",
        clocks=Clocks(start_s=60.0, move_s=60.0, bank_s=80_000.0),
        faults=FaultPolicy(),
        confinement=Confinement(isolation="limits"),
        games=(),
    )


def referee(match: MatchSetup, matches: int) -> Figure:
    """The referee itself, with `matches` at a time, from the start of the processes to the records.

    Raises Skipped where the host spoils a match every time.
    """

    def work() -> int:
        records: list[Record] = []

        async def one(pump: Pump) -> None:
            records.append(await play(pump, match))

        run_session([one] * matches)
        return sum(map(decisions, records))

    for _ in range(ATTEMPTS):
        try:
            return measured(work)
        except HostFault as fault:
            reason = str(fault)
    raise Skipped(reason)


_PLAY = """
import sys
import msgspec
from drivers import referee, setup

bot, rounds, matches = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
referee(setup(bot, rounds=1), matches)
sys.stdout.buffer.write(msgspec.json.encode(referee(setup(bot, rounds=rounds), matches)))
"""


def referee_of(checkout: Path, bot: str, *, rounds: int, matches: int) -> Figure:
    """What `referee` finds with the code of a checkout, in a process of its own, after a short match that warms it up.

    The checkout has its own `drivers` too. Raises Skipped where it does not play.
    """
    path = os.pathsep.join(map(str, (checkout.resolve(), checkout.resolve() / "tests" / "benchmarks")))
    command = [sys.executable, "-P", "-c", _PLAY, bot, str(rounds), str(matches)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"the referee of {checkout} failed: {done.stderr.decode(errors='replace')[-500:]}")
    return msgspec.json.decode(done.stdout, type=Figure)


# The same conversation without the pump


def conversation(match: MatchSetup) -> Conversation:
    """The conversation of a match, as `play` holds it."""
    recorder = Recorder(Keyed(match.deal_key, match.variant, len(match.bots)))
    return Conversation(
        Game(match.variant, len(match.bots), recorder),
        recorder,
        hello=script.hello(match.games, match.limits),
        matches=match_messages(match),
        id_key=b"benchmark",
    )


def next_exchange(steps: Steps, replies: Sequence[Reply] | None) -> Saying | None:
    """What the conversation says to these replies (None: at its beginning); None when it is over."""
    try:
        return next(steps) if replies is None else steps.send(replies)
    except StopIteration:
        return None


def answered(talk: Conversation) -> int:
    """How many decisions there were in a conversation; instant bots never send two answers in one."""
    return sum(len(move.answers) if isinstance(move, GivenTogether) else 1 for move in talk.moves)


def trio_streams(match: MatchSetup, matches: int) -> Figure:
    """The conversation over trio's own process streams, a task a match and a cancel scope a request."""

    def work() -> int:
        talks = [conversation(match) for _ in range(matches)]

        async def all_of_them() -> None:
            async with trio.open_nursery() as nursery:
                for talk in talks:
                    nursery.start_soon(_converse, talk, [list(bot.command) for bot in match.bots])

        trio.run(all_of_them)
        return sum(map(answered, talks))

    return measured(work)


async def _converse(talk: Conversation, commands: Sequence[list[str]]) -> None:
    bots = [
        await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
        for command in commands
    ]
    inboxes = [Inbox(Limits()) for _ in bots]
    steps = talk.steps()
    replies: list[Reply] | None = None
    while (exchange := next_exchange(steps, replies)) is not None:
        for delivery in exchange.deliveries:
            await _send(bots[delivery.seat], inboxes[delivery.seat], delivery)
        replies = [
            await _receive(bots[delivery.seat], inboxes[delivery.seat], delivery)
            for delivery in exchange.deliveries
            if delivery.awaits is not None
        ]
    for bot in bots:
        if bot.stdin is not None:
            await bot.stdin.aclose()
        await bot.wait()


async def _send(bot: trio.Process, inbox: Inbox, delivery: Delivery) -> None:
    if delivery.awaits is not None:
        inbox.expect(delivery.awaits)
    assert bot.stdin is not None
    await bot.stdin.send_all(delivery.data)


async def _receive(bot: trio.Process, inbox: Inbox, delivery: Delivery) -> Reply:
    assert bot.stdout is not None
    begun = time.perf_counter()
    with trio.fail_after(delivery.limit_s):
        while (heard := inbox.hear()) is None:
            inbox.feed(bytes(await bot.stdout.receive_some()))
    return Reply(seat=delivery.seat, heard=heard, elapsed_us=(time.perf_counter() - begun) * 1e6)


# Bare loops


def requests(match: MatchSetup) -> Iterator[bytes]:
    """The request lines of a match whose bots take the last offer; they answer in this process."""
    talk = conversation(match)
    steps = talk.steps()
    replies: list[Reply] | None = None
    while (exchange := next_exchange(steps, replies)) is not None:
        awaited = [delivery for delivery in exchange.deliveries if delivery.awaits is not None]
        yield from (delivery.data for delivery in awaited if delivery.awaits != READY)
        replies = [Reply(seat=delivery.seat, heard=in_memory(delivery), elapsed_us=10.0) for delivery in awaited]


def in_memory(delivery: Delivery) -> Ready | Answer:
    """What bots/instant.c says to a line, but in this process: the last offer with its first values."""
    if delivery.awaits == READY:
        return Ready(table=False)
    request = json.loads(delivery.data.splitlines()[-1])
    offer = request["legal"][-1]
    action = {"kind": offer.pop("kind")}
    for name, choice in offer.items():
        action[name] = choice["one_of"][0] if "one_of" in choice else choice.get("of", [])[: choice.get("pick", 0)]
    return msgspec.convert({"type": "answer", "id": request["id"], "action": action}, Answer)


def typical_request(match: MatchSetup) -> bytes:
    """The request whose length is nearest to the mean of the match; without the `match` line of a first one."""
    lines = [data.splitlines(keepends=True)[-1] for data in requests(match)]
    mean = sum(map(len, lines)) / len(lines)
    return min(lines, key=lambda line: abs(len(line) - mean))


def bare_c(program: str, bot: str, request: bytes, *, tables: int, count: int) -> Figure:
    """The floor: a referee in C that only writes and reads."""
    command = [program, str(tables), str(SEATS), str(count), bot, *NO_TABLE]
    done = subprocess.run(command, input=request, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Figure)


def bare_python(bot: str, line: bytes, *, tables: int, count: int) -> Figure:
    """A loop that only encodes, writes, polls, reads and decodes, one bot of each table at a time."""
    processes = [
        subprocess.Popen([bot, *NO_TABLE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env={})
        for _ in range(tables * SEATS)
    ]
    request = msgspec.json.decode(line, type=Request)
    pipes = [(one.stdin.fileno(), one.stdout.fileno()) for one in processes if one.stdin and one.stdout]

    def work() -> int:
        try:
            return _loop(pipes, request, count)
        finally:
            for process in processes:
                process.communicate()

    return measured(work)


def _loop(pipes: Sequence[tuple[int, int]], request: Request, count: int) -> int:
    encoder, decoder = msgspec.json.Encoder(), msgspec.json.Decoder(Answer)
    by_fd = {output: index for index, (_, output) in enumerate(pipes)}
    following = [index - index % SEATS + (index + 1) % SEATS for index in range(len(pipes))]
    with select.epoll() as poll:
        for fd in by_fd:
            poll.register(fd, select.EPOLLIN)
        for index in range(0, len(pipes), SEATS):
            os.write(pipes[index][0], encoder.encode(request) + b"\n")
        answered = 0
        while answered < count:
            for fd, _ in poll.poll():
                answer = decoder.decode(os.read(fd, 65536))
                assert answer.id == request.id
                answered += 1
                os.write(pipes[following[by_fd[fd]]][0], encoder.encode(request) + b"\n")
    return answered


class Programs:
    """The C programs, compiled once, and the request that the bare loops repeat."""

    def __init__(self, folder: Path) -> None:
        """Raises Skipped without a compiler."""
        self.bot = compiled("instant", folder)
        self.bare = compiled("bare", folder)
        self.engine = compiled("uci", folder)
        self.request = typical_request(setup(self.bot, rounds=1))
