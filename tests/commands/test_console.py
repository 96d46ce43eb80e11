"""What commands print: how wide it is, line by line, and in encodings that lack signs."""

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import GOLFREF
from exported import made_up_run

from referee.commands.console import in_lines, put, put_words, say, screen_width
from referee.ending_signals import Interrupted


def no_terminal(*_: int) -> os.terminal_size:
    raise OSError


@pytest.mark.parametrize(("columns", "width"), [(None, 80), ("120", 120), ("5", 40), ("wide", 80)])
def test_tables_are_as_wide_as_columns_says_or_80_without_a_terminal(
    columns: str | None, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", no_terminal)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert screen_width() == width


def test_a_sentence_is_broken_at_blanks_and_indented() -> None:
    assert in_lines("  the first bot plays much better", 20) == ["  the first bot", "    plays much", "    better"]
    assert in_lines("", 20) == [""]
    assert in_lines("digest " + "0" * 64, 60) == ["digest", "  " + "0" * 64]


def test_a_pipe_gets_a_line_for_each_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    put_words("a sentence " * 20)
    assert len(capsys.readouterr().out.splitlines()) == 1
    monkeypatch.setenv("COLUMNS", "60")
    put_words("a sentence " * 20)
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize("command", [say, put])
def test_the_name_of_a_file_steers_no_terminal(
    command: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    command("a table\nof x\x1b[31m.golfref")
    assert "".join(capsys.readouterr()) == "a table\nof x\\x1b[31m.golfref\n"


@pytest.mark.parametrize(("command", "name"), [(say, "stderr"), (put, "stdout")])
def test_an_interruption_leaves_no_half_of_a_line(
    command: Callable[[str], Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said next, that the command was interrupted, begins a line of its own."""

    class Interrupting(io.StringIO):
        def write(self, text: str) -> int:
            super().write(text)
            raise Interrupted

    stream = Interrupting()
    monkeypatch.setattr(sys, name, stream)
    with pytest.raises(Interrupted):
        command("all rotations of a deal share its cards")
    assert stream.getvalue() == "all rotations of a deal share its cards\n"


# Output that is not UTF-8


NAMES = ("Åse ♠", "bea", "cid")


def written(folder: Path, encoding: str, *words: str) -> str:
    """What the command writes to stdout in this encoding; it must end well."""
    env = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([*GOLFREF, *words], cwd=folder, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(encoding)
    return done.stdout.decode(encoding)


@pytest.mark.parametrize(
    ("encoding", "sign", "greater", "name"),
    [("ascii", "+-", ">=", "\\xc5se \\u2660"), ("cp437", "±", "≥", "Åse \\u2660")],
)
def test_tables_have_what_the_encoding_can_write(
    tmp_path: Path, encoding: str, sign: str, greater: str, name: str
) -> None:
    made_up_run(tmp_path, ["six-card"], NAMES)

    out = written(tmp_path, encoding, "standings", "run.golfref")

    assert f"in brackets, or with {sign}, {greater} and " in out
    assert name in out


def test_json_has_escapes_for_what_the_encoding_lacks(tmp_path: Path) -> None:
    made_up_run(tmp_path, ["six-card"], NAMES)

    out = written(tmp_path, "latin-1", "standings", "run.golfref", "--json")

    assert out.isascii()
    assert {row["bot"] for row in json.loads(out)["standings"]} == set(NAMES)


def test_a_log_on_a_full_disk_ends_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        """A log on a full disk."""

        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    log = Full()
    monkeypatch.setattr(sys, "stderr", log)
    say("a line")
    assert log.getvalue() == "a line\n"
