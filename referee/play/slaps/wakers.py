"""Keeping the cores awake while slaps are timed: a core that sleeps takes tens of microseconds to begin.

The wakers are endless loops of the lowest rank, one for each core: whatever else wants a core gets it at once. They
are frozen while nothing is timed. Only Linux has what they need.

Measured on a quiet virtual machine with two cores, with and without them in turns: a slap of a C bot took 40 instead of
80 us beyond its own work (p99 80 instead of 130), one of a Python bot 75 to 85 instead of 110 to 125 (p99 180 instead
of 190). How far identical bots lay apart, and how often the faster one came first, was the same. They do nothing on a
busy machine, whose cores do not sleep.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from referee.play.bot import orphans, watchman
from referee.play.bot.process import control_groups
from referee.play.bot.procfs import members
from referee.play.isolation.cgroups import Cgroups
from referee.play.isolation.host import cores, quota_cores

MOST = 8
"""How many cores are kept awake; on a machine with more, most sleep whatever we do."""

_SCRIPT = "read -r go || exit; for core; do while :; do :; done & done; wait"
"""The loops make no system calls, which would keep others waiting."""


class Wakers:
    """Started from the main thread when first needed; `close` ends them, and the watchman does if we are killed."""

    def __init__(self) -> None:
        self._leader: subprocess.Popen[bytes] | None = None
        self._tried = False

    @contextlib.contextmanager
    def awake(self) -> Iterator[None]:
        """Keep the cores awake for the duration of the block."""
        if not self._tried:
            self._tried = True
            self._leader = _start(_wanted())
        self._signal(signal.SIGCONT)
        try:
            yield
        finally:
            self._signal(signal.SIGSTOP)

    def pids(self) -> list[int]:
        """Returns their processes, the leader of their group first; none before they were needed."""
        return [] if self._leader is None else members(self._leader.pid)

    def close(self) -> None:
        """End them."""
        self._signal(signal.SIGKILL)
        if self._leader is not None:
            self._leader.wait()
            orphans.unregister(self._leader.pid)
        self._leader, self._tried = None, False

    def _signal(self, number: signal.Signals) -> None:
        if self._leader is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._leader.pid, number)


def _wanted() -> int:
    """Returns how many there should be: none where they would cost the bots something, or could outlive us.

    Under a quota their computing is charged to us; where control groups share out the cores, a low rank counts within
    its own group only.
    """
    groups = control_groups()
    shared_out = isinstance(groups, Cgroups) and "share" in groups.folders
    if not hasattr(os, "SCHED_IDLE") or shared_out or quota_cores() is not None or not watchman.is_on_duty():
        return 0
    return min(MOST, cores())


def _start(count: int) -> "subprocess.Popen[bytes] | None":
    """Start `count` wakers in a session of their own; returns None for none, or where the system refuses them."""
    if not count:
        return None
    try:
        leader = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, "sh", *map(str, range(count))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
            bufsize=0,
        )
    except OSError:
        return None
    orphans.register(leader.pid)
    with contextlib.suppress(OSError):  # where the kernel shares out the cores by session: it has the lowest rank too
        Path(f"/proc/{leader.pid}/autogroup").write_text("19")
    try:
        os.sched_setscheduler(leader.pid, os.SCHED_IDLE, os.sched_param(0))
        if leader.stdin is not None:
            leader.stdin.write(b"\n")
            leader.stdin.close()
    except OSError:  # with another rank they would take the cores from the bots
        leader.kill()
        leader.communicate()
        orphans.unregister(leader.pid)
        return None
    return leader
