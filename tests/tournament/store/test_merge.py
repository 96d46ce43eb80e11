"""Shards that nobody played in processes are merged: what fits comes out as one run, and what does not is refused."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
from commands import golfref
from forging import change, forge
from in_store import Silent, history_findings, result_of
from msgspec.structs import replace

from referee import __version__
from referee.commands.runs.standings import StandingsOptions, standings
from referee.commands.tournament.prepare import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import Spoiled
from referee.tournament.plan.shards import Shard
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.run.this_host import NAME
from referee.tournament.store import merge as merging
from referee.tournament.store.disk import StoreError, locked
from referee.tournament.store.merge import merge
from referee.tournament.store.plans import plan_now
from referee.tournament.store.store import Store
from referee.tournament.store.words import history_of
from referee.tournament.summary import summary_of

CONFIG = """
[tournament]
name = "shards"
seats = 3
deals = 1
rotations = "{rotations}"

[[variants]]
preset = "cactus"

[[variants]]
preset = "six-card"
"""
NAMES = ("ann", "bob", "cid", "dan")
BOTS = "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in NAMES)
KEY = bytes(range(32))
MATCHES = 2 * 4 * 3


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(CONFIG.format(rotations="same") + BOTS)
    return path


def play(
    config: Path,
    name: str,
    shard: str = "",
    *,
    key: bytes = KEY,
    most: int | None = None,
    spoils: float = 0.0,
) -> Path:
    """Play some matches of a shard, or of all, into a store of this name, beginning it or going on with it."""
    path = config.with_name(name)
    part = Shard(number=int(shard[0]), of=int(shard[2])) if shard else None
    prepared = prepare(replace(load(config), shard=part, key=key), path, fresh=False, may_change=False)
    dice = Random(name)  # noqa: S311

    async def go_on(dispatcher: Dispatcher) -> None:
        left = most
        while left != 0 and (job := await dispatcher.next()) is not None:
            for planned_match in job.matches[:left]:
                left = None if left is None else left - 1
                spoiled = Spoiled(number=planned_match.number, reason="a cable was pulled")
                await dispatcher.report(spoiled if dice.random() < spoils else result_of(planned_match, NAMES))

    with locked(path) as lock, closing(open_store(prepared, lock)) as store:
        trio.run(go_on, prepared.run(store, Silent()).dispatcher())
    return path


def three(config: Path, **how: Any) -> list[Path]:
    return [play(config, f"{number}.golfref", f"{number}/3", **how) for number in (1, 2, 3)]


def results(path: Path) -> dict[Any, Any]:
    """By place of a match what came of it."""
    with closing(Store.open(path)) as store:
        return {row.identity.place: (row.number, row.result.ranks, row.result.redeals) for row in store.matches()}


def findings(path: Path) -> list[str]:
    """What is wrong with a run, apart from its records, which nobody made."""
    with closing(Store.open(path)) as store:
        assert store.meta().matches == len(plan_now(store))
        return history_findings(store)


def test_shards_come_to_the_same_as_one_run_with_the_same_key(config: Path) -> None:
    alone, whole = play(config, "alone.golfref"), config.with_name("whole.golfref")
    merged = merge(three(config), whole)
    assert (merged.matches, merged.planned, merged.missing) == (MATCHES, MATCHES, ())
    assert results(whole) == results(alone)
    with closing(Store.open(whole)) as one, closing(Store.open(alone)) as other:
        mine, theirs = summary_of(one), summary_of(other)
        assert mine.standings == theirs.standings
        assert (mine.commitment, mine.key) == (theirs.commitment, theirs.key) != (theirs.commitment, None)
        assert one.meta().config == other.meta().config
    assert findings(whole) == []


def test_no_shard_shows_the_key_however_complete_it_is(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in three(config):
        with closing(Store.open(path)) as store:
            assert len(store.numbers()) == len(plan_now(store))
            summary = summary_of(store)
            assert summary.key is None
        options = StandingsOptions(run=path, as_json=True)
        assert standings(options) == 0
        assert KEY.hex() not in capsys.readouterr().out


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_voids_redeals_and_history_stay_in_order(config: Path, rotations: str) -> None:
    config.write_text(CONFIG.format(rotations=rotations) + BOTS)
    paths = [
        play(config, "1.golfref", "1/3", spoils=0.3),
        play(config, "2.golfref", "2/3", spoils=0.3),
        play(config, "3.golfref", "3/3"),
    ]
    whole = config.with_name("whole.golfref")
    merge(paths, whole)
    assert findings(whole) == []
    voids = []
    for path in paths:
        with closing(Store.open(path)) as store:
            voids += [(void.bots, void.attempt, void.reason) for _, void in store.voids()]
            assert (len(list(store.voids())) > 0) == (path.name != "3.golfref")
    with closing(Store.open(whole)) as store:
        hosts = store.hosts()
        assert [(void.bots, void.attempt, void.reason) for _, void in store.voids()] == voids
        assert all(void.host in hosts for _, void in store.voids())
        assert [event.lines[0].partition(",")[0] for event in history_of(store)] == [
            *(f"what follows was played as shard {number}/3" for number in (1, 2, 3)),
            "what follows was played after the shards had been put together",
        ]
        assert any(match.result.redeals for match in store.matches()) == (rotations == "fresh")


def test_a_row_of_a_shard_that_was_changed_after_the_merge_is_found(config: Path) -> None:
    """Though all hashes of the merged run were made anew: it keeps the last hash of each shard."""
    whole = config.with_name("whole.golfref")
    merge(three(config), whole)
    forge(whole, lambda rows: rows[5].body.update(late_slaps=[1, 0, 0]))
    assert any("the rows before it are not those that the shard had" in finding for finding in findings(whole))


def test_a_run_that_lacks_a_shard_can_be_resumed(config: Path) -> None:
    one, two, _ = three(config)
    whole = config.with_name("whole.golfref")
    merged = merge([two, one], whole)
    assert merged.missing == (Shard(number=3, of=3),)
    assert merged.matches < MATCHES
    play(config, "whole.golfref")
    assert results(whole) == results(play(config, "alone.golfref"))
    assert findings(whole) == []


def test_the_merged_run_tells_where_each_match_was_played(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for number in (1, 2, 3):
        monkeypatch.setenv(NAME, f"lab{number}")
        paths.append(play(config, f"{number}.golfref", f"{number}/3"))
    whole = config.with_name("whole.golfref")
    merged = merge(paths, whole)
    assert [part.hosts for part in merged.parts] == [("lab1",), ("lab2",), ("lab3",)]
    places = [set(results(path)) for path in paths]
    with closing(Store.open(whole)) as store:
        for match in store.matches():
            (number,) = (number for number, there in enumerate(places, 1) if match.identity.place in there)
            assert store.hosts()[match.host or 0].name == f"lab{number}"


def test_a_store_that_is_given_twice_counts_once(config: Path) -> None:
    paths = three(config)
    older = config.with_name("older.golfref")
    play(config, "older.golfref", "2/3", most=5)
    older.unlink()
    with closing(Store.open(paths[1])) as store:
        store.copy_to(older)
    whole = config.with_name("whole.golfref")
    merged = merge([paths[0], older, *paths[1:], paths[0]], whole)
    assert len(merged.copies) == 2
    assert {path.name for path, _ in merged.copies} <= {"older.golfref", "1.golfref", "2.golfref"}
    assert merged.matches == MATCHES
    assert findings(whole) == []


def refused(paths: list[Path], *, out: str = "whole.golfref") -> str:
    """Why these cannot be merged. Nothing is written."""
    before = sorted(os.listdir(paths[0].parent))
    with pytest.raises(StoreError) as why:
        merge(paths, paths[0].with_name(out))
    assert sorted(os.listdir(paths[0].parent)) == before
    return str(why.value)


def test_the_same_match_with_two_results_is_refused_by_its_number(config: Path) -> None:
    one, two, three_ = three(config)
    other = config.with_name("other.golfref")
    with closing(Store.open(two)) as store:
        store.copy_to(other)
    with closing(Store.open(other)) as store:
        id_ = store.planned(4).id
    forge(other, lambda rows: rows[id_ - 1].body.update(record_hash="0" * 64))
    why = refused([one, two, other, three_])
    assert "are both shard 2/3, and match 4 (" in why
    assert "has another result in each" in why


def other_config(change: Callable[[str], str]) -> Callable[[Path], Path]:
    def played(config: Path) -> Path:
        text = config.read_text()
        config.write_text(change(text))
        path = play(config, "2.golfref", "2/3")
        config.write_text(text)
        return path

    return played


def other_beginning(**what: object) -> Callable[[Path], Path]:
    def played(config: Path) -> Path:
        path = play(config, "2.golfref", "2/3")
        forge(path, lambda rows: rows[0].body.update(what))
        return path

    return played


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (other_config(lambda text: text.replace("deals = 1", "deals = 4")), "another config:\n  deals: 1 -> 4"),
        (other_config(lambda text: text.replace("random", "greedy", 1)), "another config:\n  bot `ann`: replaced"),
        (lambda config: play(config, "2.golfref", "2/3", key=bytes(32)), "it has another master key"),
        (lambda config: play(config, "2.golfref", "2/4"), "it is shard 2/4, and that is shard 1/3"),
        (lambda config: play(config, "2.golfref"), "2.golfref is no shard of a run, but all of one"),
        (other_beginning(protocol="2.0"), "it was played with protocol 2.0"),
        (
            other_beginning(golfref="99.1.0"),
            f"it was played with golfref 99.1, and that with golfref {__version__.rpartition('.')[0]}",
        ),
        (other_beginning(commitment="0" * 64), "2.golfref: the master key does not match the commitment"),
        (lambda config: config, "not a golfref store"),
        (lambda config: config.with_name("none.golfref"), "no such store"),
    ],
)
def test_what_does_not_fit_is_refused_by_file_and_field(
    config: Path, second: Callable[[Path], Path], told: str
) -> None:
    first = play(config, "1.golfref", "1/3", most=1)
    assert told in refused([first, second(config)])


def test_a_match_that_the_shard_does_not_have_is_refused_by_its_id(config: Path) -> None:
    path = play(config, "1.golfref", "1/3", most=6)
    change(path, "UPDATE journal SET body = json_set(body, '$.deal', 7) WHERE id = 4")
    assert "1.golfref: match #4 is not one that the plan of the shard has" in refused([path])


def test_a_run_that_is_there_is_not_replaced(config: Path) -> None:
    path = play(config, "1.golfref", "1/3", most=1)
    (config.parent / "whole.golfref").write_text("something else")
    assert "whole.golfref exists already" in refused([path])
    said = golfref("merge", path, "-o", "whole.golfref", cwd=config.parent, code=2)[1]
    assert "exists already" in said
    assert (config.parent / "whole.golfref").read_text() == "something else"


def test_a_merge_that_is_killed_leaves_no_run(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it leaves is beside it, and does not keep the next merge from its work."""
    path, whole = play(config, "1.golfref", "1/1"), config.with_name("whole.golfref")
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(merging, "Merged", lambda: os._exit(9))
        merge([path], whole)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not whole.exists()
    assert whole.with_name("whole.golfref.new").exists()
    merge([path], whole)
    assert len(results(whole)) == MATCHES
    assert not whole.with_name("whole.golfref.new").exists()
