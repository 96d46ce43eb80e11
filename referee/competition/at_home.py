"""A config with which an author has his own bot checked at home, as the competition checks it."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import to_builtins

from protocol.messages import Clocks, FaultPolicy
from referee.play.spec import LONGEST_NAME, BotLimits, BotSpec
from referee.rules.check_options import BadOptions, in_effect, with_options
from referee.rules.variants import Variant, preset
from referee.toml.reader import BARE_KEY
from referee.tournament.config.config import Config
from referee.tournament.config.variants import ConfiguredVariant

OTHERS = "random"
"""The shipped bot that fills the table."""


def config_at_home(config: Config, bot: BotSpec) -> Iterator[str]:
    """The lines of a TOML file with the competition's games, clocks and limits, and this bot alone beside shipped ones.

    It lies beside the folder of the bot. Nothing of the seed, of the other bots or of the organiser's machine is in it.
    """
    yield "[tournament]"
    yield f"name = {toml(f'the check of {bot.name}')}"
    yield f"isolation = {toml(config.isolation)}"
    yield f"reuse = {toml(config.reuse)}"
    yield from _table("time", to_builtins(config.clocks), to_builtins(Clocks()))
    yield from _table("limits", to_builtins(config.limits), to_builtins(BotLimits()))
    faults = {"policy": config.faults.policy, "strikes": config.faults.strikes}
    yield from _table("faults", faults, to_builtins(FaultPolicy()))
    if any(entry.wants_network for entry in config.entries if entry.name == bot.name):
        yield from ("", "[builds]", "network = true")
    for one in config.variants:
        yield from _variant(one)
    yield from ("", "[[bots]]")
    if bot.entry:
        yield f"entries = {toml(bot.name)}"
        if bot.reads:
            yield f"reads = {toml(bot.reads)}"
    elif bot.builtin is not None:
        yield f"name = {toml(bot.name)}"
        yield f"builtin = {toml(bot.builtin)}"
    else:
        yield f"name = {toml(bot.name)}"
        yield f"command = {toml(list(bot.command))}"
        yield f"dir = {toml(os.path.basename(bot.dir) or '.')}"
        if bot.env:
            yield f"# The organiser also sets env: {', '.join(bot.env)}"
    if bot.network:
        yield "network = true"
    if bot.clocks is not None:
        yield f"time = {toml({'move_s': bot.clocks.move_s, 'bank_s': bot.clocks.bank_s})}"
    for number in range(2, 1 + max(one.seats for one in config.variants)):
        yield from ("", "[[bots]]", f"name = {toml(f'seat {number} of {bot.name}'[:LONGEST_NAME])}")
        yield f"builtin = {toml(OTHERS)}"


def _table(name: str, values: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    """A table with what is not as usual; nothing where all of it is."""
    told = {key: value for key, value in values.items() if value != usual.get(key)}
    if told:
        yield from ("", f"[{name}]", *(f"{key} = {toml(value)}" for key, value in told.items()))


def _variant(one: ConfiguredVariant) -> Iterator[str]:
    yield from ("", "[[variants]]", f"preset = {toml(one.variant.preset)}")
    if one.name != one.variant.preset:
        yield f"name = {toml(one.name)}"
    yield f"seats = {one.seats}"
    if changed := fewest_options(one.variant):
        yield f"options = {toml(changed)}"


def fewest_options(variant: Variant) -> dict[str, Any]:
    """Return the fewest options with which the preset is this game, with values as TOML and JSON have them.

    Those that have no effect (OPT-08) are not among them.
    """
    usual, wanted = preset(variant.preset).own_options(), in_effect(variant.options)
    changed = {
        name: value
        for name, value in variant.own_options().items()
        if value != usual[name] and value == getattr(wanted, name)
    }
    changes = {name: "none" if value is None or value == () else value for name, value in to_builtins(changed).items()}
    for name in changed:
        others = {other: value for other, value in changes.items() if other != name}
        with contextlib.suppress(BadOptions):
            if in_effect(with_options(variant.preset, others).options) == wanted:
                changes = others
    return changes


def toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(key))} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else toml(name)
