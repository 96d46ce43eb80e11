"""The benchmarks run: every part with tiny counts, through the command line. How fast anything is, is not asked."""

import subprocess
import sys
from pathlib import Path

import pytest
from exported import made_up_run
from needs import need_compiler, need_modules

pytestmark = pytest.mark.full

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


def run(name: str, *arguments: str) -> str:
    """What a benchmark prints."""
    command = [sys.executable, str(BENCHMARKS / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_throughput_prints_every_ratio_with_its_aim(manager: str) -> None:
    need_compiler()
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
    need_compiler()
    told = run("tournament.py", "--quick", "--only", "greedy, six-card", "--old", str(BENCHMARKS.parents[1]))
    assert "not measured" not in told, told
    rows = [line for line in told.splitlines() if line.startswith("greedy, six-card, limits, 36")]
    figures, parts, starts, compared = (row.removeprefix("greedy, six-card, limits, 36").split() for row in rows)
    assert figures[7:9] == ["at", "least"]
    referee_s = float(figures[4])
    assert sum(map(float, parts)) == pytest.approx(referee_s, abs=0.01 * len(parts))
    assert float(parts[0]) > 0, "the start takes some time"
    assert starts[0] == "20", "four bots are greeted, then they play four matches"
    assert len(compared) == 8


def test_tournament_managers_play_beside_a_whole_tournament(manager: str) -> None:
    need_compiler()
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


def test_scale_prints_what_a_long_run_costs() -> None:
    told = run("scale.py", "--matches", "720", "--repetitions", "1")
    for what in ("commit into 720", "standings of 720", "going on with 720", "planning 60 bots in 5 games"):
        assert f"{what}, " in told
    assert "a commit into 720 matches costs" in told


def test_the_parts_of_a_window_add_up() -> None:
    need_compiler()
    head, row = run("windows.py", "c-2-idle", "--windows", "1", "--levels", "none", "--beside", "0").splitlines()
    names = head.partition("beside")[2].replace("a second", "rate").replace("not own", "not-own").split()
    found = dict(zip(names, map(float, row.split()[3:]), strict=True))
    assert found["own"] > 0
    parts = sum(found[name] for name in names[names.index("lock") : names.index("/proc")])
    assert abs(parts - found["window"]) < len(names)


def test_races_print_a_row_for_each_way_to_time_and_each_head_start() -> None:
    told = run("races.py", "--races", "4", "--level", "none", "python-idle").splitlines()
    assert [line.split()[:3] for line in told[1:]] == [
        ["python-idle", timing, faster] for timing in ("isolated", "broadcast") for faster in ("0", "100", "300")
    ]


def test_coverage_prints_how_often_intervals_hold() -> None:
    told = run("coverage.py", "--runs", "2", "--only", "2 identical bots, 3 blocks").splitlines()
    assert told[-1].split("|")[1].strip() == "2 identical bots, 3 blocks"


def test_the_table_of_sharp_has_a_row_for_each_game(tmp_path: Path) -> None:
    store = made_up_run(tmp_path, ["six-card", "par-3"], ["sharp", "keeper", "greedy"], deals=2)
    told = run("sharp_table.py", str(store)).splitlines()
    cells = [[cell.strip(" \\*") for cell in line.split("|")[1:4]] for line in told[2:]]
    assert cells == [["`six-card`", "3", "2"], ["`par-3`", "3", "2"]]
