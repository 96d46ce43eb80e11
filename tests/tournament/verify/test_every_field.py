"""Whatever is changed in the store of a run is found: every row, every field of every row, every field of every record.

Whoever changes a row alone is found by the hashes, which chain. The forger of these tests makes all hashes anew, so
that only what follows from something else is found; what does not is listed here, with the reason, and is found against
the published digest. Fields are found by introspection, so that one that comes later is tested as well.
"""

import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import golfref
from forging import ForgedRow, change, forge, rows_of
from made_once import made_once
from msgspec import Struct, inspect
from quick import FILLER

from referee.rules.record import Record
from referee.tournament.store.disk import StoreError, locked
from referee.tournament.store.origins import Origin
from referee.tournament.store.rows import KINDS, BotChanged, HostLeftOut, KeptOut
from referee.tournament.store.store import Store
from referee.tournament.verify.history import NotFollowed, RunHistory
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


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run with a void, in which a bot was replaced.

    Beside it, begun.golfref is the run before that, and hours.golfref one with rounds, hours, and notes about bots.
    """
    return made_once(tmp_path_factory, "every-field", play) / "run.golfref"


def play(folder: Path) -> None:
    (folder / "slapper").mkdir()
    (folder / "slapper/slapper.py").write_text(SLAPPER)
    for mode, words in (("one", ()), ("two", ("--amend",))):
        (folder / "run.toml").write_text(CONFIG.format(mode=mode, python=sys.executable))
        golfref("tournament", "run.toml", *words, cwd=folder, before=SPOIL * (mode == "one"))
        if mode == "one":
            shutil.copy(folder / "run.golfref", folder / "begun.golfref")
    (folder / "hours.toml").write_text(CONFIG.format(mode="one", python=sys.executable))
    golfref("tournament", "hours.toml", cwd=folder)
    with locked(folder / "hours.golfref") as lock, closing(Store.open(folder / "hours.golfref", lock=lock)) as store:
        ann = store.meta().config.bots[0]
        store.add(BotChanged(bot=ann.name, before=ann.version, after="0" * 64))
        store.add(KeptOut(bot="eve", version="0123456789ab", reason="it is slow"))
        store.add(HostLeftOut(host="lab", reason="the lights went out"))
        store.add(Origin(golfref="1.0.0", protocol="1", host="another"))
    for path in (folder / "begun.golfref", folder / "run.golfref", folder / "hours.golfref"):
        assert check_store(path).findings == ()


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
    with closing(Store.open(run)) as store:
        return {id_: msgspec.json.decode(store.record(id_), type=Record) for id_ in store.ids()}


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
    """Put a record in the place of another, and make all hashes anew."""

    def put(rows: list[ForgedRow]) -> None:
        rows[id_ - 1].record = json.loads(data)

    forge(run, put)


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


# Rows


def breaks_in_chain(run: Path, rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """What is found of the hashes where the journal has these rows, of kind, body and hash; or why it is refused."""
    with closing(sqlite3.connect(run)) as database, database:
        database.execute("DELETE FROM journal")
        database.executemany("INSERT INTO journal (kind, body, hash) VALUES (?, ?, ?)", rows)
    found = []
    try:
        with closing(Store.open(run)) as store:
            history = RunHistory(store, draws_again=False)
            for entry in store.entries():
                found += [text for text in history.take(entry) if "its hash does not follow" in text]
    except (StoreError, NotFollowed) as error:
        found.append(str(error))
    return found


def add_a_row_of_every_other_kind(rows: list[ForgedRow]) -> None:
    for kind in sorted(KINDS.keys() - {row.kind for row in rows}):
        body = {"begin": rows[0].body, "hash": "0" * 64} if kind == "shard" else example(inspect.type_info(KINDS[kind]))
        rows.append(ForgedRow(kind=kind, body=body))


def test_every_row_that_was_changed_dropped_doubled_or_moved_breaks_the_chain(run: Path) -> None:
    forge(run, add_a_row_of_every_other_kind)
    with closing(sqlite3.connect(run)) as database:
        rows = database.execute("SELECT kind, body, hash FROM journal ORDER BY id").fetchall()
    assert breaks_in_chain(run, rows) == []
    assert {kind for kind, _, _ in rows} == KINDS.keys()
    for place, (kind, body, hash_) in enumerate(rows):
        before, after = rows[:place], rows[place + 1 :]
        assert breaks_in_chain(run, [*before, (kind, body + " ", hash_), *after]), f"changed {kind}"
        assert breaks_in_chain(run, [*before, ("host_lost", body, hash_), *after]) or kind == "host_lost", kind
        assert breaks_in_chain(run, [*before, (kind, body, "0" * 64), *after]), f"another hash of {kind}"
        assert breaks_in_chain(run, [*before, rows[place], rows[place], *after]), f"doubled {kind}"
        if after:
            assert breaks_in_chain(run, [*before, *after]), f"dropped {kind}"
            assert breaks_in_chain(run, [*before, after[0], rows[place], *after[1:]]), f"swapped {kind}"


def test_a_row_taken_from_the_end_is_found_by_what_was_published(run: Path, played: Path) -> None:
    forge(run, lambda rows: rows.pop())
    assert found_in(run) == ()
    assert found_with_digest(run, played)


FORGED = {
    "config.name": "the run's name is in no record",
    "config.rank_by": "a run can be ranked either way",
    "config.reuse": "a process that could have played on need not have done so",
    "config.lineups": "a sample that is no smaller is all line-ups",
    "config.rounds": "a round robin has no rounds, and so on",
    "config.advance": "as above",
    "config.limit": "as above",
    "config.bots.dir": "a bot's folder counts for its version only by what is in it",
    "config.bots.env.MODE": "the environment counts for the version, which nobody works out without the files",
    "config.hours": "nobody else measured how long was played",
    "used_s": "as above",
    "void reason": "what the host did is seen nowhere else",
    "host_left_out host": "a host that played nothing is seen nowhere else",
    "host_left_out reason": "as above",
    "origin golfref": "nothing was played after this row",
    "origin protocol": "as above",
    "origin host": "as above",
    "bot_changed after": "the files of then are seen nowhere else",
    "kept_out bot": "a bot that does not take part is seen nowhere else",
    "kept_out version": "as above",
    "kept_out reason": "as above",
}
"""What of a row hangs on nothing else, so that only the published digest covers it."""


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
    """A value in a row, and what it may be changed to."""

    name: str
    row: int
    body: Any


def cells(run: Path) -> Iterator[Cell]:
    """Every value in the first and the last row of every kind; of several alike in a row, the first two."""
    rows = rows_of(run)
    by_kind = {kind: [number for number, row in enumerate(rows) if row.kind == kind] for kind in {*KINDS}}
    for kind, numbers in by_kind.items():
        for number in sorted({*numbers[:1], *numbers[-1:]}):
            seen = Counter[str]()
            for path, leaf in leaves(rows[number].body):
                words = [one for one in path if isinstance(one, str)]
                name = ".".join(words[:3] if "options" in words else words)
                seen[name] += 1
                if seen[name] <= 2 and (changed := other(leaf) if leaf != [] else ["x"]) is not UNKNOWN:
                    body = with_leaf(rows[number].body, path, changed)
                    yield Cell(name=f"{kind} {name}", row=number, body=body)


def change_cell(run: Path, cell: Cell) -> None:
    def change(rows: list[ForgedRow]) -> None:
        rows[cell.row].body = cell.body
        if "record_hash" in cell.name:
            rows[cell.row].record = None

    forge(run, change)


@pytest.mark.full  # it checks the run once for each field
@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", ["begun", "run", "hours"])
def test_a_changed_field_of_a_row_is_found_though_all_hashes_were_made_anew(
    run: Path, played: Path, store: str
) -> None:
    original = played.with_name(f"{store}.golfref")
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
    assert [name for name in sorted(passed) if not {name, name.partition(" ")[2]} & FORGED.keys()] == []
    assert {"match bots", "begin config.bots.dir", "begin host", "begin matches"} <= tried
    assert ("void attempt" in tried) == (store != "hours")


def invented(kind: str, **body: Any) -> Callable[[list[ForgedRow]], object]:
    return lambda rows: rows.append(ForgedRow(kind=kind, body=body))


def number_of(rows: list[ForgedRow], kind: str) -> int:
    """The first row of a kind."""
    return next(number for number, row in enumerate(rows) if row.kind == kind)


INVENTED: dict[str, Callable[[list[ForgedRow]], object]] = {
    "a void": lambda rows: rows.insert(3, rows[number_of(rows, "void")]),
    "a void after the commit": lambda rows: rows.insert(5, rows.pop(number_of(rows, "void"))),
    "a void of another match": lambda rows: rows[number_of(rows, "void")].body.update(rotation=0),
    "a void taken out": lambda rows: rows.pop(number_of(rows, "void")),
    "a host that nobody needs": invented("host_left_out", host="lab", reason="the lights went out"),
    "a host that was lost and never came": invented("host_lost", host="lab"),
    "a bot that changed and did not": invented("bot_changed", bot="ann", before="0", after="1"),
    "hours that the run does not have": invented("hours", used_s=7),
    "shards that were put together": invented("merged"),
    "another order of commits": lambda rows: rows.append(rows.pop(-2)),
    "a match taken out": lambda rows: rows.pop(4),
    "an amendment taken out": lambda rows: rows.pop(number_of(rows, "amendment")),
    "an amendment that changes nothing": lambda rows: rows.append(rows[number_of(rows, "amendment")]),
}
BY_THE_DIGEST = {"a host that nobody needs", "another order of commits", "a match taken out"}
"""What follows from nothing else. A match that is taken out is one that the run lacks, where it still counts."""


@pytest.mark.parametrize("what", INVENTED)
def test_a_row_that_was_invented_or_taken_out_is_found(run: Path, played: Path, what: str) -> None:
    forge(run, INVENTED[what])
    found = found_with_digest(run, played)
    assert found
    assert any("digest" not in finding for finding in found) == (what not in BY_THE_DIGEST)


def test_something_behind_a_record_is_found(run: Path) -> None:
    change(run, "UPDATE records SET record = CAST(record || x'00' AS BLOB) WHERE id = 4")
    assert any("does not end where it should" in finding for finding in found_in(run))
