"""What Linux tells of a process and all its descendants: computing, waiting, memory. Elsewhere nothing is known."""

import contextlib
import functools
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from referee.play.sandbox.paths import FOLDER, SCRATCH, SHARED_MEMORY
from referee.play.sandbox.system_info import OpenFile, number, read

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_CPUCLOCK_SCHED = 2
"""Linux: with a process's number, the clock of what it computes; see clock_getcpuclockid(3)."""

_SMALL_PAGES = (64 << 20) // _PAGE_BYTES
"""The tables of pages of processes that map no more than this together are not asked for: few have that many.

At worst, with a mapping for each page, they take twice that.
"""

_FILE_BYTES = 1024
"""What the kernel needs for a file in memory, besides what is in it."""

_EXITING = 0x4
"""Linux: the flag of a task that runs nothing of its program any more, and which the kernel is about to end."""

_SHORT_LIST = 2048
"""A list of processes that is no longer than this comes in one part."""

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Computed(Struct, frozen=True):
    """What some processes have computed so far."""

    cpu_ns: int
    last_pid: int
    """The last process or thread that was started on the host; 0 where nothing is missed if it ends."""
    pids: frozenset[int] = frozenset()
    """Those processes, unless nothing is missed if one ends."""

    def since(self, before: "Computed") -> int | None:
        """In nanoseconds; None where something was started or has ended meanwhile, which may have computed unseen."""
        return self.cpu_ns - before.cpu_ns if (self.last_pid, self.pids) == (before.last_pid, before.pids) else None


class ResourceUsage(Struct, frozen=True, kw_only=True):
    """What all of a bot's processes hold now, and what they have used of the cores, in nanoseconds."""

    tasks: int = 0
    """Processes and threads."""
    memory_bytes: int = 0
    """Resident memory; what processes share is counted for each of them. Large processes' tables of pages count too.

    In a cell also what all sockets may hold, and the kernel's memory for files in /tmp and /dev/shm.
    """
    cpu_ns: int = 0
    """CPU time used so far, also by threads that have ended, and by processes that have ended and were waited for."""
    wait_ns: int = 0
    """The time for which the tasks that live have waited for a core."""
    last_pid: int = 0
    """The last process or thread that was started on the host; 0 where that is not known, or a control group counts."""
    pids: frozenset[int] = frozenset()
    """The processes that live, unless a control group counts what they compute."""

    def lacks_nothing_since(self, before: "ResourceUsage") -> bool:
        """Whether `cpu_ns` is sure to hold all that was computed meanwhile: nothing was started, and nothing ended."""
        return self.last_pid > 0 and (self.last_pid, self.pids) == (before.last_pid, before.pids)


def resource_usage(pid: int, *, cpu_ns: int | None = None) -> ResourceUsage | None:
    """What a process and its descendants hold; None where the system does not tell.

    `cpu_ns` is what they have computed, where a control group counts it: then they are not asked for it.
    """
    tasks = memory_bytes = asked_ns = wait_ns = mapped = 0
    sized: list[str] = []
    pids: list[int] = []
    for process, own in _tree(pid):
        is_sized = False
        for task_id in own:
            task = f"/proc/{process}/task/{task_id}"
            with contextlib.suppress(OSError, ValueError, IndexError):
                tasks += 1
                # Once a process, and of a thread that lives: of one that has ended no memory is told.
                if not is_sized and (sizes := read(f"{task}/statm").split(None, 2))[1] != b"0":
                    is_sized = True
                    mapped += int(sizes[0])
                    memory_bytes += int(sizes[1]) * _PAGE_BYTES
                    sized.append(task)
                wait_ns += int(read(f"{task}/schedstat").split()[1])
        if cpu_ns is None:
            with contextlib.suppress(OSError, ValueError):
                asked_ns += _of_ended_children_ns(process) + (_cpu_clock_ns(process) or 0)
                pids.append(process)
    if not tasks:
        return None
    if len(sized) > 1:  # in a cell, the second is its first process, which lives as long as the cell
        memory_bytes += _in_cell_bytes(sized[1])
    if mapped > _SMALL_PAGES:
        memory_bytes += sum(map(_tables_bytes, sized))
    return ResourceUsage(
        tasks=tasks,
        memory_bytes=memory_bytes,
        cpu_ns=asked_ns if cpu_ns is None else cpu_ns,
        wait_ns=wait_ns,
        last_pid=last_pid() if cpu_ns is None else 0,
        pids=frozenset(pids),
    )


def _in_cell_bytes(task: str) -> int:
    """What the kernel may hold that a cell's processes have made, and that counts for none of them.

    That is what was sent through sockets and not read, where no socket is larger than usual and the cell has a network
    of its own, and what it needs for each file in memory, be it empty.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        if os.readlink(f"{task}/ns/pid") != os.readlink("/proc/self/ns/pid"):
            has_own = os.readlink(f"{task}/ns/net") != os.readlink("/proc/self/ns/net")
            sockets = int(read(f"{task}/net/sockstat").split(None, 3)[2]) if has_own else 0
            return sockets * _socket_bytes() + _files_in(task) * _FILE_BYTES
    return 0


def _files_in(task: str) -> int:
    """How many files and folders there are in the places where a bot in a cell, or its build, may make them.

    Until its cell is built a process sees the host's places, which are none of its own. A bot cannot write to its own.
    """
    number = 0
    for place in (SCRATCH, SHARED_MEMORY, FOLDER):
        shown = f"{task}/root{place}"
        if os.stat(shown).st_dev != _device(place):
            there = os.statvfs(shown)
            if not there.f_flag & os.ST_RDONLY:
                number += there.f_files - there.f_ffree
    return number


@functools.cache
def _device(place: str) -> int | None:
    return os.stat(place).st_dev if os.path.exists(place) else None


def _tables_bytes(task: str) -> int:
    """What the tables of pages of a process take: 4 KB for each 2 MB of which it has touched a page, and no less."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(read(f"{task}/status").partition(b"\nVmPTE:")[2].split(maxsplit=1)[0]) << 10
    return 0


@functools.cache
def _socket_bytes() -> int:
    return number("/proc/sys/net/core/wmem_default") or 212_992


def computed(pids: Sequence[int]) -> Computed | None:
    """What these processes have computed so far, with their threads that have ended; None where that is not known."""
    clocks = [ns for pid in pids if (ns := _cpu_clock_ns(pid)) is not None]
    if not clocks or len(clocks) < len(pids):
        return None
    last = last_pid()
    return Computed(sum(clocks), last, frozenset(pids)) if last else None


def last_pid() -> int:
    """The last process or thread that was started on the host; 0 where that is not told."""
    try:
        return int(_loadavg().read().split()[-1])
    except (OSError, ValueError):
        return 0


@functools.cache
def _loadavg() -> OpenFile:
    return OpenFile("/proc/loadavg")


def _cpu_clock_ns(pid: int) -> int | None:
    """The CPU time of all threads that a process has, or had."""
    try:
        return time.clock_gettime_ns((~pid << 3) | _CPUCLOCK_SCHED)
    except OSError:
        return None


def _of_ended_children_ns(pid: int) -> int:
    """The CPU time of its children that have ended and were waited for, and of theirs."""
    return sum(map(int, read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[13:15])) * _TICK_NS


def members(pid: int, *, keepers: int = 0) -> list[int]:
    """A process and its descendants without the outermost `keepers` generations, for sending them signals.

    Those that we have inherited from it are among them. Where the system lists no children it is the process group
    that the process leads, as a negative number.
    """
    if not lists_children():
        return [-pid]
    found: list[int] = []
    generation = [pid, *_inherited_from(pid)]
    while generation:
        if keepers <= 0:
            found += generation
        keepers -= 1
        generation = [child for parent in generation for child in _children(parent)]
    return found


def states(pids: Sequence[int]) -> set[str]:
    """The states of all tasks of these processes, as letters: R on a core or waiting for one, S asleep, T stopped."""
    found = set()
    for pid in pids:
        for task in task_ids(pid):
            with contextlib.suppress(OSError, IndexError):
                found.add(chr(read(f"/proc/{pid}/task/{task}/stat").rpartition(b")")[2].split(None, 1)[0][0]))
    return found


def lives(pid: int) -> bool:
    """Whether a task of this process may go on, be it stopped: none does that has ended, or that is being ended.

    For the latter the kernel may need long on a busy host, and longest for the first process of a cell.
    """
    for task_id in task_ids(pid):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = read(f"/proc/{pid}/task/{task_id}/stat").rpartition(b")")[2].split()
            if fields[0] not in (b"Z", b"X") and not int(fields[6]) & _EXITING:
                return True
    return False


@functools.cache
def lists_children() -> bool:
    """Whether the system tells which children a process has; some Linux kernels are built without that."""
    return any(Path("/proc/self/task").glob("*/children"))


def stolen_ticks() -> int:
    """For how long other guests of a virtual machine's host have had our cores, in ticks; 0 where it is not told."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(_stat().read().split(None, 9)[8])
    return 0


@functools.cache
def _stat() -> OpenFile:
    return OpenFile("/proc/stat")


def oom_kills(*, at_most_s_ago: float = 0.0) -> int:
    """How many processes the host's kernel has killed because memory ran out, for whatever bound; 0 if not told.

    To ask takes the kernel 60 us; a figure that is no older than `at_most_s_ago` is told without asking.
    """
    now = time.monotonic()
    if not _OomKills.asked_at or now - _OomKills.asked_at > at_most_s_ago:
        _OomKills.asked_at, _OomKills.count = now, _oom_kills()
    return _OomKills.count


class _OomKills:
    """What the kernel has told last."""

    asked_at = 0.0
    count = 0


def _oom_kills() -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(read("/proc/vmstat").partition(b"\noom_kill ")[2].split(None, 1)[0])
    return 0


def own_children() -> set[int]:
    """The children of this process, inherited ones too."""
    own, found = str(threading.get_native_id()), set[int]()
    for task in task_ids(os.getpid()):
        with contextlib.suppress(OSError, ValueError):
            listed = _own_children_file(own).read() if task == own else read(f"/proc/self/task/{task}/children")
            if len(listed) > _SHORT_LIST:  # it may come in parts
                listed = read(f"/proc/self/task/{task}/children")
            found.update(map(int, listed.split()))
    return found


@functools.lru_cache(1)
def _own_children_file(thread: str) -> OpenFile:
    """What tells of the children of this thread, which is the one that opens it. A forked process has another."""
    return OpenFile(f"/proc/self/task/{thread}/children")


def command_of(pid: int) -> str:
    """The command line of a process, as it tells it itself; empty where it is gone."""
    with contextlib.suppress(OSError):
        return read(f"/proc/{pid}/cmdline").rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    return ""


def session_of(pid: int) -> int | None:
    """The session of a process; None where it is gone."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def _tree(pid: int) -> Iterator[tuple[int, list[str]]]:
    """A process and its descendants with their tasks, those that we have inherited from it among them."""
    waiting = [pid, *_inherited_from(pid)]
    while waiting:
        process = waiting.pop()
        tasks = task_ids(process)
        yield process, tasks
        for task_id in tasks:
            with contextlib.suppress(OSError, ValueError):
                waiting += map(int, read(f"/proc/{process}/task/{task_id}/children").split())


def _inherited_from(pid: int) -> Iterator[int]:
    return (child for child in own_children() if child != pid and session_of(child) == pid)


def _children(pid: int) -> Iterator[int]:
    for task in task_ids(pid):
        with contextlib.suppress(OSError, ValueError):
            yield from map(int, read(f"/proc/{pid}/task/{task}/children").split())


def task_ids(pid: int) -> list[str]:
    """The ids of the threads of a process, as the names that they have in /proc; none where it is gone."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
