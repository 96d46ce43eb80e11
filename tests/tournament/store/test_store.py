"""The store of a run and its check: what may be in the file instead of what belongs there, every time a finding."""

import ast
import json
import re
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
from forging import ForgedRow, change, cut, forge, value
from in_store import go_on
from made_once import made_once

from referee.tournament.plan.keys import deal_key, own_cards
from referee.tournament.store import journal
from referee.tournament.store.disk import SIDE_FILES, Forecast, StoreError, forecast_of, locked, note_forecast
from referee.tournament.store.rows import KINDS, HostLeftOut
from referee.tournament.store.store import Store
from referee.tournament.store.words import history_of
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


def findings(run: Path, published: Published | None = None) -> list[str]:
    return list((check_store(run, published) if published else check_store(run)).findings)


def change_record(run: Path, number: int, edit: Callable[[dict[str, Any]], object], *, thorough: bool) -> None:
    """Change a record; whoever is thorough makes all hashes anew as well."""
    id_ = value(run, "SELECT id FROM places WHERE number = ?", number)
    if thorough:
        forge(run, lambda rows: edit(rows[id_ - 1].record))
        return
    record = json.loads(zlib.decompress(value(run, "SELECT record FROM records WHERE id = ?", id_)))
    edit(record)
    data = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    change(run, "UPDATE records SET record = ? WHERE id = ?", zlib.compress(data), id_)


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
    cut(run, MATCHES + 3)
    out, _ = golfref("verify", run.name, code=1, cwd=run.parent)
    assert "not finished: 1 of 6 matches have no result yet; what is there holds: 5 matches" in out


def test_a_match_out_of_the_standings_is_told_by_its_id(run: Path) -> None:
    with closing(Store.open(run)) as store:
        row = next(store.retired())
    told = golfref("replay", f"{run.name}:#{row.id}", cwd=run.parent)[0]
    assert f"match #{row.id}, out of the standings: deal {row.identity.deal}" in told
    assert "all holds" in golfref("verify", f"{run.name}:#{row.id}", cwd=run.parent)[0]
    assert "there is no match #999; it has " in golfref("replay", f"{run.name}:#999", code=2, cwd=run.parent)[1]


def test_the_digest_follows_from_the_published_hashes(played: Path) -> None:
    """Anybody can work it out, as PUBLISHING.md tells."""
    published = (played / "hashes.txt").read_text().splitlines()
    kinds = Counter(line.split()[1] for line in published)
    assert kinds == {"begin": 1, "match": MATCHES + 4, "amendment": 1}
    digest = "0" * 64
    for line in published:
        digest = sha256(" ".join((digest, *line.split()[1:])).encode()).hexdigest()
    assert digest == json.loads((played / "results.json").read_text())["digest"]


def test_a_record_whose_hash_was_changed_too_is_found_by_what_was_published(run: Path, played: Path) -> None:
    id_ = value(run, "SELECT id FROM places WHERE number = 3")
    change_record(run, 3, lambda record: record["seats"][0].update(stderr="words", stderr_bytes=5), thorough=True)
    assert findings(run) == [], "what hangs on nothing else can only be found by what was published"
    digest = json.loads((played / "results.json").read_text())["digest"]
    (found,) = findings(run, read_published(digest, None))
    assert found.startswith("the digest is not the published one: ")
    assert findings(run, read_published(str(played / "hashes.txt"), None)) == [
        f"row #{id_}: it is not the published one (hash)"
    ]
    (found,) = findings(run, read_published(None, played / "results.json"))
    assert found.startswith(f'digest: published "{digest}", in the store "')


def test_what_was_published_while_the_run_went_on_covers_what_was_there_then(run: Path, tmp_path: Path) -> None:
    earlier = Path(shutil.copy(run, tmp_path / "earlier.golfref"))
    cut(earlier, 9)
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
    forge(run, lambda rows: rows[6].record["seats"][0].update(stderr="words", stderr_bytes=5))
    assert "row #7: it is not the published one (hash)" in findings(run, read_published(published[1], None))
    (found,) = findings(run, read_published(published[0], None))
    assert "the digest is not the published one" in found


def test_nothing_can_be_added_to_a_run_whose_digest_was_published_when_it_was_complete(run: Path, played: Path) -> None:
    digest = json.loads((played / "results.json").read_text())["digest"]
    with locked(run) as lock, closing(Store.open(run, lock=lock)) as store:
        store.add(HostLeftOut(host="lab", reason="the lights went out"))
    assert findings(run, read_published(digest, None)) == [
        "the digest is that of the run when 10 matches had been committed, and so all; but more has been added"
    ]


def test_a_run_tells_that_another_host_went_on_with_it(tmp_path: Path) -> None:
    """A machine with another name, as far as the run can tell."""
    (tmp_path / "run.toml").write_text(CONFIG)
    run = tmp_path / "run.golfref"
    go_on(tmp_path, matches=1)
    forge(run, lambda rows: rows[0].body.update(host="another host"))
    for _ in range(2):  # what is told already is not told again
        go_on(tmp_path, matches=1)
    with closing(Store.open(run)) as store:
        (event,) = history_of(store)
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
    (tmp_path / "hashes.txt").write_text("\n".join([*lines, f"13 match {'0' * 64}"]))
    assert findings(run, read_published(str(tmp_path / "hashes.txt"), None)) == [
        "row #13: it was published, but is not there"
    ]


@pytest.mark.parametrize("text", ["0 abc", "x", "\0\xff", "0", "0" * 64, f"3 match {'0' * 64}"])
def test_a_file_that_holds_no_hashes_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "hashes.txt").write_text(f"1 begin {'0' * 64}\n{text}\n")
    with pytest.raises(BadPublished, match=r"hashes\.txt:2: expected a row's id, kind and hash"):
        read_published(str(tmp_path / "hashes.txt"), None)
    with pytest.raises(BadPublished, match=r"expected results as `standings --json` prints them"):
        read_published(None, tmp_path / "hashes.txt")
    with pytest.raises(BadPublished, match="expected a digest of 64 hexadecimal digits, or a file"):
        read_published("0123", None)


DAMAGE = {
    "a record of zeros": ("UPDATE records SET record = zeroblob(100) WHERE id = 10", "the record of match #"),
    "no record": ("DELETE FROM records WHERE id = 10", "the record of match #"),
    "a record of no match": ("INSERT INTO records VALUES (99, x'00')", "record #99 is that of no match"),
    "a number for a hash": (
        "UPDATE journal SET hash = x'00' WHERE id = 10",
        "is damaged (expected texts)",
    ),
    "no result": ("UPDATE journal SET body = '' WHERE id = 10", "is damaged"),
    "a deep result": ("UPDATE journal SET body = printf('%.5000c', '[') WHERE id = 10", "is damaged"),
    "a better result": (
        "UPDATE journal SET body = json_set(body, '$.totals[0]', -9) WHERE id = 10",
        "its hash does not follow from it and the row before",
    ),
    "a kind that there is not": ("UPDATE journal SET kind = 'x' WHERE id = 10", "golfref writes no row of the kind x"),
    "a place less": (
        "DELETE FROM places WHERE number = 4",
        "the store has no match; from the journal follows number 4",
    ),
    "a number beyond the plan": ("UPDATE places SET number = 99 WHERE number = 4", "the store has number 99 in block"),
    "a word for a number": ("UPDATE places SET number = 'four' WHERE number = 4", "is damaged"),
    "a match taken out": (
        "UPDATE places SET number = NULL, block = NULL, dropped_by = 8 WHERE number = 4",
        "the store has that amendment #8 dropped it; from the journal follows number 4",
    ),
    "a match put in": (
        "UPDATE places SET number = 99 WHERE id = (SELECT min(id) FROM places WHERE number IS NULL)",
        "from the journal follows that amendment #8 dropped it",
    ),
    "another key": ("UPDATE secret SET master_key = '00'", "does not match the commitment"),
    "no key": ("UPDATE secret SET master_key = 'secret'", "key or config is damaged"),
    "no keys": ("DELETE FROM secret", "key or config is damaged"),
    "no beginning": ("DELETE FROM journal WHERE id = 1", "row #1 of its journal is damaged"),
    "another beginning": ("UPDATE journal SET body = '{}' WHERE id = 1", "row #1 of its journal is damaged"),
    "another format": (
        "UPDATE journal SET body = json_set(body, '$.format', 6) WHERE id = 1",
        "not store format 5, which this golfref reads",
    ),
    "no table": ("DROP TABLE records", "no golfref store; `golfref tournament CONFIG` makes one"),
}
"""What is done to the file, and what is found."""


def match(number: int, **what: Any) -> Callable[[list[ForgedRow]], None]:
    """Changes the row of a match of the plan."""

    def edit(rows: list[ForgedRow]) -> None:
        played = [row for row in rows[8:] if row.kind == "match"]  # the amendment is row 8
        kept = [row for row in rows[:7] if row.kind == "match" and "cid" not in row.body["bots"]]
        order = {(*row.body["bots"],): row for row in (*kept, *played)}
        order[sorted(order)[number]].body.update(what)

    return edit


def config(**what: Any) -> Callable[[list[ForgedRow]], None]:
    """Changes the config to which the run was amended."""
    return lambda rows: rows[7].body["config"].update(what)


def last_bot(**what: Any) -> Callable[[list[ForgedRow]], None]:
    """Changes bot `cid` in it."""
    return lambda rows: rows[7].body["config"]["bots"][2].update(what)


FORGED: dict[str, tuple[Callable[[list[ForgedRow]], object], str]] = {
    "a better result": (match(4, totals=[-9, 9]), "the result that the standings use is not the record's"),
    "another deal": (match(4, deal=1), "the plan of then does not have it: six-card, deal 1"),
    "another seat": (
        lambda rows: [rows[8].body[name].reverse() for name in ("bots", "versions", "versions_before")],
        "; the plan has six-card, deal 0",
    ),
    "cards dealt anew although nothing was void": (
        match(4, redeals=1),
        "its cards were dealt anew 1 times, but voided matches had shown them 0 times",
    ),
    "a new version that is told to be the first": (
        lambda rows: rows[7].body["config"]["bots"][2].pop("versions_before"),
        "versions_before: expected 1 for bot cid, got 0",
    ),
    "a version more than there was": (last_bot(versions_before=2), "versions_before: expected 1 for bot cid, got 2"),
    "a match of a former version that is told to be of a later one": (
        lambda rows: [row.body.update(versions_before=[1, 1]) for row in rows[1:7]],
        "the plan of then does not have it",
    ),
    "a match that is told to be of the first version": (
        lambda rows: [row.body.pop("versions_before", None) for row in rows[8:]],
        "the plan of then does not have it",
    ),
    "a result with a seat less": (lambda rows: rows[2].body["totals"].pop(), "expected one entry for each seat"),
    "a version too many": (
        lambda rows: rows[2].body["versions"].append("0"),
        "expected a version for each of its bots",
    ),
    "a bot that is not in the run": (
        lambda rows: rows[2].body.update(bots=["eve", "fay"]),
        "the plan of then does not have it",
    ),
    "a game that the run does not have": (match(4, variant="x"), "the plan of then does not have it: x"),
    "ranks that no match has": (match(4, ranks=[0, 3]), "ranks from 1 to 2"),
    "an anchor that is not in the run": (config(anchor="eve"), "expected bots of the run as anchor"),
    "another result of what is out": (lambda rows: rows[3].body.update(rounds=7), "is not the record's"),
    "another count": (lambda rows: rows[0].body.update(matches=7), "the plan has 6 matches, but the row says 7"),
    "a config of nulls": (lambda rows: rows[7].body.update(config=None), "is damaged"),
    "another commitment": (lambda rows: rows[0].body.update(commitment="0" * 64), "does not match the commitment"),
    "another seed": (
        lambda rows: [row.body["config"].update(seed="abd") for row in (rows[0], rows[7])],
        "the master key is not the one that the seed gives",
    ),
    "something that no row has": (match(4, more=1), "is damaged"),
    "a host that never came": (match(4, host=3), "it names row #3 as its host, and no host came there before"),
    "a match twice": (lambda rows: rows.append(rows[-1]), "it is there twice"),
    "a second beginning": (lambda rows: rows.append(rows[0]), "a run begins once"),
    "an amendment that changes nothing": (lambda rows: rows.append(rows[7]), "an amendment that changes nothing"),
    "an amendment that no golfref does": (config(rank_by="strokes"), "no amendment does this: tournament.rank_by"),
    "a plan without end": (
        lambda rows: rows[7].body["config"]["stages"][0].update(deals=10**18),
        "6000000000000000000 matches in the plan; expected 10000000 at most",
    ),
}
"""What somebody does who makes all hashes anew, and what is found."""


@pytest.mark.parametrize(("statement", "expected"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_damaged_is_a_finding(run: Path, statement: str, expected: str) -> None:
    change(run, statement)
    found = findings(run)
    assert any(expected in finding for finding in found), found


@pytest.mark.parametrize(("edit", "expected"), FORGED.values(), ids=FORGED)
def test_what_is_forged_with_all_hashes_is_a_finding(
    run: Path, edit: Callable[[list[ForgedRow]], object], expected: str
) -> None:
    forge(run, edit)
    found = findings(run)
    assert any(expected in finding for finding in found), found
    assert not any("(hash)" in finding or "its hash does not follow" in finding for finding in found), found


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


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda record: record["moves"].pop(), "match 0: its record does not replay (the record ends after move "),
        (lambda record: record["seats"].clear(), "match 0: its record does not replay (not a golfref record: "),
        (lambda record: record["seats"].pop(), "match 0: its record does not replay (it has no seat "),
        (lambda record: record["seats"][-1].update(faults={}, late_slaps=3), "s in 0 of 0 slap windows"),
    ],
    ids=["a move less", "no seats", "a seat less", "late slaps without windows"],
)
def test_the_tables_are_printed_where_the_record_of_a_fault_is_damaged(
    run: Path, damage: Callable[[dict[str, Any]], object], words: str
) -> None:
    def change_it(record: dict[str, Any]) -> None:
        record["seats"][-1]["faults"] = {"timeout": 1}
        damage(record)

    id_ = value(run, "SELECT id FROM places WHERE number = 0")
    fault = '{"timeout": 1}'
    change(run, "UPDATE journal SET body = json_set(body, '$.faults[#-1]', json(?)) WHERE id = ?", fault, id_)
    change_record(run, 0, change_it, thorough=False)

    out, said = golfref("standings", run, cwd=run.parent)
    assert "Standings" in out
    assert words in said


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
    (tmp_path / "run.golfref.lock").touch()  # as a killed referee leaves it
    with locked(path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["other.golfref"]


def test_where_sqlite_cannot_keep_a_log_beside_the_store_commits_go_another_way(run: Path) -> None:
    Path(f"{run}.probe-shm").mkdir()
    with locked(run) as lock, closing(Store.open(run, lock=lock)) as store:
        assert store.mode == "truncate"
        store.add(HostLeftOut(host="lab", reason="something"))
    assert {path.name for path in run.parent.iterdir()} == {run.name, f"{run.name}.probe-shm"}
    with closing(Store.open(run)) as store:
        assert [event.lines for event in history_of(store)][-1] == ("host `lab` is left out: something",)


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
    may_tell_the_time = {"bundle", "events", "versions", "cluster", "competition", "commands", "site"}
    sources = [path for room in ("protocol", "referee") for path in (ROOT / room).rglob("*.py")]
    assert len(sources) > 60
    for path in sources:
        if path == ROOT / "referee/wall_clock.py":
            continue
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if re.search(r"import .*time|time import|wall_clock", text) else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                read = {(module, clock) for module in ("time", "datetime", "date") for clock in clocks}
                assert (node.value.id, node.attr) not in read, f"{path}:{node.lineno}"
            elif isinstance(node, ast.ImportFrom) and node.module == "time":
                assert not clocks & {alias.name for alias in node.names}, f"{path}:{node.lineno}"
            elif isinstance(node, ast.Import | ast.ImportFrom):
                modules = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                is_told = path.relative_to(ROOT).parts[1] in may_tell_the_time
                assert is_told or not modules & {"datetime", "wall_clock"}, f"{path}:{node.lineno}"


ENDLESS = "WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT n FROM endless"
OTHERS = {
    "trigger `t`": "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM journal; END",
    "trigger `sqliteXt`": "CREATE TRIGGER sqliteXt AFTER INSERT ON journal BEGIN DELETE FROM journal; END",
    "view `secret`": f"DROP TABLE secret; CREATE VIEW secret (master_key) AS {ENDLESS}",
    "index `i`": "CREATE INDEX i ON places (abs(number))",
    "table `more`": "CREATE TABLE more (x)",
    "table `places`": "ALTER TABLE places ADD COLUMN computed AS (abs(id))",
    "table `records`": "DROP TABLE records; CREATE TABLE records (id INTEGER PRIMARY KEY, record TEXT NOT NULL)",
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_store_whose_tables_are_not_ours_to_the_letter_is_refused_before_it_is_read(run: Path, name: str) -> None:
    """A trigger could take back what is written, and a view go on without end."""
    with closing(sqlite3.connect(run)) as connection:
        connection.executescript(OTHERS[name])
    with pytest.raises(StoreError, match=f"it holds the {name}, which golfref did not make, or makes otherwise"):
        Store.open(run)


def test_a_record_without_end(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of a hostile file can stand for a gigabyte."""
    monkeypatch.setattr(journal, "MOST_RECORD_BYTES", 1000)
    assert any("is damaged (it is longer than 1000 bytes)" in finding for finding in findings(run))


def test_no_record_steers_the_terminal_that_tells_it(run: Path) -> None:
    with closing(Store.open(run)) as opened:
        record = json.loads(opened.record(2)) | {"name": "\x1b[2J"}
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
            writing.add(HostLeftOut(host="lab", reason="something happens meanwhile"))
            return compare_published(store, published)

        monkeypatch.setattr(verify_run, "compare_published", add_and_compare)
        assert check_store(run).notes == before
        monkeypatch.undo()
        assert check_store(run).notes != before


def test_what_was_printed_with_another_anchor_holds(run: Path, tmp_path: Path) -> None:
    printed = golfref("standings", run.name, "--json", "--anchor", "bea", cwd=run.parent)[0]
    (tmp_path / "results.json").write_text(printed)

    assert json.loads(printed)["ratings"]["anchor"] == "bea"
    assert findings(run, read_published(None, tmp_path / "results.json")) == []


def test_the_table_says_of_whom_a_rating_tells(run: Path) -> None:
    out = golfref("standings", run.name, "--anchor", "bea", cwd=run.parent)[0]

    assert "50.0 (anchor)" in out
    assert "a bot wins against bea, a tie counting half" in " ".join(out.split())
    problem = golfref("standings", run.name, "--anchor", "beh", cwd=run.parent, code=2)[1]
    assert f"{run.name}: no bot beh plays in this run; did you mean bea?" in problem


def test_a_store_of_an_earlier_format_names_the_release_that_reads_it(tmp_path: Path) -> None:
    change(tmp_path / "old.golfref", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    change(tmp_path / "old.golfref", "INSERT INTO meta VALUES ('format', '4')")
    said = golfref("standings", "old.golfref", code=2, cwd=tmp_path)[1]
    assert "store format 4: golfref 0.8.0 reads it, this one reads format 5; --fresh begins anew" in said


def test_the_page_of_the_store_has_every_table_and_every_row_with_its_fields() -> None:
    page = (ROOT / "tournaments/STORE.md").read_text(encoding="utf-8")
    cells = {line.split("|")[1].strip(" `"): line for line in page.splitlines() if line.startswith("| `")}
    assert {"journal", "records", "places", "secret", *KINDS} == cells.keys()
    for kind, row in KINDS.items():
        assert {f"`{name}`" for name in row.__struct_fields__} <= set(re.findall("`[a-z_]+`", cells[kind])), kind


def test_the_query_of_the_page_tells_whether_a_match_counts_and_which_amendment_dropped_it(run: Path) -> None:
    page = (ROOT / "tournaments/STORE.md").read_text(encoding="utf-8")
    query = page.split("```sql\n")[1].split("```")[0]
    with closing(sqlite3.connect(run)) as database:
        found = {id_: database.execute(query.replace("17", str(id_))).fetchone()[3:] for id_ in (*range(2, 8), 9)}
    with closing(Store.open(run)) as store:
        for match in store.matches():
            if match.id in found:
                number, dropped_by, changed = found[match.id]
                assert (number, dropped_by) == (match.number, None if match.number is not None else 8)
                assert (changed is None) == (match.number is not None)


def test_how_long_a_run_takes_is_told_as_long_as_a_process_plays_it(tmp_path: Path) -> None:
    run, forecast = tmp_path / "run.golfref", Forecast(at_s=1e9, is_most=True)
    note_forecast(run, forecast)
    assert forecast_of(run) is None
    with locked(run):
        assert forecast_of(run) is None
        note_forecast(run, forecast)
        assert forecast_of(run) == forecast
    assert forecast_of(run) is None
    assert list(tmp_path.iterdir()) == []
