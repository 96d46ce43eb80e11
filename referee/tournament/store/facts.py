"""What the results of a tournament depend on, to be stored with them, and how two such descriptions differ.

A run goes on only with the config that it began with, or that it was amended to. This module must not know how a run
is stored.
"""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct, to_builtins

from referee.play.spec import BotSpec
from referee.tournament.config.config import Config, ConfiguredVariant
from referee.tournament.plan.schedule import Fixture, Identity, Plan, PlannedVariant
from referee.tournament.store.versions import short, version_of

Facts = dict[str, Any]
"""A description in JSON's own types, equal after a trip through JSON."""

_AMENDABLE = frozenset({"name", "deals", "lineups"})
"""What may change of a run, beside its bots and variants."""

_AFTERWARDS = "nobody may choose it by the results"
_REASONS = {"seed": "the commitment to the key was made with it", "rank_by": _AFTERWARDS}
_REASON = "what is played with it could not be compared with what was played without"


class Differences(Struct, frozen=True, kw_only=True):
    """How a config differs from the one that a run began with, each difference in words (`deals: 20 -> 30`)."""

    changes: list[str]
    """What `--amend` can do."""
    refused: list[str]
    """What cannot change in a run, with the reason."""


class Terms(Struct, frozen=True, kw_only=True):
    """What the names in a run's plan stand for."""

    bots: list[str]
    """As the plan numbers them."""
    versions: dict[str, str]
    games: dict[str, str]
    """By variant, a hash of its game, seats and options."""

    def identity(self, fixture: Fixture) -> Identity:
        """Which match a fixture is, apart from its number."""
        bots = tuple(self.bots[bot] for bot in fixture.lineup)
        return Identity(
            variant=fixture.variant,
            game=self.games[fixture.variant],
            bots=bots,
            versions=tuple(self.versions[bot] for bot in bots),
            deal=fixture.deal,
            rotation=fixture.rotation,
        )


def config_facts(config: Config) -> Facts:
    """All of a config that its results depend on, the bots' files by their version: they are read here.

    Left out is what they do not depend on: `jobs` and `workers`, where the config lies, and where a shipped bot or
    the interpreter that runs it is installed. Seats are told variant by variant.
    """
    facts: Facts = to_builtins(config)
    del facts["jobs"], facts["workers"], facts["folder"], facts["seats"], facts["trust"]
    facts["variants"] = [_entry(entry) for entry in config.variants]
    facts["bots"] = [_bot(bot, config.folder) for bot in config.bots]
    return json.loads(json.dumps(facts))  # type: ignore[no-any-return]


def plan_of(facts: Facts, key: bytes) -> Plan:
    """The plan that a config and a master key make."""
    return Plan(
        master_key=key,
        bots=[bot["name"] for bot in facts["bots"]],
        variants=[PlannedVariant(variant=entry["name"], seats=entry["seats"]) for entry in facts["variants"]],
        deals=facts["deals"],
        lineups=facts["lineups"],
    )


def terms_of(facts: Facts) -> Terms:
    """What the names in the plan of `facts` stand for."""
    games = {entry["name"]: json.dumps(entry, sort_keys=True).encode() for entry in facts["variants"]}
    return Terms(
        bots=[bot["name"] for bot in facts["bots"]],
        versions={bot["name"]: bot["version"] for bot in facts["bots"]},
        games={name: short(sha256(text).hexdigest()) for name, text in games.items()},
    )


def differences(old: Facts, new: Facts) -> Differences:
    """What changed; nothing at all when a run of `old` simply goes on with `new`. The order of bots does not count."""
    changes: list[str] = []
    refused: list[str] = []
    for key in (key for key in new if key not in ("variants", "bots")):
        found = _changes("", {key: old.get(key)}, {key: new[key]})
        if key in _AMENDABLE:
            changes += found
        else:
            refused += (f"{text} ({_REASONS.get(key, _REASON)})" for text in found)
    return Differences(
        changes=[
            *changes,
            *_variant_changes(old["variants"], new["variants"]),
            *_bot_changes(old["bots"], new["bots"]),
        ],
        refused=refused,
    )


def _entry(entry: ConfiguredVariant) -> Facts:
    facts: Facts = {"name": entry.name, "preset": entry.variant.preset, "seats": entry.seats}
    return facts | {"options": to_builtins(entry.variant.options)}


def _bot(bot: BotSpec, folder: str) -> Facts:
    facts: Facts = {"name": bot.name, "builtin": bot.builtin, "env": bot.env, "owner": bot.owner}
    if bot.builtin is None:
        facts |= {"command": list(bot.command), "dir": os.path.relpath(bot.dir, folder)}
    return facts | {"version": version_of(bot, folder)}


def _variant_changes(old: list[Facts], new: list[Facts]) -> Iterator[str]:
    before, after = ({entry["name"]: entry for entry in entries} for entries in (old, new))
    yield from (f"variant `{name}`: removed" for name in before if name not in after)
    for name, entry in after.items():
        if name not in before:
            yield f"variant `{name}`: added"
        elif changes := ", ".join(_changes("", before[name], entry)):
            yield f"variant `{name}`: another game ({changes})"
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield "variants: in another order"


def _bot_changes(old: list[Facts], new: list[Facts]) -> Iterator[str]:
    before, after = ({bot["name"]: bot for bot in bots} for bots in (old, new))
    yield from (
        f"bot `{name}`: withdrawn (version {short(bot['version'])})"
        for name, bot in before.items()
        if name not in after
    )
    for name, bot in after.items():
        if name not in before:
            yield f"bot `{name}`: added (version {short(bot['version'])})"
            continue
        versions = before[name]["version"], bot["version"]
        told = list(_changes("", {**before[name], "version": None}, {**bot, "version": None}))
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
