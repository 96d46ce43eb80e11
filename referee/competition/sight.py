"""Which bots of a competition see copies in memory instead of the disk while they are checked and tried.

Strangers' bots play so under `bwrap` (play/isolation/copies.py). A bot that lacks something there must fail before the
tournament and not in it.
"""

import contextlib
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.play.isolation.copies import copied
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config


class Sight(Struct, frozen=True, kw_only=True):
    """What bots see."""

    config: Config
    """The config with the copies that were made."""
    in_copies: frozenset[str]
    """The names of the bots that see copies."""


def strangers_among(config: Config, bots: Sequence[BotSpec], *, as_stranger: bool) -> frozenset[str]:
    """The names of those of these bots that see copies when they play.

    `as_stranger` takes each bot for a stranger's, also where the config has no bots of other owners.
    """
    if as_stranger and config.isolation == "bwrap":
        return frozenset(bot.name for bot in bots if bot.builtin is None)
    return frozenset(bot.name for bot in bots) & {bot.name for bot in config.strangers}


@contextlib.contextmanager
def sight_of(config: Config, strangers: Sequence[BotSpec]) -> Iterator[Sight]:
    """What these bots see, for the duration of the block. What does not fit into memory is left on the disk."""
    if not strangers:
        yield Sight(config=config, in_copies=frozenset())
        return
    with copied(strangers) as made:
        names = frozenset(bot.name for bot in strangers) - made.without_room
        yield Sight(config=replace(config, copies=made.folder), in_copies=names)
