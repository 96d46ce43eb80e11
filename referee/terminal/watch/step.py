"""The screen that steps through a match: by event, turn, slap window and round, forwards and backwards."""

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.timer import Timer

from referee.match_states.replay import Replay, ReplayedStep
from referee.match_states.step_view import StepView
from referee.match_states.view import OPEN, Viewer
from referee.terminal.screen.draw import Drawing, Glyphs, Line, Piece, block_line, draw_layouts, draw_middle
from referee.terminal.screen.pages import TablePage, key_of

HELP = """\
Keys
  right, left   the next event, the one before
  t, T          the next turn, the one before
  w, W          the next slap window, the one before
  r, R          the next round, the one before
  Home, End     the beginning, the end
  n, b          the next game, the one before, where several are shown
  Space         go on by itself, or stop
  +, -          faster, slower
  p             the public view
  0 to 9        what a seat knew
  o             open cards
  v             the next view
  up, down      move the table
  PgUp, PgDn    move it farther
  q, Escape     leave

Signs
  [10H]   a card that lies open
  (10H)   a card that lies face down, and that the viewer knows; with open cards all of them
  [###]   a card that lies face down, and that the viewer does not know (shaded where there is Unicode)
  .       an empty slot
  >       before a name: it is that seat's turn (an arrow where there is Unicode)
  =       beside the number of a slot: its row is taken as a stroke
  Below the name stands the total, with the points of the round once it is over; "ended" for \
the seat that knocked or finished; its shields; the dealer.

The view of a seat shows what its bot was told up to there, and its own comments. Times and all comments stand in \
the public view and in that of open cards: they are in the record only, and nobody is told them during a match.
"""

SPEEDS_S = (4.0, 2.0, 1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
"""Seconds for each event, from the slowest speed to the fastest."""

LINES_KEPT = 25
"""How many lines of what happened before are shown."""

Mark = Callable[[ReplayedStep], object]


class StepPage(TablePage):
    """Steps through one match."""

    ends: ClassVar[str] = "q leave"

    def __init__(self, replay: Replay, where: str, signs: Glyphs, viewer: Viewer = None, number: int = 0) -> None:
        """`where` says which match it is. `viewer` is who looks at first, and at the step of this number."""
        super().__init__(signs)
        self.replay, self.where, self.viewer = replay, where, viewer
        self.number = number
        """The number of the step that is shown."""
        self.goes_on = False
        """Whether one event after another is shown by itself."""
        self.speed = 3
        self._pacer: Timer | None = None
        self._hint = ""

    def on_mount(self) -> None:
        """Show the beginning."""
        self.redraw()

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Step, look from elsewhere, or leave."""
        event.stop()
        event.prevent_default()
        key = key_of(event)
        self._hint = ""
        if key in {"q", "escape"}:
            self.leave()
        elif key == "?":
            self.open_page(HELP)
        elif key in {"up", "down", "pageup", "pagedown"}:
            self.scroll_table(key)
        elif key in _VIEWS or key.isdigit():
            self._look(key)
        elif key in {"space", "+", "-", "="}:
            self._set_pace(key)
        elif key in _STEPS:
            self.pause()
            _STEPS[key](self)
        else:
            self._hint = f"{key} means nothing here"
        self.redraw()

    def leave(self) -> None:
        """End the program."""
        self.app.exit()

    def _look(self, key: str) -> None:
        """Look as somebody else."""
        everybody = [None, *range(len(self.replay.names)), OPEN]
        if key == "v":
            self.viewer = everybody[(everybody.index(self.viewer) + 1) % len(everybody)]
        elif key.isdigit() and int(key) >= len(self.replay.names):
            self._hint = f"there are seats 0 to {len(self.replay.names) - 1}"
        else:
            self.viewer = int(key) if key.isdigit() else _VIEWS[key]

    def _set_pace(self, key: str) -> None:
        """Go on by itself, stop, or go on faster or slower."""
        if key == "space":
            if self.goes_on:
                self.pause()
            else:
                self.go_on()
        else:
            self.speed = max(0, min(len(SPEEDS_S) - 1, self.speed + (-1 if key == "-" else 1)))
            if self.goes_on:
                self.go_on()

    # Steps

    def go_on(self) -> None:
        """Show one event after another from now on."""
        self.pause()
        self.goes_on = True
        self._pacer = self.set_interval(SPEEDS_S[self.speed], self._advance)

    def pause(self) -> None:
        """Stay where it is."""
        self.goes_on = False
        if self._pacer is not None:
            self._pacer.stop()
            self._pacer = None

    def _advance(self) -> None:
        if self.number + 1 < len(self.replay.steps):
            self.number += 1
            self.redraw()
        else:
            self.reached_end()

    def reached_end(self) -> None:
        """The last step is shown, and the time for another has come."""
        self.pause()
        self.redraw()

    def step(self, steps: int) -> None:
        """Go so many steps forwards, or backwards."""
        self.number = max(0, min(len(self.replay.steps) - 1, self.number + steps))

    def seek(self, mark: Mark, *, forwards: bool) -> None:
        """Go to where the next stretch of steps of one mark begins, or to where one began before.

        A step whose mark is None belongs to no stretch.
        """
        marks = [mark(step) for step in self.replay.steps]
        starts = [
            number for number, one in enumerate(marks) if one is not None and (not number or marks[number - 1] != one)
        ]
        there = [number for number in starts if (number > self.number if forwards else number < self.number)]
        if there:
            self.number = there[0] if forwards else there[-1]
        else:
            self._hint = "there is none any more" if forwards else "there is none before"

    # Drawing

    def redraw(self) -> None:
        """Draw the step that is reached."""
        if not self.is_mounted or not len(self.replay.steps):
            return
        replay = self.replay
        view = StepView(replay, self.number, self.viewer).table
        you = self.viewer if self.viewer is not None and self.viewer >= 0 else None
        how = Drawing(names=replay.names, first=you or 0, glyphs=self.signs)
        event = f"event {self.number + 1} of {len(replay.steps)}"
        self.show_title(f"{replay.title}  {self.where}  {event}  {self._seen_by()}")
        looks_at = view.turn if view.turn is not None else 0
        line = block_line(view, looks_at, how, self.size.width)
        self.show_table(draw_layouts(view, how, self.size.width), draw_middle(view, how), line)
        first = max(0, self.number - LINES_KEPT)
        self.say_only([line for one in range(first, self.number + 1) for line in self._lines(one)])
        self.show_prompt(self.prompt())

    def _lines(self, number: int) -> list[str]:
        seen = StepView(self.replay, number, self.viewer)
        return [*seen.words, *seen.notes]

    def prompt(self) -> list[Line]:
        """Where it is, and the keys."""
        moment, seats = self.replay.steps[self.number].moment, len(self.replay.names)
        pace = f"   {1 / SPEEDS_S[self.speed]:.2g} events a second" if self.goes_on else ""
        window = f", slap window {moment.window}" if moment.window else ""
        turn = f"turn {moment.turn}" if moment.turn else "before the first turn"
        where = f"round {moment.round}, {turn}{window}{pace}   {self._hint}"
        return [
            (Piece(where, "strong"),),
            (Piece("left right event  t T turn  w W slap window  r R round  Space go on  + - pace", "dim"),),
            (Piece(f"p public   0-{min(9, seats - 1)} a seat   o open   ? help   {self.ends}", "dim"),),
        ]

    def _seen_by(self) -> str:
        if self.viewer is None:
            return "public view"
        return "open cards" if self.viewer == OPEN else f"as seat {self.viewer} saw it"


def _turn(step: ReplayedStep) -> object:
    return step.moment.round, step.moment.turn


def _window(step: ReplayedStep) -> object:
    return (step.moment.round, step.moment.window) if step.moment.window else None


def _round(step: ReplayedStep) -> object:
    return step.moment.round


_VIEWS: dict[str, Viewer] = {"p": None, "o": OPEN, "v": None}
"""Who looks after a key. `v` goes to the next one."""

_STEPS: dict[str, Callable[[StepPage], None]] = {
    "right": lambda page: page.step(1),
    "left": lambda page: page.step(-1),
    "enter": lambda page: page.step(1),
    "home": lambda page: page.step(-len(page.replay.steps)),
    "end": lambda page: page.step(len(page.replay.steps)),
    "t": lambda page: page.seek(_turn, forwards=True),
    "T": lambda page: page.seek(_turn, forwards=False),
    "w": lambda page: page.seek(_window, forwards=True),
    "W": lambda page: page.seek(_window, forwards=False),
    "r": lambda page: page.seek(_round, forwards=True),
    "R": lambda page: page.seek(_round, forwards=False),
}
"""Where a key leads."""
