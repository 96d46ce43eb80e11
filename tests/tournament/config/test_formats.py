"""What the config file can say of formats, and how its mistakes are told."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from referee.tournament.config.changes import placed
from referee.tournament.config.config import Config, ConfigError, load
from referee.tournament.plan.rounds import Entrant, StageRules, StopRules
from referee.tournament.store.facts import Facts, config_differences, config_facts, field_of, plan_of

HEAD = '[tournament]\nname = "demo"\nisolation = "none"\n'
GAME = '[[variants]]\npreset = "six-card"\n'
FOUR = '[[variants]]\npreset = "six-card"\nseats = 4\n'


def bots(names: Sequence[str]) -> str:
    return "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "greedy"\n' for name in names)


EIGHT = bots("abcdefgh")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is empty."""
    monkeypatch.chdir(tmp_path)


def loaded(*parts: str) -> Config:
    Path("c.toml").write_text("".join(parts), encoding="utf-8")
    return load("c.toml")


def problems(*parts: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        loaded(*parts)
    return [line.removeprefix("c.toml:") for line in caught.value.lines]


# What a config can say


def test_a_config_that_says_nothing_of_formats_is_a_round_robin() -> None:
    config = loaded(HEAD, GAME, EIGHT)
    facts = config_facts(config)
    assert facts.stage_rules == (StageRules(format="round-robin", deals=20),)
    assert facts.is_fixed
    field = field_of(facts, b"key")
    assert field.bots[0] == Entrant(name="a", owner="")
    assert (field.stop, field.apart, [planned.seats for planned in field.variants]) == (None, False, [2])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('format = "gauntlet"\nchallengers = ["a"]\n', StageRules(format="gauntlet", deals=20, challengers=("a",))),
        ('format = "swiss"\nrounds = 5\n', StageRules(format="swiss", deals=4, rounds=5)),
        ('format = "knockout"\n', StageRules(format="knockout", deals=4, advance=1, limit=40)),
        ('format = "knockout"\ndeals = 2\nlimit = 3\n', StageRules(format="knockout", deals=2, advance=1, limit=3)),
        ('format = "ladder"\n', StageRules(format="ladder", deals=2)),
        ('format = "adaptive"\ndeals = 6\n', StageRules(format="adaptive", deals=6)),
    ],
)
def test_each_format_has_its_keys_and_its_usual_deals(lines: str, expected: StageRules) -> None:
    config = loaded(HEAD, lines, GAME, EIGHT)
    assert config_facts(config).stage_rules == (expected,)


def test_stages_stand_in_tables_of_their_own() -> None:
    config = loaded(
        HEAD,
        '[[stages]]\nformat = "swiss"\nrounds = 3\nadvance = 4\n[[stages]]\nformat = "knockout"\n',
        GAME,
        EIGHT,
    )
    facts = config_facts(config)
    assert facts.stage_rules == (
        StageRules(format="swiss", deals=4, rounds=3, advance=4),
        StageRules(format="knockout", deals=4, advance=1, limit=40),
    )
    assert not facts.is_fixed


def test_when_it_stops_stands_in_a_table_of_its_own() -> None:
    config = loaded(HEAD, 'same_owner = "apart"\nanchor = "b"\n[stop]\nwhen = "top 3"\nprecision = 0.02\n', GAME, EIGHT)
    facts = config_facts(config)
    assert field_of(facts, b"key").stop == StopRules(when="top 3", precision=0.02)
    assert (field_of(facts, b"key").apart, facts.anchor, facts.is_fixed) == (True, "b", False)


# What is wrong


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            'format = "gauntlet"\nchallengers = ["x"]\n',
            "5:16: tournament.challengers[0]: there is no bot `x`; the bots",
        ),
        ('format = "gauntlet"\nchallengers = ["a", "a"]\n', "5:21: tournament.challengers[1]: `a` stands here twice"),
        ('format = "gauntlet"\n', '4:10: tournament.format: a gauntlet needs `challengers = ["NAME"]`'),
        ('challengers = ["a"]\n', "4:1: tournament.challengers: a round-robin has no use for `challengers`; formats"),
        ('anchor = "x"\n', "4:10: tournament.anchor: there is no bot `x`; the bots are a, b, c"),
        ('format = "swiss"\nlineups = 4\n', "5:1: tournament.lineups: a swiss has no use for `lineups`; formats that"),
        ("rounds = 4\n", "4:1: tournament.rounds: a round-robin has no use for `rounds`; formats that have it: swiss"),
        ('format = "knockout"\nlimit = 3\n', "5:9: tournament.limit: a tie plays 4 deals before it can be settled"),
        ('format = "knockout"\nadvance = 2\n', "5:11: tournament.advance: the winners of some tables of 2 must"),
        ('format = "swiss"\nrank_by = "strokes"\n', "5:11: tournament.rank_by: a swiss orders bots by whom they beat"),
        ('rank_by = "strokes"\n[stop]\nwhen = "all"\n', "4:11: tournament.rank_by: [stop] looks at match points"),
        ("[stop]\n", "4:1: stop: expected `when` or `precision`"),
        ('[stop]\nwhen = "best"\n', '5:8: stop.when: expected "all" or "top N", such as "top 3", got "best"'),
        ('[stop]\nwhen = "top 8"\n', '5:8: stop.when: expected "all", or "top N" with N from 1 to 7, since 8 bots'),
        ('[stop]\nwhen = "all"\ndifference = 1\n', "6:14: stop.difference: expected match points from 0 to below 1"),
        ("[stop]\nprecision = 0\n", "5:13: stop.precision: expected match points above 0, at most 0.5, got 0"),
        ("[stop]\nprecision = 0.1\ndifference = 0.1\n", "6:1: stop.difference: goes with `when` only"),
        ('format = "swiss"\n[stop]\nwhen = "all"\n', "5:1: stop: a swiss has no use for [stop]; formats that have it"),
        (
            'format = "gauntlet"\nchallengers = ["a"]\n[stop]\nwhen = "all"\n',
            "7:8: stop.when: one bot is ranked, which leaves no order to find",
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(lines: str, expected: str) -> None:
    (problem,) = problems(HEAD, lines, GAME, EIGHT)
    assert problem.startswith(expected)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('format = "swiss"\n', "4:10: tournament.format: a swiss with tables of 4 needs 5 bots or more, but there are"),
        (
            'format = "gauntlet"\nchallengers = ["a", "b"]\n',
            "5:15: tournament.challengers: each table has one challenger and 3 of the other bots, of which there are 2",
        ),
        (
            'format = "knockout"\nadvance = 3\n',
            "5:11: tournament.advance: the winners of some tables of 4 must fill the next, so expected 1 or 2, got 3",
        ),
    ],
)
def test_bots_must_be_enough_for_the_tables(lines: str, expected: str) -> None:
    (problem,) = problems(HEAD, lines, FOUR, bots("abcd"))
    assert problem.startswith(expected)


def test_a_knockout_has_as_many_seats_in_every_variant() -> None:
    (problem,) = problems(HEAD, 'format = "knockout"\n', GAME, FOUR, 'name = "big"\n', EIGHT)
    assert "all need as many seats, but `six-card` has 2, `big` has 4" in problem


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            'deals = 3\n[[stages]]\nadvance = 4\n[[stages]]\nformat = "knockout"\n',
            "4:1: tournament.deals: does not go with [[stages]]: each of them says that itself",
        ),
        (
            '[stop]\nwhen = "all"\n[[stages]]\nadvance = 4\n[[stages]]\nformat = "knockout"\n',
            "4:1: stop: does not go with [[stages]]: a stage is over when it has been played",
        ),
        (
            'same_owner = "apart"\n[[stages]]\nadvance = 4\n[[stages]]\n',
            "4:1: tournament.same_owner: does not go with [[stages]]: all that go on may be of one owner",
        ),
        (
            'rank_by = "strokes"\n[[stages]]\nadvance = 4\n[[stages]]\n',
            "4:11: tournament.rank_by: stages order bots by match points and ratings; leave it out",
        ),
        ("stages = 2\n", "4:1: tournament.stages: unknown key here; it belongs in tables of their own: [[stages]]"),
        ('[[stages]]\nformat = "swiss"\n', "4:1: stages[0]: expected two stages or more; with one, write its keys"),
        ('[[stages]]\nformat = "swiss"\n[[stages]]\n', "4:1: stages[0].advance: expected `advance`: how many bots"),
        (
            '[[stages]]\nadvance = 8\n[[stages]]\nformat = "swiss"\n',
            "5:11: stages[0].advance: expected fewer than the 8 bots of this stage, got 8",
        ),
        (
            '[[stages]]\nadvance = 2\n[[stages]]\nformat = "swiss"\n',
            "5:11: stages[0].advance: 2 bots go on, but the next stage is a swiss, which needs 3 or more",
        ),
        (
            "[[stages]]\nadvance = 4\n[[stages]]\nadvance = 2\n",
            "7:1: stages[1].advance: a round-robin has no use for `advance`; formats that have it: knockout",
        ),
        (
            '[[stages]]\nformat = "ladder"\nadvance = 4\n[[stages]]\n',
            "5:10: stages[0].format: a ladder never ends; as a stage expected round-robin, swiss or knockout",
        ),
        (
            '[[stages]]\nformat = "knockout"\nadvance = 1\n[[stages]]\n',
            "5:10: stages[0].format: only the last stage can be a knockout",
        ),
    ],
)
def test_what_is_wrong_with_stages_is_told_at_its_place(lines: str, expected: str) -> None:
    assert problems(HEAD, lines, GAME, EIGHT)[0].startswith(expected)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("hours = 0\n", "4:9: tournament.hours: expected hours above 0, at most 8784, got 0"),
        ("hours = 1\ndeals = 3\n", "5:1: tournament.deals: `hours` chooses how many are played; leave one of the two"),
        ("hours = 1\nlineups = 3\n", "5:1: tournament.lineups: `hours` chooses how many are played; leave one of"),
        (
            'hours = 1\nformat = "knockout"\n',
            "4:1: tournament.hours: a knockout has no use for `hours`: cut off in the middle, it would order nobody;",
        ),
        ('hours = 1\n[stop]\nwhen = "all"\n', "5:1: stop: does not go with `hours`, which choose the deals at"),
        ("hours = 1\n[[stages]]\nadvance = 4\n[[stages]]\n", "4:1: tournament.hours: does not go with [[stages]]"),
    ],
)
def test_what_does_not_go_with_hours_is_told_at_its_place(lines: str, expected: str) -> None:
    assert problems(HEAD, lines, GAME, EIGHT)[0].startswith(expected)


def test_where_owners_are_kept_apart_every_bot_must_have_somebody_to_meet() -> None:
    owned = "".join(
        f'[[bots]]\nname = "{name}"\nbuiltin = "greedy"\nowner = "{owner}"\n'
        for name, owner in zip("abcdef", ("ann", "ann", "ann", "bea", "bea", "cid"), strict=True)
    )
    apart = 'trust = "all"\nsame_owner = "apart"\n'
    (told,) = problems(HEAD, apart, FOUR, owned)
    assert told == (
        "5:14: tournament.same_owner: there are 3 owners (3 bots of ann, 2 bots of bea, 1 bot of cid), so no bots can "
        "sit at a table of 4 in `six-card` with no two of one owner; choose fewer `seats`, enter bots of other owners, "
        "or leave `same_owner` out"
    )
    assert len(plan_of([config_facts(loaded(HEAD, apart, GAME, owned))], bytes(32))) == (3 * 2 + 3 + 2) * 2 * 20
    loaded(HEAD, apart, FOUR, owned, bots("g"))
    gauntlet = 'format = "gauntlet"\nchallengers = ["a"]\n'
    (told,) = problems(HEAD, apart, gauntlet, GAME, owned)
    assert "so not every bot (not b, c) can sit at a table of 2" in told


# What an amendment may change


def test_a_run_keeps_its_format_and_when_it_stops() -> None:
    old = config_facts(loaded(HEAD, '[stop]\nwhen = "all"\n', GAME, EIGHT))
    found = config_differences(old, config_facts(loaded(HEAD, 'format = "swiss"\n', GAME, EIGHT)))
    assert found.refused == [
        'format: "round-robin" -> "swiss" (the rounds that were played were drawn with it)',
        'stop: {"when": "all"} -> not set (nobody may choose it by the results)',
    ]


def test_with_another_format_the_keys_of_each_are_not_told() -> None:
    old = config_facts(loaded(HEAD, 'format = "knockout"\n', GAME, EIGHT))
    found = config_differences(old, config_facts(loaded(HEAD, GAME, EIGHT)))
    assert (len(found.refused), found.changes) == (1, [])


def test_a_gauntlet_takes_another_challenger_and_a_knockout_nobody() -> None:
    gauntlet, knockout = 'format = "gauntlet"\nchallengers = ["a"]\n', 'format = "knockout"\n'
    old = config_facts(loaded(HEAD, gauntlet, GAME, EIGHT))
    new = config_facts(loaded(HEAD, gauntlet.replace('"a"', '"a", "b"'), GAME, EIGHT))
    found = config_differences(old, new)
    assert (found.refused, found.changes) == ([], ['challengers: ["a"] -> ["a", "b"]'])
    old = config_facts(loaded(HEAD, knockout, GAME, EIGHT))
    found = config_differences(old, config_facts(loaded(HEAD, knockout, GAME, bots("abcdefghi"))))
    assert found.refused == ["bot `i`: added (a knockout that has begun takes nobody in)"]


def test_challengers_must_meet_the_same_field() -> None:
    gauntlet = 'format = "gauntlet"\nsame_owner = "apart"\ntrust = "all"\nchallengers = ["a", "b"]\n'
    owned = EIGHT.replace('name = "c"\n', 'name = "c"\nowner = "ann"\n').replace(
        'name = "a"\n', 'name = "a"\nowner = "ann"\n'
    )
    (problem,) = problems(HEAD, gauntlet, GAME, owned)
    assert problem.startswith("5:14: tournament.same_owner: some challengers would not meet bots of their owner that")


# How many rounds a Swiss can have


@pytest.mark.parametrize("games", [GAME, GAME + 'name = "of two"\n' + FOUR, FOUR])
def test_a_swiss_has_no_more_rounds_than_a_bot_has_opponents(games: str) -> None:
    (problem,) = problems(HEAD, 'format = "swiss"\nrounds = 8\n', games, EIGHT)
    assert problem == (
        "5:10: tournament.rounds: each of the 8 bots has 7 opponents, so expected 7 rounds or less, got 8; "
        "for more matches set more `deals`, or play a round-robin"
    )
    assert loaded(HEAD, 'format = "swiss"\nrounds = 7\n', games, EIGHT).rounds == 7


def test_where_one_sits_out_in_each_round_there_may_be_one_more() -> None:
    assert loaded(HEAD, 'format = "swiss"\nrounds = 7\n', GAME, bots("abcdefg")).rounds == 7


def test_a_swiss_that_is_a_stage_counts_the_bots_that_came_so_far() -> None:
    stages = '[[stages]]\nformat = "round-robin"\nadvance = 4\n[[stages]]\nformat = "swiss"\nrounds = 4\n'
    (problem,) = problems(HEAD, stages, GAME, EIGHT)
    assert problem.startswith("9:10: stages[1].rounds: each of the 4 bots has 3 opponents, so expected 3 rounds or ")


def test_a_ladder_may_have_any_number_of_rounds() -> None:
    assert loaded(HEAD, 'format = "ladder"\nrounds = 5000\n', GAME, EIGHT).rounds == 5000


def test_a_run_of_stages_goes_on_with_its_own_config() -> None:
    """Also when it was read from a store meanwhile."""
    stages = '[[stages]]\nformat = "swiss"\nrounds = 3\nadvance = 4\n[[stages]]\nformat = "round-robin"\n'
    facts = config_facts(loaded(HEAD, stages, GAME, EIGHT))
    read = msgspec.json.decode(msgspec.json.encode(facts), type=Facts)
    found = config_differences(read, facts)
    assert (found.refused, found.changes) == ([], [])
    other = config_facts(loaded(HEAD, stages.replace("advance = 4", "advance = 5"), GAME, EIGHT))
    assert config_differences(read, other).refused != []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ('format: "round-robin" -> "swiss" (why)', "4:10"),
        ("stop: not set -> {} (why)", "5:1"),
        ("clocks.move_s: 1.0 -> 2.0 (why)", "8:10"),
        ("limits.files: 16 -> 256 (why)", "1:1"),
        ('seed: "x" -> not set (why)', "1:1"),
        ("bot `b`: added (why)", "14:1"),
    ],
)
def test_what_a_run_cannot_take_is_told_at_its_place(change: str, place: str) -> None:
    """What was taken out of the config is told at the table where it stood, or at [tournament]."""
    config = loaded(HEAD, 'format = "adaptive"\n[stop]\nwhen = "all"\n[time]\nmove_s = 2\n', GAME, EIGHT)
    assert placed(config, change) == f"c.toml:{place}: {change}"
