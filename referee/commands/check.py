"""check: whether a bot keeps the protocol, step by step, with all that its author needs to put it right."""

import shlex
import time
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.commands.bots import UsageError, bots_of, confinement_of
from referee.commands.console import (
    CHECK_FAILED,
    DONE,
    HOST_FAILED,
    INTERRUPTED,
    NOT_ALL_CHECKED,
    USAGE,
    put,
    put_json,
    say,
)
from referee.kit.check.games import GAMES, OPTIONS
from referee.kit.check.report import Report, counted, finding_lines
from referee.kit.check.run import MOST_S, CheckRun
from referee.kit.check.steps import STEPS, check
from referee.play.faults import HostFault, advised
from referee.play.pump.pump import Pump
from referee.play.session import Interrupted, run_session
from referee.play.spec import BadBot
from referee.rules.variants import UnknownVariant, preset

MOST_FINDINGS = 12
"""How many findings are told in full."""

_MARKS = {"pass": "pass", "warn": "WARN", "fail": "FAIL", "skip": "skip"}


class Ordered(Struct, frozen=True, kw_only=True):
    """What `golfref check` is asked to do."""

    command: str
    folder: str | None
    variants: Sequence[str]
    isolation: str
    seed: str
    steps: Sequence[int]
    """The numbers of the steps to do; none: all of them."""
    as_json: bool
    most_s: float = MOST_S
    """After so long nothing more begins."""


def check_bot(order: Ordered) -> int:
    """Check the bot, and tell each step when it is done."""
    try:
        confinement = confinement_of(order.isolation)
        (spec,) = bots_of([order.command], [] if order.folder is None else [order.folder], confinement.isolation)
        games = [game for game in GAMES if not order.variants or game.preset in order.variants]
        options = [game for game in OPTIONS if not order.variants or game.preset in order.variants]
        for name in order.variants:
            preset(name)
        if unknown := [number for number in order.steps if not 1 <= number <= len(STEPS)]:
            raise UsageError(f"--step {unknown[0]}: there are steps 1 to {len(STEPS)}")
    except HostFault as fault:
        say(f"golfref check: {fault}")
        return HOST_FAILED
    except (UsageError, BadBot, UnknownVariant) as error:
        say(f"golfref check: {str(error).removeprefix('--bot ')}")
        return USAGE
    seed = order.seed
    runs: list[CheckRun] = []
    began = time.monotonic()

    async def work(pump: Pump) -> None:
        run = CheckRun(pump, spec, confinement, games=games, options=options, seed=seed, most_s=order.most_s)
        runs.append(run)
        if not order.as_json:
            put(f"golfref check {shlex.quote(order.command)}", f"seed {seed}, isolation {confinement.isolation}", "")
        await check(run, lambda: None if order.as_json else put(*_step_lines(run)), order.steps)

    try:
        run_session([work])
    except Interrupted:
        say("golfref check: interrupted")
        return INTERRUPTED
    except HostFault as fault:
        say(f"golfref check: broken off, and not the bot's fault: {advised(fault)}")
        return HOST_FAILED
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
