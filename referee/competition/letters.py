"""What a check came to as a text that can be sent to the bot's author as it stands.

It tells of no other entry, and names no place of the organiser's machine. Bots are told about in it in their own
words, of which nothing steers a terminal.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from pathlib import Path

from wcwidth import wrap

from protocol import VERSION
from protocol.text import harmless, printable
from referee import __version__, wall_clock
from referee.bot_check.report import finding_lines
from referee.competition.at_home import config_at_home
from referee.competition.checks import CheckResult, OneBot
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config
from referee.versions.ready import NotReady
from referee.versions.version import short

WIDTH = 100
"""How many cells the lines of a letter are wide that are no quotations."""

SUFFIX = ".txt"

_NOT_IN_NAMES = frozenset('/\\:*?"<>|')

_MARKS = {"pass": "pass", "warn": "WARN", "fail": "FAIL", "skip": "skip"}


def letter(config: Config, one: OneBot | NotReady) -> str | None:
    """The letter to the author of a bot; None where the host spoiled its check, which tells nothing."""
    if isinstance(one, NotReady):
        return _sealed([*_heading(config, one.name, "fail", one.version), *_why_unready(config, one)], config, None)
    if not isinstance(one.came_to, CheckResult):
        return None
    result = one.came_to
    lines = [
        *_heading(config, one.name, result.verdict, one.version),
        *_fields(
            {
                "checked": f"{result.when} UTC by golfref {__version__}, protocol {VERSION}",
                "owner": one.bot.owner,
                **_conditions(config, one.bot),
                "slowest answer": _slowest(result),
                "memory": _memory(result),
            }
        ),
        *_steps(result),
        *_findings(result),
        *_at_home(config, one.bot),
    ]
    return _sealed(lines, config, one.bot)


def _why_unready(config: Config, one: NotReady) -> Iterator[str]:
    yield from _fields(
        {"looked at": f"{wall_clock.stamp()} UTC by golfref {__version__}", "isolation": config.isolation}
    )
    yield from ("", *_wrapped(f"It could not be checked: {one.problem}."))
    yield from (f"  | {line}" for line in one.lines)


def file_names(names: Iterable[str]) -> dict[str, str]:
    """By name of a bot the name of the file for its letter: its own, where that can be one in any folder."""
    found: dict[str, str] = {}
    for name in names:
        plain = "".join("_" if letter in _NOT_IN_NAMES or not letter.isprintable() else letter for letter in name)
        plain = plain.lstrip(".") or "_"
        numbered = chain([plain], (f"{plain}~{number}" for number in count(2)))
        found[name] = next(free for one in numbered if (free := one + SUFFIX) not in found.values())
    return found


def folder_for(config: Config) -> Path:
    """Where the letters of a competition lie where no other folder is named."""
    file = Path(config.file or "config.toml")
    return file.with_name(f"{file.stem}.checks")


def _heading(config: Config, name: str, verdict: str, version: str) -> Iterator[str]:
    yield f"Check of the bot `{name}` for the competition `{config.name}`"
    yield ""
    yield from _fields({"verdict": _MEANING[verdict], "version": short(version)})


_MEANING = {
    "pass": "PASS: it keeps the protocol in every game of the competition",
    "warn": "WARN: it keeps the protocol, and there is something that its author should know",
    "fail": "FAIL: it cannot play as it is; see what was found",
}


def _conditions(config: Config, bot: BotSpec) -> dict[str, str]:
    limits, clocks = config.limits, bot.clocks or config.clocks
    bounds = (
        f"; {limits.memory_mb} MB of memory, {limits.processes} processes and threads, {limits.files} open files, "
        f"{limits.tmp_mb} MB in /tmp, {limits.cpu_s} s of computing a match"
    )
    games = ", ".join(f"{game.name} with {game.seats} seats" for game in config.variants)
    return {
        "isolation": config.isolation + (bounds if config.isolation != "none" else ""),
        "clocks": f"{clocks.start_s:g} s to `ready`, {clocks.move_s:g} s an answer, {clocks.bank_s:g} s for all "
        f"answers of a match, {clocks.slap_s:g} s in a slap window",
        "games": games,
    }


def _slowest(result: CheckResult) -> str:
    slowest = result.slowest
    if slowest is None:
        return "it gave none"
    return f"{slowest.ms:.1f} ms of {slowest.limit_ms:.0f} ms, to `{slowest.decision}` in {slowest.game}"


def _memory(result: CheckResult) -> str:
    return "" if result.memory is None else f"{result.memory.peak_mb:.0f} MB, in {result.memory.game}"


def _fields(fields: dict[str, str]) -> Iterator[str]:
    for name, text in fields.items():
        if text:
            first, *rest = wrap(text, WIDTH - 16, break_on_hyphens=False) or [""]
            yield f"{name:14}  {first}"
            yield from (f"{'':16}{line}" for line in rest)


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, break_on_hyphens=False)


def _steps(result: CheckResult) -> Iterator[str]:
    yield from ("", "What was tried", "")
    for step in result.report.steps:
        numbers = ", ".join(f"[{number}]" for number in sorted(step.findings))
        words = "; ".join(part for part in (printable(step.summary, 200), f"see {numbers}" if numbers else "") if part)
        yield f"{step.number:2} {_MARKS[step.verdict]}  {step.title:31} {words}".rstrip()
        yield from (f"         note: {note}" for note in step.notes)


def _findings(result: CheckResult) -> Iterator[str]:
    if result.report.findings:
        yield from ("", "What was found: what happened, the line, the rule of the specification, and what is right")
    for number, finding in enumerate(result.report.findings, start=1):
        yield from finding_lines(number, finding)


def _at_home(config: Config, bot: BotSpec) -> Iterator[str]:
    yield from ("", "To see the same at home", "")
    called = f", which must be called {shlex.quote(bot.name)}," if bot.entry else ""
    yield from _wrapped(
        f"Save the lines below as check.toml, beside the folder of the bot{called} and not in it, and run "
        f"`golfref check check.toml --bot {shlex.quote(bot.name)}` there, with golfref {__version__}. "
        'Where your machine has no such isolation, write isolation = "limits".'
    )
    yield ""
    yield from (f"    {line}".rstrip() for line in config_at_home(config, bot))


def _sealed(lines: Sequence[str], config: Config, bot: BotSpec | None) -> str:
    """The lines as a text without the organiser's places, and without what steers a terminal."""
    text = "\n".join(harmless(line) for line in lines) + "\n"
    for place, stands_for in _places(config, bot):
        text = re.sub(rf"{re.escape(place)}(?![\w-])", stands_for.replace("\\", r"\\"), text)
    return text


def _places(config: Config, bot: BotSpec | None) -> list[tuple[str, str]]:
    """Folders of the organiser's machine, the longest first, and what a letter has in their place."""
    places: dict[str, str] = {}
    if bot is not None:
        places |= {bot.dir: ".", bot.entry: "."}
    places |= {sys.prefix: "(golfref)", config.folder: "(competition)", os.path.expanduser("~"): "~"}
    for folder in list(places):
        if folder:
            places.setdefault(os.path.realpath(folder), places[folder])
    parents = [
        str(parent) for folder in (config.folder, os.path.realpath(config.folder)) for parent in Path(folder).parents
    ]
    for parent in parents:
        if parent.count("/") > 1:
            places.setdefault(parent, "(organiser)")
    known = [(harmless(place), words) for place, words in places.items() if place.count("/") > 1 or place == "/root"]
    return sorted(known, key=lambda pair: -len(pair[0]))
