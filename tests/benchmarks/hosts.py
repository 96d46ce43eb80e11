"""How often hosts that are alike are told apart, and how often a slower one is found, by runs made up with dice.

`python tests/benchmarks/hosts.py [RUNS]` prints a line for each kind of run: 4 bots slap in 20 windows of each block,
each block is played on one of 3 hosts by chance, and on the last one slaps take longer by a factor. Slaps of a block
are alike, because a few processes made all of them. Beside it stands what a test of single slaps would tell.
"""

import sys
from collections import defaultdict
from math import sqrt
from pathlib import Path
from random import Random

from msgspec import Struct
from scipy.stats import kruskal

sys.path += [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]

from drawn_rounds import dice

from referee.tournament.statistics.hosts import LEVEL, Sample, differences
from referee.tournament.statistics.multiple import holm

BOTS, HOSTS, WINDOWS = ("a", "b", "c", "d"), 3, 20


class Kind(Struct, frozen=True):
    """A kind of run."""

    blocks: int
    spread: float
    """How much blocks differ by themselves: the standard deviation of the logarithm of their level."""
    slower: float
    """By which factor slaps take longer on the last host."""


KINDS = [Kind(blocks, spread, slower) for blocks in (30, 120) for spread in (0.1, 0.5) for slower in (1.0, 1.1, 1.3)]


def main(runs: int) -> None:
    """Print a line for each kind."""
    print(f"{runs} runs of each kind, at the level {LEVEL:g}")
    print("blocks  spread  slower  told by blocks   told by single slaps")
    for kind in KINDS:
        made = [samples(kind, dice(number)) for number in range(runs)]
        told = sum(any(one.differs for one in differences(some)) for some in made) / runs
        naive = sum(by_slaps(some) for some in made) / runs
        error = 1.96 * sqrt(told * (1 - told) / runs)
        print(f"{kind.blocks:6}  {kind.spread:6.1f}  {kind.slower:6.1f}  {told:6.1%} ± {error:5.1%}  {naive:20.1%}")


def samples(kind: Kind, chance: Random) -> list[Sample]:
    """The slaps of a run."""
    found = []
    for block in range(kind.blocks):
        host = chance.randrange(HOSTS)
        for bot in BOTS:
            level = chance.lognormvariate(5.0, kind.spread) * (kind.slower if host == HOSTS - 1 else 1.0)
            slaps = tuple(level * chance.lognormvariate(0.0, 0.1) for _ in range(WINDOWS))
            found.append(Sample(what="slaps", host=f"host{host}", game="cactus", block=block, bot=bot, values_us=slaps))
    return found


def by_slaps(some: list[Sample]) -> bool:
    """Whether hosts are told apart where each slap counts by itself."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in some:
        values[one.bot][one.host] += one.values_us
    p_values = {bot: float(kruskal(*hosts.values()).pvalue) for bot, hosts in values.items()}
    return min(holm(p_values).values()) < LEVEL


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 500)
