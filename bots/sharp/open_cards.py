"""Games in which cards are turned up and stay so: the family of six-card golf, four turns, and the two-deck game."""

from player import Player


class OpenCards(Player):
    """The player of these games."""
