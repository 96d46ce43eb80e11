"""`golfref new` as an author types it: the project that it writes, and what it says where something is in the way."""

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from commands import golfref
from needs import need_perl

from referee.bot_tools import starters as languages
from referee.bot_tools.new import RIVALS
from referee.bot_tools.starters import MANIFEST, STARTERS, starters
from referee.play.spec import shipped
from referee.tournament.config.config import load


@pytest.fixture
def folder_of_starters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of starters for a test to fill, with the texts of the real one."""
    folder = tmp_path / "starters"
    folder.mkdir()
    monkeypatch.setattr(languages, "STARTERS", folder)
    return folder


def add_starter(folder: Path, *, tool: Sequence[str] = ("true",), build: Sequence[str] = (), more: str = "") -> None:
    """A starter in Golfish, which needs one tool; `build` is its build command."""
    home = folder / "golfish"
    home.mkdir()
    (home / "bot.py").write_text('print("my-bot")\n')
    lines = ['title = "Golfish"', f'command = ["{sys.executable}", "bot.py"]', f"build = {list(build)}", more]
    lines += ["[[tools]]", 'name = "the Golfish compiler"', f"version = {list(tool)}", 'packages = ["golfish-dev"]']
    (home / MANIFEST).write_text("\n".join(lines))


def test_a_project_has_all_that_a_tournament_needs(tmp_path: Path) -> None:
    need_perl()
    _, said = golfref("new", "eagle", "--language", "Perl", cwd=tmp_path)

    project = tmp_path / "eagle"
    assert {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()} == {
        ".gitignore",
        "README.md",
        "bot/bot.pl",
        "bot/bot.toml",
        "config.toml",
    }
    assert "cd eagle && golfref tournament config.toml" in said
    config = load(project / "config.toml")
    assert [bot.name for bot in config.bots] == ["eagle", *RIVALS]
    assert (config.bots[0].dir, config.bots[0].command) == (str(project / "bot"), ("perl", "bot.pl"))
    assert "'eagle'" in (project / "bot/bot.pl").read_text()
    readme = (project / "README.md").read_text()
    assert '--bot "perl bot.pl"' in readme
    assert "$" not in readme


def test_the_pages_that_a_project_names_are_installed() -> None:
    text = (STARTERS / "project/README.md").read_text()
    pages = re.findall(r"`((?:protocol|bots|referee)/[\w/.]+)`", text)

    assert len(pages) > 3
    assert [page for page in pages if not (STARTERS.parents[1] / page).is_file()] == []


def test_every_starter_leaves_one_place_for_its_name() -> None:
    for starter in starters().values():
        files = [path for path in starter.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        places = sum(path.read_bytes().count(b"my-bot") for path in files)
        assert places == 1, f"{starter.language}: `my-bot` stands in {places} places"
        assert starter.manifest.tools, starter.language
        assert bool(starter.manifest.built) >= bool(starter.manifest.build), starter.language


def test_no_language_is_called_as_another() -> None:
    names = [
        name.lower()
        for one in starters().values()
        for name in {one.language, one.manifest.title.lower(), *one.manifest.other_names}
    ]

    assert sorted(names) == sorted(set(names))
    assert set(RIVALS) <= set(shipped())


def test_the_list_tells_what_is_here_and_what_to_install(folder_of_starters: Path, tmp_path: Path) -> None:
    add_starter(folder_of_starters, tool=(sys.executable, "--version"))
    here, _ = golfref("new", "--list", cwd=tmp_path)
    shutil.rmtree(folder_of_starters / "golfish")
    add_starter(folder_of_starters, tool=("no-such-program",))
    lacking, _ = golfref("new", "--list", cwd=tmp_path)

    version = ".".join(map(str, sys.version_info[:3]))
    assert re.search(rf"^golfish +yes +the Golfish compiler \({version}\)$", here, flags=re.MULTILINE)
    missing = r"^golfish +no +the Golfish compiler: missing; apt-get install golfish-dev$"
    assert re.search(missing, lacking, flags=re.MULTILINE)


def test_what_must_be_built_is_built(folder_of_starters: Path, tmp_path: Path) -> None:
    add_starter(folder_of_starters, build=("cp", "bot.py", "built.py"), more='built = ["built.py"]')
    (folder_of_starters / "golfish/built.py").write_text("of another build")
    _, said = golfref("new", "eagle", "--language", "golfish", cwd=tmp_path)

    assert "`cp bot.py built.py`" in said
    assert (tmp_path / "eagle/bot/built.py").read_text() == 'print("eagle")\n'
    assert "/bot/built.py" in (tmp_path / "eagle/.gitignore").read_text().splitlines()
    assert "    cp bot.py built.py" in (tmp_path / "eagle/README.md").read_text().splitlines()


def test_without_its_tools_a_project_is_written_and_the_author_told_what_to_install(
    folder_of_starters: Path, tmp_path: Path
) -> None:
    add_starter(folder_of_starters, tool=("no-such-program",), build=("cp", "bot.py", "built.py"))
    _, said = golfref("new", "my eagle", "--language", "golfish", cwd=tmp_path, code=3)

    assert "the Golfish compiler is not installed here: get it with `apt-get install golfish-dev`" in said
    assert "build the bot with `cd 'my eagle/bot' && cp bot.py built.py`" in said
    assert load(tmp_path / "my eagle/config.toml").bots[0].name == "my-eagle"


def test_a_build_that_fails_is_told(folder_of_starters: Path, tmp_path: Path) -> None:
    add_starter(folder_of_starters, build=("cp", "gone.py", "built.py"))
    _, said = golfref("new", "eagle", "--language", "golfish", cwd=tmp_path, code=3)

    assert "could not be built" in said
    assert "gone.py" in said
    assert (tmp_path / "eagle/config.toml").is_file()


PERL = ("--language", "perl")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("new", "--language", "pearl"), "there is no starter in `pearl`; did you mean `perl`?"),
        (("new", "--language", "Javscript"), "did you mean `javascript`?"),
        (("new", "--language", "qqq"), "there are bash, "),
        (("new", "--language", "\x1b[2J"), "there is no starter in `\\x1b[2J`"),
        (("full", *PERL), "the folder full is not empty (thesis.tex); name a folder that does not exist yet"),
        (("full/thesis.tex", *PERL), "full/thesis.tex is a file, or lies in one"),
        (("full/thesis.tex/nest", *PERL), "full/thesis.tex/nest is a file, or lies in one"),
        (("/proc/eagle", *PERL), "golfref: cannot write /proc/eagle"),  # not even root can
        *[(("new", *PERL, f"--name={name}"), "") for name in ("keeper", "my bot", "", "-x", "a" * 41, 'a"b', "ä")],
        *[(words, "expected DIR and --language") for words in ((), ("new",), PERL)],
    ],
)
def test_what_cannot_be_written_is_told_and_nothing_is_changed(
    words: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.tex").touch()
    assert told in " ".join(golfref("new", *words, cwd=tmp_path, code=2)[1].split())
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")} == {"full", "full/thesis.tex"}


def test_a_file_that_is_no_policy_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    np.savez(tmp_path / "bare.npz", w1=np.zeros((2, 2)))
    game = np.array('{"preset": "six-card", "seats": 2}')
    np.savez(tmp_path / "narrow.npz", game=game, w1=np.zeros((2, 2)), b1=np.zeros(2))
    (tmp_path / "text.npz").write_text("no")
    for language, file, said in (
        ("python", "bare.npz", "there is no array `game`; expected JSON text"),
        ("python", "narrow.npz", "layer 1: expected w1 of shape \\(279, n\\)"),
        ("python", "text.npz", "is no npz file"),
        ("python", "none.npz", "cannot read none.npz: No such file"),
        ("c", "bare.npz", "--policy makes a bot in Python; expected --language python, got c"),
    ):
        _, told = golfref("new", "mine", "--language", language, "--policy", file, cwd=tmp_path, code=2)
        assert re.search(said, told)
    assert not (tmp_path / "mine").exists()
