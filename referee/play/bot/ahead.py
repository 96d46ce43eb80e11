"""Starting bots while their referee has yet to import the greater part of itself: they get ready on another core."""

import contextlib
import resource
import time
from collections.abc import Iterator, Sequence

from referee.ending_signals import interruptible
from referee.play.bot.orphans import end_orphans_now, nothing_left_behind
from referee.play.bot.process import BotProcess, StartFailed
from referee.play.faults import HostFault
from referee.play.spec import BotSpec, Confinement

LOOK_S = 0.001
"""Time between two looks whether a bot that nobody wants any more is gone."""

LEAST_FILES = 128
"""Where this process may have fewer descriptors than this at a time, nothing begins ahead."""

DYING_S = 1.0
"""How long what it has started may take to be gone."""


@contextlib.contextmanager
def begun_ahead(bots: Sequence[BotSpec], confinement: Confinement) -> Iterator[dict[int, BotProcess]]:
    """Start bots, and yield their processes by seat; whoever takes one out of there ends it.

    Those that are still there after the block end then, with all that they have started. A bot that cannot be started
    is not among them, so whoever starts it again hears why; nor is any on a host without room. Signals that end a
    command raise KeyboardInterrupt meanwhile, unless somebody else sees to them. Must run in the main thread.
    """
    begun: dict[int, BotProcess] = {}
    with contextlib.ExitStack() as stack:
        stack.enter_context(interruptible())
        try:
            with contextlib.suppress(StartFailed, HostFault, OSError):
                if _has_room():
                    stack.enter_context(nothing_left_behind())
                    for seat, bot in enumerate(bots):
                        begun[seat] = BotProcess(bot, confinement)
            yield begun
        finally:
            for process in begun.values():
                _end(process)


def _has_room() -> bool:
    """Whether there are descriptors enough for the files of an import beside those of bots."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= LEAST_FILES


def _end(process: BotProcess) -> None:
    process.kill()
    while not process.has_exited():
        time.sleep(LOOK_S)
        process.go_on_killing()
    process.close_stdin()
    process.reap()
    end = time.monotonic() + DYING_S
    while not process.leave_group() and time.monotonic() < end:
        time.sleep(LOOK_S)
    process.give_back()
    end_orphans_now(patience_s=DYING_S)
