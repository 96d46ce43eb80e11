"""What computes beside a run without being in its way: only when nothing else wants a core, as far as the system can.

A thread gives way with all that it starts. Where the kernel shares out the cores by session, a session gives way too.
"""

import contextlib
import os
import sys
from pathlib import Path

_LOWEST_NICE = 19


def give_way() -> None:
    """Let this thread, and what it starts from now on, compute only when nothing else wants to."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _LOWEST_NICE)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def set_share(pid: int, *, least: bool) -> None:
    """Give the session of a process the least share of the cores or the usual one, where sessions have shares."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(_LOWEST_NICE if least else 0))
