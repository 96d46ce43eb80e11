"""match --watch: the games are played by a process of their own, which prints what it always does; here they are drawn.

What it printed is shown when the screen has been left.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import referee
from referee.commands.console import USAGE, say
from referee.commands.match import play_match
from referee.commands.ordered import Ordered
from referee.film.view import OPEN, Viewer
from referee.kit.screen import terminal
from referee.kit.watch.live import HandOver
from referee.streams import set_up_streams

if TYPE_CHECKING:
    from referee.kit.watch.watching import Games

_START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.commands.watched import main; main()"

END_PATIENCE_S = 5.0
"""How long the process may take to end its bots and itself."""


def watch_match(order: Ordered, view: str) -> int:
    """Play the games and draw them as they are played; return the exit code of `golfref match`."""
    viewer, problem = viewer_of(view, len(order.bots))
    if problem:
        say(f"golfref match: --view: {problem}")
        return USAGE
    if why := terminal.problem():
        say(f"golfref match: {why}")
        return USAGE
    # textual takes long to import, and may be missing
    from referee.kit.watch.watching import Games  # noqa: PLC0415

    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command(order, writing),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        try:
            _draw(Games(reading), order.games, viewer)
        finally:
            os.close(reading)  # first, so that nothing that is still handed over holds it up
            _end(process)
        for kept, stream in ((err, sys.stderr), (out, sys.stdout)):
            kept.seek(0)
            stream.buffer.write(kept.read())
            stream.flush()
    return process.returncode


def command(order: Ordered, fd: int) -> list[str]:
    """The command of the process that plays, which hands over what happens through this descriptor."""
    root = str(Path(referee.__file__).resolve().parent.parent)
    return [sys.executable, "-P", "-c", _START, root, _encoded(order), str(fd)]


def _draw(games: "Games", planned: int, viewer: Viewer) -> None:
    """Show the games as they come. Returns at once where none begins."""
    with contextlib.suppress(KeyboardInterrupt):
        while not games.is_closed and not games.ended and not (games.records and games.records[0].moves):
            games.read()
        if not games.records:
            return
        terminal.prepare()
        # textual takes long to import, and may be missing
        from referee.kit.screen.pages import Terminal  # noqa: PLC0415
        from referee.kit.watch.watching import WatchPage  # noqa: PLC0415

        Terminal(WatchPage(games, planned, terminal.glyphs(), viewer)).run(mouse=False)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process with its bots, if it has not ended yet."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(END_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def viewer_of(view: str, bots: int) -> tuple[Viewer, str]:
    """Who looks, and what is wrong with the word for it."""
    if view == "public":
        return None, ""
    if view == "open":
        return OPEN, ""
    if view.isdecimal() and int(view) < bots:
        return int(view), ""
    return None, f"expected public, open, or a seat from 0 to {bots - 1}, got {view!r}"


def _encoded(order: Ordered) -> str:
    return msgspec.json.encode(order, enc_hook=str).decode()


def _decoded(text: str) -> Ordered:
    def path(kind: type, value: Any) -> Any:
        return kind(value)

    return msgspec.json.decode(text, type=Ordered, dec_hook=path)


def main() -> None:
    """Play the games that the command line holds, and hand them over."""
    set_up_streams()
    sys.exit(play_match(_decoded(sys.argv[2]), HandOver(int(sys.argv[3]))))
