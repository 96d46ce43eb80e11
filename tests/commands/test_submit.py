"""`golfref submit` as an organiser types it."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NoReturn

import pytest
from commands import golfref

from referee.beneath import open_folder
from referee.commands import submit
from referee.commands.interrupt import Signals
from referee.commands.submit import SubmitOrdered, Watch
from referee.competition.submissions import answers
from referee.competition.submissions.dropping import PATIENCE_S, POLL_INTERVAL_S, DropFolder
from referee.competition.submissions.history import lines
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
        (["--list", "bot"], "nobody has handed in"),
        (["--watch", "missing"], "No such file"),
    ],
)
def test_a_wrong_order_says_what_to_change(place: Path, words: list[str], told: str) -> None:
    _, err = golfref("submit", "config.toml", *words, cwd=place, code=2)

    assert told in " ".join(err.split())


def test_a_refusal_is_told_with_a_text_for_the_author(place: Path) -> None:
    (place / "bot.zip").write_bytes(b"PK\3\4 and no more")

    out, _ = golfref("submit", "config.toml", "bot.zip", cwd=place, code=1)

    (answer,) = (place / ".golfref/answers").iterdir()
    assert str(answer) in out
    assert "The archive cannot be taken: the zip is damaged" in answer.read_text()


def test_all_that_a_failed_build_said_stands_in_the_answer(place: Path) -> None:
    script = "for number in $(seq 40); do echo step $number; done; exit 1"
    (place / "bot/bot.toml").write_text(f'build = ["sh", "-c", "{script}"]\n')

    out, _ = golfref("submit", "config.toml", "bot", cwd=place, code=1)

    (answer,) = (place / ".golfref/answers").iterdir()
    assert "note: what its build said stands in the answer for its author" in out
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


def test_nobody_else_can_open_the_lock_on_entries(place: Path) -> None:
    golfref("submit", "config.toml", "bot", "--unchecked", cwd=place)
    assert {path.name: path.stat().st_mode & 0o777 for path in place.rglob("*lock")} == {
        "lock": 0o600,
        "submit.lock": 0o600,
    }


class Watched:
    """What watches the folder `dropped`, and checks nothing."""

    def __init__(self, order: SubmitOrdered, folder: DropFolder, signals: Signals) -> None:
        self.now = 0.0
        self._watch = Watch(order, folder, signals, clock=lambda: self.now)

    def turn(self, now: float) -> bool:
        """A turn at this time, and whether there was something to take."""
        self.now = now
        return self._watch.turn()


@pytest.fixture
def watch(place: Path) -> Iterator[Watched]:
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    folder = place / "dropped"
    folder.mkdir()
    order = SubmitOrdered(
        config=place / "config.toml",
        what="",
        name="",
        owner="",
        is_checked=False,
        replaces=False,
        lists=False,
        restores="",
        watches=folder,
        as_json=False,
    )
    fd = open_folder(folder)
    with Signals() as signals:
        yield Watched(order, DropFolder(folder, fd), signals)
    os.close(fd)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def drop(place: Path, path: str, *, text: str = "print(1)\n", when: int = 1000) -> Path:
    """A zip with a bot in the folder that is watched."""
    archive = place / "dropped" / path
    archive.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bot/bot.py", text)
    os.utime(archive, (when, when))
    return archive


def test_what_is_dropped_is_answered_beside_it(place: Path, watch: Watched) -> None:
    drop(place, "ann/keen.zip")
    drop(place, "ann/keen.tar.gz", when=10)  # older, and a zip by its content
    drop(place, "bob/keen.zip", when=2000)
    assert not watch.turn(0.0)
    now = POLL_INTERVAL_S
    while watch.turn(now):
        now += POLL_INTERVAL_S

    dropped = place / "dropped"
    assert (dropped / "ann/keen.txt").read_text().count("It is accepted") == 1
    assert "not looked at, because keen.zip is newer: keen.tar.gz" in (dropped / "ann/keen.txt").read_text()
    assert "The entry `keen` is ann's, and this came from bob" in (dropped / "bob/keen.txt").read_text()
    assert os.listdir(dropped / "ann") == ["keen.txt"]
    assert len(os.listdir(dropped / "done/ann")) == 2
    assert os.listdir(place / "entries") == ["keen"]


def test_the_archives_of_one_owner_hold_up_no_other(place: Path, watch: Watched) -> None:
    for ending in product("zZ", "iI", "pP"):
        drop(place, f"ann/keen.{''.join(ending)}")
    drop(place, "bob/calm.zip")
    watch.turn(0.0)

    for _ in range(2):
        watch.turn(POLL_INTERVAL_S)

    assert sorted(os.listdir(place / "entries")) == ["calm", "keen"]
    assert not watch.turn(POLL_INTERVAL_S)
    history = [(line.owner, line.outcome) for line in lines(VersionStore(place))]
    assert history == [("ann", "accepted"), ("ann", "superseded"), ("bob", "accepted")]


def test_what_the_host_spoils_rests_for_a_minute_however_long_it_took(
    place: Path, watch: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoiled(*_: object) -> NoReturn:
        watch.now += 100.0
        raise HostFault("no memory")

    monkeypatch.setattr(submit, "take", spoiled)
    drop(place, "ann/keen.zip")
    watch.turn(0.0)
    assert watch.turn(POLL_INTERVAL_S)

    assert not watch.turn(watch.now + 59.0)
    assert watch.turn(watch.now + 1.0)


def test_a_full_disk_ends_no_watching(place: Path, watch: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(submit, "add", full)
    drop(place, "ann/keen.zip")
    drop(place, "ann/keen.tar.gz", when=10)
    watch.turn(0.0)
    assert watch.turn(POLL_INTERVAL_S)
    monkeypatch.undo()

    assert watch.turn(100.0)
    assert "is in place already" in (place / "dropped/ann/keen.txt").read_text()


def test_the_answers_to_one_owner_push_out_no_others(
    place: Path, watch: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_MOST", 2)
    drop(place, "bob/calm.zip")
    for number in range(4):
        drop(place, f"ann/keen{number}.zip")
    for turn in range(8):
        watch.turn(turn * POLL_INTERVAL_S)

    kept = place / ".golfref/answers"
    assert [len(os.listdir(kept / owner)) for owner in ("ann", "bob")] == [2, 1]


def test_what_can_be_neither_answered_nor_put_away_is_taken_once(place: Path, watch: Watched) -> None:
    drop(place, "ann/keen.zip")
    (place / "dropped/ann/keen.txt").mkdir()
    drop(place, f"bob/{'é' * 120}.zip")
    (place / "dropped/done").mkdir()
    (place / "dropped/done/bob").write_text("")
    watch.turn(0.0)
    for turn in range(1, 200):
        watch.turn(turn * POLL_INTERVAL_S)

    outcomes = [(line.owner, line.outcome) for line in lines(VersionStore(place))]
    assert outcomes == [("ann", "accepted"), ("bob", "refused")]
    assert len(os.listdir(place / "dropped/done/ann")) == 1


def test_what_is_half_there_is_waited_for(place: Path, watch: Watched) -> None:
    archive = drop(place, "ann/keen.zip")
    whole = archive.read_bytes()
    archive.write_bytes(whole[:50])
    watch.turn(0.0)
    assert watch.turn(POLL_INTERVAL_S)
    assert not watch.turn(2 * POLL_INTERVAL_S)
    assert os.listdir(place / "dropped/ann") == ["keen.zip"]
    archive.write_bytes(whole)
    watch.turn(3 * POLL_INTERVAL_S)
    watch.turn(4 * POLL_INTERVAL_S)
    assert "It is accepted" in (place / "dropped/ann/keen.txt").read_text()
    drop(place, "ann/keen.zip").write_bytes(whole[:50])
    for now in (100.0, 100 + POLL_INTERVAL_S, 200 + PATIENCE_S):
        watch.turn(now)
    assert "damaged" in (place / "dropped/ann/keen.txt").read_text()
    assert (place / "entries/keen/bot.py").read_text() == "print(1)\n"


def test_a_broken_config_spoils_nothing_that_is_dropped(place: Path, watch: Watched) -> None:
    drop(place, "keen.zip")
    config = (place / "config.toml").read_text()
    (place / "config.toml").write_text("nonsense")
    watch.turn(0.0)
    assert watch.turn(POLL_INTERVAL_S)
    assert os.listdir(place / "dropped") == ["keen.zip"]
    (place / "config.toml").write_text(config)

    watch.turn(100.0)

    assert os.listdir(place / "entries") == ["keen"]


@pytest.mark.full
def test_who_fails_the_check_is_refused_and_who_passes_is_in_place(place: Path) -> None:
    out, _ = golfref("submit", "config.toml", "bot", cwd=place, code=1)
    assert "the check failed" in out
    assert not (place / "entries").exists()
    assert list((place / ".golfref/versions").iterdir()) == []
    golfref("new", "mine", "--language", "python", cwd=place)

    out, _ = golfref("submit", "config.toml", "mine/bot", "--name", "mine", cwd=place)

    assert "`mine`" in out
    (_, answer) = sorted((place / ".golfref/answers").iterdir())
    assert "It is accepted, and in place." in answer.read_text()
    assert "Check of the bot `mine`" in answer.read_text()
