"""Runs whose plan grows by rounds: what is drawn does not depend on kills, on the order of matches, or on who asks."""

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from forging import ForgedRow, forge
from in_store import BOTS, bot, drawn, findings, go_on, summary
from made_once import made_once

from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.rounds import End, Round
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import plan_now
from referee.tournament.store.store import Store
from referee.tournament.summary import chances_in, standings_in, summary_of
from referee.tournament.verify.run import check_store

KEY = '[tournament]\nname = "run"\nseed = "abc"\n'
SWISS = KEY + 'format = "swiss"\ndeals = 1\nrounds = 2\n'
STAGES = (
    KEY + '[[stages]]\nformat = "swiss"\nrounds = 2\ndeals = 1\nadvance = 4\n'
    '[[stages]]\nformat = "knockout"\ndeals = 1\nlimit = 2\n'
)
CUP = KEY + 'format = "knockout"\ndeals = 1\nlimit = 2\n'
GAME = '[[variants]]\npreset = "six-card"\n'
_NO_RECORD = re.compile(r"match #\d+: .*: the record of match #\d+ is damaged|standings: ")
"""What is found of every match, since nothing was played."""


def write(folder: Path, *bots: str, head: str = SWISS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "run.toml").write_text(head + GAME + "".join(bots or map(bot, BOTS)))
    return folder


def planned(folder: Path) -> list[tuple[int, int]]:
    """By round, how many tables and how many matches are in the plan."""
    with closing(Store.open(folder / "run.golfref")) as store:
        plan = plan_now(store)
    assert plan.grows
    places = [plan.round_of(number) for number in range(len(plan))]
    return [(len(one.tables), places.count(place)) for place, one in enumerate(plan.rounds)]


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
        told = summary_of(store)
        assert sorted(void.attempt for _, void in store.voids()) == sorted([*range(1, ATTEMPTS + 1)] * 2)
    assert (told.planned, told.matches, len(told.unplayed), told.goes_on) == (12, 10, 2, False)
    assert told.end == "all 2 rounds of the Swiss have been played"
    assert told.key is None, "cards are still to be dealt from it"
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
    told = summary(folder)
    assert (told.planned, told.matches, len(told.retired)) == (12, 12, 0)


def test_matches_of_a_former_version_count_for_strength_only(tmp_path: Path) -> None:
    folder = write(tmp_path)
    go_on(folder, matches=6)
    write(folder, *map(bot, BOTS[:-1]), bot("fay", "new"))
    go_on(folder, may_change=True)
    assert findings(folder) == []
    told = summary(folder)
    assert (told.planned, told.matches, len(told.retired)) == (10, 10, 2)
    assert planned(folder) == [(2, 4), (3, 6)]


def forged(played: Path, folder: Path, edit: Callable[[list[ForgedRow]], object]) -> Path:
    """A copy of the run whose rows were changed, with all hashes made anew."""
    run = Path(shutil.copy(played / "run.golfref", folder))
    forge(run, edit)
    return run


def found_in(run: Path) -> list[str]:
    return [finding for finding in check_store(run).findings if not _NO_RECORD.match(finding)]


SECOND = 8
"""The row of the second round, counted from 0."""


def second_round(**changes: object) -> Callable[[list[ForgedRow]], object]:
    """Changes the second round."""
    return lambda rows: rows[SECOND].body["round"].update(changes)


def at_table(variant: str = "six-card", bots: tuple[str, ...] = ("ann", "fay"), deal: int = 0) -> Any:
    """Lets other bots, or the same ones in another game or on another deal, sit at the first table."""
    return second_round(tables=[[variant, bots, deal]])


def put(place: int, kind: str, body: object) -> Callable[[list[ForgedRow]], object]:
    """Puts another row at a place."""
    return lambda rows: rows.__setitem__(place, ForgedRow(kind=kind, body=body))


FORGED: dict[str, tuple[Callable[[list[ForgedRow]], object], str]] = {
    "another table": (at_table(bots=("ann", "dan")), "golfref draws otherwise: tables"),
    "another number": (second_round(number=7), "golfref draws otherwise: number: the run has 7, golfref draws 1"),
    "something that no round has": (second_round(more=1), "(round): golfref writes it otherwise"),
    "an end too early": (
        put(SECOND, "end", {"end": {"reason": "x"}}),
        "the run has `no more rounds: x`; golfref draws `next round: Swiss round 2 of 2`",
    ),
    "a stranger": (at_table(bots=("ann", "zoe")), "a bot sits at a table that does not take part"),
    "another game": (at_table("chess"), "there is no game `chess`"),
    "a deal without end": (at_table(deal=10**18), "a deal has the number 10000"),
    "no round": (put(SECOND, "round", {}), f"row #{SECOND + 1} of its journal is damaged"),
    "bots that cannot take part": (second_round(entered=["zed"]), "bots take part in a stage twice, or were never"),
    "a round drawn too early": (
        lambda rows: rows.insert(SECOND - 1, rows.pop(SECOND)),
        "it was drawn before match 5 had ended",
    ),
    "a round too many": (lambda rows: rows.append(rows[SECOND]), "something is drawn after the end"),
    "a round less": (lambda rows: rows.pop(SECOND), "the plan of then does not have it"),
}
"""What a forger does to the history, and what is found."""


@pytest.mark.parametrize("what", FORGED)
def test_a_round_that_golfref_would_not_have_drawn_is_found(played: Path, tmp_path: Path, what: str) -> None:
    edit, expected = FORGED[what]
    found = found_in(forged(played, tmp_path, edit))
    assert any(expected in finding for finding in found), found


def test_a_run_whose_end_is_not_told_goes_on(played: Path, tmp_path: Path) -> None:
    run = forged(played, tmp_path, lambda rows: rows.pop())
    assert check_store(run).goes_on
    assert (summary(tmp_path).key, summary(tmp_path).end) == (None, None)


def test_nobody_goes_on_with_a_run_whose_rounds_cannot_be_played(played: Path, tmp_path: Path) -> None:
    forged(played, tmp_path, lambda rows: rows.append(rows[1]))
    for bots in (BOTS, BOTS[1:]):
        write(tmp_path, *map(bot, bots))
        with pytest.raises(StoreError, match="no plan follows from its config and its rounds"):
            go_on(tmp_path, may_change=True)


FOREVER: dict[str, tuple[dict[str, object], str]] = {
    "deals": ({"deals": 10**7}, "rounds of up to 60000000 tables; expected 10000000 at most"),
    "rounds": ({"rounds": 10**18}, "1000000000000000000 rounds; expected 10000000 at most"),
    "bots": ({"bots": 5000}, "rounds of 5000 bots; expected 2000 at most"),
}
"""What a hostile config asks for."""


@pytest.mark.parametrize("what", FOREVER)
def test_rounds_that_nobody_could_draw_to_the_end_are_a_finding(played: Path, tmp_path: Path, what: str) -> None:
    changes, expected = FOREVER[what]
    with closing(Store.open(played / "run.golfref")) as store:
        config = msgspec.to_builtins(store.meta().config)
    if isinstance(bots := changes.get("bots"), int):
        changes = {"bots": [config["bots"][0] | {"name": f"bot {number}"} for number in range(bots)]}
    else:
        changes = {"stages": [config["stages"][0] | changes]}
    run = forged(played, tmp_path, lambda rows: rows[0].body["config"].update(changes))
    assert any(expected in finding for finding in found_in(run))


# Stages and knockouts


def test_a_run_of_stages_that_is_killed_again_and_again_is_that_of_one_that_was_not(tmp_path: Path) -> None:
    whole, killed = write(tmp_path / "whole", head=STAGES), write(tmp_path / "killed", head=STAGES)
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
    folder = write(tmp_path, head=CUP)
    go_on(folder, matches=2)
    write(folder, *map(bot, (*BOTS, "gus")), head=CUP)
    with pytest.raises(StoreError, match=r"run\.toml:\d+:1: bots: `gus`: added \(a knockout that has begun takes"):
        go_on(folder, may_change=True)
    first = drawn(folder)[0]
    assert isinstance(first, Round)
    gone, rival = first.tables[0].bots
    again, other = first.tables[1].bots
    write(folder, *(bot(name, "new" if name == again else "") for name in BOTS if name != gone), head=CUP)
    go_on(folder, may_change=True)
    assert findings(folder) == []
    told = summary(folder)
    assert told.end is not None
    assert re.fullmatch(r"\w+ wins the knockout", told.end)
    assert told.standings[0].bot == told.end.split()[0]
    assert rival in told.stages[0].levels[1].bots
    (tie,) = [tie for tie in told.stages[0].levels[0].ties if again in tie.names]
    assert (set(tie.names), tie.deals > 0, tie.rule != "open") == ({again, other}, True, True)


def test_in_a_gauntlet_of_sampled_lineups_only_challengers_are_ranked_and_compared(tmp_path: Path) -> None:
    head = KEY + 'format = "gauntlet"\nchallengers = ["ann", "bob"]\ndeals = 6\nlineups = 4\n'
    write(tmp_path, *map(bot, BOTS), head=head)
    go_on(tmp_path)
    assert {row.bot for row in summary(tmp_path).standings if row.rank is not None} == {"ann", "bob"}
    with closing(Store.open(tmp_path / "run.golfref")) as store:
        assert [{one.bot, one.other} for one in chances_in(store) or ()] == [{"ann", "bob"}]
        assert chances_in(store, ("ann", "cid")) == ()
