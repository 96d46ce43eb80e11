"""The code cites the rule book by number, and the tests prove it rule by rule.

Every number that is cited is in referee/rules/RULES.md. Every rule of it is cited by the code, at the function or the
preset that holds it, and by a test, unless it says nothing to test.
"""

import re
from pathlib import Path

from worked_cases import worked_cases

import protocol
import referee

RULES = (Path(referee.__file__).parent / "rules" / "RULES.md").read_text(encoding="utf-8")

DEFINED = set(re.findall(r"^\s*(?:\* \*\*|\| )([A-Z][A-Z0-9]+-\d\d)\b", RULES, flags=re.MULTILINE))
"""Rules open a list item (`* **GEN-01**`), decisions a row of a table (`| DEC-01 |`)."""

CHAPTERS = {number.partition("-")[0] for number in DEFINED}
NUMBER_IN_A_NAME = re.compile(rf"(?<![A-Z0-9])(?:{'|'.join(sorted(CHAPTERS))})-\d\d(?!\d)")
"""A rule in a test's name (`test_ker_05_ker_07_...`) or text, once `_` is `-` and letters are capitals."""

NUMBER = re.compile(rf"\b(?:{'|'.join(sorted(CHAPTERS))})-\d+\b")

PACKAGES = (Path(protocol.__file__).parent, Path(referee.__file__).parent)
CODE = [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]
PAGES = [path for package in PACKAGES for path in sorted(package.rglob("*.md"))]
BOTS = sorted((Path(__file__).parents[2] / "bots").rglob("*.py"))
TESTS = [
    path
    for path in sorted(Path(__file__).parents[1].rglob("*"))
    if path.match("test_*.py") or path.name in ("scoring_cases.txt", "invariants.py")
]

RANGE = re.compile(rf"{NUMBER.pattern}\s*(?:\.\.+|\u2026|\u2013|-|to|through)\s*(?:{NUMBER.pattern}|\d+\b)")
"""Rules between two numbers, such as `KER-02..KER-07`: it hides which function holds which of them."""


def test_the_rule_book_numbers_its_rules() -> None:
    assert {"GEN-01", "DEC-15", "KER-05", "CAC-25", "T4-01", "OPT-08", "AMB-84"} <= DEFINED
    assert len(DEFINED) > 300


def test_every_rule_that_is_cited_exists() -> None:
    cited = {path: set(NUMBER.findall(path.read_text(encoding="utf-8"))) for path in (*CODE, *PAGES, *BOTS, *TESTS)}

    assert {str(path): found - DEFINED for path, found in cited.items() if not found <= DEFINED} == {}


def test_no_rule_has_two_texts() -> None:
    opened = re.findall(r"^\* \*\*([A-Z][A-Z0-9]+-\d\d)\b", RULES, flags=re.MULTILINE)

    assert sorted(opened) == sorted(set(opened))


# Every rule stands in the code


def test_every_rule_is_cited_by_the_code() -> None:
    cited = {number for path in CODE for number in NUMBER.findall(path.read_text(encoding="utf-8"))}
    rules = {number for number in DEFINED if not number.startswith("AMB-")}

    assert sorted(rules - cited) == [], "cite each at the function that implements it, or at the preset that has it"


def test_the_code_cites_no_ranges_of_rules() -> None:
    ranges = {path.name: RANGE.findall(path.read_text(encoding="utf-8")) for path in CODE}

    assert {name: found for name, found in ranges.items() if found} == {}


def test_a_range_is_found_however_it_is_written() -> None:
    for text in ("KER-02..KER-07", "DEC-01 to DEC-14", "SCO-03\u2013SCO-10", "CAC-22 .. 36"):
        assert RANGE.search(text), text
    for text in ("KER-02, KER-07", "CMB-09: CAC-13", "GEN-08 and GEN-09", "OPT-08. The 12"):
        assert not RANGE.search(text), text


# Every rule is tested

DEFINITIONS = {
    "SCO-12": "names the sum that SCO-01 to SCO-10 make",
    "SCO-14": "says in which order the rules of SCO-13 and of section 7 are applied",
}
"""Rules that say nothing which a test could find broken by itself, each with the reason."""


def test_every_rule_is_cited_by_a_test_or_defines_something() -> None:
    texts = "\n".join(path.read_text(encoding="utf-8") for path in TESTS if path != Path(__file__))
    cited = set(NUMBER_IN_A_NAME.findall(texts.upper().replace("_", "-")))
    cited |= {rule for case in worked_cases() if case.lines for rule in NUMBER.findall(case.rules)}
    rules = {number for number in DEFINED if not number.startswith("AMB-")}

    assert sorted(rules - cited - set(DEFINITIONS)) == []


def test_what_is_listed_as_a_definition_is_a_rule_with_a_reason() -> None:
    assert set(DEFINITIONS) <= DEFINED
    assert all(DEFINITIONS.values())
