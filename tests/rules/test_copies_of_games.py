"""Copies of games at the edges of rounds and matches; in the middle of anything, test_invariants.py makes them."""

from random import Random

from at_random import AtRandom
from invariants import stands

from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.keyed_streams import seed_key

PLAYERS = AtRandom()


ALL = 10_000
"""More answers than any of these matches has."""


def fresh(seed: int) -> Random:
    return Random(seed)  # noqa: S311


def play(game: Game, dice: Random, answers: int) -> None:
    for _ in range(answers):
        if game.question is None:
            return
        game.answer(PLAYERS.response(game, dice))


def test_copies_within_a_long_match_begin_no_earlier_than_the_round() -> None:
    variant = with_options("cactus", {"rounds": 40, "limit": "none"})
    game = Game(variant, 3, Keyed(seed_key("long"), variant, 3))
    dice = fresh(1)
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
    play(game, fresh(3), ALL)
    assert game.copy().result == game.result
    assert game.copy().seen(None) == game.seen(None)


def test_copies_inside_a_playoff_end_as_the_match_does() -> None:
    tied = 0
    for number in range(30):
        game = Game.from_seed(with_options("four-turns", {"tiebreak": "playoff"}), 4, f"tie {number}")
        dice = fresh(number)
        while game.question is not None and not game.table.playoff:
            game.answer(PLAYERS.response(game, dice))
        if game.question is not None:
            tied += 1
            copies = [game.copy()]
            play(game, fresh(5), 7)
            copies.append(game.copy())
            play(game, fresh(6), ALL)
            play(copies[1], fresh(6), ALL)
            play(copies[0], fresh(5), 7)
            play(copies[0], fresh(6), ALL)
            assert stands(copies[0]) == stands(copies[1]) == stands(game)
    assert tied
