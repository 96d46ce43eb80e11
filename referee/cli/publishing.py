"""The commands that show a run to others: pages, pictures, tables, bundles, and the proof of it."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from referee.cli.shared import Json, app


@app.command()
def highlights(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    kind: Annotated[
        Optional[list[str]],
        typer.Option(
            metavar="KIND",
            help="swing, comeback, closest-finish, lead-changes, upset, slap-run, wrong-slap or power; may be given "
            "several times. Default: all.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many of each kind.")] = 3,
    variant: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="Of this game only, by its name in the run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the moments of a run that are worth seeing, each with a sentence and the command that shows it."""
    from referee.commands.highlights import HighlightsOptions
    from referee.commands.highlights import highlights as print_highlights

    options = HighlightsOptions(run=run, kinds=tuple(kind or ()), limit=limit, variant=variant, as_json=as_json)
    raise typer.Exit(print_highlights(options))


@app.command()
def hosts(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    as_json: Json = False,
) -> None:
    """Print which hosts of a cluster or of shards played a run, what each was like, and whether they differ."""
    from referee.commands.hosts import hosts as print_hosts

    raise typer.Exit(print_hosts(run, as_json=as_json))


@app.command()
def site(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR", help="The site's folder: a new one, or one to bring up to date."),
    ],
    matches: Annotated[
        Optional[int],
        typer.Option(
            min=0,
            metavar="N",
            help="How many matches get pages of their own at most; default: 500.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every match gets pages of its own.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Keep the site current until the run is complete.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the run first, and print the result on the front page.")
    ] = False,
) -> None:
    """Make a static site of a run: standings, bots, games, and matches to step through. Any web server shows it."""
    from referee.commands.interrupt import Signals

    signals = Signals()
    from referee.commands.site import SiteOptions, make_site

    if every and matches is not None:
        raise typer.BadParameter("either all matches get pages or at most so many, not both", param_hint="--all")
    if verify and follow:
        raise typer.BadParameter("a run that is followed is not checked meanwhile", param_hint="--verify")
    options = SiteOptions(run=run, out=out, most=matches, every=every, follow=follow, verify=verify)
    raise typer.Exit(make_site(options, signals))


@app.command()
def plot(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR|FILE.svg", help="The folder to write to; of one picture, the file."),
    ],
    what: Annotated[
        Optional[list[str]],
        typer.Option(
            metavar="KIND",
            help="intervals, heatmap, ranks, slaps or thinking; may be given several times. Default: all.",
        ),
    ] = None,
    width: Annotated[int, typer.Option(min=320, max=4000, help="Pixels; below 560 it is made for phones.")] = 880,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Draw a run as SVG pictures: intervals of the standings, a heat map, ranks over time, slap and thinking times."""
    from referee.commands.plot import PlotOptions
    from referee.commands.plot import plot as draw

    raise typer.Exit(draw(PlotOptions(run=run, kinds=what or (), out=out, width=width, replaces=force)))


@app.command()
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    table: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="matches, seats, rounds, decisions, slaps, pairs or standings.", show_default=False
        ),
    ],
    format_: Annotated[
        Optional[str],
        typer.Option(
            "--format", metavar="NAME", help="csv, parquet, markdown or jsonl; default: FILE's ending, or csv."
        ),
    ] = None,
    out: Annotated[
        Optional[Path],
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write; packed as FILE.gz; default: stdout, as -."
        ),
    ] = None,
    columns: Annotated[
        Optional[str], typer.Option(metavar="NAME,NAME", help="Only these columns, in this order; default: all.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Put no apostrophe before texts that spreadsheets take for formulas.")
    ] = False,
    retired: Annotated[bool, typer.Option("--all", help="Write also matches that are out of the standings.")] = False,
    with_cards: Annotated[
        bool,
        typer.Option("--with-cards", help="Of decisions, also what each seat knew, as Parquet."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> None:
    """Write a table of a run for other programs: tournaments/EXPORT.md lists its columns."""
    from referee.commands.export import ExportOptions
    from referee.commands.export import export as export_table

    options = ExportOptions(
        run=run,
        table=table,
        format=format_,
        columns=columns,
        out=None if out == Path("-") else out,
        is_exact=exact,
        replaces=force,
        with_retired=retired,
        with_cards=with_cards,
    )
    raise typer.Exit(export_table(options))


@app.command()
def export_bot(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    bot: Annotated[str, typer.Argument(metavar="NAME", help="The bot, by its name in the run.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write, a line for each match; packed as FILE.gz."
        ),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> None:
    """Write all matches of one bot for its author, without what others were sent."""
    from referee.commands.export_bot import export_bot as export

    raise typer.Exit(export(run, bot, out, replaces=force))


@app.command()
def publish(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder into which the bundle goes; it may be new.")
    ],
    key: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="A private key of ssh with which ssh-keygen signs it.")
    ] = None,
    tar: Annotated[bool, typer.Option("--tar", hidden=True)] = False,
    matches: Annotated[
        Optional[int], typer.Option(metavar="N", min=0, help="How many matches have pages on its site at most.")
    ] = None,
) -> None:
    """Publish a run: a dated folder with its store, tables, site and sums, which `golfref verify` checks anywhere."""
    from referee.commands.interrupt import Signals

    signals = Signals()
    from referee.commands.publish import PublishOptions
    from referee.commands.publish import publish as publish_run

    options = PublishOptions(run=run, out=out, key=key, is_packed=tar, site_matches=matches)
    raise typer.Exit(publish_run(options, signals))


@app.command()
def verify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="RUN|RECORD|BUNDLE",
            help="A run's store, a match of it as RUN:17, a record file, a game of it as FILE:1, or a bundle.",
        ),
    ],
    digest: Annotated[
        Optional[str],
        typer.Option(metavar="HEX|FILE", help="The run's published digest, or hashes as `standings --hashes` prints."),
    ] = None,
    results: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="Published results, as `standings --json` prints them.")
    ] = None,
    signer: Annotated[
        Optional[Path], typer.Option(metavar="FILE.pub", help="The public key of whoever must have signed the bundle.")
    ] = None,
) -> None:
    """Check every deal, answer and score of a run or of records again, and what passed between referee and bots."""
    from referee.commands.verify import verify as verify_again

    raise typer.Exit(verify_again(what, digest, results, signer))
