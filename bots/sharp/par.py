"""Par golf, whose rows are strokes."""

from player import Player


class Par(Player):
    """The player of these games."""
