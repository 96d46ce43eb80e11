"""Whether the hosts of a run differ: in how fast each bot slaps there, how fast bots answer, how late the referee is.

What is compared is a block on one host, not a slap: all slaps of a block come from the same few processes, and are
alike for that reason alone. Of each block the median counts. It is ranked among the blocks of the same game and, for
times, the same bot, since hosts play different numbers of blocks of each. The ranks of the hosts are held against each
other by the test of Kruskal and Wallis (1952), and all tests of a run together err no more often than one (Holm).
Nothing here knows how slaps are timed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Literal

from msgspec import Struct

from referee.tournament.figures.ranks import holm

LEVEL = 0.05
"""With this probability the tests of a run tell a difference where there is none."""

FEWEST = 5
"""A host with fewer blocks than this is not compared: the test is none for so few."""

What = Literal["slaps", "answers", "lag"]


class Sample(Struct, frozen=True, kw_only=True):
    """What was measured of a bot, or of the referee, in one block on one host."""

    what: What
    host: str
    game: str
    block: int
    """Which block of the game it is."""
    bot: str = ""
    """Empty for the referee's lag."""
    values_us: tuple[float, ...]
    """At least one, in microseconds."""


class Difference(Struct, frozen=True, kw_only=True):
    """One comparison of the hosts."""

    what: What
    bot: str
    """Whose slaps; empty for all bots together, and for the referee's lag."""
    p: float
    """The probability of ranks at least so uneven where the hosts are alike."""
    p_of_all: float
    """The same, corrected for all comparisons of the run."""
    blocks: dict[str, int]
    """By host, how many blocks were compared."""
    median_us: dict[str, float]
    """By host, the median of the blocks' medians. It is over all games, and games differ too."""

    @property
    def differs(self) -> bool:
        """Whether it is told that the hosts differ."""
        return self.p_of_all < LEVEL


def differences(samples: Iterable[Sample]) -> tuple[Difference, ...]:
    """The comparisons that can be made, the least p-value first: of each bot's slaps, of all answers, of the lag."""
    medians: dict[tuple[What, str, str], dict[tuple[str, int], float]] = defaultdict(dict)
    for one in samples:
        medians[one.what, one.bot, one.game][one.host, one.block] = median(one.values_us)
    ranked: dict[tuple[What, str], dict[tuple[str, str, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    found: dict[tuple[What, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (what, bot, game), of_blocks in medians.items():
        whose = bot if what == "slaps" else ""
        for (host, block), rank in _ranks(of_blocks).items():
            ranked[what, whose][host, game, block].append(rank)
            found[what, whose][host].append(of_blocks[host, block])
    tests = {key: _compared(of_blocks) for key, of_blocks in ranked.items()}
    p_values = {key: test[0] for key, test in tests.items() if test is not None}
    p_of_all = holm(p_values)
    made = [
        Difference(
            what=what,
            bot=bot,
            p=p,
            p_of_all=p_of_all[what, bot],
            blocks=test[1],
            median_us={host: round(median(found[what, bot][host]), 1) for host in test[1]},
        )
        for (what, bot), p in p_values.items()
        if (test := tests[what, bot]) is not None
    ]
    return tuple(sorted(made, key=lambda one: (one.p, one.what, one.bot)))


def _ranks(values: Mapping[tuple[str, int], float]) -> dict[tuple[str, int], float]:
    """The mid-rank of each value, between 0 and 1."""
    from scipy.stats import rankdata  # noqa: PLC0415 - it takes a while, and many commands need no tests

    ranks = rankdata([*values.values()])
    return {key: (float(rank) - 0.5) / len(values) for key, rank in zip(values, ranks, strict=True)}


def _compared(of_blocks: Mapping[tuple[str, str, int], Sequence[float]]) -> tuple[float, dict[str, int]] | None:
    """The p-value, and by host how many blocks it is of. None where there is too little to compare."""
    from scipy.stats import kruskal  # noqa: PLC0415 - as above

    by_host: dict[str, list[float]] = defaultdict(list)
    for (host, _, _), ranks in of_blocks.items():
        by_host[host].append(fmean(ranks))
    groups = {host: some for host, some in sorted(by_host.items()) if len(some) >= FEWEST}
    if len(groups) < 2:
        return None
    counts = {host: len(some) for host, some in groups.items()}
    if len({rank for some in groups.values() for rank in some}) == 1:
        return 1.0, counts
    return float(kruskal(*groups.values()).pvalue), counts
