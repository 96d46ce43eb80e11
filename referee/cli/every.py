"""All commands. The help lists them in the order in which their modules are imported here."""

from typing import Annotated

import typer

from referee import __version__
from referee.cli import competing, developing, games, publishing  # noqa: F401 - they declare their commands
from referee.cli.shared import app

__all__ = ["app"]


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
