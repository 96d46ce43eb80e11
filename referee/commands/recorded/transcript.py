"""transcript: exactly what a bot of a match was sent and wrote, with times."""

from referee.commands.console import put, put_json, say
from referee.commands.options import BotOf, Json, MatchOf
from referee.commands.recorded.heading import heading_lines, place_line
from referee.commands.recorded.records import open_match, replaying
from referee.errors import DONE
from referee.reports.transcript_text import wire_json, wire_lines


def transcript(record: MatchOf, bot: BotOf = None, as_json: Json = False) -> int:
    """Print exactly what a bot was sent and what it wrote, with times, its faults and its standard error.

    Example: golfref transcript cup.golfref:17 --bot ann
    """
    opened = open_match(record)
    with replaying(record):
        match = opened.bot_match(bot)
    say(*opened.note)
    if as_json:
        for line in wire_json(match):
            put_json(line)
        return DONE
    game, seats = heading_lines(match, match.bots)
    put(game, *([place_line(match.place)] if match.place else []), seats)
    put(*wire_lines(match))
    return DONE
