"""What the pages and the code cite exists: files that are linked, pages that are named, and sections of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import referee

ROOT = Path(__file__).parent.parent

FOLDERS = ("protocol", "referee", "bots", "tournaments")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))])
CITING = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""The pages whose links lead somewhere today. The changelog links to pages as they were."""

SOURCES = sorted(source for folder in FOLDERS for source in (ROOT / folder).rglob("*.py"))

LINK = re.compile(r"\]\(([^)\s]+)\)")
CITED = re.compile(r"((?:\w+/)*)(\b[A-Z]+\.md)(?:,? section (\d+))?")
"""The folders before a page's name, the page, and a section of it."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", CITING, ids=name)
def test_what_a_page_links_to_exists(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        file, hash_sign, anchor = link.partition("#")
        target = page.parent / (file or page.name)
        assert "://" in link or target.exists(), f"there is no {link}"
        assert not hash_sign or anchor in anchors(target), f"nothing in {target} is called {anchor}"


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_pages_and_sections_that_are_cited_exist() -> None:
    wrong = [f"{name(citing)}: {said}" for citing in [*SOURCES, *CITING] for said in cited_in_vain(citing)]

    assert wrong == []


def cited_in_vain(citing: Path) -> Iterator[str]:
    """Citations of pages and sections that do not exist; lines are joined first, so that no end of a line hides one."""
    text = re.sub(r"\s*\n[\s#]*", " ", citing.read_text(encoding="utf-8"))
    for found in CITED.finditer(text):
        folders, page, section = found.groups(default="")
        heading = re.compile(rf"^#+ {section}\b", flags=re.MULTILINE)
        meant = pages_meant(citing, folders, page)
        if not meant or (section and not any(heading.search(one.read_text(encoding="utf-8")) for one in meant)):
            yield found[0]


def pages_meant(citing: Path, folders: str, page: str) -> list[Path]:
    """The page beside the citing file, else those of that path or, but for a mere README.md, of that name."""
    beside = citing.parent / folders / page
    if beside.is_file():
        return [beside]
    return [path for path in PAGES if name(path).endswith(folders + page) and (folders or page != "README.md")]


def test_contributors_are_shown_every_room_and_no_file_that_is_gone() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:\w+\.py)?)`", text))
    rooms = {file.parent for file in (ROOT / "referee").rglob("__init__.py")} - {ROOT / "referee"}

    assert [path for path in named if not ((ROOT / path).exists() or (ROOT / "referee" / path).exists())] == []
    assert [name(room) for room in rooms if not {f"{name(room)}/", f"{name(room)}/".partition("/")[2]} & named] == []


def test_the_newest_changes_are_those_of_this_version() -> None:
    newest = re.search(r"^## (\d[^\s,]*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert newest is not None
    assert newest[1] == referee.__version__


def test_files_that_the_code_names_exist() -> None:
    """A file by its name, with folders or without; `mine/` is whoever reads it."""
    files = {f"/{name(path)}" for folder in (*FOLDERS, "tests") for path in (ROOT / folder).rglob("*.py")}
    gone = [
        f"{name(source)}: {named}"
        for source in SOURCES
        for named in re.findall(r"(?<![\w/.])\w+(?:/\w+)*\.py\b", source.read_text(encoding="utf-8"))
        if not any(file.endswith(f"/{named}") for file in files) and not named.startswith("mine/")
    ]

    assert gone == []


def test_reasons_are_cited_by_page_and_section() -> None:
    bare = re.compile(r"\bthe design\b|\bDESIGN\b(?!\.md section \d)")

    assert [name(source) for source in SOURCES if bare.search(source.read_text(encoding="utf-8"))] == []
