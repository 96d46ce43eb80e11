"""The screen that shows a match while it is played, at a speed of its own, and then the next game.

It shows what has been handed over (`live.py`), as late as it likes: nobody waits for it.
"""

import asyncio
import os

import msgspec
from textual import events

from referee.film.film import Film
from referee.film.view import Viewer
from referee.kit.screen.draw import Glyphs, Line, Piece
from referee.kit.screen.pages import key_of
from referee.kit.watch.live import Begun, Ended, Message, More, joined
from referee.kit.watch.step import StepPage
from referee.rules.record import Record
from referee.tournament.workers.frames import PIPE_READ_BYTES, Frames

WAIT_S = 0.1
"""Seconds between two looks at whether the match has gone on."""


class Games:
    """The games that have been handed over so far, the last one perhaps in the middle."""

    def __init__(self, fd: int) -> None:
        """`fd` is the end of the pipe that is read."""
        self.fd = fd
        self.records: list[Record] = []
        self.ended = 0
        """How many of them are over."""
        self.is_closed = False
        """Whether no more will come."""
        self._frames: Frames[Message] = Frames(msgspec.msgpack.Decoder(Message))

    def read(self) -> None:
        """Take what has come."""
        try:
            data = os.read(self.fd, PIPE_READ_BYTES)
        except BlockingIOError:
            return
        self.is_closed = not data
        for message in self._frames.feed(data):
            self._take(message)

    def _take(self, message: Message) -> None:
        match message:
            case Begun():
                self.records.append(message.record)
            case More():
                self.records[-1] = joined(self.records[-1], message)
            case Ended():
                if self.ended == len(self.records):  # it was over before its beginning had been handed over
                    self.records.append(message.record)
                self.records[-1] = message.record
                self.ended = len(self.records)


class WatchPage(StepPage):
    """Shows the games one after another, each from its first event on."""

    ends = "q leave"

    def __init__(self, games: Games, planned: int, signs: Glyphs, viewer: Viewer) -> None:
        """`planned` is how many games will be played. There must be a game in `games` that has come some way."""
        self.games, self.planned = games, planned
        self.game = 0
        """The number of the game that is shown."""
        super().__init__(self._film(), self._where(), signs, viewer)
        self._waits_for: tuple[object, ...] = ()
        """What it waited for when that was drawn."""

    def on_mount(self) -> None:
        """Begin to show."""
        loop = asyncio.get_running_loop()
        os.set_blocking(self.games.fd, False)
        loop.add_reader(self.games.fd, self._read)
        self.go_on()
        self.redraw()

    def _read(self) -> None:
        self.games.read()
        if self.games.is_closed:
            asyncio.get_running_loop().remove_reader(self.games.fd)

    def _film(self) -> Film:
        return Film(self.games.records[self.game], is_whole=self.game < self.games.ended)

    def _where(self) -> str:
        return f"game {self.game} of {self.planned}" if self.planned > 1 else "the match"

    def on_key(self, event: events.Key) -> None:
        """Go to another game, or step through this one."""
        key = key_of(event)
        if key in {"n", "b"}:
            event.stop()
            event.prevent_default()
            self.show_game(self.game + (1 if key == "n" else -1), goes_on=self.goes_on)
            return
        self._catch_up()
        super().on_key(event)

    def show_game(self, game: int, *, goes_on: bool) -> bool:
        """Show another game from its beginning; returns whether it is there."""
        if not 0 <= game < len(self.games.records) or not (game < self.games.ended or self.games.records[game].moves):
            return False
        self.game, self.number = game, 0
        self.film, self.where = self._film(), self._where()
        if goes_on:
            self.go_on()
        self.redraw()
        return True

    def _catch_up(self) -> None:
        """Take in what has happened in this game since it was drawn."""
        if not self.film.is_whole and (
            self.game < self.games.ended or len(self.games.records[self.game].moves) > self.film.moves
        ):
            self.film = self._film()

    def reached_end(self) -> None:
        """Wait for what comes next in this game, or go on with the next one."""
        before = len(self.film)
        self._catch_up()
        if len(self.film) > before:
            return
        if self.film.is_whole and not self.show_game(self.game + 1, goes_on=True) and self.games.is_closed:
            self.pause()
        waits_for = (self.game, before, self.film.is_whole, self.games.is_closed)
        if waits_for != self._waits_for:
            self._waits_for = waits_for
            self.redraw()

    def prompt(self) -> list[Line]:
        """Where it is, what it waits for, and the keys."""
        lines = super().prompt()
        at_end = self.number + 1 == len(self.film)
        if at_end and not self.film.is_whole:
            lines[0] = (Piece("waiting for the next answer ...", "strong"),)
        elif at_end and self.games.is_closed and self.game + 1 == len(self.games.records):
            lines[0] = (Piece("That was the last event. q leaves, and the result is printed.", "strong"),)
        if self.planned > 1:
            lines[-1] = (*lines[-1], Piece("   n b games", "dim"))
        return lines
