"""What came of each match of a run: the rows from which every table and statistic is computed."""

from msgspec import Struct


class Result(Struct, frozen=True, kw_only=True, gc=False):
    """A finished match, as far as standings need it; tuples are by seat."""

    number: int
    variant: str
    block: int
    bots: tuple[str, ...]
    totals: tuple[int, ...]
    """Strokes of the whole match."""
    ranks: tuple[int, ...]
    """1 is best; equal totals share a rank; forfeited seats come last."""
    rounds: int
    forfeited: tuple[bool, ...]
    faults: tuple[dict[str, int], ...]
    """How many of each kind."""
    late_slaps: tuple[int, ...]
    lag_us: int = 0
    """The longest time in which the referee did not look at its pipes."""
