"""The output folder of a site: golfref writes and removes its own files, one after another, and touches no other."""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from referee.site.files import File
from referee.site.folder import MANIFEST, SiteNotWritten, SiteRefused, check_folder, site_folder

RUN = "a1" * 32


def build(path: Path, files: Mapping[str, str], commitment: str = RUN) -> None:
    """Build a site of these files."""
    with site_folder(path, "cup", commitment) as site:
        site.begin()
        for name, text in files.items():
            site.put(File(path=name, data=text.encode()))
        site.finish()


def content(path: Path) -> dict[str, str]:
    """All files below a folder but the manifest."""
    files = {str(one.relative_to(path)): one.read_text() for one in path.rglob("*") if one.is_file()}
    return {name: text for name, text in files.items() if name != MANIFEST}


@contextmanager
def stopped_at(number: int, error: BaseException) -> Iterator[None]:
    """The rename of this number fails, as a full disk or a signal would have it."""
    calls = iter(range(1_000_000))
    rename = Path.replace

    def failing(old: Path, new: Path) -> Path:
        if next(calls) == number:
            raise error
        return rename(old, new)

    with patch.object(Path, "replace", failing):
        yield


def test_a_web_server_cannot_read_a_new_site(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        build(tmp_path / "site", {"index.html": "front", "matches/7/index.html": "seven"})
    finally:
        os.umask(before)

    assert content(tmp_path / "site") == {"index.html": "front", "matches/7/index.html": "seven"}
    modes = {stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "site", *(tmp_path / "site").rglob("*"))}
    assert modes == {0o644, 0o755}


def test_files_that_did_not_change_are_written_or_files_of_earlier_builds_stay(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "1", "matches/1/index.html": "one", "matches/2/index.html": "two", "bots/a.html": "a"})
    (site / "CNAME").write_text("golf.example")
    (site / "matches" / "2" / "note.txt").write_text("the organiser's")
    one = (site / "matches/1/index.html").stat()

    build(site, {"index.html": "2", "matches/1/index.html": "one"})

    others = {"CNAME": "golf.example", "matches/2/note.txt": "the organiser's"}
    assert content(site) == {"index.html": "2", "matches/1/index.html": "one", **others}
    assert sorted(os.listdir(site)) == ["CNAME", MANIFEST, "index.html", "matches"]
    after = (site / "matches/1/index.html").stat()
    assert (after.st_ino, after.st_mtime_ns) == (one.st_ino, one.st_mtime_ns)


def test_a_match_is_kept_although_a_file_of_it_is_missing(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"matches/1/index.html": "one", "matches/1/match.js": "data"})

    with site_folder(site, "cup", RUN) as opened:
        opened.begin()
        assert opened.keep("matches/1")
        assert not opened.keep("matches/2")
        opened.finish()
        assert (site / "matches/1/match.js").read_text() == "data"
        (site / "matches/1/match.js").unlink()
        opened.begin()
        assert not opened.keep("matches/1")


def at_every_rename(site: Path) -> Iterator[int]:
    """Numbers of renames, as long as a build has that many."""
    for number in range(100):
        build(site, {"index.html": "old", "matches/1/index.html": "one", "gone/x.html": "x"})
        yield number
        if (site / "index.html").read_text() == "new" and "gone/x.html" not in content(site):
            return
    pytest.fail("the build never came to its end")


def test_a_build_that_is_stopped_leaves_half_a_file_or_the_next_one_is_not_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    new = {"matches/2/index.html": "two", "index.html": "new"}
    for number in at_every_rename(site):
        with stopped_at(number, KeyboardInterrupt()):
            try:
                build(site, new)
            except KeyboardInterrupt:
                assert content(site)["index.html"] in ("old", "new")
                assert all(text in ("old", "new", "one", "two", "x") for text in content(site).values())
                if content(site)["index.html"] == "new":
                    assert "matches/2/index.html" in content(site)  # a page comes after the pages to which it links
                build(site, new)
        assert content(site) == new


def test_a_full_disk_takes_the_old_files(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "old"})
    with (
        pytest.raises(
            SiteNotWritten, match=r"site: cannot write index.html: .*each file in it is whole.*make room and run"
        ),
        stopped_at(0, OSError(errno.ENOSPC, "No space left on device")),
    ):
        build(site, {"index.html": "new"})

    assert content(site) == {"index.html": "old"}


def test_a_folder_that_is_no_site_is_taken(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    build(tmp_path / "empty", {"index.html": "front"})
    assert content(tmp_path / "empty") == {"index.html": "front"}

    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("all of it")
    with pytest.raises(SiteRefused, match=r"not a site of golfref \(thesis.tex\); name another folder"):
        build(mine, {"index.html": "front"})
    assert content(mine) == {"thesis.tex": "all of it"}

    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        with pytest.raises(SiteRefused, match="this is no folder"):
            build(tmp_path / name, {})
    with pytest.raises(SiteNotWritten, match="No such file"):
        build(tmp_path / "no" / "such", {})


def test_a_file_in_the_place_of_a_folder_is_removed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "front"})
    (site / "bots").write_text("the organiser's")
    with pytest.raises(SiteRefused, match=r"site: golfref did not write what stands at bots/a.html .*move it away"):
        build(site, {"index.html": "front", "bots/a.html": "a"})
    assert content(site) == {"index.html": "front", "bots": "the organiser's"}


def test_the_site_of_another_run_is_taken_or_two_write_at_once(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site, {"index.html": "front"})
    with pytest.raises(SiteRefused, match=r"site of another run \(cup, whose commitment is a1a1a1a1a1a1"):
        build(site, {}, "b2" * 32)
    with pytest.raises(SiteRefused, match="another run"):
        check_folder(site, "b2" * 32)
    check_folder(site, RUN)
    check_folder(site, None)
    with site_folder(site, "cup", RUN), pytest.raises(SiteRefused, match="another golfref is writing"):
        build(site, {})


@pytest.mark.parametrize("change", [{"files": ["matches/../../outside/file"]}, {"format": "golfref-site-9"}])
def test_a_manifest_leads_golfref_out_of_the_folder(tmp_path: Path, change: Mapping[str, object]) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    build(site, {"index.html": "front"})
    outside.mkdir()
    (outside / "file").write_text("not ours")
    manifest = msgspec.json.decode((site / MANIFEST).read_bytes())
    (site / MANIFEST).write_bytes(msgspec.json.encode({**manifest, **change}))

    with pytest.raises(SiteRefused, match="golfref cannot bring this site up to date"):
        build(site, {"index.html": "front"})
    assert content(outside) == {"file": "not ours"}
