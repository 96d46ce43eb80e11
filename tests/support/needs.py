"""What a machine may lack: a test that needs it is skipped there, with the reason, and fails where CI=true."""

import os
import shutil
import subprocess
from functools import cache
from typing import NoReturn

import pytest

from referee.play.isolation.levels import NoBubblewrap, bubblewrap


def lacking(reason: str) -> NoReturn:
    """Skip the test, or fail it where all tests are to run."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true, but: {reason}", pytrace=False)
    pytest.skip(reason)


def need_bubblewrap() -> None:
    try:
        bubblewrap()
    except NoBubblewrap as missing:
        lacking(str(missing))


def need_perl() -> None:
    """Perl 5 with the module that reads JSON, which some systems leave out."""
    if not _runs("perl", "-MJSON::PP", "-e1"):
        lacking("Perl 5 with its core module JSON::PP is not installed")


def need_compiler() -> None:
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        lacking("there is no C compiler")


@cache
def _runs(*command: str) -> bool:
    path = shutil.which(command[0])
    return path is not None and subprocess.run(command, check=False, capture_output=True).returncode == 0
