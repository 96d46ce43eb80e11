"""The decisions of a run with what each seat knew: they are those of the records, and of runs that have ended."""

import json
from collections import defaultdict
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from at_random import AtRandom
from commands import golfref
from exported import NAMES, made_up_run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from made_once import shared
from needs import need_modules

from protocol.actions import Action
from referee.competition.at_home import fewest_options
from referee.play.talk.retell import Retelling
from referee.research import Env
from referee.research.arguments import without_clock
from referee.research.decisions import decisions
from referee.rules.chance import Recorded
from referee.rules.check_options import in_effect, seat_problem
from referee.rules.record import Given, GivenTogether, NoRecord, Record, read_record, walk
from referee.rules.variants import PRESETS, from_record
from referee.tournament.store.store import Store

pytestmark = pytest.mark.research

Row = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of all games that has ended, with its decisions, and of one that lacks two matches."""
    need_modules("pyarrow", extra="research")

    def make(folder: Path) -> None:
        made_up_run(folder, list(PRESETS), NAMES[2:5])
        (folder / "run.golfref").rename(folder / "ended.golfref")
        golfref("export", "ended.golfref", "--table", "decisions", "--with-cards", "-o", "ended.parquet", cwd=folder)
        made_up_run(folder, ["four-card"], NAMES[2:6], without=2)

    return shared(tmp_path_factory, "decisions", make)


def rows_of(path: Path) -> list[Row]:
    from pyarrow.parquet import read_table

    rows: list[Row] = read_table(path).to_pylist()
    return rows


def records(store: Path) -> dict[int, Record]:
    with closing(Store.open(store)) as open_:
        return {row.id: read_record(data) for row, data in open_.with_records()}


@pytest.fixture(scope="module")
def by_match(run: Path) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows_of(run / "ended.parquet"):
        found[row["id"]].append(row)
    return found


def test_every_match_has_its_rows_and_every_seat_the_lines_that_it_was_sent(
    run: Path, by_match: dict[int, list[Row]]
) -> None:
    for id_, record in records(run / "ended.golfref").items():
        retelling, ends = Retelling(record), dict[int, bytes]()
        for game, move in walk(record):
            for _ in retelling.before(game, move):
                pass
        ends = {delivery.seat: delivery.data for delivery in retelling.after()}
        first = next(retelling_hello(record))
        for seat in range(len(record.seats)):
            sent = [row["lines"] for row in by_match[id_] if row["seat"] == seat and row["step"] == 0]
            whole = first + "".join(line for line in sent if line is not None).encode() + ends[seat]
            assert sha256(whole).hexdigest() == retelling.sent(seat)[1]


def retelling_hello(record: Record) -> Any:
    """The line with which every bot of the match was greeted."""
    for game, move in walk(record):
        for delivery, answer in Retelling(record).before(game, move):
            if answer is None:
                yield delivery.data


def test_codes_masks_and_moves_are_those_of_an_environment(run: Path, by_match: dict[int, list[Row]]) -> None:
    compared = 0
    for id_, record in records(run / "ended.golfref").items():
        variant = from_record(record.preset, record.options)
        if variant.options.slaps:
            continue  # an environment knows no times
        env = Env.of(variant, len(record.seats))
        env._begin(Recorded(record.rounds), b"")
        steps = iter(by_match[id_])
        for action in actions_of(record):
            ask = env.ask
            while env.ask is ask and ask is not None:
                number, row = env.number(action), next(steps)
                assert row["seat"] == env.seat
                assert row["move"] == number
                assert np.flatnonzero(row["mask"]).tolist() == list(env.numbers())
                assert row["codes"] == env.codes().tolist()
                env.step(number)
                compared += 1
        assert next(steps, None) is None
        assert env.seat is None
    assert compared > 1500


def actions_of(record: Record) -> list[Action]:
    moves = [move for move in record.moves if isinstance(move, Given | GivenTogether)]
    return [given.action for move in moves for given in (move.answers if isinstance(move, GivenTogether) else (move,))]


def test_rows_have_the_steps_the_slaps_and_the_results_of_their_matches(
    run: Path, by_match: dict[int, list[Row]]
) -> None:
    steps: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for id_, record in records(run / "ended.golfref").items():
        result = record.result
        for row in by_match[id_]:
            seat = row["seat"]
            steps[id_, row["place"]].append(row)
            assert row["round_score"] == result.rounds[row["round"] - 1].scores[seat]
            assert (row["total"], row["rank"]) == (result.totals[seat], result.ranks[seat])
    slaps = [row for rows in steps.values() for row in rows if row["decision"] == "slap"]
    assert {json.loads(row["action"])["kind"] for row in slaps} <= {"pass", "slap"}
    assert any(row["time_us"] for row in slaps)
    assert all(row["move"] is None or row["mask"][row["move"]] for row in slaps)
    assert max(map(len, steps.values())) > 1, "some actions have several steps"
    for rows in steps.values():
        assert [row["step"] for row in rows] == list(range(len(rows)))
        assert len({row["action"] for row in rows}) == 1


def test_the_file_says_which_game_its_codes_are_of(run: Path, by_match: dict[int, list[Row]]) -> None:
    from pyarrow.parquet import ParquetFile

    games = msgspec.json.decode(ParquetFile(run / "ended.parquet").metadata.metadata[b"golfref"])
    assert set(games) == set(PRESETS)
    for rows in by_match.values():
        (game,) = games[rows[0]["game"]]
        env = Env(game["preset"], game["seats"], **game["options"])
        assert (len(rows[0]["codes"]), len(rows[0]["mask"])) == (game["codes"], game["moves"])
        assert (env.codec.code_count, env.codec.size) == (game["codes"], game["moves"])


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=5)
def test_the_options_of_the_file_make_the_game_again(preset: str, data: st.DataObject) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    recorded = from_record(preset, msgspec.to_builtins(variant.options))
    options = msgspec.json.decode(msgspec.json.encode(fewest_options(without_clock(recorded))))
    made, meant = Env(preset, seats, **options).variant, without_clock(variant)
    assert in_effect(made.options) == in_effect(meant.options)
    assert (made.rows, made.play, made.seats) == (meant.rows, meant.play, meant.seats)


def test_a_run_that_has_not_ended_has_the_decisions_so_far(run: Path, tmp_path: Path) -> None:
    with closing(Store.open(run / "run.golfref")) as store:
        played = set(store.ids())
    count = decisions(run / "run.golfref", tmp_path / "some.parquet")
    rows = rows_of(tmp_path / "some.parquet")
    assert {row["id"] for row in rows} == played
    assert count == len(rows)


def test_one_game_can_be_had_and_another_is_named(run: Path, tmp_path: Path) -> None:
    count = decisions(run / "ended.golfref", tmp_path / "powers.parquet", game="powers")
    rows = rows_of(tmp_path / "powers.parquet")
    assert {row["game"] for row in rows} == {"powers"}
    assert len(rows) == count
    with pytest.raises(NoRecord, match="has no matches of 'chess'; it has those of cactus, cambio, "):
        decisions(run / "ended.golfref", tmp_path / "chess.parquet", game="chess")
    assert not (tmp_path / "chess.parquet").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["seats", "-o", "x.parquet"], "--with-cards is for --table decisions and Parquet"),
        (["decisions", "-o", "x.csv"], "--with-cards is for --table decisions and Parquet"),
        (["decisions", "-o", "x.parquet", "--all"], "leave out --all"),
        (["decisions", "-o", "ended.parquet"], "exists already"),
    ],
)
def test_what_does_not_go_with_cards_is_said(run: Path, words: list[str], said: str) -> None:
    assert said in golfref("export", "ended.golfref", "--with-cards", "--table", *words, cwd=run, code=2)[1]
