"""What the config file can say of formats, and what an amendment may change of them."""

from pathlib import Path

import msgspec
import pytest
from configs import EIGHT, GAME, HEAD, bots, contest, loaded, problems

from referee.toml.document import placed, read_text
from referee.tournament.config.config import load
from referee.tournament.config.differences import config_differences
from referee.tournament.config.planned import draw_input, whole_deals_of
from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.rounds import Entrant, StageRules, StopRules

FOUR = '[[variants]]\npreset = "six-card"\nseats = 4\n'

PAGE = Path(__file__).parents[3] / "tournaments/FORMATS.md"
CONFIGS = [part.partition("```")[0] for part in PAGE.read_text(encoding="utf-8").split("```toml\n")[1:]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return contest(tmp_path, monkeypatch)


def test_a_config_that_says_nothing_of_formats_is_a_round_robin() -> None:
    config = loaded(HEAD, GAME, EIGHT)
    run_config = config.run_config()
    assert run_config.stages == (StageRules(format="round-robin", deals=20),)
    assert run_config.is_fixed
    field = draw_input(run_config, b"key")
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
    ],
)
def test_each_format_has_its_keys_and_its_usual_deals(lines: str, expected: StageRules) -> None:
    config = loaded(HEAD, lines, GAME, EIGHT)
    assert config.run_config().stages == (expected,)


def test_more_line_ups_than_can_be_played_are_refused_before_anything_starts() -> None:
    sixty = bots(f"b{number}" for number in range(60))
    text = "in `six-card` 60 bots at tables of 4 make 487,635 line-ups, of which 100,000 at most can be played"
    assert problems(HEAD, FOUR, sixty) == [f"c.toml:1:1: tournament.lineups: {text}; set `lineups`, such as 600"]
    stages = '[[stages]]\nformat = "round-robin"\nadvance = 4\n[[stages]]\nformat = "knockout"\n'
    assert problems(HEAD, stages, FOUR, sixty) == [f"c.toml:3:1: stages[0].lineups: {text}; set `lineups`, such as 600"]
    assert loaded(HEAD, "lineups = 600\n", FOUR, sixty).stages[0].lineups == 600
    assert loaded(HEAD, 'format = "swiss"\n', FOUR, sixty)


def test_stages_stand_in_tables_of_their_own() -> None:
    config = loaded(
        HEAD,
        '[[stages]]\nformat = "swiss"\nrounds = 3\nadvance = 4\n[[stages]]\nformat = "knockout"\n',
        GAME,
        EIGHT,
    )
    run_config = config.run_config()
    assert run_config.stages == (
        StageRules(format="swiss", deals=4, rounds=3, advance=4),
        StageRules(format="knockout", deals=4, advance=1, limit=40),
    )
    assert not run_config.is_fixed


def test_when_it_stops_stands_in_a_table_of_its_own() -> None:
    config = loaded(HEAD, 'same_owner = "apart"\nanchor = "b"\n[stop]\nwhen = "top 3"\nprecision = 0.02\n', GAME, EIGHT)
    run_config = config.run_config()
    assert draw_input(run_config, b"key").stop == StopRules(when="top 3", precision=0.02)
    assert (draw_input(run_config, b"key").apart, run_config.anchor, run_config.is_fixed) == (True, "b", False)


def test_owners_that_are_kept_apart_may_sit_at_tables_that_have_room_for_all() -> None:
    owned = bots("abc", owner="ann") + bots("de", owner="bea") + bots("f", owner="cid")
    apart = 'trust = "all"\nsame_owner = "apart"\n'
    assert len(whole_deals_of([loaded(HEAD, apart, GAME, owned).run_config()], bytes(32))) == (3 * 2 + 3 + 2) * 2 * 20
    assert len(loaded(HEAD, apart, FOUR, owned, bots("g")).bots) == 7


@pytest.mark.parametrize(
    "rest", [GAME + EIGHT, FOUR + EIGHT, GAME + bots("abcdefg")], ids=["of two", "of four", "one sits out"]
)
def test_a_swiss_may_have_as_many_rounds_as_a_bot_has_opponents_and_one_more_where_one_sits_out(
    rest: str,
) -> None:
    assert loaded(HEAD, 'format = "swiss"\nrounds = 7\n', rest).stages[0].rounds == 7


@pytest.mark.parametrize("text", CONFIGS)
def test_a_config_of_the_page_can_be_played(text: str) -> None:
    Path("page.toml").write_text(text, encoding="utf-8")
    load("page.toml")


# What an amendment may change


def test_a_run_keeps_its_format_and_its_stop_rules() -> None:
    old = loaded(HEAD, '[stop]\nwhen = "all"\n', GAME, EIGHT).run_config()
    found = config_differences(old, loaded(HEAD, 'format = "swiss"\n', GAME, EIGHT).run_config())
    assert [one.in_words for one in found.refused] == [
        'tournament.format: "round-robin" -> "swiss" (the rounds that were played were drawn with it)',
        'stop: {"when": "all"} -> not set (nobody may choose it by the results)',
    ]
    assert found.changes == [], "with another format its keys are not listed one by one"


def test_a_gauntlet_takes_another_challenger_and_a_knockout_nobody() -> None:
    gauntlet, knockout = 'format = "gauntlet"\nchallengers = ["a"]\n', 'format = "knockout"\n'
    old = loaded(HEAD, gauntlet, GAME, EIGHT).run_config()
    new = loaded(HEAD, gauntlet.replace('"a"', '"a", "b"'), GAME, EIGHT).run_config()
    found = config_differences(old, new)
    assert (found.refused, found.changes) == ([], ['challengers: ["a"] -> ["a", "b"]'])
    old = loaded(HEAD, knockout, GAME, EIGHT).run_config()
    found = config_differences(old, loaded(HEAD, knockout, GAME, bots("abcdefghi")).run_config())
    assert [one.in_words for one in found.refused] == ["bots: `i`: added (a knockout that has begun takes nobody in)"]


def test_a_run_of_stages_goes_on_with_its_own_config() -> None:
    """Also when it was read from a store meanwhile."""
    stages = '[[stages]]\nformat = "swiss"\nrounds = 3\nadvance = 4\n[[stages]]\nformat = "round-robin"\n'
    run_config = loaded(HEAD, stages, GAME, EIGHT).run_config()
    read = msgspec.json.decode(msgspec.json.encode(run_config), type=RunConfig)
    found = config_differences(read, run_config)
    assert (found.refused, found.changes) == ([], [])
    other = loaded(HEAD, stages.replace("advance = 4", "advance = 5"), GAME, EIGHT).run_config()
    assert config_differences(read, other).refused != []


def test_what_a_run_cannot_take_is_told_at_its_place() -> None:
    """What was taken out of the config is told at the table where it stood, or at its beginning."""
    old = loaded(HEAD, 'seed = "x"\nformat = "knockout"\n[limits]\nfiles = 16\n', GAME, bots("abcdefg")).run_config()
    new = loaded(HEAD, 'format = "knockout"\n[time]\nmove_s = 2\n', GAME, EIGHT)
    refused = config_differences(old, new.run_config()).refused
    assert [line.partition(" (")[0] for line in placed(new.file, read_text(new.file), refused)] == [
        'c.toml:1:1: tournament.seed: "x" -> not set',
        "c.toml:1:1: limits.files: 16 -> 256",
        "c.toml:5:10: time.move_s: 1.0 -> 2.0",
        "c.toml:8:1: bots: `h`: added",
    ]
