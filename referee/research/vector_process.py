"""The processes of a vector of matches: how they are started, told what to do, and ended.

A process gets a line for each command, and answers with a line when it is done; all else is in the memory that it
shares. It ends when its commands end, and when the process that started it is gone: where that one had forked, the
child holds the commands open.
"""

import contextlib
import os
import signal
import sys
import time
from mmap import mmap
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from threading import Thread
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import referee
from referee.research.env import Deals, Env, Reward
from referee.research.vector_rows import Arrays, Rows, Shape
from referee.rules.variants import from_record

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.research.vector_process import main; main()"
"""What the interpreter is told to run. It finds this installation, whatever the current folder holds."""

END_PATIENCE_S = 5.0
"""How long a process that has hung up may take to end, before it is killed."""

LOOK_EVERY_S = 0.5
"""How often a process looks whether the one that started it is still there."""


class Part(Struct, frozen=True, kw_only=True):
    """What one process plays: the game, and the rows from `first` up to, but not including, `stop`."""

    preset: str
    options: dict[str, Any]
    seats: int
    reward: str
    deals: str
    shape: Shape
    first: int
    stop: int
    encode: bool


class Begin(Struct, frozen=True, kw_only=True):
    """The command to begin the first match of every row."""

    seed: str


STEP = b"step\n"
"""The command to make the moves that stand in the array of numbers."""

DONE = b"done\n"
"""What a process answers when it has done what it was told."""


class Gone(RuntimeError):
    """A process of a vector has ended, though nobody told it to. The text says which one, and how."""


class Worker:
    """One process and its pipes."""

    def __init__(self, part: Part, memory: int) -> None:
        """Start it; `memory` is the descriptor of the shared memory. Raises OSError where no process can be started."""
        root = str(Path(referee.__file__).resolve().parent.parent)
        command = [sys.executable, "-P", "-c", START, root, str(memory), str(os.getpid())]
        self._popen: Popen[bytes] = Popen(command, stdin=PIPE, stdout=PIPE, bufsize=0, pass_fds=(memory,))
        self.pid = self._popen.pid
        self._name = f"the process {self.pid}, which plays rows {part.first} to {part.stop - 1}"
        self._say(msgspec.json.encode(part) + b"\n")

    def begin(self, seed: str) -> None:
        """Tell it to begin; `wait` waits until it has."""
        self._say(msgspec.json.encode(Begin(seed=seed)) + b"\n")

    def step(self) -> None:
        """Tell it to make a step; `wait` waits until it has."""
        self._say(STEP)

    def wait(self) -> None:
        """Wait until it has done what it was told. Raises Gone where it has ended instead."""
        if self._popen.stdout is None or self._popen.stdout.readline() != DONE:
            self._raise_gone()

    def _say(self, line: bytes) -> None:
        try:
            if self._popen.stdin is not None:
                self._popen.stdin.write(line)
        except BrokenPipeError:
            self._raise_gone()

    def _raise_gone(self) -> None:
        code = self.end()
        how = f"was ended by signal {-code}" if code < 0 else f"has ended with exit code {code}"
        raise Gone(f"{self._name}, {how}; reset(seed) starts all of them anew")

    def kill(self) -> None:
        """Kill it. In a fork of the process that started it this does nothing: it is no child of that one."""
        self._popen.kill()

    def end(self) -> int:
        """Wait until it ends, kill it where that takes long, and return its exit code. It is gone when this returns."""
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            return self._popen.wait(END_PATIENCE_S)
        except TimeoutExpired:
            self._popen.kill()
            return self._popen.wait()


def end_all(workers: list[Worker]) -> None:
    """End these processes, all at once, and forget them. They have nothing to put away, so they are not waited for."""
    for worker in workers:
        worker.kill()
    while workers:
        workers.pop().end()


def new_memory(size_bytes: int) -> int:
    """Return the descriptor of new memory that processes can share. It is gone with the last of them."""
    if hasattr(os, "memfd_create"):
        memory = os.memfd_create("golfref")
    else:
        with TemporaryFile() as file:
            memory = os.dup(file.fileno())
    os.truncate(memory, size_bytes)
    return memory


def main() -> None:
    """Play a part: what this process is started for. Ctrl-C is left to whoever started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_without, args=(int(sys.argv[3]),), daemon=True).start()
    commands, answers = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(BrokenPipeError):
        rows = _rows(msgspec.json.decode(commands.readline(), type=Part), int(sys.argv[2]))
        for line in iter(commands.readline, b""):
            if line == STEP:
                rows.step()
            else:
                rows.begin(msgspec.json.decode(line, type=Begin).seed)
            answers.write(DONE)
            answers.flush()
    os._exit(0)  # what is left unsaid in the pipes is for nobody


def _end_without(parent: int) -> None:
    """End this process when `parent`, which started it, is gone."""
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os._exit(0)


def _rows(part: Part, memory: int) -> Rows:
    reward, deals = cast(Reward, part.reward), cast(Deals, part.deals)
    variant = replace(from_record(part.preset, part.options), seats=(part.seats, part.seats))  # more packs seat more
    env = Env.of(variant, part.seats, reward=reward, deals=deals)
    arrays = Arrays(part.shape, mmap(memory, part.shape.size_bytes()))
    return Rows(env, arrays, first=part.first, stop=part.stop, encode=part.encode)
