"""How little and how much [time], [limits] and [builds] may say."""

import os

from msgspec import Struct
from msgspec.structs import asdict, replace

from protocol.messages import Clocks
from referee.play.spec import BotLimits
from referee.toml.reader import KeyPath, Reader
from referee.versions.entry import Builds

LONGEST_CLOCK_S = 86400
"""No clock runs longer than a day."""

LEAST_LIMITS = {"memory_mb": 16, "processes": 1, "files": 16, "tmp_mb": 1, "cpu_s": 1}
"""A bot that may use less than this does not start."""

LEAST_BUILDS = {
    "time_s": 1.0,
    "cpu_s": 1,
    "memory_mb": 64,
    "disk_mb": 1,
    "processes": 8,
    "files": 64,
    "entry_mb": 1,
    "entry_files": 1,
}
"""No build, or no entry, is done with less than this."""


class TimeOdds(Struct, frozen=True, kw_only=True):
    """`time` of [[bots]] as it is written."""

    move_s: float | None = None
    bank_s: float | None = None


def check_clocks(clocks: Clocks | TimeOdds, path: KeyPath, reader: Reader) -> None:
    """Note what is wrong with [time], or with the `time` of a bot, at this path."""
    for clock, seconds in asdict(clocks).items():
        if clock.endswith("_s") and seconds is not None and not 0 < seconds <= LONGEST_CLOCK_S:
            reader.add((*path, clock), f"expected seconds above 0, at most {LONGEST_CLOCK_S}, got {seconds:g}")


def own_clocks(clocks: Clocks, odds: TimeOdds | None) -> Clocks | None:
    """The clocks of a bot with this `time` in a tournament with these; None where it has none of its own."""
    given = {} if odds is None else {clock: seconds for clock, seconds in asdict(odds).items() if seconds is not None}
    own = replace(clocks, **given)
    return None if own == clocks else own


def check_limits(limits: BotLimits, reader: Reader) -> None:
    """Note what is wrong with [limits]."""
    for name, least in LEAST_LIMITS.items():
        if (value := getattr(limits, name)) < least:
            reader.add(("limits", name), f"expected int >= {least}, got {value}")


def check_builds(builds: Builds, reader: Reader) -> None:
    """Note what is wrong with [builds]."""
    for name, least in LEAST_BUILDS.items():
        if not (value := getattr(builds, name)) >= least:
            reader.add(("builds", name), f"expected {type(least).__name__} >= {least:g}, got {value:g}")
    for variable in builds.env:
        if not variable or "=" in variable or "\0" in variable:
            reader.add(("builds", "env", variable), "cannot be the name of an environment variable", at_key=True)
    for index, place in enumerate(builds.reads):
        if not os.path.isabs(place) or not os.path.exists(place):
            reader.add(("builds", "reads", index), f"expected the absolute path of what is there, got {place!r}")
    if builds.time_s > LONGEST_CLOCK_S:
        reader.add(("builds", "time_s"), f"expected at most {LONGEST_CLOCK_S} seconds, got {builds.time_s:g}")
