"""A run that several hosts played tells which of them played what, and whatever does not fit to that is a finding."""

import csv
import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from commands import golfref
from forging import ForgedRow, forge
from made_once import made_once
from played_on_hosts import LAB, retold

from referee.tournament.store.store import Store
from referee.tournament.verify.run import check_store

CONFIG = """
time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }
[tournament]
name = "lab"
seed = "abc"
deals = 2
jobs = 1
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
builtin = "random"
name = "ann"
[[bots]]
builtin = "random"
name = "bea"
"""


def play(folder: Path) -> None:
    (folder / "run.toml").write_text(CONFIG)
    golfref("tournament", "run.toml", cwd=folder)
    retold(folder / "run.golfref", folder / "hosts.golfref")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "hosts", play)


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """The store of that run, to be damaged."""
    return Path(shutil.copy(played / "hosts.golfref", tmp_path))


def test_a_run_tells_which_host_played_what_and_all_of_it_fits(run: Path) -> None:
    with closing(Store.open(run)) as store:
        hosts = store.hosts()
        assert [hosts[match.host or 0].name for match in store.matches()] == ["lab2", "lab1", "lab2", "lab1"]
    assert check_store(run).findings == ()


HOST, MATCH = 1, 3
"""The rows of the first host and of the first match, counted from 0."""


@pytest.mark.parametrize(
    ("edit", "finding"),
    [
        (lambda rows: rows[MATCH].body.update(host=9), "it names row #9 as its host, and no host came there before"),
        (lambda rows: rows[MATCH].body.update(host=2), f"{LAB}; the run says golfref"),
        (lambda rows: rows[MATCH].body.pop("host"), f"{LAB}; the run says golfref"),
        (lambda rows: rows.append(rows.pop(HOST)), "no host came there before"),
        (lambda rows: rows[HOST].body.pop("name"), "row #2 (host): it is damaged"),
        (lambda rows: rows.append(ForgedRow(kind="host_lost", body={"host": "x"})), "no host of this name came"),
    ],
)
def test_what_does_not_fit_is_found(run: Path, edit: Callable[[list[ForgedRow]], object], finding: str) -> None:
    forge(run, edit)

    found = check_store(run).findings
    assert any(finding in one for one in found), found


def test_standings_by_host_have_what_each_host_played(run: Path) -> None:
    out, _ = golfref("standings", "hosts.golfref", "--hosts", cwd=run.parent)

    lines = out.splitlines()
    assert lines[0] == "lab: 4 matches on 2 hosts"
    assert [line.split()[:3] for line in lines if line.startswith("lab") and " on " not in line] == [
        ["lab1", "2", "0"],
        ["lab2", "2", "0"],
        ["lab1", "4", "-"],
        ["lab2", "4", "-"],
    ]
    told = json.loads(golfref("standings", "hosts.golfref", "--hosts", "--json", cwd=run.parent)[0])
    assert [(one["name"], one["matches"], one["told"][0]["tag"]) for one in told["hosts"]] == [
        ("lab1", 2, "x86_64-glibc"),
        ("lab2", 2, "x86_64-glibc"),
    ]
    assert told["hosts"][0]["decisions"] > 0


def test_standings_and_exported_matches_name_the_hosts(run: Path) -> None:
    out, _ = golfref("standings", "hosts.golfref", cwd=run.parent)
    assert "matches by host: lab1 2, lab2 2; `golfref standings --hosts` has the figures of each" in out
    out, _ = golfref("export", "hosts.golfref", "--table", "matches", "--format", "csv", cwd=run.parent)
    assert [row["host_name"] for row in csv.DictReader(out.splitlines())] == ["lab2", "lab1", "lab2", "lab1"]


def test_a_run_of_one_machine_has_no_report_by_host(played: Path) -> None:
    _, err = golfref("standings", "run.golfref", "--hosts", cwd=played, code=2)

    assert err == "golfref: run.golfref: it has no hosts: the run was played on one machine, without --cluster\n"
