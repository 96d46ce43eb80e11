"""The commands about games and about this machine."""

from typing import Annotated, Optional

import typer

from referee.cli.shared import Json, OptionList, Preset, app, changes


@app.command()
def variants(as_json: Json = False) -> None:
    """List the games, a line each, with --json also their options."""
    from referee.commands.variants import list_variants

    raise typer.Exit(list_variants(as_json=as_json))


@app.command()
def rules(variant: Preset, option: OptionList = None) -> None:
    """Explain a game and its options."""
    from referee.commands.rules import show_rules

    raise typer.Exit(show_rules(variant, changes(option)))


@app.command()
def score(
    variant: Annotated[Optional[str], typer.Argument(metavar="VARIANT", help="The game.")] = None,
    grids: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="GRID...", help='A layout for each seat, quoted: "KS 5H 9D / KD AC 9S".'),
    ] = None,
    option: OptionList = None,
    ender: Annotated[Optional[int], typer.Option(min=0, help="The seat that knocked or ended the round.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Score the JSON requests on stdin, one a line.")] = False,
) -> None:
    """Score layouts by hand."""
    from referee.commands.score import score as score_by_hand
    from referee.commands.score import score_lines

    if jsonl:
        raise typer.Exit(score_lines())
    if variant is None or not grids:
        raise typer.BadParameter("expected VARIANT and at least one GRID, or --jsonl")
    raise typer.Exit(score_by_hand(variant, grids, changes(option), ender))


@app.command()
def doctor(
    races: Annotated[
        Optional[int],
        typer.Option(metavar="N", min=1, help="Time slaps thoroughly, in N windows of each kind of race."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print what this host can do for your own bots, strangers' bots and timed slaps, and what mends each gap."""
    from referee.commands.doctor import examine

    raise typer.Exit(examine(as_json=as_json, races=races))
