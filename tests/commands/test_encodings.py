"""Output that is not UTF-8: no command breaks off, and signs that the encoding lacks are written otherwise."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from commands import GOLFREF

CONFIG = """
[tournament]
name = "words"
seed = "x"
isolation = "none"
deals = 1
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
name = "Åse ♠"
builtin = "random"
[[bots]]
builtin = "greedy"
"""

ENCODINGS = ("ascii", "cp437", "latin-1")


def written(folder: Path, encoding: str, *words: str) -> tuple[str, str]:
    """What the command writes to stdout and stderr in this encoding; it must end well."""
    done = subprocess.run(
        [*GOLFREF, *words],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    err = done.stderr.decode(encoding)
    assert done.returncode == 0, err
    return done.stdout.decode(encoding), err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "words.toml").write_text(CONFIG, encoding="utf-8")
    written(folder, "ascii", "tournament", "words.toml")
    return folder


@pytest.mark.parametrize(("encoding", "sign", "name"), [
    ("ascii", "+-", "\\xc5se \\u2660"),
    ("cp437", "±", "Åse \\u2660"),
    ("latin-1", "±", "Åse \\u2660"),
    ("utf-8", "±", "Åse ♠"),
])  # fmt: skip
def test_tables_have_what_the_encoding_can_write(folder: Path, encoding: str, sign: str, name: str) -> None:
    out, _ = written(folder, encoding, "standings", "words.golfref")

    greater = "≥" if encoding in {"cp437", "utf-8"} else ">="
    assert f"in brackets, or with {sign}, {greater} and " in out
    assert name in out


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_is_the_same_document_in_ascii(folder: Path, encoding: str) -> None:
    words = ("standings", "words.golfref", "--json")
    out, _ = written(folder, encoding, *words)

    assert out.isascii()
    assert json.loads(out) == json.loads(written(folder, "utf-8", *words)[0])


@pytest.mark.parametrize("words", [("--help",), ("rules", "cactus"), ("replay", "words.golfref:0"), ("variants",)])
def test_other_commands_do_not_break_off(folder: Path, words: tuple[str, ...]) -> None:
    written(folder, "ascii", *words)
