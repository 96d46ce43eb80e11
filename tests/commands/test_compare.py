"""Two bots of a run compared, and all neighbours."""

import json
from pathlib import Path

import pytest
from commands import golfref
from exported import made_up_run
from made_up_runs import made_up_result

from referee.reports.comparison import Compared, neighbours, odds, p_value, two_bots
from referee.tournament.tally import Tally


def tally(deals: int) -> Tally:
    """Three bots play each other in two games: ann always wins, bea and cid nearly as often one as the other."""
    made = Tally()
    block = 0
    for deal in range(deals):
        for variant in ("six-card", "cactus"):
            for pair in (("ann", "bea"), ("ann", "cid"), ("bea", "cid")):
                for rotation in range(2):
                    first_wins = pair[0] == "ann" or deal % 12 < 7
                    totals = (3, 9) if first_wins else (9, 4)
                    bots, totals = (pair[::-1], totals[::-1]) if rotation else (pair, totals)
                    number = 2 * block + rotation
                    at = {"number": number, "block": block, "deal": deal, "rotation": rotation}
                    made.add(made_up_result(bots, totals, game=variant, **at))
                block += 1
    return made


def compared(*bots: str, deals: int = 12, is_over: bool = True, holds_while_watched: bool = False) -> Compared:
    comparer = tally(deals).comparer("match-points")
    return Compared(
        name="friday",
        variant=None,
        format="round-robin",
        rank_by="match-points",
        is_over=is_over,
        holds_while_watched=holds_while_watched,
        ranked=3,
        pairs=(comparer.compare(*bots),) if bots else tuple(comparer.neighbours()),
    )


def test_two_bots_of_which_one_is_better() -> None:
    heading, words, table, _ = two_bots(compared("ann", "bea"), 80)
    assert heading == "ann and bea in friday, by match points"
    lines = words.splitlines()
    assert lines[0].startswith("ann less bea: +0.708 ±")
    assert "So ann is better (p < 0.05, all pairs)." in lines
    assert "tournaments (p < 0.0001)." in words
    assert not any("would settle it" in line for line in lines)
    assert lines[-1].startswith("On the 24 deals at which both sat: +1.000")
    assert [line.split()[0] for line in table.splitlines()[2:]] == ["six-card", "cactus"]


def test_two_bots_of_which_it_is_not_known() -> None:
    words = " ".join(list(two_bots(compared("cid", "bea"), 80))[1].split())
    assert words.startswith("cid less bea: -0.083 ±")
    assert "With all 3 pairs of bots in mind it is p = " in words
    assert "more deals for each line-up would settle it, if the difference stays as it is." in words


def test_neighbours_by_rank_are_rows_of_a_table() -> None:
    _, table, notes = neighbours(compared(), 80)
    rows = [line.split() for line in table.splitlines()[2:]]
    assert [row[1] for row in rows] == ["ann", "bea", "cid"]
    assert rows[0][6:] == ["yes"]
    assert rows[1][6] == "-"
    assert rows[2] == ["3", "cid"]
    assert "with all 3 pairs of bots in mind" in " ".join(notes.split())
    assert all(len(line) <= 60 for part in neighbours(compared(), 60) for line in part.splitlines())


def test_a_run_that_is_not_over_says_what_looking_again_does() -> None:
    assert "The run is not over." in list(two_bots(compared("ann", "bea", is_over=False), 80))[-1]
    watched = compared("ann", "bea", is_over=False, holds_while_watched=True)
    assert "whenever you look" in list(two_bots(watched, 80))[-1]


@pytest.mark.parametrize(
    ("p", "figure", "words"),
    [
        (0.17, "0.17", "17 of 100"),
        (0.0034, "0.0034", "3 of 1,000"),
        (0.0002, "0.0002", "2 of 10,000"),
        (1e-9, "<0.0001", "fewer than 1 of 10,000"),
        (1.0, "1.00", "100 of 100"),
    ],
)
def test_a_p_value_is_told_as_figure_and_in_words(p: float, figure: str, words: str) -> None:
    assert p_value(p) == figure
    assert odds(p) == words


def test_the_command_compares_bots_of_a_run(tmp_path: Path) -> None:
    made_up_run(tmp_path, ["six-card"], names=("ann", "bea", "cid"))
    document = json.loads(golfref("compare", "run.golfref", "ann", "bea", "--json", cwd=tmp_path)[0])
    assert [(pair["bot"], pair["other"]) for pair in document["pairs"]] == [("ann", "bea")]
    assert golfref("compare", "run.golfref", "ann", "bea", cwd=tmp_path)[0].startswith("ann and bea in ")
    assert "did you mean bea?" in golfref("compare", "run.golfref", "ann", "beaa", cwd=tmp_path, code=2)[1]
    assert "two different bots" in golfref("compare", "run.golfref", "ann", cwd=tmp_path, code=2)[1]
    assert "no game six is played" in golfref("compare", "run.golfref", "--variant", "six", cwd=tmp_path, code=2)[1]
