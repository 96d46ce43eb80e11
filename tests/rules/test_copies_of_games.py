"""Copies of games at the edges of rounds and matches; in the middle of anything, test_invariants.py makes them."""

from random import Random

from at_random import AtRandom
from invariants import stands

from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.keyed_streams import seed_key

PLAYERS = AtRandom()


def test_copies_within_a_long_match_begin_no_earlier_than_the_round() -> None:
    variant = with_options("cactus", {"rounds": 40, "limit": "none"})
    game = Game(variant, 3, Keyed(seed_key("long"), variant, 3))
    dice = Random(1)  # noqa: S311
    while game.table.round < 30 or game.table.hand is None:
        game.answer(PLAYERS.response(game, dice))
    dealt: list[int] = []

    class Told(Keyed):
        def deck(self, number: int) -> tuple[str, ...]:
            dealt.append(number)
            return super().deck(number)

    game.table.chance = Told(seed_key("long"), variant, 3)
    first, second = game.copy(), game.copy()
    assert dealt == [30]
    assert stands(first) == stands(second) == stands(game)


def test_a_copy_of_a_match_that_is_over_has_its_result() -> None:
    game = Game.from_seed(with_options("six-card", {"rounds": 2, "tiebreak": "playoff"}), 2, "over")
    dice = Random(3)  # noqa: S311
    while game.question is not None:
        game.answer(PLAYERS.response(game, dice))
    assert game.copy().result == game.result
    assert game.copy().seen(None) == game.seen(None)
