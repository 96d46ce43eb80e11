"""The process that keeps the site of a run current while another one plays the run.

It reads the store without its lock, computes only when nothing else wants to, and rests for many times as long as it
computed. The end of its standard input means that the process that plays is gone.
"""

import contextlib
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from referee.play.sandbox.low_priority import lower_priority
from referee.site.building import SiteBuilder, site_builder

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.site.live import main; main()"
"""The program of the interpreter. Its arguments: the folder of this installation, the store and the site's folder."""

RETRY_S = 60.0
"""How long the process waits after a build that failed, such as on a full disk."""

REST_FACTOR = 20
"""After a build the process rests for this many times as long as that has computed."""

LEAST_REST_S = 5.0
MOST_REST_S = 30.0
POLL_INTERVAL_S = 1.0
"""How often it looks whether anything has been written to the store."""

Rest = Callable[[float | None], bool]
"""Sleeps for so many seconds; returns True at once if no more builds are wanted."""


class Unwanted(Exception):
    """The process that plays the run is gone."""


def main() -> None:
    """Keep the site current until a signal or the end of the input."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    lower_priority()
    keep_current(Path(sys.argv[2]), Path(sys.argv[3]), lambda seconds: bool(select.select([0], [], [], seconds)[0]))


def keep_current(store: Path, out: Path, rest: Rest) -> None:
    """Build until no more builds are wanted. A build that fails for any reason is tried again."""

    def check() -> None:
        if rest(0):
            raise Unwanted

    while not rest(0):
        with contextlib.suppress(Exception), site_builder(store, out, check=check) as builder:
            with contextlib.suppress(Unwanted):
                follow(builder, store, rest)
                rest(None)
            builder.mark_interrupted()
            return
        rest(RETRY_S)


def follow(builder: SiteBuilder, store: Path, rest: Rest) -> None:
    """Build whenever something has been written to the store, until nothing is left to be played.

    Raises StoreError, SiteRefused.
    """
    while True:
        begun_s, seen = time.thread_time(), _state_of(store)
        built = builder.build(is_live=True, is_played=True)
        cost_s = time.thread_time() - begun_s
        if built.is_complete or rest(min(MOST_REST_S, max(LEAST_REST_S, REST_FACTOR * cost_s))):
            return
        while _state_of(store) == seen:
            if rest(POLL_INTERVAL_S):
                return


def _state_of(store: Path) -> list[tuple[int, int]]:
    """The sizes and times of the store's files, which change with each commit. This opens none of them."""
    found = []
    for path in (store, Path(f"{store}-wal")):
        with contextlib.suppress(OSError):
            about = path.stat()
            found.append((about.st_size, about.st_mtime_ns))
    return found
