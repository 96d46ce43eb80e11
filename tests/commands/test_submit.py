"""`golfref submit` as an organiser types it."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from commands import golfref

from referee.beneath import open_folder
from referee.commands.entrants import submit
from referee.commands.entrants.submit import SubmitOptions, Watch
from referee.commands.interrupt import Signals
from referee.competition import answers
from referee.competition.history import lines
from referee.competition.inbox import UNTOUCHED_S, Inbox, InboxItem
from referee.ending_signals import ENDING_SIGNALS
from referee.play.faults import HostFault
from referee.versions.store import VersionStore

CONFIG = """
[tournament]
name = "friday"
isolation = "limits"
trust = "all"

[[variants]]
preset = "six-card"

[[bots]]
entries = "entries/*"

[[bots]]
builtin = "greedy"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A competition without entries, with the files of a bot beside it."""
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/bot.py").write_text("print(1)\n")
    return tmp_path


def test_a_version_is_handed_in_shown_and_brought_back(place: Path) -> None:
    out, _ = golfref("submit", "config.toml", "bot", "--unchecked", "--owner", "Ann", cwd=place)
    assert "accepted, and in place; it was not checked" in out
    (place / "bot/bot.py").write_text("print(2)\n")
    second, _ = golfref("submit", "config.toml", "bot", "--unchecked", "--json", cwd=place)
    assert json.loads(second)["owner"] == "Ann"
    out, _ = golfref("submit", "config.toml", "bot", cwd=place)
    assert "nothing has changed" in out

    golfref("submit", "config.toml", "--restore", "bot", cwd=place)

    assert (place / "entries/bot/bot.py").read_text() == "print(1)\n"
    shown, _ = golfref("submit", "config.toml", "--list", "bot", "--json", cwd=place)
    assert [(line["outcome"], line["in_place"]) for line in json.loads(shown)] == [
        ("accepted", False),
        ("accepted", False),
        ("same", False),
        ("restored", True),
    ]
    table, _ = golfref("submit", "config.toml", "--list", cwd=place)
    assert table.splitlines()[-1].split()[3:] == [
        "Ann",
        json.loads(shown)[0]["version"][:12],
        "restored",
        "in",
        "place",
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["missing.zip"], "no such folder or archive"),
        (["bot", "--list", "--restore", "x"], "give one of --list"),
        ([], "give one of --list"),
        (["--restore", "bot"], "no version of `bot`"),
        (["--list", "bot"], "no entry of this name was handed in"),
        (["--watch", "missing"], "No such file"),
    ],
)
def test_a_wrong_order_says_what_to_change(place: Path, words: list[str], told: str) -> None:
    _, err = golfref("submit", "config.toml", *words, cwd=place, code=2)

    assert told in " ".join(err.split())


def test_the_answer_has_all_output_of_a_failed_build_and_the_terminal_its_end(place: Path) -> None:
    script = "for number in $(seq 40); do echo step $number; done; exit 1"
    (place / "bot/bot.toml").write_text(f'build = ["sh", "-c", "{script}"]\n')

    out, _ = golfref("submit", "config.toml", "bot", cwd=place, code=1)

    (answer,) = (place / ".golfref/answers").iterdir()
    assert str(answer) in out
    assert "  | ... 28 more lines are in the answer\n" in out
    assert "step 1\n" not in out
    assert "step 40\n" in out
    assert [f"  | step {number}" in answer.read_text().splitlines() for number in range(1, 41)] == [True] * 40


def test_a_contestant_who_locks_the_drop_folder_does_not_keep_golfref_out(place: Path) -> None:
    folder = place / "dropped"
    folder.mkdir()
    fd = open_folder(folder)
    fcntl.flock(fd, fcntl.LOCK_EX)
    command = [sys.executable, "-m", "referee", "submit", "config.toml", "--watch", "dropped"]
    with subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stderr is not None
        assert "watching dropped" in watching.stderr.readline()
        _, err = golfref("submit", "config.toml", "--watch", "dropped", cwd=place, code=2)
        assert "another golfref watches this folder" in err
        watching.send_signal(signal.SIGINT)
    os.close(fd)


class Clock:
    """A clock that a test moves by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(place: Path, clock: Clock) -> Iterator[Callable[[], Watch]]:
    """Starts to watch the folder `dropped`; nothing is checked, and every archive is old enough."""
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    folder = place / "dropped"
    folder.mkdir()
    order = SubmitOptions(config=place / "config.toml", unchecked=True, watches=folder)
    fd = open_folder(folder)
    with Signals() as signals:
        yield lambda: Watch(order, Inbox(folder, fd, lambda _: UNTOUCHED_S), signals, clock)
    os.close(fd)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def drop(place: Path, path: str, *, text: str = "print(1)\n") -> Path:
    """A zip with a bot in the folder that is watched."""
    archive = place / "dropped" / path
    archive.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bot/bot.py", text)
    return archive


def outcomes(place: Path) -> list[tuple[str, str]]:
    return [(line.owner, line.outcome) for line in lines(VersionStore(place))]


def test_an_archive_is_answered_in_its_place(place: Path, watch: Callable[[], Watch]) -> None:
    drop(place, "ann/keen.zip")
    drop(place, "bob/keen.zip")

    watch().run_pass()

    dropped = place / "dropped"
    assert "It is accepted" in (dropped / "ann/keen.txt").read_text()
    assert "The entry `keen` is ann's, and this came from bob" in (dropped / "bob/keen.txt").read_text()
    assert os.listdir(dropped / "ann") == ["keen.txt"]
    assert len(os.listdir(dropped / "done/ann")) == 1
    assert os.listdir(place / "entries") == ["keen"]


def test_an_owner_has_one_archive_taken_in_a_pass(place: Path, watch: Callable[[], Watch]) -> None:
    for number in range(3):
        drop(place, f"ann/keen{number}.zip")
    drop(place, "bob/calm.zip")
    drop(place, "mine.zip")

    watching = watch()
    for _ in range(2):
        watching.run_pass()

    assert outcomes(place) == [("", "accepted"), ("ann", "accepted"), ("bob", "accepted"), ("ann", "accepted")]


def test_an_archive_that_the_host_fails_rests_for_a_minute_however_long_it_took(
    place: Path, watch: Callable[[], Watch], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(*_: object) -> NoReturn:
        clock.now += 100.0
        raise HostFault("no memory")

    drop(place, "ann/keen.zip")
    monkeypatch.setattr(submit, "take", failed)
    watching = watch()
    watching.run_pass()
    monkeypatch.undo()

    clock.now += 59.0
    drop(place, "bob/calm.zip")
    watching.run_pass()
    assert outcomes(place) == [("bob", "accepted")]
    clock.now += 1.0
    watching.run_pass()
    assert outcomes(place) == [("bob", "accepted"), ("ann", "accepted")]


@pytest.mark.parametrize("part", ["take", "answer", "put_away", "config"])
def test_a_full_disk_or_a_config_that_is_broken_for_a_moment_ends_no_watching(
    place: Path, watch: Callable[[], Watch], clock: Clock, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    drop(place, "ann/keen.zip")
    if part == "config":
        (place / "config.toml").write_text("nonsense")
    else:
        monkeypatch.setattr(submit if part == "take" else Inbox, part, full)
    watching = watch()
    watching.run_pass()
    monkeypatch.undo()
    (place / "config.toml").write_text(CONFIG)
    clock.now = 60.0

    watching.run_pass()
    assert outcomes(place)[0] == ("ann", "accepted")
    assert len(os.listdir(place / "dropped/done/ann")) == 1


def test_an_archive_that_was_refused_does_not_come_again_after_a_restart(
    place: Path, watch: Callable[[], Watch]
) -> None:
    drop(place, f"ann/{'é' * 120}.zip")
    (place / "dropped/ann/calm.txt").mkdir()
    drop(place, "ann/calm.zip").write_bytes(b"PK\3\4 and no more")

    for _ in range(5):
        watch().run_pass()

    assert outcomes(place) == [("ann", "refused")] * 2


def test_a_folder_that_cannot_be_written_is_printed_once_and_holds_up_no_other(
    place: Path, watch: Callable[[], Watch], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    next_item = Inbox.next_item

    def refused(inbox: Inbox, owner: str) -> InboxItem | None:
        if owner == "ann":
            raise PermissionError(13, "Permission denied", "keen.zip")
        return next_item(inbox, owner)

    monkeypatch.setattr(Inbox, "next_item", refused)
    drop(place, "ann/keen.zip")
    drop(place, "bob/calm.zip")
    watching = watch()
    for _ in range(3):
        watching.run_pass()

    assert (
        capsys.readouterr().err.count("/ann: golfref cannot move archives out of it (keen.zip: Permission denied)") == 1
    )
    assert outcomes(place) == [("bob", "accepted")]


def test_a_flood_of_archives_of_one_owner_removes_no_answer_to_another(
    place: Path, watch: Callable[[], Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_MOST", 2)
    drop(place, "bob/calm.zip")
    for number in range(4):
        drop(place, f"ann/keen{number}.zip")
    watching = watch()
    for _ in range(4):
        watching.run_pass()

    kept = place / ".golfref/answers"
    assert [len(os.listdir(kept / owner)) for owner in ("ann", "bob")] == [2, 1]


@pytest.mark.full
def test_who_fails_the_check_is_refused_and_who_passes_is_in_place(place: Path) -> None:
    out, _ = golfref("submit", "config.toml", "bot", cwd=place, code=1)
    assert "the check failed: start_failed\n" in out
    assert not (place / "entries").exists()
    assert list((place / ".golfref/versions").iterdir()) == []
    golfref("new", "mine", "--language", "python", cwd=place)

    out, _ = golfref("submit", "config.toml", "mine/bot", "--name", "mine", cwd=place)

    assert "`mine`" in out
    (_, answer) = sorted((place / ".golfref/answers").iterdir())
    assert "It is accepted, and in place." in answer.read_text()
    assert "Check of the bot `mine`" in answer.read_text()
    assert 'entries = "mine"' in answer.read_text()
