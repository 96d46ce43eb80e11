"""The commands as their users type them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import GOLFREF, golfref
from needs import need_bubblewrap
from quick import QUICK

from referee.play.spec import SHIPPED


def golfref_json(*words: str, cwd: Path) -> Any:
    return json.loads(golfref(*words, "--json", cwd=cwd)[0])


def test_variants_lists_every_game_with_its_options(tmp_path: Path) -> None:
    rows = {row["name"]: row for row in golfref_json("variants", cwd=tmp_path)}
    assert set(rows) >= {"six-card", "six-card-knock", "single-deck", "cactus"}
    assert rows["six-card"]["seats"] == [2, 8]
    assert rows["six-card-knock"]["options"]["end_mode"] == "knock"
    assert rows["cactus"]["options"]["limit"] == 25
    lines = golfref("variants", cwd=tmp_path)[0].splitlines()
    assert len(lines) == len(rows)


def test_rules_follow_the_options(tmp_path: Path) -> None:
    usual, _ = golfref("rules", "six-card", cwd=tmp_path)
    assert "expected KEY=VALUE, got '=3'" in golfref("rules", "six-card", "-o", "=3", cwd=tmp_path, code=2)[1]
    changed, _ = golfref("rules", "six-card", "-o", "final_turns=one_each", "-o", "kings15=true", cwd=tmp_path)
    assert "the round ends at once" in usual
    assert "every other seat has one more turn" in changed
    assert "K 15" in changed
    assert "* final_turns" in changed


PAR_TABLES = {
    "TOML": '{name = "ours-2", values = "B1", rules = [{if = {any = true}, score = "sum"}]}',
    "JSON, as PAR-26 prints it": '{"name":"ours-2","values":"B1","rules":[{"if":{"any":true},"score":"sum"}]}',
}


@pytest.mark.parametrize("table", PAR_TABLES.values(), ids=PAR_TABLES)
def test_an_options_value_is_toml_or_json(tmp_path: Path, table: str) -> None:
    out, _ = golfref("rules", "par-5", "-o", f"par_table={table}", cwd=tmp_path)
    assert "* par_table        ours-2" in out.splitlines()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('{"name": "ours-2"', ("as TOML: ", "as JSON: ")),
        ("[" * 10_000, ("as TOML: ", "as JSON: ")),
        ('{name = "a", rules = [{if = {any = true}, score = "some"}]}', ('1000000, "sum", "high",',)),
        ('{name = "a", values = "B2", rules = [{if = {any = true}, score = 1}]}', ('it takes "B1" or a table ',)),
        ("ours-2", ("expected a table as in PAR-26",)),
    ],
)
def test_an_options_value_that_cannot_be(tmp_path: Path, value: str, words: tuple[str, ...]) -> None:
    _, problem = golfref("rules", "par-5", "-o", f"par_table={value}", cwd=tmp_path, code=2)
    assert "par_table" in problem
    assert all(word in " ".join(problem.split()) for word in words), problem


SIGNALS = """
import json, os, signal, sys

print([one.name for one in signal.Signals if signal.getsignal(one) is signal.SIG_IGN], file=sys.stderr)
"""


def test_a_bot_of_a_referee_in_the_background_ignores_no_signals(tmp_path: Path) -> None:
    """In the background and with nohup signals are ignored, which a program passes on to those that it starts."""
    (tmp_path / "bot.py").write_text(SIGNALS)
    bots = ("--bot", f"{sys.executable} bot.py", "--bot", "builtin:random")
    match = [*GOLFREF, "match", "--variant", "six-card", *bots, "--record", "played.jsonl"]
    script = "trap '' INT QUIT HUP; exec \"$@\""
    subprocess.run(["sh", "-c", script, "sh", *match], cwd=tmp_path, capture_output=True, check=True)
    (seat, _) = json.loads((tmp_path / "played.jsonl").read_text())["seats"]
    assert seat["stderr"] == "['SIGPIPE', 'SIGXFSZ']"


def test_a_run_is_played_where_input_and_words_have_no_place_to_go(tmp_path: Path) -> None:
    """Some programs start others with all but stdout closed. Words for people do not come among the data then."""
    config = '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'
    config += "".join(f'[[bots]]\nname = "{name}"\n{QUICK}\n' for name in ("ann", "bea"))
    (tmp_path / "run.toml").write_text(f'[tournament]\nname = "run"\ndeals = 1\n{config}')
    command = ["sh", "-c", 'exec "$@" <&- 2>&-', "sh", *GOLFREF, "tournament", "run.toml", "--json"]
    out = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(out)["matches"] == 2


def test_a_host_without_a_folder_for_temporary_files_is_at_fault(tmp_path: Path) -> None:
    """Root can write everywhere but in /proc."""
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for name in ("SHA256SUMS", "SHA256SUMS.sig", "run.golfref"):
        (bundle / name).write_bytes(b"")
    (tmp_path / "key.pub").write_text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 x\n")
    nowhere = "import tempfile; tempfile._candidate_tempdir_list = lambda: ['/proc']"
    assert golfref("verify", "bundle", "--signer", "key.pub", cwd=tmp_path, before=nowhere, code=3)[1] == (
        "golfref: the system refused the referee something: No usable temporary directory found in ['/proc']; "
        "let TMPDIR name a folder that golfref may write\n"
    )


def test_score_by_hand(tmp_path: Path) -> None:
    grids = ("KS 5H 9D / KD AC 9S", "QS JD KH / 10S QD 10C")
    plain, _ = golfref("score", "six-card", *grids, cwd=tmp_path)
    assert [line.split()[0] for line in plain.splitlines()] == ["6", "50"]
    options = ("-o", "knock_penalty=add:10", "--ender", "1")
    punished, _ = golfref("score", "six-card", *grids, *options, cwd=tmp_path)
    assert "60 (raw 50)" in punished


def test_score_lines_go_on_after_a_bad_one(tmp_path: Path) -> None:
    lines = [
        {"preset": "cactus", "options": {}, "grids": ["9S 0H / -- --", "JS QH / 2C 3D"], "ender": 0},
        {"preset": "cactus", "options": {"moon": True}, "grids": ["9S 0H / -- --"], "ender": None},
        {"preset": "six-card", "options": {"queen_value": 20}, "grids": ["QS JD KH / 10S QD 10C"], "ender": None},
    ]
    out, _ = golfref("score", "--jsonl", cwd=tmp_path, given="\n".join(map(json.dumps, lines)) + "\n{\n", code=1)
    answers = [json.loads(line) for line in out.splitlines()]
    assert answers[0] == {"raw": [9, 25], "scores": [18, 25]}
    assert "moon" in answers[1]["error"]
    assert answers[2] == {"raw": [70], "scores": [70]}
    assert "error" in answers[3]


def test_a_match_with_a_given_deck(tmp_path: Path) -> None:
    """GEN-04: cards go out clockwise from the dealer's left, so seat 1 gets the first card."""
    (tmp_path / "deck.txt").write_text("KS 2S KD 2D  # two cards for each seat, seat 1 first\n")
    words = ("match", "--variant", "six-card", "-o", "rounds=1", "--deck", "deck.txt", "--record", "m.json")
    golfref(*words, "--bot", "builtin:random", "--bot", "builtin:random", cwd=tmp_path)
    assert json.loads((tmp_path / "m.json").read_text())["rounds"][0]["deck"][:4] == ["KS", "2S", "KD", "2D"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("7H 7H 7H", "round 1: 7H stands 3 times; the pack has 1 of it"),
        ("7H 1H", "round 1: 1H stands 1 times; the pack has no such card"),
        ("7H 77", "deck.txt:1:4: `77` is no card code"),
    ],
)
def test_a_deck_that_cannot_be(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "deck.txt").write_text(line)
    bots = ("--bot", "builtin:random", "--bot", "builtin:random")
    _, problem = golfref("match", "--variant", "six-card", "--deck", "deck.txt", *bots, cwd=tmp_path, code=2)
    assert words in problem


def test_a_failing_bot_is_explained_to_its_author(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import sys\n"
        "input()\n"
        'print(\'{"type": "ready"}\', flush=True)\n'
        "input(); input()\n"
        'print("my hand is bad", flush=True)\n'
        "sys.exit('I give up')\n"
    )
    bots = ("--bot", "builtin:random", "--bot", f"{sys.executable} mine.py")
    out, why = golfref("match", "--variant", "six-card", *bots, "--strict", cwd=tmp_path, code=1)
    assert "bad_message 1, crashed 1 (forfeited)" in out
    assert "print debugging to standard error" in why
    assert "its line: my hand is bad" in why
    assert "I give up" in why
    assert "`--record FILE` keeps the whole conversation; `--seed " in why

    _, why = golfref("match", "--variant", "six-card", *bots, "--record", "m.json", cwd=tmp_path)
    assert why.splitlines()[-2:] == [
        "  all of it: golfref transcript m.json:0 --bot mine",
        f"what to do about a fault: {SHIPPED / 'MISBEHAVES.md'}",
    ]


def test_a_bot_that_is_started_in_its_own_folder_has_the_name_that_it_says(tmp_path: Path) -> None:
    for name in ("bot", "ada"):
        (tmp_path / f"{name}.py").write_text('input()\nprint(\'{"type": "ready", "name": "ada"}\')\n')
    (tmp_path / "main.py").write_text('print(\'{"type": "ready"}\')\n')
    bots = [word for name in ("bot", "ada", "ada", "main") for word in ("--bot", f"{sys.executable} {name}.py")]
    report = golfref_json("match", "--variant", "six-card", "--record", "m.json", *bots, cwd=tmp_path)
    assert [bot["name"] for bot in report["bots"]] == ["ada", "ada#2", "ada#3", "main"]
    assert "seats: 0 ada, 1 ada#2, 2 ada#3, 3 main" in golfref("replay", "m.json", cwd=tmp_path)[0]
    assert "all holds" in golfref("verify", "m.json", cwd=tmp_path)[0]


def test_a_match_shows_no_bot_the_folder_of_a_run(tmp_path: Path) -> None:
    need_bubblewrap()
    (tmp_path / "mine.py").touch()
    (tmp_path / "friday.golfref").touch(mode=0o600)
    bots = ("--bot", "python3 mine.py", "--bot", "builtin:random")
    _, why = golfref("match", "--variant", "six-card", "--isolation", "bwrap", *bots, cwd=tmp_path, code=2)
    assert "friday.golfref belongs to the store of a run" in why
    assert "give the bot a folder of its own" in why
    assert "chmod" not in why


def test_help_and_version(tmp_path: Path) -> None:
    overview, _ = golfref("--help", cwd=tmp_path, alone=True)
    for command in ("tournament", "standings", "match", "variants", "rules", "score", "replay", "verify"):
        assert command in overview
        assert golfref(command, "--help", cwd=tmp_path)[0]
    assert "protocol 1\n" in golfref("--version", cwd=tmp_path, alone=True)[0]


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "referee", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert not imported & {"trio", "msgspec", "sqlite3", "tabulate", "rich.progress"}
