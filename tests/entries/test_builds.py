"""Builds of entries: what a build finds and may use, what comes out of it, and what is told where it fails."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from needs import need_bubblewrap

from referee.entries.build_log import BuildLog, log_lines
from referee.entries.builds import BuildFailed, Job, build
from referee.entries.entry import Builds, Entry
from referee.play.session import guarded, heeding_signals
from referee.play.spec import Isolation

LEVELS: tuple[Isolation, ...] = ("bwrap", "limits")


class Ended(Struct, frozen=True, kw_only=True):
    """How a build ended."""

    problem: str
    """Why it failed; empty where it did not."""
    log: list[str]
    folder: Path
    """The folder that it makes."""


Builder = Callable[..., Ended]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The folder of an entry's files, which every user can read."""
    source = tmp_path / "source"
    source.mkdir()
    for place in (source, *source.parents):
        if place.is_relative_to(tmp_path.parent.parent) and os.access(place, os.W_OK):
            place.chmod(place.stat().st_mode | 0o055)
    (source / "part").mkdir()
    (source / "part" / "words.txt").write_text("hello\n")
    return source


@pytest.fixture
def built(source: Path, mark: dict[str, str]) -> Builder:
    """Builds an entry by a shell command; the test fails if anything of the build is left."""

    def built(script: str, isolation: Isolation = "bwrap", **more: Any) -> Ended:
        if isolation == "bwrap":
            need_bubblewrap()
        entry = Entry(
            name="mine",
            folder=str(source),
            command=("./bot",),
            build=("sh", "-c", script),
            wants_network=more.pop("asks", False),
            version="0" * 64,
        )
        into = source.parent / f"built-{len(list(source.parent.iterdir()))}"
        builds = Builds(env=mark, **({"time_s": 600.0} | more))
        job = Job(entry=entry, source=source, into=into, isolation=isolation, builds=builds)
        log, problem, before = BuildLog(), "", set(source.parent.iterdir())

        async def work() -> None:
            await build(job, log)

        try:
            guarded(partial(heeding_signals, work))
        except BuildFailed as failed:
            problem = str(failed)
        assert set(source.parent.iterdir()) - before == (set() if problem else {into})
        return Ended(problem=problem, log=log_lines(log.kept()), folder=into)

    return built


@pytest.mark.parametrize("isolation", LEVELS)
def test_a_build_makes_a_copy_and_what_it_says_is_kept(built: Builder, source: Path, isolation: Isolation) -> None:
    ended = built(
        "cat part/words.txt; echo there >&2; echo run > bot; chmod 700 bot; echo more >> part/words.txt", isolation
    )

    assert (ended.problem, sorted(ended.log)) == ("", ["hello", "there"])
    assert (ended.folder / "part" / "words.txt").read_text() == "hello\nmore\n"
    assert (source / "part" / "words.txt").read_text() == "hello\n"
    rights = [(ended.folder / name).stat().st_mode & 0o7777 for name in ("bot", "part/words.txt")]
    assert rights == [0o555, 0o444]


@pytest.mark.parametrize("isolation", LEVELS)
def test_a_command_that_fails_is_told_with_its_exit_code(built: Builder, isolation: Isolation) -> None:
    ended = built("echo 'bot.c:1: no such thing'; exit 3", isolation)

    assert (ended.problem, ended.log) == ("it exited with code 3", ["bot.c:1: no such thing"])


def test_in_a_cell_the_paths_are_those_at_play_and_there_is_no_network(built: Builder) -> None:
    ended = built("pwd; echo $HOME $TMPDIR; ls /source; echo > /source/x; grep -c : /proc/net/dev; ls /etc/hosts")

    assert ended.log[:3] == ["/bot", "/tmp /tmp", "part"]
    assert "Read-only file system" in ended.log[3]
    assert ended.log[4] == "1"
    assert "No such file" in ended.log[5]
