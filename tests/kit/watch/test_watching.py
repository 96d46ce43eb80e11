"""Games are drawn while they are played, as late as the screen likes, from what is handed over."""

import os
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from on_screen import on_screen, shown, until
from recorded_matches import BY_PRESET
from textual.pilot import Pilot

from referee.kit.screen.draw import ASCII
from referee.kit.watch.live import Begun, Ended, Message, More
from referee.kit.watch.watching import Games, WatchPage
from referee.tournament.workers.frames import frame

RECORD = BY_PRESET["cactus"]
MOVES = len(RECORD.moves)

BEGUN = Begun(record=replace(RECORD, moves=(), rounds=()))
HALF = More(moves=RECORD.moves[: MOVES // 2], first_round=0, rounds=RECORD.rounds)
REST = More(moves=RECORD.moves[MOVES // 2 :], first_round=0, rounds=RECORD.rounds)
ENDED = Ended(record=RECORD)


class Pipe:
    def __init__(self) -> None:
        reading, self.writing = os.pipe()
        self.games = Games(reading)

    def send(self, *messages: Message) -> None:
        for message in messages:
            data = frame(message)
            while data:
                data = data[os.write(self.writing, data) :]

    def read(self, *messages: Message) -> None:
        """Send them and have them read, as far as a pipe holds them."""
        for message in messages:
            data = frame(message)
            while data:
                data = data[os.write(self.writing, data[:4096]) :]
                self.games.read()

    def close(self) -> None:
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()
    os.close(pipe.games.fd)


def test_what_is_handed_over_piece_by_piece_is_the_record(pipe: Pipe) -> None:
    pipe.read(BEGUN, HALF)
    assert pipe.games.records == [replace(RECORD, moves=RECORD.moves[: MOVES // 2])]
    pipe.read(REST)
    assert (pipe.games.records, pipe.games.ended) == ([RECORD], 0)
    pipe.read(ENDED, ENDED)
    assert (pipe.games.records, pipe.games.ended) == ([RECORD, RECORD], 2)
    pipe.close()
    pipe.games.read()
    assert pipe.games.is_closed


def test_a_game_is_shown_as_far_as_it_has_come_and_then_the_next(pipe: Pipe) -> None:
    pipe.read(BEGUN, HALF)
    page = WatchPage(pipe.games, 2, ASCII, None)

    async def look(pilot: Pilot[None]) -> None:
        assert "game 0 of 2" in shown(page)
        await pilot.press(*"+++++", "end", "space")
        await pilot.pause()
        half = len(page.film)
        assert not page.film.is_whole
        assert "waiting for the next answer" in shown(page)
        pipe.send(REST, ENDED)
        await until(lambda: page.number > half)
        await pilot.press("end", "space")
        assert page.film.is_whole
        pipe.send(BEGUN, HALF)
        await until(lambda: page.game == 1)
        await pilot.press("left", "b")
        assert page.game == 0
        await pilot.press("n", "end")
        assert page.game == 1
        pipe.send(REST, ENDED)
        pipe.close()
        await until(lambda: pipe.games.is_closed)
        await pilot.press("end", "space")
        await until(lambda: not page.goes_on)
        await pilot.pause()
        assert "That was the last event" in shown(page)
        await pilot.press("q")

    on_screen(page, look)
