"""A bot that passed its check and does not start when the run begins: it is kept out, and the others play."""

import json
from pathlib import Path

import pytest
from commands import golfref
from needs import need_perl

from referee.play.spec import SHIPPED

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
