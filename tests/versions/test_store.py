"""The store of versions: what is put there is whole, closed, and of the version that it is called."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.competition.checks import last_check
from referee.play.spec import BotSpec, search_path
from referee.versions.bot_toml import Allowance, read_entry
from referee.versions.entry import Entry
from referee.versions.store import (
    BuildResult,
    NotStored,
    StoreNotWritable,
    VersionStore,
    digest_of,
)
from referee.versions.version import BadVersion, version_of


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


def store_of(folder: Path) -> VersionStore:
    return VersionStore(folder.parent.parent)


def test_a_version_is_put_there_whole_readable_by_all_and_closed(ann: Path) -> None:
    entry, versions = read(ann), store_of(ann)
    assert versions.entry_of(entry.version) is None
    old = os.umask(0o077)
    try:
        versions.add(entry)
    finally:
        os.umask(old)

    source = versions.start_folder(entry)
    assert versions.entry_of(entry.version) == entry
    found = {str(path.relative_to(source)): stat.S_IMODE(path.lstat().st_mode) for path in source.rglob("*")}
    assert found.pop("data/link")
    assert found == {"bot.py": 0o444, "run": 0o555, "data": 0o555, "data/empty": 0o555, "data/words": 0o444}
    assert os.readlink(source / "data/link") == "../bot.py"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o755 for path in (source.parents[0], source.parents[1]))
    assert stat.S_IMODE(source.stat().st_mode) == 0o555
    copy = BotSpec(name="x", command=entry.command, dir=str(source), env={})
    assert version_of(copy, str(versions.folder.parent)) == entry.version


def test_what_the_author_changes_later_does_not_matter(ann: Path) -> None:
    entry, versions = read(ann), store_of(ann)
    versions.add(entry)

    (ann / "bot.py").write_text("print(2)\n")
    versions.add(entry)
    versions.add(read(ann))

    assert (versions.start_folder(entry) / "bot.py").read_text() == "print(1)\n"
    assert (versions.start_folder(read(ann)) / "bot.py").read_text() == "print(2)\n"


def test_a_version_that_is_not_whole_is_made_again(ann: Path) -> None:
    entry, versions = read(ann), store_of(ann)
    versions.add(entry)
    (versions.folder_of(entry.version) / "entry.json").unlink()
    source = versions.start_folder(entry)
    source.chmod(0o755)
    (source / "bot.py").unlink()

    versions.add(entry)

    assert (source / "bot.py").read_text() == "print(1)\n"
    assert versions.entry_of(entry.version) == entry


def _relink(path: Path, text: str) -> None:
    path.unlink()
    path.symlink_to(text)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda ann: (ann / "bot.py").write_text("print(2)\n"),
    "larger": lambda ann: (ann / "data/words").write_bytes(b"x" * 9_000_000),
    "gone": lambda ann: os.rename(ann, ann.parent / "bea"),
    "a link out of the folder": lambda ann: _relink(ann / "data/link", "../../secret"),
    "a pipe in place of a file": lambda ann: _pipe(ann / "bot.py"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_entry_that_changes_while_it_is_read_is_told_and_leaves_nothing(
    ann: Path, change: Callable[[Path], object]
) -> None:
    entry, versions = read(ann), store_of(ann)
    change(ann)

    with pytest.raises(NotStored, match=r"^its folder changed while it was read; try again$"):
        versions.add(entry)

    assert not versions.folder_of(entry.version).exists()


def test_a_version_that_was_changed_does_not_play_on(ann: Path) -> None:
    entry, versions = read(ann), store_of(ann)
    versions.add(entry)
    source = versions.start_folder(entry)
    source.chmod(0o755)
    (source / "__pycache__").mkdir()
    versions.add(entry)
    assert (source / "__pycache__").is_dir()
    (source / "learnt").touch()

    assert "source/learnt" in versions.add(entry)

    assert versions.is_whole(entry)
    assert versions.changed_files(entry.version) == []
    assert sorted(os.listdir(versions.folder / "versions")) == [entry.version]


def test_where_nothing_can_be_written_the_folder_is_named(ann: Path) -> None:
    versions = store_of(ann)
    versions.folder.write_text("a file where the store would be")

    with pytest.raises(StoreNotWritable, match=rf"^entry `ann` cannot be put into {versions.folder}: .*File exists"):
        versions.add(read(ann))


@pytest.mark.parametrize("before", ["", "../versions/", "/etc/"])
def test_a_version_of_a_strangers_store_names_no_file_elsewhere(ann: Path, before: str) -> None:
    entry, versions = read(ann), store_of(ann)
    versions.add(entry)
    (versions.folder_of(entry.version) / "build.log").write_text("log")
    version = before + entry.version[: 64 if before else 63]

    assert versions.entry_of(version) is None
    assert versions.build_log(version) is None
    assert versions.last_build(version) is None
    assert last_check(versions, version) is None
    with pytest.raises(BadVersion, match="64 hexadecimal digits"):
        versions.folder_of(version)


def test_the_files_of_an_entry_are_on_the_disk_before_it_plays(ann: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, versions = read(ann), store_of(ann)
    place = ann.parent / "bea"
    done: list[str] = []
    monkeypatch.setattr(os, "sync", lambda: done.append("sync"))
    rename, replace_link = Path.rename, os.replace

    def named(path: Path, to: Path) -> None:
        done.append("version")
        rename(path, to)

    def linked(path: Path, to: Path) -> None:
        done.append("link")
        replace_link(path, to)

    monkeypatch.setattr(Path, "rename", named)
    monkeypatch.setattr(os, "replace", linked)

    versions.add(entry)
    assert done[-2:] == ["sync", "version"]
    versions.link(place, entry.version, aside=place.with_name("ann.old"))

    assert done[-3:] == ["sync", "link", "sync"]
    assert os.readlink(place) == f"../.golfref/versions/{entry.version}/source"
    assert versions.linked_version(place) == entry.version


def test_files_that_a_bot_changes_where_it_starts_are_another_version(ann: Path) -> None:
    plain, versions = read(ann), store_of(ann)
    versions.add(plain)
    assert versions.version_now(plain) == plain.version
    (ann / "bot.toml").write_text('build = ["make"]')
    built = read(ann)
    versions.add(built)
    shutil.copytree(ann, versions.start_folder(built))
    digest = digest_of(versions.start_folder(built))
    result = BuildResult(outcome="built", in_cell=True, under="", golfref="", when="", seconds=1.0, digest=digest)
    versions.keep_build(built.version, result)
    assert versions.version_now(built) == built.version

    for entry in (plain, built):
        versions.start_folder(entry).chmod(0o755)
        (versions.start_folder(entry) / "learnt").touch()
        assert versions.version_now(entry) != entry.version


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
