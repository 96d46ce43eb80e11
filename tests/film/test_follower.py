"""What a viewer knows of a table follows from the events alone, and it is what lies there."""

from random import Random

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.film.follower import Follower
from referee.play.talk.script import table_message
from referee.rules.book.presets import PRESETS
from referee.rules.book.variant import Variant
from referee.rules.game import Game
from referee.rules.table.asks import Ask
from referee.rules.table.chance import Keyed
from referee.rules.table.table import Table


def check(table: Table, follower: Follower) -> None:
    """What is followed lies on the table, and what is known is true; what lies open is known."""
    view, public = follower.view, table_message(table)
    assert view.pile[-1:] == public.pile
    assert (view.stock, view.knocker, view.totals, view.dealer) == (
        public.stock,
        public.knocker,
        public.totals,
        public.dealer,
    )
    assert [len(shields) for shields in view.shields] == [len(shields) for shields in table.shields]
    for seat, layout in enumerate(table.layouts):
        for slot, lies in enumerate(layout):
            placed = view.layouts[seat][slot] if slot < len(view.layouts[seat]) else None
            assert (placed is None) == (lies is None)
            if placed is not None and lies is not None:
                assert placed.up == lies.up
                known = view.known.get(placed.number)
                assert known == lies.card or (known is None and not lies.up)
    held = [view.known.get(number) for number in view.hand.cards] if view.hand is not None else []
    truth = [card for card in (table.hand, *table.extra) if card is not None]
    assert len(held) == len(truth)
    assert all(known in (None, card) for known, card in zip(held, truth, strict=True))


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_followed_is_what_lies_there(preset: str, at_random: AtRandom) -> None:
    @settings(max_examples=3)
    @given(at_random.tables(preset), st.integers(0, 2**32))
    def follow(made: tuple[Variant, int], seed: int) -> None:
        variant, seats = made
        dice = Random(seed)  # noqa: S311
        game = Game(variant, seats, Keyed(b"view%d" % seed, variant, seats))
        viewers = (None, 0, seats - 1)
        followers = {viewer: Follower(seats=seats, rows=variant.rows, columns=variant.columns) for viewer in viewers}
        told = 0
        while game.question is not None:
            for viewer, follower in followers.items():
                for event in game.seen(viewer, told):
                    follower.follow(event)
                if not (isinstance(game.question, Ask) and game.question.decision == "par"):  # the next deal is to come
                    check(game.table, follower)
            told = len(game.events)
            game.answer(at_random.response(game, dice))

    follow()
