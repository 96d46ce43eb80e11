"""The viewer's modules are plain JavaScript whose types, in comments, hold."""

import subprocess
from pathlib import Path

import pytest
from needs import need_tools

from referee.kit.starters import starters

MODULES = Path(__file__).parents[2] / "referee/site/assets/viewer"

pytestmark = pytest.mark.toolchain


def test_the_types_of_the_viewer_hold() -> None:
    """As tsconfig.json beside the modules says it: every module is checked, strictly."""
    need_tools(starters()["typescript"])

    done = subprocess.run(["tsc", "--project", MODULES, "--listFiles"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert {path.name for path in MODULES.glob("*.js")} <= {
        line.rpartition("/")[2] for line in done.stdout.splitlines()
    }
