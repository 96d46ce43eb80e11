"""Programs that would reach what is not their own: secrets, each other, the host. In a cell they find nothing.

The same programs find it where nothing protects, so that each of these tests can fail. They say on standard error what
they found.
"""

import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest
from arena import Arena
from commands import golfref

from referee.rules.record import GivenSlaps, Record

pytestmark = pytest.mark.isolation

CHANNELS = (
    "loopback", "loopback6", "udp", "abstract", "socket_in_tmp", "file_in_tmp", "file_in_shared_memory",
    "file_in_folder", "fifo_in_folder", "mode_of_file", "times_of_a_device", "fd_of_the_other",
)  # fmt: skip
"""Ways for two bots to talk behind the referee's back; see whispers.py. Others need calls that no cell allows."""

EVERYWHERE = frozenset(CHANNELS) - {"loopback6"}
"""Those that work on any Linux where nothing protects."""

OUT_OF_BOUNDS = {"EPERM", "ENOSYS", "EACCES", "EAFNOSUPPORT", "ENOLCK", "EBADF"}
ROOMY = {"memory_mb": 512, "processes": 128, "files": 256}


OF_WHOM = ("arena", pytest.param("lent_arena", marks=pytest.mark.full))


def findings(record: Record, seat: int = 0) -> dict[str, str]:
    """What a program reports: outcomes by name."""
    return dict(line.split(": ", 1) for line in record.seats[seat].stderr.splitlines() if ": " in line)


def blameless(record: Record) -> bool:
    return all((seat.faults, seat.forfeited) == ({}, False) for seat in record.seats)


# Each other


def whispered(arena: Arena, isolation: str) -> dict[str, str]:
    pair = [arena.bot("whispers", role, arena.word, *CHANNELS) for role in ("say", "hear")]
    record = arena.play(*pair, isolation=isolation, limits=ROOMY, clocks={"move_s": 10.0})
    assert blameless(record), record.seats
    return {name.removeprefix("hear "): heard for name, heard in findings(record, 1).items()}


def test_partners_in_cells_cannot_talk_to_each_other(arena: Arena) -> None:
    heard = whispered(arena, "bwrap")
    assert set(heard) == set(CHANNELS)
    assert {name: text for name, text in heard.items() if arena.word in text} == {}


def test_partners_that_nothing_keeps_apart_talk_to_each_other(arena: Arena) -> None:
    heard = whispered(arena, "none")
    assert EVERYWHERE - {name for name, text in heard.items() if arena.word in text} == set()


# Secrets


def read(arena: Arena, isolation: str, tmp_path: Path) -> str:
    """What a bot finds that looks for a word that the referee, a file, a store and its rival's source hold."""
    secret = f"{arena.word}secret"
    files = [tmp_path / name for name in ("notes.txt", "run.golfref", "rival/bot.py")]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'"""{secret}"""\n' + (arena.folder / "honest.py").read_text())
    (tmp_path / "rival" / "filler.py").write_text((arena.folder / "filler.py").read_text())
    for path in (tmp_path / "rival", *(tmp_path / "rival").iterdir(), *files):
        path.chmod(0o755)
    rival = {"name": "rival", "command": [sys.executable, "-B", "bot.py"], "dir": str(tmp_path / "rival")}
    spy = arena.bot("reads_secrets", f"{secret[:8]}/{secret[8:]}", *map(str, files))
    record = arena.play(
        spy, {**rival, "env": spy["env"]}, isolation=isolation, env={"GOLFREF_SECRET": secret}, clocks={"move_s": 20.0}
    )
    assert blameless(record), record.seats[0].stderr
    return findings(record)["found"]


def test_a_bot_in_a_cell_finds_no_secret(arena: Arena, tmp_path: Path) -> None:
    assert read(arena, "bwrap", tmp_path) == "nothing"


def test_a_bot_that_nothing_holds_finds_every_file(arena: Arena, tmp_path: Path) -> None:
    found = read(arena, "none", tmp_path)
    assert all(f"file {name}" in found for name in ("notes.txt", "run.golfref", "bot.py"))
    assert "memory of a process" in found or os.geteuid(), "root reads the memory of everybody"


# The rival


def test_a_bot_that_nothing_holds_kills_its_rival(arena: Arena, marked: Any) -> None:
    record = arena.play(arena.bot("kills_its_rival"), arena.bot("honest"), isolation="none")
    assert findings(record)["rivals"] == "1"
    assert record.seats[1].forfeited
    assert not marked()


# The host


@pytest.mark.parametrize("of_whom", OF_WHOM)
def test_a_bot_sees_nothing_of_the_host(of_whom: str, request: pytest.FixtureRequest) -> None:
    arena = request.getfixturevalue(of_whom)
    record = arena.play(arena.bot("looks_around"), arena.bot("honest"), clocks={"move_s": 10.0})
    assert blameless(record)
    found = findings(record)
    nothing = dict.fromkeys(("first_process", "writable", "accounts", "devices"), "nothing")
    assert found | nothing == found
    assert found["descriptors"] == "[0, 1, 2]"
    assert found["interfaces"] == "['lo']"
    assert found["host"] == "golf"
    assert found["terminal"] in {"ENXIO", "ENOENT"}
    assert found["new_terminal"] in {"ENOENT", "EACCES"}
    assert found["setuid_programs"] == "False"
    assert set(found["capabilities"]) == {"0"}
    assert found["new privileges"] == "never"
    expected = {"HOME", "PATH", "TMPDIR", "PWD", "GOLFREF_TEST", "LANG", "LC_ALL", "LC_CTYPE", "TZ"}
    assert set(found["environment"].strip("[]").replace("'", "").split(", ")) <= expected
    assert "python" in found["processes"]


def test_a_bot_in_a_cell_cannot_choose_who_dies_when_memory_runs_out(arena: Arena) -> None:
    record = arena.play(arena.bot("chooses_who_dies"), arena.bot("honest"))
    assert blameless(record)
    assert findings(record) == {"last to die": "EROFS", "killed first": "1000", "writable": "nothing"}


def test_a_bot_in_a_cell_that_crashes_starts_no_program_of_the_host(arena: Arena) -> None:
    """For which its limit of core dumps must be 1 byte: with 0 the kernel starts what `core_pattern` names, as root."""
    record = arena.play(arena.bot("dumps_core", "lowers"), arena.bot("honest"))
    assert (record.seats[0].faults, record.seats[1].faults) == ({"crashed": 1}, {})
    found = findings(record)
    assert {name: found.pop(name) for name in ("core", "real time", "nice")} == {
        "core": "1",
        "real time": "0",
        "nice": "0",
    }
    assert set(found.values()) == {"refused"}


@pytest.mark.parametrize("isolation", ["limits", "none"])
def test_outside_a_cell_only_the_limits_bound_core_dumps(arena: Arena, isolation: str) -> None:
    record = arena.play(arena.bot("dumps_core"), arena.bot("honest"), isolation=isolation)
    here = resource.getrlimit(resource.RLIMIT_CORE)[0]
    unchanged = "unlimited" if here == resource.RLIM_INFINITY else str(here)
    assert findings(record)["core"] == ("1" if isolation == "limits" else unchanged)


def test_no_file_of_a_cell_tells_what_others_do(arena: Arena) -> None:
    record = arena.play(arena.bot("counts_the_host"), arena.bot("honest"), limits=ROOMY | {"tmp_mb": 32})
    assert blameless(record)
    found = findings(record)
    assert int(found["read"]) > 100
    assert (found["process"], found.get("child", "EINVAL")) == ("ENOSYS", "EINVAL")
    assert (found["socket"], found["network"]) == ("ENOPROTOOPT", "ENOPROTOOPT")
    no_bot_changes = {
        "/proc/cgroups", "/proc/cpuinfo", "/proc/driver/rtc", "/proc/key-users", "/proc/locks", "/proc/modules",
        "/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/random/entropy_avail", "/proc/sys/kernel/random/uuid",
    }  # fmt: skip
    assert set(found["changed"].split()) - no_bot_changes == set()


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the programs know the numbers of x86-64")
@pytest.mark.parametrize("of_whom", OF_WHOM)
def test_no_system_call_leads_out_of_a_cell(of_whom: str, request: pytest.FixtureRequest) -> None:
    arena = request.getfixturevalue(of_whom)
    record = arena.play(arena.bot("calls_the_kernel"), arena.bot("honest"))
    assert blameless(record)
    found = findings(record)
    assert found.pop("kill the first process") in {"EPERM", "done"}  # done: and without effect, for the match went on
    assert found.pop("preadv2 RWF_NOWAIT") == "95"  # EOPNOTSUPP, upon which programs read as ever
    assert found.pop("prctl PR_SET_PDEATHSIG SIGKILL") == "done"
    assert found.pop("setuid") in {"EPERM", "EINVAL"}  # EINVAL: there is no such user in the cell
    assert {found.pop("seccomp"), found.pop("prctl PR_SET_SECCOMP")} == {"EINVAL"}
    assert len(found) > 50
    assert {name: outcome for name, outcome in found.items() if outcome not in OUT_OF_BOUNDS} == {}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the programs know the numbers of x86-64")
@pytest.mark.parametrize("words", [("calls_in_32_bits",), ("calls_the_kernel", "x32 getpid")])
def test_system_calls_by_other_numbers_end_the_bot(arena: Arena, words: tuple[str, ...]) -> None:
    record = arena.play(arena.bot(*words), arena.bot("honest"))
    assert record.seats[0].faults == {"crashed": 1}
    assert record.seats[1].faults == {}
    assert "result" not in record.seats[0].stderr


# What is said of it


def test_a_slap_before_its_window_wins_nothing(arena: Arena) -> None:
    record = arena.play(arena.bot("slaps_too_early"), arena.bot("honest"), preset="cactus")
    windows = [move for move in record.moves if isinstance(move, GivenSlaps)]
    assert record.seats[0].unasked_lines > 20
    assert {reaction.target for window in windows for reaction in window.reactions if reaction.seat == 0} == {None}
    assert blameless(record)


def golfref_match(arena: Arena, tmp_path: Path, *words: str, isolation: str = "bwrap") -> str:
    """All that `golfref match` prints, and its record."""
    arena.needs(isolation)
    bots = [" ".join(arena.command(*one)) for one in (words, ("honest",))]
    options = ["--isolation", isolation, "--record", str(tmp_path / "record.json"), "-o", "rounds=1", "--show-stderr"]
    words = ("match", "--variant", "six-card", "--bot", bots[0], "--bot", bots[1], *options)
    return "".join(golfref(*words, cwd=arena.folder)) + (tmp_path / "record.json").read_text()


def test_what_a_bot_says_of_itself_cannot_steer_a_terminal(arena: Arena, tmp_path: Path) -> None:
    text = golfref_match(arena, tmp_path, "steers_the_terminal")
    assert "bad_message" in text
    assert "owned" in text
    assert {letter for letter in text if not letter.isprintable()} <= {"\n"}


def test_a_bot_in_a_cell_cannot_write_into_the_log_of_the_referee(arena: Arena, tmp_path: Path) -> None:
    text = golfref_match(arena, tmp_path, "forges_the_log", arena.word)
    assert f"void, says {arena.word}" not in "\n".join(
        line for line in text.splitlines() if not line.startswith("  | ")
    )
    assert "  | forged:" in text


@pytest.mark.skipif(os.geteuid() != 0, reason="the referee's descriptors are closed to others of its user")
def test_a_bot_of_root_that_nothing_holds_writes_into_the_log_of_the_referee(arena: Arena, tmp_path: Path) -> None:
    text = golfref_match(arena, tmp_path, "forges_the_log", arena.word, isolation="none")
    assert f"\ngolfref: void, says {arena.word}\n" in f"\n{text}"
