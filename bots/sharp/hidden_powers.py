"""What sharp takes a power to be worth where the kit has no number: to know own cards gains what better choices will
save later; what it gains to know others' cards, or to confuse others, is a guess."""

from typing import TYPE_CHECKING

from kit import Target
from kit.powers import Powers

if TYPE_CHECKING:
    from hidden import Hidden

SPY_GAIN = 0.3
"""What it saves to know one more card of another seat."""

CONFUSION = 0.2
"""What it costs a seat that it can no longer tell one of its cards."""

SHIELD_GAIN = 1.0
"""What the first shield saves."""


class SharpPowers(Powers):
    """The powers as this seat would use them."""

    def __init__(self, player: "Hidden") -> None:
        super().__init__(player.match, player.table, value=player.value, points=player.beliefs.points)
        self.player = player

    def gain_of_knowing(self, target: Target) -> float:
        """What better choices will save when this own card is known."""
        player, beliefs = self.player, self.player.beliefs
        points = [beliefs.points(card) for slot, card in enumerate(self.table.mine) if card and slot != target[1]]
        draws = player.turns(self.seat)
        unknown = beliefs.reach([*points, self.points_at(target)], draws)
        levels = zip(beliefs.levels, beliefs.chances, strict=True)
        return unknown - sum(chance * beliefs.reach([*points, level], draws) for level, chance in levels)

    def gain_of_spying(self, target: Target) -> float:
        cheap = max(0.0, self.player.beliefs.average - self.points_at(target))
        return (SPY_GAIN + 0.01 * cheap) if self.player.turns(self.seat) > 0 else 0.0

    def confusion(self, seat: int) -> float:
        if self.player.turns(seat) == 0:
            return 0.0
        return CONFUSION * len(self.table.occupied(seat)) / len(self.others)

    def gain_of_shield(self) -> float:
        return SHIELD_GAIN

    def gain_of_two_cards(self) -> float:
        """About half as much again as one saves."""
        mine = self.table.mine
        return 1.4 * (self.player.cost(mine, 0) - self.player.cost(mine, 1))
