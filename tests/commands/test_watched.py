"""`golfref match --watch`: the process that plays the games, and what it leaves when the screen is left."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from processes import Marked

import referee
from protocol.messages import Clocks, FaultPolicy
from referee.commands import watched
from referee.commands.ordered import Ordered
from referee.film.view import OPEN
from referee.kit.watch.watching import Games
from referee.rules.record import read_record
from referee.tournament.verify.replay import check_record

ROOT = Path(referee.__file__).resolve().parent.parent

TIME = Clocks(start_s=60, move_s=60, bank_s=600, slap_s=10)


def order(*bots: str, games: int = 1, record: Path | None = None) -> Ordered:
    return Ordered(
        variant="cactus",
        changes={"rounds": 1},
        bots=list(bots),
        folders=[],
        games=games,
        fixed_seats=False,
        verbose=False,
        seed="s",
        deck=None,
        record=record,
        as_json=True,
        isolation="limits",
        clocks=TIME,
        faults=FaultPolicy(),
        strict=False,
        show_stderr=False,
    )


def started(given: Ordered, cwd: Path, env: dict[str, str]) -> tuple["subprocess.Popen[bytes]", Games]:
    """The process as `watch_match` starts it, and what it hands over."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        watched.command(given, writing),
        cwd=cwd,
        env=os.environ | env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(writing,),
    )
    os.close(writing)
    return process, Games(reading)


def test_the_games_are_handed_over_and_printed_as_without_a_screen(tmp_path: Path, mark: dict[str, str]) -> None:
    bots = ("builtin:random", "builtin:greedy")
    process, games = started(order(*bots, games=2, record=tmp_path / "m.jsonl"), tmp_path, mark)
    with process:
        while not games.is_closed:
            games.read()
        out, _ = process.communicate()
    os.close(games.fd)
    assert process.returncode == 0
    assert games.ended == len(games.records) == 2
    assert [list(check_record(record)) for record in games.records] == [[], []]
    assert len(out.splitlines()) == 3  # a line for each game, and one for both
    kept = (tmp_path / "m.jsonl").read_bytes().splitlines()
    assert [read_record(line).moves for line in kept] == [record.moves for record in games.records]


def test_when_the_screen_is_left_the_bots_end(
    tmp_path: Path, mark: dict[str, str], marked: Marked, until_gone: Callable[[], None]
) -> None:
    (tmp_path / "never.py").write_text(
        'input(); print(\'{"type": "ready"}\', flush=True); [input() for _ in range(99)]\n'
    )
    env = " ".join(f"{name}={value}" for name, value in mark.items())
    process, games = started(order(f"env {env} {sys.executable} never.py", "builtin:random"), tmp_path, mark)
    with process:
        while not games.records:
            games.read()
        assert marked().keys() - {process.pid}
        os.close(games.fd)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 130
    until_gone()
    assert not marked()


def test_a_view_that_there_is_not() -> None:
    assert watched.viewer_of("7", 2)[1] == "expected public, open, or a seat from 0 to 1, got '7'"
    assert watched.viewer_of("1", 2) == (1, "")
    assert watched.viewer_of("open", 2) == (OPEN, "")
    assert watched.viewer_of("public", 2) == (None, "")
