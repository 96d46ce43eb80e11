"""The version of a bot: what makes a new one, and what does not."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.play import spec
from referee.play.spec import BotSpec, builtin_bot
from referee.versions.version import short, version_of


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """A config's folder with a bot in a folder of its own."""
    own = tmp_path / "contest/entries/mine"
    (own / "lib").mkdir(parents=True)
    (own / "mine.py").write_text("print('mine')\n")
    (own / "lib/weights.bin").write_bytes(bytes(range(256)))
    (own / "data").symlink_to("/nowhere/else")
    return tmp_path / "contest"


def mine(contest: Path, *, folder: str = "entries/mine", command: tuple[str, ...] = ("python3", "mine.py")) -> BotSpec:
    return BotSpec(name="mine", command=command, dir=str(contest / folder), env={})


def version(contest: Path, bot: BotSpec | None = None) -> str:
    found = version_of(bot or mine(contest), str(contest))
    assert (len(found), found[:12]) == (64, short(found))
    return found


def _relink(own: Path) -> None:
    (own / "data").unlink()
    (own / "data").symlink_to("/nowhere")


def _leave(own: Path) -> None:
    for left in ("__pycache__/mine.cpython-311.pyc", "lib/__pycache__/x.txt", ".git/HEAD"):
        (own / left).parent.mkdir(exist_ok=True)
        (own / left).write_text("left behind")


CHANGES: dict[str, tuple[bool, Callable[[Path], object]]] = {
    "a byte": (True, lambda own: (own / "mine.py").write_text("print('Mine')\n")),
    "a byte further down": (True, lambda own: (own / "lib/weights.bin").write_bytes(bytes(255))),
    "a new file": (True, lambda own: (own / "lib/more.py").touch()),
    "a file that is gone": (True, lambda own: (own / "lib/weights.bin").unlink()),
    "another name": (True, lambda own: (own / "lib").rename(own / "lib2")),
    "made executable": (True, lambda own: (own / "mine.py").chmod(0o755)),
    "a link to elsewhere": (True, _relink),
    "compiled code without its source": (True, lambda own: (own / "engine.pyc").write_bytes(b"code")),
    "a pipe": (True, lambda own: os.mkfifo(own / "pipe")),
    "a link in a circle": (True, lambda own: (own / "loop").symlink_to(".")),
    "other times": (False, lambda own: os.utime(own / "mine.py", (0, 0))),
    "another place": (False, lambda own: shutil.move(own.parents[1], own.parents[2] / "moved")),
    "leavings of interpreters and git": (False, _leave),
}


@pytest.mark.parametrize(("is_new", "change"), CHANGES.values(), ids=CHANGES)
def test_what_makes_a_new_version(
    contest: Path, tmp_path: Path, is_new: bool, change: Callable[[Path], object]
) -> None:
    before = version(contest)
    change(contest / "entries/mine")
    assert (version(contest if contest.exists() else tmp_path / "moved") != before) == is_new


def test_command_and_environment_make_a_new_version_and_name_and_owner_do_not(contest: Path) -> None:
    bots = [
        mine(contest),
        mine(contest, command=("python3", "mine.py", "--deep")),
        mine(contest, command=("python3", "mine.py --deep")),
        replace(mine(contest), env={"MODE": "fast"}),
    ]
    assert len({version(contest, bot) for bot in bots}) == len(bots)
    assert version(contest, replace(mine(contest), name="other", owner="somebody")) == version(contest)
    assert version(contest, replace(mine(contest), version="f" * 64)) == "f" * 64


def test_of_a_bot_without_a_folder_of_its_own_the_files_count_that_its_command_names(contest: Path) -> None:
    """The config and the store lie there as well, and the store grows."""
    (contest / "mine.py").write_text("print('mine')\n")
    bot, named = mine(contest, folder="."), mine(contest, folder=".", command=("python3", "entries/mine"))
    before, of_folder = version(contest, bot), version(contest, named)
    (contest / "run.golfref").write_text("results")
    (contest / "entries/mine/mine.py").write_text("another bot's")
    assert version(contest, bot) == before
    assert version(contest, named) != of_folder
    (contest / "mine.py").write_text("print('Mine')\n")
    assert version(contest, bot) != before


def test_a_program_elsewhere_counts_too_but_not_the_interpreter(contest: Path, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("one")
    bot = mine(contest, command=("/usr/bin/env", "python3", str(tmp_path / "tool")))
    before = version(contest, bot)
    (tmp_path / "tool").write_text("two")
    assert version(contest, bot) != before


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_a_folder_that_cannot_be_read_counts_by_its_kind(contest: Path) -> None:
    before = version(contest)
    (contest / "entries/mine/lib").chmod(0)
    closed = version(contest)
    (contest / "entries/mine/lib").chmod(0o700)
    assert closed != before == version(contest)


def test_the_kit_counts_for_a_shipped_bot_that_imports_it(
    contest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever golfref is installed, and although the kit is no part of the bot's folder."""
    before = version(contest, builtin_bot("keeper")), version(contest, builtin_bot("greedy"))
    assert before[0] != before[1]
    elsewhere = tmp_path / "installed"
    for name in ("keeper", "greedy", "kit"):
        shutil.copytree(spec.SHIPPED / name, elsewhere / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(spec, "SHIPPED", elsewhere)
    assert (version(contest, builtin_bot("keeper")), version(contest, builtin_bot("greedy"))) == before

    (elsewhere / "kit/more.py").touch()

    assert version(contest, builtin_bot("keeper")) != before[0]
    assert version(contest, builtin_bot("greedy")) == before[1]
