"""The commands for whoever writes a bot, plays against bots, or wants to know what happened in a match."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from referee.cli.shared import BotOf, Json, MatchOf, OptionList, Preset, Strict, app, changes


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
    most_s: Annotated[
        Optional[float],
        typer.Option("--time", metavar="SECONDS", min=1.0, help="Begin nothing more after so long; default: 240."),
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
    """Check whether a bot, or each bot of a competition, keeps the protocol.

    Exits with 1 if one does not, and with 4 if nothing is wrong with it in the steps for which there was time.
    """
    from referee.commands.check_words import given_as

    of_bot = {
        "--variant": variant,
        "--dir": folder,
        "--isolation": isolation,
        "--step": step,
        "--seed": seed,
        "--time": most_s,
    }
    of_config = {"--bot": bot, "-o": letters, "--again": again}
    if given_as(what, of_bot, of_config) == "config":
        from referee.commands.check_config import ConfigOrdered, check_config
        from referee.commands.interrupt import Signals

        signals = Signals()
        asked = ConfigOrdered(config=Path(what), bots=bot or (), letters=letters, as_json=as_json, again=again)
        raise typer.Exit(check_config(asked, signals))
    from referee.commands.check import Ordered, check_bot
    from referee.kit.check.run import MOST_S

    order = Ordered(
        command=what,
        folder=folder,
        variants=variant or (),
        isolation=isolation or "limits",
        seed=seed or "1",
        steps=step or (),
        as_json=as_json,
        most_s=most_s or MOST_S,
    )
    raise typer.Exit(check_bot(order))


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
    from referee.commands.match import play_match
    from referee.commands.ordered import Ordered

    if policy not in ("fallback", "forfeit"):
        raise typer.BadParameter('expected "fallback" or "forfeit"', param_hint="--policy")
    if slap_timing not in ("isolated", "broadcast"):
        raise typer.BadParameter('expected "isolated" or "broadcast"', param_hint="--slap-timing")
    timing: SlapTiming = "broadcast" if slap_timing == "broadcast" else "isolated"
    order = Ordered(
        variant=variant,
        changes=changes(option),
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
        changes=changes(option),
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
    """Show a match again, as the public or as a seat saw it: in words, on the terminal, as a page or as data."""
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
