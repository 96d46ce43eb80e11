"""Checking a record again: the deals from its key, the replay of every move, every slap window, every score.

Nothing here trusts a stored outcome; what is wrong is told in words.
"""

from collections.abc import Iterator

import msgspec

from protocol.actions import Slap
from referee.rules.asks import Window
from referee.rules.chance import BadDeck, Chance, Keyed, Recorder, Stacked
from referee.rules.game import Game
from referee.rules.options import BadOptions
from referee.rules.record import BrokenRecord, GivenSlaps, Record, walk
from referee.rules.slaps import order_slaps
from referee.rules.variants import UnknownVariant, Variant, restored


def check_record(record: Record) -> Iterator[str]:
    """What is wrong with a record, one text for each finding; nothing when all of it holds.

    The match is played again with the chance outcomes that the deal key gives, not with those of the record.
    """
    try:
        variant = restored(record.preset, record.options)
        chance = Recorder(_chance(record, variant))
    except (UnknownVariant, BadOptions, BadDeck, msgspec.ValidationError, ValueError) as error:
        yield f"it cannot be set up: {error}"
        return
    decks = [chance.deck(number) for number in range(1, len(record.rounds) + 1)]
    wrong = [number for number, deck in enumerate(decks, 1) if deck != record.rounds[number - 1].deck]
    if wrong:
        yield from (f"round {number}: the deck is not the one that the deal key gives" for number in wrong)
        return
    chance.rounds.clear()
    game = None
    try:
        for game, move in walk(record, chance):
            if isinstance(move, GivenSlaps):
                yield from _check_window(game, move, chance)
    except BrokenRecord as error:
        yield str(error)
        return
    if tuple(chance.rounds) != record.rounds:
        yield "a shuffle during play is not the one that the deal key gives"
    if game is not None and game.result != record.result:
        yield f"the match ends {game.result.totals}, ranks {game.result.ranks}; the record claims otherwise"


def _check_window(game: Game, move: GivenSlaps, chance: Chance) -> Iterator[str]:
    """CAC-25: were the lots those of the key, and does the order follow from lots and times?"""
    where = f"round {move.round}, window {move.window}"
    window = game.question
    if not isinstance(window, Window) or (game.table.round, window.number) != (move.round, move.window):
        yield f"{where}: no such window is open here"
        return
    if move.lots != chance.lots(move.round, move.window):
        yield f"{where}: the lots are not those that the deal key gives"
    slaps = {reaction.seat: Slap(target=reaction.target) for reaction in move.reactions if reaction.target is not None}
    times = {reaction.seat: reaction.corrected_us or 0.0 for reaction in move.reactions}
    order = order_slaps(game.table.options, window, slaps, times, move.lots)
    if tuple(slap.seat for slap in order.slaps) != move.order:
        yield f"{where}: the order does not follow from the times and the lots"


def _chance(record: Record, variant: Variant) -> Chance:
    """The chance outcomes that the key gives; a given deck can only be taken as it is."""
    key, seats = bytes.fromhex(record.deal_key), len(record.seats)
    if record.stacked:
        return Stacked(key, variant, seats, [outcomes.deck for outcomes in record.rounds])
    return Keyed(key, variant, seats)
