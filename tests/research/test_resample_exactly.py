"""Resampled states come out as often as they should: held against all possible ones, and against the truth."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from at_random import AtRandom
from every_deal import Drawn, every_state, state
from msgspec import Struct
from msgspec.structs import replace
from scipy.stats import chisquare
from wandering import dice, wander

from referee.research import Env
from referee.research.resample import other_state
from referee.research.resample.observed_round import follow
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.variants import PRESETS

pytestmark = pytest.mark.research

DRAWS, MORE_DRAWS = 150, 800
RARE = 0.001
"""The seeds are fixed, so that a test that passes always passes."""

LOOK_AT_ONE = {"initial_look": "any:1"}
REARRANGE = {"initial_look": "any:1", "cambio_powers": {"J": "peek_own", "Q": "peek_other", "2": "rearrange"}}


class Position(Struct, kw_only=True):
    """A round between two seats with two cards each after some answers by chance, as one seat sees it."""

    preset: str
    options: dict[str, Any]
    pack: str
    seed: int
    seat: int
    mixes: int
    """How often cards were mixed so that the seat cannot follow them."""
    columns: int = 1
    is_uneven: bool = False
    """Whether more deals lead to one state than to another."""

    def game(self, chance: Random) -> Game:
        variant = replace(with_options(self.preset, self.options), rows=2, columns=self.columns)
        game = Game(variant, 2, Drawn(self.pack.split(), chance))
        for _ in range(chance.randrange(4, 14)):
            game.answer(AtRandom().response(game, chance))
        return game


DISTINCT, EQUAL = "3S 3H 9D JC 10H QD", "3S 3S 9D JC JC QD"

POSITIONS = {
    "a reshuffle": Position(
        preset="six-card", options={"initial_up": 1}, pack="2S 2S 9D JC QC QD 5S", seed=29, seat=1, mixes=0
    ),
    "a card seen between shuffles": Position(
        preset="powers", options=LOOK_AT_ONE, pack=DISTINCT, seed=191, seat=1, mixes=2
    ),
    "equal cards in a shuffle": Position(
        preset="powers", options=LOOK_AT_ONE, pack=EQUAL, seed=20, seat=1, mixes=1, is_uneven=True
    ),
    "rearranged in secret": Position(
        preset="cambio", options=REARRANGE, pack="2S 2S 9D JC QC QD", seed=293, seat=1, mixes=2
    ),
}


ONE_SEVEN = "QS QS QS QS QS QS QS QS QS QS QS QS 7C 4D JC"
THREES = "3S 3S 9D JC 10H QD QD"
TWOS = "2S 2S 2S JC QC QD 9H"

MORE_POSITIONS = {
    "lines swapped in secret, and a card seen then": Position(
        preset="powers", options=LOOK_AT_ONE, pack=ONE_SEVEN, columns=3, seed=206, seat=0, mixes=1
    ),
    "equal cards, three mixes, a card seen": Position(
        preset="powers", options=LOOK_AT_ONE, pack=THREES, seed=1486, seat=0, mixes=3, is_uneven=True
    ),
    "rearranged twice, two cards seen": Position(
        preset="cambio", options=REARRANGE, pack=TWOS, seed=1331, seat=0, mixes=2
    ),
}
"""Up to 20,000 deals are tried out for each of them."""


@pytest.mark.parametrize(
    ("position", "draws"),
    [
        *(pytest.param(position, DRAWS, id=name) for name, position in POSITIONS.items()),
        *(pytest.param(one, MORE_DRAWS, id=name, marks=pytest.mark.full) for name, one in MORE_POSITIONS.items()),
    ],
)
def test_every_possible_state_comes_out_and_as_often_as_deals_lead_to_it(position: Position, draws: int) -> None:
    chance, seat = dice(position.seed), position.seat
    game = position.game(chance)
    question = game.question
    assert isinstance(question, Ask)
    assert len(follow(game, seat, question.seat).mixes) == position.mixes
    possible = every_state(game, seat)
    assert len(possible) > 3
    assert (len(set(possible.values())) > 1) == position.is_uneven

    drawn = Counter(state(other_state(game, seat, question.seat, chance).game) for _ in range(draws))

    assert set(drawn) == set(possible)
    share = draws / sum(possible.values())
    expected = [share * count for count in possible.values()]
    assert chisquare([drawn[one] for one in possible], expected).pvalue > RARE


OTHERS = 7


def test_what_truly_lies_hidden_ranks_anywhere_among_resampled_states() -> None:
    """Where nobody's moves depend on hidden cards, the truth is as likely to be first among eight states as last."""
    ranks = sum((ranks_of_truth(preset, 14) for preset in PRESETS), Counter())
    assert ranks.total() > 200
    assert chisquare([ranks[rank] for rank in range(OTHERS + 1)]).pvalue > RARE


def ranks_of_truth(preset: str, matches: int) -> Counter[int]:
    """How often the truth is on each rank, the lowest first, in so many matches of this game."""
    ranks: Counter[int] = Counter()
    env, chance = Env(preset), dice(preset)
    for number in range(matches):
        env.reset(f"{preset} {number}")
        if reached(env, chance, turns=chance.randrange(1, 12)):
            truth = points_unseen(env, chance)
            others = [points_unseen(env.resample(0, chance), chance) for _ in range(OTHERS)]
            ranks[sum(other < truth for other in others)] += 1
    return ranks


def reached(env: Env, chance: Random, turns: int) -> bool:
    """Play on in the first round until seat 0 has been asked so often alone; return whether it was."""
    while env.seat is not None and not env.game.events_before:
        turns -= env.seat == 0 and isinstance(env.game.question, Ask)
        if not turns:
            return True
        wander(env, chance, 1, haste=0.1)
    return False


def points_unseen(env: Env, chance: Random) -> float:
    """A sum of points in which every place counts that seat 0 may not know; the dice order equal ones."""
    table, worth = env.game.table, env.variant.worth
    others = [slot for layout in table.layouts[1:] for slot in layout if slot is not None]
    held = sum(weight * worth[slot.card] for weight, slot in enumerate(others, 1))
    return held + 3 * sum(worth[card] for card in table.stock[-4:]) + chance.random() / 2
