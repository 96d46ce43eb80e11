"""What the players of all families share: each is a bot of the kit, and counts how much it tries."""

from typing import Any

from kit import Bot

PLENTY_S = 0.2
"""With so much time for an answer everything is tried that is worth it. What is tried is counted, never timed."""


class Player(Bot):
    """One match. A family's player has a method for each decision that it knows; the kit answers the others."""

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.others = self.table.others

    def count(self, most: int, least: int = 1) -> int:
        """How many of something to try: so many at most, fewer where there is little time for this answer."""
        return max(least, int(most * min(1.0, self.request["time_s"] / PLENTY_S)))
