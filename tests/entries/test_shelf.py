"""The shelf: what is put there is whole, closed, and of the version that it is called."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.entries.built import Built, digest_of, keep_built, version_now
from referee.entries.entry import Entry
from referee.entries.folder import Allowance, read_entry
from referee.entries.shelf import Shelf, ShelfError, ShelfNotWritten, remove
from referee.entries.versions import version_of
from referee.play.spec import BotSpec, search_path


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    """The folder of an entry with links, an empty folder, and what belongs to no version."""
    folder = tmp_path / "entries/ann"
    (folder / "data/empty").mkdir(parents=True)
    (folder / "bot.py").write_text("print(1)\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o700)
    (folder / "data/words").write_bytes(b"x" * 3_000_000)
    (folder / "data/words").chmod(0o600)
    (folder / "data/link").symlink_to("../bot.py")
    (folder / ".git").mkdir()
    (folder / ".git/config").touch()
    return folder


def read(folder: Path) -> Entry:
    return read_entry(str(folder), Allowance(folder=str(folder.parent.parent)))


def shelf_of(folder: Path) -> Shelf:
    return Shelf(folder.parent.parent)


def test_a_version_is_put_there_whole_readable_by_all_and_closed(ann: Path) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    assert shelf.kept(entry.version) is None
    old = os.umask(0o077)
    try:
        shelf.take(entry)
    finally:
        os.umask(old)

    source = shelf.files(entry)
    assert shelf.kept(entry.version) == entry
    found = {str(path.relative_to(source)): stat.S_IMODE(path.lstat().st_mode) for path in source.rglob("*")}
    assert found.pop("data/link")
    assert found == {"bot.py": 0o444, "run": 0o555, "data": 0o555, "data/empty": 0o555, "data/words": 0o444}
    assert os.readlink(source / "data/link") == "../bot.py"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o755 for path in (source.parents[0], source.parents[1]))
    assert stat.S_IMODE(source.stat().st_mode) == 0o555
    copy = BotSpec(name="x", command=entry.command, dir=str(source), env={})
    assert version_of(copy, str(shelf.folder.parent)) == entry.version


def test_what_the_author_changes_later_does_not_matter(ann: Path) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    shelf.take(entry)

    (ann / "bot.py").write_text("print(2)\n")
    shelf.take(entry)
    shelf.take(read(ann))

    assert (shelf.files(entry) / "bot.py").read_text() == "print(1)\n"
    assert (shelf.files(read(ann)) / "bot.py").read_text() == "print(2)\n"


def test_a_version_that_is_not_whole_is_made_again(ann: Path) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    shelf.take(entry)
    (shelf.place(entry.version) / "kept.json").unlink()
    source = shelf.files(entry)
    source.chmod(0o755)
    (source / "bot.py").unlink()

    shelf.take(entry)

    assert (source / "bot.py").read_text() == "print(1)\n"
    assert shelf.kept(entry.version) == entry


def _relink(path: Path, text: str) -> None:
    path.unlink()
    path.symlink_to(text)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda ann: (ann / "bot.py").write_text("print(2)\n"),
    "mode": lambda ann: (ann / "bot.py").chmod(0o755),
    "one more": lambda ann: (ann / "more").touch(),
    "one less": lambda ann: (ann / "data/words").unlink(),
    "larger": lambda ann: (ann / "data/words").write_bytes(b"x" * 9_000_000),
    "gone": lambda ann: os.rename(ann, ann.parent / "bea"),
    "a link to a file of the host": lambda ann: _relink(ann / "data/link", "/etc/passwd"),
    "a link out of the folder": lambda ann: _relink(ann / "data/link", "../../secret"),
    "a pipe in place of a file": lambda ann: _pipe(ann / "bot.py"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_entry_that_changes_while_it_is_read_is_told_and_leaves_nothing(
    ann: Path, change: Callable[[Path], object]
) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    change(ann)

    with pytest.raises(ShelfError, match=r"^its folder changed while it was read; try again$"):
        shelf.take(entry)

    assert not shelf.place(entry.version).exists()


def test_a_copy_that_was_changed_does_not_play_on_as_its_version(ann: Path) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    shelf.take(entry)
    source = shelf.files(entry)
    source.chmod(0o755)
    (source / "__pycache__").mkdir()
    shelf.take(entry)
    (source / "learnt").touch()

    with pytest.raises(ShelfError, match=r"^its copy on the shelf was changed, perhaps by the bot itself; "):
        shelf.take(entry)


def test_where_nothing_can_be_written_the_folder_is_named(ann: Path) -> None:
    shelf = shelf_of(ann)
    shelf.folder.write_text("a file where the shelf would be")

    with pytest.raises(ShelfNotWritten, match=rf"^entry `ann` cannot be put into {shelf.folder}: .*File exists"):
        shelf.take(read(ann))


def test_no_version_names_another_place(ann: Path) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    shelf.take(entry)

    assert shelf.kept(f"../versions/{entry.version}") is None


def test_what_is_closed_can_be_removed(ann: Path) -> None:
    entry, shelf = read(ann), shelf_of(ann)
    shelf.take(entry)

    remove(shelf.place(entry.version))
    remove(shelf.place(entry.version))

    assert os.listdir(shelf.folder / "versions") == []


def test_files_that_a_bot_changes_where_it_starts_are_another_version(ann: Path) -> None:
    plain, shelf = read(ann), shelf_of(ann)
    shelf.take(plain)
    assert version_now(shelf, plain) == plain.version
    (ann / "bot.toml").write_text('build = ["make"]')
    built = read(ann)
    shelf.take(built)
    shutil.copytree(ann, shelf.files(built))
    under = {"in_cell": True, "under": "", "golfref": "", "when": "", "seconds": 1.0}
    keep_built(shelf, built.version, Built(outcome="built", digest=digest_of(shelf.files(built)), **under))  # type: ignore[arg-type]
    assert version_now(shelf, built) == built.version

    for entry in (plain, built):
        shelf.files(entry).chmod(0o755)
        (shelf.files(entry) / "learnt").touch()
        assert version_now(shelf, entry) != entry.version


def test_the_environment_of_golfref_is_not_searched_for_the_program_of_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows the README has activated it. An entry would see all that golfref needs."""
    own, other = tmp_path / "venv" / "bin", tmp_path / "bin"
    for folder in (own, other):
        folder.mkdir(parents=True)
        (folder / "python3").touch(mode=0o755)
    monkeypatch.setattr("sys.prefix", str(own.parent))
    monkeypatch.setenv("PATH", f"{own}:{other}")
    bot = BotSpec(name="ann", command=("python3", "bot.py"), dir="/", env={})

    assert search_path(bot) == f"{own}:{other}"
    assert search_path(replace(bot, entry="/ann")) == str(other)
    (other / "python3").unlink()
    assert search_path(replace(bot, entry="/ann")) == f"{own}:{other}"
