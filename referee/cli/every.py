"""All commands. The help lists them in the order in which their modules are imported here."""

from collections.abc import Sequence
from typing import Annotated

import typer
from typer.models import CommandInfo

from referee import __version__
from referee.cli import competing, developing, games, publishing  # noqa: F401 - they declare their commands
from referee.cli.shared import app

__all__ = ["app", "with_one_command"]


def with_one_command(words: Sequence[str]) -> typer.Typer:
    """The application with the command alone that these words begin with, since typer takes a while to make each.

    Where they begin with none it has all of them.
    """
    asked = [one for one in app.registered_commands if _name(one) in words[:1]]
    app.registered_commands = asked or app.registered_commands
    return app


def _name(command: CommandInfo) -> str:
    return command.name or (command.callback.__name__.replace("_", "-") if command.callback is not None else "")


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
