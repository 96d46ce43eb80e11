"""`reuse = "tournament"`: bots' processes live on from match to match and never meet the same cards twice."""

import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import trio
from commands import golfref
from in_memory import Pipes, channel
from live_matches import match_setup
from msgspec import structs
from quick import FILLER

from protocol.messages import Limits, Ready
from referee.play.match import LiveMatch, MatchSetup
from referee.play.process import pool as pool_module
from referee.play.process.channel import Channel
from referee.play.process.pool import Pool, PooledBot
from referee.play.process.process import BotProcess
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import quiet
from referee.play.slaps.quiet import freeze_fully, frozen
from referee.play.spec import BotSpec, Confinement, builtin_bot
from referee.play.talk.exchange import Delivery
from referee.rules.record import Record
from referee.tournament.store.store import Store

PATIENCE_S = 50.0

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
"""A bot that writes down what it is told, each process into a file of its own."""
QUIET = "does = after = lambda: None\n"


def noting(folder: Path, mark: dict[str, str], head: str = QUIET) -> BotSpec:
    (folder / "bot.py").write_text(head + NOTING)
    return BotSpec(name="noting", command=(sys.executable, "bot.py"), dir=str(folder), env=mark)


def setup(block: int, bot: BotSpec) -> MatchSetup:
    """A match of two of these bots; those of one block have the same cards."""
    bots = (structs.replace(bot, name="ann"), structs.replace(bot, name="bea"))
    return match_setup(bots, seeds=(2 * block, 2 * block + 1), block=block)


def played(bot: BotSpec, *blocks: int, play_on: set[str] | None = None, keeps: bool = True) -> list[Record]:
    """The records of matches in these blocks, one after another.

    A pool waits for a second after the first match of a bot, unless it is known to `play_on`.
    """
    records: list[Record] = []

    async def work(pump: Pump) -> None:
        pool = Pool({"ann", "bea"} if play_on is None else play_on)
        for block in blocks:
            match = LiveMatch(pump, setup(block, bot), pool if keeps else None)
            await match.seat()
            records.append(await match.play())
        await pool.close()

    run_session([work])
    return records


def befores(records: list[Record]) -> list[list[int]]:
    return [[seat.matches_before for seat in record.seats] for record in records]


def test_a_process_plays_several_matches_and_never_the_same_cards_twice(tmp_path: Path, mark: dict[str, str]) -> None:
    records = played(noting(tmp_path, mark), 1, 1, 2, 2, 3)

    assert befores(records) == [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]]
    told = [list(map(json.loads, path.read_text().splitlines())) for path in tmp_path.glob("*.jsonl")]
    assert len(told) == 4
    for messages in told:
        assert [message["type"] for message in messages].count("hello") == 1
        blocks = [message["seed"] // 2 for message in messages if message["type"] == "match"]
        assert blocks in ([1, 2], [1, 2, 3])


def test_a_kept_process_plays_what_a_new_one_plays(tmp_path: Path, mark: dict[str, str]) -> None:
    bot = noting(tmp_path, mark)
    kept, fresh = played(bot, 1, 2, 3), played(bot, 1, 2, 3, keeps=False)

    assert (befores(kept), befores(fresh)) == ([[0, 0], [1, 1], [2, 2]], [[0, 0]] * 3)
    assert [record.result for record in kept] == [record.result for record in fresh]


FLOOD = "[os.write(1, b'{}\\n' * 20_000) for _ in range(60)]"
LATE = "select.select([0], [], []) and sys.exit(3)"
"""It sleeps like one that waits for its next match, and is still there when that comes, but ends without reading it."""
AHEAD = "threading.Thread(target=sys.stdin.read, daemon=True).start() or time.sleep(0.04) or sys.exit()"
"""It ends a little later, and until then a thread of its own takes from the pipe what comes, as Node.js does."""


@pytest.mark.parametrize(
    "after",
    ["sys.exit()", "os.close(1)", "os.write(1, b'{')", FLOOD, LATE, AHEAD],
    ids=["ends", "closes its output", "leaves half a line", "floods", "ends later", "ends and reads ahead"],
)
def test_a_process_that_does_not_wait_for_more_is_replaced_and_not_blamed(
    after: str, tmp_path: Path, mark: dict[str, str]
) -> None:
    """It ends, at once or late, closes its output, leaves half a line behind or floods us."""
    head = f"import select, threading\ndoes = lambda: None\nafter = lambda: {after}\n"
    records = played(noting(tmp_path, mark, head), 1, 2, play_on=set() if after == AHEAD else None)

    assert befores(records) == [[0, 0], [0, 0]]
    assert all(seat.faults == {} for record in records for seat in record.seats)


def test_a_bot_that_forfeits_gets_a_new_process(tmp_path: Path, mark: dict[str, str]) -> None:
    head = "does = lambda: matches > 1 and os._exit(3)\nafter = lambda: None\n"
    records = played(noting(tmp_path, mark, head), 1, 2, 3)

    assert befores(records) == [[0, 0], [1, 1], [0, 0]]
    assert [[seat.faults for seat in record.seats] for record in records] == [
        [{}, {}],
        [{"crashed": 1}, {"crashed": 1}],
        [{}, {}],
    ]


CONFIG = """
[tournament]
name = "run"
seed = "abc"
deals = 4
jobs = 2
workers = 1
isolation = "limits"
reuse = "tournament"
[time]
start_s = 60
move_s = 60
bank_s = 600
[[variants]]
preset = "six-card"
options = { rounds = 1 }
"""
BOT = '[[bots]]\nname = "{name}"\ncommand = ["{python}", "bot.py"]\ndir = "{name}"\n'


def test_a_run_keeps_processes_and_is_verified(tmp_path: Path) -> None:
    for name in ("ann", "bea"):
        (tmp_path / name).mkdir()
        noting(tmp_path / name, {})
    bots = "".join(BOT.format(name=name, python=sys.executable) for name in ("ann", "bea"))
    (tmp_path / "run.toml").write_text(CONFIG + bots)
    golfref("tournament", "run.toml", cwd=tmp_path)
    assert "all holds" in golfref("verify", "run.golfref", cwd=tmp_path)[0]
    assert "bots' processes kept for the tournament" in golfref("standings", "run.golfref", cwd=tmp_path)[0]
    with closing(Store.open(tmp_path / "run.golfref")) as store:
        records = [msgspec.json.decode(store.record(row.id), type=Record) for row in store.results()]
    assert max(before for record in befores(records) for before in record) > 0
    assert {seat.ready_name for record in records for seat in record.seats} == {"noting"}


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
        pool, bot = Pool({"ann", "bea"}), structs.replace(builtin_bot("random"), env=mark)
        for block in (1, 1, 2):
            match = LiveMatch(pump, setup(block, bot), pool)
            await match.seat()
            match.pause()
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
                while looks < 5 and not channel.paused and not process.has_exited():
                    await trio.lowlevel.checkpoint()
                    now_ns += round(PATIENCE_S * 1e9)
            (tmp_path / "learned").touch()
        assert looks >= 5
        assert await pool.take("ann", 2)
        await channel.stop(patience_s=0)

    trio.run(main)


def test_a_match_that_could_not_be_written_does_not_count_as_read() -> None:
    """The bot has closed its input; that nothing waits in the pipe says nothing then."""
    match = Delivery(seat=0, data=b"{}\n")
    with closing(Pipes()) as pipes:
        bot = channel(pipes)
        bot.write(match, 0)
        assert bot.has_read_all()
        pipes.close(pipes.in_)
        bot.write(match, 0)
        assert not bot.has_read_all()
