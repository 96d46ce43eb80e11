"""The ranks of matches, kept in little memory: what ratings and the test of collusion come from.

This module must not know what is computed from them, and does not import numpy.
"""

from array import array
from collections.abc import Mapping

from referee.tournament.results import Result


class Matches:
    """The ranks of matches, in any order."""

    def __init__(self) -> None:
        self._bots: dict[str, int] = {}
        self._games: dict[str, int] = {}
        self._rows: dict[int, array[int]] = {}

    @property
    def bots(self) -> Mapping[str, int]:
        """The number of each bot in the rows, by its name, as `games` are those of games."""
        return self._bots

    @property
    def games(self) -> Mapping[str, int]:
        """The number of each game."""
        return self._games

    @property
    def rows(self) -> "Mapping[int, array[int]]":
        """By the number of seats, for each match its game, its deal, its bots by seat, and their ranks."""
        return self._rows

    def add(self, result: Result) -> None:
        """Count a match. One that a bot played alone says nothing of its strength."""
        if len(result.bots) < 2:
            for bot in result.bots:
                self._bots.setdefault(bot, len(self._bots))
            return
        rows = self._rows.setdefault(len(result.bots), array("q"))
        game = self._games.setdefault(result.variant, len(self._games))
        bots = [self._bots.setdefault(bot, len(self._bots)) for bot in result.bots]
        rows.fromlist([game, result.deal, *bots, *result.ranks])
