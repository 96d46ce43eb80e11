"""What this terminal can show, and what is missing where it cannot.

It must not import textual: that takes long, and it may not be there.
"""

import curses
import importlib.util
import os
import sys
import termios

from referee.streams import writes_utf8
from referee.terminal.screen.draw import ASCII, UNICODE, Glyphs

FEWEST_COLUMNS, FEWEST_LINES = 60, 20
"""A smaller terminal shows too little of a table to play at it."""

USUAL_COLUMNS, USUAL_LINES = 80, 24


def problem() -> str | None:
    """Why nothing can be drawn here, and what to do; None where it can."""
    if importlib.util.find_spec("textual") is None:
        return (
            f"this draws with textual, which is not installed; `{sys.executable} -m pip install 'textual>=8'` "
            "brings it, and so does the extra `play` of golfref"
        )
    if not (sys.__stdin__ and sys.__stdin__.isatty() and sys.__stderr__ and sys.__stderr__.isatty()):
        return "this needs a terminal: input and standard error must not be redirected"
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        name = os.environ.get("TERM", "")
        return (
            f"this draws on the whole terminal, and TERM={name or '(not set)'} says that this one cannot; "
            "set TERM to what it is, such as TERM=xterm or TERM=vt100"
        )
    columns, lines = _size(sys.__stderr__.fileno())
    if columns < FEWEST_COLUMNS or lines < FEWEST_LINES:
        return (
            f"this needs at least {FEWEST_COLUMNS} columns and {FEWEST_LINES} lines, "
            f"and this terminal has {columns} and {lines}"
        )
    return None


def glyphs() -> Glyphs:
    """The signs that the user's locale and the encoding of stderr have.

    The names in the environment tell it. Python itself takes the locale C for one of Unicode, and notes that as
    LC_CTYPE.
    """
    if sys.__stderr__ is not None and not writes_utf8(sys.__stderr__):
        return ASCII
    lang, ctype = os.environ.get("LANG", ""), os.environ.get("LC_CTYPE", "")
    is_pythons = ctype in ("C.UTF-8", "C.utf8", "UTF-8") and lang in ("", "C", "POSIX")
    name = os.environ.get("LC_ALL") or ("" if is_pythons else ctype) or lang
    return UNICODE if "utf8" in name.lower().replace("-", "") else ASCII


def _size(fd: int) -> tuple[int, int]:
    """Columns and lines of the terminal. A size of 0 is one that the terminal does not know, as on a serial console."""
    columns, lines = os.get_terminal_size(fd)
    return columns or USUAL_COLUMNS, lines or USUAL_LINES


def prepare() -> None:
    """Give the terminal the usual size where it does not know its own, which textual needs.

    Let textual use no colours where the terminal has none, as where the user wants none (NO_COLOR).
    """
    fd = sys.__stderr__.fileno() if sys.__stderr__ else 2
    columns, lines = _size(fd)
    if (columns, lines) != os.get_terminal_size(fd):
        termios.tcsetwinsize(fd, (lines, columns))
    try:
        curses.setupterm(fd=fd)
        has_colours = curses.tigetnum("colors") > 0
    except curses.error:
        has_colours = True  # the system does not know this terminal
    if not has_colours:
        os.environ["NO_COLOR"] = "1"
