"""Foreign text made safe to show."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("keeper 2.0", "keeper 2.0"),
        ("Jürgen 数字 🂡", "Jürgen 数字 🂡"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("two\nlines\ttab\x7f", r"two\x0alines\x09tab\x7f"),
        ("\x9b2J", r"\x9b2J"),
        ("a\u202eb\u2066c\u200f\u061c", r"a\u202eb\u2066c\u200f\u061c"),
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
