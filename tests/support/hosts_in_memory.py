"""Hosts of a cluster without the cluster, with names and folders of their own, which the test talks to."""

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import PIPE, Popen

import msgspec
import pytest
import trio
from msgspec.structs import replace
from processes import PATIENCE_S

import referee
from referee.cluster.archives import BotArchives
from referee.cluster.host_main import Callers, Host, Task
from referee.cluster.messages import Demands, FromTrial, Lacks, LeftOut, Line, Piece, Ready
from referee.cluster.trial_main import START
from referee.competition.builder import builder_for
from referee.tournament.config.config import Config, check_ready, load
from referee.tournament.config.planned import whole_deals_of
from referee.tournament.orders import Job, Played, Spoiled
from referee.tournament.plan.keys import master_key
from referee.tournament.plan.plan import Plan
from referee.tournament.workers.frames import PIPE_READ_BYTES, Frames, frame

ROOT = Path(referee.__file__).parents[1]

BOT = """
import json, sys
def fill(choice):
    return choice["one_of"][0] if "one_of" in choice else choice["of"][: choice["pick"]]
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready", "table": false}', flush=True)
    elif message["type"] == "request":
        offer = message["legal"][0]
        action = {name: choice if name == "kind" else fill(choice) for name, choice in offer.items()}
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""

CONFIG = """
time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }
[tournament]
name = "lab"
seed = "abc"
jobs = 1
deals = 1
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
builtin = "random"
"""
FOLDER_BOT = '[[bots]]\nname = "mine"\ndir = "mine"\ncommand = ["python3", "bot.py"]\n'
ENTRIES = '[[bots]]\nentries = "entries/*"\n'
BUILT_BOT = 'command = ["python3", "made.py"]\nbuild = ["sh", "-c", "cp source.py made.py"]\n'


def competition(folder: Path, bots: str, **env: str) -> Config:
    """A config with these bots, of which entries are in the store of versions. `mine` and `entries/made` are there."""
    (folder / "mine").mkdir(parents=True, exist_ok=True)
    (folder / "mine/bot.py").write_text(BOT)
    (folder / "entries/made").mkdir(parents=True)
    (folder / "entries/made/source.py").write_text(BOT)
    (folder / "entries/made/bot.toml").write_text(BUILT_BOT)
    (folder / "run.toml").write_text(CONFIG + bots)
    config = load(folder / "run.toml")
    config = replace(config, bots=tuple(replace(bot, env=bot.env | env) for bot in config.bots))
    assert builder_for(config, print).ready(config.entries) == ()
    check_ready(config)
    return config


class TrialProcess:
    """The process of ours that gets one host ready."""

    def __init__(self, folder: Path, name: str, env: Mapping[str, str], *, root: Path = ROOT, jobs: int = 1) -> None:
        """`folder` is the host's, and `root` the installation that it has; `env` is added to its environment."""
        here = {"GOLFREF_HOST": name, "GOLFREF_HOST_FOLDER": str(folder)}
        command = [sys.executable, "-P", "-c", START, str(root), str(jobs)]
        self.process = Popen(
            command, stdin=PIPE, stdout=PIPE, start_new_session=True, env=os.environ | here | dict(env)
        )
        self.lacked: tuple[str, ...] = ()
        """The archives that it asked for."""
        self.told: list[str] = []

    def prepare(
        self, archives: BotArchives, demands: Demands | None = None, *, until: str = ""
    ) -> Ready | LeftOut | None:
        """Let it get ready for a run, and send what it lacks. None once it tells a line that begins so: `until`."""
        self.send(demands or archives.demands)
        frames = Frames(msgspec.msgpack.Decoder(FromTrial))
        while True:
            for said in frames.feed(self._read()):
                if isinstance(said, Ready | LeftOut):
                    return said
                if isinstance(said, Lacks):
                    self.lacked = said.archives
                    self._send_archives(archives)
                if isinstance(said, Line):
                    self.told.append(said.text)
                    if until and said.text.startswith(until):
                        return None

    def _send_archives(self, archives: BotArchives) -> None:
        for archive in self.lacked:
            for data in (*archives.pieces(archive), b""):
                self.send(Piece(archive=archive, data=data))

    def send(self, message: msgspec.Struct) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame(message))
        self.process.stdin.flush()

    def _read(self) -> bytes:
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), PIPE_READ_BYTES)
        assert data, "the host's process ended"
        return data

    def end(self) -> int:
        """Let its orders end, and return its exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()
            self.process.stdout.close()


class Hosted:
    """A host in this process, with the processes that play on it."""

    def __init__(self, config: Config, archives: BotArchives, *, jobs: int, workers: int | None) -> None:
        self.lacked: tuple[str, ...] = ()
        """The archives that it asked for."""
        self.news: queue.SimpleQueue[Ready | str | int] = queue.SimpleQueue()
        """What it tells: that it is ready, why it is left out, and which matches begin."""
        self._config, self._archives = config, archives
        self._given = 0
        """How many jobs it was given."""
        self._plan = Plan(whole_deals_of([config.run_config()], master_key(config.seed)))
        callers = Callers(trial=self._take, left_out=self.news.put)
        self.host = Host(replace(archives.demands, workers=workers), jobs, callers)

    def number(self, variant: str, rotation: int) -> int:
        """A match of the plan."""
        return next(one.number for one in self._plan if (one.variant, one.rotation) == (variant, rotation))

    def play(self, *numbers: int, done: "queue.SimpleQueue[Ended] | None" = None) -> "queue.SimpleQueue[Ended]":
        """Have it play these matches of the plan as a job; what comes of it is put there."""
        done = done or queue.SimpleQueue()
        matches = tuple(self._plan[number] for number in numbers)
        self._given += 1
        job = Job(
            id=self._given,
            part="alone" if matches[0].variant in self._config.alone else "together",
            matches=matches,
        )
        self.host.play(Task(job, begun=self.news.put, done=done.put))
        return done

    def ended(self, done: "queue.SimpleQueue[Ended]") -> tuple[Played | Spoiled, ...]:
        """What came of a job."""
        reports = done.get(timeout=PATIENCE_S)
        assert reports is not None
        return reports

    def _take(self, message: Lacks | Line | Ready) -> None:
        if isinstance(message, Ready):
            self.news.put(message)
        elif isinstance(message, Lacks):
            self._send_archives(message.archives)

    def _send_archives(self, lacking: tuple[str, ...]) -> None:
        self.lacked = lacking
        for archive in lacking:
            for data in (*self._archives.pieces(archive), b""):
                self.host.give(Piece(archive=archive, data=data))


Ended = tuple[Played | Spoiled, ...] | None


@contextlib.contextmanager
def hosted(
    config: Config, archives: BotArchives, env: Mapping[str, str], *, jobs: int = 1, workers: int | None = None
) -> Iterator[Hosted]:
    """A host of this config's run, whose processes have these variables in their environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        host = Hosted(config, archives, jobs=jobs, workers=workers)
        thread = threading.Thread(target=trio.run, args=(host.host.run,))
        thread.start()
        try:
            yield host
        finally:
            host.host.end()
            thread.join()
