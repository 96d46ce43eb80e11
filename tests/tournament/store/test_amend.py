"""Hall practice: bots are withdrawn, replaced and entered late in a run that has begun, and its settings changed."""

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from measured import unmeasured
from msgspec.structs import replace
from quick import QUICK

from referee.tournament.config.config import load
from referee.tournament.results import Result
from referee.tournament.store.amend import Amendment
from referee.tournament.store.facts import config_differences, config_facts
from referee.tournament.store.rows import Meta
from referee.tournament.store.store import Store

USUAL_HEAD = '[tournament]\nname = "run"\nseed = "abc"\nworkers = 1\n'
HEAD = "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n" + USUAL_HEAD
SECRET = HEAD.replace('seed = "abc"\n', "")
SIX = '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'
MORE = '[[variants]]\npreset = "six-card"\nname = "more"\noptions = { rounds = 1 }\n'

REPLACED = (
    "matches: 24 -> 12 in the plan, 0 of them added; of those played 4 kept, 20 dropped (8 of them played again); "
    "8 to play"
)
SAMPLED = (
    "matches: 12 -> 16 in the plan, 8 of them added; of those played 8 kept, 4 dropped (0 of them played again); "
    "8 to play"
)
FEWER = (
    "matches: 24 -> 6 in the plan, 0 of them added; of those played 6 kept, 18 dropped (0 of them played again); "
    "0 to play"
)


def bot(name: str, mode: str = "") -> str:
    """A bot; it is another version with another environment."""
    return f'[[bots]]\n{QUICK}\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


class Hall:
    """A folder with a tournament that an organiser changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, *parts: str) -> None:
        (self.folder / "run.toml").write_text("".join(parts))

    def run(self, *words: str, code: int = 0) -> str:
        """The tournament; returns what it says."""
        return golfref("tournament", "run.toml", *words, cwd=self.folder, code=code)[1]

    def results(self) -> list[Result]:
        with closing(Store.open(self.folder / "run.golfref")) as store:
            return list(map(unmeasured, store.results()))

    def document(self) -> Any:
        return json.loads(golfref("standings", "run.golfref", "--json", cwd=self.folder)[0])

    def committed(self) -> dict[int, bytes]:
        """All records, by id."""
        with closing(Store.open(self.folder / "run.golfref")) as store:
            return {id_: store.record_of(id_) for id_ in store.ids()}


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path / "hall")


def matches_line(said: str) -> str:
    (line,) = {line.strip() for line in said.splitlines() if line.strip().startswith("matches: ")}
    return line


def test_a_changed_config_says_what_would_change_and_changes_nothing(hall: Hall) -> None:
    hall.write(SECRET, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    hall.run()
    before = (hall.folder / "run.golfref").read_bytes()

    hall.write(SECRET, "deals = 1\n", SIX, bot("ann"), bot("bea", "2"), bot("dan"))
    said = hall.run(code=2)
    versions = {one.name: one.version[:12] for one in config_facts(load(hall.folder / "run.toml")).bots}
    old = {one["name"]: one["version"][:12] for one in hall.document()["bots"]}
    assert f"bot `cid`: withdrawn (version {old['cid']})" in said
    replaced = f'bot `bea`: replaced (version {old["bea"]} -> {versions["bea"]}: env.MODE: "" -> "2")'
    assert replaced in said
    assert f"bot `dan`: added (version {versions['dan']})" in said
    expected = (
        "matches: 6 -> 6 in the plan, 4 of them added; of those played 0 kept, 6 dropped (2 of them played again); "
    )
    assert matches_line(said) == expected + "6 to play"
    assert "nothing was changed: --fresh plays all of it anew" in said
    assert "its key has been shown" in said

    assert matches_line(hall.run("--dry-run")) == matches_line(said)
    assert (hall.folder / "run.golfref").read_bytes() == before


def test_a_run_with_a_seed_has_no_key_that_could_be_shown_too_soon(hall: Hall) -> None:
    facts = config_facts(load_with(hall, HEAD))
    secret = Meta(golfref="", protocol="", host="", facts=facts, master_key="", commitment="", matches=2)
    shown = Amendment(changes=[], refused=[], meta=secret, places={}, there={}, planned=2, was_complete=True)

    assert shown.warning == ""
    assert "its key has been shown" in replace(shown, meta=replace(secret, facts=replace(facts, seed=None))).warning


def test_an_amended_run_ends_as_one_that_began_so(hall: Hall, tmp_path: Path) -> None:
    """Every kind of change in turn: what is kept is kept as it was played, and nothing is missing or left over."""
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    hall.run()
    steps = {
        "late entry, another game first, another order of bots": (
            (HEAD, "deals = 1\n", MORE, SIX, bot("dan"), bot("ann"), bot("bea"), bot("cid")),
            "matches: 6 -> 24 in the plan, 18 of them added; of those played 6 kept, 0 dropped; 18 to play",
        ),
        "a replaced bot, and one withdrawn": (
            (HEAD, "deals = 1\n", MORE, SIX, bot("ann"), bot("bea", "2"), bot("dan")),
            REPLACED,
        ),
        "more deals, a sample of line-ups": (
            (HEAD, "deals = 2\nlineups = 2\n", MORE, SIX, bot("ann"), bot("bea", "2"), bot("dan")),
            SAMPLED,
        ),
        "other options": (
            (HEAD, "deals = 2\n", MORE.replace("1", "2"), SIX, bot("ann"), bot("bea", "2"), bot("dan")),
            None,
        ),
        "fewer deals, a game less": (
            (HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea", "2"), bot("dan")),
            FEWER,
        ),
    }
    compared = ("a replaced bot, and one withdrawn", "fewer deals, a game less")
    for step, (config, expected) in steps.items():
        before = hall.committed()
        hall.write(*config)
        said = hall.run("--amend")
        assert expected is None or matches_line(said) == expected, step
        after = hall.committed()
        assert {id_: after[id_] for id_ in before} == before, step
        if step in compared:
            new = Hall(tmp_path / step)
            new.write(*config)
            new.run()
            assert hall.results() == new.results(), step
    assert "all holds" in golfref("verify", "run.golfref", cwd=hall.folder)[0]
    assert "going on with" in hall.run("--amend"), "nothing is left to amend"
    document = hall.document()
    assert len(document["retired"]) == len(hall.committed()) - 6
    counts = [event["after"] for event in document["history"]]
    assert counts == sorted(counts)
    assert len(counts) == len(steps)


def test_what_was_dropped_counts_again_when_its_version_comes_back(hall: Hall) -> None:
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    hall.run()
    first, played = hall.results(), hall.committed()
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    hall.run("--amend")
    assert len(hall.results()) == 2
    retired = hall.document()["retired"]
    assert [match["id"] for match in retired] == sorted(match["id"] for match in retired)
    assert all("cid" in match["bots"] for match in retired)
    assert len(retired) == 4
    ratings = hall.document()["ratings"]
    assert {row["bot"]: row["blocks"] for row in ratings["bots"]} == {"ann": 2, "bea": 2}
    assert [(row["bot"].partition(" (version ")[0], row["blocks"]) for row in ratings["former"]] == [("cid", 2)]
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    assert "4 that were dropped earlier count again; 0 to play" in hall.run("--amend")
    assert (hall.results(), hall.committed()) == (first, played)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ('seed = "abd"\n', 'seed: "abc" -> "abd" (the commitment to the key was made with it)'),
        ('rank_by = "strokes"\n', 'rank_by: "match-points" -> "strokes" (nobody may choose it by the results)'),
        ("[time]\nmove_s = 2\n", "clocks.move_s: 1.0 -> 2.0 (what is played with it could not be compared"),
        ('[time]\nslap_timing = "broadcast"\n', 'clocks.slap_timing: "isolated" -> "broadcast" (what is played with'),
        ("[faults]\nstrikes = 3\n", "faults.strikes: 10 -> 3 (what is played with it could not be compared"),
        ("[limits]\nmemory_mb = 100\n", "limits.memory_mb: 1024 -> 100 (what is played with it could not be compared"),
        ('rotations = "fresh"\n', 'rotations: "same" -> "fresh" (the cards of every match follow from it)'),
        ('isolation = "none"\n', 'isolation: "limits" -> "none" (what is played with it could not be compared'),
    ],
)
def test_what_results_were_played_under_cannot_change(hall: Hall, setting: str, expected: str) -> None:
    hall.write(USUAL_HEAD, SIX, bot("ann"))
    old = config_facts(load_with(hall, USUAL_HEAD))
    head = USUAL_HEAD.replace('seed = "abc"\n', "") if setting.startswith("seed") else USUAL_HEAD
    found = config_differences(old, config_facts(load_with(hall, head + setting)))
    assert found.changes == []
    (line,) = found.refused
    assert line.startswith(expected)


def load_with(hall: Hall, head: str) -> Any:
    hall.write(head, SIX, bot("ann"), bot("bea"))
    return load(hall.folder / "run.toml")


def test_a_refused_change_is_refused_with_amend_too(hall: Hall) -> None:
    hall.write(USUAL_HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    hall.run()
    before = (hall.folder / "run.golfref").read_bytes()
    hall.write(USUAL_HEAD, "deals = 2\n", "[time]\nmove_s = 2\n", SIX, bot("ann"), bot("bea"))
    said = hall.run("--amend", code=2)
    assert "clocks.move_s: 1.0 -> 2.0" in said
    assert "--fresh" in said
    assert (hall.folder / "run.golfref").read_bytes() == before
    assert "not both" in hall.run("--amend", "--fresh", code=2)


def test_a_late_entry_that_does_not_start_changes_nothing(hall: Hall) -> None:
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    hall.run()
    before = (hall.folder / "run.golfref").read_bytes()
    hall.write(HEAD, SIX, bot("ann"), f'[[bots]]\nname = "eve"\ncommand = ["{sys.executable}", "-c", "exit(1)"]\n')
    assert "bot eve: start_failed" in hall.run("--amend", code=1)
    assert (hall.folder / "run.golfref").read_bytes() == before


def test_an_owner_or_a_title_can_be_put_right_without_a_match_played_again(hall: Hall) -> None:
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    hall.run()
    head = HEAD.replace('"run"', '"Run"') + 'trust = "all"\n'
    hall.write(head, "deals = 1\n", SIX, bot("ann"), bot("bea"), 'owner = "Bea"\n')
    said = hall.run("--amend")
    assert 'name: "run" -> "Run"' in said
    assert 'bot `bea`: the same version, told otherwise (owner: "" -> "Bea")' in said
    document = hall.document()
    assert document["name"] == "Run"
    assert [one["owner"] for one in document["bots"]] == ["", "Bea"]
    assert 'note: the run goes on with rotations = "same", as it began; a new one would have "fresh"' in said
    assert document["rotations"] == "same"
    assert document["retired"] == []


DIARY = """
import pathlib, runpy, sys
here = pathlib.Path(__file__).parent
if not (here / "diary").exists():
    (here / "diary").write_text("I have been here")
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_a_bot_that_changes_while_it_plays_is_named(hall: Hall) -> None:
    """Its first start of the tournament is the last one of the version that the config had."""
    from referee.play.spec import builtin_bot

    (hall.folder / "eve").mkdir()
    (hall.folder / "eve/bot.py").write_text(DIARY)
    command = json.dumps([sys.executable, "bot.py", builtin_bot("random").command[-1]])
    eve = f'[[bots]]\nname = "eve"\ndir = "eve"\ncommand = {command}\n'
    hall.write(HEAD, "deals = 1\n", SIX, bot("ann"), eve)
    said = hall.run()
    assert "WARNING: bot `eve` changed while matches were played (version " in said
    (event,) = hall.document()["history"]
    assert event["after"] == 2
    assert event["lines"][0].startswith("bot `eve` changed while")
    assert "bot `eve` changed while" in golfref("standings", "run.golfref", cwd=hall.folder)[0]

    said = hall.run(code=2)
    assert "bot `eve`: replaced" in said
    assert "its files changed" in said
    (hall.folder / "eve/diary").unlink()
    hall.run()
