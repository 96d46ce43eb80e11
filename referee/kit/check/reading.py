"""The steps about what a bot reads: many events, long lines, other line ends, pieces, and what a later version adds."""

import json

from protocol.messages import Limits
from referee.kit.check import rules
from referee.kit.check.bench import Bench
from referee.kit.check.games import some_games
from referee.kit.check.lines import (
    Alter,
    padded,
    with_crlf,
    with_new_decision,
    with_new_events,
    with_new_fields,
    with_new_kinds,
)
from referee.kit.check.report import counted
from referee.kit.check.rules import Rule
from referee.kit.check.sitting import Manner

FEW = 12
"""How many answers tell enough in these steps."""


async def many_events(bench: Bench) -> None:
    """Play at full tables, and let many turns go by before the bot is asked again."""
    first = len(bench.sittings)
    presets = {game.preset for game in bench.all_games}
    for game in [crowd for crowd in bench.check_rules.crowds if crowd.preset in presets] or bench.all_games[:1]:
        await bench.sit(game, Manner(first=2 * FEW), seat=game.seats // 2, salt="crowd")
    for game in some_games(bench.all_games, 2):
        many = Manner(puts=lambda _: False, answers=3, about=rules.LENGTH, trial="it was told so much in one line")
        await bench.sit(game, many, salt="many events")
    most = max(_events_in_a_line(bench, first), default=0)
    bench.outcome.summary = f"up to {counted(most, 'event')} in a line"


def _events_in_a_line(bench: Bench, first: int) -> list[int]:
    lines = [entry.line for one in bench.sittings[first:] for entry in one.tape.entries if entry.is_sent]
    return [len(json.loads(line).get("events", ())) for line in lines]


async def long_lines(bench: Bench) -> None:
    """Send lines that are as long as lines may be."""
    size = Limits().line_bytes
    manner = Manner(alter=padded(size), answers=FEW, about=rules.LENGTH, trial=f"it was sent lines of {size} bytes")
    await bench.sit(some_games(bench.all_games, 1)[0], manner, salt="long lines", is_new=True)
    bench.outcome.summary = f"lines of {size} bytes"


async def line_ends(bench: Bench) -> None:
    """End lines with CR and LF."""
    await _altered(bench, with_crlf, rules.LINE, "its lines ended in CR and LF")


async def pieces(bench: Bench) -> None:
    """Write lines in pieces, and wait after each until the bot has read it."""
    for number, game in enumerate(some_games(bench.all_games, 2)):
        manner = Manner(in_pieces=True, first=2 * FEW, about=rules.PIECES, trial="its lines came in pieces")
        await bench.sit(game, manner, salt="pieces", is_new=number == 0)
    bench.outcome.summary = "each line in four pieces"


async def new_fields(bench: Bench) -> None:
    """Add fields that no version has yet to every message."""
    await _altered(bench, with_new_fields, rules.UNKNOWN_FIELDS, "messages had new fields, and theirs in another order")


async def new_events(bench: Bench) -> None:
    """Add events that no version has yet."""
    await _altered(bench, with_new_events, rules.LATER, "events were among the others that are new")


async def new_decisions(bench: Bench) -> None:
    """Ask for decisions that no version has yet, first with known kinds of action, then with new ones."""
    await _altered(bench, with_new_decision, rules.LATER, "it was asked for decisions that are new")
    await _altered(bench, with_new_kinds, rules.LATER, "it was offered actions that are new")


async def _altered(bench: Bench, alter: Alter, about: Rule, trial: str) -> None:
    manner = Manner(alter=alter, renames_kinds=alter is with_new_kinds, first=2 * FEW, about=about, trial=trial)
    games = some_games(bench.all_games, 4)
    for number, game in enumerate(games):
        if not bench.stopped:
            await bench.sit(game, manner, salt=trial, is_new=number == 0)  # a new process gets `hello`, too
    bench.outcome.summary = f"in {counted(len(games), 'game')}"
