"""What is dropped into a folder: taken when it is whole, fairly among owners, and answered beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.beneath import open_folder
from referee.competition.submissions import dropping
from referee.competition.submissions.dropping import LOOK_S, PATIENCE_S, Drop, DropFolder


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


def names(drops: list[Drop]) -> list[str]:
    return sorted(f"{drop.owner}/{drop.name}" for drop in drops)


def whole(folder: DropFolder, now: float = 0.0) -> list[Drop]:
    folder.look(now)
    return folder.look(now + LOOK_S)


def test_what_has_not_changed_between_two_looks_is_taken(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip")
    put(tmp_path / "ann/other/bot.py")
    put(tmp_path / "late.zip")

    assert folder.look(0.0) == []
    put(tmp_path / "late.zip", "xx")
    put(tmp_path / "ann/other/more.py")
    assert names(folder.look(LOOK_S)) == ["ann/bot.zip"]
    assert names(folder.look(2 * LOOK_S)) == ["/late.zip", "ann/bot.zip", "ann/other"]


def test_files_on_their_way_answers_and_links_are_not_taken(folder: DropFolder, tmp_path: Path) -> None:
    for name in ("bot.zip.part", ".bot.zip", "bot.txt", "bot.zip.filepart", "done"):
        put(tmp_path / "ann" / name)
    put(tmp_path / "ann/real.zip")
    (tmp_path / "ann/link.zip").symlink_to("real.zip")
    (tmp_path / "eve").symlink_to("ann")
    os.mkfifo(tmp_path / "ann/pipe.zip")
    put(tmp_path / "done/ann/old.zip")

    assert names(whole(folder)) == ["ann/done", "ann/real.zip"]


def test_owners_take_turns(folder: DropFolder, tmp_path: Path) -> None:
    for number in range(3):
        put(tmp_path / f"ann/a{number}.zip", when=number)
    put(tmp_path / "bob/b.zip", when=10)
    put(tmp_path / "cy/c.zip", when=5)
    drops = whole(folder)

    turns = []
    while drops:
        turns.append(drops.pop(drops.index(folder.next(drops))).name)

    assert turns == ["a0.zip", "c.zip", "b.zip", "a1.zip", "a2.zip"]


def test_of_several_archives_of_one_name_the_newest_counts(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip", when=1)
    put(tmp_path / "ann/bot.tar.gz", when=2)
    put(tmp_path / "bob/bot.zip", when=3)

    assert [(old.name, new.name) for old, new in folder.older(whole(folder))] == [("bot.zip", "bot.tar.gz")]


def test_what_is_held_is_taken_again_when_it_changes_or_in_time(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "bot.zip")
    (drop,) = whole(folder)
    folder.hold(drop, until=100.0)

    assert folder.look(50.0) == []
    assert names(folder.look(100.0)) == ["/bot.zip"]
    put(tmp_path / "bot.zip", "more")
    assert names(whole(folder, 60.0)) == ["/bot.zip"]
    assert not folder.has_settled(drop, 99.0)


def test_an_archive_has_settled_when_it_did_not_change_for_long(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "bot.zip")
    (drop,) = whole(folder)

    assert not folder.has_settled(drop, LOOK_S)
    assert folder.has_settled(drop, PATIENCE_S)


def test_an_answer_replaces_a_link_and_what_was_answered_goes_away(folder: DropFolder, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", "secret")
    put(tmp_path / "ann/bot.zip")
    (tmp_path / "ann/bot.txt").symlink_to("../secret.txt")
    (tmp_path / "ann/.bot.txt.new").symlink_to("../secret.txt")
    (drop,) = whole(folder)

    folder.answer(drop, "accepted")
    folder.put_away(drop, "20261123-000000-0")

    assert secret.read_text() == "secret"
    assert (tmp_path / "ann/bot.txt").read_text() == "accepted"
    assert sorted(os.listdir(tmp_path / "ann")) == ["bot.txt"]
    assert os.listdir(tmp_path / "done/ann") == ["20261123-000000-0-bot.zip"]
    assert whole(folder, 10.0) == []


@pytest.mark.process
def test_what_was_answered_does_not_grow_without_end(folder: DropFolder, tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path / "ann/bot/bot.py")
        (drop,) = whole(folder, 10.0 * number)
        folder.put_away(drop, f"{number:03}")

    assert sorted(os.listdir(tmp_path / "done/ann")) == [f"{number:03}-bot" for number in range(10, 30)]


def test_what_changes_while_it_is_taken_is_known(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot/bot.py")
    (drop,) = whole(folder)

    assert folder.is_unchanged(drop)
    put(tmp_path / "ann/bot/bot.py", "y", when=2000)
    assert not folder.is_unchanged(drop)


@pytest.mark.process
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
        (drop,) = whole(folder, 10.0 * number)
        folder.put_away(drop, str(number))
        put(tmp_path / "ann/bot/bot.py")
    assert os.listdir(tmp_path / "done/ann") == ["1-bot"]


def test_a_folder_that_has_become_a_link_is_not_entered(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot/bot.py")
    (drop,) = whole(folder)
    os.close(folder.enter(drop))
    put(tmp_path / "secret/bot.py").parent.rename(tmp_path / "elsewhere")
    (tmp_path / "ann/bot").rename(tmp_path / "ann/.gone")
    (tmp_path / "ann/bot").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="Not a directory"):
        folder.enter(drop)


def test_an_owner_has_few_folders_looked_through_at_once(folder: DropFolder, tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path / f"ann/bot{number}/bot.py")
        put(tmp_path / f"ann/bot{number}.zip")
    assert len(whole(folder)) == 20 + 30


def test_an_archive_is_opened_without_following_a_link(folder: DropFolder, tmp_path: Path) -> None:
    put(tmp_path / "ann/bot.zip", "mine")
    (drop,) = whole(folder)
    with folder.open(drop) as file:
        assert file.read() == b"mine"
    (tmp_path / "ann/bot.zip").unlink()
    (tmp_path / "ann/bot.zip").symlink_to("/etc/passwd")

    with pytest.raises(OSError, match="symbolic"):
        folder.open(drop)
