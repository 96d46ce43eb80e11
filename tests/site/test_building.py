"""The site of a run, made from its store: which matches have pages, what a second build writes, and what is wrong."""

import os
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
from exported import made_up_run
from html_read import read

from referee.site import live
from referee.site.building import Built, SiteBuilder, site_builder
from referee.site.folder import MANIFEST, Manifest
from referee.site.live import LEAST_REST_S, MOST_REST_S, follow
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


def nothing() -> None:
    """Nobody wants the build to end."""


def build(run: Path, out: Path, *, most: int = 500, check: Callable[[], None] = nothing) -> Built:
    """Build the site of a run."""
    with site_builder(run, out, most, check) as builder:
        return builder.build(is_live=False)


def manifest(out: Path) -> Manifest:
    return msgspec.json.decode((out / MANIFEST).read_bytes(), type=Manifest)


def pages_of_matches(out: Path) -> set[int]:
    return {int(name) for name in os.listdir(out / "matches")}


def states(out: Path) -> Mapping[str, tuple[int, int]]:
    """What tells whether a file was written again."""
    files = [path for path in out.rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}


def change(run: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute(statement, values)


def test_all_matches_of_a_small_run_have_pages_and_a_second_build_writes_nothing_again(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "<script>")), tmp_path / "site"

    built = build(run, out)

    assert (built.matches, built.with_pages, built.problems) == (3, 3, ())
    assert pages_of_matches(out) == {2, 3, 4}
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {"index.html", "status.js", "matches/3/index.html", "matches/2/match.js"} < files
    assert files == {*manifest(out).files, MANIFEST}
    assert built.size_bytes == sum((out / name).stat().st_size for name in files)

    before = states(out)
    assert build(run, out) == built
    assert states(out) == before


def test_where_there_are_many_a_choice_has_pages_that_stays_the_same(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "<script>", "cleo", "dan")), tmp_path / "site"

    assert build(run, out, most=5).with_pages == 5
    some = pages_of_matches(out)
    build(run, out, most=7)
    assert some < pages_of_matches(out)
    assert build(run, out, most=5).gone == 2
    assert pages_of_matches(out) == some


POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}

NOT_FOR_STRANGERS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn around the texts that follow them."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """All pages of a site, those of its matches among them."""
    folder = tmp_path_factory.mktemp("run")
    build(made_up_run(folder, ["four-turns"], names=("ann", "<script>", "cleo")), folder / "site")
    return sorted((folder / "site").rglob("*.html"))


def test_every_link_of_a_site_leads_to_a_file_of_it(pages: list[Path]) -> None:
    for page in pages:
        links = {
            about[name] or "" for _, about in read(page).tags for name in ("href", "src", "srcset") if name in about
        }
        assert links
        assert not [link for link in links if not (page.parent / link.partition("#")[0]).exists()], page


def test_every_page_has_the_strict_policy_before_all_that_it_loads_and_no_script_of_its_own(pages: list[Path]) -> None:
    for page in pages:
        tags = read(page).tags
        names = [tag for tag, _ in tags]
        (number,) = [number for number, (_, about) in enumerate(tags) if about.get("http-equiv") is not None]
        content = tags[number][1]["content"] or ""
        assert dict(part.strip().split(" ", 1) for part in content.split(";")) == POLICY, page
        assert not {"script", "link", "img", "style", "a"} & set(names[:number]), page
        assert "style" not in names
        assert all(about.get("src") for tag, about in tags if tag == "script"), page
        assert not [name for _, about in tags for name in about if name.startswith("on") or name == "style"], page
        assert not NOT_FOR_STRANGERS.search(page.read_text(encoding="utf-8")), page


def test_every_page_has_one_heading_landmarks_and_a_language(pages: list[Path]) -> None:
    for page in pages:
        tags = read(page).tags
        names = [tag for tag, _ in tags]
        assert (names.count("h1"), names.count("title"), names.count("main")) == (1, 1, 1), page
        ids = [about["id"] for _, about in tags if "id" in about]
        assert len(ids) == len(set(ids)), page
        assert ("html", "en") in [(tag, about.get("lang")) for tag, about in tags], page
        assert next(about["href"] for tag, about in tags if tag == "a") in ("#main", "#viewer"), page
        assert all(about.get("alt") for tag, about in tags if tag == "img"), page
        levels = [int(tag[1]) for tag in names if re.fullmatch("h[1-6]", tag)]
        assert all(after <= before + 1 for before, after in pairwise(levels)), (page, levels)


def test_the_site_of_a_run_that_goes_on_shows_what_was_played_and_no_key(tmp_path: Path) -> None:
    names = ("ann", "bob", "cleo", "dan")
    run, out = made_up_run(tmp_path, ["four-turns"], names=names), tmp_path / "site"
    with closing(Store.open(run)) as store:
        key = store.meta().master_key
    change(run, "UPDATE places SET number = NULL WHERE id = 3")

    assert not build(run, out).is_complete
    assert pages_of_matches(out) == set(range(2, 14))
    everything = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert key.encode() not in everything


def test_a_run_that_is_followed_is_read_match_by_match_until_it_is_complete(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo")), tmp_path / "site"
    with closing(sqlite3.connect(run)) as connection, connection:
        later = connection.execute("SELECT * FROM places WHERE id > 2").fetchall()
        connection.execute("DELETE FROM places WHERE id > 2")
    read: list[int] = []
    rests: list[float] = []

    def rest(seconds: float | None) -> bool:
        """Somebody plays on meanwhile."""
        assert seconds is not None
        rests.append(seconds)
        if seconds >= LEAST_REST_S and later:
            assert '"live":true' in (out / "status.js").read_text()
            change(run, "INSERT INTO places VALUES (?, ?, ?, ?)", *later.pop(0))
        return False

    record_of = Store.record

    def noted(store: Store, id_: int) -> bytes:
        read.append(id_)
        return record_of(store, id_)

    with site_builder(run, out, 0) as builder, patch.object(Store, "record", noted):
        follow(builder, run, rest)

    assert not later
    assert len([seconds for seconds in rests if seconds >= LEAST_REST_S]) == 2
    assert max(rests) <= MOST_REST_S
    assert set(read) == set(range(2, 5))
    assert max(Counter(read).values()) <= 2  # once, and once more for those with highlights


def test_a_live_site_is_not_renewed_after_a_build_that_failed_for_a_reason_nobody_foresaw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo"), without=1), tmp_path / "site"
    builds: list[bool] = []
    whole = SiteBuilder.build

    def build(builder: SiteBuilder, *, is_live: bool, is_played: bool | None = None) -> Built:
        builds.append(is_live)
        if len(builds) == 1:
            raise MemoryError
        return whole(builder, is_live=is_live, is_played=is_played)

    monkeypatch.setattr(SiteBuilder, "build", build)
    live.keep_current(run, out, lambda _: (out / "status.js").exists())

    assert builds == [True, True]
    assert '"live":false' in (out / "status.js").read_text()


def test_a_damaged_record_is_told_on_its_page_and_the_rest_is_built(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo")), tmp_path / "site"
    change(
        run,
        "UPDATE records SET record = ? WHERE id = 3",
        zlib.compress(b'{"format": 3, "golfref": "0", "protocol": "1"}'),
    )
    change(run, "UPDATE records SET record = x'00' WHERE id = 4")

    built = build(run, out)

    assert {row.id: row.problem for row in built.problems}.keys() == {3, 4}
    assert "a record of format 3; golfref 0.8.0 reads it" in (out / "matches/3/index.html").read_text()
    assert "damaged" in (out / "matches/4/index.html").read_text()
    assert (out / "matches/2/match.js").is_file()
    assert os.listdir(out / "matches/3") == ["index.html"]


def test_a_second_build_hides_a_match_whose_record_does_not_replay(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo")), tmp_path / "site"
    with closing(Store.open(run)) as store:
        record = store.record(3)
    change(run, "UPDATE records SET record = ? WHERE id = 3", zlib.compress(record.replace(b'"slot":', b'"slot":9')))

    first = build(run, out)
    assert [row.id for row in first.problems] == [3]
    before = states(out)

    assert build(run, out) == first
    assert states(out) == before


def test_a_match_is_shown_by_the_record_of_another_one(tmp_path: Path) -> None:
    run = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo"))
    change(run, "UPDATE records SET record = (SELECT record FROM records WHERE id = 4) WHERE id = 3")

    assert [(row.id, row.problem) for row in build(run, tmp_path / "site").problems] == [
        (3, "its record is not the one that its result names; `golfref verify` says more")
    ]


def test_a_result_that_tells_of_other_seats_is_said_to_be_damaged(tmp_path: Path) -> None:
    run = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo"))
    change(run, """UPDATE journal SET body = replace(body, '"totals":[', '"totals":[7,') WHERE id = 2""")

    with pytest.raises(StoreError, match="match #2 is damaged"):
        build(run, tmp_path / "site")

    assert os.listdir(tmp_path / "site") == []


def test_a_run_without_matches_has_a_site(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo"), without=3), tmp_path / "site"

    built = build(run, out)

    assert (built.matches, built.with_pages, built.is_complete) == (0, 0, False)
    assert (out / "index.html").is_file()


def test_a_build_that_was_stopped_cannot_be_taken_up(tmp_path: Path) -> None:
    run, out = made_up_run(tmp_path, ["four-turns"], names=("ann", "bob", "cleo")), tmp_path / "site"
    calls = iter(range(1000))

    def stop() -> None:
        if next(calls) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(run, out, check=stop)

    assert not (out / "index.html").exists()
    assert build(run, out).with_pages == 3
