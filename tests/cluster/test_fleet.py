"""Tournaments on a Dask cluster, through the command line: the same results as alone, whoever is killed meanwhile."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from measured import unmeasured_document
from needs import need_modules
from quick import QUICK

pytestmark = [pytest.mark.cluster, pytest.mark.process]

CONFIG = """
[tournament]
name = "run"
seed = "abc"
deals = {deals}
[time]
start_s = 60.0
move_s = 600.0
bank_s = 600.0
slap_s = 60.0
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
"""
BOT = '[[bots]]\nname = "{name}"\n{how}\nenv = {{ {env} }}\n'


def write(folder: Path, mark: dict[str, str], deals: int = 4) -> None:
    folder.mkdir(exist_ok=True)
    env = ", ".join(f'{name} = "{value}"' for name, value in mark.items())
    bots = "".join(BOT.format(name=name, how=QUICK, env=env) for name in ("ann", "bea", "cid"))
    (folder / "run.toml").write_text(CONFIG.format(deals=deals) + bots)


def results(folder: Path, *words: str) -> Any:
    """Play to the end, verify, and return the document without what is measured."""
    document = json.loads(golfref("tournament", "run.toml", "--json", *words, cwd=folder)[0])
    assert "all holds" in golfref("verify", "run.golfref", cwd=folder)[0]
    return unmeasured_document(document, "digest", "hosts", "lateness", "voided", "void_reasons")


def test_a_cluster_that_is_started_here_gives_the_results_of_this_machine_alone(
    tmp_path: Path, mark: dict[str, str]
) -> None:
    need_modules("distributed", extra="cluster")
    write(tmp_path / "alone", mark)
    write(tmp_path / "cluster", mark)

    assert results(tmp_path / "cluster", "--cluster", "local:2") == results(tmp_path / "alone")
