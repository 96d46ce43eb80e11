"""A bot to which the organiser grants a network or times of its own: what it is sent, and who can see that later."""

import json
import sys
from contextlib import closing
from pathlib import Path

import pytest
from commands import golfref
from forging import forge
from quick import FILLER

from protocol.messages import Clocks
from referee.competition.at_home import config_at_home
from referee.competition.checks import check_rules
from referee.rules.record import read_record
from referee.tournament.config.config import load
from referee.tournament.store.store import Store

BOT = """
start()
for message in messages():
    if message["type"] == "match":
        print(*message["clocks"].values(), file=sys.stderr, flush=True)
    if message["type"] == "request":
        print(message["time_s"], int(message["bank_s"]), file=sys.stderr, flush=True)
        say(right(message))
"""
CONFIG = """
time = {{ start_s = 60, move_s = 50, bank_s = 600, slap_s = 10 }}
[tournament]
name = "run"
seed = "abc"
deals = 1
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[bots]]
name = "asks"
command = ["{python}", "bot.py"]
dir = "mine"
{terms}
[[bots]]
name = "plain"
command = ["{python}", "bot.py"]
dir = "mine"
"""
GRANTED = "network = true\ntime = { move_s = 77 }"
OWN = Clocks(start_s=60, move_s=77, bank_s=600, slap_s=10)


def write(folder: Path, terms: str = GRANTED) -> Path:
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine/bot.py").write_text(FILLER + BOT)
    (folder / "run.toml").write_text(CONFIG.format(python=sys.executable, terms=terms))
    return folder / "run.toml"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run."""
    golfref("tournament", write(tmp_path), cwd=tmp_path)
    return tmp_path


def test_each_bot_is_sent_its_own_times_and_everybody_can_see_them(run: Path) -> None:
    with closing(Store.open(run / "run.golfref")) as store:
        record = read_record(store.record(store.planned(0).id))
    asks, plain = sorted(record.seats, key=lambda seat: seat.name)
    assert (asks.clocks, plain.clocks, record.clocks.move_s) == (OWN, None, 50.0)
    assert asks.stderr.splitlines()[:2] == ["60.0 77.0 600.0 10.0 isolated", "77.0 600"]
    assert plain.stderr.splitlines()[:2] == ["60.0 50.0 600.0 10.0 isolated", "50.0 600"]

    assert "all holds: 2 matches replayed" in golfref("verify", "run.golfref", cwd=run)[0]
    told = golfref("standings", "run.golfref", cwd=run)[0]
    assert "network, 77 s, 600 s" in next(line for line in told.splitlines() if " asks " in line)
    assert "terms: what a bot alone was granted: the network, or other times" in " ".join(told.split())
    asks_, plain_ = json.loads(golfref("standings", "run.golfref", "--json", cwd=run)[0])["bots"]
    assert (asks_["network"], asks_["clocks"]["move_s"]) == (True, 77.0)
    assert (plain_["network"], plain_["clocks"]) == (False, None)
    golfref("site", "run.golfref", "-o", "site", cwd=run)
    assert "network, 77 s, 600 s" in (run / "site/index.html").read_text()
    assert "network, 77 s, 600 s; granted" in (run / "site/bots/asks.html").read_text()
    assert "Terms" not in (run / "site/bots/plain.html").read_text()


def test_no_other_times_can_be_put_into_a_store_afterwards(run: Path) -> None:
    forge(run / "run.golfref", lambda rows: rows[0].body["config"]["bots"][0].pop("clocks"))
    out, _ = golfref("verify", "run.golfref", cwd=run, code=1)
    assert ": asks: clocks.move_s: played with 77.0, the config has 50.0" in out


@pytest.mark.parametrize(
    ("terms", "change"),
    [
        ("network = true\ntime = { move_s = 78 }", "clocks.move_s: 77.0 -> 78.0"),
        ("time = { move_s = 77 }", "network: true -> not set"),
    ],
)
def test_other_terms_make_another_bot_whose_matches_are_played_again(run: Path, terms: str, change: str) -> None:
    write(run, terms)
    _, err = golfref("tournament", "run.toml", "--amend", "--dry-run", cwd=run)
    assert "bot `asks`: replaced (version " in err
    assert f": {change})" in err
    assert "of those played 0 kept, 2 dropped" in err


def test_a_bot_is_checked_on_its_own_terms_here_and_at_home(tmp_path: Path) -> None:
    config = load(write(tmp_path))
    asks, plain = config.bots
    assert check_rules(config, asks).clocks == OWN
    assert check_rules(config, plain).clocks == config.clocks
    (tmp_path / "home.toml").write_text("\n".join(config_at_home(config, asks)))
    at_home = load(tmp_path / "home.toml").bots[0]
    assert (at_home.network, at_home.clocks) == (True, asks.clocks)
