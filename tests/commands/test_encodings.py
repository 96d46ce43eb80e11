"""Output that is not UTF-8: no command breaks off, and signs that the encoding lacks are written otherwise."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from commands import GOLFREF
from exported import made_up_run

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
