"""The worked cases of tests/rules/cases.txt: each is tested, each that is cited exists, and so do the rules they name.

Their `SCORE` and `ADJ` lines are run by tests/rules/scoring/test_scoring.py; what a case tells in words is a test that
names it (`test_c_133_...`, or `C-133` in its text).
"""

import re
from pathlib import Path

from worked_cases import PAGE, worked_cases

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "referee/rules/RULES.md").read_text(encoding="utf-8")

CASES = worked_cases()
NUMBERS = {case.number for case in CASES}

CITING = [
    path
    for folder in ("protocol", "referee", "bots", "tests", "tournaments")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".md", ".txt", ".toml"} and path not in (PAGE, Path(__file__))
]
CITED_IN_A_NAME = re.compile(r"(?<![A-Z0-9])C-\d{3}(?!\d)")
"""A case in a test's name (`test_c_062_...`) or text, once `_` is `-` and letters are capitals."""


def cited_in(path: Path) -> set[str]:
    return set(CITED_IN_A_NAME.findall(path.read_text(encoding="utf-8").upper().replace("_", "-")))


def test_the_page_is_read_whole() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert len(NUMBERS) == len(CASES) == text.count("\n* **C-")
    assert sum(len(case.lines) for case in CASES) == len(re.findall(r"^  `", text, flags=re.MULTILINE))


def test_every_case_that_is_cited_exists() -> None:
    unknown = {str(path.relative_to(ROOT)): cited_in(path) - NUMBERS for path in CITING}

    assert {path: cases for path, cases in unknown.items() if cases} == {}


def test_every_case_is_run_or_named_by_a_test() -> None:
    tested = {case.number for case in CASES if case.lines}
    for path in CITING:
        if path.match("test_*.py") or path.name == "scoring_cases.txt":
            tested |= cited_in(path)

    assert sorted(NUMBERS - tested) == []


def test_every_rule_that_a_case_names_exists() -> None:
    defined = set(re.findall(r"^\s*(?:\* \*\*|\| )([A-Z][A-Z0-9]+-\d\d)\b", RULES, flags=re.MULTILINE))
    named = {rule for case in CASES for rule in re.findall(r"\b[A-Z][A-Z0-9]+-\d\d\b", case.rules)}

    assert sorted(named - defined) == []
