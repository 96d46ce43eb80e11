"""The commands with which an organiser holds a competition, and looks at how it goes."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from referee.cli.shared import Json, Strict, app


@app.command()
def tournament(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The tournament's TOML file.")],
    store: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="Where results go; default: CONFIG with .golfref for .toml, beside it."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, and keep an old store as FILE.old1.")] = False,
    amend: Annotated[
        bool, typer.Option("--amend", help="Go on with a changed config; without it, print what would change.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check all, start every bot once, and play nothing.")
    ] = False,
    jobs: Annotated[Optional[int], typer.Option(min=1, help="Matches at a time; default: the config's.")] = None,
    workers: Annotated[
        Optional[int],
        typer.Option(min=1, help="Processes that play; default: the config's, else by cores and matches."),
    ] = None,
    seed: Annotated[
        Optional[str],
        typer.Option(help="Fix schedule and deals; default: the config's, else a secret key."),
    ] = None,
    hours: Annotated[
        Optional[float],
        typer.Option(help="Begin no round that would not end within so long; default: the config's."),
    ] = None,
    site: Annotated[
        Optional[Path],
        typer.Option(metavar="DIR", help="Keep a static site of the run current in this folder while it is played."),
    ] = None,
    shard: Annotated[
        Optional[str],
        typer.Option(
            metavar="K/N",
            help="Play only shard K of N of the plan, for machines that cannot talk; then `golfref merge`.",
        ),
    ] = None,
    key: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="The master key, from a file that `golfref key` made; default: a new one."),
    ] = None,
    progress: Annotated[
        Optional[str],
        typer.Option(
            metavar="json|json:FILE",
            help="Write events as JSON lines: on stderr in place of words, or to a file.",
        ),
    ] = None,
    cluster: Annotated[
        Optional[str],
        typer.Option(
            metavar="ADDRESS|local:N",
            help="Play on the hosts of this Dask scheduler (tls://HOST:PORT, file:SCHEDULER.json), or try out N here.",
        ),
    ] = None,
    insecure_cluster: Annotated[
        bool,
        typer.Option(
            "--insecure-cluster",
            help="Let --cluster use plain tcp: whoever reaches the scheduler runs programs as you.",
        ),
    ] = False,
    wait: Annotated[
        Optional[int],
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="How long --cluster waits for hosts when none can play what is left; default: 300.",
        ),
    ] = None,
    as_json: Json = False,
    strict: Strict = False,
) -> None:
    """Run a tournament, or go on with one, and print the standings."""
    from referee.commands.interrupt import Signals

    signals = Signals()
    from referee.commands.tournament import run_tournament
    from referee.commands.tournament_options import TournamentOptions
    from referee.tournament.plan.shards import MOST_SHARDS, read_shard

    part = None if shard is None else read_shard(shard)
    if shard is not None and part is None:
        raise typer.BadParameter(
            f"expected K/N, such as 2/5, with K from 1 to N and N at most {MOST_SHARDS}, got {shard!r}",
            param_hint="--shard",
        )
    if fresh and amend:
        raise typer.BadParameter("a run is amended or begun anew, not both", param_hint="--amend")
    options = TournamentOptions(
        config=config,
        store=store,
        fresh=fresh,
        amend=amend,
        dry_run=dry_run,
        jobs=jobs,
        workers=workers,
        seed=seed,
        hours=hours,
        site=site,
        shard=part,
        key=key,
        progress=progress,
        cluster=cluster,
        insecure_cluster=insecure_cluster,
        wait_s=wait,
        as_json=as_json,
        strict=strict,
    )
    raise typer.Exit(run_tournament(options, signals))


@app.command()
def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file; only you can read it.")],
) -> None:
    """Make a master key for the shards of a run, or to announce the commitment to it beforehand."""
    from referee.commands.key import make_key

    raise typer.Exit(make_key(file))


@app.command()
def merge(
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="The stores of `tournament --shard`.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="RUN", help="The store of the whole run, a new file.")],
) -> None:
    """Put the shards of a run together, after checking that they fit."""
    from referee.commands.merge import merge_shards

    raise typer.Exit(merge_shards(shards, out))


@app.command()
def entries(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The tournament's TOML file.")],
    name: Annotated[
        Optional[str], typer.Argument(metavar="NAME", help="One entry, with --log and --build.", show_default=False)
    ] = None,
    as_json: Json = False,
    log: Annotated[bool, typer.Option("--log", help="Print the output of the last build of the entry NAME.")] = False,
    build: Annotated[
        bool, typer.Option("--build", help="Build the entry NAME again, or all of them, whatever came of it before.")
    ] = False,
) -> None:
    """List the entries of a config, with version, owner, build and last check, and what is wrong with them."""
    from referee.commands.entries import list_entries

    if build and log:
        raise typer.BadParameter("give either --build or --log")
    if name is not None and not (build or log):
        raise typer.BadParameter("a NAME goes with --log or --build")
    if build:
        from referee.commands.entry_builds import build_again
        from referee.commands.interrupt import Signals

        raise typer.Exit(build_again(config, name, Signals()))
    if log:
        from referee.commands.entry_builds import show_log

        raise typer.Exit(show_log(config, name))
    raise typer.Exit(list_entries(config, as_json=as_json))


@app.command()
def submit(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The competition's TOML file.")],
    what: Annotated[
        str,
        typer.Argument(
            metavar="[WHAT]", help="A folder, .zip or .tar.gz; with --list an entry, with --restore a version."
        ),
    ] = "",
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What the entry is called; default: as the folder or file is.")
    ] = "",
    owner: Annotated[
        str, typer.Option(metavar="OWNER", help="Whose it is; this alone gives an entry to another owner.")
    ] = "",
    unchecked: Annotated[bool, typer.Option("--unchecked", help="Build it, but do without the check.")] = False,
    replaces: Annotated[
        bool, typer.Option("--replace", help="Rename a folder that was put there by hand, and take its place.")
    ] = False,
    lists: Annotated[bool, typer.Option("--list", help="Show what was handed in, and what is in place.")] = False,
    restores: Annotated[
        str, typer.Option("--restore", metavar="NAME", help="Bring an older version back, or the one named after it.")
    ] = "",
    watches: Annotated[
        Optional[Path],
        typer.Option("--watch", metavar="FOLDER", help="Take archives from this folder, and from OWNER/ within it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take a new version of an entry: unpack, build and check it, and put it in place of the older one."""
    from referee.commands.interrupt import Signals

    signals = Signals()
    from referee.commands.submit import SubmitOrdered
    from referee.commands.submit import submit as submit_entry

    asked = sum((bool(what) and not (lists or restores), lists, bool(restores), watches is not None))
    if asked != 1:
        raise typer.BadParameter("name a folder or an archive, or give one of --list, --restore and --watch")
    order = SubmitOrdered(
        config=config,
        what=what,
        name=name,
        owner=owner,
        is_checked=not unchecked,
        replaces=replaces,
        lists=lists,
        restores=restores,
        watches=watches,
        as_json=as_json,
    )
    raise typer.Exit(submit_entry(order, signals))


@app.command()
def standings(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    as_json: Json = False,
    hashes: Annotated[
        bool, typer.Option("--hashes", help="Print a hash for every row of the store, for `verify --digest`.")
    ] = False,
    variant: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="Print this game only, by its name in the run.")
    ] = None,
    anchor: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="The bot that ratings compare with.", show_default=False)
    ] = None,
    bot: Annotated[
        Optional[str],
        typer.Option(metavar="NAME", help="Print this bot: its neighbours, its games, its matches, the worst first."),
    ] = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="Print a few lines: who won, ties, faults; of a bot all but its matches.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Print all tables: one for each game, and every page of the crosstable.")
    ] = False,
) -> None:
    """Print a run's tables again, from its store."""
    from referee.commands.standings import StandingsOptions, print_standings

    if hashes and (variant is not None or bot is not None or brief or full or as_json):
        raise typer.BadParameter(
            "it prints a line for every row of the store, and goes with no other option", param_hint="--hashes"
        )
    if full and (variant is not None or bot is not None or brief):
        raise typer.BadParameter("it prints all tables; leave the other options out", param_hint="--full")
    options = StandingsOptions(
        run=run, variant=variant, bot=bot, anchor=anchor, brief=brief, full=full, hashes=hashes, as_json=as_json
    )
    raise typer.Exit(print_standings(options))


@app.command()
def compare(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    bots: Annotated[
        Optional[list[str]], typer.Argument(metavar="[A B]", help="Two bots; default: every bot and the next by rank.")
    ] = None,
    variant: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="Compare in this game only, by its name in the run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print which of two bots of a run is better, how sure that is, in which games, and what would settle it."""
    from referee.commands.compare import CompareOptions
    from referee.commands.compare import compare as compare_bots

    named = bots or []
    if len(named) not in {0, 2} or len(set(named)) < len(named):
        raise typer.BadParameter("expected the names of two different bots, or none", param_hint="[A B]")
    two = (named[0], named[1]) if named else None
    raise typer.Exit(compare_bots(CompareOptions(run=run, bots=two, variant=variant, as_json=as_json)))


@app.command()
def watch(run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")]) -> None:
    """Follow a run on this terminal while it is played, match by match."""
    from referee.commands.watch import watch_run

    raise typer.Exit(watch_run(run))
