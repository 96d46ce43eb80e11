"""Builds of entries: what a build finds and may use, what comes out of it, and what is told where it fails."""

import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from needs import lacking, need_bubblewrap

from referee.play.faults import HostFault
from referee.play.session import guarded, heeding_signals
from referee.play.spec import Isolation
from referee.versions.build import BuildFailed, Job, build
from referee.versions.build_log import BuildLog, log_lines
from referee.versions.entry import Builds, Entry

pytestmark = pytest.mark.isolation

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
        builds = Builds(env=mark | more.pop("env", {}), **({"time_s": 600.0} | more))
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
def test_a_build_makes_a_copy_and_what_it_prints_is_kept(built: Builder, source: Path, isolation: Isolation) -> None:
    script = (
        "cat part/words.txt; echo there >&2; echo run > bot; chmod 700 bot; ln bot twin; echo more >> part/words.txt"
    )
    ended = built(script, isolation)

    assert (ended.problem, sorted(ended.log)) == ("", ["hello", "there"])
    assert (ended.folder / "part" / "words.txt").read_text() == "hello\nmore\n"
    assert (source / "part" / "words.txt").read_text() == "hello\n"
    assert [(ended.folder / name).read_text() for name in ("bot", "twin")] == ["run\n", "run\n"]
    rights = [(ended.folder / name).stat().st_mode & 0o7777 for name in ("bot", "part/words.txt")]
    assert rights == [0o555, 0o444]


@pytest.mark.parametrize("isolation", LEVELS)
def test_a_build_that_fails_is_told_with_its_exit_code_and_leaves_no_process(
    built: Builder, isolation: Isolation
) -> None:
    """The fixture `mark` looks for the processes."""
    ended = built("sleep 1000 & (setsid sleep 1000 &) 2> /dev/null; echo 'bot.c:1: no such thing'; exit 3", isolation)

    assert (ended.problem, ended.log) == ("it exited with code 3", ["bot.c:1: no such thing"])


def test_in_a_cell_a_build_has_the_paths_of_play_no_network_and_gives_way_to_all_else(built: Builder) -> None:
    ended = built(
        "nice; pwd; echo $HOME $TMPDIR; ls /source; grep -c : /proc/net/dev; flock part/words.txt echo locked; "
        "touch -d 2001-01-01 part/words.txt; date -ur part/words.txt +%Y; echo > /source/x; ls /etc/hosts"
    )

    assert ended.log[:7] == ["19", "/bot", "/tmp /tmp", "part", "1", "locked", "2001"]
    assert "Read-only file system" in ended.log[7]
    assert "No such file" in ended.log[8]


HOSTILE: dict[str, tuple[str, dict[str, Any], str]] = {
    "has no end": ("sleep 1000", {"time_s": 0.5}, "it took longer than 0.5 s.* computed for 0.. s, and was ended"),
    "stops what would end it": ("kill -STOP $PPID $$", {"time_s": 0.5}, "it took longer than 0.5 s.*, and was ended"),
    "computes": (
        "while :; do :; done",
        {"cpu_s": 1},
        "it .* 1 s(| of computing.*), and was ended|it .* of computing.*",
    ),
    "forks": (
        "f() { f | f & }; f; sleep 1000",
        {"time_s": 1.0, "processes": 20},
        "it (exited with code 2|took longer .*)",
    ),
    "prints without end": ("yes | tr -d '\\n'", {}, "it printed more than 64 MB, and was ended"),
    "fills its folder": (
        "cat /dev/zero > big",
        {"disk_mb": 2},
        "it (exited with code 1|was killed by SIGXFSZ.*|wrote more than 2 MB, and was ended)",
    ),
    "fills its folder with holes": (
        "for i in 1 2 3 4 5; do truncate -s 3M $i; done",
        {"disk_mb": 4},
        "(what it leaves cannot be taken: .*|it left more than 4 MB, and was ended)",
    ),
    "kills what started it": ("kill -9 $PPID; sleep 1000", {"time_s": 30.0}, "it was killed by SIGKILL"),
    "leaves a pipe": (
        "mkfifo pipe",
        {},
        "what it leaves cannot be taken: ./pipe: it is neither file, .*",
    ),
    "leaves a link out": (
        "ln -s ../../x x",
        {},
        'what it leaves cannot be taken: ./x: it is a link to "../../x", which leads .*',
    ),
    "leaves what is no name": (
        'python3 -c \'open(b"\\xff", "w")\'',
        {},
        "what it leaves cannot be taken: .*: its name is not UTF-8; .*",
    ),
    "leaves a deep tree": (
        'python3 -c \'import os\nfor _ in range(300): os.mkdir("d"); os.chdir("d")\'',
        {},
        "what it leaves cannot be taken: .*: it lies deeper than 64 folders",
    ),
    "leaves nothing": ("rm -rf /bot/*", {}, "what it leaves cannot be taken: there is no file in it"),
}


OUTSIDE_A_CELL = ("has no end", "forks", "fills its folder", "leaves a pipe", "leaves a deep tree")
"""Those that differ most where there is no cell."""


@pytest.mark.full  # they compute for seconds
@pytest.mark.parametrize(
    ("what", "isolation"), [*((what, "bwrap") for what in HOSTILE), *((what, "limits") for what in OUTSIDE_A_CELL)]
)
def test_a_hostile_build_is_named_and_leaves_nothing(built: Builder, isolation: Isolation, what: str) -> None:
    script, limits, problem = HOSTILE[what]
    ended = built(script, isolation, **limits)

    assert re.fullmatch(problem, ended.problem, flags=re.DOTALL)


def test_what_a_build_cannot_read_back_is_told(built: Builder) -> None:
    ended = built("echo > secret; chmod 0 secret")

    assert ended.problem == "it ended well, but not all that it left can be read: `tar` exited with code 2"
    assert "secret: Cannot open: Permission denied" in ended.log[0]


def test_no_special_rights_and_no_devices_come_out_of_a_build(built: Builder) -> None:
    ended = built("cp /bin/true bot; chmod 6755 bot; mknod null c 1 3 || true")

    assert "Operation not permitted" in ended.log[0]
    assert (ended.folder / "bot").stat().st_mode & 0o7777 == 0o555


def test_a_build_that_is_given_the_network_has_that_of_the_host(built: Builder) -> None:
    ended = built("grep -c : /proc/net/dev; ls /etc/ssl > /dev/null && echo there", network=True, asks=True)

    assert ended.log == [str(Path("/proc/net/dev").read_text().count(":")), "there"]


@pytest.mark.parametrize("one", ["network", "asks"])
def test_a_build_has_no_network_unless_it_asks_and_the_organiser_gives_it(built: Builder, one: str) -> None:
    assert built("grep -c : /proc/net/dev", **{one: True}).log == ["1"]


@pytest.mark.parametrize("tar", ["tar", "bsdtar", "busybox"])
def test_what_a_build_leaves_is_packed_by_the_tar_of_any_system(built: Builder, tmp_path: Path, tar: str) -> None:
    path = shutil.which(tar) or lacking(f"{tar} is not installed")
    others = path if tar == "busybox" else ""
    tools = {name: others or shutil.which(name) or "" for name in ("cp", "find", "chmod", "mkdir", "ln", "sh")}
    long = "d" * 150

    ended = built(
        f"echo run > bot; ln bot twin; ln -s bot link; mkdir {long}; echo > {long}/über; echo > ._bot.c",
        "limits",
        env={"PATH": folder_of(tmp_path / "tools", tools | {"tar": path})},
    )

    assert ended.problem == ""
    assert sorted(os.listdir(ended.folder)) == ["bot", long, "link", "part", "twin"]
    assert (ended.folder / "twin").read_text() == "run\n"
    assert (ended.folder / "link").readlink() == Path("bot")
    assert os.listdir(ended.folder / long) == ["über"]


def test_a_host_without_tar_is_to_blame(built: Builder, tmp_path: Path) -> None:
    tools = {name: shutil.which(name) or "" for name in ("cp", "find", "chmod", "sh")}

    with pytest.raises(HostFault, match="by `tar`, which exited with code 127; install tar"):
        built("true", "limits", env={"PATH": folder_of(tmp_path / "tools", tools)})


def folder_of(folder: Path, tools: dict[str, str]) -> str:
    """A folder that has these tools alone, by their paths."""
    folder.mkdir()
    for name, path in tools.items():
        (folder / name).symlink_to(path)
    return str(folder)
