"""What `--dry-run` says of a knockout and of stages."""

import pytest
from made_up_matches import field_of

from referee.tournament.formats.outlook import outlook
from referee.tournament.plan.rounds import StageRules

KNOCKOUT = StageRules(format="knockout", deals=4, advance=1, limit=40)


@pytest.mark.parametrize(
    ("bots", "seats", "rounds"),
    [
        (2, 2, "the final alone"),
        (3, 2, "1 tie with 1 bye, then the final"),
        (13, 2, "5 ties with 3 byes, then 4, 2 and the final"),
        (16, 4, "4 ties, then the final"),
        (60, 4, "15 ties, then 4 and the final"),
    ],
)
def test_a_knockout_tells_its_rounds(bots: int, seats: int, rounds: str) -> None:
    rest = "a tie plays 4 to 40 deals of each game; seeds are drawn by the key"
    assert outlook(field_of(bots, KNOCKOUT, seats=seats)) == [f"knockout of {bots}: {rounds}; {rest}"]


def test_stages_tell_how_many_go_on() -> None:
    stages = StageRules(format="swiss", deals=4, advance=8), StageRules(deals=5, advance=4), KNOCKOUT
    cup = "knockout of 4: 2 ties, then the final; a tie plays 4 to 40 deals of each game"
    assert outlook(field_of(60, *stages)) == [
        "stage 1: swiss of 60, of which 8 go on",
        "stage 2: round-robin of 8, of which 4 go on",
        f"stage 3: {cup}; seeds are the ranks of stage 2",
    ]


def test_a_round_robin_and_a_swiss_tell_it_elsewhere() -> None:
    assert outlook(field_of(4, StageRules(deals=2))) == outlook(field_of(8, StageRules(format="swiss", deals=2))) == []
