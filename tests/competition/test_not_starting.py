"""A bot that has qualified and does not start when all are greeted is kept out, and the others play."""

import json
from pathlib import Path

import pytest
from commands import golfref
from needs import need_perl

from referee.play.spec import SHIPPED

CONFIG = """
[tournament]
name = "cup"
trust = "all"
deals = 1
qualify = "check"

[time]
start_s = 30.0
move_s = 30.0

[[variants]]
preset = "six-card"
options = { rounds = 1 }

[[bots]]
entries = "entries/*"

[[bots]]
builtin = "random"
"""


pytestmark = pytest.mark.full  # each test checks bots and greets them again


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """The folder of a competition in which the bot `leans` needs a file, which goes away after its check."""
    need_perl()
    good = (SHIPPED / "starters/perl/bot.pl").read_text()
    first, _, rest = good.partition("\n")
    leans = f'{first}\n-e "{tmp_path}/prop" or die "there is no prop";\n{rest}'
    for name, text in {"good": good, "leans": leans}.items():
        (tmp_path / "entries" / name).mkdir(parents=True)
        (tmp_path / "entries" / name / "bot.pl").write_text(text)
    (tmp_path / "cup.toml").write_text(CONFIG)
    (tmp_path / "prop").touch()
    golfref("check", "cup.toml", cwd=tmp_path)
    (tmp_path / "prop").unlink()
    return tmp_path


def test_who_does_not_start_is_kept_out(cup: Path) -> None:
    told, why = golfref("tournament", "cup.toml", cwd=cup)

    assert "there is no prop" in why
    (line,) = (line.strip() for line in told.splitlines() if "is kept out by `qualify`" in line)
    assert line.startswith("bot `leans` (version ")
    assert "it did not start: start_failed" in line
    assert line in why
    again, _ = golfref("tournament", "cup.toml", "--json", cwd=cup)  # what was decided stays decided
    assert {one["bot"] for one in json.loads(again)["standings"]} == {"good", "random"}
    verified, _ = golfref("verify", "cup.golfref", cwd=cup)
    assert "all holds" in verified


def test_nothing_is_played_where_nobody_else_is_left(cup: Path) -> None:
    (cup / "entries/good/bot.pl").write_text((cup / "entries/leans/bot.pl").read_text())

    ends = cup / "ends.jsonl"
    _, why = golfref("tournament", "cup.toml", "--progress", f"json:{ends}", cwd=cup, code=1)

    assert "2 of 3 bots did not start; nothing was played" in why
    assert "is kept out" not in why
    assert json.loads(ends.read_text().splitlines()[-1])["why"] == "2 of 3 bots did not start; nothing was played"
    assert not (cup / "cup.golfref").exists()
