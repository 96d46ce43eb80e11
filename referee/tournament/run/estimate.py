"""What a tournament will take, said before it begins: from a game of each variant played here by the dice."""

import zlib
from random import Random

import msgspec
from msgspec import Struct

from referee.rules.book.variant import Variant
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.table.asks import Ask, Response, Sealed
from referee.rules.table.chance import Keyed, Recorder
from referee.tournament.run.dice import any_action

DECISION_S = 0.0004
"""Wall time a decision with a bot that answers at once, and its part of the match's end; measured on two cores."""

LINE_BYTES = 28
"""What a bot's line takes in the store, compressed; measured."""

GAMES = 3
"""Games of each variant that are averaged."""


class Estimate(Struct, frozen=True, kw_only=True):
    """For one match: decisions asked of bots, and bytes in the store."""

    decisions: float
    stored_bytes: float


def estimate(variant: Variant, seats: int) -> Estimate:
    """The mean over a few games between random players, which tend to last longer than good ones."""
    games = [_play(variant, seats, Random(number), b"estimate/%d" % number) for number in range(GAMES)]  # noqa: S311
    return Estimate(
        decisions=sum(game.decisions for game in games) / GAMES,
        stored_bytes=sum(game.stored_bytes for game in games) / GAMES,
    )


def _play(variant: Variant, seats: int, dice: Random, key: bytes) -> Estimate:
    chance = Recorder(Keyed(key, variant, seats))
    game = Game(variant, seats, chance)
    responses: list[Response] = []
    decisions = 0
    while (question := game.question) is not None:
        asks = (question,) if isinstance(question, Ask) else question.asks
        actions = {ask.seat: any_action(ask.offers, dice) for ask in asks}
        decisions += len(asks)
        response: Response
        if isinstance(question, Ask):
            response = actions[question.seat]
        elif isinstance(question, Sealed):
            response = tuple(actions.values())
        else:
            # Players who slapped at random would end every round at once.
            slaps = {seat: action for seat, action in actions.items() if dice.random() < 0.05}
            times = dict.fromkeys(slaps, 0.0)
            lots = chance.lots(game.table.round, question.number)
            response = order_slaps(variant.options, question, slaps, times, lots)
        responses.append(response)
        game.answer(response)
    data = msgspec.json.encode([chance.rounds, responses])
    stored_bytes = 1.5 * len(zlib.compress(data)) + LINE_BYTES * decisions + 1500
    return Estimate(decisions=decisions, stored_bytes=stored_bytes)
