"""golfref replay --json and --html: a match as data and as one page, and what is said where it cannot be."""

import html
import re
from pathlib import Path

import msgspec
import pytest
from commands import golfref
from exported import made_up_run
from match_data import data_in

from referee.commands.recorded.records import open_match
from referee.match_states.documents import document
from referee.match_states.states import Document
from referee.match_states.view import OPEN


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made_up_run(tmp_path, ["six-card"], deals=2)
    (tmp_path / "run.toml").unlink()
    return tmp_path


@pytest.mark.parametrize(("options", "viewer"), [((), None), (("--seat", "1"), 1), (("--open",), OPEN)])
def test_json_is_the_document_of_the_view(folder: Path, options: tuple[str, ...], viewer: int | None) -> None:
    out, _ = golfref("replay", "run.golfref:3", "--json", *options, cwd=folder)

    expected = document(open_match(str(folder / "run.golfref:3")).record(), viewer)
    assert msgspec.json.decode(out, type=Document) == expected


def test_a_page_of_a_seat_holds_nothing_else(folder: Path) -> None:
    golfref("replay", "run.golfref:3", "--html", "all.html", cwd=folder)
    golfref("replay", "run.golfref:3", "--html", "own.html", "--seat", "1", cwd=folder)
    pages = {name: (folder / name).read_text(encoding="utf-8") for name in ("all.html", "own.html")}

    seats = {
        name: [one.get("seat") for one in msgspec.json.decode(data_in(page))["documents"]]
        for name, page in pages.items()
    }
    assert seats == {"all.html": [None, 0, 1, 2, None], "own.html": [None, 1]}
    assert not re.search(r"""(src|href)=["'](?!#)""", pages["own.html"])
    assert "script-src 'sha256-" in html.unescape(pages["own.html"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--seat", "7", "--json"), "golfref: --seat: expected 0 to 2, got 7"),
        (("--seat", "1", "--open", "--json"), "golfref: --open: --seat has no effect with it"),
        (("--open", "--html", "new.html"), "golfref: --open: it goes with --json"),
        (("--html", "there.html"), "there.html exists already; remove it, name another file, or replace it"),
        (("--html", "nowhere/new.html"), "nowhere/new.html: cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_shown(folder: Path, options: tuple[str, ...], said: str) -> None:
    (folder / "there.html").write_text("mine")

    out, err = golfref("replay", "run.golfref:3", *options, cwd=folder, code=2)

    assert said in " ".join(err.split())
    assert out == ""
    assert (folder / "there.html").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == ["run.golfref", "there.html"]


def test_matches_that_a_bot_was_given_have_no_states(folder: Path) -> None:
    golfref("export", "run.golfref", "--bot", "ann", "-o", "own.jsonl", cwd=folder)

    _, err = golfref("replay", "own.jsonl", "--json", cwd=folder, code=2)

    assert "own.jsonl holds what one bot was sent in its matches" in err
