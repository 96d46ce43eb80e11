"""What a check comes to: the results of its steps, and findings, each shown once however often it came up."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, field

from protocol.text import printable
from referee.bot_check.rules import Rule

AROUND = 110
"""How many characters of a long line are shown before the place, and about as many after it."""

MOST_GAMES = 4
"""How many games are named in which a finding came up."""

Verdict = Literal["pass", "warn", "fail", "skip"]
"""What a step comes to; a step is skipped where it cannot be tried."""


def counted(number: int, thing: str) -> str:
    """Return so many of a thing in words: `1 game`, `2 games`, `2 matches`."""
    ending = "" if number == 1 else "es" if thing.endswith("ch") else "s"
    return f"{number} {thing}{ending}"


class Place(Struct, frozen=True, kw_only=True):
    """A place in a line, ready to be shown: what stands around it and where in that the place is."""

    text: str
    """The line, escaped, with an ellipsis where it was cut."""
    marker: str
    """Blanks and a `^` that stands under the place."""
    column: int
    """The column in the whole line, in characters, from 1."""


def place_in(line: bytes, start: int) -> Place:
    """The place that begins at this character of the line."""
    text = line.decode("utf-8", "replace").rstrip("\n")
    start = min(max(0, start), len(text))
    first, last = max(0, start - AROUND), start + AROUND
    before = ("…" if first else "") + printable(text[first:start] or " ", 9 * AROUND) * (start > 0)
    after = printable(text[start:last] or " ", 9 * AROUND) + ("…" if last < len(text) else "")
    return Place(text=(before + after).rstrip(" "), marker=" " * len(before) + "^", column=start + 1)


class Finding(Struct, kw_only=True):
    """Something that is wrong with a bot, as it came up first."""

    verdict: Literal["warn", "fail"] = "warn"
    kind: str
    """The kind of the fault, as the protocol calls it, or in a few words what is odd."""
    what: str
    """What happened, as a sentence."""
    where: str = ""
    """The game, the round and the decision; or the title of the step."""
    rule: Rule
    place: Place | None = None
    """The place in the bot's line that is wrong, if a line is."""
    place_note: str = ""
    """What is wrong at that place."""
    right: str = ""
    """What would have been right there; a line where a line was wrong."""
    conversation: tuple[str, ...] = ()
    """The last lines before it: `> ` to the bot, `< ` from it."""
    stderr: tuple[str, ...] = ()
    """The last lines of standard error, if the bot ended; the first ones, if it wrote much."""
    stderr_is_beginning: bool = False
    """Whether `stderr` is the beginning of what it wrote in that match, and not the end."""
    count: int = 1
    games: Counter[str] = field(default_factory=Counter)
    """In which games it came up, and how often."""
    step: int = 0
    """The step in which it came up first."""


class StepResult(Struct, kw_only=True):
    """What a step came to."""

    number: int
    title: str
    verdict: Verdict = "pass"
    summary: str = ""
    """What was tried or measured, in a few words."""
    notes: list[str] = field(default_factory=list)
    """What is worth knowing, and neither right nor wrong."""
    findings: list[int] = field(default_factory=list)
    """The numbers of the findings that came up in it, from 1."""
    has_news: bool = False
    """Whether one of them came up in it first."""
    seconds: float = 0.0


class Times(Struct, frozen=True, kw_only=True):
    """How long the bot took for its answers to one decision, in milliseconds."""

    answers: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    limit_ms: float


class Shown(Struct, kw_only=True):
    """How often the bot was shown each decision, kind of action and event."""

    decisions: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)


class Report(Struct, kw_only=True):
    """All that a check has found out."""

    command: str
    folder: str
    isolation: str
    seed: str
    verdict: Verdict = "pass"
    steps: list[StepResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    times: dict[str, Times] = field(default_factory=dict)
    """By decision."""
    untried: list[int] = field(default_factory=list)
    """The numbers of the steps that were not tried because the check had taken all of its time."""
    shown: Shown = field(default_factory=Shown)
    seconds: float = 0.0


def finding_lines(number: int, finding: Finding) -> Iterator[str]:
    """A finding for the bot's author: what, where, the rule, what is right, and the conversation before it."""
    times = f", {finding.count} times" if finding.count > 1 else ""
    yield ""
    yield f"[{number}] {finding.verdict}: {finding.kind}{times}, first in step {finding.step}: {finding.where}"
    if len(finding.games) > 1:
        names = [game for game, _ in finding.games.most_common(MOST_GAMES)]
        more = len(finding.games) - len(names)
        yield f"    in {'; '.join(names)}{f' and {more} more' if more else ''}"
    yield f"    what:   {printable(finding.what, 1000)}"
    if finding.place is not None:
        note = f": {finding.place_note}" if finding.place_note else ""
        yield f"    line:   {finding.place.text}"
        yield f"            {finding.place.marker} column {finding.place.column}{note}"
    yield f"    rule:   {finding.rule}"
    if finding.right:
        yield f"    right:  {finding.right}"
    if finding.conversation:
        yield "    the conversation up to there (> to the bot, < from it):"
        yield from (f"      {line}" for line in finding.conversation)
    if finding.stderr:
        yield f"    the {'beginning' if finding.stderr_is_beginning else 'end'} of its standard error:"
        yield from (f"      | {line}" for line in finding.stderr)
