"""The inbox: archives are taken when they are whole, moved away before they are read, and answered in their place."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.beneath import open_folder
from referee.competition import inbox as inbox_module
from referee.competition.inbox import UNTOUCHED_S, Inbox, InboxItem


class Ages:
    """The ages of files, as tests give them."""

    def __init__(self) -> None:
        self.s = UNTOUCHED_S

    def __call__(self, _: int) -> float:
        return self.s


@pytest.fixture
def ages() -> Ages:
    return Ages()


@pytest.fixture
def inbox(tmp_path: Path, ages: Ages) -> Iterator[Inbox]:
    fd = open_folder(tmp_path)
    yield Inbox(tmp_path, fd, ages)
    os.close(fd)


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def item(inbox: Inbox, owner: str = "ann") -> InboxItem:
    """The next one of an owner who has one."""
    found = inbox.next_item(owner)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("age", "is_taken"), [(0.0, False), (9.9, False), (10.0, True), (-5.0, False), (-3600.0, True)]
)
def test_an_archive_is_taken_once_nobody_has_touched_it_for_ten_seconds(
    inbox: Inbox, tmp_path: Path, ages: Ages, age: float, is_taken: bool
) -> None:
    archive = put(tmp_path / "ann/bot.zip")
    os.utime(archive, (0, 0))  # as `cp -p` does, which makes no file whole
    ages.s = age

    assert (inbox.next_item("ann") is not None) == is_taken
    assert archive.exists() != is_taken


def test_an_archive_that_was_taken_before_a_restart_comes_first(inbox: Inbox, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip", "first")
    taken = item(inbox)
    put(tmp_path / "ann/bot.zip", "second")

    assert item(inbox) == taken
    assert taken.path.read_text() == "first"
    inbox.put_away(taken, "1")
    assert item(inbox).path.read_text() == "second"


def test_files_that_are_copied_answers_links_folders_and_pipes_are_left_alone(inbox: Inbox, tmp_path: Path) -> None:
    for name in ("bot.zip.part", ".bot.zip", "bot.txt", "bot.zip.filepart", "._bot.zip", "Thumbs.db"):
        put(tmp_path / "ann" / name)
    (tmp_path / "ann/link.zip").symlink_to("bot.txt")
    os.mkfifo(tmp_path / "ann/pipe.zip")
    put(tmp_path / "ann/folder/bot.py")
    (tmp_path / "eve").symlink_to("ann")
    put(tmp_path / "done/bob/old.zip")

    assert inbox.owners() == ["", "ann"]
    assert inbox.next_item("ann") is None
    (tmp_path / "ann/bot.zip.part").rename(tmp_path / "ann/bot.zip")
    assert item(inbox).name == "bot.zip"


def test_only_so_many_files_of_an_owner_are_looked_at(
    inbox: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_module, "_MOST_FILES", 5)
    for number in range(10):
        put(tmp_path / f"ann/{number}.txt")
    put(tmp_path / "ann/bot.zip")
    looked_at: list[str] = []

    def looked(name: str) -> bool:
        looked_at.append(name)
        return False

    monkeypatch.setattr(inbox_module, "is_left_out", looked)

    inbox.next_item("ann")

    assert len(looked_at) <= 5


def test_an_answer_replaces_a_link_and_the_archive_goes_to_the_others(inbox: Inbox, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", "secret")
    put(tmp_path / "ann/bot.zip")
    (tmp_path / "ann/bot.txt").symlink_to("../secret.txt")
    (tmp_path / "ann/.bot.txt.new").symlink_to("../secret.txt")
    taken = item(inbox)

    inbox.answer("ann", "bot", "accepted")
    inbox.put_away(taken, "20261123-000000-0")

    assert secret.read_text() == "secret"
    assert (tmp_path / "ann/bot.txt").read_text() == "accepted"
    assert os.listdir(tmp_path / "ann") == ["bot.txt"]
    assert os.listdir(tmp_path / "done/ann") == ["20261123-000000-0-bot.zip"]
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in ("done", ".taken")} == {0o700}
    assert inbox.next_item("ann") is None


def test_answered_archives_do_not_pile_up(inbox: Inbox, tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path / "ann/bot.zip")
        inbox.put_away(item(inbox), f"{number:03}")

    assert sorted(os.listdir(tmp_path / "done/ann")) == [f"{number:03}-bot.zip" for number in range(10, 30)]


def test_an_archive_that_cannot_be_put_away_is_not_taken(inbox: Inbox, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip")
    put(tmp_path / "done/ann", "no folder")

    with pytest.raises(OSError, match="Not a directory"):
        inbox.next_item("ann")
    assert (tmp_path / "ann/bot.zip").exists()
    assert os.listdir(tmp_path / ".taken/ann") == []


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_its_owner_puts_in_place_of_an_archive_is_not_read(
    inbox: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    archive, rename = put(tmp_path / "ann/bot.zip"), os.rename

    def swapped(source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        archive.unlink()
        if kind == "link":
            archive.symlink_to("/etc/passwd")
        else:
            archive.mkdir()
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", swapped)
    assert inbox.next_item("ann") is None
    monkeypatch.undo()
    assert inbox.next_item("ann") is None
