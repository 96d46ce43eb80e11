"""A bot that lacks something among the copies that strangers' bots see fails its check, and not only the tournament."""

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
isolation = "bwrap"

[time]
start_s = 30.0
move_s = 30.0

[[variants]]
preset = "six-card"
options = { rounds = 1 }

[[bots]]
entries = "entries/*"
owners = { good = "Ann", lacks = "Bob" }

[[bots]]
builtin = "random"
"""

UNNAMED = shutil.which("sort", path="/usr/bin:/bin") or "/usr/bin/sort"
"""A program of the system that the bots' commands do not name, so that it is not among the copies."""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a competition with the bots of two owners, of which one does not start without a program."""
    need_bubblewrap()
    need_perl()
    folder = tmp_path_factory.mktemp("cup")
    good = (SHIPPED / "starters/perl/bot.pl").read_text()
    first, _, rest = good.partition("\n")
    lacks = f'{first}\n-e "{UNNAMED}" or die "there is no program to sort with";\n{rest}'
    for name, text in {"good": good, "lacks": lacks}.items():
        (folder / "entries" / name).mkdir(parents=True)
        (folder / "entries" / name / "bot.pl").write_text(text)
    (folder / "cup.toml").write_text(CONFIG)
    return folder


@pytest.mark.full  # it copies an interpreter for each bot, and checks all of them
def test_a_check_sees_what_the_tournament_shows(cup: Path) -> None:
    _, why = golfref("tournament", "cup.toml", "--dry-run", cwd=cup, code=1)
    assert "there is no program to sort with" in why
    assert "1 of 3 bots did not start" in why

    out, _ = golfref("check", "cup.toml", "--json", cwd=cup, code=1)

    found = {one["bot"]: one for one in json.loads(out)["bots"]}
    assert {name: one["verdict"] for name, one in found.items()} == {"good": "pass", "lacks": "fail"}
    text = (cup / "cup.checks/lacks.txt").read_text()
    assert "there is no program to sort with" in text
    assert "sees copies of what its command seems to need" in " ".join(text.split())

    config = load(cup / "cup.toml")
    (good,) = (bot for bot in config.bots if bot.name == "good")
    assert kept_check(Shelf(cup), good.version, terms_of(config, in_copies=True)) is not None
    assert kept_check(Shelf(cup), good.version, terms_of(config)) is None
    (cup / "alone.toml").write_text(CONFIG.replace('lacks = "Bob"', 'lacks = "Ann"'))
    alone, _ = golfref("check", "alone.toml", "--bot", "lacks", "--json", cwd=cup)
    assert [one["verdict"] for one in json.loads(alone)["bots"]] == ["pass"]

    refused, _ = golfref("submit", "alone.toml", "entries/lacks", "--name", "new", cwd=cup, code=1)
    assert "the check failed: fail: start_failed" in " ".join(refused.split())


def test_what_has_no_room_in_memory_is_checked_on_the_disk(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = load(cup / "cup.toml")
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
