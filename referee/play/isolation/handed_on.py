"""What a run has found out about cells, handed on to its workers, so that each need not find it out again.

To look through all that a bot could read takes a while where a Python has many libraries. Nobody looks twice: a run
without workers does not do so either.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from referee.play.isolation.cell import Cell, cell_of, know_cell
from referee.play.isolation.levels import Bubblewrap, bubblewrap, know_bubblewrap
from referee.play.spec import BotSpec


class _Found(Struct, frozen=True, kw_only=True):
    bubblewrap: Bubblewrap
    cells: tuple[tuple[BotSpec, Cell], ...]


def found(bots: Sequence[BotSpec]) -> bytes:
    """What is known of this host's cells and those of these bots; raises NoBubblewrap and Unfit."""
    return msgspec.json.encode(_Found(bubblewrap=bubblewrap(), cells=tuple((bot, cell_of(bot)) for bot in bots)))


def take_over(data: bytes) -> None:
    """Know what another process of the same run has `found`."""
    told = msgspec.json.decode(data, type=_Found)
    know_bubblewrap(told.bubblewrap)
    for bot, cell in told.cells:
        know_cell(bot, cell)
