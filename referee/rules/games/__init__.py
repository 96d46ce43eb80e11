"""The games: for each its set-up and its turns, as generators that read like the rule book.

turns.py and look.py have what they share, slaps.py the window that two of them have. No game knows another. They know
the options, the table and what cards are worth. They must not know how a match ends.
"""

from collections.abc import Mapping

from referee.rules.games import cactus, cambio, four_turns, par, powers, six_card, two_deck
from referee.rules.games.turns import Play

PLAYS: Mapping[str, Play] = {
    "six_card": six_card.PLAY,
    "cactus": cactus.PLAY,
    "cambio": cambio.PLAY,
    "powers": powers.PLAY,
    "four_turns": four_turns.PLAY,
    "two_deck": two_deck.PLAY,
    "par": par.PLAY,
}
"""How each game is played, by the names that `Variant.play` uses."""
