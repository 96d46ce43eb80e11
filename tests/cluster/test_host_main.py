"""A host plays what it is given in several processes, and goes on when one of them dies. Nothing here needs Dask."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hosts_in_memory import BOT, Hosted, competition, hosted
from processes import PATIENCE_S, Marked

from referee.cluster.archives import archives_of
from referee.cluster.messages import Ready
from referee.tournament.orders import Played, Spoiled

pytestmark = pytest.mark.cluster

PATIENT = """
[[bots]]
name = "patient"
dir = "patient"
command = ["python3", "bot.py"]
"""
BEFORE_AND_AFTER = (("six-card", 0), ("cactus", 0), ("six-card", 1))
WORKER, TRIAL = "referee.tournament.workers.worker", "referee.cluster.trial_main"


class Lab:
    """A host's environment and a tournament whose second bot answers nothing until `let_go`."""

    def __init__(self, folder: Path, mark: dict[str, str], more: str = "") -> None:
        """`more` is a further part of the config."""
        self.gate = folder / "gate"
        (folder / "desk/patient").mkdir(parents=True)
        reads = "    message = json.loads(line)\n"
        waits = f'    if message["type"] == "request":\n        open({str(self.gate)!r}).read()\n'
        (folder / "desk/patient/bot.py").write_text(BOT.replace(reads, reads + waits))
        os.mkfifo(self.gate)
        self.config = competition(folder / "desk", more + PATIENT, **mark)
        self.env = mark | {"GOLFREF_HOST": "lab", "GOLFREF_HOST_FOLDER": str(folder / "host")}

    def let_go(self) -> None:
        """All bots answer from now on, also those that wait at the gate."""
        opened = self.gate.with_name("opened")
        opened.write_text("")
        waiting = os.open(self.gate, os.O_RDWR)
        opened.replace(self.gate)
        os.close(waiting)


def pids(marked: Marked, part: str) -> list[int]:
    return [pid for pid, command in marked().items() if part in command]


def test_several_workers_play_and_those_that_die_are_replaced(
    tmp_path: Path, mark: dict[str, str], marked: Marked, until_gone: Callable[[], None]
) -> None:
    lab = Lab(tmp_path, mark)
    with archives_of(lab.config) as archives, hosted(lab.config, archives, lab.env, jobs=2, workers=2) as host:
        assert isinstance(host.news.get(timeout=PATIENCE_S), Ready)
        done = host.play(0)
        host.play(1, done=done)
        assert {host.news.get(timeout=PATIENCE_S) for _ in range(2)} == {0, 1}
        workers = pids(marked, WORKER)
        assert len(workers) == 2
        assert pids(marked, TRIAL) == [], "what got the host ready has ended"

        for worker in workers:
            os.kill(worker, signal.SIGKILL)
            (spoiled,) = host.ended(done)
            assert isinstance(spoiled, Spoiled)
            assert spoiled.reason == "its worker was killed by signal 9"
        assert host.news.empty(), "the host gets ready once, whatever becomes of a worker"

        lab.let_go()
        assert all(isinstance(one, Played) for done in (host.play(0), host.play(1)) for one in host.ended(done))
    until_gone()


def test_a_game_with_timed_slaps_is_played_when_nothing_else_is(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    """Whatever comes after it waits for its end, as it waits for what came before; then other workers play."""
    lab = Lab(tmp_path, mark, '[[variants]]\npreset = "cactus"\noptions = { rounds = 1 }\n')
    with archives_of(lab.config) as archives, hosted(lab.config, archives, lab.env, jobs=2, workers=2) as host:
        assert isinstance(host.news.get(timeout=PATIENCE_S), Ready)
        numbers = [host.number(variant, rotation) for variant, rotation in BEFORE_AND_AFTER]
        done = host.play(numbers[0])
        for number in numbers[1:]:
            host.play(number, done=done)
        assert host.news.get(timeout=PATIENCE_S) == numbers[0]
        lab.let_go()
        assert [isinstance(one, Played) for _ in numbers for one in host.ended(done)] == [True] * 3
        assert [host.news.get(timeout=PATIENCE_S) for _ in numbers[1:]] == numbers[1:]
    until_gone()


def test_a_host_is_left_out_where_the_process_dies_that_gets_it_ready(
    tmp_path: Path,
    mark: dict[str, str],
    marked: Marked,
    until_gone: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def kill(*_: object) -> None:
        (trial,) = pids(marked, TRIAL)
        os.kill(trial, signal.SIGKILL)

    monkeypatch.setattr(Hosted, "_send_archives", kill)
    lab = Lab(tmp_path, mark)
    with archives_of(lab.config) as archives, hosted(lab.config, archives, lab.env) as host:
        done = host.play(0, 1)
        assert host.news.get(timeout=PATIENCE_S) == "the process that gets it ready was killed by signal 9"
        assert done.get(timeout=PATIENCE_S) is None
    until_gone()
