"""The table of faults: which bots were at fault, and how often in each way."""

from collections.abc import Mapping
from typing import get_args

from protocol.messages import FaultKind
from referee.reports.tables.layout import Column, pages
from referee.reports.tables.names import Names


def faults_table(faults: Mapping[str, Mapping[str, int]], width: int, names: Names) -> str:
    """A line for each bot that was at fault. The empty string where nobody was."""
    guilty = at_fault(faults)
    if not guilty:
        return ""
    fixed = [Column(title="bot", cells=[names(bot) for bot in guilty], is_text=True)]
    columns = [
        Column(title=kind.replace("_", "\n"), cells=[str(counts.get(kind, 0)) for counts in guilty.values()])
        for kind in kinds_of(guilty)
    ]
    return "\n\n".join(pages(fixed, columns, width))


def at_fault(faults: Mapping[str, Mapping[str, int]]) -> dict[str, Mapping[str, int]]:
    """By bot the counts of those that were at fault."""
    return {bot: counts for bot, counts in faults.items() if any(counts.values())}


def kinds_of(faults: Mapping[str, Mapping[str, int]]) -> list[FaultKind]:
    """The kinds of fault that there were, in the order in which the protocol lists them."""
    return [kind for kind in get_args(FaultKind) if any(counts.get(kind) for counts in faults.values())]
