"""One bot's process: how it is started, bounded, stopped and reaped. POSIX; knows nothing of the protocol.

It is started from the main thread, in a session of its own, so that one signal reaches everything that it starts.
"""

import contextlib
import errno
import fcntl
import functools
import os
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator

from msgspec import Struct

from referee.play.faults import OUT_OF_MEMORY, HostFault, Missing, NoRoom, OutOfMemory
from referee.play.process import orphans
from referee.play.process.launch import Launch, launch, no_core_dumps
from referee.play.process.limit_watch import KEEPERS
from referee.play.process.thread_cache import ThreadCache, Waits
from referee.play.process.usage import (
    Computed,
    ResourceUsage,
    computed,
    oom_kills,
    resource_usage,
    states,
)
from referee.play.sandbox.cgroups import Cgroups, Group, set_up_cgroups
from referee.play.sandbox.readable_check import Unfit
from referee.play.sandbox.users import give_back
from referee.play.spec import MB, BotLimits, BotSpec, Confinement

BUBBLEWRAPS = 2
"""How many of them remain while the bot runs."""

NICE = 5
"""By how much a bot is nicer than the referee, which matters where the kernel shares out cores by process."""

OOM_KILLS_S = 1.0
"""How old the figure may be of what the kernel had killed for want of memory before a bot was started."""

FAREWELL_S = 0.5
"""How long a bot may take to end by itself once its input has ended."""

_HOST_TROUBLE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
"""Reasons why a process cannot be started that are no bot's fault."""

_IS_GONE = contextlib.suppress(ProcessLookupError, PermissionError)
"""Made once, as slap windows send many signals."""

_RESTORED = {signal.SIGPIPE, signal.SIGXFSZ}
"""Signals that Python itself ignores, but not in the programs that it starts."""


class StartFailed(Exception):
    """The process could not be started; the text says why."""


class Stderr(Struct):
    """The kept start of a bot's standard error, and how much there was in all."""

    limit_bytes: int
    kept: bytearray
    total: int = 0

    def add(self, data: bytes) -> None:
        """Keep what still fits, and count all of it."""
        self.kept += data[: max(0, self.limit_bytes - len(self.kept))]
        self.total += len(data)

    def text(self) -> str:
        """What is kept, as text."""
        return self.kept.decode("utf-8", "replace")


class BotProcess:
    """A running bot. Its three pipes are non-blocking file descriptors: `stdin`, `stdout`, `stderr`."""

    def __init__(
        self, spec: BotSpec, confinement: Confinement, *, now_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """Start the process; raises StartFailed for a fault of the bot and HostFault for one of the host.

        Must run in the main thread. `now_ns` is the clock by which the bot's own time is kept.
        """
        self.limits = confinement.limits
        self._name = spec.name
        self._is_cell = confinement.isolation == "bwrap"
        self.is_build = confinement.workshop is not None
        self._oom_kills_before = oom_kills(at_most_s_ago=OOM_KILLS_S)
        self._group = _new_group(confinement)
        self._launch: Launch | None = None
        self._reported: bytes | None = None
        self._frozen_ns: int | None = None
        self._frozen_for_ns = 0
        self._are_left = False
        self._now_ns = now_ns
        try:
            self._launch = self._prepare(spec, confinement)
            self._popen = _start(self._launch)
        except BaseException:
            self.give_back()
            raise
        self.pid = self._popen.pid
        self._tasks = ThreadCache(self.pid, keepers=BUBBLEWRAPS if self._is_cell else 0)
        orphans.register(self.pid)
        if confinement.isolation != "none" and not self.is_build:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PGRP, self.pid, NICE)  # it may have begun to build its cell
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self.stdin, self.stdout, *stderr = (pipe.fileno() for pipe in pipes if pipe is not None)
        (self.stderr,) = stderr if self._launch.stderr is None else (self._launch.stderr[1],)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)

    def _prepare(self, spec: BotSpec, confinement: Confinement) -> Launch:
        join = () if self._group is None else self._group.join_files()
        counted = "memory" in self.bounded
        try:
            return launch(spec, confinement, join=join, counted=counted)
        except Unfit as error:
            raise StartFailed(str(error)) from None
        except OSError as error:
            raise HostFault(f"the host cannot start another process: {error.strerror}") from None

    @property
    def bounded(self) -> frozenset[str]:
        """What a control group bounds for this bot: some of `memory` and `processes`."""
        return frozenset() if self._group is None else bounded()

    def resource_usage(self) -> ResourceUsage | None:
        """What the bot with all its processes holds and has used; None where the system does not tell."""
        return resource_usage(self.pid, cpu_ns=self._counted_ns())

    def peak_memory_bytes(self) -> int:
        """The most memory that the bot has held at a time, as its control group counts it; 0 where none tells."""
        return 0 if self._group is None else self._group.peak_bytes() or 0

    def computed(self) -> Computed | None:
        """What the bot has computed so far, exact while it is frozen; None where the system does not tell."""
        cpu_ns = self._counted_ns()
        return computed(self.members()) if cpu_ns is None else Computed(cpu_ns, 0)

    @property
    def counts_all(self) -> bool:
        """Whether all that it computes is counted. Only a control group also counts processes that have ended."""
        return self._counted_ns() is not None

    def _counted_ns(self) -> int | None:
        return None if self._group is None else self._group.cpu_ns()

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has ended something of the bot because it wanted more memory than it may have."""
        group = self._group
        return group is not None and bool(group.oom_kills()) and group.has_reached_memory_bound()

    def is_running(self) -> bool:
        """Whether some process of the bot computes now, or would if it had a core."""
        return "R" in states([self.pid, *self.members()])

    def unread_bytes(self) -> int:
        """How many bytes have been written to the bot that it has not read yet."""
        try:
            return struct.unpack("i", fcntl.ioctl(self.stdin, termios.FIONREAD, bytes(4)))[0]  # type: ignore[no-any-return]
        except OSError:
            return 0

    def members(self, *, known: bool = False) -> list[int]:
        """The ids of its processes, without those of bubblewrap around a cell.

        Those that are `known` from a look a moment ago will do where nothing of the bot has run since, or where it is
        looked for others soon; here and below.
        """
        return self._tasks.members(known=known)

    def tasks(self, *, known: bool = False) -> list[int]:
        """The ids of their tasks, of which every process has at least one."""
        return self._tasks.ids(known=known)

    def states(self, *, known: bool = False) -> set[str]:
        """The states of their tasks, as letters: R on a core or waiting for one, S asleep, T stopped."""
        return self._tasks.states(known=known)

    def is_stopped(self) -> bool:
        """Whether the bot is one process, and each of its threads is stopped.

        Its parent is told so at a fraction of the cost of `states`. Do not ask this before `computed`: a thread that is
        stopped may be about to leave its core, and only then does the kernel count all that it has computed.
        """
        if self.members() != [self.pid]:
            return False
        try:
            return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # it has been reaped
            return False

    def waits(self, *, known: bool = False) -> dict[int, Waits]:
        """How each of these tasks has waited for cores so far, by its id; nothing where the system does not tell."""
        return self._tasks.waits(known=known)

    def close_files(self) -> None:
        """Close what was opened to look at its tasks, which will not be looked at soon."""
        self._tasks.close()

    def has_exited(self) -> bool:
        """Whether the process has ended. If the system allows it, only `reap` reaps it, so that it keeps its id."""
        return self._exit_code() is not None

    def exit_status(self) -> str | None:
        """How the process ended, in words, or None while it runs.

        Raises HostFault where the bot was never started, because its cell could not be built or its control group did
        not take it, and OutOfMemory where the kernel killed it because the host had no more memory.
        """
        code = self._exit_code()
        if code is None:
            return None
        report = self._report()
        if report and not report.startswith(b"{"):
            why = " ".join(report.decode(errors="replace").split())
            raise HostFault(f"a bot could not enter its control group: {why}")
        if code >= 0 and self._is_cell:
            code = _code_in_cell(report, code)
        if self.ran_out_of_memory():
            return f"{_in_words(code, self.limits)}; it used more memory than {self.limits.memory_mb} MB"
        if code == -signal.SIGKILL and self._was_in_the_way():
            raise OutOfMemory(f"{OUT_OF_MEMORY}, and its kernel killed the bot {self._name}")
        return _in_words(code, self.limits)

    def _was_in_the_way(self) -> bool:
        """Whether the kernel has, or may have, killed something of the bot because memory ran out on the host.

        A control group that bounds the memory of the bot tells which of its processes were killed so. Without one it is
        only known that the kernel killed some process of the host since the bot was started.
        """
        if self._group is not None and "memory" in self.bounded:
            return bool(self._group.oom_kills())
        return oom_kills() > self._oom_kills_before

    def _exit_code(self) -> int | None:
        """The exit code of the process, or the signal that killed it as a negative number; None while it runs."""
        if not hasattr(os, "waitid"):
            return self._reaped_code()
        try:
            status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # it has been reaped
            return self._popen.returncode or 0
        if status is None:
            return None
        return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status

    def _reaped_code(self) -> int | None:
        """The exit code, or the signal, on macOS before Python 3.13, where a process is reaped by asking.

        From then on another process may get its id, so all that is left in its process group is killed at once.
        """
        if self._popen.returncode is None and self._popen.poll() is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        return self._popen.returncode

    def _report(self) -> bytes:
        """What the shell or bubblewrap has reported of a process that has ended."""
        if self._reported is None:
            self._reported = b""
            if self._launch is not None and self._launch.report is not None:
                with contextlib.suppress(OSError):
                    self._reported = os.read(self._launch.report, 65536)
        return self._reported

    def has_succeeded(self) -> bool:
        """Whether it has ended with the exit code 0; ask before `stop`."""
        return self._exit_code() == 0

    def freeze(self) -> None:
        """Stop all processes of the bot until `thaw`. Call again to stop those that it has started meanwhile."""
        if self._frozen_ns is None:
            self._frozen_ns = self._now_ns()
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the bot go on."""
        self._signal(signal.SIGCONT)
        if self._frozen_ns is not None:
            self._frozen_for_ns += self._now_ns() - self._frozen_ns
            self._frozen_ns = None

    def is_frozen(self) -> bool:
        """Whether the bot is stopped until `thaw`."""
        return self._frozen_ns is not None

    def note_ran(self, ran_ns: int) -> None:
        """Count a time for which the bot ran although it is frozen: a race wakes and stops its processes by itself."""
        self._frozen_for_ns -= ran_ns

    def own_time_s(self) -> float:
        """The time on the bot's own clock, which does not run while the bot is frozen."""
        now_ns = self._now_ns() if self._frozen_ns is None else self._frozen_ns
        return (now_ns - self._frozen_for_ns) / 1e9

    def close_stdin(self) -> None:
        """End the bot's input."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def kill(self) -> None:
        """Kill all processes of the bot. A cell ends with its first process, which is in the bot's process group.

        This never waits. Of a bot outside a cell that forks without end some may be left, which are frozen until
        `go_on_killing`, or until `leave_group`.
        """
        self._signal(signal.SIGKILL)
        if self._group is not None and not self._is_cell:
            self._are_left = not self._group.kill()

    def go_on_killing(self) -> None:
        """Kill what the last `kill` has left, if it has left anything."""
        if self._are_left:
            self.kill()

    def reap(self) -> None:
        """Take note that it has ended, which frees its id, and close its files. `drain` its standard error before."""
        self._popen.wait()
        for pipe in (self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()
        orphans.unregister(self.pid)
        self._tasks.close()

    def leave_group(self) -> bool:
        """Kill what is left in its control group and remove that; returns False where something is yet to die."""
        return self._group is None or self._group.remove(patience_s=0)

    def give_back(self) -> None:
        """Give back what the host lent: the control group, the user id, and what bubblewrap or the shell told by."""
        if self._group is not None:
            self._group.remove(patience_s=0)
        if self._launch is not None:
            if self._launch.user is not None:
                give_back(self._launch.user)
            if self._launch.report is not None:
                os.close(self._launch.report)
            if self._launch.stderr is not None:
                os.close(self._launch.stderr[1])
            self._launch = None

    def _signal(self, number: signal.Signals) -> None:
        if self._popen.returncode is not None:  # it has been reaped
            return
        if number == signal.SIGKILL:
            self._tasks.list_anew()
        # Until then the id of the process group is the bot's own. Outside a cell it may have made more groups.
        for group in {self.pid} if self._is_cell else self._tasks.groups():
            with _IS_GONE:
                os.killpg(group, number)


@functools.cache
def control_groups() -> Cgroups | Missing:
    """How this process makes a control group for each bot, or why it cannot. The system is asked once."""
    return set_up_cgroups()


def bounded() -> frozenset[str]:
    """What control groups bound for each bot on this host: some of `memory` and `processes`."""
    groups = control_groups()
    return frozenset() if isinstance(groups, Missing) else frozenset(groups.folders) & {"memory", "processes"}


def counts_cpu() -> bool:
    """Whether control groups on this host count all that a bot computes, also in processes that have ended."""
    groups = control_groups()
    return isinstance(groups, Cgroups) and "cpu" in groups.folders


def _new_group(confinement: Confinement) -> Group | None:
    """A control group for one bot; None where there are none. Raises HostFault where it cannot be made."""
    groups = control_groups() if confinement.isolation != "none" else None
    if not isinstance(groups, Cgroups):
        return None
    limits = confinement.limits
    return groups.group(
        memory_bytes=limits.memory_mb * MB,
        processes=limits.processes + KEEPERS,
        low_priority=confinement.workshop is not None,
    )


def _start(how: Launch) -> "subprocess.Popen[bytes]":
    """Start the process; raises StartFailed and HostFault."""
    try:
        with _nothing_ignored(), contextlib.nullcontext() if how.dumps_core else no_core_dumps():
            return subprocess.Popen(
                how.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if how.stderr is None else how.stderr[0],
                cwd=how.folder,
                env=how.env,
                pass_fds=(*how.passed, *(how.user.descriptors if how.user is not None else ())),
                start_new_session=True,
                bufsize=0,
            )
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _HOST_TROUBLE:
            fault = HostFault if error.errno == errno.EMFILE else NoRoom
            raise fault(f"the host cannot start another process: {error.strerror}") from None
        if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
            raise StartFailed(f"cannot start {how.command[0]}: it is not a program for this kind of machine") from None
        raise StartFailed(f"cannot start {how.command[0]}: {error}") from None
    finally:
        for fd in (*how.passed, *(() if how.stderr is None else how.stderr[:1])):
            os.close(fd)


@contextlib.contextmanager
def _nothing_ignored() -> Iterator[None]:
    """Handle the signals that this process ignores, by doing nothing, for as long as the context lasts.

    `nohup` and the shell's background jobs make a process ignore signals. A program that it starts ignores them too,
    but does not inherit how they are handled. So bots start alike however the referee was started.
    """
    ignored = [one for one in signal.valid_signals() - _RESTORED if signal.getsignal(one) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def _code_in_cell(report: bytes, code: int) -> int:
    """The exit code, or the signal, of a bot in a cell: bubblewrap's `code` tells a signal as 128 and more.

    Bubblewrap reports a code only if the bot was started; else HostFault is raised.
    """
    if b'"exit-code"' not in report:
        raise HostFault(f"bubblewrap could not build the bot's cell (exit code {code})")
    return 128 - code if code - 128 in signal.valid_signals() else code


def _in_words(code: int, limits: BotLimits) -> str:
    """An exit code, or a signal as a negative number, in words."""
    if code >= 0:
        return f"exited with code {code}"
    why = {
        signal.SIGXCPU: f", after more than {limits.cpu_s} s of computing",
        signal.SIGXFSZ: f", because of a file of more than {limits.tmp_mb} MB",
        getattr(signal, "SIGSYS", None): ", because of a system call that is not allowed",
    }
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}{why.get(signal.Signals(-code), '')}"
    return f"killed by signal {-code}"
