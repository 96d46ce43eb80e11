"""A run as it stands on disk now: what has been committed since the last look, and the standings.

The store is opened to read, for as long as a look takes, and its lock is never touched: so a run that is being played
neither waits for us nor fails to start or to close its file. It must not know the screen.
"""

import contextlib
import os
import time
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from referee.rules.record import Record, read_record
from referee.tournament.store.disk import Forecast, forecast_of
from referee.tournament.store.plans import extent_of, given_up
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store
from referee.tournament.summary import RunSummary, summary_of

SHARE = 20
"""The summary is made again when this many times as long has passed as making it took."""


class RunNow(Struct, frozen=True, kw_only=True):
    """A run at one moment."""

    name: str
    planned: int
    """How many matches the plan has, as far as it has been drawn."""
    given_up: int
    """How many of them were given up, because every attempt was voided."""
    summary: RunSummary
    """What it comes to so far, or for a while what it came to some matches ago."""
    matches: list[CommittedMatch]
    """What counts, in the order of commits."""
    is_played: bool | None
    """Whether somebody is playing it; None where the system does not tell."""
    forecast: Forecast | None = None
    """When it will end, if somebody plays it."""
    has_ended: bool = True
    """Whether nothing will be added to the plan."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.has_ended and len(self.matches) + self.given_up >= self.planned


class RunReader:
    """Looks at a run again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._matches: list[CommittedMatch] = []
        self._last = 0
        self._amendments = 0
        self._summary: tuple[str, RunSummary] | None = None
        """Of which digest it is made, and the summary."""
        self._cost_s = 0.0
        self._made_s = 0.0

    def look(self) -> RunNow:
        """The run as it is now. Raises StoreError where the store cannot be read."""
        with closing(Store.open(self.path)) as store:
            amendments = store.last_amendment()
            if amendments != self._amendments:  # matches may have other numbers now
                self._matches, self._last, self._summary = [], 0, None
            new = list(store.matches(self._last))
            meta, lost, extent = store.meta(), len(given_up(store)), extent_of(store)
            self._amendments, self._last = amendments, new[-1].id if new else self._last
            self._matches = [*self._matches, *(match for match in new if match.number is not None)]
            is_all = extent.has_ended and len(self._matches) + lost >= extent.planned
            summary = self._summed(store, at_once=is_all)
        is_played = is_locked(self.path)
        return RunNow(
            name=meta.config.name,
            planned=extent.planned,
            has_ended=extent.has_ended,
            given_up=lost,
            summary=summary,
            matches=self._matches,
            is_played=is_played,
            forecast=forecast_of(self.path) if is_played else None,
        )

    def record(self, match: CommittedMatch) -> Record:
        """The record of a match. Raises StoreError and NoRecord."""
        with closing(Store.open(self.path)) as store:
            return read_record(store.record(match.id))

    def _summed(self, store: Store, *, at_once: bool) -> RunSummary:
        """What the run comes to, or for a while what it came to some matches ago, where working that out takes long."""
        found, now_s = self._summary, time.monotonic()
        state = store.digest()
        if found is not None and (found[0] == state or (not at_once and now_s - self._made_s < SHARE * self._cost_s)):
            return found[1]
        summary = summary_of(store, with_results=False)
        self._made_s = time.monotonic()
        self._cost_s = self._made_s - now_s
        self._summary = (state, summary)
        return summary


def is_locked(path: Path) -> bool | None:
    """Whether a golfref writes to this store, by the system's list of locks; None where there is no such list.

    To try the lock ourselves could keep a run from starting.
    """
    lock = Path(f"{os.path.realpath(path)}.lock")
    try:
        inode = lock.stat().st_ino
    except OSError:
        return False
    with contextlib.suppress(OSError, ValueError):
        place = f"{_device(lock.parent)}:{inode}"
        listed = Path("/proc/locks").read_text(encoding="ascii", errors="replace")
        return any("FLOCK" in line and place in line.split() for line in listed.splitlines())
    return None


def _device(folder: Path) -> str:
    """The device of a file system, as /proc/locks writes it. Raises OSError, and ValueError where the system has none.

    On btrfs it is another one than stat gives, which is that of a subvolume.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        about = Path(f"/proc/self/fdinfo/{fd}").read_text(encoding="ascii").split()
    finally:
        os.close(fd)
    mount = about[about.index("mnt_id:") + 1]
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        number, _, device, *_ = line.split()
        if number == mount:
            major, minor = map(int, device.split(":"))
            return f"{major:02x}:{minor:02x}"
    raise ValueError(f"no mount has the id {mount}")
