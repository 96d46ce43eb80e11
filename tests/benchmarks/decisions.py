"""How many decisions a second the referee makes, beside a bare poll-and-codec loop with the same bots, in one run.

    python tests/benchmarks/decisions.py [REPETITIONS]

Real processes and pipes on both sides; the bots answer at once, without any library but json. The ways take turns, and
medians and ratios are printed: the ratios are what can be compared from one machine to another.
"""

import json
import resource
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from protocol.messages import Clocks, FaultPolicy
from referee.play.bots import BotSpec, Confinement
from referee.play.match import MatchSetup, play
from referee.play.pump import Pump
from referee.play.session import run_session
from referee.rules.record import Given, GivenSlaps, GivenTogether, Move, Record
from referee.rules.variants import customised

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","table":false}', flush=True)
    elif message["type"] == "request":
        offer = message["legal"][-1]
        action = {"kind": offer.pop("kind")}
        for field, choice in offer.items():
            action[field] = choice["one_of"][0] if "one_of" in choice else choice["of"][: choice["pick"]]
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""
COMMAND = (sys.executable, "-c", BOT)
SEATS = 3
REQUEST = {
    "type": "request",
    "events": [{"event": "drew", "seat": 1, "from": "stock", "card": "7H", "stock": 60}],
    "id": "0123456789ab",
    "decision": "place",
    "legal": [{"kind": "swap", "slot": {"one_of": [0, 1, 2, 3, 4, 5]}}, {"kind": "discard"}],
    "time_s": 1.0,
    "bank_s": 59.5,
}


def decisions(record: Record) -> int:
    """How many answers of bots a record holds."""
    return sum(map(_answers, record.moves))


def _answers(move: Move) -> int:
    match move:
        case Given():
            return 1
        case GivenTogether(answers=answers):
            return len(answers)
        case GivenSlaps(asked=asked):
            return len(asked)
    return 0


def referee(matches: int, preset: str) -> tuple[float, float]:
    """Decisions a second, and the referee's own microseconds of CPU a decision."""
    bot = BotSpec(name="instant", command=COMMAND, dir="/", env={})
    setup = MatchSetup(
        variant=customised(preset, {"rounds": 30, "limit": "none"}),
        name=preset,
        bots=(bot,) * SEATS,
        seeds=(0,) * SEATS,
        deal_key=b"benchmark",
        clocks=Clocks(bank_s=1000),
        faults=FaultPolicy(),
        confinement=Confinement(),
        games=(),
    )
    records: list[Record] = []

    async def work(pump: Pump) -> None:
        records.append(await play(pump, setup))

    return _timed(lambda: run_session([work] * matches), lambda: sum(map(decisions, records)))


def bare_loop(tables: int) -> tuple[float, float]:
    """The same for a loop that only encodes, writes, polls, reads and decodes, one bot of each table at a time."""
    bots = [
        subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env={})
        for _ in range(tables * SEATS)
    ]
    count = 3000 * tables

    def loop() -> None:
        poll = select.epoll()
        by_fd = {bot.stdout.fileno(): index for index, bot in enumerate(bots) if bot.stdout}
        for fd in by_fd:
            poll.register(fd, select.EPOLLIN)
        for index in range(0, len(bots), SEATS):
            bots[index].stdin.write(json.dumps(REQUEST).encode() + b"\n")  # type: ignore[union-attr]
        answered = 0
        while answered < count:
            for fd, _ in poll.poll():
                index = by_fd[fd]
                json.loads(bots[index].stdout.read(65536))  # type: ignore[union-attr]
                answered += 1
                following = index - index % SEATS + (index + 1) % SEATS
                bots[following].stdin.write(json.dumps(REQUEST).encode() + b"\n")  # type: ignore[union-attr]

    try:
        return _timed(loop, lambda: count)
    finally:
        for bot in bots:
            bot.kill()
            bot.communicate()


def _timed(work: Callable[[], None], count: Callable[[], int]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), _cpu()
    work()
    seconds, used = time.perf_counter() - wall, _cpu() - cpu
    return count() / seconds, used / count() * 1e6


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    ways: dict[str, Callable[[], tuple[float, float]]] = {
        "bare loop, 1 table": lambda: bare_loop(1),
        "six-card, 1 match": lambda: referee(1, "six-card"),
        "cactus, 1 match": lambda: referee(1, "cactus"),
        "bare loop, 4 tables": lambda: bare_loop(4),
        "six-card, 4 matches": lambda: referee(4, "six-card"),
        "cactus, 4 matches": lambda: referee(4, "cactus"),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(repetitions):
        for name, way in ways.items():
            found[name].append(way())
    print(f"{'':22}{'decisions/s':>12}{'of bare':>9}{'CPU us':>9}{'of bare':>9}   (medians of {repetitions})")
    base = (1.0, 1.0)
    for name, figures in found.items():
        rate, cpu = (statistics.median(column) for column in zip(*figures, strict=True))
        if name.startswith("bare"):
            base = (rate, cpu)
        print(f"{name:22}{rate:12.0f}{rate / base[0]:9.2f}{cpu:9.1f}{cpu / base[1]:9.2f}")


if __name__ == "__main__":
    main()
