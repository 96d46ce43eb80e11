"""`golfref match`: one game, several games and their summary, the folders of bots, and what its host spoils."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import GOLFREF, golfref
from recorded_matches import BY_PRESET
from typer.testing import CliRunner

from referee.commands.match import games
from referee.commands.match.bots import UsageError, bots_of, shown_names
from referee.commands.match.output import STDERR_LINES
from referee.commands.table import app
from referee.errors import HOST_FAILED
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.spec import command_bot
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import Record
from referee.tournament.plan.keys import deal_key, master_key

SHORT = ("match", "--variant", "six-card", "-o", "rounds=1", "--seed", "s")
TWO = ("--bot", "builtin:random", "--bot", "builtin:greedy")


def lines(*words: str, cwd: Path) -> list[Any]:
    return [json.loads(line) for line in golfref(*words, "--json", cwd=cwd)[0].splitlines()]


def records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def names(game: Any) -> list[str]:
    return [bot["name"] for bot in game["seats"]]


def test_of_several_games_each_deal_is_played_from_every_seat(tmp_path: Path) -> None:
    *games, last = lines(*SHORT, *TWO, "--games", "3", "--record", "m.jsonl", cwd=tmp_path)
    kept = records(tmp_path / "m.jsonl")

    assert [(game["game"], game["deal"], game["rotation"]) for game in games] == [(0, 0, 0), (1, 0, 1), (2, 1, 0)]
    assert [names(game) for game in kept] == [["random", "greedy"], ["greedy", "random"], ["greedy", "random"]]
    decks = [game["rounds"][0]["deck"] for game in kept]
    assert decks[0] == decks[1] != decks[2]
    for game, record in zip(games, kept, strict=True):
        key = deal_key(master_key("s"), "six-card", ["random", "greedy"], game["deal"])
        assert record["deal_key"] == key.hex()
        assert [one["seed"] for one in record["seats"]] == [bot_seed(key, game["rotation"], seat) for seat in (0, 1)]
    summary = last["summary"]
    assert (summary["games"], summary["deals"], summary["rotates"]) == (3, 2, True)
    assert "all holds: 3 matches" in golfref("verify", "m.jsonl", cwd=tmp_path)[0]


def test_the_summary_stands_alone_unless_games_are_asked_for(tmp_path: Path) -> None:
    summed, said = golfref(*SHORT, *TWO, "--games", "3", cwd=tmp_path)
    assert summed.startswith("3 games of six-card: 1 deal, from both seats, and one more from 1 of 2 seats\n")
    assert "rounds, points by seat" not in summed
    assert said == ""  # no progress where there is no terminal

    verbose, _ = golfref(*SHORT, *TWO, "--games", "3", "--verbose", cwd=tmp_path)
    assert verbose.count("rounds, points by seat") == 3
    assert "game 2: deal 1, rotation 0\n" in verbose
    assert "3 games of six-card: " in verbose


GIVES_UP = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "other"}), flush=True)
    elif message["type"] == "request":
        sys.exit("I do not know what to do")
"""


def test_faults_of_a_series_are_told_once_with_all_games_that_have_them(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.py").write_text(GIVES_UP)
    bots = ("--bot", f"{sys.executable} bot.py", "--bot", "builtin:random", "--dir", "mine")
    shown, why = golfref(*SHORT, *bots, "--games", "4", "--strict", "--record", "m.jsonl", cwd=tmp_path, code=1)

    assert "Faults\n\nbot    crashed\n" in shown
    assert why.count("I do not know what to do") == 1
    assert "bot other: crashed in games 0, 1, 2 and 1 more" in why
    assert "m.jsonl:0" in why


GRUMBLES = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "grumbler"}), flush=True)
    elif message["type"] == "request":
        print("\\n".join(f"grumble {n}" for n in range(9)), file=sys.stderr, flush=True)
        kinds = {offer["kind"]: offer for offer in message["legal"]}
        action = {"kind": "turn_up", "slots": [0, 1]} if "turn_up" in kinds else {"kind": "draw", "from": "stock"}
        if "swap" in kinds:
            action = {"kind": "swap", "slot": kinds["swap"]["slot"]["one_of"][0]}
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""


def test_standard_error_of_a_bot_without_a_fault_is_told(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(GRUMBLES)
    bots = ("--bot", f"{sys.executable} bot.py", "--bot", "builtin:greedy", "--games", "2")
    _, said = golfref(*SHORT, *bots, cwd=tmp_path)
    told = r"bot grumbler wrote \d+ bytes to standard error \(--show-stderr shows it\); the first line, in game 0:\n"
    assert re.fullmatch(told + r"  \| grumble 0\n", said), said

    _, said = golfref(*SHORT, *bots, "--record", "m.jsonl", "--show-stderr", cwd=tmp_path)
    assert said.count("  | grumble ") == 2 * STDERR_LINES
    assert re.search(r"\n  \d+ lines more of it\n  all of it: golfref transcript m.jsonl:1 --bot grumbler\n", said)


def test_a_bot_starts_in_the_folder_that_is_named_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").touch()
    monkeypatch.chdir(tmp_path)
    bot = f"{sys.executable} bot.py"

    def starts(commands: list[str], *folders: str) -> list[str]:
        return [Path(one.dir).name for one in bots_of(commands, folders, "none")]

    assert starts([bot, bot], "mine") == ["mine", "mine"]
    assert starts([bot, bot], "mine", "other") == ["mine", "other"]
    assert starts([bot, "builtin:random", bot], "mine", "other") == ["mine", "random", "other"]
    assert starts([bot, "builtin:random", bot], "mine", "other", "mine") == ["mine", "random", "mine"]


@pytest.mark.parametrize(
    ("commands", "said", "shown"),
    [
        (("/v1/target/release/bot", "/v1/mine.py"), ("myrust", "other"), ["myrust", "mine"]),
        (("java @run.args", "node --x a.js"), ("myjava", ""), ["myjava", "node"]),
        (("python3 bot.py", "builtin:random"), ("random", "random"), ["random@here", "random@random"]),
        (("python3 /v1/mypy.py", "python3 /v2/mypy.py"), ("a", "b"), ["mypy@v1", "mypy@v2"]),
        (("/v1/bot", "/v1/bot", "/v1/v1.py"), ("", "", ""), ["v1", "v1#2", "v1#3"]),
    ],
)
def test_a_bot_has_the_name_that_somebody_chose_and_twins_have_their_folders(
    commands: tuple[str, ...], said: tuple[str, ...], shown: list[str]
) -> None:
    bots = [command_bot(command, "/here") for command in commands]
    assert shown_names(bots, said) == shown


@pytest.mark.parametrize(
    ("folders", "problem"),
    [
        (
            (),
            "there is no file `bot.py` in {here}; if it lies elsewhere, --dir names the folder in which the bot starts",
        ),
        (("mine",) * 4, "--dir: 4 folders for 3 bots, 1 of them shipped ones that need none; give one folder for all"),
        (("yours",), "--dir yours: there is no such folder in {here}"),
    ],
)
def test_folders_that_cannot_be(
    tmp_path: Path, folders: tuple[str, ...], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=re.escape(problem.format(here=tmp_path))):
        bots_of(["python3 bot.py", "builtin:random", "python3 bot.py"], folders, "none")


def test_a_record_that_was_there_before_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.jsonl").write_text("precious\n")
    (tmp_path / "m.jsonl.old1").write_text("older\n")
    path = tmp_path / "m.jsonl"
    for is_first in (True, False):
        games._keep(path, BY_PRESET["cactus"], is_first=is_first)
    assert capsys.readouterr().err == f"note: the old {path} is now {path}.old2\n"
    assert (tmp_path / "m.jsonl.old2").read_text() == "precious\n"
    assert len(records(tmp_path / "m.jsonl")) == 2


@pytest.mark.parametrize(("voids", "code"), [(2, 0), (3, 3)])
def test_a_game_that_the_host_spoils_is_played_again(
    voids: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three times at most, as in a tournament; what was played before is summed up in any case."""
    deals: list[int] = []

    async def spoiled(pump: Pump, setup: MatchSetup) -> Record:
        deals.append(setup.block)
        if 3 < len(deals) <= 3 + voids:
            raise HostFault("a cable was pulled")
        return await play(pump, setup)

    monkeypatch.setattr(games, "play", spoiled)
    words = [*SHORT[1:], *TWO, "--games", "5", "--move-s", "60", "--bank-s", "600"]
    ended = CliRunner().invoke(app, ["match", *words], catch_exceptions=False)

    assert ended.exit_code == code
    again = "game 3 is void, and no bot's fault: a cable was pulled; it is played again\n"
    assert ended.stderr.count(again) == 2
    assert ended.stdout.startswith(f"{5 if code == 0 else 3} games of six-card: ")
    assert deals[:5] == [0, 0, 1, 1, 1]
    assert ("void, and no bot's fault: a cable was pulled; run it again" in ended.stderr) == (code == 3)
    assert capsys.readouterr().out == ""


def test_nin_13_a_bot_alone_is_shown_its_own_best(tmp_path: Path) -> None:
    alone = ("match", "--variant", "nine-card", "--bot", "builtin:random", "--games", "3", "--seed", "s")
    *games, last = lines(*alone, cwd=tmp_path)

    played = [(-len(one["rounds"]), one["bots"][0]["total"]) for one in games]
    for number, game in enumerate(games):
        rounds, total = min(played[: number + 1])
        assert game["best"] == {"game": played.index((rounds, total)), "rounds": -rounds, "total": total}
    best = last["summary"]["best"]
    assert best == games[-1]["best"]
    said = f"random  {best['total']} in {best['rounds']} rounds, game {best['game']}\n"
    assert said in golfref(*alone, cwd=tmp_path)[0]


def test_nin_13_a_forfeited_game_is_no_best_and_other_games_need_company(tmp_path: Path) -> None:
    (report,) = lines("match", "--variant", "nine-card", "--bot", "false", cwd=tmp_path)
    assert (report["bots"][0]["forfeited"], report["best"]) == (True, None)
    _, why = golfref("match", "--variant", "six-card", "--bot", "builtin:random", cwd=tmp_path, code=2)
    assert why == "golfref: seats: six-card is for 2 to 8 seats, got 1; each --bot takes one seat\n"


def test_a_dealer_without_a_seat_is_refused_with_the_name_of_the_option(tmp_path: Path) -> None:
    bots = ("--bot", "builtin:random", "--bot", "builtin:random")
    _, why = golfref("match", "--variant", "six-card", "-o", "first_dealer=5", *bots, cwd=tmp_path, code=2)
    assert why == "golfref: first_dealer: expected a seat from 0 to 1; each --bot takes one seat\n"


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit is Linux's")
def test_a_host_without_enough_descriptors_voids_the_match_without_a_traceback() -> None:
    words = ("prlimit", "--nofile=12", *GOLFREF, *SHORT, *TWO)
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert done.returncode == HOST_FAILED, done.stderr
    assert "Traceback" not in done.stderr
    assert "golfref: void, and no bot's fault: " in done.stderr
    assert "Too many open files" in done.stderr
    assert "golfref doctor" in done.stderr
