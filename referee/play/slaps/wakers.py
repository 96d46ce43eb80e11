"""Keeping the cores awake while slaps are timed, where the kernel cannot be asked to (see awake.py).

The wakers are endless loops of the lowest rank, one for each core: whatever else wants a core goes before them. They
are frozen while nothing is timed. Only Linux has what they need.

Measured on a quiet virtual machine with two cores, with and without them in turns: a slap of a C bot took 40 instead of
80 us beyond its own work (p99 80 instead of 130), one of a Python bot 75 to 85 instead of 110 to 125 (p99 180 instead
of 190). How far identical bots lay apart, and how often the faster one came first, was the same. They do nothing on a
busy machine, whose cores do not sleep.
"""

import contextlib
import ctypes
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

SLICE_NS = 100_000_000
"""The slice of a waker, the longest that Linux allows. Who has a shorter one mostly gets the core as it wakes up.

Otherwise that is left to which of the two slices is to end sooner, and the kernel asks it once, and then at the next
tick of its clock, up to 4 ms later. Measured with sessions that share out the cores, where a bot wakes up to be
stopped: of about 1,260 times it waited so in 5 and 6 (two runs), and in 60 and 38 with slices of 0.1 ms, the shortest.
"""

_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""The number of the system call by machine. The C library has no function for it before 2.41."""

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


class _SchedAttr(ctypes.Structure):
    """What sched_setattr(2) takes."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime_ns", ctypes.c_uint64),
        ("deadline_ns", ctypes.c_uint64),
        ("period_ns", ctypes.c_uint64),
    )


def _lengthen_slice(pid: int) -> None:
    """Let a process of ordinary rank, and what it starts, have slices of SLICE_NS; Linux 6.12 and later.

    Where the kernel shares out the cores by session it looks at the rank of a session before that of a process, and
    even the lowest rank of a session does not make its processes leave a core at once.
    """
    number = _SCHED_SETATTR.get(os.uname().machine)
    if number is not None:
        nice = os.getpriority(os.PRIO_PROCESS, pid)  # as it is: only root may go below it
        attr = _SchedAttr(size=ctypes.sizeof(_SchedAttr), policy=os.SCHED_BATCH, nice=nice, runtime_ns=SLICE_NS)
        ctypes.CDLL(None).syscall(number, pid, ctypes.byref(attr), 0)


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
        _lengthen_slice(leader.pid)
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
