"""`golfref check CONFIG` as an organiser types it: the table, the exit codes, the letters, what is kept."""

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from needs import need_perl

from referee.commands.entrants.check_argument import given_as
from referee.competition import qualify
from referee.competition.checks import CheckResult, cache_file, cached
from referee.errors import CommandError
from referee.play.spec import SHIPPED
from referee.reports.tables.layout import cells
from referee.tournament.config.config import load, survey
from referee.tournament.store.disk import locked
from referee.tournament.store.rows import KeptOut
from referee.tournament.store.store import Store
from referee.versions.version import short

CONFIG = """
[tournament]
name = "cup"
trust = "all"
seed = "a secret of the organiser"

[time]
move_s = 30.0
slap_s = 5.0

[[variants]]
preset = "six-card"
options = { rounds = 1 }

[[variants]]
name = "full table"
preset = "six-card"
seats = 4
options = { rounds = 1 }

[[bots]]
entries = "entries/*"
owners = { good = "Ann" }

[[bots]]
builtin = "random"

[[bots]]
builtin = "greedy"
"""

FALLS = r"""
    if ($message->{type} eq 'request' && $match->{seats} == 4) { print STDERR "\e[2J$0: no seat 4\n"; exit 3 }
"""
"""What a bot does with a line that falls at a table of four."""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a competition with a bot that is right, one that fails at full tables, and two that are broken."""
    need_perl()
    folder = tmp_path_factory.mktemp("cup")
    good = (SHIPPED / "starters/perl/bot.pl").read_text()
    for name, text in {"good": good, "落下": _with(good, FALLS), "unbuilt": good}.items():
        (folder / "entries" / name).mkdir(parents=True)
        (folder / "entries" / name / "bot.pl").write_text(text)
    (folder / "entries/unbuilt/bot.toml").write_text('build = ["sh", "-c", "echo no such header; exit 1"]\n')
    (folder / "entries/nothing").mkdir()
    (folder / "cup.toml").write_text(CONFIG)
    return folder


def _with(bot: str, more: str) -> str:
    """The bot in Perl, which does more with each line before it answers."""
    head, reading, rest = bot.partition("my $message = $json->decode($line);\n")
    return head + reading + more + rest


@pytest.fixture(scope="module")
def checked(cup: Path) -> tuple[str, str]:
    """What the check printed."""
    return golfref("check", "cup.toml", cwd=cup, code=1)


def test_the_table_has_a_row_for_each_entry(checked: tuple[str, str]) -> None:
    out, err = checked
    rows = {line.split()[0]: line for line in out.splitlines() if " FAIL " in line or " pass " in line}
    assert rows.keys() == {"good", "落下", "unbuilt", "nothing"}
    assert " pass " in rows["good"]
    assert "30000" in rows["good"]
    assert "full table" in rows["落下"]
    assert "    fail: crashed" in out
    assert "4 bots in 2 games: 1 pass, 3 fail." in " ".join(out.split())
    assert max(map(cells, out.splitlines())) <= 80
    assert "checked 4 of 4" in err
    assert "unbuilt: fail, its build" in err


@pytest.mark.usefixtures("checked")
def test_each_author_has_a_letter_that_tells_what_to_put_right_and_nothing_of_others(cup: Path) -> None:
    letters = {path.stem: path.read_text() for path in (cup / "cup.checks").iterdir()}

    for stem, text in letters.items():
        assert str(cup) not in text
        assert "secret" not in text
        assert "\x1b" not in text
        assert [name for name in letters if f"`{name}`" in text] == [stem]
    assert "no such header" in letters["unbuilt"]
    assert "entries/nothing: no file tells what runs it" in letters["nothing"]
    text = letters["落下"]
    assert text.startswith("Check of the bot `落下` for the competition `cup`\n")
    assert "30 s an answer" in text
    assert "[1] fail: crashed" in text
    assert "in full table" not in text.partition("[1]")[2].partition("first in")[0]
    assert "first in step 3: full table, round 1" in text
    assert "rule:   protocol/README.md" in text
    assert r"\x1b[2J" in text
    assert "each match of this competition has a process of its own" in text


def kept(cup: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in (cup / ".golfref/checks").iterdir()]


@pytest.mark.usefixtures("checked")
def test_what_is_kept_is_not_checked_again_and_old_letters_stay(cup: Path) -> None:
    (cup / "cup.checks/gone.txt").write_text("of an entry that is gone")
    before = [one["when"] for one in kept(cup)]

    out, err = golfref("check", "cup.toml", "--bot", "good", "--json", cwd=cup)

    assert "kept from before" in err
    (found,) = json.loads(out)["bots"]
    assert not found["is_new"]
    assert found["check"]["when"] in before
    assert (cup / "cup.checks/gone.txt").read_text() == "of an entry that is gone"


@pytest.mark.usefixtures("checked")
def test_a_result_counts_for_its_rules_and_version_alone(cup: Path) -> None:
    config = survey(cup / "cup.toml").rest
    (cup / "other.toml").write_text(CONFIG.replace("move_s = 30.0", "move_s = 29.0"))
    other = survey(cup / "other.toml").rest
    assert config is not None
    assert other is not None
    good, falls = (next(bot for bot in config.bots if bot.name == name) for name in ("good", "落下"))
    files = [cache_file(config, good), cache_file(config, falls), cache_file(other, good), cache_file(config, good, 20)]
    assert [cached(file, CheckResult) is not None for file in files] == [True, True, False, False]
    data = files[0].read_bytes()
    files[0].write_bytes(data[:-1])
    assert cached(files[0], CheckResult) is None
    files[0].write_bytes(data)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nosuch.toml",), "there is no file nosuch.toml"),
        (("entries",), "entries is a folder; name its config"),
        (("run.golfref",), "is the store of a run; name the config"),
        (("cup.toml", "--variant", "six-card"), "--variant does not go with a config"),
        (("builtin:random", "--again"), "--again does not go with a bot's command line"),
        (("cup.toml", "--bot", "nobody"), "--bot nobody: cup.toml has"),
    ],
)
def test_what_cannot_be_checked_is_told(cup: Path, words: tuple[str, ...], told: str) -> None:
    (cup / "run.golfref").write_bytes(b"SQLite format 3\0 and more")
    _, err = golfref("check", *words, cwd=cup, code=2)
    assert told in " ".join(err.replace("│", " ").split())


def test_a_program_in_its_folder_may_be_called_as_a_folder_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a project of `golfref new` the program `bot` lies in the folder `bot`."""
    (tmp_path / "bot").mkdir()
    monkeypatch.chdir(tmp_path)

    assert given_as("./bot", {"--dir": "bot"}, {}) == "bot"
    with pytest.raises(CommandError, match="is a folder"):
        given_as("./bot", {"--dir": None}, {})


# A tournament for which bots qualify


@pytest.fixture(scope="module")
def run(cup: Path, checked: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run for which the same entries had to qualify; what was kept of their checks is taken."""
    assert checked
    folder = tmp_path_factory.mktemp("run")
    for place in ("entries", ".golfref"):
        shutil.copytree(cup / place, folder / place, symlinks=True)
    (folder / "entries/nothing").rmdir()
    rules = '{ check = true, beat = "random", games = 2 }'
    players = CONFIG.replace("[tournament]\n", f"[tournament]\nqualify = {rules}\ndeals = 1\n")
    (folder / "few.toml").write_text(players)
    (folder / "cup.toml").write_text(f'{players}\n[[bots]]\nbuiltin = "perl"\n')
    return folder


@pytest.fixture(scope="module")
def too_few(run: Path) -> str:
    """What a tournament prints in which too few qualify. The matches by which they were tried are kept."""
    return golfref("tournament", "few.toml", cwd=run, code=2)[1]


def test_too_few_that_qualify_are_told(run: Path, too_few: str) -> None:
    err = too_few
    assert "tried good: " in err
    assert "few.toml: `qualify` keeps out unbuilt, 落下; with the others nothing can be played:" in err
    assert "4 bots at a table, but the config has only 3" in err
    assert not (run / "few.golfref").exists()
    (trial,) = (one for one in kept(run) if "beat" in one)
    assert (trial["games"], trial["beat"], trial["faults"]) == (2, "random", {})
    assert trial["by_game"].keys() == {"six-card", "full table"}


@pytest.mark.usefixtures("too_few")
def test_who_fails_is_kept_out_and_the_run_tells_it(run: Path) -> None:
    out, err = golfref("tournament", "cup.toml", cwd=run)

    why = [line.strip() for line in out.splitlines() if "is kept out by `qualify`" in line]
    assert [line.partition(" (version ")[0] for line in why] == ["bot `unbuilt`", "bot `落下`"]
    assert "its check failed: crashed" in why[1]
    assert all(line in err for line in why)
    assert "4 bots" in err
    assert "tried good" not in err  # it is kept
    told, _ = golfref("verify", "cup.golfref", cwd=run)
    assert "all holds" in told

    with pytest.MonkeyPatch.context() as patch, contextlib.closing(Store.open(run / "cup.golfref")) as store:
        patch.setattr(qualify, "check_bots", _never)
        patch.setattr(qualify, "try_bots", _never)
        config = load(run / "cup.toml")
        again = qualify.qualified(config.only(["good", "落下", "random"]), store.path, fresh=False, tell=_never_mind)
        assert [bot.name for bot in again.config.bots] == ["good", "random"]
        assert [one.bot for one in again.kept_out] == ["落下"]
        assert again.notes == ()

    (good,) = (bot for bot in config.bots if bot.name == "good")
    with locked(run / "cup.golfref") as lock, contextlib.closing(Store.open(run / "cup.golfref", lock=lock)) as store:
        store.add(KeptOut(bot="good", version=short(good.version), reason="it lost"))
    told, _ = golfref("verify", "cup.golfref", cwd=run, code=1)
    assert "the bot good is kept out, but this version of it plays" in told


def _never(*_: object, **__: object) -> None:
    pytest.fail("it is decided already")


def _never_mind(_: str) -> None:
    """Say nothing."""
