"""The tables of a run by their names."""

from typing import Any, Literal

from referee.reports.export.columns import ExportTable
from referee.reports.export.of_matches import MATCHES, ROUNDS, SEATS
from referee.reports.export.of_play import DECISIONS, SLAPS
from referee.reports.export.of_run import PAIRS, STANDINGS

Table = Literal["matches", "seats", "rounds", "decisions", "slaps", "pairs", "standings"]

TABLES: dict[Table, ExportTable[Any]] = {
    "matches": MATCHES,
    "seats": SEATS,
    "rounds": ROUNDS,
    "decisions": DECISIONS,
    "slaps": SLAPS,
    "pairs": PAIRS,
    "standings": STANDINGS,
}
