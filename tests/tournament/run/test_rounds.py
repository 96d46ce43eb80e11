"""Runs whose plan grows by rounds: what is drawn does not depend on kills, on the order of matches, or on who asks."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import golfref
from in_store import go_on
from made_once import made_once

from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.growing import GrowingPlan
from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import plan_now, stretches_of
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.verify.course import Course
from referee.tournament.verify.rounds import check_rounds
from referee.tournament.verify.run import check_store

HEAD = """
[tournament]
name = "run"
seed = "abc"
format = "swiss"
deals = 1
rounds = {rounds}
[[variants]]
preset = "six-card"
"""
BOTS = ("ann", "bob", "cid", "dan", "eve", "fay")


_NO_RECORD = re.compile(r"match #\d+: .*: the record of match #\d+ is damaged|standings: ")
"""What is found of every match, since nothing was played."""


def bot(name: str, mode: str = "") -> str:
    """A bot; it is another version with another mode."""
    return f'[[bots]]\nbuiltin = "random"\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


def write(folder: Path, *bots: str, rounds: int = 2, head: str = HEAD) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "run.toml").write_text(head.format(rounds=rounds) + "".join(bots or map(bot, BOTS)))
    return folder


def drawn(folder: Path) -> list[Round | End]:
    with closing(Store.open(folder / "run.golfref")) as store:
        return [one.what for stretch in stretches_of(store) for one in stretch.told]


def planned(folder: Path) -> list[tuple[int, int]]:
    """By round, how many tables and how many matches are in the plan."""
    with closing(Store.open(folder / "run.golfref")) as store:
        plan = plan_now(store)
    assert isinstance(plan, GrowingPlan)
    places = [plan.round_of(number) for number in range(len(plan))]
    return [(len(one.tables), places.count(place)) for place, one in enumerate(plan.rounds)]


def findings(folder: Path) -> list[str]:
    """What is wrong with the rounds."""
    with closing(Store.open(folder / "run.golfref")) as store:
        meta = store.meta()
        return list(check_rounds(Course(store, meta), store, bytes.fromhex(meta.master_key)))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing befell."""
    return made_once(tmp_path_factory, "undisturbed", lambda folder: go_on(write(folder)))


def test_a_run_that_is_killed_after_every_match_draws_the_same_rounds(played: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "killed")
    lines: list[str] = []
    while not go_on(folder, matches=1).has_ended:
        with closing(Store.open(folder / "run.golfref")) as store:
            before, lines = lines, list(store.lines())
        assert lines[: len(before)] == before, "rows are only added, so what was published stays its beginning"
    assert [*map(type, drawn(folder))] == [Round, Round, End]
    assert drawn(folder) == drawn(played)
    assert findings(folder) == findings(played) == []


def test_the_order_in_which_matches_end_does_not_matter(played: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "crowded")
    go_on(folder, at_once=5, dice=Random(3))  # noqa: S311 - an order that can be told again
    assert drawn(folder) == drawn(played)
    assert findings(folder) == []


def test_matches_that_are_given_up_do_not_hold_up_the_next_round(tmp_path: Path) -> None:
    folder = write(tmp_path)
    go_on(folder, matches=0)
    (first,) = drawn(folder)
    assert isinstance(first, Round)
    go_on(folder, spoiled=[frozenset(first.tables[0].bots)])
    with closing(Store.open(folder / "run.golfref")) as store:
        summary = summary_of(store)
        assert [void.attempt for void in store.voids()] == [*range(1, ATTEMPTS + 1)] * 2
    assert (summary.planned, summary.matches, len(summary.unplayed), summary.goes_on) == (12, 10, 2, False)
    assert summary.end == "all 2 rounds of the Swiss have been played"
    assert summary.key is None, "cards are still to be dealt from it"
    assert findings(folder) == []

    before = drawn(folder)
    go_on(folder)
    with closing(Store.open(folder / "run.golfref")) as store:
        assert summary_of(store).key == store.meta().master_key
    assert drawn(folder) == before
    assert findings(folder) == []


def test_a_bot_that_is_withdrawn_takes_its_tables_along_and_brings_them_back(tmp_path: Path) -> None:
    folder = write(tmp_path)
    go_on(folder, matches=8)
    assert planned(folder) == [(3, 6), (3, 6)]
    write(folder, *map(bot, BOTS[:-1]))
    with pytest.raises(StoreError, match="bot `fay`: withdrawn"):
        go_on(folder)
    go_on(folder, may_change=True)
    assert planned(folder) == [(2, 4), (2, 4)]
    assert findings(folder) == []

    write(folder)
    go_on(folder, may_change=True)
    assert planned(folder) == [(3, 6), (3, 6)]
    assert findings(folder) == []
    with closing(Store.open(folder / "run.golfref")) as store:
        summary = summary_of(store)
    assert (summary.planned, summary.matches, len(summary.retired)) == (12, 12, 0)


def test_matches_of_a_former_version_count_for_strength_only(tmp_path: Path) -> None:
    folder = write(tmp_path)
    go_on(folder, matches=6)
    write(folder, *map(bot, BOTS[:-1]), bot("fay", "new"))
    go_on(folder, may_change=True)
    assert findings(folder) == []
    with closing(Store.open(folder / "run.golfref")) as store:
        summary = summary_of(store)
    assert (summary.planned, summary.matches, len(summary.retired)) == (10, 10, 2)
    assert planned(folder) == [(2, 4), (3, 6)]


Lines = list[str]


def edit(**changes: object) -> Callable[[dict[int, Lines]], None]:
    """Changes the second round."""

    def change(told: dict[int, Lines]) -> None:
        told[2][1] = json.dumps(json.loads(told[2][1]) | changes)

    return change


def at_table(variant: str = "six-card", bots: tuple[str, ...] = ("ann", "fay"), deal: object = 0) -> Any:
    """Lets other bots, or the same ones in another game or on another deal, sit at the first table."""
    return edit(tables=[[variant, bots, deal]])


def swap(told: dict[int, Lines]) -> None:
    told[1], told[2] = told[2], told[1]


def say(number: int, *lines: str) -> Callable[[dict[int, Lines]], None]:
    return lambda told: told.update({number: [*lines]})


FORGED: dict[str, tuple[Callable[[dict[int, Lines]], None], str]] = {
    "another table": (at_table(bots=("ann", "dan")), "golfref draws otherwise: tables"),
    "another deal": (at_table(deal=5), "golfref draws otherwise: tables"),
    "another title": (edit(title="x"), "it tells in other words what was drawn"),
    "another number": (edit(number=7), "golfref draws otherwise: number: the run has 7, golfref draws 1"),
    "something that no round has": (edit(more=1), "it tells in other words what was drawn"),
    "an end too early": (
        say(2, "no more rounds: x", '{"reason":"x"}'),
        "the run has `no more rounds: x`; golfref draws `next round: Swiss round 2 of 2`",
    ),
    "another end": (
        say(3, "no more rounds: x", '{"reason":"x"}'),
        "golfref draws `no more rounds: all 2 rounds of the Swiss have been played`",
    ),
    "rounds in another order": (swap, "event #1: golfref draws otherwise: number"),
    "a stranger": (at_table(bots=("ann", "zoe")), "a bot sits at a table that does not take part"),
    "another game": (at_table("chess"), "there is no game `chess`"),
    "a deal without end": (at_table(deal=10**18), "a deal has the number 1000000000000000000"),
    "a deal that is none": (at_table(deal="x"), "event #2 tells a round that is damaged"),
    "no round": (say(2, "next round: x", "{"), "event #2 tells a round that is damaged"),
    "a deep round": (say(2, "next round: x", "[" * 5000), "event #2 tells a round that is damaged"),
    "a round that is not told": (say(2, "next round: x"), "golfref never tells this: next round: x"),
}
"""What a forger does to the lines of the history, and what is found."""


def found_in(run: Path) -> list[str]:
    return [finding for finding in check_store(run).findings if not _NO_RECORD.match(finding)]


@pytest.mark.parametrize("forged", FORGED)
def test_a_round_that_golfref_would_not_have_drawn_is_found(played: Path, tmp_path: Path, forged: str) -> None:
    run = Path(shutil.copy(played / "run.golfref", tmp_path))
    change, expected = FORGED[forged]
    with closing(sqlite3.connect(run)) as connection, connection:
        told = {id_: json.loads(lines) for id_, lines in connection.execute("SELECT id, lines FROM history")}
        change(told)
        connection.executemany(
            "UPDATE history SET lines = ? WHERE id = ?", [(json.dumps(lines), id_) for id_, lines in told.items()]
        )
    found = found_in(run)
    assert any(expected in finding for finding in found), found


OUT_OF_PLACE = {
    "a round that was drawn too early": ("UPDATE history SET after = 5 WHERE id = 2", "event #2: it was drawn before"),
    "a round too many": (
        "INSERT INTO history SELECT NULL, 12, replace(lines, ',0]', ',1]'), NULL FROM history WHERE id = 2",
        "event #4: something is drawn after the end",
    ),
    "a round less": ("DELETE FROM history WHERE id = 2", "was committed before any round had it"),
}
"""What a forger does to the rows of the history, and what is found."""


@pytest.mark.parametrize("forged", OUT_OF_PLACE)
def test_a_round_that_came_at_another_time_is_found(played: Path, tmp_path: Path, forged: str) -> None:
    run = Path(shutil.copy(played / "run.golfref", tmp_path))
    statement, expected = OUT_OF_PLACE[forged]
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute(statement)
    found = found_in(run)
    assert any(expected in finding for finding in found), found


def test_a_run_whose_end_is_not_told_goes_on(played: Path, tmp_path: Path) -> None:
    run = Path(shutil.copy(played / "run.golfref", tmp_path))
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute("DELETE FROM history WHERE id = 3")
    assert check_store(run).goes_on
    with closing(Store.open(run)) as store:
        assert (summary_of(store).key, summary_of(store).end) == (None, None)


@pytest.mark.parametrize("entered", [["zed"], ["ann", "ann"]], ids=["unknown", "twice"])
def test_a_round_of_bots_that_cannot_take_part_is_a_finding(played: Path, tmp_path: Path, entered: list[str]) -> None:
    run = Path(shutil.copy(played / "run.golfref", tmp_path))
    with closing(sqlite3.connect(run)) as connection, connection:
        ((text,),) = connection.execute("SELECT lines FROM history WHERE id = 1")
        words, told = json.loads(text)
        lines = [words, json.dumps(json.loads(told) | {"entered": entered})]
        connection.execute("UPDATE history SET lines = ? WHERE id = 1", (json.dumps(lines),))
    assert any("event #1: a round is damaged" in finding for finding in found_in(run))
    with closing(Store.open(run)) as store, pytest.raises(StoreError, match="event #1: a round is damaged"):
        summary_of(store)


IMPOSSIBLE: dict[str, dict[str, object]] = {
    "standings": {"format": "knockout", "advance": 2},
    "compare": {"format": "adaptive", "rounds": -1},
}
"""By command, a config that no run can have, with which it would come to no end or break off."""


@pytest.mark.parametrize("command", IMPOSSIBLE)
def test_a_config_that_no_run_can_have_breaks_no_command(played: Path, tmp_path: Path, command: str) -> None:
    run = Path(shutil.copy(played / "run.golfref", tmp_path))
    with closing(sqlite3.connect(run)) as connection, connection:
        ((text,),) = connection.execute("SELECT value FROM meta WHERE key = 'facts'")
        changed = json.dumps(json.loads(text) | IMPOSSIBLE[command])
        connection.execute("UPDATE meta SET value = ? WHERE key = 'facts'", (changed,))
    assert found_in(run)
    golfref(command, run, cwd=tmp_path, code=2)


def test_nobody_goes_on_with_a_run_whose_rounds_cannot_be_played(played: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(played, tmp_path / "run")
    with closing(sqlite3.connect(folder / "run.golfref")) as connection, connection:
        connection.execute("INSERT INTO history SELECT NULL, after, lines, facts FROM history WHERE id = 1")
    for bots in (BOTS, BOTS[1:]):
        write(folder, *map(bot, bots))
        with pytest.raises(StoreError, match="no plan follows from its config and its rounds"):
            go_on(folder, may_change=True)


FOREVER: dict[str, tuple[dict[str, object], str]] = {
    "deals": ({"deals": 10**7}, "rounds of up to 60000000 tables; expected 10000000 at most"),
    "rounds": ({"rounds": 10**18}, "1000000000000000000 rounds; expected 10000000 at most"),
    "bots": ({"bots": 5000}, "rounds of 5000 bots; expected 2000 at most"),
    "line-ups": ({"format": "adaptive", "bots": 100, "seats": 10}, "rounds of up to 17310309456440 tables"),
}
"""What a hostile config asks for."""


@pytest.mark.parametrize("what", FOREVER)
def test_rounds_that_nobody_could_draw_to_the_end_are_a_finding(played: Path, tmp_path: Path, what: str) -> None:
    run = Path(shutil.copy(played / "run.golfref", tmp_path))
    changes, expected = FOREVER[what]
    with closing(sqlite3.connect(run)) as connection, connection:
        ((text,),) = connection.execute("SELECT value FROM meta WHERE key = 'facts'")
        facts = json.loads(text)
        if isinstance(bots := changes.get("bots"), int):
            changes = changes | {"bots": [facts["bots"][0] | {"name": f"bot {number}"} for number in range(bots)]}
        facts["variants"][0]["seats"] = changes.get("seats", 2)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'facts'", (json.dumps(facts | changes),))
    assert any(expected in finding for finding in found_in(run))
