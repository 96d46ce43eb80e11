"""How two configs of a run differ.

A run goes on only with the config that it began with, or that it was amended to.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import asdict, replace

from referee.toml.reader import KeyPath, Problem
from referee.tournament.config.run_config import RunBot, RunConfig, RunRules, RunVariant
from referee.tournament.formats.table import traits_of
from referee.tournament.plan.rounds import StageRules
from referee.versions.version import short

AMENDABLE = frozenset({"name", "anchor", "hours", "deals", "lineups", "rounds", "challengers"})
"""What may change in a run of one stage, besides its bots and variants. Of several stages `rounds` may."""

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

_TABLES: dict[str, KeyPath] = {"clocks": ("time",), **{key: (key,) for key in ("faults", "limits", "stop")}}
"""By field of a run's config that is not a key of [tournament], where a config's file has it."""


class ConfigDifferences(Struct, frozen=True, kw_only=True):
    """How a config differs from the one that a run began with."""

    changes: list[str]
    """What `--amend` can do, each change in words (`deals: 20 -> 30`)."""
    refused: list[Problem]
    """What cannot change in a run, with the reason, at its key in the file of the new config."""


def config_differences(old: RunConfig, new: RunConfig) -> ConfigDifferences:
    """What changed. Nothing did where a run of `old` simply goes on with `new`. The order of bots does not count."""
    changes: list[str] = []
    refused: list[Problem] = []
    for path, before, after, is_amendable in _settings(old, new):
        reason = _REASONS.get(str(path[-1]), _REASON)
        for one in _changes(path, to_builtins(before), to_builtins(after)):
            if is_amendable:
                changes.append(one.in_words.removeprefix("tournament."))
            else:
                refused.append(replace(one, text=f"{one.text} ({reason})"))
    if new.only_format is not None and new.only_format == old.only_format and new.traits.is_closed:
        had = {bot.name for bot in old.bots}
        what = f"added (a {new.only_format} that has begun takes nobody in)"
        late = (bot.name for bot in new.bots if bot.name not in had)
        refused += (Problem(path=("bots",), text=f"`{name}`: {what}") for name in late)
    return ConfigDifferences(
        changes=[*changes, *_variant_changes(old.variants, new.variants), *_bot_changes(old.bots, new.bots)],
        refused=refused,
    )


def _settings(old: RunConfig, new: RunConfig) -> Iterator[tuple[KeyPath, Any, Any, bool]]:
    """Each setting that changed: where the file has it, both values, and whether it may change."""
    for key in RunRules.__struct_fields__:
        before, after = getattr(old, key), getattr(new, key)
        if key == "stages":
            yield from _stage_settings(old.stages, new.stages)
        elif before != after:
            may_change = key in AMENDABLE and (key != "hours" or None not in (before, after))
            yield _TABLES.get(key, ("tournament", key)), before, after, may_change


def _stage_settings(old: Sequence[StageRules], new: Sequence[StageRules]) -> Iterator[tuple[KeyPath, Any, Any, bool]]:
    """The same of stages. With another format, its keys are not listed one by one."""
    had, has = [one.format for one in old], [one.format for one in new]
    if had != has:
        is_one = len(old) == len(new) == 1
        yield (("tournament", "format"), had[0], has[0], False) if is_one else (("stages",), had, has, False)
        return
    amendable = AMENDABLE if len(new) == 1 else {"rounds"}
    is_closed = traits_of(new).is_closed
    for index, (one, other) in enumerate(zip(old, new, strict=True)):
        table: KeyPath = ("tournament",) if len(new) == 1 else ("stages", index)
        for key in StageRules.__struct_fields__:
            before, after = getattr(one, key), getattr(other, key)
            keeps = key == "lineups" and after is not None and (before is None or after < before)
            if before != after:
                may_change = key in amendable and not keeps and not (key == "deals" and is_closed)
                yield (*table, key), before, after, may_change


def _variant_changes(old: Sequence[RunVariant], new: Sequence[RunVariant]) -> Iterator[str]:
    before, after = ({variant.name: variant for variant in some} for some in (old, new))
    yield from (f"variant `{name}`: removed" for name in before if name not in after)
    for name, variant in after.items():
        if name not in before:
            yield f"variant `{name}`: added"
        elif not variant.is_same_game(before[name]):
            both = (asdict(one.with_all_options) for one in (before[name], variant))
            yield f"variant `{name}`: another game ({_in_words(*both)})"
    if [name for name in before if name in after] != [name for name in after if name in before]:
        yield "variants: in another order"


def _bot_changes(old: Sequence[RunBot], new: Sequence[RunBot]) -> Iterator[str]:
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
        told = _in_words(*map(to_builtins, both))
        if versions[0] != versions[1]:
            what = told or "its files changed"
            yield f"bot `{name}`: replaced (version {short(versions[0])} -> {short(versions[1])}: {what})"
        elif told:
            yield f"bot `{name}`: the same version, told otherwise ({told})"


def _in_words(old: Any, new: Any) -> str:
    return ", ".join(one.in_words for one in _changes((), old, new))


def _changes(path: KeyPath, old: Any, new: Any) -> Iterator[Problem]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _changes((*path, key), old.get(key), new.get(key))
    elif old != new:
        yield Problem(path=path, text=f"{_in_json(old)} -> {_in_json(new)}")


def _in_json(value: Any) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
