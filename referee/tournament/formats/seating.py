"""Who sits with whom in a round of tables of one size: bots of about equal standing that have not met yet.

There is one way for tables of any size. For tables of two it finds pairings as good as an exact matching does
(tournaments/FORMATS.md). All of it is whole numbers, so that every machine draws the same tables. This module must
not know what a standing is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from referee.rules.keyed_streams import Stream
from referee.tournament.figures.blocks import Ints
from referee.tournament.plan.meetings import Pair
from referee.tournament.plan.rounds import Entrant

_MOST_MET = 20
"""Pairs that have met even more often than this above the least count as this."""

_EXCHANGES = 3
"""So many exchanges by lot are made before the search goes on."""

_WORK = 6000
_MOST_TRIES = 200
"""The search goes on so often, or less where that is more than so much work for the number of bots."""


class Player(Struct, frozen=True, kw_only=True):
    """A bot that may sit at a table."""

    name: str
    group: str
    """Two bots of a group never sit at one table. A bot that sits with everybody has a group of its own."""


def players_of(bots: Iterable[Entrant], *, apart: bool) -> list[Player]:
    """The bots in this order. Where owners are kept apart, shipped bots, which are nobody's, still sit with anybody."""
    return [
        Player(name=bot.name, group=f"owner {bot.owner}" if apart and bot.owner else f"bot {bot.name}") for bot in bots
    ]


def seatable(players: Sequence[Player], seats: int) -> int:
    """How many tables of so many seats can be filled at a time, no two of a group at any."""
    sizes = Counter(player.group for player in players).values()
    most = len(players) // seats
    return next(tables for tables in range(most, -1, -1) if sum(min(size, tables) for size in sizes) >= tables * seats)


def who_plays(players: Sequence[Player], seats: int, seatings: Mapping[str, int]) -> list[Player]:
    """Who plays, of bots in the order of their standing: as many as there are seats. The others sit out.

    Those play that sat at the fewest tables so far, and among these those of the best standing.
    """
    tables = seatable(players, seats)
    taken = Counter[str]()
    chosen: set[str] = set()
    for player in sorted(players, key=lambda player: seatings.get(player.name, 0)):
        if len(chosen) < tables * seats and taken[player.group] < tables:
            taken[player.group] += 1
            chosen.add(player.name)
    return [player for player in players if player.name in chosen]


def seat(players: Sequence[Player], seats: int, met: Mapping[Pair, int], stream: Stream) -> list[tuple[str, ...]]:
    """The tables for bots in the order of their standing, whose number `seats` divides. Names are in their order.

    As few pairs as possible have met before; then those who meet are as near to each other in the order as possible,
    by the sum of the squared distances. This is sought by exchanging two bots between tables as long as that helps,
    again and again after a few exchanges by lot, and the best is taken. Two of a group never sit together where that
    can be had, and who_plays sees to it that it can.
    """
    if not players:
        return []
    search = _Search(_costs(players, seats, met), seats, stream)
    tables = search.best([_in_order(players, seats), _dealt_by_group(players, seats)])
    found: dict[int, list[str]] = {}
    for player, table in zip(players, tables, strict=True):
        found.setdefault(table, []).append(player.name)
    return [tuple(sorted(bots)) for bots in found.values()]


def _costs(players: Sequence[Player], seats: int, met: Mapping[Pair, int]) -> Ints:
    """What it costs that two bots sit together. One who met is dearer than all distances, a group than all of these."""
    count = len(players)
    places = np.arange(count, dtype=np.int64)
    costs = (places[:, None] - places[None, :]) ** 2
    pairs = count * (seats - 1) // 2
    often = np.zeros((count, count), dtype=np.int64)
    index = {player.name: place for place, player in enumerate(players)}
    for (first, second), times in met.items():
        if first in index and second in index:
            often[index[first], index[second]] = often[index[second], index[first]] = times
    others = ~np.eye(count, dtype=bool)
    often = np.minimum(often - often[others].min(initial=_MOST_MET), _MOST_MET)
    costs += often * (pairs * count**2)
    groups = np.unique([player.group for player in players], return_inverse=True)[1]
    costs += (groups[:, None] == groups[None, :]) * (pairs * (int(costs.max()) + 1))
    np.fill_diagonal(costs, 0)
    return costs


def _in_order(players: Sequence[Player], seats: int) -> list[int]:
    """The first bots at the first table, and so on."""
    return [place // seats for place in range(len(players))]


def _dealt_by_group(players: Sequence[Player], seats: int) -> list[int]:
    """One group after another is dealt round the tables. No table has two of a group with at most as many bots."""
    tables = len(players) // seats
    dealt = sorted(range(len(players)), key=lambda place: players[place].group)
    table_of = [0] * len(players)
    for turn, place in enumerate(dealt):
        table_of[place] = turn % tables
    return table_of


class _Search:
    """The search for tables that cost little. Tables are told by the number of each bot's table."""

    def __init__(self, costs: Ints, seats: int, stream: Stream) -> None:
        self._costs = costs
        self._tables = len(costs) // seats
        self._stream = stream

    def best(self, starts: Sequence[Sequence[int]]) -> list[int]:
        """The cheapest tables that are found from these."""
        tables, cost = min((self._descended(start) for start in starts), key=lambda found: found[1])
        for _ in range(min(_WORK // len(tables), _MOST_TRIES)):
            other, other_cost = self._descended(self._shaken(tables))
            if other_cost <= cost:
                tables, cost = other, other_cost
        return tables

    def _shaken(self, tables: Sequence[int]) -> list[int]:
        """The tables after a few exchanges by lot."""
        shaken = list(tables)
        for _ in range(_EXCHANGES):
            one, other = self._stream.below(len(shaken)), self._stream.below(len(shaken))
            shaken[one], shaken[other] = shaken[other], shaken[one]
        return shaken

    def _descended(self, start: Sequence[int]) -> tuple[list[int], int]:
        """The tables after the best exchange of two bots, and the next, as long as there is one; and what they cost."""
        costs, table = self._costs, np.array(start, dtype=np.int64)
        everyone = np.arange(len(table))
        sits = np.zeros((len(table), self._tables), dtype=np.int64)
        sits[everyone, table] = 1
        sums = costs @ sits
        while True:
            own = sums[everyone, table]
            moved = sums[:, table] - own[:, None]
            gain = moved + moved.T - 2 * costs
            gain[table[:, None] == table[None, :]] = 0
            one, other = divmod(int(np.argmin(gain)), len(table))
            if gain[one, other] >= 0:
                return [int(number) for number in table], int(own.sum()) // 2
            change = costs[:, other] - costs[:, one]
            sums[:, table[one]] += change
            sums[:, table[other]] -= change
            table[one], table[other] = table[other], table[one]
