"""`golfref doctor` as organisers run it; and what its figures mean."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from referee.commands import doctor as doctor_module
from referee.play.isolation.levels import NoBubblewrap, bubblewrap
from referee.play.isolation.users import NoUsers, why_none
from referee.rules.record import GivenSlaps, Reaction
from referee.trials.evenness import unevenness
from referee.trials.gaps import Gap, Groups, find_gaps
from referee.trials.machine import Machine, look_at_machine
from referee.trials.races import SEATS, Scenario, Window, chance_of, summary

PATIENCE_S = 50.0

DOCTOR = (sys.executable, "-m", "referee", "doctor")

FEW_RACES = """
from referee.commands import doctor
doctor.USUAL_WINDOWS = 12
from referee.cli import main
main()
"""
"""For a test that asks for something else than races."""


@pytest.fixture
def zone() -> Iterator[str]:
    """A time zone of its own: a variable that bots get under every level. The test fails if one of them is left."""
    zone = f"golfref-{uuid4().hex}"
    yield zone
    assert not list(_living(zone))


def _living(zone: str) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"TZ={zone}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:
            pass


def doctor(
    *words: str,
    zone: str,
    code: int = 0,
    path: str = os.environ["PATH"],
    cwd: Path | None = None,
    command: Sequence[str] = (sys.executable, "-c", FEW_RACES, "doctor"),
) -> str:
    """What the command prints."""
    environment = os.environ | {"TZ": zone, "PATH": path}
    done = subprocess.run(
        [*command, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.stderr == ""
    assert done.returncode == code, done.stdout
    return done.stdout


def offers_bwrap() -> bool:
    try:
        return bool(bubblewrap())
    except NoBubblewrap:
        return False


def test_it_says_what_the_machine_offers(zone: str) -> None:
    lines = doctor(zone=zone).splitlines()
    assert lines[0].startswith("golfref ")
    assert [line.split()[:2] for line in lines if line.startswith(("none ", "limits "))] == [
        ["none", "yes"],
        ["limits", "yes"],
    ]
    assert any(line.split()[:2] == ["bwrap", "yes" if offers_bwrap() else "no"] for line in lines)
    level = "bwrap" if offers_bwrap() else "limits"
    assert any(line.startswith("Slap races:") and line.endswith(f"under `{level}`") for line in lines)
    for heading in ("user", "control groups", "cores", "first, by seat", "disturbed", "referee's lateness"):
        assert sum(line.startswith(f"{heading} ") for line in lines) == 1, heading


def test_the_same_for_programs(zone: str) -> None:
    report = json.loads(doctor("--json", zone=zone, command=DOCTOR))
    assert report["versions"]["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert [level["name"] for level in report["levels"]] == ["none", "limits", "bwrap"]
    assert all((level["start_ms"] is not None) == level["available"] for level in report["levels"])
    assert report["host"]["root"] == (os.geteuid() == 0)
    assert 1 <= report["jobs"] <= report["host"]["cores"]
    assert report["bench"] == []
    races = report["races"]
    assert (races["windows"], races["work_us"], races["faster_us"]) == (240, 0, 0)
    assert 0 < sum(races["first_by_seat"]) <= races["windows"]
    assert races["behind_p50_us"] <= races["behind_p90_us"] <= races["behind_p99_us"]
    assert 0 <= races["chance_seat"] <= 1


def test_slaps_can_be_timed_thoroughly(zone: str) -> None:
    lines = doctor("--races", "12", zone=zone).splitlines()
    assert any(line.startswith("12 windows of each kind; ") for line in lines)
    kinds = [tuple(line.split()[:2]) for line in lines if line.startswith(("isolated ", "broadcast "))]
    assert kinds == [(timing, faster) for timing in ("isolated", "broadcast") for faster in ("identical", "100", "300")]


def without_bwrap(tmp_path: Path) -> str:
    """A PATH with all that stands on it but bubblewrap."""
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name != "bwrap" and not (tmp_path / program.name).is_symlink():
                (tmp_path / program.name).symlink_to(program)
    return str(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere bubblewrap is missing for another reason")
def test_without_bubblewrap_it_says_how_to_get_it(zone: str, tmp_path: Path) -> None:
    report = json.loads(doctor("--json", zone=zone, path=without_bwrap(tmp_path)))
    bwrap = report["levels"][2]
    assert (bwrap["available"], bwrap["problem"]) == (False, "bubblewrap is not installed")
    assert "apt-get install bubblewrap" in bwrap["remedy"]
    assert report["versions"]["bubblewrap"] == ""
    assert report["races"]["level"] == "limits"
    assert report["advice"][0].startswith("`bwrap` is not available: bubblewrap is not installed. To get it: apt-get")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere bubblewrap is missing for another reason")
def test_a_bubblewrap_that_cannot_build_a_cell_is_told_in_its_own_words(zone: str, tmp_path: Path) -> None:
    """As on Ubuntu 24.04, where AppArmor refuses."""
    false_one = """#!/bin/sh
case $1 in
    --version) echo bubblewrap 0.9.0 ;;
    --help) echo "--args --size --perms --json-status-fd --seccomp --clearenv --cap-drop" ;;
    *) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1 ;;
esac
"""
    path = without_bwrap(tmp_path)
    (tmp_path / "bwrap").write_text(false_one)
    (tmp_path / "bwrap").chmod(0o755)
    out = doctor(zone=zone, path=path)
    assert "bubblewrap cannot build a cell here (bwrap: setting up uid map: Permission denied)" in out
    assert "AppArmor" in out


def test_where_no_bot_can_be_started_the_exit_code_says_so(zone: str, tmp_path: Path) -> None:
    """The shipped bots' folder, in which the tried ones start, is not there."""
    for room in ("protocol", "referee"):
        shutil.copytree(Path(__file__).parents[2] / room, tmp_path / room)
    out = doctor(zone=zone, code=3, cwd=tmp_path, command=DOCTOR)
    assert "Slap races: none could be played" in out
    assert "`limits` is not available: cannot start" in out


# What strangers could do


IN_ORDER = msgspec.structs.replace(
    look_at_machine(),
    root=False,
    swap_mb=0,
    autogroup=True,
    kernel=(6, 1),
    has_core_handler=False,
    overcommit=0,
    kills_asker=False,
    panics=False,
    most_files=10_000_000,
    most_processes=1 << 22,
    copies_mb=1024,
    copies_problem="",
    copies_remedy="mount -o remount,size=2g /dev/shm",
    huge_files=False,
)
GROUPS = Groups(version=2, abilities=("memory", "processes", "freeze", "kill", "cpu"), problem="", remedy="")
NO_GROUPS = Groups(version=None, abilities=(), problem="there is no systemd", remedy="log in by ssh")
NO_USERS = NoUsers("newuidmap is not installed", "apt-get install uidmap")


def gaps(groups: Groups = GROUPS, no_users: NoUsers | None = None, **settings: object) -> list[Gap]:
    return find_gaps(msgspec.structs.replace(IN_ORDER, **settings), groups, no_users, jobs=4)


def test_nothing_is_said_of_a_host_on_which_nothing_is_missing() -> None:
    assert gaps() == []
    assert gaps(root=True, most_files=1000) == []


@pytest.mark.parametrize(
    ("settings", "attack", "remedy"),
    [
        ({"no_users": NO_USERS}, "Bots run as your own user", "apt-get install uidmap"),
        ({"no_users": NO_USERS, "kernel": (5, 10)}, "allows a user (processes, pending", "apt-get install uidmap"),
        ({"groups": NO_GROUPS}, "Nothing bounds the kernel's own memory", "log in by ssh"),
        ({"copies_mb": 60}, "only 60 MB of memory can hold copies", "remount,size=2g"),
        ({"copies_mb": 0, "copies_problem": "it is mounted noexec"}, "it is mounted noexec", "remount"),
        ({"huge_files": True}, "that the kernel joins at its wish", "shmem_enabled"),
        ({"swap_mb": 512}, "be swapped out", "swapoff -a"),
        ({"overcommit": 2}, "Memory that a bot only reserves", "vm.overcommit_memory=0"),
        ({"kills_asker": True}, "the kernel ends who asks next", "vm.oom_kill_allocating_task=0"),
        ({"panics": True}, "brings down the whole host", "vm.panic_on_oom=0"),
        ({"autogroup": False}, "A bot with many processes gets more", "kernel.sched_autogroup_enabled=1"),
        ({"has_core_handler": True}, "a program that runs as root", "kernel.core_pattern=core"),
        ({"most_files": 200_000}, "16 bots with 256 processes of 256 files", "fs.file-max=2097152"),
        ({"most_processes": 4096}, "16 bots with 256 processes", "lower to 16384"),
    ],
)
def test_each_thing_that_is_missing_is_told_with_its_remedy(settings: Any, attack: str, remedy: str) -> None:
    (gap,) = gaps(**settings)
    assert attack in gap.attack
    assert remedy in gap.remedy


def test_what_is_swapped_out_counts_for_nobody_without_control_groups() -> None:
    assert "counts for no bot" in gaps(groups=NO_GROUPS, swap_mb=512)[1].attack


def test_the_report_tells_whether_bots_have_users_of_their_own(zone: str) -> None:
    if not offers_bwrap():
        pytest.skip("there are no cells here")
    lines = doctor(zone=zone).splitlines()
    (user,) = [line for line in lines if line.startswith("user ")]
    told = any("use up what the kernel allows a user" in line for line in lines)
    assert (why_none() is None) == ("id of its own" in user) == (not told)


def report_of(machine: Machine = IN_ORDER, *, unevenness: float | None = None) -> doctor_module.Report:
    """What is told of a machine where nothing else was found."""
    return doctor_module.Report(
        versions={},
        levels=(),
        groups=GROUPS,
        own_users=True,
        host=machine,
        jobs=2,
        races=None,
        races_problem="",
        lock_problem="",
        bench=(),
        gaps=(),
        advice=(),
        unevenness=unevenness,
    )


@pytest.mark.parametrize(
    ("stolen", "apart", "row", "advice"),
    [
        (None, None, None, None),
        (0.0, True, "none since the start", None),
        (0.004, True, "0.40% since the start; told: for each process", None),
        (
            0.1,
            True,
            "10.00% since the start; told: for each process",
            "has given 10.0% of the cores to others: use one",
        ),
        (0.1, False, "told: in steps of 10 ms", "tells of it in steps of 10 ms only"),
        (0.1, None, "told: how exactly is not known", "to others: use one"),
    ],
)
def test_what_the_host_takes_away_is_told_and_how_exactly(
    stolen: float | None, apart: bool | None, row: str | None, advice: str | None
) -> None:
    machine = msgspec.structs.replace(IN_ORDER, stolen=stolen, sets_stolen_apart=apart, load=0.0, quota_cores=None)
    report = report_of(machine)
    rows = dict(doctor_module._host_rows(report))
    assert rows.get("stolen time") == row or (row and row in rows["stolen time"])
    told = [text for text in doctor_module._on_host(machine) if "virtual machine" in text]
    assert ([advice in text for text in told] == [True]) if advice else not told


def test_a_lock_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert not doctor_module._lock_problem()
    (tmp_path / f"golfref-{os.geteuid()}").chmod(0o777)
    report = msgspec.structs.replace(report_of(), lock_problem=doctor_module._lock_problem())
    (advice,) = doctor_module._on_timing(report)
    assert "is not a folder that only you can enter" in advice


@pytest.mark.parametrize(("times", "is_much"), [(None, False), (1.04, False), (2.3, True)])
def test_cores_that_are_not_equally_fast_are_told(times: float | None, is_much: bool) -> None:
    report = report_of(unevenness=times)
    row = dict(doctor_module._host_rows(report)).get("speed of cores")
    assert row == (None if times is None else f"the same work takes {times:.2f} times as long at times (p95 to p5)")
    assert [f"{times:.1f} times as long" in text for text in doctor_module._on_cores(report)] == [True] * is_much


def test_every_core_is_timed_and_ours_are_as_before() -> None:
    if not hasattr(os, "sched_setaffinity"):
        assert unevenness() is None
        return
    before = os.sched_getaffinity(0)
    found = unevenness()
    assert found is not None
    assert found >= 1
    assert os.sched_getaffinity(0) == before


def test_the_share_that_is_stolen_is_of_all_time_of_the_cores() -> None:
    stolen = look_at_machine().stolen
    if stolen is None:
        pytest.skip("this system does not tell")
    assert 0 <= stolen < 1


# What the figures mean


def window(*times_us: float, order: tuple[int, ...], disturbed: str = "") -> GivenSlaps:
    reactions = tuple(
        Reaction(seat=seat, target=(0, 0), raw_us=us, wait_us=0.0, corrected_us=us) for seat, us in enumerate(times_us)
    )
    return GivenSlaps(
        round=1,
        window=1,
        asked=tuple(range(SEATS)),
        reactions=reactions,
        lots=(),
        order=order,
        disturbed=disturbed,
    )


def test_times_are_told_behind_the_fastest_of_their_window() -> None:
    moves = (
        window(100, 110, 120, 130, order=(1, 0, 2, 3)),
        window(540, 530, 520, 500, order=(3, 2, 1, 0), disturbed="a bot waited for a core"),
    )
    races = summary([Window(move, None) for move in moves], Scenario(work_us=0), lateness_ms=1.0)
    assert (races.windows, races.disturbed, races.first_by_seat) == (2, 1, (0, 1, 0, 1))
    assert (races.behind_p50_us, races.behind_p99_us) == (30, 40)  # of 10, 20, 20, 30, 30, 40
    assert races.excess_p50_us == races.median_us
    assert races.lateness_ms == 1.0


@pytest.mark.parametrize(
    ("counts", "chance"),
    [
        ((25, 25, 25, 25), 1.0),
        ((20, 20, 30, 30), 0.2615),
        ((40, 20, 20, 20), 0.0074),
        ((100, 0, 0, 0), 0.0),
        ((55, 45), 0.3173),  # one degree: 1
        ((30, 20, 25), 0.3679),  # two: 2
        ((0, 0), 1.0),
    ],
)
def test_chance_is_that_of_chi_square(counts: tuple[int, ...], chance: float) -> None:
    """Compared with a table: with three degrees of freedom a statistic of 4 has 0.2615, one of 12 has 0.0074."""
    assert chance_of(counts) == pytest.approx(chance, abs=5e-5)


def test_a_bench_tells_excess_wins_and_evenness() -> None:
    """The bots of seats 0 and 2 answer within the photo finish; the faster one, at seat 2, is announced first once."""
    moves = [window(520, 600, 400, 700, order=(2, 0, 1, 3)), window(520, 600, 560, 700, order=(0, 2, 1, 3))]
    found = summary([Window(move, 2) for move in moves], Scenario(faster_us=100), lateness_ms=0)
    assert (found.quickest, found.announced) == (0.5, 0.5)
    assert (found.first_by_seat, found.first_by_place) == ((1, 0, 1, 0), (1, 0, 1, 0))
    assert (found.excess_p50_us, found.excess_p99_us) == (100, 200)  # of 0, 20, 20, 100, 100, 160, 200, 200
    identical = summary([Window(moves[0], None)], Scenario(), lateness_ms=0)
    assert (identical.behind_p50_us, identical.behind_p99_us, identical.quickest) == (200, 300, 0)
