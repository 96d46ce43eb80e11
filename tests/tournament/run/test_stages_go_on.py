"""Runs of stages and knockouts that are killed, resumed, amended and checked again."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from in_store import go_on

from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import stretches_of
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, standings_in, summary_of
from referee.tournament.verify.course import Course
from referee.tournament.verify.rounds import check_rounds

HEAD = '[tournament]\nname = "run"\nseed = "abc"\n'
STAGES = (
    HEAD + '[[stages]]\nformat = "swiss"\nrounds = 2\ndeals = 1\nadvance = 4\n'
    '[[stages]]\nformat = "knockout"\ndeals = 1\nlimit = 2\n'
)
CUP = HEAD + 'format = "knockout"\ndeals = 1\nlimit = 2\n'
GAME = '[[variants]]\npreset = "six-card"\n'
BOTS = ("ann", "bob", "cid", "dan", "eve", "fay")


def bot(name: str, mode: str = "") -> str:
    """A bot; it is another version with another mode."""
    return f'[[bots]]\nbuiltin = "random"\nname = "{name}"\nenv = {{ MODE = "{mode}" }}\n'


def write(folder: Path, head: str, *bots: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "run.toml").write_text("".join((head, GAME, *(bots or map(bot, BOTS)))))
    return folder


def drawn(folder: Path) -> list[Round | End]:
    with closing(Store.open(folder / "run.golfref")) as store:
        return [one.what for stretch in stretches_of(store) for one in stretch.told]


def findings(folder: Path) -> list[str]:
    """What is wrong with the rounds."""
    with closing(Store.open(folder / "run.golfref")) as store:
        meta = store.meta()
        return list(check_rounds(Course(store, meta), store, bytes.fromhex(meta.master_key)))


def summary(folder: Path) -> RunSummary:
    with closing(Store.open(folder / "run.golfref")) as store:
        return summary_of(store)


def test_a_run_of_stages_that_is_killed_again_and_again_is_that_of_one_that_was_not(tmp_path: Path) -> None:
    whole, killed = write(tmp_path / "whole", STAGES), write(tmp_path / "killed", STAGES)
    go_on(whole)
    go_on(killed, matches=5)
    assert summary(killed).order == "places"
    while not go_on(killed, matches=3).has_ended:
        pass
    assert drawn(killed) == drawn(whole)
    assert findings(killed) == findings(whole) == []
    told = summary(killed)
    assert [(stage.format, stage.is_over) for stage in told.stages] == [("swiss", True), ("knockout", True)]
    assert [level.title for level in told.stages[1].levels] == ["semi-finals", "final"]
    assert [row.rank for row in told.standings] == [1, 2, 3, 3, 5, 6]
    with closing(Store.open(killed / "run.golfref")) as store:
        assert {row.rank for row in standings_in(store, "six-card").overall} == {None}
        assert standings_in(store).overall == told.standings


def test_a_knockout_lets_a_bot_go_and_takes_a_new_version_but_nobody_else(tmp_path: Path) -> None:
    folder = write(tmp_path, CUP)
    go_on(folder, matches=2)
    write(folder, CUP, *map(bot, (*BOTS, "gus")))
    with pytest.raises(StoreError, match=r"run\.toml:\d+:1: bot `gus`: added \(a knockout that has begun takes nobody"):
        go_on(folder, may_change=True)
    first = drawn(folder)[0]
    assert isinstance(first, Round)
    gone, rival = first.tables[0].bots
    again, other = first.tables[1].bots
    write(folder, CUP, *(bot(name, "new" if name == again else "") for name in BOTS if name != gone))
    go_on(folder, may_change=True)
    assert findings(folder) == []
    told = summary(folder)
    assert told.end is not None
    assert re.fullmatch(r"\w+ wins the knockout", told.end)
    assert told.standings[0].bot == told.end.split()[0]
    assert rival in told.stages[0].levels[1].bots
    (tie,) = [tie for tie in told.stages[0].levels[0].ties if again in tie.names]
    assert (set(tie.names), tie.deals > 0, tie.rule != "open") == ({again, other}, True, True)
