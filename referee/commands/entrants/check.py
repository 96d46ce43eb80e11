"""check: whether a bot keeps the protocol, step by step, with all that its author needs to put it right."""

import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from protocol.text import printable
from referee.bot_check.games import GAMES, OPTIONS
from referee.bot_check.report import Report, counted, finding_lines
from referee.bot_check.run import MOST_S, CheckRun
from referee.bot_check.steps import STEPS
from referee.bot_check.steps import check as check_steps
from referee.commands.console import put, put_json
from referee.commands.entrants.check_argument import given_as
from referee.commands.interrupt import Signals
from referee.commands.match.bots import UsageError, bots_of, confinement_of
from referee.commands.options import Json
from referee.errors import CHECK_FAILED, DONE, HOST_FAILED, NOT_ALL_CHECKED, CommandError
from referee.play.faults import HostFault, advised
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.rules.variants import preset

MOST_FINDINGS = 12
"""How many findings are told in full."""

_MARKS = {"pass": "pass", "warn": "WARN", "fail": "FAIL", "skip": "skip"}


class CheckOptions(Struct, frozen=True, kw_only=True):
    """What `golfref check` is asked to do."""

    what: Annotated[
        str,
        typer.Argument(
            metavar="CMD|CONFIG",
            help="The bot: its command line, quoted, or builtin:NAME. Or a competition: what names an existing file "
            "that ends in .toml is its config, and all its bots are checked in its own games.",
        ),
    ]
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--variant", metavar="VARIANT", help="Play this game only; may be given several times. Default: all games."
        ),
    ] = None
    folder: Annotated[
        str | None, typer.Option("--dir", metavar="FOLDER", help="Where the bot starts; default: here.")
    ] = None
    isolation: Annotated[str | None, typer.Option(metavar="LEVEL", help="none, limits or bwrap; default: limits.")] = (
        None
    )
    steps: Annotated[
        list[int] | None,
        typer.Option(
            "--step",
            metavar="N",
            help="Do only the step of this number (and what it sums up); may be given several times.",
        ),
    ] = None
    seed: Annotated[str | None, typer.Option(help="Other deals, and other play of the other seats; default: 1.")] = None
    most_s: Annotated[
        float | None,
        typer.Option("--time", metavar="SECONDS", min=1.0, help="Begin nothing more after so long; default: 240."),
    ] = None
    bots: Annotated[
        list[str] | None,
        typer.Option("--bot", metavar="NAME", help="With CONFIG: check this bot only; may be given several times."),
    ] = None
    letters: Annotated[
        Path | None,
        typer.Option("-o", metavar="DIR", help="With CONFIG: where the letters to the authors go; default: beside it."),
    ] = None
    again: Annotated[
        bool, typer.Option("--again", help="With CONFIG: check also what has been checked and has not changed.")
    ] = False
    as_json: Json = False


def check(options: CheckOptions) -> int:
    """Check whether a bot, or each bot of a competition, keeps the protocol.

    Exits with 1 if one does not, and with 4 if nothing is wrong with it in the steps for which there was time.
    Example: golfref check "python3 bot.py"
    """
    of_bot = {
        "--variant": options.variants,
        "--dir": options.folder,
        "--isolation": options.isolation,
        "--step": options.steps,
        "--seed": options.seed,
        "--time": options.most_s,
    }
    of_config = {"--bot": options.bots, "-o": options.letters, "--again": options.again}
    if given_as(options.what, of_bot, of_config) == "bot":
        return _check_bot(options)
    from referee.commands.entrants.check_config import ConfigCheck, check_config  # noqa: PLC0415 - a bot needs none

    asked = ConfigCheck(
        config=Path(options.what),
        bots=options.bots or (),
        letters=options.letters,
        as_json=options.as_json,
        again=options.again,
    )
    return check_config(asked, Signals())


def _check_bot(order: CheckOptions) -> int:
    """Check the bot, and print each step when it is done."""
    try:
        confinement = confinement_of(order.isolation or "limits")
        folders = [] if order.folder is None else [order.folder]
        (spec,) = bots_of([order.what], folders, confinement.isolation)
    except UsageError as error:
        raise UsageError(str(error).removeprefix("--bot ")) from None
    games = [game for game in GAMES if not order.variants or game.preset in order.variants]
    options = [game for game in OPTIONS if not order.variants or game.preset in order.variants]
    for name in order.variants or ():
        preset(name)
    steps = order.steps or []
    if unknown := [number for number in steps if not 1 <= number <= len(STEPS)]:
        raise UsageError(f"--step {unknown[0]}: there are steps 1 to {len(STEPS)}")
    seed, most_s = order.seed or "1", order.most_s or MOST_S
    runs: list[CheckRun] = []
    began = time.monotonic()

    async def work(pump: Pump) -> None:
        run = CheckRun(pump, spec, confinement, games=games, options=options, seed=seed, most_s=most_s)
        runs.append(run)
        if not order.as_json:
            put(f"golfref check {shlex.quote(order.what)}", f"seed {seed}, isolation {confinement.isolation}", "")
        await check_steps(run, lambda: None if order.as_json else put(*_step_lines(run)), steps)

    try:
        run_session([work])
    except HostFault as fault:
        raise CommandError(f"broken off, and not the bot's fault: {advised(fault)}", HOST_FAILED) from None
    report = runs[0].report(seconds=time.monotonic() - began)
    if order.as_json:
        put_json(msgspec.json.encode(report))
    else:
        put(*_end_lines(report))
    return CHECK_FAILED if report.verdict == "fail" else NOT_ALL_CHECKED if report.untried else DONE


# For people


def _step_lines(run: CheckRun) -> Iterator[str]:
    """The line of a step and its notes. Steps without news have none; of those that are left out, the first has one."""
    step = run.step
    if step.summary == run.stopped != "":
        if run.steps[-2].summary != run.stopped:
            yield f"{step.number:2} skip  {'this step and others':31} {printable(run.stopped, 200)}"
        return
    if step.findings and not step.has_news and step.verdict == "fail":
        return
    numbers = ", ".join(f"[{number}]" for number in sorted(step.findings))
    words = "; ".join(filter(None, (printable(step.summary, 200), numbers and f"see {numbers}")))
    yield f"{step.number:2} {_MARKS[step.verdict]}  {step.title:31} {words}".rstrip()
    yield from (f"           note: {note}" for note in step.notes)


def _end_lines(report: Report) -> Iterator[str]:
    for number, finding in enumerate(report.findings[:MOST_FINDINGS], start=1):
        yield from finding_lines(number, finding)
    if len(report.findings) > MOST_FINDINGS:
        more = len(report.findings) - MOST_FINDINGS
        yield from ("", f"{more} more findings; put these right first, or see all of them with --json")
    if report.untried:
        steps = ", ".join(map(str, report.untried))
        yield from ("", f"not tried for lack of time: {counted(len(report.untried), 'step')} ({steps})")
        yield "give it more by --time SECONDS; a bot that plays on after `end` in the same process needs fewer starts"
    counts = [sum(step.verdict == verdict for step in report.steps) for verdict in ("pass", "warn", "fail", "skip")]
    words = [f"{count} {word}" for count, word in zip(counts, ("passed", "warned", "failed", "skipped"), strict=True)]
    yield from ("", f"{report.verdict}: of {len(report.steps)} steps {', '.join(words)}; {report.seconds:.1f} s")
