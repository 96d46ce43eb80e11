"""How a finding is told to the bot's author, on a terminal and in a letter."""

from collections.abc import Iterator

from protocol.text import printable
from referee.kit.check.report import Finding

MOST_GAMES = 4
"""How many games are named in which a finding came up."""


def finding_lines(number: int, finding: Finding) -> Iterator[str]:
    """The lines that tell a finding: what, where, the rule, what is right, and what was said before it."""
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
