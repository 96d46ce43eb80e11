"""Keeps the site of a run current while the run is played, without ever being in its way.

It reads the store without its lock, computes only when nothing else wants to, and rests for many times as long as it
computed, but not longer than half a minute.
"""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from referee.site.building import Built, SiteBuilder

SHARE = 20
"""After a build it rests for this many times as long as that has computed."""

LEAST_REST_S = 5.0
"""It rests for so long at least."""

MOST_REST_S = 30.0
"""It rests for so long at most, so that a spectator of a short run sees it go on."""

POLL_INTERVAL_S = 1.0
"""How often it looks whether anything has come."""


def follow(builder: SiteBuilder, store: Path, rest: Callable[[float], bool]) -> Built:
    """Build again and again, whenever something has come, until nothing is left to be played; returns the last build.

    `rest` sleeps for so many seconds, or returns True where no more builds are wanted. Raises StoreError, SiteRefused.
    """
    while True:
        begun_s, seen = time.thread_time(), _traces(store)
        built = builder.build(is_live=True, is_played=True)
        cost_s = time.thread_time() - begun_s
        if built.is_complete or rest(min(MOST_REST_S, max(LEAST_REST_S, SHARE * cost_s))):
            return built
        while _traces(store) == seen:
            if rest(POLL_INTERVAL_S):
                return built


def _traces(store: Path) -> list[tuple[int, int]]:
    """What changes when anything is committed: the sizes and times of the store's files. This opens none of them."""
    found = []
    for path in (store, Path(f"{store}-wal")):
        with contextlib.suppress(OSError):
            about = path.stat()
            found.append((about.st_size, about.st_mtime_ns))
    return found
