"""The accounts that all programs of a user share, which a bot could use up: who holds too much is found and ended.

The kernel bounds the watches of epoll for each user of the host (`fs.epoll.max_user_watches`, 4 % of the memory). A bot
that has no user id of its own could take all of them in seconds, and nothing of the same user could begin to wait for
its pipes: neither the referee (see pump/poller.py, which goes on without) nor an honest bot. The kernel's lists of
mappings, which count for no process, are counted here too, for it takes long to read them. This module must not know
what is played.
"""

import contextlib
import errno
import os
import select
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import trio
from msgspec import Struct

from referee.play.bot.channel import Channel
from referee.play.bot.process import BotProcess
from referee.play.spec import MB

USED_UP = frozenset({errno.ENOSPC, errno.ENOMEM})
"""Why the kernel takes no further watch of epoll."""

MOST_WATCHES = 10_000
"""A bot that holds more is ended. Servers of many connections have one a connection; a bot has three pipes."""

LOOK_S = 0.1
"""Time between two looks at the accounts."""

SUSPECT_NS = 100_000_000
"""What a bot holds is counted whenever it has computed for so long again; a hundred thousand watches take that."""

MOST_LOOKS_IN_FLIGHT = 5
"""At how many looks in a row, while no watch is left, a bot may have descriptors under way, where nobody sees them."""

MAPPING_BYTES = 256
"""What the kernel needs for a mapping of memory, which counts for no process; it allows a process 65,530 of them."""

FEW_PROCESSES = 16
"""The mappings of a bot of no more processes are not counted: they take 15 MB a process at most."""

_READ_BYTES = 1 << 20


class Held(NamedTuple):
    """What processes hold of what their user may have."""

    watches: int = 0
    """Watches of epoll; what is beyond the bound is not counted."""
    in_flight: int = 0
    """Descriptors that were sent through a socket and not received, so that they are no process's for now."""
    mappings: int = 0
    """Mappings of memory, where there are many processes; what is beyond the bound is not counted."""


class _Seen(Struct):
    """What was seen of a bot at the last looks."""

    cpu_ns: int = 0
    """What it had computed when its watches were counted last."""
    looks_in_flight: int = 0
    is_counted: bool = False
    """Whether its watches are being counted now."""


class Accounts:
    """Looks after the accounts that the bots of `channels` share with each other and with the referee."""

    def __init__(self, channels: Callable[[], Iterable[Channel]]) -> None:
        self._channels = channels
        self._seen: WeakKeyDictionary[Channel, _Seen] = WeakKeyDictionary()

    async def run(self) -> None:
        """Look until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                await trio.sleep(LOOK_S)
                self._look(nursery)

    def _look(self, nursery: trio.Nursery) -> None:
        """Begin to count what those bots hold that may hold much. One bot keeps nobody from counting the others."""
        are_used_up = not has_watches()
        for channel in self._channels():
            if (process := channel.process) is None or channel.isolation == "none" or process.has_exited():
                continue
            seen = self._seen.setdefault(channel, _Seen())
            has_computed = channel.turns.used.cpu_ns - seen.cpu_ns > SUSPECT_NS
            if not seen.is_counted and (are_used_up or has_computed):
                seen.cpu_ns = channel.turns.used.cpu_ns
                nursery.start_soon(self._count, channel, process, seen, are_used_up)

    async def _count(self, channel: Channel, process: BotProcess, seen: _Seen, are_used_up: bool) -> None:
        """Count what a bot holds, in a thread, and end the bot if that is too much.

        The kernel lists a million watches in seconds, and cannot be asked for fewer.
        """
        seen.is_counted = True
        try:
            held = await trio.to_thread.run_sync(_held_by, process, are_used_up, abandon_on_cancel=True)
        except RuntimeError:  # the host starts no thread now
            return
        finally:
            seen.is_counted = False
        seen.looks_in_flight = seen.looks_in_flight + 1 if are_used_up and held.in_flight else 0
        if (excess := _excess(held, seen, process)) and channel.process is process:
            channel.end_for(excess)


def has_watches() -> bool:
    """Whether the kernel takes a further watch of this process now; True where that cannot be found out."""
    if not hasattr(select, "epoll"):
        return True
    try:
        with select.epoll() as outer, select.epoll() as inner:
            outer.register(inner.fileno(), select.EPOLLIN)
    except OSError as error:
        return error.errno not in USED_UP
    return True


def held(pids: Sequence[int], *, most: int = MOST_WATCHES, sockets: bool = True) -> Held:
    """What these processes hold, as far as the system tells; counting ends where there are more watches than `most`.

    Descriptors under way are counted with `sockets` only. It must not run in trio's loop: what it costs is up to the
    processes.
    """
    watches = in_flight = 0
    for pid in pids:
        for path in _descriptors(pid):
            watches += _occurrences(path, b"tfd:", most - watches)
            if sockets:
                in_flight += _number(path, b"scm_fds:")
            if watches > most:
                return Held(watches, in_flight)
    return Held(watches, in_flight)


def mappings(pids: Sequence[int], *, most: int) -> int:
    """How many mappings of memory these processes have; counting ends where there are more than `most`."""
    count = 0
    for pid in pids:
        count += _occurrences(f"/proc/{pid}/maps", b"\n", most - count)
        if count > most:
            break
    return count


def _held_by(process: BotProcess, sockets: bool) -> Held:
    pids = process.members()
    found = held(pids, sockets=sockets)
    if len(pids) <= FEW_PROCESSES or "memory" in process.bounded:
        return found
    return found._replace(mappings=mappings(pids, most=_most_mappings(process)))


def _most_mappings(process: BotProcess) -> int:
    return process.limits.memory_mb * MB // MAPPING_BYTES


def _excess(held: Held, seen: _Seen, process: BotProcess) -> str:
    """What a bot holds too much of, in words, if it does."""
    if held.watches > MOST_WATCHES:
        return (
            f"it held more than {MOST_WATCHES} watches of epoll, of which all programs of a user "
            "together have a limited number, and was ended"
        )
    if held.mappings > _most_mappings(process):
        return f"it used more memory than {process.limits.memory_mb} MB, for mappings of memory, and was ended"
    if seen.looks_in_flight > MOST_LOOKS_IN_FLIGHT:
        return (
            f"it kept {held.in_flight} descriptors in sockets, where nobody sees what they are, "
            "while no watch of epoll was left to its user, and was ended"
        )
    return ""


def _descriptors(pid: int) -> Iterator[str]:
    """The files in which the kernel tells of each descriptor of a process.

    Where the bot has a user id of its own, an ordinary user may read these, but not which file a descriptor is.
    """
    folder = f"/proc/{pid}/fdinfo"
    with contextlib.suppress(OSError):
        yield from (f"{folder}/{fd}" for fd in os.listdir(folder))


def _occurrences(path: str, word: bytes, most: int) -> int:
    """How often a word stands in a file, of which no more is read once there are more than `most`."""
    count, rest = 0, b""
    with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
        while count <= most and (data := file.read(_READ_BYTES)):
            text = rest + data
            count += text.count(word)
            rest = text[-len(word) + 1 :]
    return count


def _number(path: str, name: bytes) -> int:
    """The number after a name in a file of the system; 0 where there is none."""
    with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
        for line in file:
            if line.startswith(name):
                return int(line[len(name) :])
    return 0
