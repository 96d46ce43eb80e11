"""Many tests at once: what their p-values come to, so that all of them together err no more often than one."""

from collections.abc import Mapping
from typing import TypeVar

Key = TypeVar("Key")


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """The p-values, made so much greater that the least of them errs no more often than each of them did (Holm 1979).

    Equal ones stay in the order in which they were given.
    """
    adjusted, least = {}, 0.0
    for rank, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[key]))
        adjusted[key] = least
    return adjusted
