"""match: games between given bots, without a tournament. games.py plays them."""

import secrets
from pathlib import Path

from protocol.cards import Card, is_card
from protocol.text import printable
from referee.commands.console import say
from referee.commands.match.bots import UsageError, bots_of, confinement_of
from referee.commands.match.options import MatchOptions, Table
from referee.commands.options import changes
from referee.rules.chance import Stacked
from referee.rules.check_options import seat_problem, with_options
from referee.rules.describe import advice
from referee.tournament.plan.planned_match import for_blocks


def match(options: MatchOptions) -> int:
    """Play games between given bots; print one game by itself, and of several what they come to.

    Example: golfref match --variant six-card --bot builtin:greedy --bot builtin:keeper --games 20
    """
    options.check()
    table = _table(options)
    say(*(f"note: {text}" for text in advice(table.variant, len(table.bots))))
    from referee.commands.match.games import play_games  # noqa: PLC0415 - the greater part of all imports

    return play_games(options, table)


def _table(order: MatchOptions) -> Table:
    """What is to be played; raises GolfrefError."""
    confinement = confinement_of(order.isolation)
    variant = with_options(order.variant, changes(order.option))
    bots = bots_of(order.bots, order.folders or [], confinement.isolation)
    if problem := seat_problem(variant, len(bots)):
        raise UsageError(f"{problem.option}: {problem.text}; each --bot takes one seat")
    decks = None if order.deck is None else read_decks(order.deck)
    if decks is not None:
        Stacked(bytes(32), variant, len(bots), decks)
    return Table(
        variant=for_blocks(variant) if order.rotates else variant,
        bots=bots,
        confinement=confinement,
        seed=order.seed or secrets.token_hex(8),
        decks=decks,
    )


def read_decks(path: Path) -> tuple[tuple[Card, ...], ...]:
    """The decks in a file: each line holds the card codes of a round in dealing order, `#` starts a comment.

    Raises UsageError.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--deck {path}: cannot be read: {error}") from None
    decks = []
    for number, line in enumerate(lines, start=1):
        cards = line.partition("#")[0].split()
        for card in cards:
            if not is_card(card):
                column = line.index(card) + 1
                raise UsageError(
                    f"{path}:{number}:{column}: `{printable(card, 20)}` is no card code, such as 10H or X1"
                )
        if cards:
            decks.append(tuple(cards))
    return tuple(decks)
