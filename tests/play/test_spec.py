"""How bots are named on a command line, found among the shipped ones, and looked for before play."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.play import spec as bots
from referee.play.sandbox.problems import find_command
from referee.play.spec import BadBot, BotSpec, builtin_bot, command_bot, shipped


@pytest.fixture(autouse=True)
def shipped_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped bots, so that these tests do not depend on which there are."""
    folder = tmp_path / "installed"
    for main in ("greedy/bot.py", "keeper/bot.py", "perl/bot.pl", "shell/bot.sh", "notes/README.md"):
        (folder / main).parent.mkdir(parents=True)
        (folder / main).touch()
    monkeypatch.setattr(bots, "SHIPPED", folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder; it holds one entry, `entries/mine/mine.py`."""
    here = tmp_path / "contest"
    (here / "entries/mine").mkdir(parents=True)
    (here / "entries/mine/mine.py").touch()
    monkeypatch.chdir(here)
    return here


def test_shipped_bots_are_started_by_their_installed_file(shipped_folder: Path) -> None:
    assert shipped() == {
        "greedy": (sys.executable, str(shipped_folder / "greedy/bot.py")),
        "keeper": (sys.executable, str(shipped_folder / "keeper/bot.py")),
        "perl": ("perl", str(shipped_folder / "perl/bot.pl")),
        "shell": ("sh", str(shipped_folder / "shell/bot.sh")),
    }


def test_a_shipped_bot_that_imports_the_kit_may_read_it(shipped_folder: Path) -> None:
    assert builtin_bot("keeper").reads == ()
    (shipped_folder / "keeper/bot.py").write_text("import sys\n\nfrom kit import Bot, run\n")
    assert builtin_bot("keeper").reads == (str(shipped_folder / "kit"),)
    assert builtin_bot("greedy").reads == ()


def test_an_unknown_shipped_bot() -> None:
    with pytest.raises(BadBot, match="unknown shipped bot `greedi`; did you mean `greedy`"):
        builtin_bot("greedi")
    with pytest.raises(BadBot, match="there are greedy, keeper, perl, shell"):
        command_bot("builtin:zzz")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("python3 entries/mine/mine.py", "mine"),
        ("python3 -u entries/mine/bot.py --deep", "mine"),
        ("./golfer.exe", "golfer"),
        ("python3 -c 'print()'", "python3"),
        ("'/opt/my bots/run'", "my bots"),
        ("builtin:greedy", "greedy"),
    ],
)
def test_a_command_line_gives_its_bot_a_name(text: str, name: str) -> None:
    assert command_bot(text).name == name


def test_a_command_line_starts_in_the_current_folder(folder: Path) -> None:
    assert command_bot("python3 'my bot.py'") == BotSpec(
        name="my bot", command=("python3", "my bot.py"), dir=str(folder), env={}
    )


@pytest.mark.parametrize("text", ["", "  ", "''", "python3 'x", "a \0"])
def test_a_command_line_that_cannot_be_read(text: str) -> None:
    with pytest.raises(BadBot):
        command_bot(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("python3 entries/mine/mine.py", None),
        ("python3 -c 'x.py'", None),
        ("python3 -m x.py", None),
        ("python3 -u no.py", "there is no file `no.py` in {folder}"),
        ("python3.11 /no/bot.py", "`python3.11` is not on the PATH"),
        ("sh /no/bot.sh", "there is no file `/no/bot.sh`"),
        ("./run", "`./run` is not executable; make it so (chmod +x) or name the interpreter that runs it"),
        ("run", "`run` is not on the PATH; for the file in {folder} write `./run`"),
        ("./no", "there is no file `./no` in {folder}"),
    ],
)
def test_commands_are_looked_for_before_play(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, problem: str | None
) -> None:
    (folder / "run").touch()
    programs = folder / "programs"
    programs.mkdir()
    for program in ("python3", "sh"):
        (programs / program).write_text("#!/bin/sh\n")
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert find_command(command_bot(text)) == (problem and problem.format(folder=folder))


@pytest.mark.skipif(not hasattr(os, "ST_NOEXEC"), reason="this system does not say how it mounts folders")
def test_a_program_where_none_may_run_is_not_called_one_that_lacks_a_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "run").touch()
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    problem = find_command(command_bot("./run"))
    assert problem is not None
    assert problem.startswith("`./run` lies where programs may not run (mounted noexec); move it, or ")


@pytest.mark.parametrize(
    ("name", "line"),
    [("run", "#!/usr/bin/env python3"), ("run.py", "#!/usr/bin/env python3"), ("run.rb", "#!/usr/bin/env ruby")],
)
def test_a_script_must_say_what_runs_it(folder: Path, name: str, line: str) -> None:
    """Without that line some levels of isolation take it for a script of the shell, and others do not start it."""
    script = folder / name
    script.write_text("print('plays')\n")
    script.chmod(0o755)
    problem = find_command(command_bot(f"./{name} --deep")) or ""
    assert problem.startswith(f"`./{name}` is a script that does not begin with a `#!` line")
    assert f"such as `{line}`" in problem
    on_path = find_command(BotSpec(name="a", command=(name,), dir="/", env={"PATH": str(folder)})) or ""
    assert on_path.startswith(f"`{name}` is a script")
    script.write_text("#!/bin/sh\necho plays\n")
    assert find_command(command_bot(f"./{name}")) is None


def test_a_bots_own_path_is_where_its_program_is_looked_for(folder: Path) -> None:
    (folder / "engine").write_text("#!/bin/sh\n")
    (folder / "engine").chmod(0o755)
    assert find_command(BotSpec(name="a", command=("engine",), dir=str(folder), env={"PATH": str(folder)})) is None
    assert find_command(BotSpec(name="a", command=("python3",), dir=str(folder), env={"PATH": "/no"})) is not None
