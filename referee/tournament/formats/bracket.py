"""The bracket of a knockout: who sits at which table of a round, who has a bye, and what place the winners take.

Numbers only: a bot is its place in the order of seeds, 0 the best. Any number of bots and any table size will do, as
long as the tables of one round fill those of the next.
"""

from collections.abc import Mapping, Sequence
from math import ceil

from msgspec import Struct


class BracketRound(Struct, frozen=True, kw_only=True):
    """The tables of a round, each by the places of its bots, the best first. Whoever is at none has a bye."""

    tables: tuple[tuple[int, ...], ...]
    goes: tuple[int, ...]
    """How many go on from each table."""


def next_bracket_round(bots: int, *, seats: int, advance: int, last_tables: Mapping[int, int]) -> BracketRound:
    """The next round of so many bots, at least as many as there are seats.

    A round is full where its winners fill the next one, down to the final: with two at a table 2, 4, 8 bots and so on.
    Where the bots are too many for the next full round, the last seeds play for its places first, at as few tables as
    will do, and the best have byes. Where these tables would throw out more than they must, one more goes on from the
    first of them.

    The bots come to the tables row by row, the best seeds first, each row in the opposite direction of the one before.
    So with two at a table the best meets the last, and the two best meet in the final if they win. `last_tables` says
    at which table a bot sat in the round before: bots that went on from one table are kept apart where a row allows.

    Raises ValueError where nobody, or everybody, would go on from a table: such a bracket comes to no end.
    """
    if not 1 <= advance < seats:
        raise ValueError(f"{advance} of {seats} go on from each table")
    full = seats
    while full * seats // advance <= bots:
        full = full * seats // advance
    if full == bots:
        count, spare = bots // seats, 0
    else:
        count = min(ceil((bots - full) / (seats - advance)), bots // seats)
        spare = max(0, count * (seats - advance) - (bots - full))
    playing = range(bots - count * seats, bots)
    goes = tuple(advance + spare // count + (table < spare % count) for table in range(count))
    return BracketRound(tables=_tables(playing, count, last_tables), goes=(1,) if bots == seats else goes)


def _tables(playing: Sequence[int], count: int, last_tables: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    tables: list[list[int]] = [[] for _ in range(count)]
    for first in range(0, len(playing), count):
        free = list(range(count))
        if first // count % 2:
            free.reverse()
        for bot in playing[first : first + count]:
            last = last_tables.get(bot)
            fitting = [
                table
                for table in free
                if last is None or all(last_tables.get(other) != last for other in tables[table])
            ]
            table = (fitting or free)[0]
            free.remove(table)
            tables[table].append(bot)
    return tuple(map(tuple, tables))


def round_name(bots: int, *, seats: int, advance: int) -> str:
    """What a round of so many bots is called."""
    sizes = [seats, seats * seats // advance, seats * (seats // advance) ** 2]
    if bots == sizes[0]:
        return "final"
    if bots == sizes[1]:
        return "semi-finals"
    if bots == sizes[2] and seats == 2 * advance:
        return "quarter-finals"
    return f"round of {bots}"


def rounds_of(bots: int, *, seats: int, advance: int) -> list[int]:
    """How many ties each round has, to the final, where nobody is withdrawn."""
    counts = []
    while bots > seats:
        found = next_bracket_round(bots, seats=seats, advance=advance, last_tables={})
        counts.append(len(found.tables))
        bots += sum(found.goes) - seats * len(found.tables)
    return [*counts, 1]
