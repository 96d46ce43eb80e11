"""The door for programs that import the referee: what its pages show is run, and it opens quickly or says why not."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import assert_type

import pytest

import bots
import protocol
import referee
from referee.rules.game import Game
from referee.rules.record import NoRecord, read_record
from referee.rules.scoring.by_hand import Scores
from referee.rules.variants import Variant

PAGE = Path(referee.__file__).with_name("README.md")
SCRIPTS = Path(sys.executable).parent


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in the current folder, with the installed programs first in PATH."""
    paths = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, env=os.environ | {"PATH": paths} | environment, capture_output=True, text=True, check=False
    )


def check(text: str, names: dict[str, object]) -> None:
    """Run what follows `>>>`; fails with what it printed, where that is not what the text shows."""
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(text, names, "example", None, 0)
    doctest.DocTestRunner().run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)
    assert test.examples
    names.update(test.globs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the record that the examples read, written by the command that the page shows."""
    folder = tmp_path_factory.mktemp("library")
    (command,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    done = run("bash", "-euc", f"cd {folder}; {command}")
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture
def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runs in that folder."""
    monkeypatch.chdir(folder)


@pytest.mark.usefixtures("recorded")
def test_the_page_shows_what_comes_out() -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL):
        check(block, names)


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("name", referee.__all__)
def test_help_shows_what_comes_out(name: str) -> None:
    documented = getattr(referee, name)

    check(documented.__doc__, {name: documented})


def test_the_names_are_there_for_completion_and_nothing_else_is() -> None:
    assert set(referee.__all__) <= set(dir(referee))
    with pytest.raises(AttributeError, match="module 'referee' has no attribute 'shuffle'"):
        getattr(referee, "shuffle")  # noqa: B009 - mypy knows that there is none


def test_types_come_along() -> None:
    """`py.typed` is installed, and mypy sees through the lazy names (it checks this file)."""
    for package in (protocol, referee, bots):
        assert Path(str(package.__file__)).with_name("py.typed").is_file()
    assert_type(referee.preset("cactus"), Variant)
    assert_type(referee.score("six-card", "KS 5H 9D / KD AC 9S"), Scores)
    assert_type(referee.Game.from_seed(referee.preset("cactus"), 3, "demo"), Game)
    assert_type(referee.with_options("six-card", {"rounds": 1}).seats, tuple[int, int])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: referee.preset("six-crad"), "unknown variant `six-crad`; did you mean `six-card`?"),
        (lambda: referee.with_options("six-card", {"rounds": 0}), "rounds"),
        (lambda: referee.score("six-crad", "KS"), "did you mean `six-card`?"),
        (lambda: referee.score("six-card", "KS"), "expected 2 rows of 3 cards"),
        (lambda: referee.replay(b"{"), "not a golfref record"),
        (
            lambda: referee.replay(b'{"format": 2, "golfref": "0.1.0", "protocol": "1"}'),
            "a record of format 2; golfref 0.8.0 reads it",
        ),
        (lambda: referee.replay(Path("nowhere.jsonl")), "nowhere.jsonl: cannot be read: No such file"),
        (lambda: Game.from_seed(referee.preset("six-card"), 99, "demo"), "six-card is for 2 to 8 seats, got 99"),
    ],
)
def test_mistakes_are_value_errors_that_say_what_to_change(call: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        call()


@pytest.mark.usefixtures("recorded")
def test_a_record_is_replayed_from_a_path_its_bytes_or_itself() -> None:
    path = Path("match.jsonl")
    sources = ("match.jsonl", path, "match.jsonl:0", path.read_bytes(), read_record(path.read_bytes()))

    assert len({str(referee.replay(source).result) for source in sources}) == 1
    with pytest.raises(NoRecord, match="there is no 1"):
        referee.replay("match.jsonl:1")


@pytest.mark.usefixtures("recorded")
def test_of_several_games_in_a_file_one_must_be_named(tmp_path: Path) -> None:
    several = tmp_path / "several.jsonl"
    several.write_bytes(2 * Path("match.jsonl").read_bytes())

    assert referee.replay(f"{several}:1").result.ranks == (2, 1)
    with pytest.raises(NoRecord, match=r"several.jsonl holds 2 games; name one of them, such as .*several.jsonl:0"):
        referee.replay(several)


@pytest.mark.parametrize("module", ["referee", "referee.commands"])
def test_neither_import_nor_help_waits_for_the_rules(module: str) -> None:
    loaded = run(sys.executable, "-c", f"import sys, {module}; print(*sys.modules)").stdout.split()

    assert module in loaded
    assert not [name for name in loaded if name.startswith(("protocol", "referee.rules", "msgspec"))]


# Beside files of the user's own


@pytest.fixture(params=["protocol.py", "protocol/__init__.py"])
def hiding(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file that takes the place of our package `protocol` where Python is started in the current folder."""
    file = tmp_path / str(request.param)
    file.parent.mkdir(exist_ok=True)
    file.write_text("raise SystemExit('this was run')\n")
    monkeypatch.chdir(tmp_path)
    return f"{file} hides the package `protocol` that golfref needs: rename it, or start in another folder"


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ((sys.executable, "-c", "import referee"), 1, "ImportError: {}"),
        ((sys.executable, "-m", "referee", "variants"), 2, "golfref: {}"),
        (("golfref", "variants"), 2, "golfref: {}"),
    ],
    ids=["import", "module", "command"],
)
def test_the_file_that_hides_our_protocol_is_named(
    command: tuple[str, ...], code: int, told: str, hiding: str, tmp_path: Path
) -> None:
    done = run(*command, PYTHONPATH=str(tmp_path))

    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.splitlines()[-1] == told.format(hiding)
    assert code == 1 or len(done.stderr.splitlines()) == 1


def test_a_module_of_that_name_that_was_loaded_before_is_named_too(hiding: str, tmp_path: Path) -> None:
    own = "import sys, types; sys.modules['protocol'] = own = types.ModuleType('protocol'); own.__file__ = 'mine.py'"
    done = run(sys.executable, "-c", f"{own}; import referee", PYTHONPATH=str(tmp_path))

    assert done.stderr.splitlines()[-1].startswith("ImportError: mine.py hides the package `protocol`")
    assert hiding


def test_bots_of_ones_own_are_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/__init__.py").write_text("raise SystemExit('this was run')\n")
    monkeypatch.chdir(tmp_path)
    match = ("match", "--variant", "six-card", "-o", "rounds=1", "--bot", "builtin:random", "--bot", "builtin:greedy")

    done = run(sys.executable, "-m", "referee", *match, "--start-s", "60", "--move-s", "60", "--strict")

    assert (done.returncode, done.stderr) == (0, "")
    assert run(sys.executable, "-c", "import referee; referee.preset('cactus').preset").stderr == ""
