"""All courses of play, by the names that `Variant.play` uses."""

from collections.abc import Mapping

from referee.rules.games import cactus, cambio, four_turns, par, powers, six_card, two_deck
from referee.rules.games.course import Course

COURSES: Mapping[str, Course] = {
    "six_card": six_card.COURSE,
    "cactus": cactus.COURSE,
    "cambio": cambio.COURSE,
    "powers": powers.COURSE,
    "four_turns": four_turns.COURSE,
    "two_deck": two_deck.COURSE,
    "par": par.COURSE,
}
