"""The page for researchers and the docstrings: what they show is run."""

import doctest
import re

import pytest
from needs import need_modules
from page_examples import ROOT, run_examples, section

from referee.research import Env, VectorEnv, chance, codec, env, policies, vector

PAGE = "referee/research/README.md"

LIBRARIES = {"PettingZoo": (("pettingzoo", "gymnasium"), "research"), "OpenSpiel": (("pyspiel",), "openspiel")}
"""By section: the libraries that its examples import, and the extra that installs them."""


def test_what_the_page_shows_without_libraries_comes_out() -> None:
    parts = re.split("^## ", (ROOT / PAGE).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert run_examples("".join(part for part in parts if not part.startswith("Decisions"))) == []


def test_the_example_of_the_mathematics_of_resample_comes_out() -> None:
    assert run_examples((ROOT / "referee/research/resample/README.md").read_text(encoding="utf-8")) == []


@pytest.mark.research
@pytest.mark.parametrize("title", LIBRARIES)
def test_what_the_page_shows_of_a_library_comes_out(title: str) -> None:
    names, extra = LIBRARIES[title]
    need_modules(*names, extra=extra)
    assert run_examples(section("referee/research/adapters/README.md", title)) == []


@pytest.mark.parametrize("module", [chance, codec, env, policies, vector])
def test_what_docstrings_show_comes_out(module: object) -> None:
    for test in doctest.DocTestFinder().find(module, globs=vars(module) | {"Env": Env, "VectorEnv": VectorEnv}):
        assert doctest.DocTestRunner().run(test).failed == 0, test.name
