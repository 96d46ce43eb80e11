"""Games between players who do anything that is legal, by the dice: how long a game is, and what its record takes."""

import zlib
from random import Random

import msgspec
from msgspec import Struct

from referee.rules.chance import Keyed, Recorder
from referee.rules.dice import any_action
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Response, Sealed
from referee.rules.variants import Variant

LINE_BYTES = 28
"""What a bot's line takes in the store, compressed. Measured."""

GAMES = 3
"""Games of each variant that are averaged."""


class RandomGame(Struct, frozen=True, kw_only=True):
    """How many decisions a game asks of its players, and the bytes of its record in a store."""

    decisions: float
    stored_bytes: float


def mean_game(variant: Variant, seats: int) -> RandomGame:
    """The mean over a few games. Games between random players tend to last longer than those between good ones."""
    games = [_play(variant, seats, Random(number), b"estimate/%d" % number) for number in range(GAMES)]  # noqa: S311
    return RandomGame(
        decisions=sum(game.decisions for game in games) / GAMES,
        stored_bytes=sum(game.stored_bytes for game in games) / GAMES,
    )


def _play(variant: Variant, seats: int, dice: Random, key: bytes) -> RandomGame:
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
    return RandomGame(decisions=decisions, stored_bytes=1.5 * len(zlib.compress(data)) + LINE_BYTES * decisions + 1500)
