"""What the results of a tournament depend on, to be stored with them, and how two such descriptions differ.

A run goes on only with the config that it began with. This module must not know how a run is stored.
"""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import to_builtins

from referee.play.bots import BotSpec
from referee.tournament.config import Config, Entry

Facts = dict[str, Any]
"""A description in JSON's own types, equal after a trip through JSON."""


def config_facts(config: Config) -> Facts:
    """All of a config that its results depend on.

    Left out is what they do not depend on: `jobs`, where the config lies, and where a shipped bot or the interpreter
    that runs it is installed. Seats are told variant by variant.
    """
    facts: Facts = to_builtins(config)
    del facts["jobs"], facts["folder"], facts["seats"], facts["trust"]
    facts["variants"] = [_entry(entry) for entry in config.variants]
    facts["bots"] = [_bot(bot, config.folder) for bot in config.bots]
    return json.loads(json.dumps(facts))  # type: ignore[no-any-return]


def differences(old: Facts, new: Facts) -> list[str]:
    """Each difference in words (`deals: 20 -> 30`); nothing when a run of `old` may go on with `new`."""
    plain = {key: value for key, value in new.items() if key not in ("variants", "bots")}
    found = list(_changes("", {key: old.get(key) for key in plain}, plain))
    for section, word in (("variants", "variant"), ("bots", "bot")):
        found += _section_changes(section, word, old[section], new[section])
    return found


def _entry(entry: Entry) -> Facts:
    facts: Facts = {"name": entry.name, "preset": entry.variant.preset, "seats": entry.seats}
    return facts | {"options": to_builtins(entry.variant.options)}


def _bot(bot: BotSpec, folder: str) -> Facts:
    facts: Facts = {"name": bot.name, "builtin": bot.builtin, "env": bot.env, "owner": bot.owner}
    if bot.builtin is None:
        facts |= {"command": list(bot.command), "dir": os.path.relpath(bot.dir, folder)}
    return facts


def _section_changes(section: str, word: str, old: list[Facts], new: list[Facts]) -> Iterator[str]:
    """Differences between lists of named things, told thing by thing."""
    before, after = ({item["name"]: item for item in items} for items in (old, new))
    yield from (f"{word} `{name}` removed" for name in before if name not in after)
    for index, (name, item) in enumerate(after.items()):
        if name in before:
            yield from _changes(f"{section}[{index}].", before[name], item)
        else:
            yield f"{word} `{name}` added"
    common = [name for name in before if name in after]
    if common != [name for name in after if name in before]:
        yield f"{section}: in another order"


def _changes(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _changes(f"{where}{key}.", before, after)
        elif before != after:
            yield f"{where}{key}: {_shown(before)} -> {_shown(after)}"


def _shown(value: Any) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
