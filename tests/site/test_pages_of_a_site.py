"""What the pages of a site say, made in memory of runs whose bots have hostile names."""

from contextlib import closing
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from in_store import go_on
from msgspec.structs import replace

from referee.site.content import Content
from referee.site.pages.every import pages
from referee.site.pages.slugs import slugs
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of

S = TypeVar("S", bound=msgspec.Struct)

SCRIPT, OVERRIDE = "<script>alert(1)</script>", "a\u202etxt.exe"
HEAD = f"""
[tournament]
name = "{SCRIPT}"
seed = "abc"
seats = 2
deals = 2
[[variants]]
preset = "six-card"
[[variants]]
preset = "cactus"
"""
NAMES = (SCRIPT, "override", "Keeper", "keeper", "a/b", "أداة")


def content_of(folder: Path) -> Content:
    """The content of a run in which one bot has a name that no config may hold, as in a store that was changed."""
    with closing(Store.open(folder / "run.golfref")) as store:
        summary, facts = tampered(summary_of(store, with_results=False)), tampered(store.meta().facts)
    return Content(
        summary=summary,
        facts=facts,
        store="run.golfref",
        is_complete=summary.key is not None,
        assets={"site.css": "assets/site.css", "live.js": "assets/live.js"},
    )


def tampered(data: S) -> S:
    text = msgspec.json.encode(data).replace(b'"override"', msgspec.json.encode(OVERRIDE))
    return msgspec.json.decode(text, type=type(data))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    bots = "".join(
        f'[[bots]]\nname = "{name}"\nbuiltin = "random"\nenv = {{ MODE = "{at}" }}\n' for at, name in enumerate(NAMES)
    )
    (folder / "run.toml").write_text(HEAD + bots)
    return folder


def test_names_of_files_are_safe_and_their_own() -> None:
    names = ["keeper", "Keeper", "KEEPER", "a/b", "a b", "../..", "", "index", "con", "晴れ", "雨", "x" * 300, SCRIPT]
    made = slugs(names)

    assert made["keeper"] == "keeper"
    assert len({slug.lower() for slug in made.values()}) == len(names)
    assert all(slug.replace("-", "").isalnum() and slug.isascii() and len(slug) < 80 for slug in made.values())
    assert not {"index", "con"} & set(made.values())


def test_the_name_of_a_file_does_not_depend_on_who_else_is_there() -> None:
    assert slugs(["Keeper"])["Keeper"] == slugs(["keeper", "Keeper", "KEEPER"])["Keeper"]
    taken = slugs(["Keeper"])["Keeper"]
    assert slugs([taken, "Keeper"])[taken] != taken, "a name that looks like another one's file is not plain"


def test_no_text_of_strangers_is_markup(run: Path) -> None:
    go_on(run)
    for page in pages(content_of(run)):
        text = page.data.decode()
        assert "<script>alert" not in text, page.path
        assert "\u202e" not in text, page.path


def test_the_key_is_told_when_the_run_is_complete(run: Path) -> None:
    go_on(run)
    content = content_of(run)
    key = content.summary.key
    assert key is not None
    playing = replace(content, is_complete=False)
    assert any(key in page.data.decode() for page in pages(content))
    assert not any(key in page.data.decode() for page in pages(playing))
