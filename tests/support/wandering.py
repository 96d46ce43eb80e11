"""Environments that seats move through at random, but seldom towards the end of a round."""

from random import Random

from referee.research.env import Env

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


def wander(env: Env, chance: Random, moves: int, haste: float = 0.15) -> None:
    """Make so many moves, or as many as the match has left."""
    for _ in range(moves):
        if env.seat is None:
            return
        env.step(move(env, chance, haste))


def _kind(env: Env, number: int) -> str:
    return str(type(env.move(number)).__struct_config__.tag)
