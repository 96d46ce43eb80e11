"""Names on a screen: how wide they are, and how they are cut."""

import pytest

from referee.reports.tables.names import Names, cells, shortened


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
