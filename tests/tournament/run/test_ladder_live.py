"""Live ladders whose bots come, are replaced and withdrawn, between two runs of the command and while one goes on."""

import json
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from commands import GOLFREF, PATIENCE_S, golfref, until_there
from needs import need_bubblewrap
from quick import QUICK

from referee.tournament.store.store import Store

BOT = (Path(__file__).parents[2] / "quick/bot.sh").read_text(encoding="utf-8")
SLOW = BOT.replace("seed=${line#", "sleep 0.1; seed=${line#")
"""It plays on without end, so it had better not use up the cores."""

CONFIG = """
time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }
[tournament]
name = "run"
seed = "abc"
workers = 1
jobs = 1
format = "ladder"
deals = 1
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
entries = "entries/*"
"""


def entry(folder: Path, text: str = SLOW, bot_toml: str = "") -> None:
    folder.mkdir(parents=True)
    (folder / "bot.sh").write_text(text)
    (folder / "bot.toml").write_text(bot_toml)


def versions(path: Path) -> dict[str, str]:
    with closing(Store.open(path)) as store:
        return {bot.name: bot.version for bot in store.meta().config.bots}


def wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        select.select([], [], [], 0.05)


@pytest.mark.full  # it plays one for many seconds
def test_a_ladder_takes_up_new_versions_and_entries_and_keeps_the_older_ones_of_those_that_cannot_play(
    tmp_path: Path,
) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    for name in ("ann", "bea", "cid"):  # all of one version, which is kept under the name of the first
        entry(tmp_path / "entries" / name)
    for name in ("ann", "dan"):
        entry(tmp_path / "new" / name, f"# the second of {name}\n{SLOW}")
    entry(tmp_path / "new" / "bea", "exit 3\n")
    entry(tmp_path / "new" / "eve", bot_toml='command = ["/bin/sh", "bot.sh"]\n')
    store = tmp_path / "run.golfref"
    with (
        open(tmp_path / "said", "w") as said,
        subprocess.Popen(
            [*GOLFREF, "tournament", "run.toml"], cwd=tmp_path, stderr=said, stdout=subprocess.DEVNULL
        ) as run,
    ):
        until_there(store)
        before = versions(store)
        shutil.rmtree(tmp_path / "entries/cid")
        for name in ("ann", "bea"):
            (tmp_path / "entries" / name).rename(tmp_path / name)
        for name in ("ann", "bea", "dan", "eve"):
            (tmp_path / "new" / name).rename(tmp_path / "entries" / name)
        wait_for(lambda: "next round: round " in (tmp_path / "said").read_text().partition("amended ")[2])
        run.send_signal(signal.SIGINT)
    after, words = versions(store), (tmp_path / "said").read_text()

    assert run.returncode == 130
    assert set(before) == {"ann", "bea", "cid"}
    assert set(after) == {"ann", "bea", "dan"}
    assert after["bea"] == before["bea"], "the new version does not start"
    assert after["ann"] != before["ann"]
    assert (
        "bot bea: start_failed: exited with code 3 before `ready`\n`bea` goes on with the version that plays" in words
    )
    assert "told otherwise" not in words, "the version of bea that plays on has the folder that it had"
    assert words.count("entries/eve/bot.toml:1:12: command[0]:") == 1
    assert "`eve` does not play until that is put right" in words
    assert re.search(r"bot `ann`: replaced \(version \w+ -> \w+: its files changed\)", words)
    assert "bot `cid`: withdrawn" in words

    (tmp_path / "run.toml").write_text(CONFIG.replace("deals = 1", "deals = 1\nrounds = 1"))
    out, err = golfref("tournament", "run.toml", "--amend", cwd=tmp_path)
    assert "`bea` goes on with the version that plays" in err
    assert versions(store) == after
    assert "dan" in out
    assert "all holds" in golfref("verify", "run.golfref", cwd=tmp_path)[0]


@pytest.mark.isolation
@pytest.mark.full  # likewise
@pytest.mark.parametrize("workers", [1, 2])
def test_a_ladder_looks_again_at_what_a_bot_in_a_cell_can_read(tmp_path: Path, workers: int) -> None:
    need_bubblewrap()
    for place in (tmp_path, *tmp_path.parents[:2]):
        place.chmod(place.stat().st_mode | 0o055)
    head = CONFIG.partition("[[bots]]")[0].replace("workers = 1\njobs = 1", f"workers = {workers}\njobs = {workers}")
    head = head.replace('format = "ladder"', 'format = "ladder"\nisolation = "bwrap"')
    bots = ""
    for name in ("ann", "bea", "cid", "dan"):  # a ladder has at least one more than sit at a table
        entry(tmp_path / name)
        (tmp_path / name / "bot.toml").unlink()
        bots += f'[[bots]]\nname = "{name}"\ndir = "{name}"\ncommand = ["sh", "bot.sh"]\n'
    (tmp_path / "run.toml").write_text(head + bots)
    store, said = tmp_path / "run.golfref", tmp_path / "said"
    with (
        open(said, "w") as log,
        subprocess.Popen([*GOLFREF, "tournament", "run.toml"], cwd=tmp_path, stderr=log, stdout=log) as run,
    ):
        try:
            until_there(store)
            (tmp_path / "cid/copy.golfref").write_text("a copy of a store, with the key of all deals")
            wait_for(lambda: "next round: round " in said.read_text().partition("bot `cid`: withdrawn")[2])
            (tmp_path / "cid/copy.golfref").unlink()
            wait_for(lambda: "next round: round " in said.read_text().partition("bot `cid`: added")[2])
        finally:
            run.send_signal(signal.SIGINT)
    words = said.read_text()
    assert "cid/copy.golfref belongs to the store of a run" in words
    assert "`cid` does not play until that is put right" in words
    assert set(versions(store)) == {"ann", "bea", "cid", "dan"}


HEAD = (
    "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n"
    '[tournament]\nname = "run"\nseed = "abc"\nworkers = 1\nformat = "ladder"\ndeals = 1\n'
)
GAME = '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'


def of_version(name: str, mode: str = "") -> str:
    """A bot; it is another version with another environment."""
    return f'[[bots]]\n{QUICK}\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


def test_entries_come_and_go_until_it_is_told_to_end(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(HEAD + "rounds = 1\n" + GAME + of_version("ann") + of_version("bea") + of_version("cid"))
    golfref("tournament", "run.toml", cwd=tmp_path)
    config.write_text(HEAD + "rounds = 2\n" + GAME + of_version("bea") + of_version("cid", "new") + of_version("dan"))
    _, said = golfref("tournament", "run.toml", "--amend", cwd=tmp_path)
    assert "round 2 of the ladder" in " ".join(said.split())
    assert "no more rounds: all 2 rounds of the ladder have been played" in said

    told = json.loads(golfref("standings", "run.golfref", "--json", cwd=tmp_path)[0])
    assert [one["title"] for one in told["rounds"]] == [f"round {number} of the ladder" for number in (1, 2)]
    former = {one["bot"].partition(" (version ")[0] for one in told["ratings"]["former"]}
    assert former == {"ann", "cid"}
    assert {row["bot"]: row["matches"] > 0 for row in told["standings"]} == {"bea": True, "cid": True, "dan": True}
    with closing(Store.open(tmp_path / "run.golfref")) as store:
        dealt = [(json.loads(data)["deal_key"], match.identity.rotation) for match, data in store.with_records()]
    assert len(set(dealt)) == len(dealt), "a new version of a bot has cards that the former one did not see"
    assert "all holds" in golfref("verify", "run.golfref", cwd=tmp_path)[0]


def test_hours_out_of_bounds_are_rejected_also_where_a_ladder_goes_on(tmp_path: Path) -> None:
    bots = "".join(f'[[bots]]\n{QUICK}\nname = "{name}"\n' for name in ("ann", "bea", "cid"))
    (tmp_path / "run.toml").write_text(f"{HEAD}hours = 1\nrounds = 1\n{GAME}{bots}")
    assert "the ladder rests" not in golfref("tournament", "run.toml", cwd=tmp_path)[1], "its one round is played"
    for hours in ("-1", "0", "8785"):
        said = golfref("tournament", "run.toml", "--hours", hours, cwd=tmp_path, code=2)[1]
        assert said == f"golfref: --hours: expected hours above 0, at most 8784, got {hours}\n"
