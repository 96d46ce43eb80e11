"""Folders that are costly to make, and which the tests of a module share."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A copy of the folder that `make` fills, for the module that asks; `name` is that of no other module's folder."""
    return Path(shutil.copytree(shared(factory, name, make), factory.mktemp(name) / name))


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder itself that `make` fills, for tests that change nothing in it.

    Where tests run in several workers of pytest, the first that needs the folder makes it, and the others wait for it.
    """
    base = factory.getbasetemp()
    place = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    original, made = place / f"original-{name}", place / f"original-{name}.made"
    with (place / f"original-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(original, ignore_errors=True)
            original.mkdir()
            make(original)
            made.touch()
    return original
