"""A match that its host spoils is void: `golfref match` says so in a sentence, and with an exit code of its own."""

import shutil
import subprocess
import sys

import pytest

HOST_FAILED = 3


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit is Linux's")
@pytest.mark.parametrize("files", [6, 8, 12, 16])
def test_a_host_without_enough_descriptors_is_told_without_a_traceback(files: int) -> None:
    words = ("match", "--variant", "six-card", "--bot", "builtin:random", "--bot", "builtin:random", "-o", "rounds=1")
    done = subprocess.run(
        ["prlimit", f"--nofile={files}", sys.executable, "-m", "referee", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == HOST_FAILED, done.stderr
    assert "Traceback" not in done.stderr
    assert "golfref match: void, and no bot's fault: " in done.stderr
    assert "Too many open files" in done.stderr
    assert "golfref doctor" in done.stderr
