"""How long matches of each game take where they are played, and so how many of them make a bundle.

To hand out a match costs some milliseconds where another program moves it, so short matches go out together.
"""

from collections.abc import Iterable

BUNDLE_S = 2.0
"""How long a bundle is to be with its host. A job plays the matches of two bundles by turns, so half of it is play."""

MOST_ORDERS = 32
"""How many matches a bundle has at most."""

NEWEST = 0.2
"""What the newest match weighs in the mean of its game."""


class Pace:
    """Follows how long matches take."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        """By variant the mean of what its matches took."""

    def took(self, variant: str, seconds: float) -> None:
        """A match of this variant took so many seconds."""
        mean = self._seconds.get(variant, seconds)
        self._seconds[variant] = mean + NEWEST * (seconds - mean)

    def has_room(self, variants: Iterable[str]) -> bool:
        """Whether a bundle of matches of these variants may have another one. Nothing is added to an unknown game."""
        took = [self._seconds.get(variant, BUNDLE_S) for variant in variants]
        return len(took) < MOST_ORDERS and sum(took) * (len(took) + 1) / len(took) <= BUNDLE_S
