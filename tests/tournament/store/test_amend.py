"""Runs are amended: bots are withdrawn, replaced and entered late in a run that has begun, and its settings changed."""

import json
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from in_store import findings, go_on
from measured import unmeasured
from msgspec.structs import replace
from quick import QUICK

from referee.tournament.config.config import load
from referee.tournament.config.differences import config_differences
from referee.tournament.config.run_config import RunVariant
from referee.tournament.results import Result
from referee.tournament.store.store import Store
from referee.tournament.store.words import history_of

USUAL_HEAD = '[tournament]\nname = "run"\nseed = "abc"\nworkers = 1\n'
HEAD = "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n" + USUAL_HEAD
SECRET = HEAD.replace('seed = "abc"\n', "")
SIX = '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'
MORE = '[[variants]]\npreset = "six-card"\nname = "more"\noptions = { rounds = 1 }\n'


def bot(name: str, mode: str = "") -> str:
    """A bot; it is another version with another environment."""
    return f'[[bots]]\n{QUICK}\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


class Tournament:
    """A folder with a tournament that an organiser changes. Its matches are made up from their cards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, *parts: str) -> None:
        (self.folder / "run.toml").write_text("".join(parts))

    def results(self) -> list[Result]:
        with closing(Store.open(self.folder / "run.golfref")) as store:
            return list(map(unmeasured, store.results()))

    def document(self) -> Any:
        return json.loads(golfref("standings", "run.golfref", "--json", cwd=self.folder)[0])

    def committed(self) -> dict[int, Result]:
        """All matches, by id."""
        with closing(Store.open(self.folder / "run.golfref")) as store:
            return {match.id: replace(unmeasured(match.result), number=0, block=0) for match in store.matches()}


@pytest.fixture
def run(tmp_path: Path) -> Tournament:
    return Tournament(tmp_path / "run")


def matches_line(said: str) -> str:
    (line,) = {line.strip() for line in said.splitlines() if line.strip().startswith("matches: ")}
    return line


def test_a_changed_config_says_what_would_change_and_changes_nothing(run: Tournament) -> None:
    run.write(SECRET, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    go_on(run.folder)
    before = (run.folder / "run.golfref").read_bytes()

    run.write(SECRET, "deals = 1\n", SIX, bot("ann"), bot("bea", "2"), bot("dan"))
    said = golfref("tournament", "run.toml", cwd=run.folder, code=2)[1]
    versions = {one.name: one.version[:12] for one in load(run.folder / "run.toml").run_config().bots}
    old = {one["name"]: one["version"][:12] for one in run.document()["bots"]}
    assert f"bot `cid`: withdrawn (version {old['cid']})" in said
    replaced = f'bot `bea`: replaced (version {old["bea"]} -> {versions["bea"]}: env.MODE: "" -> "2")'
    assert replaced in said
    assert f"bot `dan`: added (version {versions['dan']})" in said
    expected = "matches: 6 -> 6 in the plan, 4 of them added; of those played 0 kept, 6 dropped; "
    assert matches_line(said) == expected + "6 to play"
    assert "nothing was changed: --fresh plays all of it anew" in said
    assert "its key has been shown" in said

    assert matches_line(golfref("tournament", "run.toml", "--dry-run", cwd=run.folder)[1]) == matches_line(said)
    assert (run.folder / "run.golfref").read_bytes() == before


STEPS = {
    "late entry, another game first, another order of bots": (
        (HEAD, "deals = 1\n", MORE, SIX, bot("dan"), bot("ann"), bot("bea"), bot("cid")),
        (6, 24, 18, 6, 0, 18),
    ),
    "a replaced bot, and one withdrawn": (
        (HEAD, "deals = 1\n", MORE, SIX, bot("ann"), bot("bea", "2"), bot("dan")),
        (24, 12, 0, 4, 20, 8),
    ),
    "more deals": (
        (HEAD, "deals = 2\n", MORE, SIX, bot("ann"), bot("bea", "2"), bot("dan")),
        (12, 24, 12, 12, 0, 12),
    ),
    "other options": (
        (HEAD, "deals = 2\n", MORE.replace("1", "2"), SIX, bot("ann"), bot("bea", "2"), bot("dan")),
        (24, 24, 0, 12, 12, 12),
    ),
    "fewer deals, a game less": (
        (HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea", "2"), bot("dan")),
        (24, 6, 0, 6, 18, 0),
    ),
}
"""A config after another, and what is said of the matches when a run is amended from the one before.

How many there were and are in the plan, are added, are kept, are dropped (and count again), and are left to play.
"""


def without(bot: str, results: list[Result]) -> list[Result]:
    return [result for result in results if bot not in result.bots]


def places(results: list[Result]) -> list[tuple[object, ...]]:
    return [(one.number, one.variant, one.block, one.deal, one.rotation, {*one.bots}) for one in results]


def test_an_amended_run_ends_as_one_that_began_so(
    run: Tournament, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every kind of change in turn: what is kept is kept as it was played, and nothing is missing or left over."""
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    go_on(run.folder)
    for step, (config, expected) in STEPS.items():
        before = run.committed()
        run.write(*config)
        capsys.readouterr()
        go_on(run.folder, may_change=True)
        said = capsys.readouterr().err
        assert tuple(map(int, re.findall(r"\d+", matches_line(said)))) == expected, step
        assert "its key has been shown" not in said, "whoever has the seed had the key from the start"
        after = run.committed()
        assert {id_: after[id_] for id_ in before} == before, step
        new = Tournament(tmp_path / step)
        new.write(*config)
        go_on(new.folder)
        replaced = "bea" if 'MODE = "2"' in "".join(config) else ""
        assert without(replaced, run.results()) == without(replaced, new.results()), step
        assert places(run.results()) == places(new.results()), step
    assert findings(run.folder) == []
    with closing(Store.open(run.folder / "run.golfref")) as store:
        assert len([*store.retired()]) == len(run.committed()) - 6
        counts = [event.after for event in history_of(store)]
    assert counts == sorted(counts)
    assert len(counts) == len(STEPS)


def test_what_was_dropped_counts_again_when_its_version_comes_back(
    run: Tournament, capsys: pytest.CaptureFixture[str]
) -> None:
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    go_on(run.folder)
    first, played = run.results(), run.committed()
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    go_on(run.folder, may_change=True)
    assert len(run.results()) == 2
    retired = run.document()["retired"]
    assert [match["id"] for match in retired] == sorted(match["id"] for match in retired)
    assert all("cid" in match["bots"] for match in retired)
    assert len(retired) == 4
    ratings = run.document()["ratings"]
    assert {row["bot"]: row["blocks"] for row in ratings["bots"]} == {"ann": 2, "bea": 2}
    assert [(row["bot"].partition(" (version ")[0], row["blocks"]) for row in ratings["former"]] == [("cid", 2)]
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"), bot("cid"))
    go_on(run.folder, may_change=True)
    assert "4 that were dropped earlier count again; 0 to play" in capsys.readouterr().err
    assert (run.results(), run.committed()) == (first, played)


def test_a_sample_of_line_ups_only_grows(run: Tournament, capsys: pytest.CaptureFixture[str]) -> None:
    """A withdrawn bot takes its line-ups with it, a late entry adds some, and a bot that is back has its own again."""
    head, five = (HEAD, "deals = 1\nlineups = 5\n", SIX), ("ann", "bea", "cid", "dan", "eve")
    run.write(*head, *map(bot, five))
    go_on(run.folder)
    first = run.results()
    run.write(*head, *map(bot, (*five[:4], "fay")))
    go_on(run.folder, may_change=True)
    assert "of those played 6 kept, 4 dropped" in capsys.readouterr().err
    run.write(*head, *map(bot, (*five, "fay")))
    go_on(run.folder, may_change=True)
    assert "6 kept" not in capsys.readouterr().err
    bots = {result.bots for result in run.results()}
    assert {result.bots for result in first} < bots
    assert {bot for some in bots for bot in some} == {*five, "fay"}
    assert findings(run.folder) == []

    run.write(HEAD, "deals = 1\nlineups = 4\n", SIX, *map(bot, (*five, "fay")))
    said = golfref("tournament", "run.toml", "--amend", cwd=run.folder, code=2)[1]
    assert "lineups: 5 -> 4 (what was played stays, so there can only be more line-ups)" in said


def test_a_version_that_comes_back_after_another_one_begins_anew(run: Tournament) -> None:
    config = (HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    run.write(*config, bot("cid"))
    go_on(run.folder)
    first = without("cid", run.results())
    for mode, expected in (("2", 1), ("", 2)):
        run.write(*config, bot("cid", mode))
        go_on(run.folder, may_change=True)
        assert without("cid", run.results()) == first
        before = {sum(one.versions_before) for one in run.results() if "cid" in one.bots}
        assert before == {expected}
    assert len(run.committed()) == 6 + 4 + 4
    assert findings(run.folder) == []


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ('seed = "abd"\n', 'tournament.seed: "abc" -> "abd" (the commitment to the key was made with it)'),
        (
            'rank_by = "strokes"\n',
            'tournament.rank_by: "match-points" -> "strokes" (nobody may choose it by the results)',
        ),
        ("[time]\nmove_s = 2\n", "time.move_s: 1.0 -> 2.0 (what is played with it could not be compared"),
        ('[time]\nslap_timing = "broadcast"\n', 'time.slap_timing: "isolated" -> "broadcast" (what is played with'),
        ("[faults]\nstrikes = 3\n", "faults.strikes: 10 -> 3 (what is played with it could not be compared"),
        ("[limits]\nmemory_mb = 100\n", "limits.memory_mb: 1024 -> 100 (what is played with it could not be compared"),
        ('rotations = "fresh"\n', 'tournament.rotations: "same" -> "fresh" (the cards of every match follow from it)'),
        (
            'isolation = "none"\n',
            'tournament.isolation: "limits" -> "none" (what is played with it could not be compared',
        ),
    ],
)
def test_what_results_were_played_under_cannot_change(run: Tournament, setting: str, expected: str) -> None:
    old = load_with(run, USUAL_HEAD).run_config()
    head = USUAL_HEAD.replace('seed = "abc"\n', "") if setting.startswith("seed") else USUAL_HEAD
    found = config_differences(old, load_with(run, head + setting).run_config())
    assert found.changes == []
    (line,) = found.refused
    assert line.in_words.startswith(expected)


def load_with(run: Tournament, head: str) -> Any:
    run.write(head, SIX, bot("ann"), bot("bea"))
    return load(run.folder / "run.toml")


def test_a_game_goes_by_the_hash_that_stores_hold() -> None:
    """The hash is over the JSON of its name, preset, seats and the options that it lists, with sorted keys."""
    entry = RunVariant(name="six", preset="six-card", seats=2, options={"rounds": 9, "kings15": False})
    assert entry.game == "73c357a6c9ee"


def test_a_run_goes_on_when_the_default_of_an_option_changes_that_has_no_effect_in_it() -> None:
    """NIN-08: a joker of nine-card golf counted -5 before it counted -4."""
    for options, is_same in (({}, True), ({"jokers": 2}, False)):
        before, now = (
            RunVariant(name="nine", preset="nine-card", seats=2, options=options | {"joker_value": value})
            for value in (-5, -4)
        )
        assert before.is_same_game(now) == is_same


def test_a_refused_change_is_refused_with_amend_too(run: Tournament) -> None:
    run.write(USUAL_HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    go_on(run.folder)
    before = (run.folder / "run.golfref").read_bytes()
    run.write(USUAL_HEAD, "deals = 2\n", "[time]\nmove_s = 2\n", SIX, bot("ann"), bot("bea"))
    said = golfref("tournament", "run.toml", "--amend", cwd=run.folder, code=2)[1]
    assert "time.move_s: 1.0 -> 2.0" in said
    assert "--fresh" in said
    assert (run.folder / "run.golfref").read_bytes() == before
    assert (
        "--amend has no effect with it"
        in golfref("tournament", "run.toml", "--amend", "--fresh", cwd=run.folder, code=2)[1]
    )


def test_a_late_entry_that_does_not_start_changes_nothing(run: Tournament) -> None:
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    go_on(run.folder)
    before = (run.folder / "run.golfref").read_bytes()
    run.write(HEAD, SIX, bot("ann"), f'[[bots]]\nname = "eve"\ncommand = ["{sys.executable}", "-c", "exit(1)"]\n')
    assert "bot eve: start_failed" in golfref("tournament", "run.toml", "--amend", cwd=run.folder, code=1)[1]
    assert (run.folder / "run.golfref").read_bytes() == before


def test_an_owner_or_a_title_can_be_put_right_without_a_match_played_again(
    run: Tournament, capsys: pytest.CaptureFixture[str]
) -> None:
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    go_on(run.folder)
    head, owner = HEAD.replace('"run"', '"Run"'), 'owner = "Bea"\n'
    run.write(head, "deals = 1\n", SIX, bot("ann"), owner, bot("bea"), owner)
    go_on(run.folder, may_change=True)
    said = capsys.readouterr().err
    assert 'name: "run" -> "Run"' in said
    assert 'bot `bea`: the same version, told otherwise (owner: "" -> "Bea")' in said
    document = run.document()
    assert document["name"] == "Run"
    assert [one["owner"] for one in document["bots"]] == ["Bea", "Bea"]
    assert document["retired"] == []


def test_a_run_whose_rotations_share_their_cards_takes_no_second_owner(run: Tournament) -> None:
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), bot("bea"))
    go_on(run.folder)
    run.write(HEAD, 'trust = "all"\n', "deals = 1\n", SIX, bot("ann"), bot("bea"), 'owner = "Bea"\n')
    said = golfref("tournament", "run.toml", "--amend", cwd=run.folder, code=2)[1]
    assert 'tournament.rotations: "same" -> "fresh" (the cards of every match follow from it)' in said


DIARY = """
import pathlib, runpy, sys
here = pathlib.Path(__file__).parent
if not (here / "diary").exists():
    (here / "diary").write_text("I have been here")
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def test_a_bot_that_changes_while_it_plays_is_named(run: Tournament) -> None:
    """Its first start of the tournament is the last one of the version that the config had."""
    from referee.play.spec import builtin_bot

    (run.folder / "eve").mkdir()
    (run.folder / "eve/bot.py").write_text(DIARY)
    command = json.dumps([sys.executable, "bot.py", builtin_bot("random").command[-1]])
    eve = f'[[bots]]\nname = "eve"\ndir = "eve"\ncommand = {command}\n'
    run.write(HEAD, "deals = 1\n", SIX, bot("ann"), eve)
    said = golfref("tournament", "run.toml", cwd=run.folder)[1]
    assert "WARNING: bot `eve` changed while matches were played (version " in said
    (event,) = run.document()["history"]
    assert event["after"] == 2
    assert event["lines"][0].startswith("bot `eve` changed while")
    assert "bot `eve` changed while" in golfref("standings", "run.golfref", cwd=run.folder)[0]

    said = golfref("tournament", "run.toml", cwd=run.folder, code=2)[1]
    assert "bot `eve`: replaced" in said
    assert "its files changed" in said
