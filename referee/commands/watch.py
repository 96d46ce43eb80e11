"""watch: follow a run on the terminal, match by match."""

from pathlib import Path

from protocol.text import printable
from referee.commands.console import DONE, USAGE, put, say
from referee.kit.screen import terminal
from referee.kit.watch.run import RunReader
from referee.tournament.store.disk import StoreError


def watch_run(path: Path) -> int:
    """Follow a run until the person leaves."""
    reader = RunReader(path)
    try:
        now = reader.look()
    except StoreError as error:
        say(f"golfref watch: {error}")
        return USAGE
    if why := terminal.problem():
        say(f"golfref watch: {why}")
        return USAGE
    terminal.prepare()
    # textual takes long to import, and may be missing
    from referee.kit.screen.pages import Terminal  # noqa: PLC0415
    from referee.kit.watch.follow import RunPage  # noqa: PLC0415

    page = RunPage(reader, now, terminal.glyphs())
    Terminal(page).run(mouse=False)
    name, done = printable(page.now.name, 40), f"{len(page.now.matches)} of {page.now.planned} matches"
    put(f"{name}: {done}; `golfref standings {path}` prints the tables")
    return DONE
