"""What all screens share: the parts of the page, how lines are coloured, and a page of text over it.

It uses no colours but those of the terminal, and nothing is told by colour alone.
"""

import asyncio
import contextlib
import re
import signal
from collections import deque
from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import RichLog, Static

from referee.terminal.screen.draw import Glyphs, Line

STYLES = {
    "": "",
    "dim": "dim",
    "strong": "bold",
    "red": "red",
    "known": "italic",
    "key": "bold",
    "marked": "reverse",
}
"""The styles of a drawing, in the words of rich."""

LOG_LINES = 3
"""At least so many lines of what has happened stay in sight."""

MOST_LINES = 2000
"""So many lines of what has happened can be looked at."""

SCROLLS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -100000, "end": 100000}
"""How many lines a key moves a text."""


def styled(lines: Sequence[Line]) -> Text:
    """The lines as textual shows them."""
    text = Text(no_wrap=True, overflow="crop")
    for number, line in enumerate(lines):
        text.append("\n" * (number > 0))
        for piece in line:
            text.append(piece.text, STYLES[piece.style])
    return text


def key_of(event: events.Key) -> str:
    """A key by its character where it has one that is seen, else by its name."""
    character = event.character or ""
    return character if character.isprintable() and character.strip() else event.key


def folded(line: str, width: int, indent: int = 0) -> str:
    """The line broken at spaces to this width. What follows a break stands `indent` right of the line's own margin.

    A first word that stands apart, as a sign does that is explained, belongs to the margin.
    """
    margin = re.match(r" *(\S+ {2,})?", line)
    under = min(margin.end() if margin else 0, width // 2) + indent
    return "\n".join(wrap(line, max(width, 20), subsequent_indent=" " * under))


class TextPage(ModalScreen[None]):
    """A text over the whole screen. Arrows and page keys move it, any other key closes it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._said = text

    def compose(self) -> ComposeResult:
        """The text, and how to go on."""
        with VerticalScroll(id="page", can_focus=False):
            yield Static(id="said", markup=False)
        yield Static("arrows and page keys move the text, any other key closes it", id="page-keys", markup=False)

    def on_resize(self) -> None:
        """Break the lines for the new size."""
        width = self.size.width - 2
        text = "\n".join(folded(line, width) for line in self._said.splitlines())
        self.query_one("#said", Static).update(Text(text))

    def on_key(self, event: events.Key) -> None:
        """Move the text, or close it."""
        event.stop()
        event.prevent_default()
        if event.key in SCROLLS:
            self.query_one("#page", VerticalScroll).scroll_relative(y=SCROLLS[event.key], animate=False)
        else:
            self.dismiss()


class TablePage(Screen[None]):
    """A page with a title, the layouts, the stock and the pile, what has happened, and what can be done."""

    def __init__(self, signs: Glyphs) -> None:
        super().__init__()
        self.signs = signs
        self._said: deque[tuple[str, str]] = deque(maxlen=MOST_LINES)
        """What has happened, as lines and their styles."""
        self._follows = True
        """Whether the last line of what has happened stays in sight."""
        self.is_cut = False
        """Whether the layouts need more lines than there are for them."""

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        yield Static(id="title", markup=False)
        with VerticalScroll(id="table", can_focus=False):
            yield Static(id="layouts", markup=False)
        yield Static(id="middle", markup=False)
        log = RichLog(id="log", wrap=True, markup=False, max_lines=MOST_LINES)
        log.can_focus = False
        yield log
        yield Static(id="prompt", markup=False)

    def on_resize(self) -> None:
        """Fit the drawing, and what has happened, into the new size."""
        self.query_one("#log", RichLog).clear()
        for line, style in self._said:
            self._write(line, style)
        self.redraw()

    def redraw(self) -> None:
        """Draw all that depends on the state anew."""

    # The parts

    def show_title(self, text: str) -> None:
        """The first line, as wide as the screen."""
        self.query_one("#title", Static).update(Text(f" {text}"[: self.size.width].ljust(self.size.width)))

    def show_table(self, layouts: Sequence[Line], middle: Line, in_sight: int | None = 0) -> None:
        """The layouts, and stock, pile and hand. The line `in_sight` of the layouts is shown in any case, if given."""
        self.query_one("#layouts", Static).update(styled(layouts))
        self.query_one("#middle", Static).update(styled([(), middle]))
        room = max(6, self.size.height - 1 - 2 - LOG_LINES - 4)
        table = self.query_one("#table", VerticalScroll)
        table.styles.height = min(len(layouts), room)
        self.is_cut = len(layouts) > room
        if self.is_cut and in_sight is not None:
            table.scroll_to(y=max(0, min(in_sight, len(layouts) - room)), animate=False)

    def show_prompt(self, lines: Sequence[Line]) -> None:
        """What can be done now."""
        text = styled(lines)
        text.no_wrap, text.overflow = False, "fold"
        self.query_one("#prompt", Static).update(text)
        if self._follows:  # the prompt may take more lines than before
            self.call_after_refresh(self.query_one("#log", RichLog).scroll_end, animate=False)

    def say(self, *lines: str, style: str = "") -> None:
        """What has happened, below what has happened before."""
        for line in lines:
            self._said.append((line, style))
            self._write(line, style)

    def _write(self, line: str, style: str) -> None:
        self.query_one("#log", RichLog).write(Text(folded(line, self.size.width, indent=2), style=STYLES[style]))

    def say_only(self, lines: Sequence[str]) -> None:
        """What has happened, in place of what stands there."""
        self._said.clear()
        self.query_one("#log", RichLog).clear()
        self.say(*lines)

    def scroll_log(self, key: str) -> None:
        """Move what has happened."""
        log = self.query_one("#log", RichLog)
        log.scroll_relative(y=SCROLLS[key], animate=False)
        log.auto_scroll = self._follows = log.scroll_y + SCROLLS[key] >= log.max_scroll_y

    def follow_log(self) -> None:
        """From now on the last line of what has happened stays in sight."""
        log = self.query_one("#log", RichLog)
        log.auto_scroll = self._follows = True
        log.scroll_end(animate=False)

    def scroll_table(self, key: str) -> None:
        """Move the layouts."""
        self.query_one("#table", VerticalScroll).scroll_relative(y=SCROLLS[key], animate=False)

    def open_page(self, text: str) -> None:
        """Show a text over everything."""
        self.app.push_screen(TextPage(text))


class Terminal(App[None]):
    """The whole terminal, on which one page is shown at first. `run` returns when the person leaves."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]
    CSS = """
    Screen, ModalScreen { background: ansi_default; color: ansi_default; scrollbar-size: 0 0; }
    Static { background: ansi_default; color: ansi_default; }
    #title { height: 1; text-style: reverse; }
    #table { height: auto; scrollbar-size: 0 0; background: ansi_default; }
    #table Static { width: auto; }
    #middle { height: 2; }
    #log { height: 1fr; min-height: 3; scrollbar-size: 0 0; background: ansi_default; color: ansi_default; }
    #prompt { dock: bottom; height: auto; max-height: 7; }
    #page { height: 1fr; scrollbar-size: 0 0; padding: 0 1; background: ansi_default; }
    #page-keys { height: 1; text-style: reverse; }
    """

    def __init__(self, page: Screen[None]) -> None:
        super().__init__(ansi_color=True)
        self._page = page

    def get_default_screen(self) -> Screen[None]:
        """The page that is shown at first."""
        return self._page

    def on_mount(self) -> None:
        """End in order when the terminal is closed, or the program is asked to end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with contextlib.suppress(ValueError, RuntimeError):  # only the main thread hears signals
                loop.add_signal_handler(number, self.exit)

    def action_leave(self) -> None:
        """Ctrl-C: end the program at once."""
        self.exit()
