"""The steps about what a bot reads: many events, long lines, other line ends, pieces, and what a later version adds."""

import json

from protocol.messages import Limits
from referee.bot_check import rules
from referee.bot_check.games import some_games
from referee.bot_check.lines import Alter, padded, with_crlf, with_new_events, with_new_fields
from referee.bot_check.report import counted
from referee.bot_check.rules import Rule
from referee.bot_check.run import CheckRun
from referee.bot_check.test_match import Setup

FEW = 12
"""How many answers tell enough in these steps."""


async def many_events(run: CheckRun) -> None:
    """Play at full tables, and let many turns go by before the bot is asked again."""
    first = len(run.matches)
    presets = {game.preset for game in run.all_games}
    for game in [crowd for crowd in run.check_rules.crowds if crowd.preset in presets] or run.all_games[:1]:
        await run.play(Setup(game=game, first=2 * FEW, seat=game.seats // 2, salt="crowd"))
    for game in some_games(run.all_games, 2):
        trial = "it got so many events in one line"
        many = Setup(game=game, puts=lambda _: False, answers=3, about=rules.LENGTH, trial=trial, salt="many events")
        await run.play(many)
    lines = [entry.line for one in run.matches[first:] for entry in one.tape.entries if entry.is_sent]
    most = max((len(json.loads(line).get("events", ())) for line in lines), default=0)
    run.step.summary = f"up to {counted(most, 'event')} in a line"


async def long_lines(run: CheckRun) -> None:
    """Send lines that are as long as lines may be."""
    size = Limits().line_bytes
    trial = f"it was sent lines of {size} bytes"
    game = run.all_games[0]
    await run.play(
        Setup(game=game, alter=padded(size), answers=FEW, about=rules.LENGTH, trial=trial, salt="long"), is_new=True
    )
    run.step.summary = f"lines of {size} bytes"


async def line_ends(run: CheckRun) -> None:
    """End lines with CR and LF."""
    await _altered(run, with_crlf, rules.LINE, "its lines ended in CR and LF")


async def pieces(run: CheckRun) -> None:
    """Write lines in pieces, and wait after each until the bot has read it."""
    for number, game in enumerate(some_games(run.all_games, 2)):
        setup = Setup(game=game, in_pieces=True, first=FEW, about=rules.PIECES, trial="its lines came in pieces")
        await run.play(setup, is_new=number == 0)
    run.step.summary = "each line in four pieces"


async def new_fields(run: CheckRun) -> None:
    """Add fields that no version has yet to every message."""
    await _altered(run, with_new_fields, rules.UNKNOWN_FIELDS, "messages had new fields, and theirs in another order")


async def new_events(run: CheckRun) -> None:
    """Add events that no version has yet."""
    await _altered(run, with_new_events, rules.LATER, "events were among the others that are new")


async def _altered(run: CheckRun, alter: Alter, about: Rule, trial: str) -> None:
    games = some_games(run.all_games, 4)
    for number, game in enumerate(games):
        if not run.stopped:
            setup = Setup(game=game, alter=alter, first=2 * FEW, about=about, trial=trial, salt=trial)
            await run.play(setup, is_new=number == 0)  # a new process gets `hello`, too
    run.step.summary = f"in {counted(len(games), 'game')}"
