"""The tasks of one bot, for slap windows, which look at them again and again within milliseconds.

They are listed anew only where one may have been started since, and their files in /proc stay open: to open and close
such a file takes ten times as long as to read it once more. Only Linux tells anything of them.
"""

import contextlib
import os
import time
from typing import NamedTuple

from referee.play.process.usage import last_pid, members, task_ids
from referee.play.sandbox.system_info import OpenFile, read

SOON_NS = 50_000_000
"""For how long a list holds while the last process of the host is the same.

The ids of processes come round after 32,768 at the least, and in so short a time no kernel starts so many.
"""

KEPT_OPEN = 8
"""The files of how many tasks of a bot stay open."""

MOST_OPEN = 256
"""How many such files there are at most, so that many bots of many threads do not use up our descriptors."""


_IS_GONE = contextlib.suppress(OSError)


class Waits(NamedTuple):
    """What a task had to wait for cores."""

    wait_ns: int
    """For how long it has waited for one."""
    times: int
    """How often it has got one."""


class PidWatermark:
    """The newest task of the host when something was looked at: while there is no newer one, nothing has been added."""

    def __init__(self) -> None:
        self._id = self._noted_ns = 0

    def note(self) -> None:
        """Note it, before the look: what is started meanwhile shows by it the next time."""
        self._id, self._noted_ns = last_pid(), time.monotonic_ns()

    def forget(self) -> None:
        """Take it that something may have been added."""
        self._id = self._noted_ns = 0

    def is_recent(self) -> bool:
        """Whether it has been noted within SOON_NS, and not forgotten since."""
        return time.monotonic_ns() - self._noted_ns < SOON_NS

    def is_same(self) -> bool:
        """Whether it is recent, and no task has been started since. False where the system does not tell."""
        return self.is_recent() and self._id != 0 and last_pid() == self._id


class ThreadCache:
    """A bot's processes, and the threads of each.

    Those that are `known`, as they were listed a moment ago, will do where nothing of the bot has run since, or where
    they are listed again soon.
    """

    def __init__(self, pid: int, *, keepers: int = 0) -> None:
        """`pid` is the first of its processes. The outermost `keepers` generations are not the bot's own."""
        self._pid, self._keepers = pid, keepers
        self._members: list[int] = []
        self._tasks: dict[int, _Task] = {}
        self._newest = PidWatermark()

    def members(self, *, known: bool = False) -> list[int]:
        """Returns the ids of its processes, as `usage.members` does."""
        self._list_where_needed(known=known)
        return self._members

    def ids(self, *, known: bool = False) -> list[int]:
        """Returns the ids of all tasks of its processes."""
        self._list_where_needed(known=known)
        return list(self._tasks)

    def states(self, *, known: bool = False) -> set[str]:
        """Returns the states of all its tasks, as letters: R on a core or waiting for one, S asleep, T stopped."""
        self._list_where_needed(known=known)
        found = set()
        for task in self._tasks.values():
            if (stat := task.read("stat")) is not None:
                found.add(chr(stat.rpartition(b")")[2].split(None, 1)[0][0]))
        return found

    def waits(self, *, known: bool = False) -> dict[int, Waits]:
        """Returns how each task has waited for cores so far, by its id; nothing where it is not told."""
        self._list_where_needed(known=known)
        found = {}
        for number, task in self._tasks.items():
            if (told := task.read("schedstat")) is not None:
                _, wait_ns, times = told.split()
                found[number] = Waits(int(wait_ns), int(times))
        return found

    def groups(self) -> set[int]:
        """Returns the process groups of its processes, the one that the first of them leads in any case."""
        groups = {self._pid}
        for pid in self.members():
            with _IS_GONE:
                groups.add(os.getpgid(pid))
        return groups

    def list_anew(self) -> None:
        """List the tasks, whatever was listed before."""
        self._newest.note()
        self._members = members(self._pid, keepers=self._keepers)
        owners = {int(task): pid for pid in self._members for task in task_ids(pid)}
        for gone in self._tasks.keys() - owners.keys():
            self._tasks.pop(gone).close()
        for task, pid in owners.items():
            if task not in self._tasks:
                is_kept = len(self._tasks) < KEPT_OPEN and OpenFile.number < MOST_OPEN
                self._tasks[task] = _Task(pid, task, is_kept=is_kept)

    def close(self) -> None:
        """Close all files, for now or for ever."""
        for task in self._tasks.values():
            task.close()
        self._tasks.clear()
        self._newest.forget()

    def _list_where_needed(self, *, known: bool) -> None:
        if not (self._newest.is_recent() if known else self._newest.is_same()):
            self.list_anew()


class _Task:
    """The files of one task in /proc."""

    def __init__(self, pid: int, task: int, *, is_kept: bool) -> None:
        self._folder = f"/proc/{pid}/task/{task}"
        self._is_kept = is_kept
        self._open: dict[str, OpenFile] = {}

    def read(self, name: str) -> bytes | None:
        """Returns what a file says; None where the task has ended. Raises OSError where the system lets it not look."""
        if (file := self._open.get(name)) is not None:
            try:
                return file.read()
            except ProcessLookupError:
                self._open.pop(name).close()  # it has ended, but another one may have its number by now
        try:
            if not self._is_kept:
                return read(f"{self._folder}/{name}")
            file = self._open[name] = OpenFile(f"{self._folder}/{name}")
            return file.read()
        except (FileNotFoundError, ProcessLookupError):
            return None

    def close(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()
