"""Folders that are costly to make, and which the tests of a module share."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A copy of the folder that `make` fills, for the module that asks; `name` is that of no other module's folder.

    Where tests run in several workers of pytest, the first that needs the folder makes it, and the others wait for it.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    original, made = shared / f"original-{name}", shared / f"original-{name}.made"
    with (shared / f"original-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(original, ignore_errors=True)
            original.mkdir()
            make(original)
            made.touch()
    return Path(shutil.copytree(original, factory.mktemp(name) / name))
