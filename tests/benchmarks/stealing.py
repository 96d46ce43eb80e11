"""What slap windows are worth on a virtual machine whose host gives its cores to others now and then.

    python tests/benchmarks/stealing.py [--share SHARE] [--gaps US...] [--windows N] [--faster US] [--told WORD...]

Few hosts do that when it is wanted. So a program in the kernel (`bots/thief.bpf.c`) keeps each core to itself at
random, from within an interrupt: nobody computes then, and nobody is said to wait. `--gaps` are the lengths of what it
takes at a time; each is drawn from half to three halves of that. Four C bots do the same amount of work, but one of
them less.
In the first two rows it takes nothing: bots compute on `any` core, then all on `one`, as they do in every match.
`--told task` does what a kernel does that knows of such time (CONFIG_PARAVIRT_TIME_ACCOUNTING): it does not count as
computing. With `--told ticks` it does, as on other kernels. Both tell of it in steps of 10 ms.
Printed are what was taken of all cores, and in how many windows no doubt was noted; how often the bot with less work
had the least time and was announced first, in all windows and then in those without doubt; and, in microseconds, what
a slap took beyond the work in the latter (p50, p99).
Needs Linux, root, a C compiler, clang, and libbpf with its headers (clang and libbpf-dev in Debian).
"""

import argparse
import ctypes
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

from measuring import COMPILER, SOURCES, Skipped, compiled
from msgspec.structs import replace
from races import windows_of

from referee.play.bot import orphans
from referee.play.bot.process import BotProcess
from referee.play.bot.procfs import Computed
from referee.play.session import Interrupted
from referee.play.slaps import race
from referee.play.slaps.one_core import OneCore
from referee.play.spec import Confinement
from referee.trials.races import Scenario, Window, summary

TASKS = 65536
"""As in bots/thief.h."""

TICK_NS = 10_000_000

_BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}
"""The number of the system call by machine. The C library has no function for it."""

_MAP_GET_FD_BY_ID = 14


class Loot:
    """What the thief has taken, from the table that it shares with us."""

    def __init__(self, ident: int) -> None:
        asked = ctypes.create_string_buffer(struct.pack("=3I", ident, 0, 0))
        fd = ctypes.CDLL(None).syscall(_BPF[os.uname().machine], _MAP_GET_FD_BY_ID, asked, len(asked) - 1)
        if fd < 0:
            raise Skipped("the kernel does not show the table of what was taken")
        self._table = mmap.mmap(fd, 8 * (TASKS + 1), mmap.MAP_SHARED, mmap.PROT_READ)
        os.close(fd)

    def all_ns(self) -> int:
        """What was taken from all cores so far."""
        return self._at(TASKS)

    def of_ns(self, task: int) -> int:
        """What was taken so far while this task computed."""
        return self._at(task % TASKS)

    def _at(self, place: int) -> int:
        (taken_ns,) = struct.unpack_from("=Q", self._table, 8 * place)
        return int(taken_ns)


def thief(folder: Path) -> list[str]:
    """The command of the thief, compiled into the folder."""
    if os.geteuid() or sys.platform != "linux" or os.uname().machine not in _BPF:
        raise Skipped("only root may put a program into the kernel, and only that of Linux")
    clang = shutil.which("clang")
    if COMPILER is None or clang is None or not Path("/usr/include/bpf/libbpf.h").exists():
        raise Skipped("it needs a C compiler, clang and libbpf with its headers: apt-get install gcc clang libbpf-dev")
    program, loader = folder / "thief.bpf.o", folder / "thief"
    headers = f"-I/usr/include/{os.uname().machine}-linux-gnu"
    source = SOURCES / "thief.bpf.c"
    subprocess.run([clang, "-O2", "-g", "-target", "bpf", headers, "-c", source, "-o", program], check=True)
    subprocess.run([COMPILER, "-O2", SOURCES / "thief.c", "-o", loader, "-lbpf"], check=True)
    return [str(loader), str(program)]


@contextmanager
def stealing(command: Sequence[str], gap_us: int, share: float) -> Iterator[Loot]:
    """During the block the thief takes this share of all cores' time, in pieces of about this length."""
    words = [*command, str(1000 * gap_us), str(share)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    orphans.register(process.pid)
    try:
        assert process.stdout is not None
        if not (ident := process.stdout.readline().strip()):
            raise Skipped(process.communicate()[1].strip().splitlines()[-1])
        yield Loot(int(ident))
    finally:
        process.communicate()
        orphans.unregister(process.pid)


@contextmanager
def told(loot: Loot, how: str) -> Iterator[None]:
    """During the block the referee sees what a kernel tells of time that was taken away: by task, or only in ticks."""
    asked = BotProcess.computed

    def computed(process: BotProcess) -> Computed | None:
        found = asked(process)
        if found is None:
            return None
        return replace(found, cpu_ns=found.cpu_ns - sum(map(loot.of_ns, process.waits())))

    with ExitStack() as stack:
        stack.enter_context(patch.object(race, "stolen_ticks", lambda: loot.all_ns() // TICK_NS))
        if how == "task":
            stack.enter_context(patch.object(BotProcess, "computed", computed))
        yield


def row(windows: Sequence[Window], scenario: Scenario) -> str:
    """What the table says of these windows."""
    calm = [window for window in windows if not window.move.disturbed]
    every, calmed = (summary(some, scenario, lateness_ms=0.0) if some else None for some in (windows, calm))
    text = f"{len(windows):9}{100 * len(calm) / len(windows):11.1f} %"
    for found in (every, calmed):
        text += f"{100 * found.quickest:9.1f} %{100 * found.announced:7.1f} %" if found else f"{'none':>20}"
    return text + (f"{calmed.excess_p50_us:7.0f}{calmed.excess_p99_us:6.0f}" if calmed else "")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.1, help="what is taken of all time")
    parser.add_argument("--gaps", type=int, nargs="*", default=[50, 120, 300, 1000, 4000], metavar="US")
    parser.add_argument("--windows", type=int, default=1000)
    parser.add_argument("--faster", type=int, default=100, metavar="US", help="how much less one bot has to do")
    parser.add_argument("--told", nargs="*", default=["task", "ticks"], choices=["task", "ticks"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        command = thief(folder)
        turns = subprocess.run([compiled("slapper", folder), "--turns"], capture_output=True, text=True, check=True)
        scenario = Scenario(
            confinement=Confinement(isolation="limits"),
            command=("./slapper", turns.stdout.strip()),
            dir=place,
            faster_us=given.faster,
        )
        print(f"{'gaps':>6}  {'told':6}{'taken':>8}{'windows':>9}{'undisturbed':>13}{'least':>11}{'first':>9}", end="")
        print(f"{'least':>11}{'first':>9}{'p50':>7}{'p99':>6}")
        for cores in ("any", "one"):
            with patch.object(OneCore, "choose", lambda _: None) if cores == "any" else nullcontext():
                print(f"{'none':>6}  {cores:14}{row(windows_of(scenario, given.windows)[0], scenario)}", flush=True)
        for how in given.told:
            for gap_us in given.gaps:
                with stealing(command, gap_us, given.share) as loot, told(loot, how):
                    begun_ns, before_ns = time.monotonic_ns(), loot.all_ns()
                    found, _ = windows_of(scenario, given.windows)
                    all_ns = (time.monotonic_ns() - begun_ns) * (os.cpu_count() or 1)
                    taken = 100 * (loot.all_ns() - before_ns) / all_ns
                print(f"{gap_us:6}  {how:6}{taken:6.1f} %{row(found, scenario)}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Skipped as why:
        sys.exit(f"not measured: {why}")
    except Interrupted:
        sys.exit(130)
