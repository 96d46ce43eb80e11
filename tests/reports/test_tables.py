"""Standings as a person reads them."""

from msgspec.structs import replace

from referee.reports.tables import CROSSTABLE_LIMIT, crosstable, match_points, report, rows_table, strokes
from referee.tournament.results import Result
from referee.tournament.standings import BotStanding, Encounter, Standings, standings_of


def row(bot: str, rank: int = 1) -> BotStanding:
    return BotStanding(
        rank=rank,
        bot=bot,
        match_points=0.71249,
        match_points_stderr=0.0174,
        strokes=-1.42,
        strokes_stderr=0.1,
        matches=1200,
        rounds=10800,
        firsts=700,
        forfeits=0,
        faults={},
        late_slaps=0,
    )


def result(number: int, totals: dict[str, int], *, variant: str = "six-card") -> Result:
    """A match of two rounds in a block of its own."""
    points = tuple(totals.values())
    seats = len(points)
    return Result(
        number=number,
        variant=variant,
        block=number,
        bots=tuple(totals),
        totals=points,
        ranks=tuple(1 + sum(other < total for other in points) for total in points),
        rounds=2,
        forfeited=(False,) * seats,
        faults=({},) * seats,
        late_slaps=(0,) * seats,
    )


TWO_MATCHES = [result(0, {"keeper": 4, "greedy": 10, "1e3": 10}), result(1, {"keeper": 7, "greedy": 3, "1e3": 20})]


def test_figures_are_shown_with_1_96_standard_errors() -> None:
    assert match_points(row("a")) == "0.712 ± 0.034"
    assert strokes(row("a")) == "-1.42 ± 0.20"


def test_without_a_standard_error_there_is_only_the_figure() -> None:
    alone = replace(row("a"), match_points_stderr=None, strokes=0.8, strokes_stderr=None)
    assert match_points(alone) == "0.712"
    assert strokes(alone) == "+0.80"
    assert strokes(replace(alone, strokes=-0.001)) == "+0.00"


def test_a_whole_report() -> None:
    faulty = replace(TWO_MATCHES[1], faults=({}, {}, {"timeout": 2, "illegal_action": 1}))
    assert report(standings_of([TWO_MATCHES[0], faulty])) == REPORT.strip("\n")


REPORT = """
Standings in six-card, by match points

  rank  bot       match points       strokes    matches    rounds    firsts    faults
------  ------  --------------  ------------  ---------  --------  --------  --------
     1  keeper   0.750 ± 0.490  -1.75 ± 0.49          2         4         1         0
     2  greedy   0.625 ± 0.735  -1.25 ± 4.41          2         4         1         0
     3  1e3      0.125 ± 0.245  +3.00 ± 3.92          2         4         0         3

Match points, the row's bot against the column's

  #  bot         1      2      3
---  ------  -----  -----  -----
  1  keeper         0.500  1.000
  2  greedy  0.500         0.750
  3  1e3     0.000  0.250

Faults

bot      timeout    illegal action
-----  ---------  ----------------
1e3            2                 1
"""


def test_a_table_for_each_of_several_variants() -> None:
    shown = report(standings_of([TWO_MATCHES[0], replace(TWO_MATCHES[1], variant="cactus short")]))
    headings = [part for part in shown.split("\n\n") if "\n" not in part]
    assert headings == [
        "Standings, by match points",
        "six-card",
        "cactus short",
        "Match points, the row's bot against the column's",
    ]


def test_rank_by_strokes_shows_strokes_in_the_crosstable() -> None:
    shown = report(standings_of(TWO_MATCHES, "strokes"))
    assert "by strokes" in shown
    assert "Strokes a round, the row's bot against the column's" in shown
    assert "keeper         -0.50  -4.75" in shown


def test_rare_columns_appear_where_somebody_has_something_in_them() -> None:
    assert "forfeits" not in rows_table([row("a")])
    assert "late slaps" not in rows_table([row("a")])
    rows = [row("a"), replace(row("b"), forfeits=2, late_slaps=13)]
    titles, _, *lines = rows_table(rows).splitlines()
    assert titles.split()[-3:] == ["forfeits", "late", "slaps"]
    assert [line.split()[-2:] for line in lines] == [["0", "0"], ["2", "13"]]


def test_names_cannot_break_a_table() -> None:
    shown = rows_table([row("\x1b[2J\nfake  1\u202e"), row("x" * 200)])
    assert r"\x1b[2J\x0afake  1\u202e" in shown
    assert "x" * 31 + "…" in shown
    assert len(shown.splitlines()) == 4
    assert len({len(line) for line in shown.splitlines()}) == 1


def test_names_that_look_like_numbers_stay_names() -> None:
    assert "1e3" in rows_table([row("1e3"), row("007")])
    assert "007" in rows_table([row("1e3"), row("007")])


def test_a_crosstable_of_many_bots_shows_the_first_and_says_so() -> None:
    names = [f"bot{number}" for number in range(60)]
    cell = Encounter(match_points=0.5, strokes=0, matches=1)
    table = {bot: {other: cell for other in names if other != bot} for bot in names}
    standings = Standings(
        rank_by="match-points", overall=tuple(row(bot) for bot in names), variants={}, crosstable=table
    )
    assert len(crosstable(standings).splitlines()) == 2 + CROSSTABLE_LIMIT
    assert "(the first 12 of 60; --json has all)" in report(standings)


def test_before_the_first_result_there_is_nothing_to_show() -> None:
    assert report(standings_of([])) == "No match has a result yet."
