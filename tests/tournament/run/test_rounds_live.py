"""A tournament with [stop] through the command line, with several workers: killed, gone on with, amended, published."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from commands import GOLFREF, golfref, until_more_are_committed
from quick import QUICK

HEAD = """
time = { start_s = 60, move_s = 60, bank_s = 600 }
[tournament]
name = "stopped"
deals = 4
jobs = 2
workers = 2
[stop]
when = "all"
difference = 0.001
[[variants]]
preset = "six-card"
options = { rounds = 1 }
"""


def write(folder: Path, mark: dict[str, str], *bots: str) -> None:
    env = ", ".join(f'{name} = "{value}"' for name, value in mark.items())
    some = (f'[[bots]]\n{QUICK}\nname = "{bot}"\nenv = {{ {env} }}\n' for bot in bots)
    (folder / "run.toml").write_text(HEAD + "".join(some))


def verified(folder: Path, *words: str, code: int = 0) -> str:
    """What `golfref verify` says in the end."""
    return golfref("verify", "run.golfref", *words, cwd=folder, code=code)[0].splitlines()[-1]


def test_a_tournament_with_stop_is_killed_amended_and_published(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    write(tmp_path, mark, "ann", "bob", "cid")
    with subprocess.Popen(
        [*GOLFREF, "tournament", "run.toml"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        until_more_are_committed(tmp_path / "run.golfref", 8)
        run.send_signal(signal.SIGKILL)
    until_gone()
    digest = json.loads(golfref("standings", "run.golfref", "--json", cwd=tmp_path)[0])["digest"]
    assert "not finished: " in verified(tmp_path, "--digest", digest, code=1)

    write(tmp_path, mark, "ann", "bob")
    results, said = golfref("tournament", "run.toml", "--amend", "--json", cwd=tmp_path)
    assert "bot `cid`: withdrawn" in said
    assert "no more rounds: after 4 of 4 deals 1 of 1 pairs is undecided" in said
    (tmp_path / "results.json").write_text(results)
    told = verified(tmp_path, "--results", "results.json")
    assert "all holds: 8 matches and " in told
    assert "the results are the published ones" in told
