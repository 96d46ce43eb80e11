"""rerun: a recorded match sent again to a build of one of its bots, to find where it does something else."""

import os
import shlex
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.bot_tools.rerun import Finding, Outcome, Rerun, Step
from referee.bot_tools.rerun import rerun as send_again
from referee.commands.console import put, say
from referee.commands.match.bots import UsageError, confinement_of, hint_at_dir
from referee.commands.options import BotOf, MatchOf, refuse
from referee.commands.recorded.heading import heading_lines, place_line
from referee.commands.recorded.records import OpenedMatch, open_match, replaying
from referee.errors import CHECK_FAILED, DONE
from referee.play.faults import HostFault
from referee.play.pump.pump import Pump
from referee.play.sandbox.problems import find_problem
from referee.play.session import run_session
from referee.play.spec import SHIPPED, BotLimits, BotSpec, Confinement, builtin_bot, command_bot
from referee.reports.bot_match import BotMatch
from referee.reports.faults import LAST_LINES, stderr_end
from referee.reports.transcript_text import action_text, entry_lines, lines_of
from referee.tournament.store.store import Store
from referee.versions.store import VersionStore
from referee.versions.version import short, version_of

MOST_TOLD = 20
"""How many findings `--all` tells; the rest is counted."""


NEARLY_LATE = 0.5
"""The part of its time from which on an answer is said to be slow, where the record has none in time."""


class RerunOptions(Struct, frozen=True, kw_only=True):
    """What `golfref rerun` is asked to do."""

    record: MatchOf
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- CMD", help="The build to try, or builtin:NAME; default: the bot of the record."),
    ] = None
    bot: BotOf = None
    folder: Annotated[
        str | None,
        typer.Option("--dir", metavar="FOLDER", help="Where the build starts; default: as the run has it, else here."),
    ] = None
    isolation: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="none, limits or bwrap; default: as in the record.")
    ] = None
    patience: Annotated[
        float,
        typer.Option(
            metavar="FACTOR", min=0.01, help="Times the recorded limits, for a build that is slow, as under a debugger."
        ),
    ] = 1.0
    goes_on: Annotated[
        bool, typer.Option("--all", help="Go on after the first difference, though the input no longer fits.")
    ] = False


def rerun(order: RerunOptions) -> int:
    """Send a recorded match to a build of a bot: where does it first answer differently, crash, or come late?

    Example: golfref rerun cup.golfref:17 --bot ann -- python3 bot.py
    """
    opened = open_match(order.record)
    with replaying(order.record):
        match = opened.bot_match(order.bot)
    try:
        confinement = _confinement(order, match)
    except HostFault as fault:
        if not order.isolation:
            fault.add_note("--isolation limits tries it without a cell")
        raise
    build = _build(order, opened, match, confinement)
    if build.builtin is not None:
        refuse(f"builtin:{build.builtin}", {"--dir": order.folder})
    game, seats = heading_lines(match, match.bots)
    put(game, *([place_line(match.place)] if match.place else []), seats)
    put(printable(f"build: {shlex.join(build.command)}, in {build.dir}, isolation {confinement.isolation}", 3000))
    say(*opened.note, *_notes(order, opened, match, build))
    return _run(order, match, build, confinement)


def _run(order: RerunOptions, match: BotMatch, build: BotSpec, confinement: Confinement) -> int:
    came: list[Rerun] = []
    printer = _Printer(goes_on=order.goes_on)

    async def work(pump: Pump) -> None:
        came.append(
            await send_again(
                pump,
                match,
                build,
                confinement,
                patience=order.patience,
                goes_on=order.goes_on,
                tell=printer.print,
            )
        )

    run_session([work])
    (result,) = came
    printer.print_rest()
    put(in_words(result))
    first = next(iter(result.findings), None)
    if first is not None and first.now.mishap is not None and first.now.mishap.kind == "start_failed":
        say(*[f"the build started in {build.dir}{where}" for where in [_elsewhere(order)] if where])
    return CHECK_FAILED if any(one.kind != "same" for one in result.findings) else DONE


def _notes(order: RerunOptions, opened: OpenedMatch, match: BotMatch, build: BotSpec) -> list[str]:
    """What the build cannot know that the bot knew then, and whether the bot of the record is still what played."""
    notes = []
    if match.matches_before:
        before = f"{match.matches_before} {'match' if match.matches_before == 1 else 'matches'}"
        notes.append(
            f"note: its process had played {before} before this one; what it remembered of that is missing here"
        )
    if not order.command and match.place is not None:
        now = version_of(build, os.path.dirname(os.path.abspath(opened.place.path)))
        if now != match.place.version:
            played, here = short(match.place.version), short(now)
            other = f"the files in {build.dir} are version {here}{_elsewhere(order)}"
            notes.append(printable(f"note: version {played} played this match; {other}", 3000))
    return notes


def _elsewhere(order: RerunOptions) -> str:
    """What to add where the bot of the record may lie in another folder than the one that was taken."""
    is_told = order.folder is not None or order.command
    return "" if is_told else "; if the bot lies elsewhere, --dir names its folder"


def _confinement(order: RerunOptions, match: BotMatch) -> Confinement:
    """The isolation and the bounds of then, unless another isolation is asked for."""
    confinement = confinement_of(order.isolation or match.isolation)
    try:
        return replace(confinement, limits=msgspec.convert(match.limits, BotLimits))
    except msgspec.ValidationError:
        return confinement  # under `none` a record tells no bounds


def _build(order: RerunOptions, opened: OpenedMatch, match: BotMatch, confinement: Confinement) -> BotSpec:
    """The build that is asked for, else the bot of the record where it can be found. Raises UsageError, BadBot."""
    if order.folder is not None and not os.path.isdir(order.folder):
        raise UsageError(f"--dir {order.folder}: there is no such folder in {os.getcwd()}")
    if order.command:
        text = order.command[0] if len(order.command) == 1 else shlex.join(order.command)
        build = command_bot(text, order.folder)
        if problem := find_problem(build, confinement.isolation):
            raise UsageError(f"{problem}{hint_at_dir(build, problem)}")
        return build
    build = _recorded(order, opened, match)
    if problem := find_problem(build, confinement.isolation):
        raise UsageError(
            f"the command of the record, `{shlex.join(build.command)}`, cannot be started: {problem}; "
            "name the build after --, and with --dir the folder in which it starts"
        )
    return build


def _recorded(order: RerunOptions, opened: OpenedMatch, match: BotMatch) -> BotSpec:
    """The bot as it was started: as the run's store knows it, else by the command in the record.

    Of an entry it is the version that played this match, as long as that is in the store of versions beside the store.
    """
    place = opened.place
    if place.is_store:
        versions = VersionStore(os.path.dirname(os.path.abspath(place.path)))
        entry = None if match.place is None or order.folder is not None else versions.entry_of(match.place.version)
        if entry is not None and versions.start_folder(entry).is_dir():
            return versions.bot_of(entry)
        with closing(Store.open(place.path)) as store:
            bot = next((bot for bot in store.meta().config.bots if bot.name == match.bot), None)
        if bot is not None and bot.builtin is not None:
            return builtin_bot(bot.builtin)
        if bot is not None and bot.command is not None:
            beside = os.path.join(place.path.parent, bot.dir or ".")
            if order.folder is None and not os.path.isdir(beside):
                raise UsageError(
                    f"the run starts {match.bot} in `dir = {bot.dir}`, and there is no folder "
                    f"{os.path.abspath(beside)}; --dir names the folder in which it starts"
                )
            return _spec(match.bot, bot.command, order.folder or beside, bot.env)
    if not match.command:
        raise UsageError(f"the record does not tell the command of {match.bot}; name the build after --")
    script = Path(match.command[-1])
    if script.parent.parent == SHIPPED:
        return builtin_bot(script.parent.name)
    return _spec(match.bot, match.command, order.folder or ".", {})


def _spec(name: str, command: tuple[str, ...], folder: str, env: dict[str, str]) -> BotSpec:
    return BotSpec(name=name, command=command, dir=os.path.abspath(folder), env=env)


class _Printer:
    """Prints findings: the first in full, with what was sent, and the others in a line each."""

    def __init__(self, *, goes_on: bool) -> None:
        self._told = self._left = 0
        self._goes_on = goes_on

    def print(self, finding: Finding) -> None:
        """Print a finding."""
        if finding.kind != "same" and not self._told:
            put("", f"{_where(finding.step)}: {_what(finding)}", *_in_full(finding))
            put(*_stderr(finding), "")
            if self._goes_on:
                put("From here on the input no longer fits what the bot believes: it supposes the recorded answers.")
        elif self._told < MOST_TOLD:
            put(f"{_where(finding.step)}: {_what(finding)}", *(_stderr(finding) if finding.kind == "same" else ()))
        else:
            self._left += 1
            return
        self._told += finding.kind != "same"

    def print_rest(self) -> None:
        """Print how many were not printed."""
        if self._left:
            put(f"and {self._left} more")


def in_words(result: Rerun) -> str:
    """What was found, in a sentence or two."""
    findings = [finding for finding in result.findings if finding.kind != "same"]
    faults = [finding for finding in result.findings if finding.kind == "same"]
    if not findings:
        same = f"All {result.requests} answers are as recorded"
        if not faults:
            return f"{same}."
        return f"{same}, the {'fault' if len(faults) == 1 else f'{len(faults)} faults'} too: {_named(faults)}."
    first = findings[0]
    before = first.step.number - 1
    fine = {-1: "", 0: "", 1: " The answer before it is as recorded."}.get(
        before, f" The {before} answers before it are as recorded."
    )
    said = f"{_where(first.step, result.requests)}: {_what(first)}.{fine}"
    more = len(findings) - 1
    if more:
        said += f" {more} more of the {result.answered} answers {'is' if more == 1 else 'are'} not as recorded."
    return said[0].upper() + said[1:]


def _named(faults: Sequence[Finding]) -> str:
    return ", ".join(
        f"{'' if one.now.mishap is None else one.now.mishap.kind} at request {one.step.number}" for one in faults
    )


def _where(step: Step, requests: int | None = None) -> str:
    if step.request is None:
        return "at `hello`"
    of = "" if requests is None else f" of {requests}"
    return f"at request {step.number}{of}, round {step.round}, {step.request.decision}"


def _what(finding: Finding) -> str:
    """What the build did, as the rest of a sentence."""
    now, as_recorded = finding.now, ", as in the record" if finding.is_as_recorded else ""
    if now.mishap is not None:
        detail = printable(now.mishap.detail, 300)
        return f"{now.mishap.kind}{as_recorded}: {detail}"
    if now.is_late:
        return f"no answer came in time in the slap window, which is a pass{as_recorded}"
    return f"it answers otherwise ({finding.why}{_nearly_late(finding)})"


def _nearly_late(finding: Finding) -> str:
    """What part of its time the answer took, where the record has none in time and that part is great."""
    then, limit_us = finding.step.recorded, 1e6 * finding.step.sent.limit_s
    was_late = then is not None and (then.is_late or (then.mishap is not None and then.mishap.kind == "timeout"))
    part = (finding.now.took_us or 0.0) / limit_us
    return f"; now it took {part:.0%} of the time that it had" if was_late and part >= NEARLY_LATE else ""


def _in_full(finding: Finding) -> list[str]:
    """The line that was sent, what the record tells of its answer, and what came now."""
    step = finding.step
    asked = step.sent if step.request is None else replace(step.sent, text=lines_of(step.sent)[-1] + "\n")
    recorded = "not told" if step.recorded is None else _answer(step.recorded)
    limit_us = 1e6 * step.sent.limit_s
    is_slow = finding.now.mishap is None and (finding.now.took_us or 0.0) > limit_us
    slow = f", too late in the match, which allowed {limit_us / 1e6:g} s" if is_slow else ""
    return [*entry_lines(asked), f"  in the record: {recorded}", f"  now:           {_answer(finding.now)}{slow}"]


def _answer(outcome: Outcome) -> str:
    took = "" if outcome.took_us is None else f"   ({outcome.took_us / 1000:.3f} ms)"
    if outcome.mishap is not None:
        line = f", its line: {printable(outcome.mishap.line, 500)}" if outcome.mishap.line else ""
        given = "" if outcome.action is None else f" {action_text(outcome.action)}"
        return f"{outcome.mishap.kind}{given}{line}{took}"
    if outcome.is_late:
        return f"nothing in time{took}"
    if outcome.ready is not None:
        return action_text(outcome.ready) + took
    if outcome.action is None:
        return "an answer that is not kept"
    then = f", then {action_text(outcome.then)}" if outcome.then is not None else ""
    return f"{action_text(outcome.action)}{then}{took}"


def _stderr(finding: Finding) -> list[str]:
    lines = list(stderr_end(finding.stderr, finding.stderr_bytes, LAST_LINES))
    return lines or ["  it has written nothing to standard error"]
