"""The steps about how a bot begins: its start, its first words, and a first match."""

import time

import trio

from referee.bot_check import rules
from referee.bot_check.report import Finding
from referee.bot_check.run import CheckRun
from referee.bot_check.test_match import Setup
from referee.play.process.channel import Channel

SETTLED_S = 2.0
"""How long a new process is left alone at most, to see whether it writes first."""

POLL_INTERVAL_S = 0.01
"""The time between two looks at it."""

WORTH_A_WARNING = 0.5
"""A part of a time limit that is worth a warning when it is used up."""


async def start_up(run: CheckRun) -> None:
    """Start the bot, see whether it writes before it is greeted, and greet it."""
    channel, when = await run.start(), ""
    try:
        await _settle(channel)
        match = await run.converse(channel, Setup(game=run.all_games[0], answers=0))
        when = match.how_far
    finally:
        with trio.CancelScope(shield=True):
            await run.part(channel, when)
    await run.look_into_silence(match)
    run.gather(match)
    if run.ready is None:
        run.stopped = "the bot did not get as far as `ready`"
    run.stop_if_faulty("no match is played")
    run.step.summary = "it waits for `hello` and answers it"


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


async def handshake(run: CheckRun) -> None:
    """Play the first game to its end: `hello`, `ready`, `match`, requests, `end`."""
    match = await run.play(Setup(game=run.all_games[0], salt="handshake"))
    if (ready := match.ready) is None:
        return
    name = f'it calls itself "{ready.name}"' if ready.name else "it gives no name"
    version = f", version {ready.version}" if ready.version else ""
    start_s, limit_s = match.start_us / 1e6, run.check_rules.clocks.start_s
    run.step.summary = f"{name}{version}; ready {start_s * 1000:.0f} ms after its start (limit {limit_s:g} s)"
    if start_s > WORTH_A_WARNING * limit_s:
        what = f"it took {start_s:.1f} s from its start to `ready`, of {limit_s:g} s"
        run.warn(Finding(kind="slow start", what=what, rule=rules.START_CLOCK, right="do less before `ready`"))
    if not ready.slaps:
        run.step.notes.append("it renounces slaps: it passes in all windows, and is not asked")
    if not ready.table:
        run.step.notes.append("it declines `table`: no request carries one")
