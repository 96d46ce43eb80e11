"""The command line: what the commands are called and which options they have. commands/ has what they do.

Each command imports what it needs when it runs, so that `--help` does not wait for it.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from referee import __version__

app = typer.Typer(
    help="Referee and arena for programs that play Golf, the card game.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a bot was at fault.")]
OptionList = Annotated[
    Optional[list[str]],
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="Change an option of the game, such as rounds=4; the value is TOML or JSON, or one bare word.",
    ),
]
MatchOf = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="A match of a run as RUN:17, a game of a record file as FILE:1, or a match of `export-bot` as FILE:17.",
    ),
]
BotOf = Annotated[
    Optional[str],
    typer.Option("--bot", metavar="NAME", help="Whose match: the name of its bot, or the number of its seat."),
]
Preset = Annotated[str, typer.Argument(metavar="VARIANT", help="A game; `golfref variants` lists them.")]


def main() -> None:
    """The `golfref` command."""
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


@app.command()
def tournament(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The tournament's TOML file.")],
    store: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="Where results go; default: CONFIG with .golfref for .toml, beside it."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, and keep an old store as FILE.old1.")] = False,
    amend: Annotated[
        bool, typer.Option("--amend", help="Go on with a changed config; without it, say what would change.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check all, start every bot once, and play nothing.")
    ] = False,
    jobs: Annotated[Optional[int], typer.Option(min=1, help="Matches at a time; default: the config's.")] = None,
    workers: Annotated[
        Optional[int],
        typer.Option(min=1, max=16, help="Processes that play; default: the config's, else by cores and matches."),
    ] = None,
    seed: Annotated[
        Optional[str],
        typer.Option(help="Fix schedule and deals; default: the config's, else a secret key."),
    ] = None,
    hours: Annotated[
        Optional[float],
        typer.Option(help="Play so long: a short trial chooses line-ups and deals; default: the config's."),
    ] = None,
    site: Annotated[
        Optional[Path],
        typer.Option(metavar="DIR", help="Keep a static site of the run current in this folder while it is played."),
    ] = None,
    progress: Annotated[
        Optional[str],
        typer.Option(
            metavar="json|json:FILE",
            help="Tell machines what happens, as JSON lines: on stderr in place of words, or in a file.",
        ),
    ] = None,
    as_json: Json = False,
    strict: Strict = False,
) -> None:
    """Run a tournament, or go on with one, and print the standings."""
    from referee.commands.interrupt import Signals

    signals = Signals()
    from referee.commands.tournament import TournamentOptions, run_tournament

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
        progress=progress,
        as_json=as_json,
        strict=strict,
    )
    raise typer.Exit(run_tournament(options, signals))


@app.command()
def standings(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    as_json: Json = False,
    hashes: Annotated[
        bool, typer.Option("--hashes", help="Print a hash for every row of the store, for `verify --digest`.")
    ] = False,
    variant: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="Tell of this game only, by its name in the run.")
    ] = None,
    anchor: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="The bot that ratings compare with.", show_default=False)
    ] = None,
    bot: Annotated[
        Optional[str],
        typer.Option(metavar="NAME", help="Tell of this bot: its neighbours, its games, its matches, the worst first."),
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
    """Say which of two bots of a run is better, how sure that is, in which games, and what would settle it."""
    from referee.commands.compare import CompareOptions
    from referee.commands.compare import compare as compare_bots

    named = bots or []
    if len(named) not in {0, 2} or len(set(named)) < len(named):
        raise typer.BadParameter("expected the names of two different bots, or none", param_hint="[A B]")
    two = (named[0], named[1]) if named else None
    raise typer.Exit(compare_bots(CompareOptions(run=run, bots=two, variant=variant, as_json=as_json)))


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
def watch(run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")]) -> None:
    """Follow a run on this terminal while it is played, match by match."""
    from referee.commands.watch import watch_run

    raise typer.Exit(watch_run(run))


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
        bool, typer.Option("--verify", help="Check the run first, and tell on the front page what came of it.")
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
def match(
    variant: Annotated[str, typer.Option(metavar="VARIANT", help="The game; `golfref variants` lists them.")],
    bot: Annotated[
        list[str],
        typer.Option(metavar="CMD", help="A bot: its command line, quoted, or builtin:NAME. Once for each seat."),
    ],
    folder: Annotated[
        Optional[list[str]],
        typer.Option(
            "--dir",
            metavar="FOLDER",
            help="Where a bot starts, as its command sees it: once for all bots, or once for each that is not builtin.",
        ),
    ] = None,
    option: OptionList = None,
    games: Annotated[
        int, typer.Option(min=1, help="Games to play. Of several, each deal is played once from every seat.")
    ] = 1,
    fixed_seats: Annotated[
        bool, typer.Option("--fixed-seats", help="Seats as given, and a deal of its own for each game.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Of several games, show each.")] = False,
    seed: Annotated[Optional[str], typer.Option(help="Fix the deals and the bots' seeds.")] = None,
    deck: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE",
            help="Cards in dealing order, a line for each round; # starts a comment; the seed deals what is missing.",
        ),
    ] = None,
    record: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE", help="Keep the full record here, a line for each game; an old file is kept as FILE.old1."
        ),
    ] = None,
    isolation: Annotated[str, typer.Option(metavar="LEVEL", help="none, limits or bwrap.")] = "limits",
    start_s: Annotated[float, typer.Option(min=0.01, help="Seconds for a bot to start.")] = 10.0,
    move_s: Annotated[float, typer.Option(min=0.001, help="Seconds for an answer.")] = 1.0,
    bank_s: Annotated[float, typer.Option(min=0.001, help="Seconds of thinking in a match.")] = 60.0,
    slap_s: Annotated[float, typer.Option(min=0.001, help="Seconds for a slap.")] = 0.2,
    slap_timing: Annotated[
        str, typer.Option(metavar="HOW", help="How slaps are timed: isolated or broadcast.")
    ] = "isolated",
    policy: Annotated[
        str, typer.Option(metavar="POLICY", help="What a fault costs: fallback or forfeit.")
    ] = "fallback",
    strikes: Annotated[int, typer.Option(min=1, help="With fallback: how many faults forfeit the match.")] = 10,
    show_stderr: Annotated[
        bool,
        typer.Option(
            "--show-stderr", help="Show what the bots wrote to standard error, of several games the start in each."
        ),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Draw the games on this terminal while they are played, at any speed.")
    ] = False,
    view: Annotated[
        str, typer.Option(metavar="VIEW", help="With --watch: public, open (all cards), or the number of a seat.")
    ] = "public",
    as_json: Json = False,
    strict: Strict = False,
) -> None:
    """Play games between given bots; print one game by itself, and of several what they come to."""
    from protocol.messages import Clocks, FaultPolicy, SlapTiming
    from referee.commands.match import Ordered, play_match

    if policy not in ("fallback", "forfeit"):
        raise typer.BadParameter('expected "fallback" or "forfeit"', param_hint="--policy")
    if slap_timing not in ("isolated", "broadcast"):
        raise typer.BadParameter('expected "isolated" or "broadcast"', param_hint="--slap-timing")
    timing: SlapTiming = "broadcast" if slap_timing == "broadcast" else "isolated"
    order = Ordered(
        variant=variant,
        changes=_changes(option),
        bots=bot,
        folders=folder or [],
        games=games,
        fixed_seats=fixed_seats,
        verbose=verbose,
        seed=seed,
        deck=deck,
        record=record,
        as_json=as_json,
        isolation=isolation,
        clocks=Clocks(start_s=start_s, move_s=move_s, bank_s=bank_s, slap_s=slap_s, slap_timing=timing),
        faults=FaultPolicy(policy="forfeit" if policy == "forfeit" else "fallback", strikes=strikes),
        strict=strict,
        show_stderr=show_stderr,
    )
    if watch:
        from referee.commands.watched import watch_match

        raise typer.Exit(watch_match(order, view))
    raise typer.Exit(play_match(order))


@app.command()
def check(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CMD|CONFIG",
            help="The bot: its command line, quoted, or builtin:NAME. Or a competition: what names an existing file "
            "that ends in .toml is its config, and all its bots are checked in its own games.",
        ),
    ],
    variant: Annotated[
        Optional[list[str]],
        typer.Option(metavar="VARIANT", help="Play this game only; may be given several times. Default: all games."),
    ] = None,
    folder: Annotated[
        Optional[str], typer.Option("--dir", metavar="FOLDER", help="Where the bot starts; default: here.")
    ] = None,
    isolation: Annotated[
        Optional[str], typer.Option(metavar="LEVEL", help="none, limits or bwrap; default: limits.")
    ] = None,
    step: Annotated[
        Optional[list[int]],
        typer.Option(
            metavar="N", help="Do only the step of this number (and what it sums up); may be given several times."
        ),
    ] = None,
    seed: Annotated[
        Optional[str], typer.Option(help="Other deals, and other play of the other seats; default: 1.")
    ] = None,
    bot: Annotated[
        Optional[list[str]],
        typer.Option(metavar="NAME", help="With CONFIG: check this bot only; may be given several times."),
    ] = None,
    letters: Annotated[
        Optional[Path],
        typer.Option("-o", metavar="DIR", help="With CONFIG: where the letters to the authors go; default: beside it."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="With CONFIG: check also what has been checked and has not changed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say whether a bot, or each bot of a competition, keeps the protocol. Exits with 1 if one does not."""
    from referee.commands.check_words import given_as

    of_bot = {"--variant": variant, "--dir": folder, "--isolation": isolation, "--step": step, "--seed": seed}
    of_config = {"--bot": bot, "-o": letters, "--again": again}
    if given_as(what, of_bot, of_config) == "config":
        from referee.commands.check_config import ConfigOrdered, check_config
        from referee.commands.interrupt import Signals

        signals = Signals()
        asked = ConfigOrdered(config=Path(what), bots=bot or (), letters=letters, as_json=as_json, again=again)
        raise typer.Exit(check_config(asked, signals))
    from referee.commands.check import Ordered, check_bot

    order = Ordered(
        command=what,
        folder=folder,
        variants=variant or (),
        isolation=isolation or "limits",
        seed=seed or "1",
        steps=step or (),
        as_json=as_json,
    )
    raise typer.Exit(check_bot(order))


@app.command()
def entries(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The tournament's TOML file.")],
    name: Annotated[
        Optional[str], typer.Argument(metavar="NAME", help="One entry, with --log and --build.", show_default=False)
    ] = None,
    as_json: Json = False,
    log: Annotated[bool, typer.Option("--log", help="Print what the last build of the entry NAME said.")] = False,
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
    lists: Annotated[bool, typer.Option("--list", help="Show what was handed in, and what is in place.")] = False,
    restores: Annotated[
        str, typer.Option("--restore", metavar="NAME", help="Bring an older version back, or the one named after it.")
    ] = "",
    watches: Annotated[
        Optional[Path],
        typer.Option("--watch", metavar="FOLDER", help="Take what appears in this folder, and in OWNER/ within it."),
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
        lists=lists,
        restores=restores,
        watches=watches,
        as_json=as_json,
    )
    raise typer.Exit(submit_entry(order, signals))


@app.command()
def new(
    folder: Annotated[
        Optional[Path], typer.Argument(metavar="DIR", help="The project's folder: a new one, or an empty one.")
    ] = None,
    language: Annotated[
        Optional[str], typer.Option(metavar="LANGUAGE", help="The bot's language; --list names them.")
    ] = None,
    name: Annotated[Optional[str], typer.Option(help="The bot's name; default: that of the folder.")] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the languages, which of their tools are here, and what to install.")
    ] = False,
) -> None:
    """Begin a bot: a project with a bot that plays every game, a small tournament, and a page on how to go on."""
    from referee.commands.new import NewProject, list_languages, make_project

    if list_:
        raise typer.Exit(list_languages())
    if folder is None or language is None:
        raise typer.BadParameter("expected DIR and --language LANGUAGE; --list names the languages")
    raise typer.Exit(make_project(NewProject(folder=folder, language=language, name=name)))


@app.command()
def play(
    variant: Preset,
    against: Annotated[
        list[str],
        typer.Option(
            metavar="BOTS",
            help="Your rivals: names of shipped bots, with commas between them, or a quoted command line. May be given "
            "several times.",
        ),
    ],
    option: OptionList = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat; the bots take the others in their order.")] = 0,
    name: Annotated[str, typer.Option(metavar="NAME", help="What you are called in the record.")] = "human",
    seed: Annotated[Optional[str], typer.Option(help="Fix the deals and the bots' seeds.")] = None,
    record: Annotated[Optional[Path], typer.Option(metavar="FILE", help="Keep the full record here.")] = None,
    pace: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long each event is shown.")] = 0.6,
    move_s: Annotated[float, typer.Option(min=1, help="Seconds for each of your decisions.")] = 900.0,
    bank_s: Annotated[float, typer.Option(min=1, help="Seconds for all of them together.")] = 14400.0,
    slap_s: Annotated[float, typer.Option(min=0.2, help="Seconds for a slap.")] = 4.0,
) -> None:
    """Play against bots yourself, on this terminal."""
    from protocol.messages import Clocks
    from referee.commands.play import PlayOrder, play_with_person

    order = PlayOrder(
        variant=variant,
        changes=_changes(option),
        against=against,
        name=name,
        seat=seat,
        seed=seed,
        record=record,
        clocks=Clocks(start_s=60.0, move_s=move_s, bank_s=bank_s, slap_s=slap_s, slap_timing="broadcast"),
        pace_s=pace,
    )
    raise typer.Exit(play_with_person(order))


@app.command()
def variants(as_json: Json = False) -> None:
    """List the games, a line each, with --json also their options."""
    from referee.commands.variants import list_variants

    raise typer.Exit(list_variants(as_json=as_json))


@app.command()
def rules(variant: Preset, option: OptionList = None) -> None:
    """Explain a game and its options."""
    from referee.commands.rules import show_rules

    raise typer.Exit(show_rules(variant, _changes(option)))


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
    raise typer.Exit(score_by_hand(variant, grids, _changes(option), ender))


@app.command()
def replay(
    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD", help="A record file, one of its games as FILE:1, or a match of a run as RUN:17."
        ),
    ],
    seat: Annotated[Optional[int], typer.Option(min=0, help="Show what this seat saw.")] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Draw the table on this terminal, event by event, forwards and backwards.")
    ] = False,
    at: Annotated[
        Optional[str],
        typer.Option(
            metavar="MOMENT",
            help="Step from this moment on, such as r3t12: turn 12 of round 3; r3w2: its slap window 2.",
        ),
    ] = None,
    html: Annotated[
        Optional[Path],
        typer.Option("--html", metavar="FILE", help="Write one page with all views, or --seat's alone."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the states of the match as JSON (referee/film/README.md).")
    ] = False,
    all_cards: Annotated[bool, typer.Option("--open", help="With --json: show all cards.")] = False,
    force: Annotated[bool, typer.Option("--force", help="With --html: replace the file if it is there.")] = False,
    wire: Annotated[bool, typer.Option("--wire", hidden=True)] = False,
) -> None:
    """Tell a match again, as the public or as a seat saw it: in words, on the terminal, as a page or as data."""
    if html is not None or as_json or all_cards:
        if at is not None:
            raise typer.BadParameter("it is for a terminal; a page opens there as FILE.html#r3t12", param_hint="--at")
        from referee.commands.states import Wanted, show_states

        wanted = Wanted(where=record, seat=seat, is_open=all_cards, page=html, replaces=force)
        raise typer.Exit(show_states(wanted))
    if step or at is not None:
        from referee.commands.step import step_through

        raise typer.Exit(step_through(record, seat, at))
    from referee.commands.replay import replay as replay_record
    from referee.commands.transcript import transcript as print_transcript

    if wire:  # what `transcript` was called in golfref 0.3.0
        raise typer.Exit(print_transcript(record, None if seat is None else str(seat), as_json=False))
    raise typer.Exit(replay_record(record, seat))


@app.command()
def transcript(record: MatchOf, bot: BotOf = None, as_json: Json = False) -> None:
    """Print exactly what a bot was sent and what it wrote, with times, its faults and its standard error."""
    from referee.commands.transcript import transcript as print_transcript

    raise typer.Exit(print_transcript(record, bot, as_json=as_json))


@app.command()
def rerun(
    record: MatchOf,
    command: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="-- CMD", help="The build to try, or builtin:NAME; default: the bot of the record."),
    ] = None,
    bot: BotOf = None,
    folder: Annotated[
        Optional[str],
        typer.Option("--dir", metavar="FOLDER", help="Where the build starts; default: as the run has it, else here."),
    ] = None,
    isolation: Annotated[
        Optional[str], typer.Option(metavar="LEVEL", help="none, limits or bwrap; default: as in the record.")
    ] = None,
    patience: Annotated[
        float,
        typer.Option(
            metavar="FACTOR", min=0.01, help="Times the recorded limits, for a build that is slow, as under a debugger."
        ),
    ] = 1.0,
    goes_on: Annotated[
        bool, typer.Option("--all", help="Go on after the first difference, though the input no longer fits.")
    ] = False,
) -> None:
    """Send a recorded match to a build of a bot: where does it first answer differently, crash, or come late?"""
    from referee.commands.rerun import Ordered, rerun_match

    order = Ordered(
        where=record,
        bot=bot,
        command=command or [],
        folder=folder,
        isolation=isolation,
        patience=patience,
        goes_on=goes_on,
    )
    raise typer.Exit(rerun_match(order))


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
) -> None:
    """Write all matches of one bot for its author, without what others were told."""
    from referee.commands.export_bot import export_bot as export

    raise typer.Exit(export(run, bot, out))


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
    retired: Annotated[bool, typer.Option("--all", help="Tell also of matches that are out of the standings.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> None:
    """Write a table of a run for other programs: tournaments/EXPORT.md tells its columns."""
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
    )
    raise typer.Exit(export_table(options))


@app.command()
def publish(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's store file.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder into which the bundle goes; it may be new.")
    ],
    key: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="A private key of ssh or minisign that signs it.")
    ] = None,
    tar: Annotated[bool, typer.Option("--tar", help="Write the bundle as a .tar.gz, too.")] = False,
    matches: Annotated[
        Optional[int], typer.Option(metavar="N", min=0, help="How many matches have pages on its site at most.")
    ] = None,
) -> None:
    """Publish a run: a dated folder with tables, records, site and sums, which `golfref verify` checks anywhere."""
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


@app.command()
def doctor(
    races: Annotated[
        Optional[int],
        typer.Option(metavar="N", min=1, help="Time slaps thoroughly, in N windows of each kind of race."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what this machine offers to bots, how evenly it times slaps, and what to put right."""
    from referee.commands.doctor import examine

    raise typer.Exit(examine(as_json=as_json, races=races))


def _changes(options: list[str] | None) -> dict[str, Any]:
    """Option changes from `key=value`."""
    changes: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(f"expected KEY=VALUE, got {text!r}", param_hint="--option")
        changes[key.strip()] = _value(key.strip(), value.strip())
    return changes


def _value(key: str, text: str) -> Any:
    """An option's value, which is written as in TOML or in JSON; what is neither is a string, unless it begins as one.

    Raises typer.BadParameter.
    """
    import json
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        as_toml = error
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text[:1] not in ("{", "[", '"', "'"):
            return text
        problem = f"`{key}`: as TOML: {as_toml}; as JSON: {error}"
        raise typer.BadParameter(problem, param_hint="--option") from None


if __name__ == "__main__":
    main()
