"""What Linux tells of a process and all its descendants: computing, waiting, memory. Elsewhere nothing is known."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Usage(Struct, frozen=True):
    """CPU time used and time spent waiting for a core, in nanoseconds, over all tasks of a bot's processes."""

    cpu_ns: int
    wait_ns: int


class Holdings(Struct, frozen=True, kw_only=True):
    """What a bot's processes hold now."""

    tasks: int
    """Processes and threads."""
    memory_bytes: int
    """Resident; what processes share is counted for each."""
    cpu_ns: int
    """Used so far by those that live."""
    wait_ns: int
    """Spent waiting for a core, likewise."""


def usage(pid: int) -> Usage | None:
    """What a process and its descendants have used so far; None where the system does not tell."""
    cpu_ns = wait_ns = 0
    known = False
    for task in _tree(pid):
        with contextlib.suppress(OSError, ValueError):
            cpu, wait, _ = (task / "schedstat").read_bytes().split()
            cpu_ns, wait_ns, known = cpu_ns + int(cpu), wait_ns + int(wait), True
    return Usage(cpu_ns, wait_ns) if known else None


def holdings(pid: int) -> Holdings | None:
    """What a process and its descendants hold; None where the system does not tell."""
    tasks = memory_bytes = cpu_ns = wait_ns = 0
    for task in _tree(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            tasks += 1
            cpu, wait, _ = (task / "schedstat").read_bytes().split()
            cpu_ns, wait_ns = cpu_ns + int(cpu), wait_ns + int(wait)
            if task.name == task.parent.parent.name:  # once a process
                memory_bytes += int((task / "statm").read_bytes().split()[1]) * _PAGE_BYTES
    return Holdings(tasks=tasks, memory_bytes=memory_bytes, cpu_ns=cpu_ns, wait_ns=wait_ns) if tasks else None


def is_running(pid: int) -> bool:
    """Whether some task of a process or its descendants computes, or would if it had a core."""
    for task in _tree(pid):
        with contextlib.suppress(OSError, IndexError):
            if (task / "stat").read_bytes().rpartition(b")")[2].split()[0] == b"R":
                return True
    return False


def members(pid: int, *, keepers: int = 0) -> list[int]:
    """A process and its descendants without the outermost `keepers` generations; empty where the system does not tell.

    Those that we have inherited from it are among them.
    """
    found: list[int] = []
    generation = [pid, *(child for child in own_children() if child != pid and session_of(child) == pid)]
    while generation:
        if keepers <= 0:
            found += generation
        keepers -= 1
        generation = [child for parent in generation for child in _children(parent)]
    return found


def used_by(pids: Iterable[int]) -> dict[int, Usage]:
    """What each task of these processes has used so far, by its id; nothing where the system does not tell.

    Exact for tasks that do not run: what one has used since it got its core is not told before it leaves it.
    """
    found = {}
    for pid in pids:
        for task in _tasks(pid):
            with contextlib.suppress(OSError, ValueError):
                cpu, wait, _ = (task / "schedstat").read_bytes().split()
                found[int(task.name)] = Usage(int(cpu), int(wait))
    return found


def states(pids: Sequence[int]) -> set[str]:
    """The states of all tasks of these processes, as letters: R on a core or waiting for one, S asleep, T stopped."""
    found = set()
    for pid in pids:
        for task in _tasks(pid):
            with contextlib.suppress(OSError, IndexError):
                found.add(chr((task / "stat").read_bytes().rpartition(b")")[2].split()[0][0]))
    return found


def process_groups(pid: int) -> set[int]:
    """The process groups of a process and its descendants; where the system does not tell, the one that it leads."""
    groups = {pid}
    for task in _tree(pid):
        with contextlib.suppress(OSError):
            groups.add(os.getpgid(int(task.parent.parent.name)))
    return groups


def own_children() -> set[int]:
    """The children of this process, inherited ones too."""
    return set(_children(os.getpid()))


def session_of(pid: int) -> int | None:
    """The session of a process; None where it is gone."""
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(pid)
    return None


def _tree(pid: int) -> Iterator[Path]:
    """The tasks of a process and its descendants, those that we have inherited from it among them."""
    waiting = [pid, *(child for child in own_children() if child != pid and session_of(child) == pid)]
    while waiting:
        for task in _tasks(waiting.pop()):
            yield task
            with contextlib.suppress(OSError, ValueError):
                waiting += [int(child) for child in (task / "children").read_bytes().split()]


def _children(pid: int) -> Iterator[int]:
    for task in _tasks(pid):
        with contextlib.suppress(OSError, ValueError):
            yield from map(int, (task / "children").read_bytes().split())


def _tasks(pid: int) -> list[Path]:
    with contextlib.suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []
