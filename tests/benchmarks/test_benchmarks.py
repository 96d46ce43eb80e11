"""The benchmarks run: every part with tiny counts, through the command line. How fast anything is, is not asked."""

import os
import subprocess
import sys
from errno import EPERM
from pathlib import Path

import pytest
from needs import need_bubblewrap, need_compiler, need_libbpf, need_modules

BENCHMARKS = Path(__file__).parent

MANAGER = """
import subprocess, sys

words = sys.argv[1:]
engines = [word.removeprefix("cmd=") for word in words if word.startswith("cmd=")]
games = int(words[words.index("-rounds") + 1]) * 2
for _ in range(games):
    players = [subprocess.Popen([cmd], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for cmd in engines]
    for player in players:
        print("uci\\nisready\\nucinewgame", file=player.stdin, flush=True)
        while player.stdout.readline() != "readyok\\n":
            pass
    moves = []
    for ply in range(96):
        player = players[ply % 2]
        print("position startpos" + " moves" * bool(moves), *moves, file=player.stdin)
        print("go wtime 1000 btime 1000", file=player.stdin, flush=True)
        while not (line := player.stdout.readline()).startswith("bestmove"):
            assert line.startswith("info"), line
        moves.append(line.split()[1])
    assert moves[:4] == ["g1h3", "b8a6", "h3f4", "a6b4"], moves
    assert moves[:48] == moves[48:], moves
    for player in players:
        player.communicate("quit\\n")
"""
"""Stands in for fastchess: it takes the same command line, and checks the engines' game."""


@pytest.fixture
def manager(tmp_path: Path) -> str:
    """The path of what stands in for fastchess."""
    path = tmp_path / "manager"
    path.write_text(f"#!{sys.executable}\n{MANAGER}")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(autouse=True)
def _compiler() -> None:
    need_compiler()


def run(name: str, *arguments: str) -> str:
    """What a benchmark prints."""
    command = [sys.executable, str(BENCHMARKS / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_throughput_prints_every_ratio_with_its_aim(manager: str) -> None:
    told = run("throughput.py", "--quick", "--fastchess", manager, "--old", str(BENCHMARKS.parents[1]))
    for ratio in (
        "of the bare C loop, 1 match",
        "of the bare C loop, 4 matches",
        "r to the bare Python loop's, 4",
        "to stock trio streams, 4 matches",
        "to fastchess, 4 at a time",
        "r to the old referee's, 4",
    ):
        (line,) = (line for line in told.splitlines() if line.startswith(ratio))
        assert " at least " in line or " at most " in line


def test_whole_runs_are_told_by_part() -> None:
    told = run("tournament.py", "--quick", "--only", "greedy, six-card", "--old", str(BENCHMARKS.parents[1]))
    assert "not measured" not in told, told
    rows = [line for line in told.splitlines() if line.startswith("greedy, six-card, limits, 36")]
    figures, parts, starts, compared = (row.removeprefix("greedy, six-card, limits, 36").split() for row in rows)
    assert figures[8:10] == ["at", "least"]
    referee_s = float(figures[5])
    assert sum(map(float, parts)) == pytest.approx(referee_s, abs=0.01 * len(parts))
    assert float(parts[0]) > 0, "the start takes some time"
    assert starts[0] == "20", "four bots are greeted, then they play four matches"
    assert len(compared) == 8


def test_tournament_managers_play_beside_a_whole_tournament(manager: str) -> None:
    told = run("tournament.py", "--quick", "--only", "nothing", "--fastchess", manager).splitlines()
    rows = [line.split() for line in told if line.startswith("fastchess, ")]
    assert [row[1] for row in rows] == ["whole", "without"]
    assert all(row[-4:-1] == ["at", "least", "2"] for row in rows)


def test_playouts_print_the_ratios_of_every_way() -> None:
    need_modules("rlcard", "pyspiel", extra="bench")
    told = run("playouts.py", "--seconds", "0.001", "--repetitions", "1", "cactus", "par-3").splitlines()
    assert told[0].startswith("2 games take 0.0 minutes of CPU")
    assert [line.split()[0] for line in told[-2:]] == ["RLCard:", "OpenSpiel:"]
    assert [line.split()[:2] for line in told[2:-2]] == [
        [preset, way] for preset in ("cactus", "par-3") for way in ("rules", "Env", "encode", "vector", "vector+")
    ]
    assert all(float(ratio) > 0 for line in told[2:-2] for ratio in line.split()[2:])


def test_hotspots_name_functions_and_files() -> None:
    told = run("hotspots.py", "--matches", "2", "--rounds", "2")
    assert "file\n" in told
    assert "function\n" in told
    assert "rules, telling and judging take" in told


def test_scale_prints_what_a_long_run_costs() -> None:
    told = run("scale.py", "--matches", "720", "--repetitions", "1")
    for what in ("commit into 720", "standings of 720", "going on with 720", "planning 60 bots in 5 games"):
        assert f"{what}, " in told
    assert "a commit into 720 matches costs" in told


def test_channels_say_how_much_is_heard() -> None:
    need_bubblewrap()
    told = run("channels.py", "--quick", "--only", "access times")
    (line,) = (line for line in told.splitlines() if line.startswith("| access times of files"))
    _, none, *cells = (text.strip() for text in line.strip("|").split("|"))
    assert "(0.0%)" in none or none == "nothing", "a file system may be mounted without access times"
    assert set(cells) == {"nothing"}


def test_rotations_tell_what_shared_cards_save_in_each_game() -> None:
    told = run("rotations.py", "--quick").splitlines()
    for row in ("six-card  keeper / greedy", "six-card  keeper / hasty", "cactus    keeper / greedy"):
        (line,) = (line for line in told if line.startswith(row))
        assert line.split()[4] == "5"


def test_a_plan_is_handed_out_in_bundles_without_bots(tmp_path: Path) -> None:
    told = run("fleets.py", "--quick", "--only", "memory", "--folder", str(tmp_path)).splitlines()
    assert [line.split()[0] for line in told[-2:]] == ["200", "400"]


@pytest.mark.cluster
def test_clusters_are_compared_with_workers_of_our_own() -> None:
    need_modules("distributed", extra="cluster")
    told = run("fleets.py", "--quick", "--repetitions", "1")
    assert "ratio (at least 0.95)" in told
    (line,) = (line for line in told.splitlines() if line.startswith("20 tasks by 1 workers: "))
    assert "ms of CPU a task" in line


def test_the_parts_of_a_window_add_up() -> None:
    head, row = run("windows.py", "c-2-idle", "--windows", "1", "--levels", "none", "--beside", "0").splitlines()
    names = head.partition("beside")[2].replace("a second", "rate").replace("not own", "not-own").split()
    found = dict(zip(names, map(float, row.split()[3:]), strict=True))
    assert found["own"] > 0
    parts = sum(found[name] for name in names[names.index("lock") : names.index("/proc")])
    assert abs(parts - found["window"]) < len(names)


def test_windows_are_raced_while_cores_are_taken_away() -> None:
    need_libbpf()
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "stealing.py"), "--windows", "8", "--gaps", "300", "--told", "task"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if done.stderr.startswith("not measured: ") and ("only root" in done.stderr or os.strerror(EPERM) in done.stderr):
        pytest.skip(done.stderr)  # a program that the kernel finds fault with is refused in other words
    assert done.returncode == 0, done.stderr
    _, *none, taken = done.stdout.splitlines()
    assert [line.split()[:3] for line in none] == [["none", "any", "8"], ["none", "one", "8"]]
    assert taken.split()[:2] == ["300", "task"]
    assert float(taken.split()[2]) > 0
