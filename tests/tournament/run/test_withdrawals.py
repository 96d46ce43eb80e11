"""What a bot that leaves, or comes too late, means for the others: of whom nobody vanishes from the standings."""

from pathlib import Path

import pytest
from in_store import BOTS, bot, drawn, findings, go_on, summary

from referee.reports.provenance import troubles
from referee.reports.standings_text import tables_of
from referee.reports.verdict import verdict
from referee.tournament.plan.rounds import Round
from referee.tournament.summary import RunSummary

HEAD = '[tournament]\nname = "run"\nseed = "abc"\n'
SWISS = 'format = "swiss"\nrounds = 1\ndeals = 2\n'
LADDER = 'format = "ladder"\nrounds = 3\ndeals = 1\n'
STAGES = f"[[stages]]\n{SWISS}advance = 4\n[[stages]]\ndeals = 1\n"
TABLES_OF_3 = '[[variants]]\npreset = "six-card"\nseats = 3\n'


def write(folder: Path, rules: str, *bots: str, games: str = TABLES_OF_3) -> Path:
    (folder / "run.toml").write_text("".join((HEAD, rules, games, *(bots or map(bot, BOTS)))))
    return folder


def shown(told: RunSummary) -> str:
    """All that is printed of a run."""
    return "\n".join([tables_of(told, 100, full=True), *verdict(told, 100)])


@pytest.mark.parametrize("rules", [SWISS, LADDER, STAGES])
def test_a_withdrawal_takes_nothing_of_what_the_others_played_among_themselves(rules: str, tmp_path: Path) -> None:
    folder = write(tmp_path, rules)
    go_on(folder, matches=11)
    before = summary(folder)
    gone = before.standings[0].bot
    write(folder, rules, *(bot(name) for name in BOTS if name != gone))
    go_on(folder, matches=0, may_change=True)
    after = summary(folder)
    had = {row.bot: (row.matches, row.firsts) for row in before.standings if row.bot != gone}
    has = {row.bot: (row.matches, row.firsts) for row in after.standings}
    assert {name: matches for name, (matches, _) in has.items()} == {
        name: matches for name, (matches, _) in had.items()
    }
    assert all(has[name][1] >= had[name][1] for name in had)
    assert [row.bot for row in after.standings if row.rank] == [row.bot for row in before.standings if row.bot in had]
    assert "    but what the remaining bots of a table played among themselves counts" in troubles(after)
    go_on(folder)
    assert findings(folder) == []


def test_the_rehearsal_says_who_loses_how_many_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = TABLES_OF_3.replace("3", "2")
    folder = write(tmp_path, "deals = 1\n", games=two)
    go_on(folder)
    write(folder, "deals = 1\n", *map(bot, BOTS[1:-1]), bot("fay", "new"), games=two)
    go_on(folder, matches=0, may_change=True)
    said = capsys.readouterr().err
    assert "matches that no longer count: bob 4 of 10, cid 4 of 10, dan 4 of 10, eve 4 of 10, fay 10 of 10" in said


@pytest.mark.parametrize(
    ("lineups", "means"), [("", ", but not for the order in a round-robin stage"), ("lineups = 15\n", "")]
)
def test_the_rehearsal_says_whether_shortened_tables_count_for_the_order_in_a_round_robin_stage(
    lineups: str, means: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = f'[[stages]]\ndeals = 1\n{lineups}advance = 4\n[[stages]]\nformat = "knockout"\ndeals = 1\n'
    folder = write(tmp_path, rules)
    go_on(folder, matches=20)
    write(folder, rules, *map(bot, BOTS[1:]))
    go_on(folder, matches=0, may_change=True)
    assert f"matches that count on among the remaining bots of the table{means}: " in capsys.readouterr().err


def test_a_bot_with_no_match_left_stands_at_the_end_and_is_named(tmp_path: Path) -> None:
    two = TABLES_OF_3.replace("3", "2")
    folder = write(tmp_path, SWISS, games=two)
    go_on(folder)
    first = drawn(folder)[0]
    assert isinstance(first, Round)
    gone, left = first.tables[0].bots
    write(folder, SWISS, *(bot(name) for name in BOTS if name != gone), games=two)
    go_on(folder, may_change=True)
    told = summary(folder)
    assert (told.standings[-1].bot, told.standings[-1].rank, told.standings[-1].matches) == (left, None, 0)
    assert shown(told).count(f"no matches: {left}") == 1
    assert f"No matches: {left}." in shown(told)


@pytest.mark.parametrize(("rules", "where"), [(SWISS, "[tournament]"), (STAGES, "the [[stages]] of stage 1")])
def test_who_comes_after_the_last_round_is_drawn_is_told_that_it_will_not_play_and_what_helps(
    rules: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, rules)
    go_on(folder, matches=5)
    bots = [*map(bot, BOTS[:-1]), bot("fay", "new"), bot("late")]
    write(folder, rules, *bots)
    go_on(folder, may_change=True)
    helps = "rounds = 2 in " + where
    said = capsys.readouterr().err
    assert "note: no match in this run: fay, late (the last round" in said
    assert f"is drawn; {helps} lets them play)" in said
    told = summary(folder)
    assert [row.bot for row in told.standings if not row.matches] == ["fay", "late"]
    assert "No matches: fay and late." in shown(told)
    assert findings(folder) == []


def test_a_further_round_of_a_stage_lets_those_play_who_came_late(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, STAGES)
    go_on(folder, matches=5)
    write(folder, STAGES.replace("rounds = 1", "rounds = 2"), *map(bot, BOTS), bot("gus"), bot("hal"), bot("ivy"))
    go_on(folder, may_change=True)
    said = capsys.readouterr().err
    assert "stages[0].rounds: 1 -> 2" in said
    assert "no match in this run" not in said
    assert all(row.matches for row in summary(folder).standings)
    assert findings(folder) == []
    write(folder, STAGES.replace("rounds = 1", "rounds = 2"), *map(bot, BOTS), bot("gus"), bot("hal"), bot("joe"))
    go_on(folder, may_change=True)
    assert "no match in this run: joe (stage 2 has begun; --fresh begins a run" in capsys.readouterr().err


def test_in_a_ladder_a_version_that_comes_back_after_another_begins_anew(tmp_path: Path) -> None:
    """So nobody hands in copies until one is lucky, and goes back to that one."""
    rules, others = 'format = "ladder"\ndeals = 1\n', [*map(bot, BOTS[1:])]
    folder = write(tmp_path, rules)
    go_on(folder, matches=18)
    had = {row.bot: row.matches for row in summary(folder).standings}
    write(folder, rules, bot("ann", "2"), *others)
    go_on(folder, matches=18, may_change=True)
    write(folder, rules, *others)
    go_on(folder, matches=0, may_change=True)
    write(folder, rules, bot("ann"), *others)
    go_on(folder, matches=0, may_change=True)
    told = summary(folder)
    assert told.standings[-1].bot == "ann"
    assert told.standings[-1].matches == 0
    assert {row.bot: row.matches for row in told.standings}["bob"] >= had["bob"]
    assert told.ratings is not None
    assert sorted(row.bot.partition(" ")[0] for row in told.ratings.former) == ["ann", "ann"]
    go_on(folder, matches=60)
    assert findings(folder) == []
    (ann,) = (row for row in summary(folder).standings if row.bot == "ann")
    assert 0 < ann.matches <= 60


def test_in_a_ladder_a_bot_that_was_away_has_its_matches_again(tmp_path: Path) -> None:
    rules = 'format = "ladder"\ndeals = 1\n'
    folder = write(tmp_path, rules)
    go_on(folder, matches=18)
    before = summary(folder).standings
    write(folder, rules, *map(bot, BOTS[1:]))
    go_on(folder, matches=0, may_change=True)
    write(folder, rules)
    go_on(folder, matches=0, may_change=True)
    assert summary(folder).standings == before
