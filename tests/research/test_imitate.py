"""The example that imitates a bot of a run: it does more often what the bot did than chance would."""

import re
import sys
from pathlib import Path

import pytest
from commands import golfref
from exported import made_up_run
from needs import need_modules

from referee.research.decisions import decisions

pytestmark = pytest.mark.research

CONFIG = """
[tournament]
name = "run"
seed = "imitate"
seats = 3
deals = 5

[[variants]]
preset = "four-card"
options = { rounds = 3 }

[[bots]]
builtin = "keeper"
[[bots]]
builtin = "random"
[[bots]]
builtin = "greedy"
"""


@pytest.fixture(autouse=True)
def _learn() -> None:
    need_modules("pyarrow", "sklearn", extra="research,learn")


def test_it_does_more_often_what_keeper_did_than_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from referee.research.examples import imitate

    (tmp_path / "run.toml").write_text(CONFIG)
    golfref("tournament", "run.toml", cwd=tmp_path)
    golfref("export", "run.golfref", "--table", "decisions", "--with-cards", "-o", "run.parquet", cwd=tmp_path)
    monkeypatch.setattr(sys, "argv", ["imitate", str(tmp_path / "run.parquet"), "--bot", "keeper", "--deals", "2"])
    imitate.main()
    told = capsys.readouterr().out
    shares = re.search(r"it does what keeper did in ([\d.]+)% of them; any legal move would be in ([\d.]+)%", told)
    assert shares is not None, told
    assert float(shares[1]) > float(shares[2]) + 15
    assert "against random: " in told


def test_what_is_not_in_the_file_is_named(tmp_path: Path) -> None:
    from referee.research.examples import imitate

    run = made_up_run(tmp_path, ["four-card", "six-card"], ("ann", "bea", "cid"), deals=2)
    decisions(run, tmp_path / "run.parquet")
    with pytest.raises(ValueError, match="has several games: name one of four-card, six-card"):
        imitate.read(tmp_path / "run.parquet", "ann")
    with pytest.raises(ValueError, match="has decisions of 'dan' in 'six-card' of fewer than 5 matches"):
        imitate.read(tmp_path / "run.parquet", "dan", "six-card")
    assert imitate.read(tmp_path / "run.parquet", "ann", "six-card").game["seats"] == 3
