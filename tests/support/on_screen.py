"""A page on a screen of textual: what stands there, and waiting for what its keys bring about."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

from referee.terminal.screen.pages import Terminal

HANGS_S = 50.0

Look = Callable[[Pilot[None]], Awaitable[None]]


def shown(page: Any) -> str:
    """The text on the screen."""
    return "\n".join("".join(one.text for one in strip) for strip in page.app.screen._compositor.render_strips())


def on_screen(page: Any, look: Look, size: tuple[int, int] = (80, 24)) -> None:
    """Show the page to somebody who looks at it and presses keys. `size` is columns and lines."""

    async def run() -> None:
        async with Terminal(page).run_test(size=size) as pilot:
            await pilot.pause()
            await look(pilot)

    asyncio.run(run())


async def until(holds: Callable[[], bool]) -> None:
    """Wait for that."""
    async with asyncio.timeout(HANGS_S):
        while not holds():
            await asyncio.sleep(0.005)
