"""Nobody is told more than the rules allow (INF, CAC-39, C-202).

A match is played, then all cards that a viewer has not learnt are permuted and the same answers are given again: what
the viewer is sent must be the same. What a viewer may learn stands here once more, apart from the referee's own list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from protocol import events
from protocol.cards import Card
from referee.play.conversation import table_message
from referee.rules.asks import Ask, Response
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.seen import Happening, is_public, view
from referee.rules.variants import PRESETS, Variant, customised

if TYPE_CHECKING:
    from conftest import AtRandom

every_preset = pytest.mark.parametrize("preset", PRESETS)
seeds = st.integers(0, 2**32)

Viewer = int | None
Look = Callable[[Happening, Viewer], Any]
Shuffle = tuple[int, int]
"""The round and the number of the shuffle in it: 0 for the deal, then the reshuffles."""


class Traced(str):
    """A card that knows where the last shuffle put it, so that a test can tell equal cards apart."""

    __slots__ = ("place", "shuffle")
    shuffle: Shuffle
    place: int

    def __new__(cls, card: Card, shuffle: Shuffle, place: int) -> Traced:
        traced = super().__new__(cls, card)
        traced.shuffle, traced.place = shuffle, place
        return traced


class Deals(Keyed):
    """Shuffles that are noted, and can be given otherwise."""

    def __init__(self, played: Played, given: dict[Shuffle, list[Card]] | None = None) -> None:
        super().__init__(played.key, played.variant, played.seats)
        self.shuffles: dict[Shuffle, list[Card]] = given or {}

    def deck(self, number: int) -> tuple[Card, ...]:
        return self._note((number, 0), super().deck(number))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        shuffled = self._note((number, count), super().reshuffle(number, count, cards))
        assert sorted(shuffled) == sorted(cards)
        return shuffled

    def _note(self, shuffle: Shuffle, cards: Sequence[Card]) -> tuple[Card, ...]:
        order = self.shuffles.setdefault(shuffle, list(cards))
        return tuple(Traced(card, shuffle, place) for place, card in enumerate(order))


class Played(Struct):
    """A random match up to a random moment: how to play it again."""

    variant: Variant
    seats: int
    key: bytes
    responses: list[Response]


class Moment(Struct):
    """What a viewer has been sent when a question is open."""

    seen: list[Any]
    """The viewer's versions of all events so far."""
    asked: list[tuple[int, str]]
    """Who is asked what. Nobody is told of others' questions, but how long others take can be heard (INF-09)."""
    own: list[Any]
    """The viewer's own questions, and the table that goes with the first of a turn."""


def play(variant: Variant, seats: int, seed: int, at_random: AtRandom, *, haste: float = 0.1) -> Played:
    dice, key = Random(seed), b"information%d" % seed  # noqa: S311
    game = Game(variant, seats, Keyed(key, variant, seats))
    responses: list[Response] = []
    while game.question is not None:
        responses.append(at_random.response(game, dice, haste=haste))
        game.answer(responses[-1])
    return Played(variant, seats, key, responses[: dice.randint(0, len(responses))])


def again(played: Played, deals: Deals, viewer: Viewer, look: Look) -> tuple[Game, list[Moment]]:
    game = Game(played.variant, played.seats, deals)
    moments = [moment(game, viewer, look)]
    for response in played.responses:
        game.answer(response)
        moments.append(moment(game, viewer, look))
    return game, moments


def moment(game: Game, viewer: Viewer, look: Look) -> Moment:
    question = game.question
    asks: tuple[Ask, ...] = () if question is None else (question,) if isinstance(question, Ask) else question.asks
    own = [ask for ask in asks if ask.seat == viewer]
    return Moment(
        seen=[look(event, viewer) for event in game.events],
        asked=[(ask.seat, ask.decision) for ask in asks],
        own=[*own, *(table_message(game.table) for ask in own if ask.opens_turn)],
    )


def may_learn(event: Any, viewer: Viewer) -> Iterable[Card | None]:
    """The cards that an event may tell this viewer for the first time (INF-02, INF-06..08, GEN-10, CAC-39)."""
    match event:
        case events.Drew(seat=seat, source="stock", card=card) | events.Peeked(seat=seat, card=card):
            return [card.value] if seat == viewer else []
        case events.Looked(seat=seat, cards=cards):
            return [card.value for card in cards] if seat == viewer else []
        case events.Swapped(face_up=False, replaced=card):
            return [card.value]
    return cards_of(event)


def cards_of(value: Any) -> list[Card]:
    """All cards in an event or in a version of it."""
    if isinstance(value, Struct):
        return cards_of([getattr(value, name) for name in value.__struct_fields__])
    if isinstance(value, list | tuple):
        return [card for one in value for card in cards_of(one)]
    return [value] if isinstance(value, Traced) else []


def permuted(shuffles: dict[Shuffle, list[Card]], known: set[tuple[Shuffle, int]], dice: Random) -> dict[Any, Any]:
    """The shuffles with all cards at places that are not known in another order."""
    others = {shuffle: list(cards) for shuffle, cards in shuffles.items()}
    for shuffle, cards in shuffles.items():
        hidden = [place for place in range(len(cards)) if (shuffle, place) not in known]
        for place, source in zip(hidden, dice.sample(hidden, len(hidden)), strict=True):
            others[shuffle][place] = cards[source]
    return others


def leaks(played: Played, viewer: Viewer, dice: Random, look: Look = view) -> bool:
    """Whether permuting what the viewer has not learnt changes anything that it is sent."""
    deals = Deals(played)
    game, moments = again(played, deals, viewer, look)
    met = [card for event in game.events for card in may_learn(event, viewer)]
    known = {(card.shuffle, card.place) for card in met if isinstance(card, Traced)}
    _, changed = again(played, Deals(played, permuted(deals.shuffles, known, dice)), viewer, look)
    return moments != changed


@every_preset
@settings(max_examples=70, deadline=None)
@given(data=st.data(), seed=seeds)
def test_hidden_cards_change_nothing_that_a_seat_or_a_spectator_is_sent(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    played, dice = play(variant, seats, seed, at_random), Random(seed)  # noqa: S311
    for viewer in (None, dice.randrange(seats)):
        assert not leaks(played, viewer, dice)


CROWDED = [
    ("single-deck", 4, {"flip_on_discard": "never", "initial_up": 0, "rounds": 1}),
    ("six-card", 7, {"decks": 1, "initial_up": 0, "cutthroat_trade": True, "turn_cap": 20, "rounds": 1}),
    ("cactus", 5, {"stock_out": "reshuffle", "rounds": 2}),
]


@pytest.mark.parametrize(("preset", "seats", "options"), CROWDED)
def test_inf_05_nobody_can_follow_a_card_through_a_reshuffle(
    preset: str, seats: int, options: dict[str, Any], at_random: AtRandom
) -> None:
    variant, reshuffles = customised(preset, options), 0
    for seed in range(40):
        played, dice = play(variant, seats, seed, at_random, haste=0.02), Random(seed)  # noqa: S311
        assert not leaks(played, dice.randrange(seats), dice)
        game, _ = again(played, Deals(played), None, view)
        reshuffles += sum(isinstance(event, events.Reshuffled) for event in game.events)
    assert reshuffles > 5


@every_preset
def test_the_check_finds_a_view_that_is_somebody_elses(preset: str, at_random: AtRandom) -> None:
    variant = customised(preset, {"rounds": 1})

    def neighbours(event: Happening, _: Viewer) -> Any:
        return view(event, 1)

    assert any(leaks(play(variant, 3, seed, at_random), 0, Random(seed), neighbours) for seed in range(20))  # noqa: S311


@every_preset
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=seeds)
def test_everybody_is_told_what_the_rules_let_it_learn(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    played = play(variant, seats, seed, at_random)
    game, _ = again(played, Deals(played), None, view)
    for event in game.events:
        versions = [view(event, viewer) for viewer in (None, *range(seats))]
        for viewer, version in zip((None, *range(seats)), versions, strict=True):
            assert {card for card in may_learn(event, viewer) if card} <= set(cards_of(version))
        assert is_public(event) == all(version == versions[0] for version in versions)
