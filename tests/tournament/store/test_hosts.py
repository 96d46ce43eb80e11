"""A run that several hosts played tells which of them played what, and whatever does not fit to that is a finding."""

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commands import golfref
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


def change(run: Path, statement: str) -> tuple[str, ...]:
    """What a check finds once this has been done to the store."""
    with closing(sqlite3.connect(run)) as database, database:
        database.execute(statement)
    return check_store(run).findings


def test_a_run_tells_which_host_played_what_and_all_of_it_fits(run: Path) -> None:
    with closing(Store.open(run)) as store:
        assert [one.host.name for one in store.hosts()] == ["lab1", "lab2"]
        assert store.played_on() == {1: 2, 2: 1, 3: 2, 4: 1}
    assert check_store(run).findings == ()


def test_a_run_without_a_cluster_has_none_of_these_tables(played: Path) -> None:
    with closing(Store.open(played / "run.golfref")) as store:
        assert not store.has_hosts
        assert (store.hosts(), store.played_on(), store.voided_on()) == ([], {}, {})
        alone = [*store.lines()]
    with closing(sqlite3.connect(played / "run.golfref")) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE '%host%'").fetchone() == (0,)
    assert all(not line.startswith("host") for line in alone)


def test_the_digest_covers_hosts_and_who_played_what(run: Path) -> None:
    def digest() -> str:
        with closing(Store.open(run)) as store:
            return store.digest()

    with closing(Store.open(run)) as store:
        assert [line.rsplit(" ", 1)[0] for line in store.lines()][-6:-4] == ["host #1", "host #2"]
    told = [digest()]
    for statement in ("UPDATE played_on SET host = 1", "UPDATE hosts SET told = replace(told, 'lab1', 'lab7')"):
        change(run, statement)
        told.append(digest())
    assert len(set(told)) == len(told)


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE played_on SET host = 3 WHERE id = 2", "match #2: it names host #3, which is not there"),
        ("INSERT INTO played_on VALUES (9, 1)", "hosts: host #1 is told of match #9, which is not there"),
        ("UPDATE hosts SET after = 3 WHERE id = 2", "host #2, lab2, came when it had been committed already"),
        ("UPDATE played_on SET host = 1 WHERE id = 1", f"{LAB}; its host lab1 is golfref"),
        ("UPDATE hosts SET told = '{}'", "host #1 is damaged"),
    ],
)
def test_what_does_not_fit_is_found(run: Path, statement: str, finding: str) -> None:
    found = change(run, statement)

    assert any(finding in one for one in found), found


def test_the_report_tells_what_each_host_played_and_whether_they_differ(run: Path) -> None:
    out, _ = golfref("hosts", "hosts.golfref", cwd=run.parent)

    lines = out.splitlines()
    assert lines[0] == "lab: 4 matches on 2 hosts"
    assert [line.split()[:3] for line in lines if line.startswith("lab") and " on " not in line] == [
        ["lab1", "2", "0"],
        ["lab2", "2", "0"],
        ["lab1", "4", "-"],
        ["lab2", "4", "-"],
    ]
    assert lines[-1] == "the hosts are not compared: two of them need at least 5 blocks each of a game"
    told = json.loads(golfref("hosts", "hosts.golfref", "--json", cwd=run.parent)[0])
    assert [(one["name"], one["matches"], one["told"][0]["tag"]) for one in told["hosts"]] == [
        ("lab1", 2, "x86_64-glibc"),
        ("lab2", 2, "x86_64-glibc"),
    ]
    assert told["hosts"][0]["decisions"] > 0


def test_standings_and_exported_matches_name_the_hosts(run: Path) -> None:
    out, _ = golfref("standings", "hosts.golfref", cwd=run.parent)
    assert "matches by host: lab1 2, lab2 2; `golfref hosts` tells whether they differ" in out
    out, _ = golfref("export", "hosts.golfref", "--table", "matches", "--format", "csv", cwd=run.parent)
    assert [row["host_name"] for row in csv.DictReader(out.splitlines())] == ["lab2", "lab1", "lab2", "lab1"]


def test_a_run_of_one_machine_has_no_report_by_host(played: Path) -> None:
    _, err = golfref("hosts", "run.golfref", cwd=played, code=2)

    assert err == "golfref hosts: run.golfref: no host is told: the run was played on one machine, without --cluster\n"
