"""The examples of a page in one of its sections, run as a reader would type them."""

import doctest
from pathlib import Path

ROOT = Path(__file__).parents[2]


def section(page: str, title: str) -> str:
    """The text of a section, by its title, up to the next title as high as its own."""
    _, found, rest = (ROOT / page).read_text().partition(f"\n## {title}\n")
    assert found, f"{page} has no section {title}"
    return rest.partition("\n## ")[0]


def run_examples(text: str) -> list[str]:
    """Run what follows `>>>`; return what printed something else than the text shows. There must be an example."""
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(text.replace("\n```\n", "\n\n```\n"), {}, "section", None, 0)
    assert test.examples
    doctest.DocTestRunner().run(test, out=told.append)
    return told
