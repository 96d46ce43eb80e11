"""What stands above a recorded match: the game, where the match comes from, and who sat where."""

from collections.abc import Sequence

from protocol.text import printable
from referee.commands.recorded.records import OpenedMatch
from referee.reports.bot_match import BotMatch, RunPlace, run_place
from referee.rules.record import Record


def heading_lines(match: Record | BotMatch, names: Sequence[str]) -> tuple[str, str]:
    """What was played, and who sat where."""
    game = f"{match.name} ({match.preset}), golfref {match.golfref}, isolation {match.isolation}"
    seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(names))
    return printable(game, 300), printable(f"seats: {seats}", 3000)


def origin(opened: OpenedMatch) -> list[str]:
    """Which match of a run it is, with the deal by which its key can be derived, or which game of a file."""
    place = opened.place
    if opened.row is not None:
        return [place_line(run_place("", opened.row, 0), is_id=place.is_id)]
    if opened.games == 1:
        return []
    return [f"game {place.number or 0} of {place.path}, which holds games 0 to {opened.games - 1}"]


def place_line(place: RunPlace, *, is_id: bool = False) -> str:
    """Which match of a run it is, with the deal by which its key can be derived."""
    where = f"deal {place.deal}, rotation {place.rotation}{_redealt(place.redeals)}"
    if is_id or place.match is None:
        now = "out of the standings" if place.match is None else f"match {place.match}"
        return f"match #{place.id}, {now}: {where}"
    return f"match {place.match}: block {place.block}, {where}"


def _redealt(redeals: int) -> str:
    """How the cards differ from those that the plan had at first."""
    return f", redeal {redeals} (voided matches had shown the cards before)" if redeals else ""
