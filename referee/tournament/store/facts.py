"""What the results of a tournament depend on: the facts that are stored with them, and how those of two configs differ.

A run goes on only with the config that it began with, or that it was amended to. This module must not know how a run
is stored.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct, to_builtins
from msgspec.structs import asdict, replace

from protocol.messages import Clocks, FaultPolicy
from referee.entries.versions import short, version_of
from referee.play.process.pool import Reuse
from referee.play.spec import BotLimits, BotSpec, Isolation
from referee.rules.book.changes import in_effect
from referee.rules.book.options import Options
from referee.rules.book.variant import Variant
from referee.rules.book.variants import UnknownVariant, restored
from referee.tournament.config.config import Config
from referee.tournament.config.variants import ConfiguredVariant
from referee.tournament.formats.table import ranked_by, traits_of
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.fixture import Entry, Identity, PlannedMatch
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.rounds import DrawInput, Entrant, Format, StageRules, StopRules
from referee.tournament.plan.shards import Shard
from referee.tournament.results import Result, check_seats
from referee.tournament.standings import RankBy, RankedBy

_AMENDABLE = frozenset({"name", "deals", "lineups", "rounds", "challengers", "anchor", "hours"})
"""What may change in a run, besides its bots and variants."""

_AFTERWARDS = "nobody may choose it by the results"
_DEALS = "the cards of every match follow from it"
_ROUNDS = "the rounds that were played were drawn with it"
_REASONS = {
    "format": _ROUNDS,
    "stages": _ROUNDS,
    "advance": _ROUNDS,
    "same_owner": _ROUNDS,
    "limit": _AFTERWARDS,
    "stop": _AFTERWARDS,
    "seed": "the commitment to the key was made with it",
    "rank_by": _AFTERWARDS,
    "deals": _AFTERWARDS,
    "lineups": "what was played stays, so there can only be more line-ups",
    "hours": "a run keeps to a time from its beginning or never",
    "rotations": _DEALS,
    "shard": "a store holds one shard, or all of a run",
}
_REASON = "what is played with it could not be compared with what was played without"


class VariantFacts(Struct, frozen=True, kw_only=True):
    """A variant of a run."""

    name: str
    """Its name in the run."""
    preset: str
    seats: int
    options: dict[str, Any]
    """Every option that golfref had when the run got this variant. One that came later has its preset's value."""

    @property
    def variant(self) -> Variant:
        """What is played; raises UnknownVariant and msgspec.ValidationError where another version knew more."""
        return restored(self.preset, self.options)

    @property
    def game(self) -> str:
        """A hash by which the store tells apart the games that a run has had under one name."""
        return short(sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest())

    def is_same_game(self, other: "VariantFacts") -> bool:
        """Whether both are the same game under the same name. Options without effect may differ, or not be listed."""
        try:
            return (self.name, self.seats, self._played) == (other.name, other.seats, other._played)
        except (UnknownVariant, msgspec.ValidationError):
            return False

    @property
    def _played(self) -> Variant:
        return replace(self.variant, options=in_effect(self.variant.options))


class BotFacts(Struct, frozen=True, kw_only=True, omit_defaults=True):
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


class Facts(Struct, frozen=True, kw_only=True):
    """All of a config that its results depend on. Settings that came after the first stores have defaults."""

    name: str
    seed: str | None
    format: Format | None
    """None where there are `stages`."""
    deals: int
    """As StageRules has it, as have `lineups` to `challengers`; 0 where there are `stages`."""
    lineups: int | None
    rounds: int | None = None
    advance: int | None = None
    limit: int | None = None
    challengers: tuple[str, ...] = ()
    stages: tuple[StageRules, ...] = ()
    """The stages where there are several."""
    stop: StopRules | None = None
    same_owner: Literal["apart"] | None = None
    """With "apart", bots of the same owner never sit at one table."""
    hours: float | None = None
    """For how many hours is played. No round begins that would not end in time."""
    anchor: str | None = None
    """The bot to which ratings relate, by name."""
    shard: Shard | None = None
    """The part of the plan that this run plays. None where it plays all of it."""
    rotations: Rotations = "same"
    reuse: Reuse = "match"
    isolation: Isolation
    limits: BotLimits
    rank_by: RankBy
    clocks: Clocks
    faults: FaultPolicy
    variants: tuple[VariantFacts, ...]
    bots: tuple[BotFacts, ...]

    @property
    def stage_rules(self) -> tuple[StageRules, ...]:
        """How each stage is played. There is at least one."""
        if self.format is None:
            return self.stages
        return (msgspec.convert(self, StageRules, from_attributes=True),)

    @property
    def is_fixed(self) -> bool:
        """Whether the whole plan follows from the config and the key. Else it is drawn round by round."""
        return traits_of(self.format).has_whole_deals and self.stop is None and self.hours is None

    @property
    def owners_apart(self) -> dict[str, str] | None:
        """The owner of each bot where no two of one owner meet. None where anybody meets anybody."""
        return {bot.name: bot.owner for bot in self.bots} if self.same_owner else None

    @property
    def order(self) -> RankedBy:
        """By what the bots are ordered."""
        return "places" if self.format is None else ranked_by(self.stage_rules[0])

    @property
    def ranked(self) -> tuple[str, ...] | None:
        """The only bots that are ranked, by name; None where all are."""
        return self.challengers or None


class ConfigDifferences(Struct, frozen=True, kw_only=True):
    """How a config differs from the one that a run began with, each difference in words (`deals: 20 -> 30`)."""

    changes: list[str]
    """What `--amend` can do."""
    refused: list[str]
    """What cannot change in a run, with the reason."""


class Terms:
    """What the names in a run's plan stand for."""

    def __init__(self, facts: Facts) -> None:
        self._bots = facts.bots
        self.versions = {bot.name: bot.version for bot in facts.bots}
        """The version of each bot, by its name."""
        self.entries: dict[str, Entry] = {bot.name: (bot.name, bot.version, bot.versions_before) for bot in facts.bots}
        """The same with how many versions it had before."""
        self._seats = {variant.name: variant.seats for variant in facts.variants}
        self.games = {variant.name: variant.game for variant in facts.variants}
        """The hash of each variant's game, by the variant's name."""

    def check(self, result: Result) -> None:
        """Raise ValueError where a result is not of a game and of bots of the run."""
        check_seats(result)
        if len(result.bots) != self._seats.get(result.variant):
            raise ValueError(f"{len(result.bots)} seats of `{result.variant}`, which the run does not have")
        if strangers := [bot for bot in result.bots if bot not in self.versions]:
            raise ValueError(f"the bot `{strangers[0]}` is not in the run")

    def identity(self, fixture: PlannedMatch) -> Identity:
        """Which match a fixture is, apart from its number."""
        bots = [self._bots[bot] for bot in fixture.lineup]
        return Identity(
            variant=fixture.variant,
            game=self.games[fixture.variant],
            bots=tuple(bot.name for bot in bots),
            versions=tuple(bot.version for bot in bots),
            deal=fixture.deal,
            rotation=fixture.rotation,
            versions_before=fixture.versions_before,
        )


def config_facts(config: Config, had: Sequence[Facts] = ()) -> Facts:
    """All of a config that its results depend on, with the bots' versions, for which their files are read.

    Left out are `jobs` and `workers`, where the config lies, and where a shipped bot or the interpreter that runs it
    is installed. Each variant tells its seats. `had` are the configs that the run has had, in order: they tell how many
    versions each bot had before, and a variant of theirs is told as it was then, so that it stays the same game when
    golfref gains an option.
    """
    settings = {name: value for name, value in asdict(config).items() if name in Facts.__struct_fields__}
    known = [variant for facts in had for variant in facts.variants]
    variants = tuple(_variant_facts(variant, known) for variant in config.variants)
    bots = tuple(_bot_facts(bot, config.folder) for bot in config.bots)
    return counted(Facts(**settings | {"variants": variants, "bots": bots}), had)


def counted(facts: Facts, had: Sequence[Facts]) -> Facts:
    """The facts with `versions_before` of each bot, in a run that has had these configs."""
    last = {bot.name: bot for one in had for bot in one.bots}
    return replace(facts, bots=tuple(_counted(bot, last.get(bot.name)) for bot in facts.bots))


def _counted(bot: BotFacts, last: BotFacts | None) -> BotFacts:
    """The bot with its `versions_before`; `last` is what the run had last under its name."""
    if last is None:
        return replace(bot, versions_before=0)
    return replace(bot, versions_before=last.versions_before + (bot.version != last.version))


def check_names(facts: Facts) -> None:
    """Raise ValueError where two bots or two games have one name, or a bot is named that is not there."""
    bots, games = [bot.name for bot in facts.bots], [variant.name for variant in facts.variants]
    if len(set(bots)) < len(bots) or len(set(games)) < len(games):
        raise ValueError("expected a name for each bot and each game")
    if not {*bots}.issuperset([*facts.challengers, *([facts.anchor] if facts.anchor else [])]):
        raise ValueError("expected bots of the run as anchor and challengers")


def field_of(facts: Facts, key: bytes) -> DrawInput:
    """All on which the rounds of a run depend besides what was played, from its config and its master key."""
    return DrawInput(
        master_key=key,
        bots=[Entrant(name=bot.name, owner=bot.owner) for bot in facts.bots],
        variants=_planned(facts),
        stages=facts.stage_rules,
        stop=facts.stop,
        apart=facts.same_owner == "apart",
    )


def whole_deals_of_all(configs: Iterable[Facts], key: bytes) -> Iterator[WholeDeals]:
    """The whole deals for each of the configs that a run with this master key has had, in their order.

    Samples of line-ups keep those of the config before.
    """
    whole: WholeDeals | None = None
    for facts in configs:
        whole = WholeDeals(
            master_key=key,
            bots=[bot.name for bot in facts.bots],
            variants=_planned(facts),
            deals=facts.deals,
            versions_before=[bot.versions_before for bot in facts.bots],
            lineups=facts.lineups,
            owners=facts.owners_apart,
            challengers=facts.challengers,
            before=whole,
        )
        yield whole


def whole_deals_of(configs: Sequence[Facts], key: bytes) -> WholeDeals:
    """The whole deals of the last of these configs, all of which a run with this master key has had, in order.

    Those of the configs before it are made only where the last one has a sample of line-ups.
    """
    *_, last = whole_deals_of_all(configs if configs[-1].lineups is not None else configs[-1:], key)
    return last


def _planned(facts: Facts) -> list[PlannedVariant]:
    return [
        PlannedVariant(variant=variant.name, seats=variant.seats, rotations=facts.rotations)
        for variant in facts.variants
    ]


def config_differences(old: Facts, new: Facts) -> ConfigDifferences:
    """What changed. Nothing did where a run of `old` simply goes on with `new`. The order of bots does not count."""
    changes: list[str] = []
    refused: list[str] = []
    before, after = to_builtins(old), to_builtins(new)
    for key in (key for key in after if key not in ("variants", "bots")):
        if getattr(old, key) == getattr(new, key):  # of equal structs, one may leave out what the other tells
            continue
        if old.format != new.format and key in StageRules.__struct_fields__ and key != "format":
            continue  # each format has its own
        if key == "stages" and _without_rounds(old.stages) == _without_rounds(new.stages):
            stages = enumerate(zip(old.stages, new.stages, strict=True), 1)
            changes += (f"stage {n}: {text}" for n, some in stages for text in _changes("", *map(to_builtins, some)))
            continue
        found = _changes("", {key: before[key]}, {key: after[key]})
        is_other_kind = (
            (key == "deals" and traits_of(new.format).is_closed)
            or (key == "hours" and None in (old.hours, new.hours))
            or (key == "lineups" and new.lineups is not None and (old.lineups is None or new.lineups < old.lineups))
        )
        if key in _AMENDABLE and not is_other_kind:
            changes += found
        else:
            refused += (f"{text} ({_REASONS.get(key, _REASON)})" for text in found)
    if new.format == old.format and traits_of(new.format).is_closed:
        had = {bot.name for bot in old.bots}
        late = (bot.name for bot in new.bots if bot.name not in had)
        refused += (f"bot `{name}`: added (a {new.format} that has begun takes nobody in)" for name in late)
    return ConfigDifferences(
        changes=[*changes, *_variant_changes(old.variants, new.variants), *_bot_changes(old.bots, new.bots)],
        refused=refused,
    )


def _without_rounds(stages: Sequence[StageRules]) -> list[StageRules]:
    """What of the stages cannot change in a run: all but how many rounds they have."""
    return [replace(one, rounds=None) for one in stages]


def _variant_facts(configured: ConfiguredVariant, had: Sequence[VariantFacts]) -> VariantFacts:
    facts = VariantFacts(
        name=configured.name,
        preset=configured.variant.preset,
        seats=configured.seats,
        options=_in_json_types(configured.variant.options),
    )
    return next((one for one in had if one.is_same_game(facts)), facts)


def _bot_facts(bot: BotSpec, folder: str) -> BotFacts:
    is_own = bot.builtin is None
    return BotFacts(
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


def _variant_changes(old: Sequence[VariantFacts], new: Sequence[VariantFacts]) -> Iterator[str]:
    before, after = ({variant.name: variant for variant in some} for some in (old, new))
    yield from (f"variant `{name}`: removed" for name in before if name not in after)
    for name, variant in after.items():
        if name not in before:
            yield f"variant `{name}`: added"
        elif not variant.is_same_game(before[name]):
            changes = ", ".join(_changes("", _complete(before[name]), _complete(variant)))
            yield f"variant `{name}`: another game ({changes})"
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield "variants: in another order"


def _complete(facts: VariantFacts) -> dict[str, Any]:
    """The variant with every option that golfref has now, if this version can play it."""
    try:
        return asdict(replace(facts, options=_in_json_types(facts.variant.options)))
    except (UnknownVariant, msgspec.ValidationError):
        return asdict(facts)


def _bot_changes(old: Sequence[BotFacts], new: Sequence[BotFacts]) -> Iterator[str]:
    before, after = ({bot.name: bot for bot in bots} for bots in (old, new))
    yield from (
        f"bot `{name}`: withdrawn (version {short(bot.version)})" for name, bot in before.items() if name not in after
    )
    for name, bot in after.items():
        if name not in before:
            yield f"bot `{name}`: added (version {short(bot.version)})"
            continue
        versions = before[name].version, bot.version
        both = (replace(one, version="", versions_before=0) for one in (before[name], bot))
        told = list(_changes("", *map(to_builtins, both)))
        if versions[0] != versions[1]:
            what = ", ".join(told) or "its files changed"
            yield f"bot `{name}`: replaced (version {short(versions[0])} -> {short(versions[1])}: {what})"
        elif told:
            yield f"bot `{name}`: the same version, told otherwise ({', '.join(told)})"


def _changes(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _changes(f"{where}{key}.", before, after)
        elif before != after:
            yield f"{where}{key}: {_in_json(before)} -> {_in_json(after)}"


def _in_json(value: Any) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)


def _in_json_types(options: Options) -> dict[str, Any]:
    """Options as they are after a trip through JSON, so that equal ones are equal."""
    return msgspec.json.decode(msgspec.json.encode(to_builtins(options)), type=dict[str, Any])
