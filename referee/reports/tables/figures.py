"""Figures with their intervals, as tables show them."""

from referee.tournament.standings import Interval

ALL_PAIRS = "p < 0.05, all pairs"
"""What stands behind a claim that one bot is better: the p-value corrected for all pairs of the table."""

LEAST = 0.01
"""No interval is shown as if it had no width."""


def with_interval(mean: float | None, interval: Interval | None) -> str:
    """Match points in a table with room for both ends, as `0.914 [0.874, 0.941]`; `0.914 [-]` where there is none.

    `-` without a mean.
    """
    if mean is None:
        return "-"
    return f"{mean:.3f} [-]" if interval is None else f"{mean:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


def plus_minus(mean: float | None, interval: Interval | None) -> str:
    """Match points in a table with many columns.

    `0.91 ±0.03` where the interval is about the same on both sides (the longer one is shown), `0.98 ≥0.91` and
    `0.02 ≤0.09` where it would leave 0 to 1: the end that is towards the middle. The mean alone where there is none.
    `-` without a mean.
    """
    if mean is None:
        return "-"
    if interval is None:
        return f"{mean:.2f}"
    side = max(interval[1] - mean, mean - interval[0])
    if mean + side > 1:
        return f"{mean:.2f} ≥{min(interval[0], 1 - LEAST):.2f}"
    return f"{mean:.2f} ≤{max(interval[1], LEAST):.2f}" if mean - side < 0 else f"{mean:.2f} ±{max(side, LEAST):.2f}"


def signed(mean: float | None, interval: Interval | None, digits: int = 2) -> str:
    """Strokes or a difference, as `-1.42 ±0.20`, or the figure alone; `-` where there is none."""
    if mean is None:
        return "-"
    figure = f"{mean:+z.{digits}f}"
    return figure if interval is None else f"{figure} ±{max(interval[1] - mean, mean - interval[0]):.{digits}f}"


def duration(seconds: float) -> str:
    """A length of time in words, roughly."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
