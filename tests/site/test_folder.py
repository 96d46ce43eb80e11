"""The folder of a site: it is made beside and renamed, or brought up to date file by file. No other is touched."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from referee.site.files import File
from referee.site.folder import MANIFEST, check_folder, site_folder
from referee.site.refusals import SiteNotWritten, SiteRefused

RUN = "a1" * 32
PULSE = File(path="pulse.js", data=b"1")


def build(path: Path, files: Mapping[str, str], commitment: str = RUN) -> int:
    """Build a site of these files; returns how many were written."""
    with site_folder(path, "cup", commitment) as site:
        site.begin()
        for name, text in files.items():
            site.put(File(path=name, data=text.encode()))
        site.finish({}, PULSE)
        return site.written


def content(path: Path) -> dict[str, str]:
    """All files below a folder but the manifest."""
    files = {str(one.relative_to(path)): one.read_text() for one in path.rglob("*") if one.is_file()}
    return {name: text for name, text in files.items() if name != MANIFEST}


@contextmanager
def stopped_at(number: int, error: BaseException) -> Iterator[None]:
    """The rename of this number fails, as a full disk or a signal would have it."""
    calls = iter(range(1_000_000))
    rename = os.rename

    def failing(*args: object, **kwargs: object) -> None:
        if next(calls) == number:
            raise error
        rename(*args, **kwargs)  # type: ignore[arg-type] # as it was called

    with patch.object(os, "rename", failing):
        yield


def test_a_new_folder_has_everything_and_can_be_read_by_a_web_server(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        build(tmp_path / "site", {"index.html": "front", "matches/7/index.html": "seven"})
    finally:
        os.umask(before)

    assert content(tmp_path / "site") == {"index.html": "front", "matches/7/index.html": "seven", "pulse.js": "1"}
    modes = {stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "site").rglob("*")}
    assert modes == {0o644, 0o755}
    assert stat.S_IMODE((tmp_path / "site").stat().st_mode) == 0o755
    assert os.listdir(tmp_path) == ["site"]


def test_a_new_folder_is_there_only_when_it_is_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    with pytest.raises(KeyboardInterrupt), stopped_at(2, KeyboardInterrupt()):
        build(site, {"index.html": "front"})

    assert os.listdir(tmp_path) == []


def test_what_a_killed_build_left_beside_is_taken_away(tmp_path: Path) -> None:
    site = tmp_path / "site"
    with pytest.raises(KeyboardInterrupt), stopped_at(3, KeyboardInterrupt()), patch.object(shutil, "rmtree"):
        build(site, {"old.html": "old", "index.html": "front"})
    assert os.listdir(tmp_path) == ["site.new"]

    build(site, {"index.html": "front"})

    assert os.listdir(tmp_path) == ["site"]
    assert content(site) == {"index.html": "front", "pulse.js": "1"}


def test_only_what_changed_is_written_and_what_is_not_wanted_goes(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "1", "matches/1/index.html": "one", "matches/2/index.html": "two", "bots/a.html": "a"})
    one = (site / "matches/1/index.html").stat()

    written = build(site, {"index.html": "2", "matches/1/index.html": "one"})

    assert content(site) == {"index.html": "2", "matches/1/index.html": "one", "pulse.js": "1"}
    assert sorted(os.listdir(site)) == [MANIFEST, "index.html", "matches", "pulse.js"]
    after = (site / "matches/1/index.html").stat()
    assert (after.st_ino, after.st_mtime_ns) == (one.st_ino, one.st_mtime_ns)
    assert written == 3  # the front page; the manifest before the removal and after it


def test_a_folder_of_a_match_is_kept_as_long_as_it_is_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"matches/1/index.html": "one", "matches/1/match.js": "data"})

    with site_folder(site, "cup", RUN) as opened:
        assert opened.keep("matches/1")
        assert not opened.keep("matches/2")
        opened.finish({}, PULSE)
    assert (site / "matches/1/match.js").read_text() == "data"

    (site / "matches/1/match.js").write_text("torn")
    with site_folder(site, "cup", RUN) as opened:
        assert not opened.keep("matches/1")


def at_every_rename(site: Path) -> Iterator[int]:
    """Numbers of renames, as long as a build has that many."""
    for number in range(100):
        build(site, {"index.html": "old", "matches/1/index.html": "one", "gone/x.html": "x"})
        yield number
        if (site / "index.html").read_text() == "new" and "gone/x.html" not in content(site):
            return
    pytest.fail("the build never came to its end")


def test_stopped_anywhere_each_file_is_old_or_new_and_the_next_build_is_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    new = {"matches/2/index.html": "two", "index.html": "new"}
    for number in at_every_rename(site):
        with stopped_at(number, KeyboardInterrupt()):
            try:
                build(site, new)
            except KeyboardInterrupt:
                assert content(site)["index.html"] in ("old", "new")
                assert all(text in ("old", "new", "one", "two", "x", "1") for text in content(site).values())
                assert not any(name.startswith(".") for name in os.listdir(site))
                if content(site)["index.html"] == "new":
                    assert "matches/2/index.html" in content(site)  # a page comes after what it links to
                build(site, new)
        assert content(site) == {**new, "pulse.js": "1"}


def test_a_full_disk_leaves_the_old_files_and_is_told(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "old"})
    with (
        pytest.raises(
            SiteNotWritten, match=r"site: cannot write index.html: .*each file in it is whole.*make room and run"
        ),
        stopped_at(0, OSError(errno.ENOSPC, "No space left on device")),
    ):
        build(site, {"index.html": "new"})

    assert content(site) == {"index.html": "old", "pulse.js": "1"}
    assert sorted(os.listdir(site)) == [MANIFEST, "index.html", "pulse.js"]


def test_an_empty_folder_is_taken_and_nobody_elses_is_touched(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "empty").mkdir()
    build(tmp_path / "empty", {"index.html": "front"})
    assert content(tmp_path / "empty") == {"index.html": "front", "pulse.js": "1"}
    (site / "thesis.tex").write_text("all of it")
    with pytest.raises(SiteRefused, match=r"not a site of golfref \(thesis.tex\); name another folder"):
        build(site, {"index.html": "front"})
    (tmp_path / "file").write_text("")
    with pytest.raises(SiteRefused, match="this is no folder"):
        build(tmp_path / "file", {})
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(SiteRefused, match="this is no folder"):
        build(tmp_path / "link", {})
    with pytest.raises(SiteNotWritten, match="No such file"):
        build(tmp_path / "no" / "such", {})
    (tmp_path / "new.new").mkdir()
    (tmp_path / "new.new" / "mine").write_text("")
    with pytest.raises(SiteRefused, match=r"new.new: this folder holds what is not a site"):
        build(tmp_path / "new", {})

    assert content(site) == {"thesis.tex": "all of it"}
    assert content(tmp_path / "new.new") == {"mine": ""}


def test_the_site_of_another_run_is_refused_and_so_is_a_second_writer(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "front"})
    with pytest.raises(SiteRefused, match=r"site of another run \(cup, whose commitment is a1a1a1a1a1a1"):
        build(site, {}, "b2" * 32)
    with pytest.raises(SiteRefused, match="another run"):
        check_folder(site, None)
    check_folder(site, RUN)
    with site_folder(site, "cup", RUN), pytest.raises(SiteRefused, match="another golfref is writing"):
        build(site, {})
    with site_folder(tmp_path / "new", "cup", RUN), pytest.raises(SiteRefused, match="another golfref is writing"):
        build(tmp_path / "new", {})


def test_links_inside_are_not_followed(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    build(site, {"index.html": "front", "matches/1/index.html": "one", "bots/a.html": "a"})
    outside.mkdir()
    (outside / "index.html").write_text("not ours")
    (site / "index.html").unlink()
    (site / "index.html").symlink_to(outside / "index.html")
    (site / "matches" / "2").symlink_to(outside)
    with pytest.raises(SiteRefused, match=r"site: something that is not of the site stands at matches/2/index.html"):
        build(site, {"matches/2/index.html": "two"})

    build(site, {"index.html": "front"})

    assert content(outside) == {"index.html": "not ours"}
    assert content(site) == {"index.html": "front", "pulse.js": "1"}
    assert not (site / "index.html").is_symlink()


@pytest.mark.parametrize(
    "change",
    [
        {"owned": ["../outside"]},
        {"owned": [MANIFEST]},
        {"files": {"matches/../../x": ""}},
        {"format": "golfref-site-9"},
    ],
)
def test_a_manifest_that_was_tampered_with_is_refused(tmp_path: Path, change: Mapping[str, object]) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    build(site, {"index.html": "front"})
    outside.mkdir()
    (outside / "file").write_text("not ours")
    manifest = msgspec.json.decode((site / MANIFEST).read_bytes())
    (site / MANIFEST).write_bytes(msgspec.json.encode({**manifest, **change}))

    with pytest.raises(SiteRefused, match="cannot be brought up to date"):
        build(site, {"index.html": "front"})
    assert content(outside) == {"file": "not ours"}


def test_what_others_put_beside_the_pages_stays(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "front"})
    (site / "CNAME").write_text("golf.example")
    (site / "bots").mkdir()

    build(site, {"index.html": "new"})
    assert content(site) == {"index.html": "new", "pulse.js": "1", "CNAME": "golf.example"}
    with pytest.raises(SiteRefused, match="bots in it is not of the site"):
        build(site, {"index.html": "new", "bots/a.html": "a"})


def test_a_folder_that_was_moved_meanwhile_is_not_said_to_be_made(tmp_path: Path) -> None:
    build(tmp_path / "site", {"index.html": "front"})

    with site_folder(tmp_path / "site", "cup", RUN) as site:
        (tmp_path / "site").rename(tmp_path / "away")
        site.put(File(path="index.html", data=b"front"))
        with pytest.raises(SiteRefused, match="the folder was moved"):
            site.finish({}, PULSE)
