"""transcript: exactly what a bot of a match was sent and wrote, with times."""

import msgspec

from referee.commands.console import CHECK_FAILED, DONE, USAGE, put, put_json, say
from referee.commands.records import load_bot_match, others_in
from referee.commands.replay import heading_lines, place_line
from referee.reports.wire import wire_json, wire_lines
from referee.rules.record import BrokenRecord, NoRecord
from referee.tournament.store.disk import StoreError


def transcript(where: str, bot: str | None, *, as_json: bool) -> int:
    """Print a bot's conversation with the referee, line by line."""
    try:
        match = load_bot_match(where, bot)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    except (BrokenRecord, msgspec.MsgspecError, ValueError) as error:  # options or keys that there cannot be, too
        say(f"golfref: {where}: {error}")
        return CHECK_FAILED
    say(*others_in(where))
    if as_json:
        for line in wire_json(match):
            put_json(line)
        return DONE
    game, seats = heading_lines(match, match.bots)
    put(game, *([place_line(match.place)] if match.place else []), seats)
    for text in wire_lines(match):
        put(text)
    return DONE
