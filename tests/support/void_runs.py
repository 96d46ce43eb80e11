"""Simulated runs in which attempts are voided by a bad host or by bots, to see whose presence explains the voids."""

import itertools
from collections.abc import Callable, Sequence
from random import Random

from referee.tournament.orders import ATTEMPTS
from referee.tournament.voids import VoidTally

Voids = Callable[[Sequence[str], Random], bool]
"""Whether an attempt at which these bots sit is void."""


def simulate(seed: int, voids: Voids, *, bots: int, seats: int, deals: int, jobs: int = 2) -> dict[str, int]:
    """A round robin of bots `0`, `1`, ... with two rotations of every deal, one after another as the plan has them.

    Returns by bot that was suspected at any time at how many voided attempts it had sat by then.
    """
    dice = Random(seed)  # noqa: S311 - a simulation that can be told again
    lineups = [tuple(map(str, one)) for one in itertools.combinations(range(bots), seats)]
    todo = [(lineup, 1) for _ in range(deals) for lineup in lineups for _ in range(2)][::-1]
    tally, suspected = VoidTally({}), dict[str, int]()
    playing: list[tuple[tuple[str, ...], int]] = []
    while todo or playing:
        while todo and len(playing) < jobs:
            playing.append(todo.pop())
        lineup, attempt = playing.pop(dice.randrange(len(playing)))
        if not voids(lineup, dice):
            tally.finished(lineup)
            continue
        tally.voided(lineup)
        if attempt < ATTEMPTS:
            todo.append((lineup, attempt + 1))
        for suspect in tally.suspects([bot for bot in lineup if bot not in suspected]):
            suspected[suspect.bot] = suspect.voided
    return suspected


def bad_host(share: float) -> Voids:
    """A host that spoils every attempt alike."""
    return lambda _, dice: dice.random() < share


def troubled_host(share: float, length: float) -> Voids:
    """A host that is fine until trouble begins, and spoils everything then, on average for so many attempts."""
    left = 0.0

    def voids(_: Sequence[str], dice: Random) -> bool:
        nonlocal left
        if left <= 0 and dice.random() < share:
            left = dice.expovariate(1 / length)
        left -= 1
        return left > 0

    return voids


def attacker(bot: str, *, share: float = 1.0, against: str = "", noise: float = 0.0) -> Voids:
    """A bot that voids this share of its matches, or of those against one rival; the host spoils some by itself."""

    def voids(bots: Sequence[str], dice: Random) -> bool:
        strikes = bot in bots and (not against or against in bots) and dice.random() < share
        return strikes or dice.random() < noise

    return voids
