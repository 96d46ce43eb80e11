"""The steps about how a bot begins and ends: its start, its first words, the end of its input, SIGTERM."""

import os
import signal
import time

import trio

from referee.kit.check import rules
from referee.kit.check.bench import Bench, Farewell, Trial
from referee.kit.check.findings import last_words
from referee.kit.check.report import Finding
from referee.kit.check.sitting import Manner
from referee.play.process.channel import Channel
from referee.play.process.process import FAREWELL_S

SETTLED_S = 2.0
"""How long a new process is left alone at most, to see whether it speaks first."""

POLL_INTERVAL_S = 0.01
"""The time between two looks at it."""

WORTH_A_WARNING = 0.5
"""A part of a time limit that is worth a warning when it is used up."""


async def start_up(bench: Bench) -> None:
    """Start the bot, see whether it speaks first, and greet it."""
    channel = await bench.start()
    try:
        await _settle(channel)
        sitting = await bench.play(channel, bench.all_games[0], Manner(answers=0))
    finally:
        with trio.CancelScope(shield=True):
            await bench.part(channel)
    await bench.look_into_silence(sitting, Trial(game=bench.all_games[0], manner=sitting.manner))
    bench.gather(sitting)
    if bench.ready is None:
        bench.stopped = "the bot did not get as far as `ready`"
        return
    sitting = await bench.sit(bench.all_games[0], Manner(answers=0))
    start_s, limit_s = sitting.start_us / 1e6, bench.check_rules.clocks.start_s
    bench.outcome.summary = f"ready {start_s * 1000:.0f} ms after its start (limit {limit_s:g} s)"
    if start_s > WORTH_A_WARNING * limit_s:
        what = f"it took {start_s:.1f} s from its start to `ready`, of {limit_s:g} s"
        bench.warn("slow start", what, rules.START_CLOCK, right="do less before `ready`")


async def _settle(channel: Channel) -> None:
    """Wait until a new process sleeps, most likely for its first line, or has written something."""
    quiet, end = 0, time.monotonic() + SETTLED_S
    process = channel.process
    while process is not None and quiet < 3 and time.monotonic() < end:
        await trio.sleep(POLL_INTERVAL_S)
        channel.read_rest()
        if channel.inbox.bytes_read or channel.has_ended():
            return
        quiet = 0 if process.is_running() else quiet + 1


async def handshake(bench: Bench) -> None:
    """Play the first game to its end: `hello`, `ready`, `match`, requests, `end`."""
    sitting = await bench.sit(bench.all_games[0], salt="handshake")
    ready = sitting.ready
    if ready is None:
        return
    bench.outcome.summary = f'it calls itself "{ready.name}"' if ready.name else "it gives no name"
    if ready.version:
        bench.outcome.summary += f", version {ready.version}"
    if not ready.slaps:
        bench.outcome.notes.append("it renounces slaps: it passes in all windows, and is not asked")
    if not ready.table:
        bench.outcome.notes.append("it declines `table`: no request carries one")


async def end_of_input(bench: Bench) -> None:
    """End its input before a match, in the middle of one, and after one."""
    worst = Farewell(seconds=0.0, status="")
    oddly: dict[str, list[str]] = {}
    stderr: tuple[str, ...] = ()
    bench.is_about_ends = True
    for words, manner in (
        ("before a match", Manner(answers=0)),
        ("in the middle of a match", Manner(answers=3)),
        ("after a match", Manner()),
    ):
        await bench.sit(bench.all_games[0], manner, salt="end of input", is_new=True)
        farewell = bench.farewells[-1]
        if not farewell.status:
            _does_not_end(bench, words, farewell)
        elif "exited with code 0" not in farewell.status and not farewell.is_early:
            oddly.setdefault(farewell.status, []).append(words)
            stderr = last_words(bench.sittings[-1])
        worst = max(worst, farewell, key=lambda one: one.seconds)
    for status, times in oddly.items():
        what = f"when its input ended {', '.join(times)}, it {status}; that costs nothing"
        bench.warn("ends oddly", what, rules.END_OF_INPUT, right="end the program with exit code 0", stderr=stderr)
    bench.is_about_ends = False
    bench.outcome.summary = f"it ends within {worst.seconds * 1000:.0f} ms (limit {FAREWELL_S:g} s)"


def _does_not_end(bench: Bench, words: str, farewell: Farewell) -> None:
    threads = f", with {farewell.tasks} threads in all" if farewell.tasks > 1 else ""
    finding = Finding(
        verdict="fail",
        kind="does not end",
        what=f"its input ended {words}, and {FAREWELL_S:g} s later the process still lived{threads}; it was killed",
        where="end of input",
        rule=rules.END_OF_INPUT,
        right="leave the loop that reads standard input when there is no further line, and end the program with all "
        "its threads and processes",
    )
    bench.find(("does not end",), finding)


async def sigterm(bench: Bench) -> None:
    """Send SIGTERM to the bot while it waits for a match."""
    if bench.confinement.isolation == "bwrap":
        bench.outcome.verdict, bench.outcome.summary = "skip", "a cell ends with its first process"
        return
    channel = await bench.start()
    try:
        sitting = await bench.play(channel, bench.all_games[0], Manner(answers=0))
        process = channel.process
        if process is not None and not process.has_exited():
            os.kill(process.pid, signal.SIGTERM)
            began = process.own_time_s()
            while not process.has_exited() and process.own_time_s() < began + FAREWELL_S:
                channel.read_rest()
                await trio.sleep(0.002)
            took = process.own_time_s() - began
            if not process.has_exited():
                what = f"it got SIGTERM, and {FAREWELL_S:g} s later the process still lived"
                right = "do not catch or ignore SIGTERM; golfref itself ends bots by SIGKILL, other tools use SIGTERM"
                bench.warn("ignores SIGTERM", what, rules.END_OF_INPUT, right=right)
            else:
                bench.outcome.summary = f"it ends within {took * 1000:.0f} ms"
    finally:
        with trio.CancelScope(shield=True):
            await bench.part(channel)
    bench.gather(sitting)
