"""`reuse = "tournament"`: bots' processes live on from match to match, never meet the same cards twice, and are told.

The bots write down what they are told, each process into a file of its own.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec import structs
from quick import FILLER

from protocol.messages import Clocks, FaultPolicy, GameMessage, Limits, Ready
from referee.play import match as match_module
from referee.play.bot import pool as pool_module
from referee.play.bot.channel import Channel
from referee.play.bot.pool import Pool, PooledBot, reads_on
from referee.play.bot.process import BotProcess
from referee.play.match import LiveMatch, MatchSetup
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import quiet
from referee.play.slaps.quiet import freeze_fully, frozen
from referee.play.spec import BotSpec, Confinement, builtin_bot
from referee.play.talk.exchange import Delivery
from referee.rules.book.variants import customised
from referee.rules.record import Record
from referee.tournament.store.store import Store

PATIENCE_S = 50.0

CONFIG = """
[tournament]
name = "run"
seed = "abc"
deals = {deals}
jobs = {jobs}
workers = {workers}
isolation = "{isolation}"
reuse = "{reuse}"
[time]
start_s = 60
move_s = 60
bank_s = 600
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
"""
BOT = '[[bots]]\nname = "{name}"\ncommand = ["{python}", "../bot.py"]\ndir = "{name}"\nenv = {{ {env} }}\n'

NOTING = (
    FILLER
    + """
import random, time

dice, matches, notes = random.Random(), 0, open(f"{os.getpid()}.jsonl", "w")
for message in messages():
    print(json.dumps(message), file=notes, flush=True)
    if message["type"] == "hello":
        say({"type": "ready", "name": "noting", "table": False})
    elif message["type"] == "match":
        assert message["matches_before"] == matches
        matches += 1
        dice.seed(message["seed"])
    elif message["type"] == "request":
        does()
        say(right(message, dice=dice))
    else:
        after()
"""
)
QUIET = "does = after = lambda: None\n"


class Folder:
    """A tournament of three bots that write down what they are told."""

    def __init__(self, path: Path, mark: dict[str, str]) -> None:
        self.path, self._mark = path, mark

    def write(self, head: str = QUIET, **settings: Any) -> None:
        settings = {"deals": 3, "jobs": 1, "workers": 1, "isolation": "limits", "reuse": "tournament", **settings}
        env = ", ".join(f'{name} = "{value}"' for name, value in self._mark.items())
        bots = ""
        for name in ("ann", "bea", "cid"):
            (self.path / name).mkdir(exist_ok=True)
            bots += BOT.format(name=name, python=sys.executable, env=env)
        (self.path / "bot.py").write_text(head + NOTING)
        (self.path / "run.toml").write_text(CONFIG.format(**settings) + bots)

    def golfref(self, *words: str, code: int = 0) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "referee.cli", *words],
            cwd=self.path,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout, done.stderr

    def play(self) -> list[Record]:
        """Play and verify the run; returns its records."""
        self.golfref("tournament", "run.toml")
        assert "all holds" in self.golfref("verify", "run.golfref")[0]
        store = Store.open(self.path / "run.golfref")
        try:
            return [msgspec.json.decode(store.record(number), type=Record) for number in sorted(store.numbers())]
        finally:
            store.close()

    def told(self) -> list[list[Any]]:
        """What each process that has played was told."""
        found = [list(map(json.loads, path.read_text().splitlines())) for path in self.path.glob("*/*.jsonl")]
        return [messages for messages in found if any(message["type"] == "match" for message in messages)]


@pytest.fixture
def folder(tmp_path: Path, mark: dict[str, str]) -> Folder:
    return Folder(tmp_path, mark)


def befores(records: list[Record]) -> list[int]:
    return [seat.matches_before for record in records for seat in record.seats]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_plays_several_matches_and_never_the_same_cards_twice(folder: Folder, workers: int) -> None:
    folder.write(jobs=2, workers=workers, deals=4)
    records = folder.play()
    told = folder.told()
    assert len(told) < sum(len(record.seats) for record in records)
    assert Counter(befores(records)) == Counter(
        message["matches_before"] for messages in told for message in messages if message["type"] == "match"
    )
    deals = {seat.seed: record.deal_key for record in records for seat in record.seats}
    for messages in told:
        assert [message["type"] for message in messages].count("hello") == 1
        met = [deals[message["seed"]] for message in messages if message["type"] == "match"]
        assert len(set(met)) == len(met)


@pytest.mark.full  # it plays all matches with new processes, too
def test_what_is_played_is_what_new_processes_play(folder: Folder) -> None:
    folder.write(reuse="match", deals=2)
    fresh = folder.play()
    assert set(befores(fresh)) == {0}
    folder.write(deals=2)
    _, refusal = folder.golfref("tournament", "run.toml", code=2)
    assert 'reuse: "match" -> "tournament" (what is played with it could not be compared' in refusal
    (folder.path / "run.golfref").unlink()
    kept = folder.play()
    assert max(befores(kept)) > 1
    assert [record.moves and record.result for record in kept] == [record.moves and record.result for record in fresh]
    assert {seat.ready_name for record in kept for seat in record.seats} == {"noting"}
    assert "bots' processes kept for the tournament" in folder.golfref("standings", "run.golfref")[0]
    assert json.loads(folder.golfref("standings", "run.golfref", "--json")[0])["reuse"] == "tournament"
    later = next(record for record in kept if record.seats[0].matches_before)
    wire, _ = folder.golfref("transcript", f"run.golfref:{kept.index(later)}", "--bot", "0")
    assert '> {"type":"match"' in wire
    assert '> {"type":"hello"' not in wire


FLOOD = "[os.write(1, b'{}\\n' * 20_000) for _ in range(60)]"
LATE = "select.select([0], [], []) and sys.exit(3)"
"""It sleeps like one that waits for its next match, and is still there when that comes, but ends without reading it."""
AHEAD = "threading.Thread(target=sys.stdin.read, daemon=True).start() or time.sleep(0.04) or sys.exit()"
"""It ends a little later, and until then a thread of its own takes from the pipe what comes, as Node.js does."""


@pytest.mark.parametrize("after", ["sys.exit()", "os.close(1)", "os.write(1, b'{')", FLOOD, LATE, AHEAD])
def test_a_process_that_does_not_wait_for_more_is_not_used_again(folder: Folder, after: str) -> None:
    """It ends, at once or late, closes its output, leaves half a line behind or floods us: no fault of it."""
    folder.write(f"import select, threading\ndoes = lambda: None\nafter = lambda: {after}\n", deals=1)
    records = folder.play()
    assert set(befores(records)) == {0}
    assert all(seat.faults == {} for record in records for seat in record.seats)


def test_a_process_that_has_ended_before_its_match_was_written_has_not_read_it(
    tmp_path: Path, mark: dict[str, str]
) -> None:
    bot = BotSpec(name="ann", command=(sys.executable, "-c", ""), dir=str(tmp_path), env=mark)

    async def main() -> None:
        process = BotProcess(bot, Confinement())
        channel = Channel(bot, Confinement(), Limits(), process)
        while not process.has_exited():
            await trio.sleep(0.001)
        assert not await reads_on(channel, Delivery(seat=0, data=b"match\n"))
        await channel.stop(patience_s=0)

    trio.run(main)


def test_a_bot_that_forfeits_gets_a_new_process(folder: Folder) -> None:
    folder.write("does = lambda: matches > 1 and os._exit(3)\nafter = lambda: None\n", deals=2)
    seats = [seat for record in folder.play() for seat in record.seats]
    assert {seat.matches_before for seat in seats} == {0, 1}
    assert any(seat.faults == {"crashed": 1} for seat in seats if seat.matches_before)
    assert all(seat.faults == {} for seat in seats if not seat.matches_before)


def test_what_waits_for_a_match_is_frozen(
    marked: Callable[[], dict[int, str]], mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots of the next match, those that wait for a later one; and in the end all of them are gone."""
    monkeypatch.setattr(pool_module, "PATIENCE_S", 60.0)
    records: list[Record] = []

    def states() -> set[str]:
        return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in marked()}

    async def stopped() -> None:
        with trio.fail_after(PATIENCE_S):
            while states() != {"T"}:
                await trio.sleep(0.001)

    async def work(pump: Pump) -> None:
        pool = Pool()
        for block in (1, 1, 2):
            match = LiveMatch(pump, setup(block, mark), pool)
            await match.seat()
            match.hold()
            await stopped()
            records.append(await match.play())
            await stopped()
        assert len(marked()) == 4
        await pool.close()
        assert not marked()

    run_session([work])
    assert [[seat.matches_before for seat in record.seats] for record in records] == [[0, 0], [0, 0], [1, 1]]
    assert not any(seat.faults for record in records for seat in record.seats)


LEARNS = """
import pathlib, sys
sys.stdin.readline()
while not pathlib.Path("learned").exists():
    pass
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")
def test_a_bot_that_is_frozen_for_slaps_of_another_match_has_not_finished_learning(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does its time for that run meanwhile."""
    monkeypatch.setattr(quiet, "FREEZE_NS", 60_000_000_000)
    now_ns = 0
    bot = BotSpec(name="ann", command=(sys.executable, "-c", LEARNS), dir=str(tmp_path), env=mark)
    process = BotProcess(bot, Confinement(), now_ns=lambda: now_ns)
    channel = Channel(bot, Confinement(), Limits(), process)
    read, looks = channel.read_rest, 0

    def read_rest() -> None:
        nonlocal looks
        looks += 1
        read()

    monkeypatch.setattr(channel, "read_rest", read_rest)

    async def main() -> None:
        nonlocal now_ns
        channel.write(Delivery(seat=0, data=b"end\n"), 0)
        while not (channel.has_read_all() and process.is_running()):
            await trio.sleep(0.001)
        pool = Pool()
        async with trio.open_nursery() as nursery:
            with frozen([channel]):
                assert freeze_fully(process)
                nursery.start_soon(
                    pool.keep, PooledBot(bot="ann", channel=channel, ready=Ready(), matches=2, blocks={1})
                )
                while looks < 5 and not channel.held and not process.has_exited():
                    await trio.lowlevel.checkpoint()
                    now_ns += round(PATIENCE_S * 1e9)
            (tmp_path / "learned").touch()
        assert looks >= 5
        assert await pool.take("ann", 2)
        await channel.stop(patience_s=0)

    trio.run(main)


def test_bots_that_were_kept_stay_so_where_their_match_could_not_be_recorded(
    marked: Callable[[], dict[int, str]], mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is over then: whoever ends the match as one that was broken off ends nothing twice."""

    def fails(*_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(match_module, "_seat_record", fails)
    monkeypatch.setattr(pool_module, "PATIENCE_S", 60.0)

    async def work(pump: Pump) -> None:
        pool = Pool()
        match = LiveMatch(pump, setup(1, mark), pool)
        await match.seat()
        with pytest.raises(RuntimeError, match="ours"):
            await match.play()
        await match.dismiss()
        assert len(marked()) == 2
        await pool.close()

    run_session([work])


def setup(block: int, mark: dict[str, str]) -> MatchSetup:
    """A match of two shipped bots."""
    bot = structs.replace(builtin_bot("random"), env=mark)
    return MatchSetup(
        variant=customised("six-card", {"rounds": 1}),
        name="six-card",
        bots=(structs.replace(bot, name="ann"), structs.replace(bot, name="bea")),
        seeds=(1, 2),
        deal_key=bytes(32),
        block=block,
        clocks=Clocks(start_s=60.0, move_s=60.0, bank_s=600.0),
        faults=FaultPolicy(),
        confinement=Confinement(),
        games=(GameMessage(variant="six-card", name="six-card", seats=2),),
    )
