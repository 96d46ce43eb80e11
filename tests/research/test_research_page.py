"""The page for researchers and the docstrings: what they show is run, and the table of fields is that of the code."""

import doctest
import re
from pathlib import Path

import pytest

import referee.research
from referee.research import Env, actions, asking, chance, env, fields, knowledge, telling, tensors
from referee.rules.book.presets import PRESETS

PAGE = Path(referee.research.__file__).with_name("README.md")

SECTIONS = re.compile(r"^(?=## )", flags=re.MULTILINE)

NEED_MORE = ("## Decisions of a run", "## PettingZoo", "## OpenSpiel")
"""Sections whose examples need libraries that golfref does not; they are run by the tests of those."""


def test_what_the_page_shows_comes_out() -> None:
    text = "".join(part for part in SECTIONS.split(PAGE.read_text(encoding="utf-8")) if not part.startswith(NEED_MORE))
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        check(block, names)


@pytest.mark.parametrize("module", [actions, asking, chance, env, fields, knowledge, telling, tensors])
def test_what_docstrings_show_comes_out(module: object) -> None:
    for test in doctest.DocTestFinder().find(module, globs={"Env": Env}):
        assert doctest.DocTestRunner().run(test).failed == 0, test.name


def check(text: str, names: dict[str, object]) -> None:
    """Run what follows `>>>`; fails with what it printed, where that is not what the text shows."""
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(text, names, "README.md", None, 0)
    doctest.DocTestRunner().run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)
    assert test.examples
    names.update(test.globs)


def test_the_page_lists_every_field() -> None:
    (text,) = [part for part in SECTIONS.split(PAGE.read_text(encoding="utf-8")) if part.startswith("## The tensor\n")]
    every = {field.name: field for preset in PRESETS for field in Env(preset).fields}
    listed = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert [name for name in listed if name in every and listed.count(name) == 1] == sorted(every, key=listed.index)
    for name, field in every.items():
        if name != "layouts":
            assert f"| {field.means} |" in text, name
