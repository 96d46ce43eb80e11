"""Standings as a person reads them."""

from collections.abc import Sequence

import pytest
from made_up_runs import made_up_result
from msgspec.structs import replace

from referee.reports.bot_results import OwnResult, one_bot, one_bot_report
from referee.reports.tables.bot_tables import bots_table, match_points, reasons, report, strokes
from referee.reports.tables.figures import plus_minus
from referee.reports.tables.layout import Names, cells, shortened
from referee.tournament.results import Result
from referee.tournament.standings import BotStanding
from referee.tournament.tally import standings_of


def row(bot: str, rank: int = 1) -> BotStanding:
    return BotStanding(
        rank=rank,
        rank_from=rank,
        rank_to=rank,
        bot=bot,
        match_points=0.71249,
        match_points_stderr=0.0174,
        match_points_interval=(0.6771, 0.7454),
        strokes=-1.42,
        strokes_stderr=0.1,
        strokes_interval=(-1.6166, -1.2234),
        matches=1200,
        rounds=10800,
        firsts=700,
        forfeits=0,
        faults={},
        late_slaps=0,
    )


def result(number: int, totals: dict[str, int]) -> Result:
    """A match of two rounds in a block of its own."""
    return made_up_result(tuple(totals), tuple(totals.values()), number=number, game="six-card", block=number, rounds=2)


TWO_MATCHES = [result(0, {"keeper": 4, "greedy": 10, "1e3": 10}), result(1, {"keeper": 7, "greedy": 3, "1e3": 20})]
THREE_MATCHES = [*TWO_MATCHES, result(2, {"keeper": 5, "greedy": 6, "1e3": 5})]
SIX_MATCHES = [*THREE_MATCHES, *(replace(one, number=one.number + 3, block=one.block + 3) for one in THREE_MATCHES)]


def test_figures_are_shown_with_their_intervals() -> None:
    assert match_points(row("a")) == "0.712 [0.677, 0.745]"
    assert strokes(row("a")) == "-1.42 ±0.20"


def test_without_an_interval_the_figure_stands_alone() -> None:
    alone = replace(row("a"), match_points_interval=None, strokes=0.8, strokes_interval=None)
    assert match_points(alone) == "0.712 [-]"
    assert strokes(alone) == "+0.80"
    assert strokes(replace(alone, strokes=-0.001)) == "+0.00"
    assert strokes(replace(alone, strokes=None)) == "-"


def test_a_rank_is_told_as_far_as_it_is_known() -> None:
    shown = [replace(row("a"), rank_to=2), replace(row("b", 3), rank_from=2), row("c", 7)]
    unranked = replace(row("d"), rank=None, rank_from=None, rank_to=None)
    assert [line.split()[0] for line in table_of([*shown, unranked]).splitlines()[2:]] == ["1-2", "2-3", "7", "-"]


def test_who_has_no_rank_or_no_interval_is_told_why() -> None:
    late = [replace(row(bot), rank=None, reason="it came late") for bot in "bc"]
    young = replace(row("d"), match_points_interval=None, reason="too few deals")
    rows = [row("a"), *late, young]
    assert list(reasons(rows, 80, Names("abcd", 80))) == [
        "no rank: b, c (it came late)",
        "no interval: d (too few deals)",
    ]
    assert list(reasons(late, 80, Names("abcd", 80))) == ["no rank: every bot (it came late)"]
    many = [replace(row(bot), rank=None, reason=f"too few deals in game {bot}") for bot in "abcd"]
    assert list(reasons(many, 80, Names("abcd", 80))) == [
        "no rank: every bot (too few deals in some game; --json says in which)"
    ]
    assert len(list(reasons(many[:3], 80, Names("abcd", 80)))) == 3


@pytest.mark.parametrize(
    ("mean", "interval", "shown"),
    [
        (0.914, (0.88, 0.94), "0.91 ±0.03"),
        (0.98, (0.91, 0.995), "0.98 ≥0.91"),
        (0.02, (0.005, 0.09), "0.02 ≤0.09"),
        (0.0, (0.0, 0.003), "0.00 ≤0.01"),
        (0.5, (0.499, 0.501), "0.50 ±0.01"),
        (0.5, None, "0.50"),
    ],
)
def test_a_narrow_column_tells_the_longer_side_or_the_end_that_counts(
    mean: float, interval: tuple[float, float] | None, shown: str
) -> None:
    assert plus_minus(mean, interval) == shown


def table_of(rows: Sequence[BotStanding], width: int = 120) -> str:
    return bots_table(rows, width, Names((row.bot for row in rows), width)).text


def test_a_report_of_one_game_has_standings_crosstable_and_faults() -> None:
    faulty = replace(THREE_MATCHES[1], faults=({}, {}, {"timeout": 2, "illegal_action": 1}))
    rows = [THREE_MATCHES[0], faulty, *SIX_MATCHES[2:]]
    assert report(standings_of(rows, rotates=False), 100) == REPORT.strip("\n")


REPORT = """
Standings in six-card, by match points

rank  bot             match points      strokes  matches  rounds  firsts  faults
----  ------  --------------------  -----------  -------  ------  ------  ------
 1-3  keeper  0.750 [0.479, 0.907]  -1.22 ±0.89        6      12       4       0
 1-3  greedy  0.417 [0.109, 0.807]  -0.72 ±2.28        6      12       2       0
 1-3  1e3     0.333 [0.103, 0.686]  +1.94 ±2.54        6      12       2       3

Match points, the row's bot against the column's

#  bot              1           2           3
-  ------  ----------  ----------  ----------
1  keeper              0.67 ≥0.20  0.83 ≥0.47
2  greedy  0.33 ≤0.80              0.50 ±0.34
3  1e3     0.17 ≤0.53  0.50 ±0.34

Faults

              illegal
bot  timeout   action
---  -------  -------
1e3        2        1
"""


SEVERAL_GAMES = [TWO_MATCHES[0], replace(TWO_MATCHES[1], variant="cactus short")]


def test_an_overview_has_the_bots_by_games() -> None:
    shown = report(standings_of(SEVERAL_GAMES, rotates=False), 80)
    assert (
        """
Match points by game

                  cactus
bot     six-card   short
------  --------  ------
"""
        in shown
    )
    assert "\n\ncactus short\n\n" not in shown


def test_the_full_report_has_a_table_for_each_of_several_games() -> None:
    shown = report(standings_of(SEVERAL_GAMES, rotates=False), 80, full=True)
    assert shown.index("Match points by game") < shown.index("\n\ncactus short\n\nrank") < shown.index("column's\n\n#")


def test_a_crosstable_of_many_pages_is_left_to_the_full_report() -> None:
    bots = [f"bot {number}" for number in range(60)]
    matches = [result(number, {bots[number]: 5, bots[number - 1]: 7}) for number in range(60)]
    standings = standings_of(matches, rotates=False)
    shown = report(standings, 80)
    assert "left out, since it takes 6 pages here: --full prints it, --json has it" in shown
    assert " #  bot  " not in shown
    assert " #  bot  " in report(standings, 80, full=True)


def test_rank_by_strokes_shows_strokes_in_the_crosstable() -> None:
    shown = report(standings_of(TWO_MATCHES, "strokes", rotates=False), 80)
    assert "by strokes" in shown
    assert "Strokes a round, the row's bot against the column's" in shown
    assert "keeper         -0.50  -4.75" in shown


def test_rare_columns_appear_where_somebody_has_something_in_them() -> None:
    assert "forfeits" not in table_of([row("a")])
    assert "late slaps" not in table_of([row("a")])
    titles, _, *lines = table_of([row("a"), replace(row("b"), forfeits=2, late_slaps=13)]).splitlines()
    assert titles.split()[-3:] == ["forfeits", "late", "slaps"]
    assert [line.split()[-2:] for line in lines] == [["0", "0"], ["2", "13"]]


def test_names_cannot_break_a_table() -> None:
    shown = table_of([row("\x1b[2J\nfake  1\u202e"), row("x" * 200)], 200)
    assert r"\x1b[2J\x0afake  1\u202e" in shown
    assert "x" * 16 + "…" + "x" * 15 in shown
    assert len(shown.splitlines()) == 4
    assert len({len(line) for line in shown.splitlines()}) == 1


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_row_is_wider_than_the_screen_and_everybody_is_in_the_crosstable(width: int) -> None:
    bots = [f"日本語 the very long name of bot {number} of the stable" for number in range(14)]
    matches = [result(number, {bots[number]: 5, bots[number - 1]: 7}) for number in range(14)]
    shown = report(standings_of([*matches, *[replace(one, variant="cactus") for one in matches]]), width)
    lines = shown.splitlines()
    assert max(map(cells, lines)) <= width
    numbers = [title for line in lines if line.startswith(" #") for title in line.split()[2:]]
    assert numbers == [str(number) for number in range(1, 15)]


def test_the_matches_of_a_bot_fit_the_narrowest_screen() -> None:
    matches = [OwnResult.of(one, one.bots.index("1e3")) for one in SIX_MATCHES]
    one = one_bot("1e3", standings_of(SIX_MATCHES, rotates=False), matches)
    shown = "\n\n".join(one_bot_report(one, 40, 3))

    assert max(map(cells, shown.splitlines())) <= 40
    assert "match  game      seat  behind  faults\n" in shown


def test_what_finds_no_room_is_left_out() -> None:
    assert "firsts" not in report(standings_of(SIX_MATCHES, rotates=False), 60)
    assert "firsts" in report(standings_of(SIX_MATCHES, rotates=False), 72)


def test_before_the_first_result_there_is_nothing_to_show() -> None:
    assert report(standings_of([]), 80) == "No match has a result yet."


# Names on a screen: how wide they are, and how they are cut


@pytest.mark.parametrize(
    ("text", "width"), [("keeper", 6), ("日本語", 6), ("e\u0301te\u0301", 3), ("한국", 4), ("", 0), ("…", 1)]
)
def test_a_text_takes_as_many_cells_as_a_terminal_gives_it(text: str, width: int) -> None:
    assert cells(text) == width


def test_a_long_name_is_cut_in_its_middle() -> None:
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert shortened("abcdefghijk", 10) == "abcde…hijk"
    assert shortened("日本語の名前です", 10) == "日本…です"
    assert shortened("e\u0301" * 12, 5) == "e\u0301e\u0301…e\u0301e\u0301"


def test_names_with_the_same_beginning_stay_apart() -> None:
    names = Names(["a neural network, trained for a week, 1", "a neural network, trained for a week, 2"], 80)
    assert names.limit == 20
    assert names("a neural network, trained for a week, 2") == "a neural n…a week, 2"


def test_names_that_differ_only_in_their_middle_are_numbered() -> None:
    names = Names(["long and dull, one of a kind, and so on", "long and dull, two of a kind, and so on", "short"], 80)
    assert [names(name) for name in names.all] == ["long and …nd so on~1", "long and …nd so on~2", "short"]
    assert all(cells(names(name)) <= names.limit for name in names.all)
