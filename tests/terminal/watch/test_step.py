"""Stepping through a record by keys, on a screen of textual."""

import pytest
from on_screen import on_screen, shown, until
from recorded_matches import BY_PRESET
from textual.pilot import Pilot

from protocol import events as wire
from referee.match_states.replay import Replay
from referee.match_states.view import OPEN
from referee.terminal.screen.draw import ASCII
from referee.terminal.watch.step import StepPage


def place(replay: Replay, number: int) -> tuple[int, int]:
    """The round and the turn of a step."""
    moment = replay.steps[number].moment
    return moment.round, moment.turn


@pytest.fixture(scope="module")
def replay() -> Replay:
    return Replay(BY_PRESET["cactus"])


def test_steps_by_event_turn_and_window(replay: Replay) -> None:
    page = StepPage(replay, "game 0", ASCII)

    async def look(pilot: Pilot[None]) -> None:
        assert "event 1 of" in shown(page)
        await pilot.press("right", "right")
        assert page.number == 2
        await pilot.press("left")
        assert page.number == 1
        await pilot.press("t")
        assert place(replay, page.number) == (1, 1)
        assert place(replay, page.number - 1) == (1, 0)
        await pilot.press("t", "t", "T")
        assert place(replay, page.number) == (1, 2)
        assert place(replay, page.number - 1) == (1, 1)
        await pilot.press("w")
        here = replay.steps[page.number].moment.window
        assert here
        await pilot.press("w", "W")
        assert replay.steps[page.number].moment.window == here
        await pilot.press("end")
        assert page.number == len(replay.steps) - 1
        await pilot.press("z")
        assert "z means nothing here" in shown(page)
        await pilot.press("home", "q")

    on_screen(page, look)


def test_steps_by_round() -> None:
    replay = Replay(BY_PRESET["par-course"])
    page = StepPage(replay, "game 0", ASCII)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.press("r")
        assert isinstance(replay.steps[page.number].event, wire.Round)
        assert place(replay, page.number) == (2, 0)
        await pilot.press("R")
        assert page.number == 0
        await pilot.press("R")
        assert "there is none before" in shown(page)
        await pilot.press("q")

    on_screen(page, look)


def test_every_viewer_and_open_cards(replay: Replay) -> None:
    page = StepPage(replay, "game 0", ASCII, viewer=1)

    async def look(pilot: Pilot[None]) -> None:
        assert "as seat 1 saw it" in shown(page)
        await pilot.press("t", "o")
        assert page.viewer == OPEN
        assert "[###]" not in shown(page)
        await pilot.press("p")
        assert "[###]" in shown(page)
        assert "(" not in shown(page).splitlines()[3]
        await pilot.press("v", "2", "9")
        assert page.viewer == 2
        assert "there are seats 0 to 2" in shown(page)
        await pilot.press("?")
        assert "open cards" in shown(page)
        await pilot.press("x", "q")

    on_screen(page, look)


def test_it_goes_on_by_itself_until_the_end_or_a_key(replay: Replay) -> None:
    page = StepPage(replay, "game 0", ASCII)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.press("end", "left", *"++", "space")
        await until(lambda: not page.goes_on)
        assert page.number == len(replay.steps) - 1
        await pilot.press("home", "space", "left")
        assert not page.goes_on
        await pilot.press("q")

    on_screen(page, look)
