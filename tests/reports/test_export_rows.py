"""What `golfref export` tells, from runs that nobody played: real records, outcomes by chance, names that mislead."""

import csv
import json
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from exported import NAMES, made_up_run
from hypothesis import given, settings
from hypothesis import strategies as st
from made_once import made_once
from msgspec.structs import replace

from protocol.actions import Slap
from referee.commands.runs.export import TYPES
from referee.reports.export import meanings
from referee.reports.export.all_tables import TABLES, Table
from referee.reports.export.columns import scope_of
from referee.reports.export.of_matches import SEATS
from referee.reports.export.of_play import photo_finishes
from referee.reports.export.writing import no_formula
from referee.rules.check_options import with_options
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Window
from referee.rules.record import Reaction
from referee.tournament.store.store import Store

GAMES = ("six-card", "cactus", "par-course")

Line = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run: four bots at tables of three in three games, 36 matches."""
    return made_once(tmp_path_factory, "made-up", lambda folder: made_up_run(folder, GAMES, NAMES[:4]))


def exported(run: Path, table: str, *more: str, said: str = "") -> list[Line]:
    """The rows of a table as JSON lines tell them."""
    out, err = golfref("export", "run.golfref", "--table", table, "--format", "jsonl", *more, cwd=run)
    assert err == said
    return [json.loads(line) for line in out.splitlines()]


# The formats

PYTHON_TYPES: dict[str, set[type]] = {"int": {int}, "float": {float, int}, "bool": {bool}, "text": {str}}


@pytest.mark.parametrize("table", TABLES)
def test_json_lines_have_the_columns_that_are_told(run: Path, table: Table) -> None:
    rows, columns = exported(run, table), TABLES[table].columns

    assert rows
    for row in rows:
        assert list(row) == [column.name for column in columns]
        for column in columns:
            value = row[column.name]
            assert column.can_be_empty if value is None else type(value) in PYTHON_TYPES[column.kind], (
                column.name,
                value,
            )


@pytest.mark.parametrize("table", TABLES)
def test_csv_has_the_same_rows(run: Path, table: Table) -> None:
    out, _ = golfref("export", "run.golfref", "--table", table, "--exact", cwd=run)
    read = list(csv.DictReader(out.splitlines()))

    kinds = {column.name: column.kind for column in TABLES[table].columns}
    typed: dict[str, Callable[[str], object]] = {"int": int, "float": float, "text": str, "bool": json.loads}
    expected = [{name: None if value == "" else value for name, value in row.items()} for row in exported(run, table)]
    assert [
        {name: typed[kinds[name]](cell) if cell else None for name, cell in row.items()} for row in read
    ] == expected


@pytest.mark.parametrize("name", [*NAMES, "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\uff1d1", "it's"])
def test_no_name_in_csv_begins_like_a_formula_and_each_can_be_told_again(name: str) -> None:
    cell = no_formula(name)

    assert cell[:1] not in tuple("=+-@\uff1d\uff0b\uff0d\uff20")
    assert cell.removeprefix("'") == name


def test_names_in_csv_are_made_safe_unless_they_are_to_be_exact(run: Path) -> None:
    def bots(*more: str) -> set[str]:
        out, _ = golfref("export", "run.golfref", "--table", "seats", *more, cwd=run)
        return {row["bot"] for row in csv.DictReader(out.splitlines())}

    assert bots() == {"ann", "a|b", "<script>", "'=1+1"}
    assert bots("--exact") == {"ann", "a|b", "<script>", "=1+1"}


# The rows


def test_matches_and_seats_have_the_results(run: Path) -> None:
    results = json.loads(golfref("standings", "run.golfref", "--json", cwd=run)[0])["results"]
    matches, seats = exported(run, "matches"), exported(run, "seats")

    for name in ("match", "block", "deal", "rotation", "redeals", "rounds", "lag_us"):
        assert [match[name] for match in matches] == [result.get(name, 0) for result in results]
    assert [match["faults"] for match in matches] == [sum(sum(f.values()) for f in r["faults"]) for r in results]
    for column, name in (("bot", "bots"), ("total", "totals"), ("rank", "ranks"), ("late_slaps", "late_slaps")):
        assert [seat[column] for seat in seats] == [value for result in results for value in result[name]]


def test_the_tables_of_a_match_agree(run: Path) -> None:
    """Totals of rounds, times of decisions and verdicts of slaps come to what is told of the seats."""
    totals: dict[tuple[int, int], int] = {}
    ended = Counter[tuple[int, int, str]]()
    rounds = exported(run, "rounds")
    best = {(one["id"], one["round"]): one["score"] for one in sorted(rounds, key=lambda one: -one["score"])}
    for row in rounds:
        if not row["playoff"]:
            totals[row["id"], row["seat"]] = row["total"]
        if row["ended"]:
            is_best = row["score"] == best[row["id"], row["round"]]
            outcome = "penalised" if row["score"] > row["raw"] else "won" if is_best else "beaten"
            ended[row["id"], row["seat"], outcome] += 1
    times: dict[tuple[int, int], list[int]] = {}
    knocks = Counter[tuple[int, int]]()
    for row in exported(run, "decisions"):
        knocks[row["id"], row["seat"]] += row["action"] == "knock"
        if row["asked"]:
            times.setdefault((row["id"], row["seat"]), []).append(row["time_us"])
    verdicts = Counter((row["id"], row["seat"], row["verdict"]) for row in exported(run, "slaps"))

    for row in exported(run, "seats"):
        where = row["id"], row["seat"]
        own = times.get(where, [])
        assert row["total"] == totals[where]
        assert row["knocks"] == knocks[where]
        outcomes = [ended[*where, outcome] for outcome in ("won", "penalised", "beaten")]
        assert [row["ends_won"], row["ends_penalised"], row["ends"]] == [*outcomes[:2], sum(outcomes)]
        assert (row["decisions"], row["thinking_us"], row["longest_us"]) == (len(own), sum(own), max(own, default=0))
        slaps = [verdicts[*where, verdict] for verdict in ("right", "wrong", "late")]
        told = [row["slaps_right"], row["slaps_wrong"], row["slaps_after_another"]]
        assert told == (slaps if row["game"] == "cactus" else [None] * 3)


def test_what_was_asked_is_told_as_asked_where_all_of_its_time_was_waived(run: Path, tmp_path: Path) -> None:
    (tmp_path / "run.golfref").write_bytes((run / "run.golfref").read_bytes())
    with closing(sqlite3.connect(tmp_path / "run.golfref")) as store, store:
        for id_, packed in store.execute("SELECT id, record FROM records").fetchall():
            waived = re.sub(rb'"time_us":\d+', b'"time_us":0', zlib.decompress(packed))
            store.execute("UPDATE records SET record = ? WHERE id = ?", (zlib.compress(waived), id_))

    for before, now in zip(exported(run, "decisions"), exported(tmp_path, "decisions"), strict=True):
        assert before["asked"] == now["asked"] == (now["time_us"] is not None)
    for before, now in zip(exported(run, "seats"), exported(tmp_path, "seats"), strict=True):
        assert (now["decisions"], now["thinking_us"]) == (before["decisions"], 0)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 20), min_size=4, max_size=4), st.sets(st.integers(0, 3)))
def test_a_photo_finish_is_where_lots_change_the_order(times: list[int], slapping: set[int]) -> None:
    options = with_options("cactus", {"photo_finish_us": 5}).options
    window = Window(number=1, discarder=9, asks=())
    slaps = {seat: Slap(target=(seat, 0)) for seat in slapping}
    orders = {
        tuple(slap.seat for slap in order_slaps(options, window, slaps, dict(enumerate(times)), lots).slaps)
        for lots in permutations(range(4))
    }

    reactions = [
        Reaction(seat=seat, corrected_us=time, target=(seat, 0) if seat in slapping else None)
        for seat, time in enumerate(times)
    ]
    moved = {seat for seat in slapping if len({order.index(seat) for order in orders}) > 1}
    assert photo_finishes(reactions, 5) == moved


def test_pairs_and_standings_are_those_of_the_tables(run: Path) -> None:
    summary = json.loads(golfref("standings", "run.golfref", "--json", cwd=run)[0])
    rows = {(row["game"], row["bot"]): row for row in exported(run, "standings")}
    pairs = {(row["game"], row["bot"], row["opponent"]): row for row in exported(run, "pairs")}

    tables = {None: summary["standings"], **summary["variants"]}
    assert list(rows) == [(game, row["bot"]) for game, table in tables.items() for row in table]
    same = ["rank", "rank_from", "rank_to", "match_points", "strokes", "reason", "matches", "rounds", "firsts"]
    for game, table in tables.items():
        for row in table:
            told = rows[game, row["bot"]]
            assert [told[name] for name in same] == [row[name] for name in same]
            assert [told["match_points_from"], told["match_points_to"]] == (row["match_points_interval"] or [None] * 2)
            assert {name: told[name] for name in row["faults"]} == row["faults"]
    for game in (None, *GAMES):
        words = () if game is None else ("--variant", game)
        crosstable = json.loads(golfref("standings", "run.golfref", "--json", *words, cwd=run)[0])["crosstable"]
        for bot, opponents in crosstable.items():
            for opponent, met in opponents.items():
                told = pairs.pop((game, bot, opponent))
                assert [told["matches"], told["match_points"]] == [met["matches"], met["match_points"]]
                assert [told["match_points_from"], told["match_points_to"]] == (
                    met["match_points_interval"] or [None] * 2
                )
    assert pairs == {}


# What is out of the standings


def changed(run: Path, folder: Path, *statements: str) -> Path:
    """A copy of the run in which these statements were carried out."""
    (folder / "run.golfref").write_bytes((run / "run.golfref").read_bytes())
    with closing(sqlite3.connect(folder / "run.golfref")) as store, store:
        for statement in statements:
            store.execute(statement)
    return folder


def test_what_is_committed_while_a_table_is_written_is_not_in_it(run: Path, tmp_path: Path) -> None:
    with closing(Store.open(changed(run, tmp_path) / "run.golfref")) as store:
        scope = replace(scope_of(store), until=36)

        assert {row[1] for row in SEATS.rows(store, scope)} == set(range(2, 37))


def test_matches_out_of_the_standings_are_told_where_they_are_asked_for(run: Path, tmp_path: Path) -> None:
    amended = changed(run, tmp_path, "UPDATE places SET number = NULL, dropped_by = 9 WHERE number = 0")

    counting = exported(amended, "seats")
    every = exported(amended, "seats", "--all")
    assert every[3:] == counting
    assert [(row["id"], row["match"]) for row in every[:3]] == [(2, None)] * 3


@pytest.mark.parametrize("table", ["matches", "seats", "rounds", "decisions", "slaps"])
def test_a_damaged_record_is_named(run: Path, tmp_path: Path, table: str) -> None:
    damaged = changed(run, tmp_path, "UPDATE records SET record = x'00' WHERE id = 5")

    _, said = golfref("export", "run.golfref", "--table", table, "-o", "x.csv", cwd=damaged, code=2)
    assert said.startswith("golfref: run.golfref: the record of match #5 is damaged")
    assert [path.name for path in damaged.iterdir()] == ["run.golfref"]


def test_describe_prints_each_column_with_its_type_and_meaning_and_no_meaning_is_left_over(tmp_path: Path) -> None:
    out, _ = golfref("export", "--describe", cwd=tmp_path)

    columns = [(table, column) for table in TABLES for column in TABLES[table].columns]
    described = re.findall(r"^(\w+) \((.*)\)\n  ", out, flags=re.MULTILINE)
    assert described == [(one.name, f"{TYPES[one.kind]}{', or empty' * one.can_be_empty}") for _, one in columns]
    assert meanings.SHARED.keys() <= {one.name for _, one in columns}
    assert {(table, name) for table, own in meanings.OWN.items() for name in own} <= {
        (t, one.name) for t, one in columns
    }
