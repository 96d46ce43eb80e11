"""The store of a run and its check: what may be in the file instead of what belongs there, every time a finding."""

import ast
import json
import shutil
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from in_store import go_on
from made_once import made_once

from referee.tournament.plan.keys import deal_key, own_cards
from referee.tournament.store import store
from referee.tournament.store.disk import SIDE_FILES, StoreError, locked
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.verify import run as verify_run
from referee.tournament.verify.published import BadPublished, Published, compare_published, read_published
from referee.tournament.verify.run import check_store

ROOT = Path(__file__).parents[3]

CONFIG = """
time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }
[tournament]
name = "small"
seed = "abc"
deals = 1
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
builtin = "random"
name = "ann"
[[bots]]
builtin = "random"
name = "bea"
[[bots]]
builtin = "random"
name = "cid"
"""
MATCHES = 6


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that is complete, in which bot `cid` was replaced after half of its life."""
    return made_once(tmp_path_factory, "amended", play)


def play(folder: Path) -> None:
    (folder / "run.toml").write_text(CONFIG)
    golfref("tournament", "run.toml", cwd=folder)
    (folder / "run.toml").write_text(CONFIG + 'env = { MODE = "2" }\n')
    golfref("tournament", "run.toml", "--amend", cwd=folder)
    (folder / "results.json").write_text(golfref("standings", "run.golfref", "--json", cwd=folder)[0])
    (folder / "hashes.txt").write_text(golfref("standings", "run.golfref", "--hashes", cwd=folder)[0])


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """The store of that run, to be damaged."""
    return Path(shutil.copy(played / "run.golfref", tmp_path))


def change(run: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(run)) as database, database:
        database.execute(statement, values)


def value(run: Path, query: str, *values: Any) -> Any:
    with closing(sqlite3.connect(run)) as database:
        return database.execute(query, values).fetchone()[0]


def findings(run: Path, published: Published | None = None) -> list[str]:
    return list((check_store(run, published) if published else check_store(run)).findings)


def change_record(run: Path, number: int, edit: Callable[[dict[str, Any]], None], *, thorough: bool) -> None:
    """Change a record; whoever is thorough makes its hash anew as well."""
    record = json.loads(zlib.decompress(value(run, "SELECT record FROM matches WHERE number = ?", number)))
    edit(record)
    data = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    change(run, "UPDATE matches SET record = ? WHERE number = ?", zlib.compress(data), number)
    if thorough:
        change(run, "UPDATE matches SET hash = ? WHERE number = ?", sha256(data).hexdigest(), number)


def test_an_honest_run_holds_with_what_is_out_of_the_standings(run: Path, played: Path) -> None:
    checked = check_store(run, read_published(str(played / "hashes.txt"), played / "results.json"))
    assert checked.findings == ()
    assert checked.compared[0] == "6 matches and 4 out of the standings replayed"
    digest = json.loads((played / "results.json").read_text())["digest"]
    assert checked.notes[0] == f"digest {digest}"
    assert findings(run, read_published(digest.upper(), None)) == []


def test_a_new_version_is_dealt_cards_that_no_former_version_had(run: Path) -> None:
    with closing(Store.open(run)) as store:
        key = bytes.fromhex(store.meta().master_key)
        dealt = [(match, json.loads(data)["deal_key"]) for match, data in store.with_records()]
    for match, dealt_key in dealt:
        was_replaced = "cid" in match.identity.bots and match.number is not None
        before = tuple(int(bot == "cid") for bot in match.identity.bots) if was_replaced else ()
        assert match.result.versions_before == match.identity.versions_before == before
        own = own_cards("same", match.identity.rotation, 0)
        where = match.identity.variant, match.identity.bots, match.identity.deal
        assert dealt_key == deal_key(key, *where, own, versions_before=before).hex()
    former = {dealt_key for match, dealt_key in dealt if match.number is None}
    assert former.isdisjoint(dealt_key for match, dealt_key in dealt if match.number is not None)


def test_the_command_holds_a_run_against_what_was_published(run: Path, played: Path) -> None:
    published = ("--digest", str(played / "hashes.txt"), "--results", str(played / "results.json"))
    assert golfref("verify", run.name, *published, cwd=run.parent)[0].endswith(
        ": all holds: 6 matches and 4 out of the standings replayed; the hashes are the published ones; "
        "the results are the published ones\n"
    )
    change_record(run, 3, lambda record: record.update(host="elsewhere"), thorough=True)
    out, _ = golfref("verify", run.name, *published, code=1, cwd=run.parent)
    assert "digest" in out
    assert ": it is not the published one (hash)" in out
    assert "expected a digest of 64" in golfref("verify", run.name, "--digest", "abc", code=2, cwd=run.parent)[1]
    assert "of a whole run" in golfref("verify", f"{run.name}:3", *published, code=2, cwd=run.parent)[1]


def test_a_run_that_is_not_finished_is_no_forgery(run: Path) -> None:
    change(run, "DELETE FROM matches WHERE id = (SELECT max(id) FROM matches)")
    out, _ = golfref("verify", run.name, code=1, cwd=run.parent)
    assert "not finished: 1 of 6 matches have no result yet; what is there holds: 5 matches" in out


def test_a_match_out_of_the_standings_is_told_by_its_id(run: Path) -> None:
    with closing(Store.open(run)) as store:
        row = next(store.retired())
    told = golfref("replay", f"{run.name}:#{row.id}", cwd=run.parent)[0]
    assert f"match #{row.id}, out of the standings: deal {row.identity.deal}" in told
    assert "all holds" in golfref("verify", f"{run.name}:#{row.id}", cwd=run.parent)[0]
    assert "there is no match #999; it has " in golfref("replay", f"{run.name}:#999", code=2, cwd=run.parent)[1]


def test_the_digest_is_that_of_the_published_hashes(played: Path) -> None:
    """Anybody can work it out, as by `golfref standings RUN --hashes | sha256sum`."""
    published = (played / "hashes.txt").read_bytes()
    kinds = Counter(line.split()[0] for line in published.decode().splitlines())
    assert kinds == {"run": 7, "match": MATCHES + 4, "event": 1}
    assert sha256(published).hexdigest() == json.loads((played / "results.json").read_text())["digest"]


def test_a_changed_record_is_found_by_its_hash(run: Path) -> None:
    change_record(run, 3, lambda record: record.update(host="elsewhere"), thorough=False)
    assert "match 3: the record is not the one that was committed (hash)" in findings(run)


def test_a_record_whose_hash_was_changed_too_is_found_by_what_was_published(run: Path, played: Path) -> None:
    id_ = value(run, "SELECT id FROM matches WHERE number = 3")
    change_record(run, 3, lambda record: record["seats"][0].update(stderr="words", stderr_bytes=5), thorough=True)
    assert findings(run) == [], "what hangs on nothing else can only be found by what was published"
    digest = json.loads((played / "results.json").read_text())["digest"]
    (found,) = findings(run, read_published(digest, None))
    assert found.startswith("the digest is not the published one: ")
    assert findings(run, read_published(str(played / "hashes.txt"), None)) == [
        f"match #{id_}: it is not the published one (hash)"
    ]
    (found,) = findings(run, read_published(None, played / "results.json"))
    assert found.startswith(f'digest: published "{digest}", in the store "')


def test_what_was_published_while_the_run_went_on_covers_what_was_there_then(run: Path, tmp_path: Path) -> None:
    earlier = Path(shutil.copy(run, tmp_path / "earlier.golfref"))
    change(earlier, "DELETE FROM matches WHERE id > 9")
    with closing(Store.open(earlier)) as store:
        published = [store.digest(), str(tmp_path / "hashes.txt")]
        (tmp_path / "hashes.txt").write_text("\n".join(store.lines()))
    for given, what in zip(published, ("the digest is that", "the hashes are those"), strict=True):
        said, _ = golfref("verify", run.name, "--digest", given, cwd=tmp_path, code=4)
        assert said.splitlines()[-1] == (
            f"{run.name}: what could be checked holds: 6 matches and 4 out of the standings replayed; "
            f"{what} of the run when 9 matches had been committed; "
            "not checked: what came later is not among what was published"
        )
    change_record(run, value(run, "SELECT number FROM matches WHERE id = 9"), lambda _: None, thorough=True)
    change(run, "UPDATE matches SET hash = lower(hash) || ' ' WHERE id = 8")
    assert "match #8: it is not the published one (hash)" in findings(run, read_published(published[1], None))
    assert any(
        "the digest is not the published one" in finding
        for finding in findings(run, read_published(published[0], None))
    )


def test_nothing_can_be_added_to_a_run_whose_digest_was_published_when_it_was_complete(run: Path, played: Path) -> None:
    digest = json.loads((played / "results.json").read_text())["digest"]
    with locked(run) as lock, closing(Store.open(run, lock=lock)) as store:
        store.note("the lights went out")
    (_, found) = findings(run, read_published(digest, None))
    assert (
        found == "the digest is that of the run when 10 matches had been committed, and so all; but more has been added"
    )


def test_a_run_tells_that_another_host_went_on_with_it(tmp_path: Path) -> None:
    """A machine with another name, as far as the run can tell."""
    (tmp_path / "run.toml").write_text(CONFIG)
    run = tmp_path / "run.golfref"
    go_on(tmp_path, matches=1)
    change(run, "UPDATE meta SET value = json_quote('another host') WHERE key = 'host'")
    for _ in range(2):  # what is told already is not told again
        go_on(tmp_path, matches=1)
    with closing(Store.open(run)) as store:
        (event,) = store.history()
    assert (event.after, event.lines[0].startswith("played from here on by golfref ")) == (1, True)


def test_a_published_figure_that_was_changed_is_named(run: Path, played: Path, tmp_path: Path) -> None:
    document = json.loads((played / "results.json").read_text())
    row = document["standings"][0]
    row["match_points"] += 0.01
    document["crosstable"][row["bot"]].popitem()
    (tmp_path / "results.json").write_text(json.dumps(document))
    first, second = findings(run, read_published(None, tmp_path / "results.json"))
    assert first.startswith(f"standings.{row['bot']}.match_points: published ")
    assert second.startswith(f"crosstable.{row['bot']}.")
    assert second.endswith("only in the store")


def test_hashes_of_rows_that_are_not_there(run: Path, played: Path, tmp_path: Path) -> None:
    lines = (played / "hashes.txt").read_text().splitlines()
    (tmp_path / "hashes.txt").write_text("\n".join([*lines[1:], f"match #99 {'0' * 64}"]))
    assert findings(run, read_published(str(tmp_path / "hashes.txt"), None)) == [
        "run commitment: it is there, but was not published",
        "match #99: it was published, but is not there",
    ]


@pytest.mark.parametrize("text", ["0 abc", "x", "\0\xff", "0", "0" * 64])
def test_a_file_that_holds_no_hashes_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "hashes.txt").write_text(f"0 {'0' * 64}\n{text}\n")
    with pytest.raises(BadPublished, match=r"hashes\.txt:2: expected a hash and what it is of"):
        read_published(str(tmp_path / "hashes.txt"), None)
    with pytest.raises(BadPublished, match=r"expected results as `standings --json` prints them"):
        read_published(None, tmp_path / "hashes.txt")
    with pytest.raises(BadPublished, match="expected a digest of 64 hexadecimal digits, or a file"):
        read_published("0123", None)


DAMAGE = {
    "a record of zeros": ("UPDATE matches SET record = zeroblob(100) WHERE number = 4", "the record of match #"),
    "a number for a hash": ("UPDATE matches SET hash = x'00' WHERE number = 4", "match #"),
    "no result": ("UPDATE matches SET result = '' WHERE number = 4", "is damaged"),
    "a better result": (
        "UPDATE matches SET result = json_set(result, '$.totals[0]', -9) WHERE number = 4",
        "standings: overall.",
    ),
    "a missing match": ("DELETE FROM matches WHERE number = 4", ": it was published, but is not there"),
    "a number beyond the plan": ("UPDATE matches SET number = 99 WHERE number = 4", "match 99: the plan has matches 0"),
    "a word for a number": ("UPDATE matches SET number = 'four' WHERE number = 4", "match #"),
    "a match taken out": (
        "UPDATE matches SET number = NULL WHERE number = 4",
        "out of the standings: the plan has it, and so it belongs into the standings",
    ),
    "a match put in": (
        "UPDATE matches SET number = 99 WHERE id = (SELECT min(id) FROM matches WHERE number IS NULL)",
        "match 99: the plan has matches 0",
    ),
    "another deal": ("UPDATE matches SET deal = deal + 1 WHERE number = 4", "match 4: stored as six-card, deal"),
    "cards dealt anew although nothing was void": (
        "UPDATE matches SET result = json_set(result, '$.redeals', 1) WHERE number = 4",
        "match 4: its cards were dealt anew 1 times, but voided matches had shown them 0 times",
    ),
    "a new version that is told to be the first": (
        "UPDATE meta SET value = json_remove(value, '$.bots[2].versions_before') WHERE key = 'facts'",
        "versions_before: expected 1 for bot cid, got 0",
    ),
    "a version more than there was": (
        "UPDATE meta SET value = json_set(value, '$.bots[2].versions_before', 2) WHERE key = 'facts'",
        "versions_before: expected 1 for bot cid, got 2",
    ),
    "a match of a former version that is told to be of a later one": (
        "UPDATE matches SET result = json_set(result, '$.versions_before', json('[1, 1]')) WHERE number IS NULL",
        "out of the standings: no plan of the run since its commit has it",
    ),
    "a match that is told to be of the first version": (
        "UPDATE matches SET result = json_set(result, '$.versions_before', json('[]')) WHERE number IS NOT NULL",
        " before); the plan has six-card, deal ",
    ),
    "a result with a seat less": (
        "UPDATE matches SET result = json_remove(result, '$.totals[0]') WHERE number = 4",
        "expected one entry for each seat",
    ),
    "a bot that is not in the run": (
        "UPDATE matches SET result = replace(result, '\"ann\"', '\"eve\"') WHERE number = 0",
        "its bots and versions are not those of its result",
    ),
    "a game that the run does not have": (
        "UPDATE matches SET variant = 'x', result = json_set(result, '$.variant', 'x') WHERE number = 4",
        "match 4: stored as x, deal",
    ),
    "ranks that no match has": (
        "UPDATE matches SET result = json_set(result, '$.ranks', json('[0, 3]')) WHERE number = 4",
        "ranks from 1 to 2",
    ),
    "an anchor that is not in the run": (
        "UPDATE meta SET value = json_set(value, '$.anchor', 'eve') WHERE key = 'facts'",
        "expected bots of the run as anchor",
    ),
    "another result of what is out": (
        "UPDATE matches SET result = json_set(result, '$.rounds', 7) WHERE number IS NULL",
        "out of the standings: the result",
    ),
    "another key": ("UPDATE meta SET value = '\"00\"' WHERE key = 'master_key'", "does not match the commitment"),
    "no key": ("UPDATE meta SET value = '\"secret\"' WHERE key = 'master_key'", "key or config is damaged"),
    "another count": ("UPDATE meta SET value = '7' WHERE key = 'matches'", "the plan has 6 matches, but the store"),
    "a config of nulls": ("UPDATE meta SET value = 'null' WHERE key = 'facts'", "key or config is damaged"),
    "no meta": ("DELETE FROM meta", "no golfref store"),
    "another format": (
        "UPDATE meta SET value = '1' WHERE key = 'format'",
        "store format 1; this golfref knows formats 3 and 4",
    ),
    "no table": (
        "DROP TABLE matches",
        "not a golfref store, or damaged (no such table: matches); `golfref tournament` writes stores; if",
    ),
    "a history of no use": ("UPDATE history SET lines = '3'", "what is told of its history is damaged"),
}


@pytest.mark.parametrize(("statement", "expected"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_damaged_is_a_finding(run: Path, played: Path, statement: str, expected: str) -> None:
    change(run, statement)
    found = findings(run, read_published(str(played / "hashes.txt"), played / "results.json"))
    assert any(expected in finding for finding in found), found


@pytest.mark.parametrize(("statement", "_"), DAMAGE.values(), ids=DAMAGE)
def test_tables_of_what_is_damaged_are_made_or_refused_in_a_sentence(run: Path, statement: str, _: str) -> None:
    change(run, statement)
    refused: StoreError | None = None
    try:
        with closing(Store.open(run)) as store:
            summary_of(store)
    except StoreError as error:
        refused = error
    said = golfref("standings", run.name, cwd=run.parent, code=2 if refused else 0)[1]
    assert refused is None or "golfref: run.golfref: " in said


def test_a_fault_of_golfref_is_not_told_as_a_damaged_store(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("referee.tournament.summary.ratings_of", fails)
    with closing(Store.open(run)) as store, pytest.raises(KeyError, match="ours"):
        summary_of(store)


def test_the_tables_are_told_where_the_record_of_a_fault_does_not_replay(run: Path) -> None:
    def cut(record: dict[str, Any]) -> None:
        record["seats"][0]["faults"] = {"timeout": 1}
        record["moves"].pop()

    change(
        run, """UPDATE matches SET result = json_set(result, '$.faults[0]', json('{"timeout": 1}')) WHERE number = 0"""
    )
    change_record(run, 0, cut, thorough=False)

    out, said = golfref("standings", run, cwd=run.parent)
    assert "Standings" in out
    assert "match 0: its record does not replay (the record ends after move " in said


def test_a_truncated_file(run: Path) -> None:
    with run.open("r+b") as file:
        file.truncate(run.stat().st_size // 2)
    assert findings(run)
    _, said = golfref("standings", run.name, code=2, cwd=run.parent)
    assert "damaged" in said


PAGE = 4096


@pytest.mark.parametrize("pages", [8, pytest.param(None, marks=pytest.mark.full)], ids=["some", "all"])
def test_scribbles_over_a_page(run: Path, pages: int | None) -> None:
    """What SQLite does not use may hold anything."""
    whole, count = check_store(run), run.stat().st_size // PAGE
    places = range(0, count, 1 if pages is None else count // pages)
    found = 0
    for place in places:
        copy = Path(shutil.copy(run, run.parent / "copy.golfref"))
        with copy.open("r+b") as file:
            file.seek(place * PAGE + 100)
            file.write(b"\xff" * 2000)
        checked = check_store(copy)
        assert checked.findings or checked == whole
        found += bool(checked.findings)
    assert found > len(places) / 2


def test_one_writer_at_a_time_and_no_lock_left(tmp_path: Path) -> None:
    path = tmp_path / "run.golfref"
    with locked(path):
        with pytest.raises(StoreError, match="another golfref is writing this store"), locked(path):
            pass
        (tmp_path / "other.golfref").symlink_to(path)
        with pytest.raises(StoreError, match="another golfref"), locked(tmp_path / "other.golfref"):
            pass
    with locked(path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["other.golfref"]


def test_a_lock_that_a_killed_referee_left_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "run.golfref.lock").touch()
    with locked(tmp_path / "run.golfref"):
        pass


def test_where_sqlite_cannot_keep_a_log_beside_the_store_commits_go_another_way(run: Path) -> None:
    Path(f"{run}.probe-shm").mkdir()
    with locked(run) as lock, closing(Store.open(run, lock=lock)) as store:
        assert store.journal == "truncate"
        store.note("something")
    assert {path.name for path in run.parent.iterdir()} == {run.name, f"{run.name}.probe-shm"}
    with closing(Store.open(run)) as store:
        assert [event.lines for event in store.history()][-1] == ("something",)


def test_a_store_is_not_begun_over_what_is_left_of_another(tmp_path: Path) -> None:
    """A run was killed and its main file moved: what it had committed last is still beside where it was."""
    (tmp_path / "new.toml").write_text(CONFIG)
    for rest in SIDE_FILES[:1]:
        Path(f"{tmp_path / 'new.golfref'}{rest}").write_bytes(b"committed")
        _, said = golfref("tournament", "new.toml", code=2, cwd=tmp_path)
        assert f"new.golfref{rest} belongs to a store that is not here any more" in said
        Path(f"{tmp_path / 'new.golfref'}{rest}").unlink()


def test_nothing_but_one_module_reads_the_wall_clock() -> None:
    """So that no clock that jumps, back or ahead, can touch a match, a store or a table."""
    clocks = {"time", "time_ns", "localtime", "gmtime", "ctime", "strftime", "now", "utcnow", "today", "CLOCK_REALTIME"}
    may_tell_the_time = {"entries", "cluster", "competition", "commands", "site"}
    sources = [path for room in ("protocol", "referee") for path in (ROOT / room).rglob("*.py")]
    assert len(sources) > 60
    for path in sources:
        if path == ROOT / "referee/wall_clock.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                read = {(module, clock) for module in ("time", "datetime", "date") for clock in clocks}
                assert (node.value.id, node.attr) not in read, f"{path}:{node.lineno}"
            elif isinstance(node, ast.ImportFrom) and node.module == "time":
                assert not clocks & {alias.name for alias in node.names}, f"{path}:{node.lineno}"
            elif isinstance(node, ast.Import | ast.ImportFrom):
                modules = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                is_told = path.relative_to(ROOT).parts[1] in may_tell_the_time
                assert is_told or not modules & {"datetime", "wall_clock"}, f"{path}:{node.lineno}"


ENDLESS = "WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT 'format', n FROM endless"
OTHERS = {
    "trigger `t`": "CREATE TRIGGER t AFTER INSERT ON matches BEGIN DELETE FROM matches; END",
    "trigger `sqliteXt`": "CREATE TRIGGER sqliteXt AFTER INSERT ON matches BEGIN DELETE FROM matches; END",
    "view `meta`": f"DROP TABLE meta; CREATE VIEW meta (key, value) AS {ENDLESS}",
    "index `i`": "CREATE INDEX i ON matches (abs(deal))",
    "table `more`": "CREATE TABLE more (x)",
    "table `history`": "ALTER TABLE history ADD COLUMN computed AS (abs(id))",
    "table `voids`": "DROP TABLE voids; CREATE TABLE voids (number INTEGER, bots TEXT COLLATE NOCASE NOT NULL)",
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_store_whose_tables_are_not_ours_to_the_letter_is_refused_before_it_is_read(run: Path, name: str) -> None:
    """A trigger could take back what is written, and a view go on without end."""
    with closing(sqlite3.connect(run)) as connection:
        connection.executescript(OTHERS[name])
    with pytest.raises(StoreError, match=f"it holds the {name}, which golfref did not make, or makes otherwise"):
        Store.open(run)


_DEEP = "[" * 5000 + "]" * 5000

HOSTILE: dict[str, tuple[str, object, str]] = {
    "a deep config": ("UPDATE meta SET value = ? WHERE key = 'facts'", _DEEP, "key or config is damaged"),
    "a plan without end": (
        "UPDATE meta SET value = json_set(value, '$.stages[0].deals', ?) WHERE key = 'facts'",
        10**18,
        "6000000000000000000 matches in the plan; expected 10000000 at most",
    ),
}


@pytest.mark.parametrize(("statement", "value", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_there_to_break_or_stall_the_check_is_a_finding(
    run: Path, statement: str, value: object, expected: str
) -> None:
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute(statement, (value,))
    found = findings(run)
    assert any(expected in finding for finding in found), found


def test_a_record_without_end(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of a hostile file can stand for a gigabyte."""
    monkeypatch.setattr(store, "MOST_RECORD_BYTES", 1000)
    assert any("is damaged (it is longer than 1000 bytes)" in finding for finding in findings(run))


def test_a_record_without_seats(run: Path) -> None:
    with closing(Store.open(run)) as opened:
        record = json.loads(opened.record_of(1)) | {"seats": []}
    (run.parent / "empty.jsonl").write_text(json.dumps(record))
    _, said = golfref("replay", "empty.jsonl", code=2, cwd=run.parent)
    assert "not a golfref record: it has no seats" in said


def test_no_record_steers_the_terminal_that_tells_it(run: Path) -> None:
    with closing(Store.open(run)) as opened:
        record = json.loads(opened.record_of(1)) | {"name": "\x1b[2J"}
    for seat in record["seats"]:
        seat |= {"name": "\x1b[3J", "stderr": "\x9b4J", "stderr_bytes": 3, "faults": {"timeout": 1}}
    (run.parent / "steers.jsonl").write_text(json.dumps(record))
    first, *others = (("replay",), ("replay", "--seat", "0"), ("transcript", "--bot", "0", "--json"))
    told, _ = golfref(*first, "steers.jsonl", cwd=run.parent)
    assert told.startswith("\\x1b[2J (six-card)")
    for words in (first, *others):
        shown = "".join(golfref(*words, "steers.jsonl", cwd=run.parent))
        assert "[3J" in shown
        assert all(line.isprintable() for line in shown.splitlines())


def test_a_number_that_no_store_can_have(run: Path) -> None:
    _, said = golfref("replay", f"{run.name}:{'9' * 5000}", code=2, cwd=run.parent)
    assert "there is no match of a number with 5000 digits" in said


def test_a_run_is_verified_as_it_was_when_that_began(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is being played gets matches while it is checked; these are not held against what was read before."""
    with locked(run) as lock, closing(Store.open(run, lock=lock)) as writing:
        before = check_store(run).notes

        def add_and_compare(store: Store, published: Published) -> Any:
            writing.note("something happens meanwhile")
            return compare_published(store, published)

        monkeypatch.setattr(verify_run, "compare_published", add_and_compare)
        assert check_store(run).notes == before
        monkeypatch.undo()
        assert check_store(run).notes != before
