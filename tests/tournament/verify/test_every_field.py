"""Whatever is changed in the store of a run is found: every column of every table, every field of every record.

The forger of these tests can write to the store and makes the hash of a changed record anew. Against the published
digest every change is found. Without it, everything is found that follows from something else; what does not is
listed here, with the reason. Fields are found by introspection, so that one that comes later is tested as well.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from made_once import made_once
from msgspec import Struct, inspect
from quick import FILLER

from referee.rules.record import Record
from referee.tournament.store.store import Store
from referee.tournament.verify.published import read_published
from referee.tournament.verify.replay import check_record
from referee.tournament.verify.run import check_store

SPOIL = """
from referee.tournament.orders import Played, Spoiled
from referee.tournament.run import dispatch

report, spoiled = dispatch.Dispatcher.report, []

async def spoil_one(self, one):
    if isinstance(one, Played) and one.number == 1 and not spoiled:
        spoiled.append(one)
        one = Spoiled(number=1, reason="a cable was pulled")
    await report(self, one)

dispatch.Dispatcher.report = spoil_one
"""
"""The host spoils the first attempt at match 1."""

GOLFREF = "from referee.cli import main\nmain()"

SLAPPER = (
    FILLER
    + """
start(name="slapper", version="1.0", author="somebody")
for number, request in enumerate(messages(), start=1):
    if request["type"] == "request":
        chosen = right(request, "slap", "discard") | {"then": {"kind": "none"}}
        if number == 4:
            say(chosen | {"id": "guess"})
        say(chosen | ({"action": {"kind": "knock"}} if number == 6 and request["decision"] != "slap" else {}))
"""
)
"""Slaps whenever it may, guesses an id once, and makes a fault."""

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600, slap_s = 5 }}
faults = {{ strikes = 1 }}
[tournament]
name = "every field"
seed = "abc"
trust = "all"
rotations = "fresh"
deals = 1
jobs = 1
workers = 1
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[variants]]
preset = "cactus"
options = {{ rounds = 1 }}
[[bots]]
command = ["{python}", "slapper.py"]
dir = "slapper"
name = "ann"
owner = "Ann"
env = {{ MODE = "{mode}" }}
[[bots]]
builtin = "random"
owner = "Bea"
"""


def golfref(folder: Path, *words: str, before: str = "") -> str:
    command = [sys.executable, "-c", f"{before}\n{GOLFREF}", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run with a void, in which a bot was replaced; begun.golfref is the run before that."""
    return made_once(tmp_path_factory, "every-field", play) / "run.golfref"


def play(folder: Path) -> None:
    (folder / "slapper").mkdir()
    (folder / "slapper/slapper.py").write_text(SLAPPER)
    for mode, words in (("one", ()), ("two", ("--amend",))):
        (folder / "run.toml").write_text(CONFIG.format(mode=mode, python=sys.executable))
        golfref(folder, "tournament", "run.toml", *words, before=SPOIL * (mode == "one"))
        if mode == "one":
            shutil.copy(folder / "run.golfref", folder / "begun.golfref")
    for store in (folder / "begun.golfref", folder / "run.golfref"):
        assert check_store(store).findings == ()


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path))


def found_in(run: Path) -> tuple[str, ...]:
    return check_store(run).findings


def found_with_digest(run: Path, played: Path) -> tuple[str, ...]:
    with closing(Store.open(played)) as store:
        return check_store(run, read_published(store.digest(), None)).findings


UNKNOWN = object()
"""There is no other value that could be made, or the fields below it are changed instead."""


def another(value: Any, type_: inspect.Type) -> Any:
    """Another value than this one, which its field can have."""
    if isinstance(type_, inspect.UnionType) and inspect.NoneType() in type_.types:
        return example(type_) if value is None else None if isinstance(value, Struct) else other(value)
    if isinstance(type_, inspect.LiteralType):
        return next((one for one in type_.values if one != value), UNKNOWN)
    if isinstance(value, list | tuple) and not value:
        return example(type_)
    return other(value)


def other(value: Any) -> Any:
    """Another value, of the same of JSON's types."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 5000
    if isinstance(value, str):
        return ("1" if value[0] == "0" else "0") + value[1:] if is_hexadecimal(value) else value + "x"
    if isinstance(value, list | tuple):
        return value[:-1] if value else UNKNOWN
    if isinstance(value, dict):
        return {**value, min(value): other(value[min(value)])} if value else {"x": 1}
    return 1 if value is None else UNKNOWN


def example(type_: inspect.Type) -> Any:
    """Some value of a type, in JSON."""
    if isinstance(type_, inspect.UnionType):
        return next(found for one in type_.types if (found := example(one)) is not UNKNOWN)
    if isinstance(type_, inspect.ListType | inspect.VarTupleType):
        return [example(type_.item_type)]
    if isinstance(type_, inspect.TupleType):
        return [*map(example, type_.item_types)]
    if isinstance(type_, inspect.StructType):
        return {field.encode_name: example(field.type) for field in type_.fields if field.required}
    if isinstance(type_, inspect.LiteralType):
        return type_.values[0]
    return {inspect.StrType: "x", inspect.IntType: 7, inspect.FloatType: 7}.get(type(type_), UNKNOWN)


def structs_in(type_: Any) -> dict[type, inspect.StructType]:
    """Every struct that is part of a type."""
    found: dict[type, inspect.StructType] = {}
    waiting = [inspect.type_info(type_)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, inspect.StructType) and one.cls not in found:
            found[one.cls] = one
            waiting += [field.type for field in one.fields]
        waiting += [*getattr(one, "types", ()), *getattr(one, "item_types", ())]
        waiting += [item for name in ("item_type", "value_type") if (item := getattr(one, name, None)) is not None]
    return found


def is_hexadecimal(text: str) -> bool:
    return len(text) in (12, 32, 64) and set(text) <= set("0123456789abcdef")


# Fields of records

Path_ = tuple[str | int, ...]


class Place(Struct, frozen=True, kw_only=True):
    """A field of a struct that stands somewhere in the record of a match."""

    id: int
    path: Path_
    changed: Any


def fields_of(value: Any, path: Path_, within: str = "") -> Iterator[tuple[str, Path_, Any, inspect.Type]]:
    """Every field in a value, as `Struct.field`, with its path in JSON, its value and its type.

    The fault of a forfeit is that of the answer which follows, and so has names of its own.
    """
    if isinstance(value, Struct):
        known: Any = inspect.type_info(type(value))
        for number, field in enumerate(known.fields):
            below = (*path, number if known.array_like else field.encode_name)
            name = f"{within or type(value).__name__}.{field.name}"
            yield name, below, getattr(value, field.name), field.type
            yield from fields_of(getattr(value, field.name), below, "Forfeit.fault" * (name == "Forfeit.fault"))
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from fields_of(one, (*path, number))


def places(run: Path) -> dict[str, Place]:
    """By field, the first place where it stands with a value that can be changed to another one."""
    found: dict[str, Place] = {}
    for id_, record in records(run).items():
        for name, path, value, type_ in fields_of(record, ()):
            if name not in found and (changed := another(value, type_)) is not UNKNOWN:
                found[name] = Place(id=id_, path=path, changed=changed)
    return found


def records(run: Path) -> dict[int, Record]:
    with closing(sqlite3.connect(run)) as database:
        rows = database.execute("SELECT id, record FROM matches ORDER BY id").fetchall()
    return {id_: msgspec.json.decode(zlib.decompress(data), type=Record) for id_, data in rows}


def changed_record(record: Record, place: Place) -> bytes:
    """The record with a changed field."""
    whole = within = msgspec.to_builtins(record)
    for key in place.path[:-1]:
        within = within[key]
    if isinstance(within, tuple):
        raise TypeError(place.path)
    within[place.path[-1]] = place.changed
    return msgspec.json.encode(whole)


def put_record(run: Path, id_: int, data: bytes) -> None:
    """Put a record in the place of another, and make its hash anew."""
    with closing(sqlite3.connect(run)) as database, database:
        values = (zlib.compress(data), sha256(data).hexdigest(), id_)
        database.execute("UPDATE matches SET record = ?, hash = ? WHERE id = ?", values)


def contradicts_itself(data: bytes) -> bool:
    try:
        return any(check_record(msgspec.json.decode(data, type=Record)))
    except msgspec.ValidationError:
        return False


HANGS_ON_NOTHING = {
    "Record.seed": "cards are dealt from the key, which is checked",
    "Record.cgroups": "what the host let golfref bound is seen nowhere else",
    "Given.time_us": "after its last answer a bot is told no time any more",
    "Given.waived_us": "time that is not charged changes nothing that bots are told",
    "Reaction.raw_us": "the corrected time may be any between the raw one and that less the wait for a core",
    "Reaction.hint": "why a slap may have been late changes nothing",
    "Reaction.wait_us": "as above",
    "Reaction.corrected_us": "as above, as long as the order of slaps stays",
    "GivenSlaps.disturbed": "the doubts of a measurement change nothing",
    "SeatRecord.stderr": "what a bot writes to standard error changes nothing",
    "SeatRecord.stderr_bytes": "as above",
    "SeatRecord.nearest_miss_us": "by how much a slap was late changes nothing",
    "SeatRecord.unasked_lines": "lines that answer nothing change nothing",
    "SeatRecord.wrote_lines": "a count beside the lines themselves",
    "SeatRecord.wrote_bytes": "a count beside the lines themselves",
    "Line.after": "this line is `ready`, and answers no request",
    "Mishap.detail": "a bot that has forfeited is sent nothing more",
    "Mishap.line": "bots are told the words about a fault, not the line where it happened",
    "Forfeit.fault.kind": "a copy of the fault of the answer that follows",
    "Forfeit.fault.detail": "as above",
    "Forfeit.fault.line": "as above",
}
"""Fields of records that only hashes cover."""


def test_a_changed_field_of_a_record_is_found(run: Path, played: Path) -> None:
    """By the record alone, or else by the run."""
    honest = records(played)
    for name, place in places(played).items():
        data = changed_record(honest[place.id], place)
        if name not in HANGS_ON_NOTHING and not contradicts_itself(data):
            shutil.copy(played, run)
            put_record(run, place.id, data)
            assert found_in(run), name


def test_the_published_digest_covers_what_hangs_on_nothing(run: Path, played: Path) -> None:
    place = places(played)["Record.cgroups"]
    put_record(run, place.id, changed_record(records(played)[place.id], place))
    assert found_in(run) == ()
    assert found_with_digest(run, played)


def test_no_field_of_a_record_is_left_out(played: Path) -> None:
    """But for the actions: this run has some of each kind of move, and an action is compared as a whole."""
    structs = {one: known for one, known in structs_in(Record).items() if one.__module__ != "protocol.actions"}
    fields = {f"{one.__name__}.{field.name}" for one, known in structs.items() for field in known.fields}
    of_structs = {"Record.bounds", "Record.clocks", "Record.faults", "Record.result", "Given.action", "Forfeit.fault"}
    assert fields - places(played).keys() == of_structs


# Columns of tables

FORGED = {
    "meta name": "the run's name is in no record",
    "meta rank_by": "a run can be ranked either way",
    "meta reuse": "a process that could have played on need not have done so",
    "meta bots.dir": "a bot's folder counts for its version only by what is in it",
    "meta lineups": "a sample that is no smaller is all line-ups",
    "meta bots.env.MODE": "a bot's environment counts for its version, which nobody can work out without its files",
    "voids reason": "what the host did is seen nowhere else",
}
"""What only the digest covers, outside records."""


def leaves(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every value in one of JSON that holds no others. Lists and objects that are empty count as such."""
    if isinstance(value, dict | list) and value:
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*path, key))
    else:
        yield path, value


def with_leaf(value: Any, path: Path_, changed: Any) -> Any:
    """A value of JSON in which the value at this path is another one."""
    if not path:
        return changed
    copied = value.copy()
    copied[path[0]] = with_leaf(value[path[0]], path[1:], changed)
    return copied


class Cell(Struct, frozen=True, kw_only=True):
    """A value in a column, and what it may be changed to."""

    name: str
    table: str
    column: str
    key: Any
    changed: Any


KEYS = {"meta": "key", "matches": "id", "voids": "id", "history": "id"}


def cells(run: Path) -> Iterator[Cell]:
    """Every column of the first and the last row of every table. A JSON text is changed in every leaf."""
    with closing(sqlite3.connect(run)) as database:
        database.row_factory = sqlite3.Row
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert set(tables) == KEYS.keys()
        for table in tables:
            rows = [dict(row) for row in database.execute(" ".join(("SELECT * FROM", table)))]
            for row in rows if table == "meta" else (*rows[:1], *rows[1:][-1:]):
                for column, value in row.items():
                    yield from _changes(table, column, row[KEYS[table]], value)


def _changes(table: str, column: str, key: Any, value: Any) -> Iterator[Cell]:
    if isinstance(value, bytes):
        return  # a record: its fields are changed one by one
    named = f"{table} {key if table == 'meta' and key != 'facts' else column}"
    try:
        held = json.loads(value) if isinstance(value, str) else None
    except ValueError:
        held = None
    if held is None or isinstance(held, int):
        changed = 7 if value is None else other(value)
        yield Cell(name=named, table=table, column=column, key=key, changed=changed)
        return
    seen: dict[str, int] = {}
    for path, leaf in leaves(held):
        words = [one for one in path if isinstance(one, str)]
        name = ".".join(words[:2] if "options" in words else words)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] <= 2 and (changed := other(leaf) if leaf != [] else ["x"]) is not UNKNOWN:
            text = json.dumps(with_leaf(held, path, changed), separators=(",", ":"), ensure_ascii=False)
            of = name if named == "meta value" else f"{column}.{name}".strip(".")
            yield Cell(name=f"{table} {of}".strip(), table=table, column=column, key=key, changed=text)


def change_cell(run: Path, cell: Cell) -> None:
    with closing(sqlite3.connect(run)) as database, database:
        query = " ".join(("UPDATE", cell.table, "SET", cell.column, "= ? WHERE", KEYS[cell.table], "= ?"))
        database.execute(query, (cell.changed, cell.key))


@pytest.mark.full  # it checks the run once for each column
@pytest.mark.parametrize("amended", [False, True], ids=["begun", "amended"])
def test_a_changed_column_is_found(run: Path, played: Path, amended: bool) -> None:
    original = played if amended else played.with_name("begun.golfref")
    passed, missed, tried = set(), set(), set()
    for cell in cells(original):
        shutil.copy(original, run)
        change_cell(run, cell)
        tried.add(cell.name)
        if not found_in(run):
            passed.add(cell.name)
            if not found_with_digest(run, original):
                missed.add(cell.name)
    assert missed == set(), "the published digest covers every row"
    assert passed <= FORGED.keys()
    assert {"matches result.bots", "voids attempt", "meta bots.dir", "meta host", "meta matches"} <= tried


INVENTED = {
    "a void": "INSERT INTO voids SELECT 2, after, events, number, bots, 2, reason FROM voids",
    "a void after the commit": "UPDATE voids SET after = 4",
    "a void of another match": "UPDATE voids SET number = 3",
    "an event": "INSERT INTO history SELECT NULL, after, '[\"the lights went out\"]', NULL FROM history",
    "an event between others": "UPDATE history SET id = 3 WHERE id = 1",
    "a match": "INSERT INTO matches SELECT 9, NULL, variant, game, bots, versions, deal, rotation, result, hash, record"
    " FROM matches WHERE id = 8",
    "another order of commits": "UPDATE matches SET id = CASE id WHEN 7 THEN 107 WHEN 8 THEN 7 ELSE id END",
    "a match taken out": "DELETE FROM matches WHERE id = 3",
    "a void taken out": "DELETE FROM voids",
    "an amendment taken out": "DELETE FROM history",
    "an amendment in other words": "UPDATE history SET lines = json_set(lines, '$[0]', 'bot `ann`: the same')",
    "something behind a record": "UPDATE matches SET record = CAST(record || x'00' AS BLOB) WHERE id = 4",
    "an event without words": "INSERT INTO history SELECT NULL, after, '[]', NULL FROM history",
    "an amendment that changes nothing": "INSERT INTO history SELECT NULL, 8, '[]',"
    " (SELECT value FROM meta WHERE key = 'facts') FROM history",
    "an entry of what the run is": "INSERT INTO meta VALUES ('note', '1')",
}
BY_THE_DIGEST = {"an entry of what the run is"}
"""What follows from nothing else, because no version of golfref looks at it."""


@pytest.mark.parametrize("what", INVENTED)
def test_a_row_that_was_invented_or_taken_out_is_found(run: Path, played: Path, what: str) -> None:
    with closing(sqlite3.connect(run)) as database, database:
        database.execute(INVENTED[what])
    found = found_with_digest(run, played)
    assert found
    assert any("digest" not in finding for finding in found) == (what not in BY_THE_DIGEST)
