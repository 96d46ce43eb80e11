"""The version of a bot: what makes a new one, and what does not."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.entries.versions import short, version_of
from referee.play import spec
from referee.play.spec import BotSpec, builtin_bot


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
    return version_of(bot or mine(contest), str(contest))


def test_a_version_is_a_hash_that_people_are_shown_the_beginning_of(contest: Path) -> None:
    assert len(version(contest)) == 64
    assert int(version(contest), 16)
    assert version(contest).startswith(short(version(contest)))
    assert len(short(version(contest))) == 12


def _relink(own: Path) -> None:
    (own / "data").unlink()
    (own / "data").symlink_to("/nowhere")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte": lambda own: (own / "mine.py").write_text("print('Mine')\n"),
    "a byte further down": lambda own: (own / "lib/weights.bin").write_bytes(bytes(255)),
    "a new file": lambda own: (own / "lib/more.py").touch(),
    "a file that is gone": lambda own: (own / "lib/weights.bin").unlink(),
    "another name": lambda own: (own / "lib").rename(own / "lib2"),
    "made executable": lambda own: (own / "mine.py").chmod(0o755),
    "a link to elsewhere": _relink,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_file_makes_a_new_version(contest: Path, change: Callable[[Path], object]) -> None:
    before = version(contest)
    change(contest / "entries/mine")
    assert version(contest) != before


def test_another_command_or_environment_makes_a_new_version(contest: Path) -> None:
    bots = [
        mine(contest),
        mine(contest, command=("python3", "mine.py", "--deep")),
        mine(contest, command=("python3", "mine.py --deep")),
        replace(mine(contest), env={"MODE": "fast"}),
    ]
    assert len({version(contest, bot) for bot in bots}) == len(bots)


def test_name_owner_place_and_times_make_no_new_version(contest: Path, tmp_path: Path) -> None:
    before = version(contest)
    assert version(contest, replace(mine(contest), name="other", owner="somebody")) == before
    os.utime(contest / "entries/mine/mine.py", (0, 0))
    shutil.move(contest, tmp_path / "moved")
    assert version(tmp_path / "moved") == before


def test_what_interpreters_and_git_leave_behind_makes_no_new_version(contest: Path) -> None:
    before = version(contest)
    own = contest / "entries/mine"
    for left in ("__pycache__/mine.cpython-311.pyc", "lib/__pycache__/x.txt", ".git/HEAD"):
        (own / left).parent.mkdir(exist_ok=True)
        (own / left).write_text("left behind")
    assert version(contest) == before


def test_a_file_with_holes_is_read_without_them(contest: Path) -> None:
    """An archive unpacks a file of a terabyte from a few bytes."""
    with (contest / "entries/mine/weights").open("wb") as file:
        file.write(b"first")
        file.truncate(1 << 40)
    before = version(contest)
    with (contest / "entries/mine/weights").open("r+b") as file:
        file.seek(1 << 39)
        file.write(b"second")
    assert version(contest) != before


def test_compiled_code_without_its_source_counts(contest: Path) -> None:
    before = version(contest)
    (contest / "entries/mine/engine.pyc").write_bytes(b"code")
    assert version(contest) != before


def test_of_a_bot_without_a_folder_of_its_own_the_files_count_that_its_command_names(contest: Path) -> None:
    """The config and the store lie there as well, and the store grows."""
    (contest / "mine.py").write_text("print('mine')\n")
    bot = mine(contest, folder=".")
    before = version(contest, bot)
    (contest / "run.golfref").write_text("results")
    (contest / "entries/mine/mine.py").write_text("another bot's")
    assert version(contest, bot) == before
    (contest / "mine.py").write_text("print('Mine')\n")
    assert version(contest, bot) != before


def test_a_program_elsewhere_counts_too_but_not_the_interpreter(contest: Path, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("one")
    bot = mine(contest, command=("/usr/bin/env", "python3", str(tmp_path / "tool")))
    before = version(contest, bot)
    (tmp_path / "tool").write_text("two")
    assert version(contest, bot) != before
    (tmp_path / "tool").write_text("one")
    assert version(contest, bot) == before


def test_a_folder_that_the_command_names_counts_with_all_that_is_in_it(contest: Path) -> None:
    bot = mine(contest, folder=".", command=("python3", "entries/mine"))
    before = version(contest, bot)
    (contest / "entries/mine/lib/weights.bin").write_bytes(b"")
    assert version(contest, bot) != before


def test_a_pipe_or_a_socket_in_the_folder_holds_nobody_up(contest: Path) -> None:
    before = version(contest)
    os.mkfifo(contest / "entries/mine/pipe")
    assert version(contest) != before
    (contest / "entries/mine/loop").symlink_to(".")
    version(contest)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_what_cannot_be_read_counts_by_its_kind(contest: Path) -> None:
    before = version(contest)
    (contest / "entries/mine/lib").chmod(0)
    closed = version(contest)
    (contest / "entries/mine/lib").chmod(0o700)
    assert closed != before == version(contest)


def test_a_shipped_bot_has_a_version_of_its_folder(contest: Path) -> None:
    assert version(contest, builtin_bot("greedy")) != version(contest, builtin_bot("random"))
    assert version(contest, builtin_bot("greedy")) == version_of(builtin_bot("greedy"), "/")


def test_the_kit_counts_for_a_shipped_bot_that_imports_it(
    contest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever golfref is installed, and although the kit is no part of the bot's folder."""
    before = version(contest, builtin_bot("keeper")), version(contest, builtin_bot("greedy"))
    elsewhere = tmp_path / "installed"
    for name in ("keeper", "greedy", "kit"):
        shutil.copytree(spec.SHIPPED / name, elsewhere / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(spec, "SHIPPED", elsewhere)
    assert (version(contest, builtin_bot("keeper")), version(contest, builtin_bot("greedy"))) == before

    (elsewhere / "kit/more.py").touch()

    assert version(contest, builtin_bot("keeper")) != before[0]
    assert version(contest, builtin_bot("greedy")) == before[1]
