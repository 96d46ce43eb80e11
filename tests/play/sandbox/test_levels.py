"""Whether this host builds cells, and what is said where it does not."""

import os
import sys
from pathlib import Path

import pytest

from referee.play.faults import Missing
from referee.play.sandbox import users
from referee.play.sandbox.levels import bubblewrap

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are cells on Linux only")

HANGS = """#!/bin/sh
case $1 in
    --version) echo bubblewrap 0.9.0 ;;
    --help) echo "--args --size --perms --json-status-fd --seccomp --clearenv --cap-drop --disable-userns" ;;
    *) exec sleep 600 ;;
esac
"""


def test_a_trial_cell_that_hangs_is_an_answer_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(users, "why_none", lambda: None)
    monkeypatch.setattr("referee.play.sandbox.trial.TRIAL_S", 0.1)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "bwrap").write_text(HANGS)
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(Missing, match=r"cannot build a cell here \(it did not end within 0.1 s\); end other programs"):
        bubblewrap.__wrapped__()
