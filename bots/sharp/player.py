"""What the players of all families share: each is a bot of the kit, and counts how much it tries."""

from typing import Any

from kit import Action, Bot

PLENTY_S = 0.2
"""With so much time for an answer everything is tried that is worth it. What is tried is counted, never timed."""

Choice = tuple[float, Action]
"""A value, lower is better, and the action that leads to it."""


class Player(Bot):
    """One match. A family's player has a method for each decision that it knows; the kit answers the others."""

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.others = self.table.others

    def count(self, most: int, least: int = 1) -> int:
        """How many of something to try: so many at most, fewer where there is little time for this answer."""
        return max(least, int(most * min(1.0, self.request["time_s"] / PLENTY_S)))


def best_of(found: list[Choice]) -> Action | None:
    """The action of least value, the first of equals; None when there is nothing to choose from."""
    return min(found, key=lambda choice: choice[0])[1] if found else None
