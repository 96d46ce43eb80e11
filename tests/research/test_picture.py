"""Pictures show each viewer the cards that it can follow by its events, and cost the same however many there were."""

import pytest
from wandering import dice, wander

from protocol.cards import Card
from referee.match_states.follower import Follower
from referee.match_states.view import View
from referee.research import Env
from referee.research.adapters.picture import view_of
from referee.rules.game import Game


def cards(view: View) -> tuple[object, ...]:
    """What a viewer sees: of each card whether it lies face up, and which one it is, if the viewer knows it."""

    def card(number: int) -> Card | None:
        return view.known.get(number)

    layouts = [[placed and (card(placed.number), placed.up) for placed in layout] for layout in view.layouts]
    return layouts, view.hand and (view.hand.seat, [*map(card, view.hand.cards)]), view.pile, view.shields, view.scores


@pytest.mark.parametrize("preset", ["six-card", "cactus", "powers", "par-3"])
def test_a_picture_has_the_cards_of_the_viewers_events_and_follows_none(
    preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, chance = Env(preset), dice(preset)
    env.reset(1)
    for _ in range(40):
        wander(env, chance, 7)
        for viewer in (None, *range(env.seats)):
            follower = Follower(seats=env.seats, rows=env.variant.rows, columns=env.variant.columns)
            for event in env.game.seen(viewer):
                follower.follow(event)
            with monkeypatch.context() as patch:
                patch.delattr(Game, "seen")
                assert cards(view_of(env.game, viewer)) == cards(follower.view)
