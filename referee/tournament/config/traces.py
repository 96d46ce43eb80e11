"""Whether a config, its entries or the files of its bots have changed: names, sizes and times, not contents."""

import contextlib
import os
from collections.abc import Iterator

from referee.tournament.config.config import Config
from referee.tournament.config.entry_folders import find_entry_folders
from referee.versions.version import traces_below, traces_of

Trace = tuple[str, int, int]
"""A path, with its size and the time of its last change in nanoseconds."""


def traces(config: Config) -> frozenset[Trace]:
    """What lies there now of all that the config names. Where it is the same as before, no bot has another version."""
    return frozenset(_traces(config))


def newest_ns(found: frozenset[Trace]) -> int:
    """When something of it changed last, in nanoseconds since 1970."""
    return max((changed for _, _, changed in found), default=0)


def _traces(config: Config) -> Iterator[Trace]:
    own = (bot for bot in config.bots if bot.builtin is None and not bot.entry)
    for bot in own:
        yield from traces_of(bot, config.folder)
    around = {config.file}
    for table in config.entry_tables:
        places = find_entry_folders(table.pattern, config.folder).folders
        around.update(map(os.path.dirname, (os.path.normpath(os.path.join(config.folder, table.pattern)), *places)))
        for place in places:
            yield from traces_below(place)
    around.discard(config.folder)  # where a run changes files itself
    for path in around:  # the time of a folder tells when an entry came or went
        with contextlib.suppress(OSError):
            about = os.stat(path)
            yield path, about.st_size, about.st_ctime_ns
