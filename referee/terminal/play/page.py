"""The screen of a person who plays: it shows what the seat is told, and turns keys into answers.

The match is played by a process of its own (`table.py`), whose bot for this seat is `relay.py`.
"""

import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from textual import events

from protocol.actions import Pass
from protocol.messages import End
from referee.match_states.view import View
from referee.play.match import MatchSetup
from referee.terminal.play import relay
from referee.terminal.play.help import HELP
from referee.terminal.play.powers import power_in_words
from referee.terminal.play.process import MatchProcess, RefereeEnded
from referee.terminal.play.seat import Beat, Seat
from referee.terminal.play.table import Outcome
from referee.terminal.screen.choose import Chooser, WrongKey
from referee.terminal.screen.draw import Drawing, Glyphs, Line, Piece, block_line, draw_layouts, draw_middle
from referee.terminal.screen.pages import TablePage, key_of

LONGEST_LINE = 1 << 20
"""More bytes than a line of the referee can have."""

DOUBLE_PRESS_S = 0.12
"""A key that comes sooner after a slap window has opened was meant for something else: nobody reacts so fast."""

TICK_S = 0.1
"""Time between two looks at the clock and at the match."""

ROUND_PAUSE_S = 3600.0
"""After a round the screen waits for a key."""


class PlayPage(TablePage):
    """A match with a person at one seat. After it has run, `outcome` tells what came of it, None where it was left."""

    def __init__(self, setup: MatchSetup, seat: int, rules: str, signs: Glyphs, *, pace_s: float) -> None:
        """`setup` has a bot of any command at the person's seat. `pace_s` is the time for each event."""
        super().__init__(signs)
        self._setup, self._seat_number, self._rules, self._pace_s = setup, seat, rules, pace_s
        self._names = [bot.name for bot in setup.bots]
        self.seat = Seat(self._names)
        self.outcome: Outcome | None = None
        self.problem = ""
        """Why the match could not be played, where it was not the host's fault."""
        self.reactions_s: list[float] = []
        """The time of each slap of this match, as the person saw it: from the window on the screen to the key."""
        self._view: View | None = None
        """The table as it is shown; what happens is shown one after another."""
        self.chooser: Chooser | None = None
        """The question that waits for keys."""
        self._hint = ""
        self._beats: asyncio.Queue[Beat | End | None] = asyncio.Queue()
        self._is_pausing = False
        self._skip = asyncio.Event()
        self._hurries = False
        self._in_sight: tuple[int | None, bool] | None = None
        """The seat that the table was moved to last, and whether that was while the others played."""
        self._asked_s = 0.0
        self._too_soon_s = DOUBLE_PRESS_S if pace_s else 0.0
        self._writer: asyncio.StreamWriter | None = None
        self._server: asyncio.Server | None = None
        self._process: MatchProcess | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="golfref-play-")
        """The place of the socket through which the seat's lines come."""
        self._leaves = False
        self.is_over = False
        """Whether the seat has been told the result."""

    async def on_mount(self) -> None:
        """Begin the match."""
        self.run_worker(self._tell(), exit_on_error=True)
        path = str(Path(self._folder.name, "screen"))
        self._server = await asyncio.start_unix_server(self._hear, path, limit=LONGEST_LINE)
        self._process = MatchProcess(self._seated(path))
        self.set_interval(TICK_S, self._tick)
        self.redraw()

    async def on_unmount(self) -> None:
        """Hear nothing more."""
        if self._server is not None:
            self._server.close()
        if self._writer is not None:
            self._writer.close()

    def close(self) -> None:
        """End the match, if it has not ended, and all its bots. Call this when the page has run."""
        if self._process is not None:
            self._process.close()
        self._folder.cleanup()

    def _seated(self, path: str) -> MatchSetup:
        """The match with the relay at the person's seat."""
        script = Path(relay.__file__).resolve()
        person = self._setup.bots[self._seat_number]
        spec = replace(
            person,
            command=(sys.executable, "-I", "-S", str(script)),
            dir=str(script.parent),
            env={**person.env, "GOLFREF_SCREEN": path},
        )
        bots = [spec if number == self._seat_number else bot for number, bot in enumerate(self._setup.bots)]
        return replace(self._setup, bots=tuple(bots))

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take the seat's lines as they come."""
        self._writer = writer
        self._folder.cleanup()  # nobody else is to come, and so nothing is left if this process is killed
        try:
            while line := await reader.readline():
                self._take(line)
        finally:
            writer.close()

    def _take(self, line: bytes) -> None:
        """Answer a line of the referee, or keep what it tells to be shown."""
        reply, beats = self.seat.hear(line)
        if reply is not None:
            self._send(reply)
        for beat in beats:
            self._beats.put_nowait(beat)
        if self.seat.end is not None:
            self._beats.put_nowait(self.seat.end)
        elif self.seat.request is not None:
            if not self.seat.has_choice:
                self._send(self.seat.answer(Pass()))
                return
            if self.seat.request.decision == "slap":
                self._hurries = True
                self._skip.set()
            self._beats.put_nowait(None)

    def _send(self, line: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(line)

    async def _tell(self) -> None:
        """Show what happens, one after another, and then what is asked."""
        while True:
            item = await self._beats.get()
            if isinstance(item, Beat):
                self._view = item.view
                self.say(*item.words)
                self.redraw()
                await self._pause(ROUND_PAUSE_S if item.ends_round and self._pace_s else self._pace_s)
            elif isinstance(item, End):
                self._finish(item)
            else:
                self._hurries = False
                self._view, self._hint = self.seat.view, ""
                self.chooser = self.seat.chooser()
                self._asked_s = time.monotonic()
                self.redraw()

    async def _pause(self, seconds: float) -> None:
        """Leave time to see what has happened. A key ends it, and so does a slap window."""
        if self._hurries or not seconds:
            return
        self._skip.clear()
        self._is_pausing = seconds == ROUND_PAUSE_S
        self.redraw()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._skip.wait(), seconds)
            if not self._is_pausing:
                self._hurries = True  # a key shows all at once, until something is asked
        self._is_pausing = False

    def _is_slap(self) -> bool:
        return self.chooser is not None and self.chooser.decision == "slap"

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Take a key: for the question that is open, or for the screen."""
        event.stop()
        event.prevent_default()
        key = key_of(event)
        if self._leaves:
            self._leaves = False
            if key in {"y", "Y", "q"}:
                self.app.exit()
        elif key in {"<", ">"}:
            self.scroll_table("pageup" if key == "<" else "pagedown")
        elif key in {"pageup", "pagedown", "home", "end"}:
            self.scroll_log(key)
        elif key in {"q", "?", "r"}:
            self._turn_aside(key)
        elif self.chooser is not None:
            self.follow_log()
            self._choose(key)
        elif self.is_over and key in {"enter", "escape"}:
            self.app.exit()
        else:
            self.follow_log()
            self._skip.set()
        self.redraw()

    def _turn_aside(self, key: str) -> None:
        """Ask whether to leave, or open a page over the table."""
        if key == "q" and self.is_over:
            self.app.exit()
        elif key == "q":
            self._leaves = True
        else:
            self.open_page(HELP if key == "?" else self._rules)

    def _choose(self, key: str) -> None:
        chooser = self.chooser
        if chooser is None or (self._is_slap() and time.monotonic() - self._asked_s < self._too_soon_s):
            return
        self._hint = ""
        try:
            action = chooser.press(key)
        except WrongKey as wrong:
            self._hint = str(wrong)
            return
        if action is None:
            return
        if self._is_slap():
            reaction_s = time.monotonic() - self._asked_s
            if action.__struct_config__.tag == "slap":
                self.reactions_s.append(reaction_s)
                self.say(f"    you slapped after {reaction_s:.3f} s", style="strong")
        self.chooser = None
        self._send(self.seat.answer(action))

    def _tick(self) -> None:
        """See whether the match or the time for a question is over; show that time where it matters."""
        if self._process is not None and self.outcome is None and not self.problem:
            self._look_at_process(self._process)
        request = self.seat.request
        if self.chooser is None or request is None:
            return
        left_s = self._left_s()
        if left_s <= 0:
            self.chooser = None
            self.seat.request = None
            self._hint = "too late: that was a pass" if request.decision == "slap" else "too late: the referee decided"
            self.redraw()
        elif request.decision == "slap" or left_s < 60:
            self._draw_prompt()

    def _look_at_process(self, process: MatchProcess) -> None:
        try:
            self.outcome = process.outcome()
        except RefereeEnded as ended:
            self.problem = str(ended)
        if self.problem or (self.outcome is not None and self.outcome.record is None):
            self.app.exit()

    def _left_s(self) -> float:
        request = self.seat.request
        return 0.0 if request is None else self._asked_s + request.time_s - time.monotonic()

    # The end

    def _finish(self, end: End) -> None:
        self.is_over, self.chooser = True, None
        you = self._seat_number
        options = self._setup.variant.options
        is_full = options.limit is not None and max(end.totals) >= options.limit
        why = f"a total has come to {options.limit}" if is_full else "all rounds are played"
        self.say("", f"the match ends: {why}")
        for seat in sorted(range(len(self._names)), key=lambda seat: (end.ranks[seat], end.totals[seat])):
            whose = "you" if seat == you else self._names[seat]
            gone = ", forfeited" if seat in end.forfeited else ""
            self.say(f"  {end.ranks[seat]}. {whose}: {end.totals[seat]}{gone}", style="strong" if seat == you else "")
        self.redraw()

    # Drawing

    def redraw(self) -> None:
        """Draw all that depends on the state anew."""
        if not self.is_mounted:
            return
        self._draw_title()
        view = self._view
        if view is not None:
            self._draw_table(view)
        self._draw_prompt()

    def _draw_title(self) -> None:
        match, view = self.seat.match, self._view
        where = "" if view is None or not view.round else f"  {'playoff, ' if view.playoff else ''}round {view.round}"
        self.show_title(f"{self._setup.name}{where}  " + ("" if match is None else self._against()))

    def _against(self) -> str:
        others = [name for seat, name in enumerate(self._names) if seat != self._seat_number]
        return f"you, seat {self._seat_number}, against {', '.join(others)}"

    def _draw_table(self, view: View) -> None:
        marks = None if self.chooser is None else self.chooser.marks()
        if self.chooser is not None and (arranged := self.chooser.arranged()) is not None:
            view = _as_arranged(view, *arranged)
        how = Drawing(names=self._names, first=self._seat_number, you=self._seat_number, glyphs=self.signs, marks=marks)
        looks_at = view.turn if marks is None else self._seat_number if marks.cursor is None else marks.cursor[0]
        in_sight = (looks_at, marks is None)
        line = block_line(view, looks_at or 0, how, self.size.width) if in_sight != self._in_sight else None
        self._in_sight = in_sight
        self.show_table(draw_layouts(view, how, self.size.width), draw_middle(view, how), line)

    def _draw_prompt(self) -> None:
        self.show_prompt([*self._prompt(), self._footer()])

    def _prompt(self) -> list[Line]:
        if self._leaves:
            return [(Piece("Leave the match? It ends without a result.  y leaves, any other key goes on", "strong"),)]
        if self.is_over:
            return [(Piece("The match is over. Enter leaves.", "strong"),)]
        if self.chooser is not None:
            return _question(self.chooser, self._clock(), self._hint or self._power(), self.size.width)
        if self._is_pausing:
            return [(Piece("The round is over. Any key goes on.", "strong"),)]
        waits = "The others play ..." if self.seat.view is not None else "The bots start ..."
        return [(Piece(self._hint or waits, "dim"),)]

    def _power(self) -> str:
        """What the card in hand can do if it is discarded; empty where it cannot, or has no power."""
        chooser, view = self.chooser, self._view
        if chooser is None or view is None or view.hand is None or not chooser.can_discard:
            return ""
        card = view.known.get(view.hand.cards[0])
        does = "" if card is None else power_in_words(self._setup.variant, card)
        return f"a discarded {card} has a power: {does}" if does else ""

    def _clock(self) -> str:
        left_s = self._left_s()
        if self._is_slap():
            return f"  {left_s:.1f} s"
        return f"  {left_s:.0f} s left" if left_s < 60 else ""

    def _footer(self) -> Line:
        table = "   < > table" if self.is_cut else ""
        return (Piece(f"? keys and signs   r rules   PgUp PgDn what happened{table}   q leave", "dim"),)


def _question(chooser: Chooser, clock: str, hint: str, width: int) -> list[Line]:
    """What is asked, and the keys that answer it."""
    lines: list[Line] = [(Piece(chooser.question, "strong"), Piece(clock, "strong"))]
    keys = [*chooser.hints(), *((entry.key, entry.words) for entry in chooser.menu())]
    row: list[Piece] = []
    for key, words in keys:
        taken = sum(len(piece.text) for piece in row)
        if row and taken + len(f"   {key} {words}") > width:
            lines.append(tuple(row))
            row = []
        row += [Piece("   " if row else " "), Piece(key, "key"), Piece(f" {words}")]
    lines.append(tuple(row))
    return [*lines, *([(Piece(f" {hint}", "dim"),)] if hint else [])]


def _as_arranged(view: View, seat: int, order: Sequence[int]) -> View:
    """The table with a seat's cards in another order: each occupied slot has the card of the slot that is named."""
    layout = view.layouts[seat]
    new = [*layout]
    occupied = [slot for slot, placed in enumerate(layout) if placed is not None]
    for slot, source in zip(occupied, order, strict=True):
        new[slot] = layout[source]
    return replace(view, layouts=(*view.layouts[:seat], tuple(new), *view.layouts[seat + 1 :]))
