"""Foreign text made safe to show."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.text import escaped_json, folded, label_problem, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("keeper 2.0", "keeper 2.0"),
        ("Jürgen 数字 🂡", "Jürgen 数字 🂡"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("two\nlines\ttab\x7f", r"two\x0alines\x09tab\x7f"),
        ("\x9b2J", r"\x9b2J"),
        ("a\u202eb\u2066c\u200f\u061c", r"a\u202eb\u2066c\u200f\u061c"),
        ("an\u034fn\u200b \u3164\ufe0f", r"an\u034fn\u200b \u3164\ufe0f"),
        ("ann\U000e0061", r"ann\U000e0061"),
        ("lone \ud800", r"lone \ud800"),
        ("", ""),
    ],
)
def test_what_could_steer_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert printable(text, 80) == shown


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert printable("abcdef", 6) == "abcdef"
    assert printable("abcdefg", 6) == "abcde…"
    assert printable("\0\0\0", 9) == r"\x00\x00…"


@given(st.text(st.characters()), st.integers(1, 60))
def test_no_text_comes_out_unsafe_or_too_long(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in shown)
    assert not any(unicodedata.bidirectional(char) in {"LRE", "RLE", "LRO", "RLO", "PDF"} for char in shown)
    shown.encode()


INVISIBLE = (
    "\xad\u034f\u061c\u1160\u17b4\u180b\u200b\u200d\u202e\u2060\u2800\u3164\ufe0f\ufeff\uffa0\U000e0061\U000e0101"
)


@pytest.mark.parametrize("letter", INVISIBLE)
def test_a_character_that_nobody_sees_makes_no_other_name(letter: str) -> None:
    assert label_problem(f"an{letter}n", 40) is not None
    assert folded(f"an{letter}n") == folded("ann")
    assert letter not in printable(f"an{letter}n", 40)


@pytest.mark.parametrize("twin", ["ANN", "\uff41nn", "\U0001d41ann", "\u24d0nn"])
def test_names_that_look_alike_are_one(twin: str) -> None:
    assert folded(twin) == folded("ann")
    assert label_problem(twin, 40) is None


def test_escaped_json_has_the_same_value() -> None:
    text = json.dumps("a\U000e0061\u200b\x7f", ensure_ascii=False)

    assert escaped_json(text).isascii()
    assert json.loads(escaped_json(text)) == json.loads(text)
