"""Control groups with real processes, where this machine has them.

Each ability is tested for itself: some machines let a group be frozen and killed, but not bounded.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from needs import IN_A_CONTAINER, lacking

from referee.play.faults import HostFault
from referee.play.process.launch import launch
from referee.play.sandbox.cgroups import Ability, Cgroups, Group, set_up_cgroups
from referee.play.spec import BotSpec, Confinement

pytestmark = pytest.mark.isolation

PATIENCE_S = 50.0
"""How long something may take that must happen."""

MB = 1 << 20

Process: TypeAlias = "subprocess.Popen[bytes]"
Run = Callable[[str], Process]
Needs = Callable[[Ability], None]
Marked = Callable[[], dict[int, str]]

BURNERS = """
import os
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        break
print("burning", flush=True)
while True:
    pass
"""
"""Four processes in as many sessions, each of which computes for ever."""

FORKER = """
import os, time
refused = 0
for _ in range(100):
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
    except BlockingIOError:
        refused += 1
print("full", refused, flush=True)
time.sleep(600)
"""
"""Tries to start a hundred processes that wait."""

EATER = """
eaten = [b"x" * 1_000_000 for _ in range(500)]
"""
"""Wants half a gigabyte."""

CROWD = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
print("burning", flush=True)
while True:
    pass
"""
"""A program that becomes as many processes as it is told, which compute for ever, all on one core."""

REFEREE = """
import os, subprocess, sys
from referee.play.process.launch import launch
from referee.play.sandbox.cgroups import set_up_cgroups
from referee.play.spec import BotSpec, Confinement
group = set_up_cgroups().group(memory_bytes=256 << 20, processes=50)
spec = BotSpec(name="bot", command=("sleep", "600"), dir="/", env={})
how = launch(spec, Confinement(), join=group.join_files(), counted=False)
bot = subprocess.Popen(how.command, start_new_session=True)
while str(bot.pid) not in map(str, group.processes()):
    pass
print(bot.pid, *group.join_files(), flush=True)
sys.stdin.readline()
"""
"""A referee that makes a group, starts a bot in it and tells which and where; it ends when its input does."""


@pytest.fixture(scope="module")
def cgroups() -> Cgroups:
    """What this machine has; the tests are skipped where it has nothing."""
    found = set_up_cgroups()
    if isinstance(found, Cgroups):
        return found
    reason = f"{found.reason}; {found.remedy}"
    if os.geteuid() == 0 and _writable_hierarchies():
        lacking(f"this is root, and control groups are writable; still {reason}")
    pytest.skip(reason)


def _writable_hierarchies() -> list[str]:
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    return [point for _, point, kind, *_ in mounts if kind in {"cgroup", "cgroup2"} and os.access(point, os.W_OK)]


@pytest.fixture
def group(cgroups: Cgroups) -> Iterator[Group]:
    """A group of 64 MB and 20 processes."""
    made = cgroups.group(memory_bytes=64 * MB, processes=20)
    yield made
    assert made.remove(patience_s=PATIENCE_S)


@pytest.fixture
def needs(cgroups: Cgroups) -> Needs:
    """Skips a test of what groups cannot do here."""

    def check(ability: Ability) -> None:
        if ability not in cgroups.folders:
            pytest.skip(cgroups.gap.reason if cgroups.gap else f"groups cannot do {ability} here")

    return check


def entering(group: Group, *command: str) -> list[str]:
    """The command as a bot's is started: in this group."""
    spec = BotSpec(name="bot", command=command, dir="/", env={})
    return launch(spec, Confinement(), join=group.join_files(), counted=False).command


@pytest.fixture
def run(group: Group, mark: dict[str, str]) -> Iterator[Run]:
    """Starts Python programs in the group; they end with the test."""
    with contextlib.ExitStack() as ends:
        ends.callback(group.remove)

        def start(program: str) -> Process:
            command = entering(group, sys.executable, "-c", program)
            process = subprocess.Popen(command, env=mark, stdout=subprocess.PIPE, start_new_session=True)
            ends.enter_context(process)
            ends.callback(process.kill)
            return process

        yield start


def test_what_eats_memory_is_killed_and_counted(group: Group, run: Run, needs: Needs) -> None:
    needs("memory")
    assert run(EATER).wait(PATIENCE_S) == -9
    assert (group.oom_kills() or 0) >= 1


def test_a_modest_process_is_neither_killed_nor_counted(group: Group, run: Run) -> None:
    modest = run("print('fine')")
    assert _line(modest) == b"fine\n"
    assert modest.wait(PATIENCE_S) == 0
    assert not group.oom_kills()


def test_one_that_forks_without_end_is_bounded_and_then_all_are_gone(
    group: Group, run: Run, needs: Needs, marked: Marked
) -> None:
    needs("processes")
    forker = run(FORKER)
    assert _line(forker) == b"full 81\n"
    assert len(group.processes()) == len(marked()) == 20
    group.kill()
    assert forker.wait(PATIENCE_S) == -9
    _until(lambda: not group.processes())
    assert marked() == {}


def test_what_is_frozen_uses_no_processor_time_until_it_is_thawed(group: Group, run: Run, needs: Needs) -> None:
    needs("freeze")
    needs("cpu")
    run(BURNERS)
    _until(lambda: len(group.processes()) == 4)
    group.freeze()
    _until(group.frozen)
    held = group.cpu_ns()
    _burn(0.2)
    assert group.cpu_ns() == held
    group.thaw()
    _until(lambda: (group.cpu_ns() or 0) > (held or 0) + 50_000_000)


def test_killing_never_waits_for_those_that_are_started_meanwhile(
    group: Group, run: Run, needs: Needs, marked: Marked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee's loop goes on, and asks again a little later."""
    needs("freeze")
    burner = run(BURNERS)
    _until(lambda: len(group.processes()) == 4)
    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", lambda _: pytest.fail("it waits"))
        patched.setattr(Group, "_kill_each", lambda _: set())  # there is always one more
        patched.setattr(Group, "frozen", lambda _: False)
        group.kill()
    _until(group.kill)
    assert burner.wait(PATIENCE_S) == -9
    _until(lambda: not group.processes())
    assert marked() == {}


@pytest.mark.parametrize("held", [False, True], ids=["running", "frozen"])
def test_kill_leaves_nothing_whatever_session_it_fled_to(group: Group, run: Run, marked: Marked, held: bool) -> None:
    burner = run(BURNERS)
    _until(lambda: len(group.processes()) == 4)
    if held:
        group.freeze()
    group.kill()
    assert burner.wait(PATIENCE_S) == -9
    _until(lambda: not group.processes())
    assert marked() == {}


@pytest.mark.clock
def test_a_crowd_gets_no_more_of_a_core_than_one_process(cgroups: Cgroups, needs: Needs, mark: dict[str, str]) -> None:
    needs("share")
    with contextlib.ExitStack() as ends:
        groups = [cgroups.group(memory_bytes=256 * MB, processes=20) for _ in range(2)]
        for group, count in zip(groups, ("1", "8"), strict=True):
            command = entering(group, sys.executable, "-c", CROWD, count)
            burner = ends.enter_context(subprocess.Popen(command, env=mark, stdout=subprocess.PIPE))
            ends.callback(group.remove)
            assert _line(burner) == b"burning\n"
        began = [group.cpu_ns() or 0 for group in groups]
        _until(lambda: sum(group.cpu_ns() or 0 for group in groups) > sum(began) + 2_000_000_000)
        alone, crowd = ((group.cpu_ns() or 0) - start for group, start in zip(groups, began, strict=True))
    assert alone > crowd / 3


def test_a_removed_group_leaves_no_folder_and_does_nothing_more(group: Group) -> None:
    folders = [Path(file).parent for file in group.join_files()]
    assert all(folder.is_dir() for folder in folders)
    assert group.remove()
    assert not any(folder.exists() for folder in folders)
    group.freeze()
    group.thaw()
    group.kill()
    assert group.processes() == ()
    assert (group.oom_kills(), group.cpu_ns()) == (None, None)
    assert group.remove()


def test_nothing_starts_outside_a_group_that_is_gone(group: Group) -> None:
    assert group.remove()
    late = subprocess.run(entering(group, "echo", "started"), capture_output=True, check=False)
    assert late.returncode != 0
    assert late.stdout == b""
    assert group.join_files()[0] in late.stderr.decode()


def test_groups_are_not_made_where_nobody_may(tmp_path: Path) -> None:
    nowhere = Cgroups(version=2, folders={"kill": str(tmp_path / "gone")})
    with pytest.raises(HostFault, match=r"cannot make the control group .*No such file"):
        nowhere.group(memory_bytes=MB, processes=1)


def test_what_computes_beside_the_bots_gets_the_least_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel makes the files of a group; a folder stands in for it."""
    monkeypatch.setattr("referee.play.sandbox.cgroups.write", lambda path, words: path.write_text(words))
    place = str(tmp_path)
    group = Cgroups(version=2, folders={"memory": place, "share": place, "kill": place}).group(low_priority=True)
    (procs,) = group.join_files()
    assert {path.name: path.read_text() for path in Path(procs).parent.iterdir()} == {"cpu.weight": "1"}


@pytest.mark.usefixtures("cgroups")
def test_groups_of_a_dead_referee_are_ended_when_a_new_one_begins(mark: dict[str, str], marked: Marked) -> None:
    referee = [sys.executable, "-c", REFEREE]
    with subprocess.Popen(referee, env=os.environ | mark, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        bot, folders = _told(first)
        assert all(folder.is_dir() for folder in folders)
        _until(lambda: bot in marked())  # a process has no environment for a moment while it becomes another program
        first.kill()
    assert isinstance(set_up_cgroups(), Cgroups)
    assert not any(folder.exists() for folder in folders)
    _until(lambda: not marked())


@pytest.mark.usefixtures("cgroups")
@pytest.mark.parametrize("under", [(), IN_A_CONTAINER], ids=["here", "in_a_container"])
def test_groups_of_a_living_referee_stay(mark: dict[str, str], marked: Marked, under: Sequence[str]) -> None:
    if under and os.geteuid():
        pytest.skip("only root may make a PID namespace")
    referee = [*under, sys.executable, "-c", REFEREE]
    with subprocess.Popen(referee, env=os.environ | mark, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        _, folders = _told(first)
        set_up_cgroups()
        assert all(folder.is_dir() for folder in folders)
        bots = set(map(int, (folders[0] / "cgroup.procs").read_text().split()))  # as they are called here
        assert bots
        _until(lambda: bots <= set(marked()))
        first.kill()
    set_up_cgroups()
    _until(lambda: not marked())


def _told(referee: Process) -> tuple[int, list[Path]]:
    """The bot that it has started and the folders of the bot's group."""
    bot, *files = _line(referee).decode().split()
    return int(bot), [Path(file).parent for file in files]


def _line(process: Process) -> bytes:
    assert process.stdout is not None
    return process.stdout.readline()


def _until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end, "it did not happen"


def _burn(seconds: float) -> None:
    """Let this thread compute for a while: what is not frozen computes as well."""
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass
