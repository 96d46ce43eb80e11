"""What holds for all commands: their help, wrong command lines, and how they end."""

import re
import shlex
import signal
from pathlib import Path

import pytest
import typer
from commands import golfref

from referee.commands.table import COMMANDS, app

TWO_BOTS = ("match", "--variant", "six-card", "--bot", "builtin:random", "--bot", "builtin:random")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_one_example_that_it_understands(name: str) -> None:
    command = typer.main.get_group(app).get_command(typer.Context(typer.main.get_group(app)), name)
    assert command is not None
    (example,) = re.findall(f"Example: golfref {name} ?(.*)", command.help or "")
    command.make_context(name, shlex.split(example))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("standigs",), "no such command 'standigs'. Did you mean 'standings'?"),
        (("hosts", "cup.golfref"), "there is no command `hosts` any more; use `golfref standings RUN --hosts`"),
        (("--versions",), "no such option: --versions"),
        (("standings",), "missing argument 'RUN'"),
        (("standings", "run", "\x1b[31m"), "got unexpected extra argument(s) (\\x1b[31m)"),
        ((*TWO_BOTS, "--games", "0"), "invalid value for '--games': 0 is not in the range x>=1"),
        ((*TWO_BOTS, "--watch"), "--watch: there is no such option any more"),
        ((*TWO_BOTS, "--move-s", "nan"), "invalid value for '--move-s': expected a finite number, got nan"),
        ((*TWO_BOTS, "--bank-s", "inf"), "invalid value for '--bank-s': inf is not in the range"),
        (("check", "builtin:random", "--time", "inf"), "invalid value for '--time': expected a finite number, got inf"),
    ],
)
def test_a_wrong_command_line_is_one_error_of_golfref(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    out, err = golfref(*words, cwd=tmp_path, code=2)
    assert out == ""
    first, help_line = err.splitlines()
    assert first.startswith(f"golfref: {said}")
    assert help_line.endswith(" --help` prints what there is")


@pytest.mark.parametrize(
    "words",
    [
        (*TWO_BOTS, "--verbose"),
        (*TWO_BOTS, "--fixed-seats"),
        (*TWO_BOTS, "--games", "2", "--json", "--verbose"),
        (*TWO_BOTS, "--policy", "forfeit", "--strikes", "3"),
        ("replay", "run:1", "--json", "--open", "--seat", "1"),
        ("tournament", "cup.toml", "--fresh", "--amend"),
        ("submit", "cup.toml", "--list", "--unchecked"),
        ("submit", "cup.toml", "--restore", "ann", "--owner", "bea"),
        ("submit", "cup.toml", "--watch", "inbox", "--json"),
        ("entries", "cup.toml", "--build", "--json"),
        ("standings", "run", "--hashes", "--json"),
        ("standings", "run", "--hosts", "--full"),
        ("standings", "run", "--full", "--json"),
        ("standings", "run", "--anchor", "ann", "--variant", "cactus"),
        ("standings", "run", "--anchor", "ann", "--bot", "bea", "--json"),
        ("site", "run", "-o", "site", "--all", "--matches", "0"),
        ("site", "run", "-o", "site", "--follow", "--verify"),
        ("export", "run", "--table", "seats", "--force"),
        ("export", "run", "--bot", "ann", "-o", "ann.jsonl", "--exact"),
        ("export", "run", "--table", "pairs", "--all"),
        ("new", "--list", "--language", "python"),
        ("score", "--jsonl", "--ender", "0"),
    ],
    ids=" ".join,
)
def test_an_option_without_effect_is_rejected(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "cup.toml").write_text("")
    _, err = golfref(*words, cwd=tmp_path, code=2)
    assert re.fullmatch(r"golfref: .*: \S+ has no effect with it; leave one of them out\n", err), err


@pytest.mark.parametrize("module", ["referee.commands.table", "referee.commands.rules"])
def test_an_interruption_while_a_command_is_imported_is_printed(tmp_path: Path, module: str) -> None:
    """Typer itself would end without a word."""
    slow = "import os, signal, sys\nclass Finder:\n    def find_spec(self, name, path, target=None):\n"
    slow += f"        if name == '{module}':\n            os.kill(os.getpid(), {signal.SIGTERM:d})\n"
    slow += "sys.meta_path.insert(0, Finder())"
    assert golfref("rules", "six-card", cwd=tmp_path, before=slow, code=130)[1] == "golfref: interrupted\n"
