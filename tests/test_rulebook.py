"""The code cites the rule book by number: every number that it cites is in referee/rules/RULES.md."""

import re
from pathlib import Path

import pytest

import protocol
import referee

RULES = (Path(referee.__file__).parent / "rules" / "RULES.md").read_text(encoding="utf-8")

DEFINED = set(re.findall(r"^\s*(?:\* \*\*|\| )([A-Z][A-Z0-9]+-\d\d)\b", RULES, flags=re.MULTILINE))
"""Rules open a list item (`* **GEN-01**`), decisions a row of a table (`| DEC-01 |`)."""

CHAPTERS = {number.partition("-")[0] for number in DEFINED}
NUMBER = re.compile(rf"\b(?:{'|'.join(sorted(CHAPTERS))})-\d+\b")

CITING = [
    *sorted((Path(referee.__file__).parent / "rules").glob("*.py")),
    *sorted((Path(referee.__file__).parent / "play").glob("*.py")),
    *sorted(Path(protocol.__file__).parent.glob("*.py")),
    Path(protocol.__file__).parent / "README.md",
    Path(referee.__file__).parent / "rules" / "RULES.md",
]


def test_the_rule_book_numbers_its_rules() -> None:
    assert {"GEN-01", "DEC-15", "KER-05", "CAC-25", "T4-01", "OPT-08", "AMB-84"} <= DEFINED
    assert len(DEFINED) > 300


@pytest.mark.parametrize("path", CITING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_rule_that_is_cited_exists(path: Path) -> None:
    cited = set(NUMBER.findall(path.read_text(encoding="utf-8")))

    assert cited <= DEFINED


def test_no_rule_has_two_texts() -> None:
    opened = re.findall(r"^\* \*\*([A-Z][A-Z0-9]+-\d\d)\b", RULES, flags=re.MULTILINE)

    assert sorted(opened) == sorted(set(opened))
