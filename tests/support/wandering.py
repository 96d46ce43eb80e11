"""Environments that seats move through at random, but seldom towards the end of a round."""

from random import Random

from made_up_records import played

from referee.research.env import Env
from referee.research.moves import Move
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.keyed_streams import seed_key
from referee.rules.questions import Ask, Response, Window
from referee.rules.record import Record

HASTY = frozenset({"knock", "end", "flip", "swap", "slap"})
"""Kinds of action that bring a round to its end when they come at random."""


def dice(seed: int | str) -> Random:
    return Random(seed)  # noqa: S311


def move(env: Env, chance: Random, haste: float = 0.15) -> int:
    """A legal number; with little `haste` it is seldom one that brings a round to its end."""
    ask = env.ask
    assert ask is not None
    if env.begun.kind is None and chance.random() > haste:
        slow = [number for number in env.numbers() if _kind(env, number) not in HASTY]
        if slow:
            return chance.choice(slow)
    return chance.choice(env.numbers())


def reset_as_referee(env: Env, seed: str) -> None:
    """Begin the match that a referee deals from the key of this seed (`Game.from_seed`)."""
    env.seed = seed
    key = seed_key(seed)
    env._begin(Keyed(key, env.variant, env.seats), key)


def moves_of(env: Env) -> dict[int, Move]:
    """The legal moves by their numbers."""
    return {number: env.move(number) for number in env.numbers()}


def wander(env: Env, chance: Random, moves: int, haste: float = 0.15) -> None:
    """Make so many moves, or as many as the match has left."""
    for _ in range(moves):
        if env.seat is None:
            return
        env.step(move(env, chance, haste))


def record_of(env: Env) -> Record:
    """The record of a match in which bots gave the answers of this environment, in no time."""
    answers = iter(env.history)

    def respond(game: Game) -> Response:
        question = game.question
        if isinstance(question, Ask):
            return next(answers)[1]
        assert question is not None
        given = dict(next(answers) for _ in question.asks)
        if isinstance(question, Window):
            lots = env._chance.lots(game.table.round, question.number)
            return order_slaps(game.table.options, question, given, {}, lots)
        return tuple(given[ask.seat] for ask in question.asks)

    return played(env.variant, env.seats, env._chance, respond, first_us=0, more_us=0)


def _kind(env: Env, number: int) -> str:
    return str(type(env.move(number)).__struct_config__.tag)
