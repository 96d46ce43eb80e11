"""What was submitted and what came of it: a line each in `.golfref/submissions.jsonl`, which only grows."""

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec import Struct

from referee import wall_clock
from referee.bot_check.report import Verdict
from referee.tournament.config.entry_owners import IN_PLACE, SUBMISSIONS, submitted
from referee.versions.entry import Entry
from referee.versions.store import VersionStore

_DAY = timedelta(hours=24)

Outcome = Literal["accepted", "same", "refused", "limited", "restored", "found"]
"""What came of a submission.

`same`: this version is in place already. `limited`: the owner has handed in too often. `restored`: the organiser
brought it back. `found`: it was in place before, and came otherwise.
"""

COUNTED = ("accepted", "refused")
"""Outcomes that count against the sender."""

UNCHANGED = ("same", "limited")
"""Outcomes that change nothing and count against nobody, so that an owner could have any number of them."""

MOST_UNCHANGED = 100
"""How many lines of these an owner gets within 24 hours. The file is read whole, and must not grow without end."""


class Submission(Struct, frozen=True, kw_only=True):
    """A line."""

    id: str
    """Unique: the time, and a number."""
    time: str
    """In UTC, as 2026-11-23T05:10:00Z."""
    entry: str
    """The name, as far as it is known."""
    owner: str = ""
    sender: str = ""
    """The owner through whose folder in the inbox it came; empty where the organiser handed it in."""
    version: str = ""
    """SHA-256 in hexadecimal; empty where it was not read as far."""
    outcome: Outcome
    reason: str = ""
    """A sentence for its author."""
    file: str = ""
    """The name of what was handed in."""
    verdict: Verdict | None = None
    """What the check came to; None where it was not done."""

    @property
    def when(self) -> datetime:
        """The time."""
        return datetime.fromisoformat(self.time)


class Refused(Exception):
    """A submission is not taken. The text is a sentence for its author; all of it can be shown."""

    def __init__(
        self, reason: str, *, lines: Sequence[str] = (), outcome: Outcome = "refused", verdict: Verdict | None = None
    ) -> None:
        """`lines` are what is wrong in detail."""
        super().__init__(reason)
        self.reason, self.lines, self.outcome, self.verdict = reason, tuple(lines), outcome, verdict


def now() -> datetime:
    """The time in UTC, in whole seconds."""
    return wall_clock.now().replace(microsecond=0)


def told(moment: datetime) -> str:
    """A time as a line has it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def lines(versions: VersionStore) -> list[Submission]:
    """All lines, the oldest first. Raises OSError."""
    return list(submitted(versions, Submission))


def add(versions: VersionStore, line: Submission) -> None:
    """Add a line, unless it is there, or the owner has enough of its kind. Raises OSError."""
    unchanged = 0
    for one in submitted(versions, Submission):
        if one.id == line.id:
            return
        unchanged += one.outcome in UNCHANGED and one.owner == line.owner and one.when > line.when - _DAY
    if line.outcome in UNCHANGED and unchanged >= MOST_UNCHANGED:
        return
    fd = os.open(
        versions.folder / SUBMISSIONS, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644
    )
    with open(fd, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        begin = b""
        if size:
            file.seek(size - 1)
            begin = b"" if file.read(1) == b"\n" else b"\n"  # after half a line
        data = begin + msgspec.json.encode(line) + b"\n"
        if file.write(data) != len(data):
            raise OSError(28, "No space left on device", str(versions.folder / SUBMISSIONS))
        os.fsync(fd)


def new_id(history: Sequence[Submission], moment: datetime) -> str:
    """An id that no line has."""
    known = {line.id for line in history}
    stamp = moment.strftime("%Y%m%d-%H%M%S")
    return next(name for number in range(len(known) + 1) if (name := f"{stamp}-{number}") not in known)


def next_possible(history: Sequence[Submission], sender: str, per_day: int, moment: datetime) -> datetime | None:
    """When this owner may hand in again through his folder. None where that is now."""
    times = sorted(line.when for line in history if line.sender == sender and line.outcome in COUNTED)
    recent = [time for time in times if time > moment - _DAY]
    return recent[-per_day] + _DAY if len(recent) >= per_day else None


def versions_of(history: Sequence[Submission], entry: str) -> list[str]:
    """The versions of an entry that have been in place, the latest last."""
    found: dict[str, None] = {}
    for line in history:
        if line.entry == entry and line.outcome in IN_PLACE and line.version:
            found.pop(line.version, None)
            found[line.version] = None
    return list(found)


def found_before(line: Submission, before: Entry) -> Submission:
    """The line about an entry in place that nobody handed in, and that gives way to the version of `line`."""
    return Submission(
        id=f"{line.id}-before",
        time=line.time,
        entry=before.name,
        owner=before.owner,
        version=before.version,
        outcome="found",
    )
