"""What holds in every match, along random walks; tests/support/invariants.py says what that is."""

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import asks_of, check_walk

from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.questions import Sealed, SlapOrder, Window
from referee.rules.variants import PRESETS, deck, deck_size

every_preset = pytest.mark.parametrize("preset", PRESETS)


@every_preset
@settings(max_examples=8)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_a_random_match_breaks_no_invariant(preset: str, data: st.DataObject, seed: int, at_random: AtRandom) -> None:
    check_walk(*data.draw(at_random.tables(preset)), seed)


@every_preset
@settings(max_examples=3)
@given(data=st.data())
def test_fallbacks_alone_bring_a_match_to_its_end(preset: str, data: st.DataObject, at_random: AtRandom) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    game = Game(variant, seats, Keyed(b"fallbacks", variant, seats))
    while (question := game.question) is not None:
        answers = tuple(ask.fallback for ask in asks_of(question))
        if isinstance(question, Window):
            game.answer(SlapOrder(slaps=()))
        else:
            game.answer(answers if isinstance(question, Sealed) else answers[0])
    assert game.result.rounds


@every_preset
@settings(max_examples=3)
@given(data=st.data())
def test_the_size_of_a_deck_is_that_of_the_deck(preset: str, data: st.DataObject, at_random: AtRandom) -> None:
    variant, _ = data.draw(at_random.tables(preset))
    for seats in range(1, 13):
        assert deck_size(variant, seats) == len(deck(variant, seats))
