"""Checking a match of a run: the terms on which it was played, against the config of that time.

What follows from its record alone is checked in `replay.py`.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from protocol.messages import Clocks, GameMessage, Limits
from protocol.text import printable
from referee.play.spec import BotLimits
from referee.rules.check_options import in_effect
from referee.rules.record import Record, SeatRecord
from referee.rules.variants import UnknownVariant, from_record
from referee.tournament.config.run_config import RunBot, RunConfig, RunVariant
from referee.tournament.plan.planned_match import Identity, for_blocks
from referee.tournament.verify.compare import LONGEST_SHOWN, differences, excerpt

_WHOSE = ("played with", "the config has")


def check_terms(config: RunConfig, match: Identity, record: Record) -> Iterator[str]:
    """Every way in which a match was played otherwise than the config has it, under which it was played."""
    yield from (text for one in config.variants if one.name == match.variant for text in _check_game(one, record))
    bots = {bot.name: bot for bot in config.bots}
    for seat in (seat for seat in record.seats if seat.name in bots):
        who = printable(seat.name, LONGEST_SHOWN)
        yield from (f"{who}: {text}" for text in _check_bot(bots[seat.name], seat, config.clocks))
    yield from _check_hello(config, record)
    if record.isolation != config.isolation:
        yield f"played under isolation {excerpt(record.isolation)}; the config has {excerpt(config.isolation)}"
    if config.reuse == "match" and any(seat.matches_before for seat in record.seats):
        yield "a bot's process had played before; the config has a new one for each match"
    settings = {
        "clocks": (record.clocks, config.clocks),
        "faults": (record.faults, config.faults),
        "limits": (asdict(BotLimits()) | record.limits, config.limits),
    }
    for name, pair in settings.items():
        played, configured = map(msgspec.to_builtins, pair)
        yield from differences(played, configured, _WHOSE, name)


def _check_hello(config: RunConfig, record: Record) -> Iterator[str]:
    told = [GameMessage(variant=one.preset, name=one.name, seats=one.seats) for one in config.variants]
    if list(record.games) != told:
        yield "`hello` told other games than the config has"
    if record.bounds != Limits():
        yield "`hello` told other bounds of a bot's output than golfref has"


def _check_game(entry: RunVariant, record: Record) -> Iterator[str]:
    """What was played. Options without effect may differ."""
    try:
        configured = for_blocks(entry.variant)
        played = from_record(record.preset, record.options)
    except (UnknownVariant, msgspec.ValidationError):
        yield "played with options that golfref does not know"
        return
    if record.preset != entry.preset:
        yield f"played the game {excerpt(record.preset)}; the config has {excerpt(entry.preset)}"
        return
    one, other = (msgspec.to_builtins(in_effect(variant.options)) for variant in (played, configured))
    yield from differences(one, other, _WHOSE, "options")


def _check_bot(bot: RunBot, seat: SeatRecord, clocks: Clocks) -> Iterator[str]:
    if seat.clocks != bot.clocks:
        played, configured = (msgspec.to_builtins(own or clocks) for own in (seat.clocks, bot.clocks))
        yield from differences(played, configured, _WHOSE, "clocks")
    if seat.owner != bot.owner:
        yield f"its owner was {excerpt(seat.owner)}; the config had {excerpt(bot.owner)}"
    if bot.command is not None and seat.command != bot.command:
        yield f"it was started by {excerpt(seat.command)}; the config had {excerpt(bot.command)}"
    if bot.builtin is not None and not _starts(bot.builtin, seat.command):
        yield f"it was started by {excerpt(seat.command)}; the config had the shipped bot {excerpt(bot.builtin)}"


def _starts(builtin: str, command: tuple[str, ...]) -> bool:
    """Whether a command is an interpreter with the file of a shipped bot, wherever golfref is installed."""
    path = Path(command[-1]) if command else Path()
    return len(command) == 2 and path.parent.name == builtin and path.stem == "bot"
