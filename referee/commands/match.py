"""match: games between given bots, without a tournament. games.py plays them."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from protocol.cards import Card, is_card
from referee.commands.bots import UsageError, bots_of, confinement_of
from referee.commands.console import HOST_FAILED, INTERRUPTED, USAGE, say
from referee.commands.ordered import Ordered, Table
from referee.ending_signals import interruptible
from referee.play.faults import HostFault
from referee.play.spec import BadBot
from referee.rules.chance import BadDeck, Stacked
from referee.rules.check_options import BadOptions, seat_problem, with_options
from referee.rules.describe import advice
from referee.rules.variants import UnknownVariant
from referee.tournament.plan.planned_match import for_blocks

if TYPE_CHECKING:
    from referee.kit.watch.live import HandOver


def play_match(order: Ordered, hand_over: "HandOver | None" = None) -> int:
    """Play the games; print one game by itself, and what several come to.

    With `hand_over` somebody watches, for as long as standard input lasts.
    """
    try:
        table = _table(order)
    except HostFault as fault:
        say(f"golfref match: {fault}")
        return HOST_FAILED
    except (UsageError, UnknownVariant, BadOptions, BadBot, BadDeck) as error:
        say(*(f"golfref match: {line}" for line in str(error).splitlines()))
        return USAGE
    say(*(f"note: {text}" for text in advice(table.variant, len(table.bots))))
    try:
        with interruptible():
            from referee.commands.games import play_games  # noqa: PLC0415 - the greater part of all imports

            return play_games(order, table, hand_over)
    except KeyboardInterrupt:  # before trio's loop has begun, or after its end
        say("golfref match: interrupted")
        return INTERRUPTED


def _table(order: Ordered) -> Table:
    """What is to be played; raises the errors that play_match reports."""
    confinement = confinement_of(order.isolation)
    variant = with_options(order.variant, order.changes)
    bots = bots_of(order.bots, order.folders, confinement.isolation)
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
                raise UsageError(f"{path}:{number}:{column}: `{card}` is no card code, such as 10H or X1")
        if cards:
            decks.append(tuple(cards))
    return tuple(decks)
