"""Entries are made ready to play: each version is built once, and what is wrong with one is told in words."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import GOLFREF, golfref, until_there
from typer.testing import CliRunner

from referee.commands.table import app
from referee.play.faults import HostFault
from referee.tournament.config.config import Config, load
from referee.versions.build_log import FIRST_BYTES, LAST_BYTES, BuildLog, last_lines, log_lines
from referee.versions.ready import Builder, NotReady
from referee.versions.store import VersionStore

CONFIG = """
[tournament]
name = "Cup"
isolation = "{isolation}"
trust = "all"

[[variants]]
preset = "six-card"

[[bots]]
builtin = "random"

[[bots]]
entries = "entries/*"
{more}
"""

PLAYS = "cp /etc/hostname made 2> /dev/null; printf '#!/bin/sh\\n' > bot; chmod +x bot"


class Cup:
    """A competition in a folder."""

    def __init__(self, folder: Path, mark: dict[str, str], isolation: str) -> None:
        self.folder = folder
        self.file = folder / "cup.toml"
        self._mark = mark
        self._isolation = isolation
        self.set()

    def set(self, more: str = "") -> None:
        """Write the config, with more at its end."""
        env = "".join(f"env.{name} = {json.dumps(value)}\n" for name, value in self._mark.items())
        text = CONFIG.format(isolation=self._isolation, more=f"[builds]\n{env}{more}")
        self.file.write_text(text)

    def enter(self, name: str, build: str, command: str = "./bot") -> Path:
        """An entry that is built by a shell command."""
        folder = self.folder / "entries" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "notes").write_text("hello\n")
        (folder / "bot.toml").write_text(f"command = [{json.dumps(command)}]\n")
        if build:
            with (folder / "bot.toml").open("a") as file:
                file.write(f"build = {json.dumps(['sh', '-c', build])}\n")
        return folder

    def ready(self, *, again: bool = False) -> tuple[list[NotReady], list[str]]:
        """Make the entries ready; returns who is not, and what was told meanwhile."""
        config, told = load(self.file), list[str]()
        builder = Builder(self.versions, isolation=config.isolation, builds=config.builds, tell=told.append)
        return list(builder.ready(config.entries, again=again)), [line for line in told if "note:" not in line]

    @property
    def versions(self) -> VersionStore:
        return VersionStore(self.folder)

    @property
    def config(self) -> Config:
        return load(self.file)


@pytest.fixture
def cup(tmp_path: Path, mark: dict[str, str]) -> Cup:
    return Cup(tmp_path, mark, "limits")


def test_a_version_is_built_once_and_never_in_the_folder_of_its_author(cup: Cup) -> None:
    folder = cup.enter("ann", PLAYS)
    not_ready, told = cup.ready()

    assert not_ready == []
    assert [re.sub(r"[\d.]+ s", "0 s", line) for line in told] == [
        f"building `ann`: {told[0].partition(': ')[2]}",
        f"built `ann` in 0 s: {told[1].partition('s: ')[2]}",
    ]
    assert sorted(os.listdir(folder)) == ["bot.toml", "notes"]
    (bot,) = [bot for bot in cup.config.bots if bot.name == "ann"]
    assert os.access(os.path.join(bot.dir, "bot"), os.X_OK)
    assert cup.ready() == ([], [])
    (folder / "notes").write_text("hi\n")
    assert [line.split()[0] for line in cup.ready()[1]] == ["building", "built"]


def test_a_build_that_failed_is_told_each_time_and_tried_again_where_more_is_allowed(cup: Cup) -> None:
    cup.enter("ann", "echo 'bot.c:7: \\033[31m oh'; exit 2")
    cup.enter("bob", PLAYS)
    (told,), _ = cup.ready()

    assert told.name == "ann"
    assert re.fullmatch(r"its build \(.*\) failed after [\d.]+ s: it exited with code 2", told.problem)
    assert told.lines == ("bot.c:7: \\x1b[31m oh",)
    assert cup.ready() == ([told], [])
    cup.set("time_s = 299.0\n")
    assert [line.split("`")[1] for line in cup.ready()[1]] == ["ann"]


def test_a_build_that_succeeded_stays_whatever_is_allowed_now_and_where_a_later_one_fails(cup: Cup) -> None:
    gone = cup.folder / "gone"
    cup.enter("ann", f"if test -e {gone}; then exit 1; fi; {PLAYS}")
    cup.ready()
    cup.set("memory_mb = 3000\n")
    assert cup.ready() == ([], [])
    gone.touch()
    (told,), _ = cup.ready(again=True)

    assert told.problem.endswith("it exited with code 1; what was built earlier stays")
    assert cup.ready() == ([], [])


@pytest.mark.parametrize(
    ("build", "command", "problem"),
    [
        (
            "",
            "./bot",
            r"there is no file `./bot`; if that has to be built, bot.toml must say how, such as build = \[.*",
        ),
        (": > notes", "./bot", r"there is no file `./bot`; its build \(.*\) ended well, so either it does not make .*"),
        ("echo > bot", "./bot", r"`./bot` is not executable; .*"),
        ("ln -s /etc/passwd bot", "./bot", r"its build .* cannot be taken: ./bot: it is a link to .*"),
    ],
)
def test_a_forgotten_build_is_told(cup: Cup, build: str, command: str, problem: str) -> None:
    cup.enter("ann", build, command)
    (told,), _ = cup.ready()

    assert re.fullmatch(problem, told.problem)


@pytest.mark.full  # it starts three of golfref
def test_builds_of_one_version_at_once_are_one(cup: Cup) -> None:
    cup.enter("ann", f"echo x >> {cup.folder}/count; {PLAYS}")
    cup.enter("bob", f"echo x >> {cup.folder}/count; {PLAYS}")
    words = [*GOLFREF, "tournament", str(cup.file), "--dry-run"]
    other = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    golfref("tournament", cup.file, "--dry-run", cwd=cup.folder, code=1)  # the bots say nothing
    other.wait()

    assert (cup.folder / "count").read_text() == "x\n"
    assert cup.versions.last_build(cup.config.entries[0].version) is not None


def test_a_tournament_with_a_broken_entry_ends_before_anything_is_played(cup: Cup) -> None:
    cup.enter("ann", "echo no compiler; exit 9")
    ended = CliRunner().invoke(app, ["tournament", str(cup.file)], catch_exceptions=False)

    assert ended.exit_code == 1
    assert ended.stderr.splitlines()[-2:] == [
        "    | no compiler",
        "golfref: an entry could not be built; nothing was played",
    ]
    assert "entry `ann`: its build (" in ended.stderr
    assert not cup.file.with_suffix(".golfref").exists()


@pytest.mark.skipif(not hasattr(os, "ST_NOEXEC"), reason="this system does not say how it mounts folders")
def test_a_program_that_the_host_lets_nobody_run_is_not_its_authors_fault(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cup.enter("ann", "") / "bot").write_text("#!/bin/sh\n")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    with pytest.raises(HostFault, match=r"entry `ann`: .*mounted noexec"):
        cup.ready()


def test_the_log_of_a_build_can_be_read_and_a_build_done_again(cup: Cup) -> None:
    cup.enter("ann", f"echo one; echo '\033[2J two' >&2; echo x >> {cup.folder}/count; {PLAYS}")
    cup.enter("bob", "")
    none = golfref("entries", cup.file, "ann", "--log", cwd=cup.folder)
    told = golfref("entries", cup.file, "ann", "--build", cwd=cup.folder)[1]
    golfref("entries", cup.file, "ann", "--build", cwd=cup.folder)
    log, came = golfref("entries", cup.file, "ann", "--log", cwd=cup.folder)

    assert (none[0], "has not been built" in none[1]) == ("", True)
    assert re.sub(r"[\d.]+ s", "0 s", told.splitlines()[-1]).startswith("built `ann` in 0 s: 4 files")
    assert (cup.folder / "count").read_text() == "x\nx\n"
    assert log == "one\n\\x1b[2J two\n"
    assert came.endswith(": built\n")
    assert "`bob` has no build" in golfref("entries", cup.file, "bob", "--log", cwd=cup.folder)[1]
    assert "there are ann, bob" in golfref("entries", cup.file, "eve", "--log", cwd=cup.folder, code=2)[1]


def test_of_a_long_log_the_beginning_and_the_end_are_kept() -> None:
    log = BuildLog()
    for number in range(100_000):
        log.add(b"line %d\n" % number)
    kept = log.kept()

    assert len(kept) < FIRST_BYTES + LAST_BYTES + 100
    assert kept.startswith(b"line 0\n")
    assert last_lines(kept)[-1] == "line 99999"
    assert sum("bytes are left out here" in line for line in log_lines(kept)) == 1


def test_a_log_cannot_steer_a_terminal() -> None:
    assert log_lines(b"a\tb\r\n\x1b[2Jc\rd\xff\n") == ["a    b", "\\x1b[2Jc\\x0dd�"]


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.full)])
def test_a_build_that_is_broken_off_leaves_nothing_that_is_taken_for_whole(cup: Cup, number: signal.Signals) -> None:
    begun = cup.folder / "begun"
    cup.enter("ann", f"if ! test -e {begun}; then touch {begun}; sleep 1000; fi; {PLAYS}")
    referee = subprocess.Popen([*GOLFREF, "tournament", str(cup.file)], stderr=subprocess.PIPE, text=True)
    until_there(begun)
    referee.send_signal(number)
    said = referee.communicate()[1]
    (entry,) = cup.config.entries

    if number == signal.SIGINT:
        assert (referee.returncode, said.splitlines()[-1]) == (130, "interrupted; nothing was played")
    assert cup.versions.last_build(entry.version) is None
    assert cup.ready()[0] == []
    assert sorted(os.listdir(cup.versions.folder_of(entry.version))) == [
        "build.json", "build.log", "built", "entry.json", "source",
    ]  # fmt: skip
