"""The small tables of a config: [time], [faults], [builds] and [submissions], and `qualify` of [tournament]."""

import os
from collections.abc import Iterable
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from protocol.messages import Clocks, SlapTiming
from referee.play.spec import BadBot, builtin_bot
from referee.rules.options import Positive
from referee.toml.reader import KeyPath, Reader
from referee.versions.entry import Builds

Seconds = Annotated[float, Meta(gt=0, le=86400, description="seconds")]
"""No clock runs longer than a day."""

S = TypeVar("S", bound=Struct)


class BotTime(Struct, frozen=True, kw_only=True):
    """`time` of [[bots]] as it is written."""

    move_s: Seconds | None = None
    bank_s: Seconds | None = None


class Time(BotTime, frozen=True, kw_only=True):
    """[time] as it is written."""

    start_s: Seconds | None = None
    slap_s: Seconds | None = None
    slap_timing: SlapTiming | None = None


class Faults(Struct, frozen=True, kw_only=True):
    """[faults] as it is written."""

    policy: Literal["fallback", "forfeit"] | None = None
    strikes: Positive | None = None


class Submissions(Struct, frozen=True, kw_only=True):
    """[submissions]: what one submission may be, and how many there may be."""

    per_day: Positive = 20
    """Archives that golfref accepts or refuses within 24 hours from the folder of an owner in the inbox."""
    per_owner: Positive | None = None
    """Entries of an owner. Default: any number."""
    size_mb: Positive = 64
    """The size of an archive, and of all files in it."""
    files: Positive = 10_000
    """Files, folders and links in an archive."""


class Qualify(Struct, frozen=True, kw_only=True):
    """The conditions under which a bot takes part: `qualify` as it is written, if it is a table."""

    check: bool = False
    """With true a bot must pass the check of `golfref check CONFIG`."""
    beat: str | None = None
    """The shipped bot that a bot must beat."""
    games: Annotated[int, Meta(ge=1, le=10_000)] = 20
    """Matches against `beat` in each game of the config."""


BY_CHECK = Qualify(check=True)
"""What `qualify = "check"` means."""


def with_given(usual: S, given: Struct) -> S:
    """The settings, with those in place that are given."""
    return replace(usual, **{name: value for name, value in asdict(given).items() if value is not None})


def own_clocks(clocks: Clocks, given: BotTime | None) -> Clocks | None:
    """The clocks of a bot with this `time` in a tournament with these; None where it has none of its own."""
    own = clocks if given is None else with_given(clocks, given)
    return None if own == clocks else own


def check_env(names: Iterable[str], path: KeyPath, reader: Reader) -> None:
    """Note the names of variables that no environment can have. `path` is that of their table."""
    for name in names:
        if not name or "=" in name or "\0" in name:
            reader.add((*path, name), "cannot be the name of an environment variable", at_key=True)


def check_builds(builds: Builds, reader: Reader) -> None:
    """Note what is wrong with [builds], apart from its numbers."""
    check_env(builds.env, ("builds", "env"), reader)
    for index, place in enumerate(builds.reads):
        if not os.path.isabs(place) or not os.path.exists(place):
            reader.add(("builds", "reads", index), f"expected the absolute path of what is there, got {place!r}")


def check_qualify(given: Qualify, names_games: bool, path: KeyPath, reader: Reader) -> None:
    """Note what is wrong with the table. `names_games` says whether `games` stands in it."""
    if given.beat is not None:
        try:
            builtin_bot(given.beat)
        except BadBot as error:
            reader.add((*path, "beat"), str(error))
    elif names_games:
        reader.add((*path, "games"), 'goes with `beat` only, as in { beat = "random", games = 20 }', at_key=True)
    elif not given.check and not reader.wrong(path):
        reader.add(path, 'expected `check = true`, or `beat` with the name of a shipped bot, such as "random"')
