"""A bot that does not start: it fails its check if it lacks what it will lack at play, and is else kept out later."""

import json
import shutil
from pathlib import Path

import pytest
from commands import golfref
from needs import need_bubblewrap, need_perl

from referee.competition.builder import builder_for
from referee.competition.checking import kept_check
from referee.competition.sight import sight_of, strangers_among
from referee.competition.terms import terms_of
from referee.entries.shelf import Shelf
from referee.play.isolation import copies
from referee.play.isolation.memory import NoMemory
from referee.play.spec import SHIPPED
from referee.tournament.config.config import load

pytestmark = pytest.mark.isolation

CONFIG = """
[tournament]
name = "cup"
deals = 1
{more}

[time]
start_s = 30.0
move_s = 30.0

[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}

[[bots]]
entries = "entries/*"
owners = {{ good = "Ann", lacks = "Bob" }}

[[bots]]
builtin = "random"
"""

UNNAMED = shutil.which("sort", path="/usr/bin:/bin") or "/usr/bin/sort"
"""A program of the system that the bots' commands do not name, so that it is not among the copies."""


def write(folder: Path, more: str, needs: str) -> Path:
    """A competition of two owners' bots, of which one does not start without a file."""
    need_perl()
    good = (SHIPPED / "starters/perl/bot.pl").read_text()
    first, _, rest = good.partition("\n")
    lacks = f'{first}\n-e "{needs}" or die "the file is missing";\n{rest}'
    for name, text in {"good": good, "lacks": lacks}.items():
        (folder / "entries" / name).mkdir(parents=True)
        (folder / "entries" / name / "bot.pl").write_text(text)
    (folder / "cup.toml").write_text(CONFIG.format(more=more))
    return folder


@pytest.fixture(scope="module")
def in_cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bots in cells, which see copies of what their commands seem to need."""
    need_bubblewrap()
    return write(tmp_path_factory.mktemp("cup"), 'isolation = "bwrap"', UNNAMED)


@pytest.mark.full  # it copies an interpreter for each bot, and checks all of them
def test_a_check_sees_what_the_tournament_shows(in_cells: Path) -> None:
    _, why = golfref("tournament", "cup.toml", "--dry-run", cwd=in_cells, code=1)
    assert "the file is missing" in why
    assert "1 of 3 bots did not start" in why

    out, _ = golfref("check", "cup.toml", "--json", cwd=in_cells, code=1)

    found = {one["bot"]: one for one in json.loads(out)["bots"]}
    assert {name: one["verdict"] for name, one in found.items()} == {"good": "pass", "lacks": "fail"}
    text = (in_cells / "cup.checks/lacks.txt").read_text()
    assert "the file is missing" in text
    assert "sees copies of what its command seems to need" in " ".join(text.split())

    config = load(in_cells / "cup.toml")
    (good,) = (bot for bot in config.bots if bot.name == "good")
    assert kept_check(Shelf(in_cells), good.version, terms_of(config, in_copies=True)) is not None
    assert kept_check(Shelf(in_cells), good.version, terms_of(config)) is None
    (in_cells / "alone.toml").write_text((in_cells / "cup.toml").read_text().replace('lacks = "Bob"', 'lacks = "Ann"'))
    alone, _ = golfref("check", "alone.toml", "--bot", "lacks", "--json", cwd=in_cells)
    assert [one["verdict"] for one in json.loads(alone)["bots"]] == ["pass"]


def test_bots_that_have_no_room_in_memory_are_checked_on_the_disk(
    in_cells: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load(in_cells / "cup.toml")
    assert builder_for(config, lambda _: None).ready(config.entries) == ()
    own = [bot for bot in config.bots if bot.builtin is None]
    assert strangers_among(config, config.bots, as_stranger=False) == {"good", "lacks"}
    with sight_of(config, own) as sight:
        assert sight.in_copies == {"good", "lacks"}
        assert sight.config.confinement.copies

    def nowhere() -> None:
        raise NoMemory("no tmpfs", "mount one")

    monkeypatch.setattr(copies, "find_memory", nowhere)
    with sight_of(config, own) as sight:
        assert sight.in_copies == set()
        assert sight.config == config


@pytest.mark.full  # it checks bots and greets them again
def test_a_bot_that_passed_its_check_and_does_not_start_is_kept_out(tmp_path: Path) -> None:
    cup = write(tmp_path, 'trust = "all"\nqualify = "check"', f"{tmp_path}/prop")
    (tmp_path / "prop").touch()
    golfref("check", "cup.toml", cwd=cup)
    (tmp_path / "prop").unlink()

    told, why = golfref("tournament", "cup.toml", cwd=cup)

    (line,) = (line.strip() for line in told.splitlines() if "is kept out by `qualify`" in line)
    assert line.startswith("bot `lacks` (version ")
    assert "it did not start: start_failed" in line
    assert line in why
    again, _ = golfref("tournament", "cup.toml", "--json", cwd=cup)  # the decision stays
    assert {one["bot"] for one in json.loads(again)["standings"]} == {"good", "random"}
    assert "all holds" in golfref("verify", "cup.golfref", cwd=cup)[0]
