"""Low priority, for all that computes beside a run without being in its way.

Where the kernel shares out the cores by session (autogroup), it is the session that has to be nice; where it shares
them out by control group, `Cgroups.group` makes one of low priority.
"""

import contextlib
import os
import shutil
import sys

from referee.play.sandbox.paths import PATH
from referee.play.sandbox.system_info import write

_LOWEST_NICE = 19


def lower_priority() -> None:
    """Let this thread, and what it starts from now on, compute only when nothing else wants to."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _LOWEST_NICE)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def set_session_priority(pid: int, *, is_low: bool) -> None:
    """Give the session of a process the least share of the cores or the usual one, where sessions have shares."""
    with contextlib.suppress(OSError):
        write(f"/proc/{pid}/autogroup", str(_LOWEST_NICE if is_low else 0))


def lower_in_shell() -> str:
    """A command by which a shell lowers the priority of itself, of its session, and of what it starts.

    SCHED_IDLE would be even lower, but beside a run that uses all cores a build would never come to its end.
    """
    renice = shutil.which("renice", path=PATH)
    nicer = f"{renice} -n {_LOWEST_NICE} -p $$" if renice else ":"
    return f"{{ {nicer}; echo {_LOWEST_NICE} > /proc/$$/autogroup; }} > /dev/null 2>&1"
