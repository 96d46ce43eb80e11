"""What is said before a tournament begins."""

from referee.commands.announcement import plan_lines


def test_the_plan_is_a_product() -> None:
    assert plan_lines({"six-card": 4, "cactus": 4}, {"six-card": 7, "cactus": 7}, 1, 80) == [
        "2 games x 7 line-ups of 4 x 1 deal x 4 seats = 56 matches",
        "  six-card, cactus",
    ]
    assert plan_lines({"par-3": 2}, {"par-3": 1}, 20, 80) == [
        "1 game x 1 line-up of 2 x 20 deals x 2 seats = 40 matches",
        "  par-3",
    ]


def test_each_kind_of_table_has_a_product_of_its_own() -> None:
    seats = {"six-card": 4, "two-deck": 2, "cactus": 4}
    assert plan_lines(seats, {"six-card": 1001, "two-deck": 91, "cactus": 1001}, 3, 80) == [
        "2 games x 1,001 line-ups of 4 x 3 deals x 4 seats = 24,024 matches",
        "  six-card, cactus",
        "1 game x 91 line-ups of 2 x 3 deals x 2 seats = 546 matches",
        "  two-deck",
        "together 24,570 matches",
    ]
