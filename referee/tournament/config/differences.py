"""How two configs of a run differ, and where in a config's file it says so.

A run goes on only with the config that it began with, or that it was amended to.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import asdict, replace

from referee.entries.versions import short
from referee.toml.document import BadDocument, line_of, read_text
from referee.toml.document import placed as document_lines
from referee.toml.reader import KeyPath, Problem
from referee.tournament.config.config import Config
from referee.tournament.config.run_config import RunBot, RunConfig, RunRules, RunVariant
from referee.tournament.formats.table import traits_of
from referee.tournament.plan.rounds import StageRules

_AMENDABLE = frozenset({"name", "anchor", "hours", "deals", "lineups", "rounds", "challengers"})
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

_SECTIONS = {"clocks": "time", "faults": "faults", "limits": "limits"}
"""By field of a run's config, the table of the file where it stands."""


class ConfigDifferences(Struct, frozen=True, kw_only=True):
    """How a config differs from the one that a run began with, each difference in words (`deals: 20 -> 30`)."""

    changes: list[str]
    """What `--amend` can do."""
    refused: list[str]
    """What cannot change in a run, with the reason."""


def config_differences(old: RunConfig, new: RunConfig) -> ConfigDifferences:
    """What changed. Nothing did where a run of `old` simply goes on with `new`. The order of bots does not count."""
    changes: list[str] = []
    refused: list[str] = []
    for key, where, before, after, is_amendable in _settings(old, new):
        found = [f"{where}{text}" for text in _changes("", {key: to_builtins(before)}, {key: to_builtins(after)})]
        if is_amendable:
            changes += found
        else:
            refused += (f"{text} ({_REASONS.get(key, _REASON)})" for text in found)
    if new.only_format is not None and new.only_format == old.only_format and new.traits.is_closed:
        had = {bot.name for bot in old.bots}
        late = (bot.name for bot in new.bots if bot.name not in had)
        refused += (f"bot `{name}`: added (a {new.only_format} that has begun takes nobody in)" for name in late)
    return ConfigDifferences(
        changes=[*changes, *_variant_changes(old.variants, new.variants), *_bot_changes(old.bots, new.bots)],
        refused=refused,
    )


def _settings(old: RunConfig, new: RunConfig) -> Iterator[tuple[str, str, Any, Any, bool]]:
    """Each setting that changed: its key, what stands before it in words, both values, and whether it may change."""
    for key in RunRules.__struct_fields__:
        before, after = getattr(old, key), getattr(new, key)
        if key == "stages":
            yield from _stage_settings(old.stages, new.stages)
        elif before != after:
            yield key, "", before, after, key in _AMENDABLE and (key != "hours" or None not in (before, after))


def _stage_settings(old: Sequence[StageRules], new: Sequence[StageRules]) -> Iterator[tuple[str, str, Any, Any, bool]]:
    """The same of stages. With another format, its keys are not listed one by one."""
    had, has = [one.format for one in old], [one.format for one in new]
    if had != has and len(old) == len(new) == 1:
        yield "format", "", had[0], has[0], False
        return
    if had != has:
        yield "stages", "", had, has, False
        return
    amendable = _AMENDABLE if len(new) == 1 else {"rounds"}
    is_closed = traits_of(new).is_closed
    for number, (one, other) in enumerate(zip(old, new, strict=True), 1):
        where = f"stage {number}: " * (len(new) > 1)
        for key in StageRules.__struct_fields__:
            before, after = getattr(one, key), getattr(other, key)
            keeps = key == "lineups" and after is not None and (before is None or after < before)
            if before != after:
                yield key, where, before, after, key in amendable and not keeps and not (key == "deals" and is_closed)


def _variant_changes(old: Sequence[RunVariant], new: Sequence[RunVariant]) -> Iterator[str]:
    before, after = ({variant.name: variant for variant in some} for some in (old, new))
    yield from (f"variant `{name}`: removed" for name in before if name not in after)
    for name, variant in after.items():
        if name not in before:
            yield f"variant `{name}`: added"
        elif not variant.is_same_game(before[name]):
            both = (asdict(one.with_all_options) for one in (before[name], variant))
            yield f"variant `{name}`: another game ({', '.join(_changes('', *both))})"
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


# Where the file says it


def line_at(path: str | Path, key: KeyPath, text: str) -> str:
    """A problem with what a key of the file says, as a line for people. The key must be there."""
    (line,) = document_lines(path, read_text(path), [Problem(path=key, text=text)])
    return line


def placed(config: Config, change: str) -> str:
    """A change of the config since its run began, such as `clocks.move_s: 1.0 -> 2.0`, with its place in the file."""
    with contextlib.suppress(BadDocument):
        from referee.toml.positions import Positions  # noqa: PLC0415 - loads tree-sitter

        path, places = _path_of(config, change), Positions(read_text(config.file))
        place = places.value(path if places.has(path[:1]) else ("tournament",))
        return line_of(f"{config.file}:{place.line}:{place.column}: {change}")
    return change


def _path_of(config: Config, change: str) -> KeyPath:
    """Where the file says what has changed, or would say it."""
    if of_stage := re.match(r"stage (\d+): (\w+)", change):
        return ("stages", int(of_stage[1]) - 1, of_stage[2])
    key, _, _ = change.partition(":")
    section, _, rest = key.partition(".")
    if section in _SECTIONS:
        return (_SECTIONS[section], *rest.split("."))
    if key in ("stop", "stages"):
        return (key,)
    names = [f"bot `{bot.name}`" for bot in config.bots]
    if key in names:
        return ("bots", config.tables.get(config.bots[names.index(key)].name, 0))
    return ("tournament", key)
