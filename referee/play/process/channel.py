"""The live side of one bot of one match: its process and pipes, what is written and read, and the clock of its answer.

The pump and the race decide when something is done; this module only does it, and never waits. Its inbox knows whether
an answer is due.
"""

import contextlib
import os
import time
from typing import NamedTuple

from msgspec import Struct

from protocol.messages import Limits, Ready
from referee.play.faults import Trouble
from referee.play.process.limit_watch import MOST_FORGIVEN, Turns, excess, less_waiting
from referee.play.process.process import BotProcess, StartFailed, Stderr
from referee.play.process.shutdown import stop
from referee.play.process.usage import ResourceUsage
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.exchange import Delivery, Reply
from referee.play.talk.inbox import Heard, Inbox

READ_BYTES = 65536

LEAST_FORGIVEN_NS = 1_000_000
"""A wait for a core that is shorter than this decides nothing."""

WORTH_A_LOOK = 100
"""An answer that took so many times as long as a look at its bot takes is long: then the look costs hardly anything."""

USUAL_LOOK_NS = 100_000
"""How long a look at a bot takes where none has been taken yet."""

EXIT_GRACE_NS = 1_000_000_000
"""A bot that exits within this time after the end of its output has crashed; otherwise it has closed its output."""


class AnswerClock(Struct, gc=False):
    """The clock of the answer that was asked for last. Times are those of the pump's clock."""

    written_ns: int
    """When the clock would have begun to run, had it never been stopped."""
    deadline_ns: int
    before: ResourceUsage
    """What the bot had used of the cores at the last look before it was asked."""
    waived_ns: int = 0
    """For how long the clock was stopped."""
    forgiven_ns: int = 0
    """For how long of this it was stopped because the bot waited for a core."""

    @property
    def limit_ns(self) -> int:
        """The time that the bot has for the answer."""
        return self.deadline_ns - self.written_ns


class Missed(NamedTuple):
    """A slap request whose answer had not come when its time was over."""

    request_id: bytes
    own_time_s: float
    """When its time was over, by the bot's own clock."""


class Channel:
    """One bot of one match."""

    def __init__(
        self,
        spec: BotSpec,
        confinement: Confinement,
        limits: Limits,
        process: BotProcess | None = None,
    ) -> None:
        """Start the bot. If that fails, the first answer that is awaited from it is that trouble.

        A `process` that has played before is taken instead of a new one; it is held frozen until `release`.
        """
        self.name = spec.name
        self.inbox = Inbox(limits)
        self.isolation = confinement.isolation
        self.stderr = Stderr(limits.stderr_bytes, bytearray())
        self.clock = AnswerClock(0, 0, ResourceUsage())
        self.ended_ns: int | None = None
        """When its output ended, or when it was found that there is none."""
        self.unwritten = bytearray()
        self._takes_nothing = False
        """Whether something could not be written because the bot has ended or closed its input."""
        self.process: BotProcess | None = None
        self.turns = Turns()
        """Its turns, and what it had used at the last look."""
        self.thinks_long = False
        """Whether its last answer was so long that looks at its bot are worth their cost."""
        self._long_ns = WORTH_A_LOOK * USUAL_LOOK_NS
        """An answer that takes longer than this is long, as the last look at the bot has it."""
        self.is_awake = False
        """Whether it computed although it was stopped, when a slap window was timed last."""
        self.windows_awake = 0
        """In how many slap windows of its match it did so."""
        self.nearest_miss_s: float | None = None
        """The least time by which an answer to a slap request came too late; None while none has come."""
        self._missed: Missed | None = None
        self._failure: Trouble | None = None
        self.paused = process is not None
        """Whether the bot is held frozen until the next line to it; a window thaws no bot that is."""
        if process is not None:
            self.process = process
            self.turns.used = process.resource_usage() or self.turns.used
            return
        self.turns.begin(time.monotonic_ns())
        try:
            self.process = BotProcess(spec, confinement)
        except StartFailed as error:
            self._failure = Trouble(kind="start_failed", detail=str(error))
            self.ended_ns = time.monotonic_ns()

    def write(self, delivery: Delivery, now_ns: int) -> None:
        """Write as much as the pipe takes, keep the rest, and await the answer if one is due."""
        if self.paused:
            self.release()
        if (awaits := delivery.awaits) is not None:
            turns = self.turns
            self.clock = AnswerClock(now_ns, now_ns + int(delivery.limit_s * 1e9), turns.used)
            self.inbox.expect(awaits)
            if turns.since_ns is None:
                turns.since_ns = now_ns
        if self.unwritten:
            self.unwritten += delivery.data
            self.flush()
        else:
            self._write(delivery.data)

    def flush(self) -> None:
        """Write what is left to write. That a bot does not read, or is gone, shows when it does not answer."""
        data = bytes(self.unwritten)
        self.unwritten.clear()
        self._write(data)

    def _write(self, data: bytes) -> None:
        """Write what the pipe takes and keep the rest."""
        if (process := self.process) is None:
            return
        try:
            while (written := os.write(process.stdin, data)) < len(data):
                data = data[written:]
        except BlockingIOError:
            self.unwritten += data
        except OSError:
            self._takes_nothing = True

    def read(self, now_ns: int) -> Heard | None:
        """Take one read of the bot's output, and return what `hear` returns after it."""
        if (process := self.process) is None:
            return self.hear()
        try:
            data = os.read(process.stdout, READ_BYTES)
        except BlockingIOError:
            return self.hear()
        except OSError:
            data = b""
        if not data:
            self.ended_ns = now_ns
            return self.hear()
        if self._missed is not None and self._missed.request_id in data:
            late_s = process.own_time_s() - self._missed.own_time_s
            self.nearest_miss_s = min(late_s, self.nearest_miss_s or late_s)
            self._missed = None
        heard = self.inbox.take(data)
        return self._failure or heard

    def read_stderr(self) -> bool:
        """Take one read of the bot's standard error; False at its end."""
        if self.process is None:
            return False
        try:
            data = os.read(self.process.stderr, READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.stderr.add(data)
        return bool(data)

    def hear(self) -> Heard | None:
        """What the bot has answered, or what is wrong with it; None while neither is known."""
        return self._failure or self.inbox.hear()

    def known_at_once(self, now_ns: int) -> Heard | None:
        """Returns what is known already of an answer that has just been asked for, from what the bot did before.

        Nothing is, unless its output has ended or something of it is unjudged.
        """
        return self.hear() or self.end_of_output(now_ns)

    def end_of_output(self, now_ns: int) -> Trouble | None:
        """Returns whether a bot whose output has ended has crashed or closed its output; None while that is open."""
        if self.process is None or self.ended_ns is None:
            return None
        if self._failure is not None:
            return self._failure
        if (status := self.process.exit_status()) is not None:
            return Trouble(kind="crashed", detail=status)
        if now_ns - self.ended_ns > EXIT_GRACE_NS:
            return Trouble(kind="closed_output", detail="closed its standard output")
        return None

    def silence(self) -> Trouble | None:
        """Returns what silence until the deadline means: a crash if the bot is gone, whoever holds its output open."""
        status = None if self.process is None else self.process.exit_status()
        return None if status is None else Trouble(kind="crashed", detail=status)

    def end_for(self, detail: str) -> None:
        """End the bot because of what it did to the host. From now on it counts as crashed, for this reason."""
        self._failure = Trouble(kind="crashed", detail=detail)
        self.ended_ns = self.ended_ns or time.monotonic_ns()
        if self.process is not None:
            self.process.kill()

    def pause(self) -> None:
        """Freeze the bot, and hold it frozen until the next line to it."""
        self.paused = True
        if self.process is not None:
            self.process.freeze()

    def release(self) -> None:
        """Let the bot go on after `pause`."""
        if self.paused and self.process is not None:
            self.paused = False
            self.process.thaw()

    def can_play_on(self) -> bool:
        """Whether nothing is wrong with the bot, and it has written whole lines only."""
        return self._failure is None and not self.has_ended() and not self.inbox.has_part_of_a_line

    def has_read_all(self) -> bool:
        """Whether the bot has taken all that was written to it."""
        if self.process is None or self.unwritten or self._takes_nothing:
            return False
        return not self.process.unread_bytes()

    def has_ended(self) -> bool:
        """Whether the bot is gone, or closed its output."""
        return self.process is None or self.ended_ns is not None or self.process.has_exited()

    def read_rest(self) -> None:
        """Take what the bot still writes after the last line to it."""
        self.flush()
        self.read(time.monotonic_ns())
        self.drain_stderr()

    def note_missed(self) -> None:
        """Note that the time for the awaited slap is over. If the answer still comes, it is noted how late it is."""
        if self.process is not None and self.inbox.awaits is not None:
            self._missed = Missed(self.inbox.awaits.encode(), self.process.own_time_s())

    def give_up(self) -> None:
        """Stop awaiting an answer."""
        self.inbox.give_up()

    def reply(self, seat: int, heard: Heard | None, arrived_ns: int, now_ns: int) -> Reply:
        """End the turn with what was heard, and return it with the bot's time, less its waits for a core.

        Nothing is forgiven for a start, nor for short answers, for which a look is not worth its cost.
        """
        clock = self.clock
        self.thinks_long = arrived_ns - clock.written_ns > self._long_ns and not isinstance(heard, Ready)
        if self.thinks_long:
            self.forgive(now_ns)
        took_ns = arrived_ns - clock.written_ns
        self.end_turn(now_ns)
        return Reply(seat, heard, took_ns / 1e3 if took_ns > 0 else 0.0, clock.waived_ns / 1e3)

    def end_turn(self, now_ns: int) -> None:
        """Note that the answer that was asked for is there, or will not come.

        A bot that has computed too much outside its turns is held frozen from now on until the next line to it.
        """
        turns = self.turns
        self.inbox.awaits = None
        turns.end(now_ns)
        if turns.is_allowance_spent:
            self.pause()

    def look(self, now_ns: int) -> ResourceUsage | None:
        """Returns what the bot holds and has used, and notes what lies outside its turns; None where it is not told."""
        start_ns = time.thread_time_ns()
        holds = None if self.process is None else self.process.resource_usage()
        if holds is not None:
            self.turns.note(holds, now_ns)
        self._long_ns = WORTH_A_LOOK * (time.thread_time_ns() - start_ns)
        return holds

    def shift_clock(self, stopped_ns: int) -> None:
        """Take off the bot's clock a time for which the bot was frozen, or the referee did not look."""
        self.clock.written_ns += stopped_ns
        self.clock.deadline_ns += stopped_ns
        self.clock.waived_ns += stopped_ns

    def forgive(self, now_ns: int) -> bool:
        """Stop the clock for the time in which the bot waited for a core; False where there is none left to forgive.

        It is never stopped for longer than MOST_FORGIVEN times the answer's limit, nor while the bot computed. Where
        some of that may not be counted, it is taken to have computed for half of the time at least.
        """
        if self.process is None or (used := self.look(now_ns)) is None:
            return False
        clock = self.clock
        time_ns = now_ns - clock.written_ns + clock.forgiven_ns
        cpu_ns = used.cpu_ns - clock.before.cpu_ns
        if not self.process.counts_all and not used.lacks_nothing_since(clock.before):
            cpu_ns = max(cpu_ns, time_ns // 2)
        waited_ns = time_ns - less_waiting(time_ns, used.wait_ns - clock.before.wait_ns, cpu_ns)
        more_ns = min(waited_ns, MOST_FORGIVEN * clock.limit_ns) - clock.forgiven_ns
        if more_ns < LEAST_FORGIVEN_NS:
            return False
        clock.forgiven_ns += more_ns
        self.shift_clock(more_ns)
        return True

    def check_limits(self, now_ns: int) -> None:
        """End the bot where it exceeds a limit, and hold it frozen where it computes although it is not asked."""
        if (process := self.process) is None:
            return
        process.go_on_killing()
        if self.isolation == "none" or process.has_exited() or (holds := self.look(now_ns)) is None:
            return
        if what := excess(holds, process):
            self.end_for(f"{what}, and was ended")
        elif self.turns.is_abused and not self.owes_answer:
            self.pause()

    @property
    def owes_answer(self) -> bool:
        """Whether an answer is due that is neither here nor given up."""
        return self.inbox.awaits is not None

    async def stop(self, *, patience_s: float) -> None:
        """End the bot. It has `patience_s` to end by itself, and is gone and reaped when this returns.

        A bot that is frozen while slaps are timed stays so, and its time does not run until the window is over.
        """
        if self.process is not None:
            if patience_s:
                self.release()
            await stop(self.process, patience_s=patience_s, drain=self.drain_stderr)

    def drain_stderr(self) -> None:
        """Read what there is of standard error, so that the last words of a dying bot are kept."""
        with contextlib.suppress(OSError):
            for _ in range(64):
                before = self.stderr.total
                if not self.read_stderr() or self.stderr.total == before:
                    return
