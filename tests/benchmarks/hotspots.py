"""Where the referee's time goes: by function and by file, while C bots play; then rules, telling and judging alone.

    python tests/benchmarks/hotspots.py [--matches N] [--rounds N] [--lines N] [--flips]

At each tick of the kernel's clock (of CPU time, 4 ms or less) it is noted which function of the referee runs; what a
function spends in built-in ones and in the kernel is its own. Unlike a profiler that counts calls this takes next to no
time itself. Needs a C compiler.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from drivers import FLIPS, answered, conversation, in_memory, next_exchange, referee, setup
from measuring import Figure, Skipped, compiled
from tabulate import tabulate

from referee.play.match import MatchSetup
from referee.play.talk.exchange import Reply

ROOT = Path(__file__).parents[2]

INTERVAL_S = 0.001


def sampled(work: Callable[[], Figure]) -> tuple[Figure, Counter[tuple[str, str]]]:
    """What the work returns, and how often each function (file, name) was seen at work."""
    seen: Counter[tuple[str, str]] = Counter()

    def look(_number: int, frame: FrameType | None) -> None:
        if frame is not None:
            seen[_short(frame.f_code.co_filename), frame.f_code.co_qualname] += 1

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
    try:
        return work(), seen
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _short(path: str) -> str:
    """The path within the project, or from the library's name on."""
    if path.startswith(f"{ROOT}/"):
        return path.removeprefix(f"{ROOT}/")
    return "/".join(Path(path).parts[-2:])


def alone(match: MatchSetup, *, flips: bool) -> tuple[int, float]:
    """Decisions of a match without pipes, and the seconds that the conversation took for them, without the bots'."""
    talk = conversation(match)
    steps, replies, seconds = talk.steps(), None, 0.0
    while True:
        begun = time.perf_counter()
        exchange = next_exchange(steps, replies)
        seconds += time.perf_counter() - begun
        if exchange is None:
            return answered(talk), seconds
        replies = [
            Reply(seat=delivery.seat, heard=in_memory(delivery, flips=flips), elapsed_us=10.0)
            for delivery in exchange.deliveries
            if delivery.awaits is not None
        ]


def shares(seen: Counter[tuple[str, str]], r: float, lines: int) -> str:
    """Two tables: by file and by function, with the part of all samples and what it comes to of r."""
    total = seen.total() or 1
    files: Counter[str] = Counter()
    for (file, _), count in seen.items():
        files[file] += count
    by_file = [[f"{count / total:.1%}", f"{r * count / total:.2f}", file] for file, count in files.most_common(lines)]
    by_function = [
        [f"{count / total:.1%}", f"{r * count / total:.2f}", f"{file}: {name}"]
        for (file, name), count in seen.most_common(lines)
    ]
    return f"{_table('file', by_file)}\n\n{_table('function', by_function)}"


def _table(what: str, rows: Sequence[Sequence[str]]) -> str:
    return tabulate(rows, headers=["share", "us", what], colalign=("right", "right", "left"), disable_numparse=True)


def main() -> None:
    """Play, look, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=4, help="at a time")
    parser.add_argument("--rounds", type=int, default=100, help="of a match, ten times as many with --flips")
    parser.add_argument("--lines", type=int, default=30, help="of each table")
    parser.add_argument("--flips", action="store_true", help="bots that end their rounds soon")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            bot = compiled("instant", Path(folder))
        except Skipped as reason:
            sys.exit(f"nothing was measured: {reason}")
        # Short rounds have a sixteenth of the decisions.
        match = setup(bot, FLIPS, rounds=10 * given.rounds) if given.flips else setup(bot, rounds=given.rounds)
        figure, seen = sampled(lambda: referee(match, given.matches))
        count, seconds = alone(match, flips=given.flips)
    print(f"{figure.decisions} decisions, {figure.rate:.0f} a second, r {figure.r:.1f} us, b {figure.b:.1f} us")
    print(f"{seen.total()} samples\n\n{shares(seen, figure.r, given.lines)}\n")
    print(f"without pipes: rules, telling and judging take {seconds / count * 1e6:.1f} us a decision (of {count})")


if __name__ == "__main__":
    main()
