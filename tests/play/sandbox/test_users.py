"""What the kernel counts for a user or for the host, and what one bot leaves of it to another and to the referee.

They test "What bots share of the host" of tournaments/ISOLATION.md, for root, for an ordinary user with
subordinate ids, and for one without. test_hostile_reach.py tests what is out of reach, and test_hostile.py the memory.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from arena import HOSTILE, Arena
from needs import IN_A_CONTAINER, OURSELVES, Organiser, need_lent_ids, need_no_ids

from referee.rules.record import Record

pytestmark = [pytest.mark.full, pytest.mark.isolation]

LIMITS = {"memory_mb": 2048, "processes": 48, "files": 256}
"""A referee without control groups counts memory that processes share for each of them."""

UNTOUCHED = {
    "pages of a pipe": "16",
    "watch": "fine",
    "descriptor under way": "fine",
    "signal": "fine",
    "process": "fine",
    "open files": "fine",
}
"""What a bot gets whose rival has taken nothing."""

TAKES_USERS = """
from referee.play.sandbox.users import give_back, take_user
users = [take_user() for _ in range(3)]
give_back(users[0])
print(*(user.host_uid for user in users), take_user() == users[0], flush=True)
input()
"""
"""Takes users as a referee does."""

CANNOT_START = """
import sys
from referee.play.process import launch
from referee.play.sandbox.users import give_back, take_user
from referee.play.spec import BotLimits, BotSpec, Confinement
user = take_user()
give_back(user)
def full(*_, **__):
    raise OSError(24, "Too many open files")
launch.arguments = full
spec = BotSpec(name="mine", command=("echo",), dir=sys.argv[1], env={})
for _ in range(3):
    try:
        launch.launch(spec, Confinement(isolation="bwrap", limits=BotLimits()), join=(), counted=False)
    except OSError:
        print(take_user() == user)
        give_back(user)
"""
"""Fails to start bots, as on a host that is full."""

HAS_NO_ROOM = """
import subprocess
import sys
from referee.play.faults import HostFault, Missing
from referee.play.sandbox import users
def full(*_, **__):
    raise OSError(11, "Resource temporarily unavailable")
popen, subprocess.Popen = subprocess.Popen, full
try:
    users.take_user()
except Missing:
    print("none")
except HostFault:
    print("later")
subprocess.Popen = popen
print(users.take_user() is not None)
"""
"""Asks for a user on a host that is full, and again when it is not."""

STARTS_WITH_A_LOW_NAMESPACE = """
import os, sys
from referee.play.process.shutdown import stop
from referee.play.process.orphans import nothing_left_behind
from referee.play.process.process import BotProcess
from referee.play.sandbox import users
from referee.play.spec import BotLimits, BotSpec, Confinement
import trio
low, made = os.open("/dev/null", os.O_RDONLY), users._new_namespace
users._new_namespace = lambda uid, gid: os.dup2(made(uid, gid), low)
async def run():
    spec = BotSpec(name="mine", command=("echo", "here"), dir=sys.argv[1], env={})
    process = BotProcess(spec, Confinement(isolation="bwrap", limits=BotLimits()))
    while (ended := process.exit_status()) is None:
        await trio.sleep(0.001)
    print(low, ended, os.read(process.stdout, 100).decode())
    await stop(process, patience_s=0, drain=lambda: None)
with nothing_left_behind():
    trio.run(run)
"""
"""Starts a bot whose namespace has the first descriptor that its output could be given on the way into the cell."""

PlayAs = Callable[[Organiser], Record]


@pytest.fixture
def play_as(mark: dict[str, str]) -> Iterator[PlayAs]:
    """Plays a match between a bot that takes what it gets and one that needs a little, refereed by this user."""

    def play(organiser: Organiser) -> Record:
        arena = Arena(Path(folder), mark, organiser)
        record = arena.play(arena.bot("fills_accounts"), arena.bot("feels_accounts"), limits=LIMITS)
        arena.close()
        return record

    with TemporaryDirectory(prefix="golfref-test-") as folder:  # pytest's are closed to other users
        yield play


def taken(referee: "subprocess.Popen[str]") -> list[str]:
    assert referee.stdout is not None
    return referee.stdout.readline().split()


def test_referees_of_one_user_never_lend_the_same_id_at_a_time() -> None:
    organiser = need_lent_ids()
    start = partial(
        subprocess.Popen,
        [*organiser.become, organiser.python, "-P", "-c", TAKES_USERS],
        env=os.environ | organiser.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with start() as one, start() as other:
        words = taken(one), taken(other)
    assert [line[3] for line in words] == ["True", "True"], "an id is lent again by the referee that holds it"
    assert len({*words[0][:3], *words[1][:3]}) == 6
    assert str(os.geteuid()) not in words[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a PID namespace")
def test_referees_in_two_containers_never_give_two_bots_the_same_id() -> None:
    """In each of them the referee has the same process id."""
    command = [*IN_A_CONTAINER, sys.executable, "-P", "-c", TAKES_USERS]
    start = partial(subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with start() as one, start() as other:
        words = taken(one), taken(other)
    assert len({*words[0][:3], *words[1][:3]}) == 6


def words_of(program: str) -> list[str]:
    """What a program prints that an ordinary user with subordinate ids runs."""
    organiser = need_lent_ids()
    done = subprocess.run(
        [*organiser.become, organiser.python, "-P", "-c", program, "/usr/share/doc"],
        env=os.environ | organiser.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_bot_that_could_not_be_started_leaves_its_user_to_the_next() -> None:
    assert words_of(CANNOT_START) == ["True"] * 3


def test_no_bot_goes_without_an_id_because_the_host_was_full_for_a_moment() -> None:
    assert words_of(HAS_NO_ROOM) == ["later", "True"]


def test_a_bots_output_takes_no_descriptor_of_its_namespace() -> None:
    assert words_of(STARTS_WITH_A_LOW_NAMESPACE) == ["3", "exited", "with", "code", "0", "here"]


CONFIG = """
[tournament]
name = "day"
isolation = "bwrap"
deals = 1
[[variants]]
preset = "six-card"
[[bots]]
name = "one"
owner = "ann"
dir = "one"
command = ["python3", "honest.py"]
[[bots]]
name = "other"
owner = "bob"
dir = "other"
command = ["python3", "honest.py"]
"""


@pytest.mark.parametrize("needed", [need_lent_ids, need_no_ids])
def test_bots_of_several_owners_play_where_each_has_an_id_of_its_own(needed: Callable[[], Organiser]) -> None:
    organiser = needed()
    with TemporaryDirectory(prefix="golfref-test-") as folder:
        for name in ("one", "other"):
            shutil.copytree(HOSTILE, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(HOSTILE.parent / "support" / "filler.py", Path(folder, name))
        Path(folder, "day.toml").write_text(CONFIG)
        for path in (Path(folder), *Path(folder).rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o644)
        done = subprocess.run(
            [*organiser.become, organiser.python, "-P", "-m", "referee", "tournament", "day.toml", "--dry-run"],
            cwd=folder,
            env=os.environ | organiser.env,
            capture_output=True,
            text=True,
            check=False,
        )
    if needed is need_lent_ids:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("golfref: bots of several owners need user ids of their own")
    assert "uidmap" in line or "usermod" in line


def said(record: Record, seat: int) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in record.seats[seat].stderr.splitlines() if ": " in line)


def check_that_all_is_bounded(record: Record) -> None:
    assert all((seat.faults, seat.forfeited) == ({}, False) for seat in record.seats)
    taken = {name: words.split() for name, words in said(record, 0).items()}
    assert int(taken["processes"][0]) < LIMITS["processes"]
    assert int(taken["open files"][0]) < LIMITS["files"]
    assert int(taken["descriptors under way"][0]) <= LIMITS["files"] + 1
    assert int(taken["signals"][0]) <= LIMITS["processes"]
    assert int(taken["locked pages"][0]) * os.sysconf("SC_PAGE_SIZE") <= 1 << 16
    assert taken["processes full of pipes"] == ["20", "and", "no", "refusal"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user needs subordinate ids for it, as below")
def test_a_bot_of_root_leaves_its_rival_all(play_as: PlayAs) -> None:
    record = play_as(OURSELVES)
    check_that_all_is_bounded(record)
    assert said(record, 1) == UNTOUCHED


def test_a_bot_with_a_lent_id_leaves_its_rival_all(play_as: PlayAs) -> None:
    record = play_as(need_lent_ids())
    check_that_all_is_bounded(record)
    assert said(record, 1) == UNTOUCHED


def test_bots_without_ids_share_what_the_kernel_counts_for_a_user_and_no_limit_bounds(play_as: PlayAs) -> None:
    record = play_as(need_no_ids())
    check_that_all_is_bounded(record)
    assert said(record, 1) == UNTOUCHED | {"pages of a pipe": "2", "descriptor under way": "ETOOMANYREFS"}
