"""What keeper takes a power to be worth where nothing can be computed: plain numbers, which are guesses."""

from typing import Any

from kit import Target
from kit.powers import Powers
from outlook import Outlook

PEEK_GAIN = 2.0
"""What it saves to know one more own card."""

SPY_GAIN = 0.5
"""What it saves to know one more card of another seat."""

CONFUSION = 0.4
"""What it costs a seat that it can no longer tell one of its cards."""

SHIELD_GAIN = 1.5
"""What the first shield saves."""


class KeeperPowers(Powers):
    """The powers as this seat would use them."""

    def __init__(self, match: dict[str, Any], outlook: Outlook) -> None:
        super().__init__(match, outlook.table, value=outlook.value, points=outlook.measure.points)
        self.outlook = outlook

    def gain_of_knowing(self, target: Target) -> float:
        """A card that nobody has chosen is the better one to look at."""
        return PEEK_GAIN + 0.01 * self.points_at(target) if self.table.plays_on(self.seat) else 0.0

    def gain_of_spying(self, target: Target) -> float:
        return SPY_GAIN + 0.01 * self.points_at(target) if self.table.plays_on(self.seat) else 0.0

    def confusion(self, seat: int) -> float:
        if self.table.knocker == seat:
            return 0.0
        return CONFUSION * len(self.table.occupied(seat)) / len(self.others)

    def gain_of_shield(self) -> float:
        return SHIELD_GAIN

    def gain_of_two_cards(self) -> float:
        """About half as much again as one saves."""
        return 1.5 * self.outlook.measure.prospect(self.table.mine)
