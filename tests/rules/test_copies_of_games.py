"""Copies of games that are being played: they stand alike, have the same future, and go their own ways."""

from random import Random
from typing import Any

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from referee.rules.book.presets import PRESETS
from referee.rules.book.variants import customised
from referee.rules.game import Game
from referee.rules.table.chance import Keyed
from referee.rules.table.streams import seed_key

SEEDS = st.integers(0, 2**32)
PLAYERS = AtRandom()


def stands(game: Game) -> Any:
    """All that there is to know of a game, but for its source of chance."""
    table = asdict(game.table)
    del table["chance"]
    return table, game.question, game.answers, game.question is None and game.result


ALL = 10_000
"""More answers than any of these matches has."""


def fresh(seed: int) -> Random:
    return Random(seed)  # noqa: S311


def play(game: Game, dice: Random, answers: int, forfeits: float = 0.0) -> None:
    for _ in range(answers):
        if game.question is None:
            return
        if dice.random() < forfeits:
            game.forfeit(dice.randrange(game.table.seats))
        game.answer(PLAYERS.response(game, dice))


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data(), seed=SEEDS, before=st.integers(0, 120))
@settings(max_examples=4)
def test_a_copy_in_the_middle_of_anything_plays_on_to_the_same_end(
    preset: str, data: st.DataObject, seed: int, before: int
) -> None:
    variant, seats = data.draw(PLAYERS.tables(preset))
    game = Game(variant, seats, Keyed(b"%d" % seed, variant, seats))
    play(game, fresh(seed), before, forfeits=0.01)
    as_it_stood = stands(game)
    copies = [game.copy() for _ in range(3)]
    copies.append(copies[0].copy())
    assert all(stands(one) == as_it_stood for one in (game, *copies))
    play(copies[1], fresh(seed + 1), 30)
    assert stands(game) == as_it_stood == stands(copies[0])
    for one in (game, *copies[2:]):
        play(one, fresh(seed + 1), 30)
    assert stands(game) == stands(copies[1]) == stands(copies[2]) == stands(copies[3])


def test_copies_within_a_long_match_begin_no_earlier_than_the_round() -> None:
    variant = customised("cactus", {"rounds": 40, "limit": "none"})
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
    game = Game.from_seed(customised("six-card", {"rounds": 2, "tiebreak": "playoff"}), 2, "over")
    play(game, fresh(3), ALL)
    assert game.copy().result == game.result
    assert game.copy().seen(None) == game.seen(None)


def test_copies_inside_a_playoff_end_as_the_match_does() -> None:
    tied = 0
    for number in range(30):
        game = Game.from_seed(customised("four-turns", {"tiebreak": "playoff"}), 4, f"tie {number}")
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
