"""A table of results.txt: how the bot sharp did against keeper, from the stores of tournaments with both.

    golfref tournament tournaments/sharp.toml && golfref tournament tournaments/sharp-four.toml
    python tests/benchmarks/sharp_table.py tournaments/sharp.golfref tournaments/sharp-four.golfref

Games with the same preset and as many seats are one row, and all bots but sharp are taken together. Blocks are
independent of each other, so the 95 % intervals are Student's t over the means of blocks. Times are those that the
referee has measured, of all decisions of sharp but slaps.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf, sqrt
from pathlib import Path
from statistics import fmean, stdev

from msgspec import Struct

from referee.rules.record import Given, GivenTogether, Record, read_record
from referee.rules.variants import PRESETS
from referee.tournament.figures.means import t_quantile
from referee.tournament.results import beaten_shares
from referee.tournament.store.store import Store

BOT = "sharp"


class Block(Struct, kw_only=True):
    """What both did in the matches of a block."""

    points: list[float]
    rival_points: list[float]
    strokes: list[float]
    """What sharp scored a round, less the mean of the others."""


def main() -> None:
    """Read the stores and print the rows."""
    blocks: dict[tuple[str, int], dict[tuple[str, int], Block]] = defaultdict(dict)
    times_us: dict[tuple[str, int], list[int]] = defaultdict(list)
    for path in sys.argv[1:]:
        store = Store.open(Path(path))
        for result in store.results():
            if BOT not in result.bots:
                continue
            record = read_record(store.record(result.id))
            game = (record.preset, len(result.bots))
            block = blocks[game].setdefault((path, result.block), Block(points=[], rival_points=[], strokes=[]))
            seat, others = result.bots.index(BOT), len(result.bots) - 1
            shares, totals = beaten_shares(tuple(result.ranks)), result.totals
            block.points.append(shares[seat])
            block.rival_points.append((sum(shares) - shares[seat]) / others)
            block.strokes.append((totals[seat] - (sum(totals) - totals[seat]) / others) / result.rounds)
            times_us[game] += thinking_us(record, seat)
        store.close()
    print("| game | seats | blocks | `sharp` | `keeper` | strokes | ms p50 | ms p99 |")
    print("|---|---|---|---|---|---|---|---|")
    for preset, seats in sorted(blocks, key=lambda game: (game[1] > 3, list(PRESETS).index(game[0]))):
        print(row(preset, seats, list(blocks[preset, seats].values()), sorted(times_us[preset, seats])))


def row(preset: str, seats: int, blocks: list[Block], sorted_us: list[int]) -> str:
    """A row of the table; an asterisk where the intervals of the match points are not apart."""
    (ours, half), (theirs, their_half), (strokes, strokes_half) = (
        interval([fmean(values) for values in column])
        for column in zip(*((block.points, block.rival_points, block.strokes) for block in blocks), strict=True)
    )
    cells = (
        f"`{preset}`" + ("" if ours - half > theirs + their_half else " \\*"),
        f"{seats}",
        f"{len(blocks)}",
        f"{ours:.3f} ± {half:.3f}",
        f"{theirs:.3f} ± {their_half:.3f}",
        f"{strokes:+.2f} ± {strokes_half:.2f}",
        *(f"{sorted_us[len(sorted_us) * percent // 100] / 1000:.1f}" for percent in (50, 99)),
    )
    return f"| {' | '.join(cells)} |"


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean and half the width of its interval."""
    freedom = len(values) - 1
    return fmean(values), (t_quantile(freedom) * stdev(values) / sqrt(len(values)) if freedom else inf)


def thinking_us(record: Record, seat: int) -> Iterable[int]:
    """How long each decision of a seat took, in microseconds."""
    for move in record.moves:
        if isinstance(move, Given):
            if move.seat == seat and not move.joined:
                yield move.time_us
        elif isinstance(move, GivenTogether):
            yield from (answer.time_us for answer in move.answers if answer.seat == seat)


if __name__ == "__main__":
    main()
