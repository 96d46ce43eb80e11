"""`golfref` as its users type it."""

import contextlib
import os
import select
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import forked
from typer.testing import CliRunner

from referee.commands.table import app
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

GOLFREF = (sys.executable, "-m", "referee")

PATIENCE_S = 200.0
"""A command that takes longer has hung, on a host with a lot else to do too."""

_TIME = ("--start-s", "60", "--move-s", "60", "--bank-s", "600", "--slap-s", "10")
"""For the bots of a match that says nothing of clocks: enough on a host with a lot else to do."""

_ONLY_READ = {
    "compare",
    "entries",
    "export",
    "highlights",
    "new",
    "replay",
    "rules",
    "score",
    "standings",
    "transcript",
    "variants",
    "verify",
}
"""Commands that play nothing and hear no signals."""


def golfref(
    *words: str | Path, cwd: Path, given: str = "", code: int = 0, alone: bool = False, before: str = ""
) -> tuple[str, str]:
    """What a command prints on stdout and stderr; it must end with this exit code and never with a traceback.

    What only reads is called in this process, and the rest in one that is forked: both spare the start of another
    Python. With `alone` it is started as its users start it, and with `before` after this code of ours.
    """
    said = [str(word) for word in words]
    said[1:1] = _TIME if said[0] == "match" else ()
    only_reads = said[0] in _ONLY_READ or "--help" in said
    if alone or before:
        out, err, ended = _started(said, cwd, given, before)
    else:
        out, err, ended = (_called if only_reads else _forked)(said, cwd, given)
    assert "Traceback" not in err, err
    assert ended == code, out + err
    return out, err


def _called(words: list[str], cwd: Path, given: str) -> tuple[str, str, int]:
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(app, words, input=given, catch_exceptions=False)
    return done.stdout, done.stderr, done.exit_code


def _forked(words: list[str], cwd: Path, given: str) -> tuple[str, str, int]:
    done = forked.run(*words, cwd=cwd, given=given.encode(), timeout_s=PATIENCE_S)
    return done.out.decode(), done.err.decode(), done.code


def _started(words: list[str], cwd: Path, given: str, before: str) -> tuple[str, str, int]:
    command = [sys.executable, "-c", f"{before}\nfrom referee.commands import main\nmain()"] if before else GOLFREF
    done = subprocess.run(
        [*command, *words],
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env=dict(os.environ),  # readline, which pytest imports, has told the children of this process their COLUMNS
    )
    return done.stdout, done.stderr, done.returncode


def until_there(path: Path) -> None:
    """Wait until something has this name."""
    end = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end
        select.select([], [], [], 0.01)


def until_more_are_committed(path: Path, count: int) -> None:
    """Wait until the store of a run that is played holds more matches than this."""
    end = time.monotonic() + PATIENCE_S
    while True:
        with contextlib.suppress(StoreError), closing(Store.open(path)) as store:
            if len(store.ids()) > count:
                return
        assert time.monotonic() < end
        select.select([], [], [], 0.01)
