"""The worked cases of the rule book (tests/rules/cases.txt) as data: their numbers, their rules, the lines to run."""

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[1] / "rules" / "cases.txt"

_CASE = re.compile(r"^\* \*\*(C-\d{3})\*\* .*?\[([^\]]*)\]$", re.MULTILINE)
_LINE = re.compile(r"^  `((?:SCORE|ADJ) [^`]+)`$", re.MULTILINE)


class WorkedCase(NamedTuple):
    """A case: its number (`C-001`), the rules in its brackets, its `SCORE` and `ADJ` lines as they stand."""

    number: str
    rules: str
    lines: tuple[str, ...]


def worked_cases() -> list[WorkedCase]:
    """All cases in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    opened = list(_CASE.finditer(text))
    ends = [*(one.start() for one in opened[1:]), len(text)]
    return [
        WorkedCase(one[1], one[2], tuple(_LINE.findall(text, one.end(), end)))
        for one, end in zip(opened, ends, strict=True)
    ]
