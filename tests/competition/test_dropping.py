"""What is dropped into a folder: taken when it is whole, fairly among owners, and answered beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.beneath import open_folder
from referee.competition.submissions import dropping
from referee.competition.submissions.dropping import POLL_INTERVAL_S, Drop, DropFolder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DropFolder]:
    fd = open_folder(tmp_path)
    yield DropFolder(tmp_path, fd)
    os.close(fd)


def put(path: Path, text: str = "x", when: int = 1000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (when, when))
    return path


def seen(folder: DropFolder, now: float) -> list[str]:
    """What is due, by owner."""
    found = ((owner, folder.look(owner, now)) for owner in sorted(folder.owners()))
    return [f"{owner}/{due.drop.name}" for owner, due in found if due is not None]


def whole(folder: DropFolder, now: float = 0.0) -> list[str]:
    seen(folder, now)
    return seen(folder, now + POLL_INTERVAL_S)


def only(folder: DropFolder, owner: str = "ann", now: float = 0.0) -> Drop:
    """The one that is due."""
    folder.look(owner, now)
    due = folder.look(owner, now + POLL_INTERVAL_S)
    assert due is not None
    return due.drop


def test_what_has_not_changed_between_two_looks_is_taken(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip")
    put(tmp_path / "bob/other/bot.py")
    put(tmp_path / "late.zip")

    assert seen(folder, 0.0) == []
    put(tmp_path / "late.zip", "xx")
    put(tmp_path / "bob/other/more.py")
    assert seen(folder, POLL_INTERVAL_S) == ["ann/bot.zip"]
    assert seen(folder, 2 * POLL_INTERVAL_S) == ["/late.zip", "ann/bot.zip", "bob/other"]


def test_files_on_their_way_answers_and_links_are_not_taken(folder: DropFolder, tmp_path: Path) -> None:
    for name in ("bot.zip.part", ".bot.zip", "bot.txt", "bot.zip.filepart", "._bot.zip", "Thumbs.db"):
        put(tmp_path / "ann" / name)
    (tmp_path / "ann/link.zip").symlink_to("bot.txt")
    (tmp_path / "eve").symlink_to("done/ann")
    os.mkfifo(tmp_path / "ann/pipe.zip")
    put(tmp_path / "done/ann/old.zip")

    assert whole(folder) == []
    put(tmp_path / "ann/done")
    assert whole(folder, 10.0) == ["ann/done"]


def test_an_answer_replaces_a_link_and_what_was_answered_goes_away(folder: DropFolder, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", "secret")
    put(tmp_path / "ann/bot.zip")
    (tmp_path / "ann/bot.txt").symlink_to("../secret.txt")
    (tmp_path / "ann/.bot.txt.new").symlink_to("../secret.txt")
    drop = only(folder)

    assert folder.answer(drop, "accepted") == tmp_path / "ann/bot.txt"
    folder.put_away([drop], "20261123-000000-0")

    assert secret.read_text() == "secret"
    assert (tmp_path / "ann/bot.txt").read_text() == "accepted"
    assert sorted(os.listdir(tmp_path / "ann")) == ["bot.txt"]
    assert os.listdir(tmp_path / "done/ann") == ["20261123-000000-0-bot.zip"]
    assert whole(folder, 10.0) == []


def test_what_was_answered_does_not_grow_without_end(folder: DropFolder, tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path / "ann/bot/bot.py")
        drop = only(folder, now=10.0 * number)
        folder.put_away([drop], f"{number:03}")

    assert sorted(os.listdir(tmp_path / "done/ann")) == [f"{number:03}-bot" for number in range(10, 30)]


def test_what_changes_while_it_is_taken_is_known(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot/bot.py")
    drop = only(folder)

    assert folder.is_unchanged(drop)
    put(tmp_path / "ann/bot/bot.py", "y", when=2000)
    assert not folder.is_unchanged(drop)


def test_a_folder_of_any_depth_is_looked_at_and_removed(
    folder: DropFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dropping, "_KEPT", 1)
    put(tmp_path / "ann/bot/bot.py")
    monkeypatch.chdir(tmp_path / "ann/bot")
    for _ in range(1100):
        os.mkdir("d")
        os.chdir("d")
    monkeypatch.undo()
    monkeypatch.setattr(dropping, "_KEPT", 1)
    for number in range(2):
        drop = only(folder, now=10.0 * number)
        folder.put_away([drop], str(number))
        put(tmp_path / "ann/bot/bot.py")
    assert os.listdir(tmp_path / "done/ann") == ["1-bot"]


def test_a_folder_that_has_become_a_link_is_not_entered(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot/bot.py")
    drop = only(folder)
    os.close(folder.enter(drop))
    put(tmp_path / "secret/bot.py").parent.rename(tmp_path / "elsewhere")
    (tmp_path / "ann/bot").rename(tmp_path / "ann/.gone")
    (tmp_path / "ann/bot").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="Not a directory"):
        folder.enter(drop)


def test_a_folder_that_never_rests_holds_up_no_other(folder: DropFolder, tmp_path: Path) -> None:
    taken = set()
    for number in range(30):
        put(tmp_path / "ann/restless/bot.py", when=number)
        put(tmp_path / "ann/calm/bot.py")
        put(tmp_path / "ann/other/bot.py")
        due = folder.look("ann", number * POLL_INTERVAL_S)
        taken |= set() if due is None else {due.drop.name}

    assert taken == {"calm", "other"}


def test_an_archive_is_opened_without_following_a_link(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip", "mine")
    drop = only(folder)
    with folder.open(drop) as file:
        assert file.read() == b"mine"
    (tmp_path / "ann/bot.zip").unlink()
    (tmp_path / "ann/bot.zip").symlink_to("/etc/passwd")

    with pytest.raises(OSError, match="symbolic"):
        folder.open(drop)
