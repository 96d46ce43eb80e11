"""The command line: what the commands are called and which options they have. commands/ has what they do.

Each command imports what it needs when it runs, so that `--help` does not wait for it. The help lists the commands in
the order in which their modules are imported here.
"""

import contextlib
import gc
import os
import sys
from typing import Annotated

import typer

from referee import __version__
from referee.cli import competing, developing, games, publishing  # noqa: F401 - they declare their commands
from referee.cli.shared import app

__all__ = ["app", "main"]

COLLECTED_AFTER = 50_000
"""After how many new objects garbage is looked for. Python's 700 took a tenth of the start, and imports leave none."""


def main() -> None:
    """The `golfref` command."""
    gc.set_threshold(COLLECTED_AFTER)
    if sys.platform == "win32":
        sys.exit("golfref runs on Linux and macOS; on Windows use WSL, the Windows Subsystem for Linux")
    for fd in range(3):  # if one of them is closed, the next file that is opened would take its place
        with contextlib.suppress(OSError):
            os.fstat(fd)
            continue
        os.open(os.devnull, os.O_RDWR)
    # numpy's matrices are small here: more threads only wait for each other. It reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except BrokenPipeError:
        # The program that read our output, such as `head`, has ended. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    finally:
        gc.freeze()  # so that Python, as it ends, does not look for garbage in all that was imported


def _show_version(value: bool) -> None:
    if value:
        from protocol import VERSION

        typer.echo(f"golfref {__version__}, protocol {VERSION}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass
