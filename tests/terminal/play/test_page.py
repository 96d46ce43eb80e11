"""A person's match, played to its end by keys on a real screen of textual, against real bots; and what it leaves."""

import asyncio
import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from commands import GOLFREF
from msgspec.structs import replace
from on_screen import HANGS_S, shown, until
from processes import Marked
from textual.pilot import Pilot

from protocol.messages import Clocks
from referee.commands.match.play import PlayOptions, setup_of
from referee.play.match import match_messages
from referee.rules.record import GivenSlaps, Record
from referee.terminal.play.page import PlayPage
from referee.terminal.screen.draw import UNICODE
from referee.terminal.screen.pages import Terminal
from referee.tournament.verify.replay import check_record


def page(variant: str, mark: dict[str, str], against: str = "keeper,greedy", **changes: Any) -> PlayPage:
    order = PlayOptions(
        variant=variant,
        option=[f"{name}={json.dumps(value)}" for name, value in {"rounds": 1, **changes}.items()],
        against=[against],
        seat=1,
        seed="by keys",
        move_s=600.0,
        bank_s=6000.0,
        slap_s=60.0,
        pace_s=0.0,
    )
    setup = setup_of(order)
    assert [match.clocks.move_s for match in match_messages(setup)] == [1.0, 600.0, 1.0][: len(setup.bots)]
    slow_host = Clocks(start_s=60.0, move_s=60.0, bank_s=600.0, slap_s=10.0, slap_timing="broadcast")
    setup = replace(setup, clocks=slow_host, bots=tuple(replace(bot, env=mark) for bot in setup.bots))
    return PlayPage(setup, 1, "the rules", UNICODE, pace_s=0.0)


@contextlib.asynccontextmanager
async def running(page: PlayPage) -> AsyncIterator[Pilot[None]]:
    with contextlib.closing(page):
        async with Terminal(page).run_test(size=(80, 24)) as pilot:
            yield pilot


async def play_by_keys(page: PlayPage, choose: Callable[[PlayPage], str]) -> Record:
    async with running(page) as pilot:
        while True:
            await until(lambda: page.chooser is not None or page.is_over or bool(page.problem))
            assert not page.problem, page.problem
            if page.is_over:
                break
            await pilot.press(choose(page))
        await until(lambda: page.outcome is not None)
        await pilot.pause()
        assert "The match is over" in shown(page)
        await pilot.press("enter")
    assert page.outcome is not None
    assert page.outcome.record is not None
    return page.outcome.record


def first_key(page: PlayPage) -> str:
    """The first key of what can be done, as the screen shows it; cards before the menu."""
    chooser = page.chooser
    assert chooser is not None
    if any(key == "Enter" for key, _ in chooser.hints()):
        return "enter"
    cards = [key for place, key in chooser.marks().labels.items() if place not in chooser.marks().chosen]
    menu = {entry.words: entry.key for entry in chooser.menu()}
    if chooser.decision == "slap":
        return "space" if page.reactions_s else cards[0]
    return menu.get("knock") or (cards or list(menu.values()))[0]


def test_a_match_is_played_to_its_end(mark: dict[str, str]) -> None:
    played = page("cactus", mark)
    record = asyncio.run(play_by_keys(played, first_key))
    assert list(check_record(record)) == []
    assert [seat.name for seat in record.seats] == ["keeper", "human", "greedy"]
    assert not any(seat.faults for seat in record.seats)
    assert [seat.clocks and seat.clocks.slap_s for seat in record.seats] == [None, 60.0, None]
    assert played.seat.match is not None
    assert played.seat.match.clocks == record.seats[1].clocks
    windows = [move for move in record.moves if isinstance(move, GivenSlaps)]
    own = [one for move in windows for one in move.reactions if one.seat == 1 and one.target is not None]
    assert len(own) == len(played.reactions_s) == 1
    assert own[0].corrected_us is not None
    assert own[0].corrected_us / 1e6 >= played.reactions_s[0]


@pytest.mark.parametrize("keys", [("q", "y"), ("ctrl+c",)], ids=["q", "ctrl-c"])
def test_a_match_that_is_left_in_the_middle_leaves_nothing(
    keys: tuple[str, ...], mark: dict[str, str], marked: Marked
) -> None:
    async def leave(played: PlayPage) -> None:
        async with running(played) as pilot:
            await until(lambda: played.chooser is not None)
            assert len(marked()) == 2
            if "q" in keys:
                await look_around(played, pilot)
            await pilot.press(*keys)

    played = page("par-5", mark, against="greedy", course=[5])
    asyncio.run(leave(played))
    assert played.outcome is None
    assert not marked()


async def look_around(played: PlayPage, pilot: Pilot[None]) -> None:
    """Help and rules lie over the table, and wrong keys do nothing."""
    await pilot.press("?")
    assert "Signs" in shown(played)
    await pilot.press("down", "pagedown", "x", "r")
    assert "the rules" in shown(played)
    await pilot.press("escape", "Z")
    assert "`Z` means nothing here" in shown(played)
    await pilot.resize_terminal(60, 20)
    await pilot.press("q")
    assert "Leave the match?" in shown(played)
    await pilot.press("x")
    assert played.chooser is not None


@pytest.mark.parametrize(
    "how", ["the terminal is closed", pytest.param("the program is killed", marks=pytest.mark.full)]
)
def test_no_process_outlives_a_match_whose_terminal_or_program_is_gone(
    how: str, tmp_path: Path, mark: dict[str, str], marked: Marked, until_gone: Callable[[], None]
) -> None:
    """As a person starts it: in a terminal of its own."""
    bot = Path(sys.modules["referee"].__file__ or "").parent.parent / "bots/greedy/bot.py"
    env = [f"{name}={value}" for name, value in mark.items()]
    words = [*GOLFREF, "play", "six-card", "--against", f"env {' '.join(env)} {sys.executable} {bot}"]
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    own_terminal = ["sh", "-c", 'exec "$@" < "$0" > "$0" 2>&1', os.ttyname(theirs)]
    started = subprocess.Popen(
        [*own_terminal, *words], cwd=tmp_path, env=os.environ | mark | {"TERM": "xterm"}, start_new_session=True
    )
    with started:
        _read_until(ours, b"Choose the cards")
        assert any(str(bot) in command for command in marked().values())
        if how == "the program is killed":
            started.kill()
        os.close(ours)
        os.close(theirs)
        started.wait(HANGS_S)
    until_gone()
    assert not marked()


def _read_until(fd: int, text: bytes) -> None:
    seen = b""
    while text not in seen:
        assert select.select([fd], [], [], HANGS_S)[0], seen
        seen += os.read(fd, 65536)
