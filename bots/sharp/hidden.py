"""Games whose cards stay hidden: Cambio, Powers, Cactus, and four-card golf with a secret look."""

from player import Player


class Hidden(Player):
    """The player of these games."""
