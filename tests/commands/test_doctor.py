"""`golfref doctor`: its verdicts, once on this host and else on hosts that are made up, each gap with its command."""

import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.commands import doctor as doctor_module
from referee.play.faults import HostFault, Missing
from referee.play.sandbox import fixes, levels, users
from referee.play.sandbox.levels import bubblewrap
from referee.rules.record import GivenSlaps, Reaction
from referee.trials.evenness import unevenness
from referee.trials.machine import Machine
from referee.trials.races import SEATS, USUAL_WINDOWS, Scenario, Window, chance_of, summary
from referee.trials.starts import Level
from referee.trials.verdicts import Findings, Gap, Groups, Verdict, is_uneven, verdicts

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere bubblewrap is missing for another reason")


class Document(Findings, frozen=True, kw_only=True):
    """What `doctor --json` prints."""

    verdicts: tuple[Verdict, ...]


def test_this_host_is_tried_out_with_real_bots(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_module, "USUAL_S", 0.0)  # one match, and no more
    monkeypatch.setattr(doctor_module, "is_uneven", lambda _: True)  # so that the races are played again
    monkeypatch.setattr("referee.trials.starts.STARTS", 1)

    assert doctor_module.doctor(as_json=True) == 0

    found = msgspec.json.decode(capsys.readouterr().out, type=Document)
    assert found.versions["Python"] == ".".join(map(str, sys.version_info[:3]))
    available = {level.name: level.available for level in found.levels}
    assert available == {"none": True, "limits": True, "bwrap": offers_bwrap()}
    assert all((level.start_ms is not None) == level.available for level in found.levels)
    assert found.host.root == (os.geteuid() == 0)
    assert 1 <= found.jobs <= found.host.cores
    for races in (found.races, found.races_again):
        assert races is not None
        assert races.level == ("bwrap" if offers_bwrap() else "limits")
        assert 0 < races.windows < USUAL_WINDOWS / 2
        assert sum(races.first_by_seat) <= races.windows  # a slap may come too late on a busy host
    assert [verdict.purpose for verdict in found.verdicts] == ["your own bots", "strangers' bots", "timed slaps"]
    assert found.verdicts[0].summary == "yes"
    assert found.verdicts[1].able == (offers_bwrap() and found.own_users)


def offers_bwrap() -> bool:
    try:
        return bool(bubblewrap())
    except Missing:
        return False


# The one command, on each system


DEBIAN = {"ID": "debian"}
UBUNTU = {"ID": "ubuntu", "ID_LIKE": "debian"}
FEDORA = {"ID": "fedora"}


@pytest.mark.parametrize(
    ("release", "command"),
    [
        (DEBIAN, "sudo apt install bubblewrap libseccomp2 uidmap"),
        (UBUNTU, "sudo apt install bubblewrap libseccomp2 uidmap"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "sudo apt install bubblewrap libseccomp2 uidmap"),
        (FEDORA, "sudo dnf install bubblewrap libseccomp shadow-utils"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "sudo dnf install bubblewrap libseccomp shadow-utils"),
        ({"ID": "arch"}, "sudo pacman -S bubblewrap libseccomp shadow"),
        ({"ID": "nixos"}, "install bubblewrap, libseccomp2, uidmap (so Debian names the packages)"),
        ({}, "install bubblewrap, libseccomp2, uidmap (so Debian names the packages)"),
    ],
)
def test_packages_are_installed_by_the_command_of_the_system(
    monkeypatch: pytest.MonkeyPatch, release: dict[str, str], command: str
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert fixes.install("bubblewrap", "libseccomp2", "uidmap") == command
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert fixes.install("bubblewrap", "libseccomp2", "uidmap") == command.removeprefix("sudo ")


@pytest.mark.parametrize(
    ("parameter", "value", "command"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", 1, "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", 0, "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", 0, "user.max_user_namespaces=15000"),
    ],
)
@ON_LINUX
def test_a_kernel_that_refuses_user_namespaces_is_set_to_allow_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parameter: str, value: int, command: str
) -> None:
    """The first is Ubuntu's since 24.04, by AppArmor."""
    monkeypatch.setattr(fixes, "number", {f"/proc/sys/{parameter}": value}.get)
    monkeypatch.setattr(levels, "take_user", lambda: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "bwrap").write_text("""#!/bin/sh
case $1 in
    --version) echo bubblewrap 0.9.0 ;;
    --help) echo "--args --size --perms --json-status-fd --seccomp --clearenv --cap-drop --disable-userns" ;;
    *) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1 ;;
esac
""")
    (tmp_path / "bwrap").chmod(0o755)

    with pytest.raises(Missing) as caught:
        bubblewrap.__wrapped__()
    assert caught.value.reason == "bubblewrap cannot build a cell here (bwrap: setting up uid map: Permission denied)"
    assert caught.value.remedy == f"sudo sysctl -w {command}"
    assert users._cannot("").remedy == f"sudo sysctl -w {command}"


def test_ubuntus_profile_that_keeps_bots_from_their_user_ids_is_unloaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    profile = tmp_path / "bwrap-userns-restrict"
    monkeypatch.setattr(fixes, "_BWRAP_PROFILE", profile)
    monkeypatch.setattr(fixes, "number", lambda _: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert users._cannot("").remedy.startswith("install util-linux 2.38 or later")
    profile.touch()
    assert users._cannot("").remedy == f"sudo apparmor_parser -R {profile}"


@ON_LINUX
def test_without_bubblewrap_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: DEBIAN)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match=r"^bubblewrap is not installed; (sudo )?apt install bubblewrap$"):
        bubblewrap.__wrapped__()


def test_control_groups_are_had_from_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert fixes.delegate_group() == "systemd-run --scope -p Delegate=yes golfref ..."
    monkeypatch.setattr(os, "geteuid", lambda: 1001)
    monkeypatch.setattr(Path, "is_dir", lambda folder: folder == Path("/run/user/1001"))
    assert fixes.delegate_group() == "systemd-run --user --scope -p Delegate=yes golfref ..."
    monkeypatch.setattr(Path, "is_dir", lambda _: False)  # as after `su`
    assert fixes.delegate_group() == "sudo loginctl enable-linger 1001"


# Verdicts


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary user, whose commands begin with sudo."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


def test_a_host_without_gaps_serves_all_three_purposes(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(findings(), capsys)[:5] == [
        "your own bots:   yes",
        "strangers' bots: yes",
        "timed slaps:     yes; fair: the seats come first equally often",
        "",
        "golfref 0.9.0, no bubblewrap",
    ]
    assert gaps(root=True, parameters={"fs.file-max": 1000}) == []


@pytest.mark.usefixtures("as_user")
def test_a_no_has_its_reason_and_below_it_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(levels=(NONE, LIMITS, NO_BWRAP), swap_mb=512, **NO_USERS)
    assert printed(found, capsys)[:9] == [
        "your own bots:   yes",
        "strangers' bots: no, because bubblewrap is not installed; and because newuidmap is not installed",
        "    sudo apt install bubblewrap",
        "    sudo apt install uidmap",
        "timed slaps:     yes; fair: the seats come first equally often",
        "",
        "What could be better:",
        "1. For strangers' bots: a bot that takes much memory makes the host swap, which slows the other bots",
        "    sudo swapoff -a",
    ]


def test_what_one_command_mends_is_named_once() -> None:
    (gap,) = gaps(levels=(NONE, LIMITS, NO_BWRAP), users_problem="refused", users_remedy=NO_BWRAP.remedy)
    assert gap.problem == "bubblewrap is not installed"


def test_where_no_bot_can_be_started_the_exit_code_is_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = tuple(Level(name=name, available=False, problem="cannot start python3") for name in ("limits", "bwrap"))
    found = findings(levels=failed, races=None, races_problem="no bot starts")
    monkeypatch.setattr(doctor_module, "_look", lambda _: found)

    assert doctor_module.doctor() == 3

    assert capsys.readouterr().out.splitlines()[:3] == [
        "your own bots:   no, because no bot starts under `limits`: cannot start python3",
        "strangers' bots: no, because cannot start python3",
        "timed slaps:     no, because no slap race could be played: no bot starts",
    ]


NO_GROUPS = Groups(version=None, abilities=(), problem="there is no systemd", remedy="ssh golfer@localhost")
NO_USERS = {"users_problem": "newuidmap is not installed", "users_remedy": "sudo apt install uidmap"}


OWN, STRANGERS, SLAPS = "your own bots", "strangers' bots", "timed slaps"
NOT_SHARED = "use a machine whose cores are its own"
BARRING = [
    ({"levels": "limits"}, OWN, "no bot starts under `limits`: cannot fork", ""),
    ({"levels": "bwrap"}, STRANGERS, "bubblewrap is not installed", "sudo apt install bubblewrap"),
    (NO_USERS, STRANGERS, "newuidmap is not installed", "sudo apt install uidmap"),
    ({"races": None, "races_problem": "no room"}, SLAPS, "no slap race could be played: no room", ""),
    ({"lock_problem": "not yours"}, SLAPS, "runs cannot take turns in timing slaps: not yours", ""),
    ({"disturbed": 25}, SLAPS, "62% of the windows were disturbed", "stop them (`top` lists them)"),
    ({"behind_p50_us": 51.0}, SLAPS, "identical bots lie 51 us apart", "stop other programs"),
]
WORSE = [
    ({"child_lists": False}, OWN, "a process may escape its bot", "use a kernel with CONFIG_PROC_CHILDREN"),
    ({"groups": NO_GROUPS}, STRANGERS, "memory than `memory_mb`: there is no systemd", "ssh golfer@localhost"),
    ({"swap_mb": 512}, STRANGERS, "makes the host swap", "sudo swapoff -a"),
    ({"autogroup": False}, STRANGERS, "gets more of the cores", "sudo sysctl -w kernel.sched_autogroup_enabled=1"),
    ({"has_core_handler": True}, STRANGERS, "runs as root", "sudo sysctl -w kernel.core_pattern=core"),
    ({"user_processes": 4096}, STRANGERS, "processes of your user", "sudo prlimit --pid $$ --nproc=16384"),
    ({"disturbed": 5}, SLAPS, "12% of the windows were disturbed", "stop them (`top` lists them)"),
    ({"lateness_ms": 101.0}, SLAPS, "up to 101 ms late", "stop them (`top` lists them)"),
    ({"load": 2.5}, SLAPS, "the load is 2.5 on 4 cores", "stop them (`top` lists them)"),
    ({"wait_times": False}, SLAPS, "falsify slap times", "use Linux with CONFIG_SCHED_INFO"),
    ({"stolen": 0.1}, SLAPS, "has given 10.0% of the cores to others", NOT_SHARED),
    ({"quota_cores": 1.5}, SLAPS, "more than 1.5 cores", "raise its limit (cpu.max; "),
    ({"unevenness": 1.4}, SLAPS, "takes 1.4 times as long", NOT_SHARED),
    ({"unevenness": 1.4, "governor": "powersave"}, SLAPS, "1.4 times", "echo performance | sudo tee /sys/devices/"),
]


@pytest.mark.usefixtures("as_user")
@pytest.mark.parametrize(
    ("changed", "purpose", "problem", "remedy", "bars"),
    [*((*row, True) for row in BARRING), *((*row, False) for row in WORSE)],
)
def test_each_gap_has_its_remedy(changed: dict[str, Any], purpose: str, problem: str, remedy: str, bars: bool) -> None:
    missing = {"limits": (NONE, NO_LIMITS, BWRAP), "bwrap": (NONE, LIMITS, NO_BWRAP)}
    found = findings(**changed | ({"levels": missing[changed["levels"]]} if "levels" in changed else {}))
    ((gap, verdict),) = ((gap, verdict) for verdict in verdicts(found) for gap in verdict.gaps)
    assert (verdict.purpose, verdict.able, gap.bars) == (purpose, not bars, bars)
    assert verdict.summary == f"no, because {gap.problem}" if bars else verdict.summary.startswith("yes")
    assert problem in gap.problem
    assert gap.remedy.startswith(remedy)


@pytest.mark.usefixtures("as_user")
@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("kernel.yama.ptrace_scope", 0, 1),
        ("vm.overcommit_memory", 2, 0),
        ("vm.oom_kill_allocating_task", 1, 0),
        ("vm.panic_on_oom", 2, 0),
        ("fs.file-max", 200_000, 2_097_152),
        ("kernel.pid_max", 4096, 16384),
        ("kernel.threads-max", 4096, 16384),
    ],
)
def test_each_bad_parameter_of_the_kernel_is_set(name: str, bad: int, good: int) -> None:
    assert gaps(parameters={name: good}) == []
    (gap,) = gaps(parameters={name: bad})
    assert gap.remedy == f"sudo sysctl -w {name}={good}"


def test_races_are_unfair_only_if_they_are_uneven_twice() -> None:
    even, uneven = (replace(RACES, chance_seat=chance) for chance in (0.03, 0.0001))
    assert [is_uneven(even), is_uneven(uneven)] == [False, True]
    assert gaps(races=even) == []
    assert gaps(races=uneven, races_again=even) == []
    (gap,) = gaps(races=uneven, races_again=uneven)
    assert gap.bars
    assert "it is unfair: among identical bots some seats come first more often" in gap.problem
    assert "(1-1-1-1 and 1-1-1-1 by seat)" in gap.problem


def test_details_stand_below_the_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(stolen=0.004, sets_stolen_apart=True, unevenness=1.04, races_again=RACES)
    text = "\n".join(printed(found, capsys))
    for row in (
        r"a Python bot starts in +`none` 10 ms, `limits` 12 ms, `bwrap` 31 ms",
        r"user +an ordinary user; under `bwrap` bots have user ids of their own",
        r"control groups +version 2: memory, processes, freeze, kill, cpu",
        r"cores +4; load 0; play with jobs = 4",
        r"memory +8000 MB, swap off",
        r"stolen time +0.40% since the start, counted for each process",
        r"speed of cores +the same work takes 1.04 times as long at times \(p95 to p5\)",
        r"slap races +40 windows between 4 identical Python bots under `\w+`; a slap took 520 us \(median, corrected\)",
        r"behind the fastest +p50 20 us, p90 30 us, p99 30 us; below 50 us the lot decides",
        r"first, by seat +1 1 1 1; again: 1 1 1 1",
        r"disturbed +4 windows; 0 slaps too late; the referee was up to 1.5 ms late",
    ):
        assert re.search(f"^{row}$", text, re.MULTILINE), (row, text)


def test_a_lock_that_cannot_be_had_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert not doctor_module._why_no_lock()
    (tmp_path / f"golfref-{os.geteuid()}").chmod(0o777)
    assert "is not a folder that only you can enter" in doctor_module._why_no_lock()


def test_a_host_that_is_full_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> Missing | None:
        raise HostFault("the host cannot start another process")

    monkeypatch.setattr(doctor_module, "why_none", full)
    monkeypatch.setattr(sys, "platform", "linux")
    assert doctor_module._why_no_users()[0] == "the host cannot start another process"


# Hosts that are made up


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
RACES = replace(
    summary([Window(window(500, 510, 520, 530, order=order), None) for order in ORDERS], Scenario(), lateness_ms=1.5),
    windows=40,
    disturbed=4,
)
NONE = Level(name="none", available=True, start_ms=10.2)
LIMITS = Level(name="limits", available=True, start_ms=11.9)
BWRAP = Level(name="bwrap", available=True, start_ms=31.4)
NO_LIMITS = Level(name="limits", available=False, problem="cannot fork")
NO_BWRAP = Level(
    name="bwrap", available=False, problem="bubblewrap is not installed", remedy="sudo apt install bubblewrap"
)
HOST = Machine(
    root=False,
    cores=4,
    quota_cores=None,
    load=0.0,
    memory_mb=8000,
    swap_mb=0,
    autogroup=True,
    child_lists=True,
    wait_times=True,
    stolen=None,
    sets_stolen_apart=None,
    has_core_handler=False,
    parameters={},
    user_processes=None,
    governor=None,
)
FINDINGS = Findings(
    versions={"golfref": "0.9.0", "bubblewrap": ""},
    levels=(NONE, LIMITS, BWRAP),
    groups=Groups(version=2, abilities=("memory", "processes", "freeze", "kill", "cpu"), problem="", remedy=""),
    own_users=True,
    users_problem="",
    users_remedy="",
    host=HOST,
    jobs=4,
    races=RACES,
    races_again=None,
    races_problem="",
    lock_problem="",
    unevenness=None,
)


def findings(**changed: Any) -> Findings:
    """A host without gaps, but for what is changed: of any part of it."""
    found = FINDINGS
    for name, value in changed.items():
        if name in Findings.__struct_fields__:
            found = replace(found, **{name: value})
        elif name in Machine.__struct_fields__:
            found = replace(found, host=replace(found.host, **{name: value}))
        else:
            found = replace(found, races=replace(RACES, **{name: value}))
    return found


def gaps(**changed: Any) -> list[Gap]:
    return [gap for verdict in verdicts(findings(**changed)) for gap in verdict.gaps]


def printed(found: Findings, capsys: pytest.CaptureFixture[str]) -> list[str]:
    doctor_module.show(found)
    return capsys.readouterr().out.splitlines()


def test_every_core_is_timed_and_ours_are_as_before() -> None:
    if not hasattr(os, "sched_setaffinity"):
        assert unevenness() is None
        return
    before = os.sched_getaffinity(0)
    found = unevenness()
    assert found is not None
    assert found >= 1
    assert os.sched_getaffinity(0) == before


def test_a_clock_that_is_too_coarse_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.thread_time_ns", lambda: 0)
    assert unevenness() is None


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
    ("counts", "chance"), [((20, 20, 30, 30), 0.2615), ((40, 20, 20, 20), 0.0074), ((100, 0, 0, 0), 0.0), ((0, 0), 1.0)]
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
