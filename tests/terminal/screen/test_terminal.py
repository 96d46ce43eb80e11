"""Terminals: where nothing can be drawn, one sentence says why and what to do; long lines are broken."""

import importlib.util
import io
import os
import pty
import sys
import termios

import pytest

from referee.terminal.screen import terminal
from referee.terminal.screen.draw import ASCII, UNICODE, Glyphs
from referee.terminal.screen.pages import folded


class Tty(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


@pytest.fixture(autouse=True)
def good(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal on which everything can be drawn."""
    monkeypatch.setattr(sys, "__stdin__", Tty())
    monkeypatch.setattr(sys, "__stderr__", Tty())
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((80, 24)))
    monkeypatch.setenv("TERM", "vt100")


def test_a_usual_terminal_is_good() -> None:
    assert terminal.problem() is None


def test_what_a_terminal_lacks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(importlib.util, "find_spec", lambda _: None)
        assert "-m pip install 'textual>=8'" in (terminal.problem() or "")
    for name in ("dumb", ""):
        with monkeypatch.context() as changed:
            changed.setenv("TERM", name)
            assert "set TERM to what it is" in (terminal.problem() or "")
    with monkeypatch.context() as changed:
        changed.setattr(os, "get_terminal_size", lambda _: os.terminal_size((40, 24)))
        assert "at least 60 columns and 20 lines, and this terminal has 40 and 24" in (terminal.problem() or "")
    monkeypatch.setattr(sys, "__stdin__", io.StringIO())
    assert "needs a terminal" in (terminal.problem() or "")


def test_a_size_that_a_terminal_does_not_know_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual would draw for ever on no lines."""
    ours, theirs = pty.openpty()
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size(reversed(termios.tcgetwinsize(theirs))))
    monkeypatch.setattr(Tty, "fileno", lambda _: theirs)
    for lines, columns in ((0, 0), (0, 100), (30, 0)):
        termios.tcsetwinsize(theirs, (lines, columns))
        assert terminal.problem() is None
        terminal.prepare()
        assert termios.tcgetwinsize(theirs) == (lines or 24, columns or 80)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("env", "signs"),
    [
        ({"LANG": "de_DE.UTF-8"}, UNICODE),
        ({"LANG": "C", "LC_ALL": "C.utf8"}, UNICODE),
        ({"LANG": "de_DE", "LC_CTYPE": "en_US.UTF-8"}, UNICODE),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, ASCII),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, ASCII),
        ({"LANG": "de_DE.ISO-8859-1"}, ASCII),
        ({}, ASCII),
    ],
)
def test_signs_are_those_of_the_locale(env: dict[str, str], signs: Glyphs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fifth is what Python makes of LANG=C."""
    for name in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert terminal.glyphs() is signs


def test_a_terminal_without_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("curses.setupterm", lambda **_: None)
    for colours, wants_none in ((256, False), (-1, True)):
        monkeypatch.setattr("curses.tigetnum", lambda _, colours=colours: colours)
        terminal.prepare()
        assert ("NO_COLOR" in os.environ) is wants_none


def test_what_follows_a_break_stands_under_the_words() -> None:
    assert folded("one two three four five six seven", 20, indent=2) == "one two three four\n  five six seven"
    assert folded("  [10H]   a card that lies open", 24) == "  [10H]   a card that\n          lies open"
    assert folded("  short", 20) == "  short"
    assert folded("", 20) == ""
