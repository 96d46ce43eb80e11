"""The terms under which the bots of a competition are checked: its games, clocks, limits and isolation."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from protocol.messages import Clocks, FaultPolicy
from referee import __version__
from referee.kit.check.conditions import Conditions
from referee.kit.check.games import GameToTry, some_games
from referee.play.process.pool import Reuse
from referee.play.spec import BotLimits, BotSpec, Isolation
from referee.tournament.config.config import Config
from referee.tournament.plan.planned_match import for_blocks


class GameTerms(Struct, frozen=True, kw_only=True):
    """A game of a competition."""

    name: str
    preset: str
    seats: int
    options: Mapping[str, Any]
    """All that the game has, with their values."""


class Terms(Struct, frozen=True, kw_only=True):
    """All on which it depends what a check comes to, besides the bot and its luck."""

    golfref: str = __version__
    isolation: Isolation
    limits: BotLimits
    clocks: Clocks
    faults: FaultPolicy
    reuse: Reuse
    games: tuple[GameTerms, ...]


def terms_of(config: Config, bot: BotSpec | None = None) -> Terms:
    """The terms of a competition, for a bot that may have time limits of its own."""
    return Terms(
        isolation=config.isolation,
        limits=config.limits,
        clocks=(bot and bot.clocks) or config.clocks,
        faults=config.faults,
        reuse=config.reuse,
        games=tuple(
            GameTerms(
                name=one.name,
                preset=one.variant.preset,
                seats=one.seats,
                options=to_builtins(for_blocks(one.variant).own_options()),
            )
            for one in config.variants
        ),
    )


def games_of(config: Config) -> Iterator[GameToTry]:
    """The games of a competition, as a check plays them."""
    for one in config.variants:
        yield GameToTry(
            label=one.name, preset=one.variant.preset, changes={}, seats=one.seats, given=for_blocks(one.variant)
        )


def conditions_of(config: Config, bot: BotSpec) -> Conditions:
    """What holds while a check plays these games with this bot. The largest tables are those of the competition."""
    games = tuple(games_of(config))
    most = max(game.seats for game in games)
    return Conditions(
        clocks=bot.clocks or config.clocks,
        faults=config.faults,
        positions=games,
        tries=1,
        crowds=some_games([game for game in games if game.seats == most], 2),
        only_these=True,
        reuses=config.reuse != "match",
    )
