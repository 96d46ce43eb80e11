"""How lines are broken that are longer than the screen is wide."""

from referee.kit.screen.pages import folded


def test_what_follows_a_break_stands_under_the_words() -> None:
    assert folded("one two three four five six seven", 20, indent=2) == "one two three four\n  five six seven"
    assert folded("  [10H]   a card that lies open", 24) == "  [10H]   a card that\n          lies open"
    assert folded("  short", 20) == "  short"
    assert folded("", 20) == ""
