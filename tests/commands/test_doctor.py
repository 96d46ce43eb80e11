"""`golfref doctor`: what it prints of a machine, once of this one and else of machines that are made up."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.commands import doctor as doctor_module
from referee.play.isolation import levels
from referee.play.isolation.levels import NoBubblewrap, bubblewrap
from referee.play.isolation.users import NoUsers
from referee.rules.record import GivenSlaps, Reaction
from referee.trials.evenness import unevenness
from referee.trials.gaps import Gap, Groups, find_gaps
from referee.trials.machine import Machine, look_at_machine
from referee.trials.races import SEATS, Scenario, Window, chance_of, summary
from referee.trials.starts import Start

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere bubblewrap is missing for another reason")


def test_this_machine_is_looked_at_and_tried_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_module, "USUAL_WINDOWS", 4)
    monkeypatch.setattr(doctor_module, "FASTER_US", (100,))
    monkeypatch.setattr("referee.trials.starts.STARTS", 1)

    assert doctor_module.examine(as_json=True, races=1) == 0

    report = msgspec.json.decode(capsys.readouterr().out, type=doctor_module.Report)
    assert report.versions["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert {level.name: level.available for level in report.levels} == {
        "none": True,
        "limits": True,
        "bwrap": offers_bwrap(),
    }
    assert all((level.start_ms is not None) == level.available for level in report.levels)
    assert report.host.root == (os.geteuid() == 0)
    assert 1 <= report.jobs <= report.host.cores
    assert report.races is not None
    assert report.races.level == ("bwrap" if offers_bwrap() else "limits")
    assert report.races.windows == 4
    assert 0 < sum(report.races.first_by_seat) <= 4  # a slap may come too late on a busy host
    assert [(one.slap_timing, one.faster_us, one.windows) for one in report.bench] == [
        ("isolated", 100, 1),
        ("broadcast", 100, 1),
    ]
    assert report.advice == tuple(doctor_module._advice(report))


def offers_bwrap() -> bool:
    try:
        return bool(bubblewrap())
    except NoBubblewrap:
        return False


@ON_LINUX
def test_without_bubblewrap_the_command_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(levels, "_known", [])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoBubblewrap, match=r"^bubblewrap is not installed; apt-get install bubblewrap") as caught:
        bubblewrap.__wrapped__()

    (level,) = doctor_module._levels([], caught.value)
    (advice,) = doctor_module._on_isolation(report_of(levels=(level,)))
    assert advice.startswith("`bwrap` is not available: bubblewrap is not installed. To get it: apt-get install bubb")
    assert advice.endswith(" Without it, referee only bots that you trust.")


@ON_LINUX
def test_a_bubblewrap_that_cannot_build_a_cell_is_told_in_its_own_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on Ubuntu 24.04, where AppArmor refuses."""
    monkeypatch.setattr(levels, "_known", [])
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "bwrap").write_text("""#!/bin/sh
case $1 in
    --version) echo bubblewrap 0.9.0 ;;
    --help) echo "--args --size --perms --json-status-fd --seccomp --clearenv --cap-drop" ;;
    *) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1 ;;
esac
""")
    (tmp_path / "bwrap").chmod(0o755)

    words = r"bubblewrap cannot build a cell here \(bwrap: setting up uid map: Permission denied\).* AppArmor"
    with pytest.raises(NoBubblewrap, match=words):
        bubblewrap.__wrapped__()


def test_where_no_bot_can_be_started_the_exit_code_is_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = Start(level="limits", start_ms=None, problem="cannot start python3")
    report = report_of(levels=tuple(doctor_module._levels([failed], None)), races=None)
    found = msgspec.structs.replace(report, advice=tuple(doctor_module._advice(report)))
    monkeypatch.setattr(doctor_module, "_report", lambda _: found)

    assert doctor_module.examine(as_json=False) == 3

    lines = capsys.readouterr().out.splitlines()
    assert "Slap races: none could be played" in lines
    assert "1. `limits` is not available: cannot start python3." in lines
    assert [line.split() for line in lines if line.startswith("limits")] == [["limits", "no", "-"]]


# What is printed of a machine


def test_each_part_of_a_report_has_its_lines() -> None:
    started = Start(level="bwrap", start_ms=31.4, problem="")
    report = report_of(levels=tuple(doctor_module._levels([started], None)), bench=(RACES, FASTER))

    text = "\n".join(doctor_module._lines(report))

    versions = dict.fromkeys("abcdef", "1") | {"g": ""}
    first, second, *_ = doctor_module._lines(msgspec.structs.replace(report, versions=versions))
    assert (first, second) == ("a 1, b 1, c 1, d 1, e 1, f 1", "no g")
    for row in (
        r"bwrap +yes +31 ms",
        r"user +an ordinary user: under `bwrap` every bot gets a subordinate user id of its own",
        r"control groups +version 2: bound memory and processes of each bot",
        r"cores +4; load 0; advice: jobs = 2",
        r"memory +8000 MB, swap off",
        r"shares of cores +the same for every bot",
        r"Slap races: 40 windows between 4 identical Python bots under `\w+`",
        r"behind the fastest +p50 20 us, p90 30 us, p99 30 us; below 50 us the lot decides",
        r"first, by seat +1 1 1 1 \(chi-square p = 1\)",
        r"disturbed +4 windows; 0 slaps too late",
        r"referee's lateness +1.5 ms at worst",
        r"40 windows of each kind; a bot computes for \d+ us, and one of them for less:",
        r"isolated +identical +\d+ +\d+ +\d+ +1.000 +1.000 +10.0%",
        r"broadcast +100 +\d+ +\d+ +\d+ +75.0% +10.0%",
        r"Strangers' bots: nothing is missing here that golfref needs to keep them in.",
        r"Nothing else needs to be put right.",
    ):
        assert re.search(f"^{row}$", text, re.MULTILINE), (row, text)


@pytest.mark.parametrize(
    ("changed", "advice"),
    [
        ({"races": None, "races_problem": "no room"}, "Slap races cannot be timed: no room."),
        ({"chance_seat": 0.0001}, "some seats were announced first too often (p = 0.0001): run it again."),
        ({"disturbed": 5}, "Times are noisy."),
        ({"behind_p50_us": 51.0}, "Times are noisy."),
        ({"lateness_ms": 101.0}, "The referee itself was kept waiting for 101 ms"),
        ({"wait_times": False}, "The system does not tell how long a bot waited for a core"),
        ({"load": 2.5}, "The machine is busy (load 2.5 on 4 cores)"),
        ({"quota_cores": 1.5}, "limits computing to 1.5 cores"),
        ({"ptrace_scope": 0}, "kernel.yama.ptrace_scope=1"),
        ({"child_lists": False}, "The system lists no children of processes"),
        ({"unevenness": 1.4}, "The same work takes 1.4 times as long on some core or at times"),
    ],
)
def test_each_thing_to_put_right_has_its_advice(changed: dict[str, Any], advice: str) -> None:
    assert not list(doctor_module._advice(report_of()))
    (told,) = doctor_module._advice(report_of(**changed))
    assert advice in told


# What strangers could do


IN_ORDER = msgspec.structs.replace(
    look_at_machine(),
    root=False,
    cores=4,
    quota_cores=None,
    load=0.0,
    stolen=None,
    wait_times=True,
    ptrace_scope=1,
    child_lists=True,
    memory_mb=8000,
    swap_mb=0,
    autogroup=True,
    has_core_handler=False,
    overcommit=0,
    kills_asker=False,
    panics=False,
    most_files=10_000_000,
    most_processes=1 << 22,
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
        ({"no_users": NO_USERS}, "plays no bots of several owners here", "apt-get install uidmap"),
        ({"groups": NO_GROUPS}, "Nothing bounds the kernel's own memory", "log in by ssh"),
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


# A report that is made up


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


ORDERS = ((0, 1, 2, 3), (1, 0, 2, 3), (2, 0, 1, 3), (3, 0, 1, 2))
RACES = msgspec.structs.replace(
    summary([Window(window(500, 510, 520, 530, order=order), None) for order in ORDERS], Scenario(), lateness_ms=1.5),
    windows=40,
    disturbed=4,
)
FASTER = msgspec.structs.replace(RACES, slap_timing="broadcast", faster_us=100, announced=0.75)


def report_of(**changed: Any) -> doctor_module.Report:
    """What is told of a machine on which nothing is to be put right, but for what is changed: of any part of it."""
    report = doctor_module.Report(
        versions={},
        levels=(),
        groups=GROUPS,
        own_users=True,
        jobs=2,
        races_problem="",
        lock_problem="",
        bench=(),
        gaps=(),
        advice=(),
        unevenness=None,
        host=IN_ORDER,
        races=RACES,
    )
    for name, value in changed.items():
        if name in doctor_module.Report.__struct_fields__:
            report = msgspec.structs.replace(report, **{name: value})
        elif name in Machine.__struct_fields__:
            report = msgspec.structs.replace(report, host=msgspec.structs.replace(report.host, **{name: value}))
        else:
            report = msgspec.structs.replace(report, races=msgspec.structs.replace(RACES, **{name: value}))
    return report


@pytest.mark.parametrize(
    ("stolen", "apart", "row", "advice"),
    [
        (None, None, "", ""),
        (0.0, True, "none since the start", ""),
        (0.004, True, "0.40% since the start; told: for each process", ""),
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
    stolen: float | None, apart: bool | None, row: str, advice: str
) -> None:
    report = report_of(stolen=stolen, sets_stolen_apart=apart)
    rows = dict(doctor_module._host_rows(report))
    assert (row in rows["stolen time"]) if row else ("stolen time" not in rows)
    assert [advice in text for text in doctor_module._advice(report)] == [True] * bool(advice)


def test_a_lock_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert not doctor_module._lock_problem()
    (tmp_path / f"golfref-{os.geteuid()}").chmod(0o777)
    report = msgspec.structs.replace(report_of(), lock_problem=doctor_module._lock_problem())
    (advice,) = doctor_module._on_timing(report)
    assert "is not a folder that only you can enter" in advice


def test_the_speed_of_cores_has_its_row() -> None:
    row = dict(doctor_module._host_rows(report_of(unevenness=1.04)))["speed of cores"]
    assert row == "the same work takes 1.04 times as long at times (p95 to p5)"


def test_every_core_is_timed_and_ours_are_as_before() -> None:
    if not hasattr(os, "sched_setaffinity"):
        assert unevenness() is None
        return
    before = os.sched_getaffinity(0)
    found = unevenness()
    assert found is not None
    assert found >= 1
    assert os.sched_getaffinity(0) == before


# What the figures mean


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
