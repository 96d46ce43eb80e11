"""All of a config that the results of a run depend on. It is stored with them.

This module must not know how a run is stored or drawn.
"""

import json
import os
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, to_builtins
from msgspec.structs import asdict, replace

from protocol.messages import Clocks, FaultPolicy
from referee.play.process.pool import Reuse
from referee.play.spec import BotLimits, BotSpec, Isolation
from referee.rules.check_options import in_effect
from referee.rules.variants import UnknownVariant, Variant, from_record
from referee.tournament.config.variants import ConfiguredVariant
from referee.tournament.formats.table import Traits, ranked_by, traits_of
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.rounds import Format, StageRules, StopRules
from referee.tournament.plan.shards import Shard
from referee.tournament.standings import RankBy, RankedBy
from referee.versions.version import short, version_of


class RunRules(Struct, frozen=True, kw_only=True):
    """How a tournament is played, apart from its games and bots."""

    name: str
    seed: str | None = None
    """Fixes the master key. Default: a secret random key, to which golfref commits before the first deal."""
    stages: Annotated[tuple[StageRules, ...], Meta(min_length=1)]
    """At least one. A run ends after the last."""
    stop: StopRules | None = None
    same_owner: Literal["apart"] | None = None
    """No two bots of one owner sit at one table."""
    hours: float | None = None
    """No deal starts unless it should finish within this many hours."""
    anchor: str | None = None
    """The bot with which ratings compare. Default: the bot in the middle."""
    shard: Shard | None = None
    """The part of the plan that is played. None where all of it is."""
    rotations: Rotations = "same"
    """Whether each rotation of a block has cards of its own."""
    reuse: Reuse = "match"
    """The life of a bot's process."""
    isolation: Isolation
    limits: BotLimits
    rank_by: RankBy
    clocks: Clocks
    faults: FaultPolicy

    @property
    def traits(self) -> Traits:
        """The properties of its format, or of several stages as a whole."""
        return traits_of(self.stages)

    @property
    def only_format(self) -> Format | None:
        """The format of the only stage. None where there are several stages."""
        return self.stages[0].format if len(self.stages) == 1 else None

    @property
    def is_fixed(self) -> bool:
        """Whether the whole plan follows from the config and the key. Else it is drawn round by round."""
        return self.traits.has_whole_deals and self.stop is None and self.hours is None

    @property
    def order(self) -> RankedBy:
        """By what the bots are ordered."""
        return ranked_by(self.stages[0]) if len(self.stages) == 1 else self.traits.ranked_by

    @property
    def ranked(self) -> tuple[str, ...] | None:
        """The only bots that are ranked, by name; None where all are."""
        return self.stages[0].challengers or None


class RunVariant(Struct, frozen=True, kw_only=True):
    """A variant of a run."""

    name: str
    """Its name in the run."""
    preset: str
    seats: int
    options: dict[str, Any]
    """Every option that golfref had when the run got this variant. One that came later has its preset's value."""

    @classmethod
    def of(cls, configured: ConfiguredVariant, had: Iterable["RunVariant"] = ()) -> "RunVariant":
        """The variant of a config; as the run `had` it, if it is the same game under the same name."""
        new = cls(
            name=configured.name,
            preset=configured.variant.preset,
            seats=configured.seats,
            options=_in_json_types(configured.variant),
        )
        return next((one for one in had if one.is_same_game(new)), new)

    @property
    def variant(self) -> Variant:
        """What is played; raises UnknownVariant and msgspec.ValidationError where another version knew more."""
        return from_record(self.preset, self.options)

    @property
    def game(self) -> str:
        """A hash by which the store tells apart the games that a run has had under one name."""
        return short(sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest())

    @property
    def with_all_options(self) -> "RunVariant":
        """The same with every option that golfref has now, if this version can play it."""
        try:
            return replace(self, options=_in_json_types(self.variant))
        except (UnknownVariant, msgspec.ValidationError):
            return self

    def is_same_game(self, other: "RunVariant") -> bool:
        """Whether both are the same game under the same name. Options without effect may differ, or not be listed."""
        try:
            return (self.name, self.seats, self._played) == (other.name, other.seats, other._played)
        except (UnknownVariant, msgspec.ValidationError):
            return False

    @property
    def _played(self) -> Variant:
        return replace(self.variant, options=in_effect(self.variant.options))


class RunBot(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bot of a run."""

    name: str
    builtin: str | None
    env: dict[str, str]
    owner: str
    command: tuple[str, ...] | None = None
    """None for a shipped bot, as is `dir`."""
    dir: str | None = None
    """Relative to the config's folder."""
    version: str
    """A hash of its command, environment and files, and of `network` and `clocks`, in hexadecimal."""
    versions_before: int = 0
    """How many versions the bot had before in the run. A version that comes back after another one counts as new."""
    network: bool = False
    """Whether it may use the network under `bwrap`."""
    clocks: Clocks | None = None
    """The time limits that hold for it alone; None where those of all hold."""

    @classmethod
    def of(cls, bot: BotSpec, folder: str) -> "RunBot":
        """The bot of a config in this folder, with its version, for which its files are read."""
        is_own = bot.builtin is None
        return cls(
            name=bot.name,
            builtin=bot.builtin,
            env=bot.env,
            owner=bot.owner,
            command=bot.command if is_own else None,
            dir=os.path.relpath(bot.entry or bot.dir, folder) if is_own else None,
            version=version_of(bot, folder),
            network=bot.network,
            clocks=bot.clocks,
        )


class RunConfig(RunRules, frozen=True, kw_only=True):
    """All of a config that the results of a run depend on.

    Left out are `jobs` and `workers`, where the config lies, and where a shipped bot or the interpreter that runs it
    is installed.
    """

    variants: tuple[RunVariant, ...]
    bots: tuple[RunBot, ...]

    def counted(self, had: Sequence["RunConfig"]) -> "RunConfig":
        """The same with `versions_before` of each bot, in a run that has had these configs."""
        last = {bot.name: bot for one in had for bot in one.bots}
        return replace(self, bots=tuple(_counted(bot, last.get(bot.name)) for bot in self.bots))

    def check_names(self) -> None:
        """Raise ValueError where two bots or two games have one name, or a bot is named that is not there."""
        bots, games = [bot.name for bot in self.bots], [variant.name for variant in self.variants]
        if len(set(bots)) < len(bots) or len(set(games)) < len(games):
            raise ValueError("expected a name for each bot and each game")
        if not {*bots}.issuperset([*(self.ranked or ()), *([self.anchor] if self.anchor else [])]):
            raise ValueError("expected bots of the run as anchor and challengers")


def _counted(bot: RunBot, last: RunBot | None) -> RunBot:
    """The bot with its `versions_before`; `last` is what the run had last under its name."""
    if last is None:
        return replace(bot, versions_before=0)
    return replace(bot, versions_before=last.versions_before + (bot.version != last.version))


def _in_json_types(variant: Variant) -> dict[str, Any]:
    """The options of a variant as they are after a trip through JSON, so that equal ones are equal."""
    return msgspec.json.decode(msgspec.json.encode(to_builtins(variant.options)), type=dict[str, Any])
