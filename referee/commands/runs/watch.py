"""watch: follow a run on the terminal, match by match."""

from protocol.text import printable
from referee.commands.console import put
from referee.commands.options import RunFile
from referee.errors import DONE, CommandError
from referee.terminal.screen import terminal
from referee.terminal.watch.run import RunReader


def watch(run: RunFile) -> int:
    """Follow a run on this terminal while it is played, match by match, until you leave.

    Example: golfref watch cup.golfref
    """
    reader = RunReader(run)
    now = reader.look()
    if why := terminal.problem():
        raise CommandError(why)
    terminal.prepare()
    # textual takes long to import, and may be missing
    from referee.terminal.screen.pages import Terminal  # noqa: PLC0415
    from referee.terminal.watch.follow import RunPage  # noqa: PLC0415

    page = RunPage(reader, now, terminal.glyphs())
    Terminal(page).run(mouse=False)
    name, done = printable(page.now.name, 40), f"{len(page.now.matches)} of {page.now.planned} matches"
    put(f"{name}: {done}; `golfref standings {run}` prints the tables")
    return DONE
