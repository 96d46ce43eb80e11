"""Nobody is told more than the rules allow (INF, CAC-39, C-202).

A match is played, then all cards that a viewer has not learnt are permuted and the same answers are given again: what
the viewer is sent must be the same. What a viewer may learn stands here once more, apart from the referee's own list.
Cards that were moved out of a viewer's sight are then moved in another way: until they show, that must change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from protocol import events
from protocol.actions import Action, Arrange, Discard, Rearrange, SwapLines
from protocol.cards import Card
from protocol.offers import admits
from referee.play.conversation import table_message
from referee.rules.asks import Ask, Question, Response, Sealed
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
Place = tuple[Shuffle, int]


class Traced(str):
    """A card that knows where the last shuffle put it, so that a test can tell equal cards apart."""

    __slots__ = ("lies",)
    lies: Place

    def __new__(cls, card: Card, lies: Place) -> Traced:
        traced = super().__new__(cls, card)
        traced.lies = lies
        return traced


class Deals(Keyed):
    """Shuffles that are noted, and can be given otherwise.

    A set that is shuffled (POW-14) keeps its cards' places in the deal: which of them it holds may be unknown.
    """

    def __init__(self, played: Played, given: dict[Shuffle, list[Card]] | None = None) -> None:
        super().__init__(played.key, played.variant, played.seats)
        self.shuffles: dict[Shuffle, list[Card]] = given or {}
        self.turned = played.turned

    def deck(self, number: int) -> tuple[Card, ...]:
        return self._note((number, 0), super().deck(number))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        shuffled = self._note((number, count), super().reshuffle(number, count, cards))
        assert sorted(shuffled) == sorted(cards)
        return shuffled

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        shuffled = super().shuffle(number, count, cards)
        return shuffled[1:] + shuffled[:1] if (number, count) == self.turned else shuffled

    def _note(self, shuffle: Shuffle, cards: Sequence[Card]) -> tuple[Card, ...]:
        order = self.shuffles.setdefault(shuffle, list(cards))
        return tuple(Traced(card, (shuffle, place)) for place, card in enumerate(order))


class Played(Struct):
    """A random match up to a random moment: how to play it again."""

    variant: Variant
    seats: int
    key: bytes
    responses: list[Response]
    turned: Shuffle | None = None
    """The round and the number of a shuffle of a set that comes out otherwise."""


class Moment(Struct):
    """What a viewer is sent when a question is open."""

    seen: list[Any]
    """The viewer's versions of what has happened since the last question."""
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
    moments = [moment(game, viewer, look, since=0)]
    for response in played.responses:
        since = len(game.events)
        game.answer(response)
        moments.append(moment(game, viewer, look, since))
    return game, moments


def moment(game: Game, viewer: Viewer, look: Look, since: int) -> Moment:
    question = game.question
    asks: tuple[Ask, ...] = () if question is None else (question,) if isinstance(question, Ask) else question.asks
    own = [ask for ask in asks if ask.seat == viewer]
    return Moment(
        seen=[look(event, viewer) for event in game.events[since:]],
        asked=[(ask.seat, ask.decision) for ask in asks],
        own=[*own, *(table_message(game.table) for ask in own if ask.opens_turn)],
    )


def may_learn(event: Any, viewer: Viewer, *, open_stock: bool = False) -> Iterable[Card | None]:
    """The cards that an event may tell this viewer for the first time (INF-02, INF-06..08, GEN-10, CAC-39, POW-29).

    `open_stock`: stock cards are drawn openly (TDK-08).
    """
    match event:
        case events.Drew(source="stock", seat=seat, card=card):
            return [card.value] if open_stock or seat == viewer else []
        case events.Peeked(seat=seat, card=card):
            return [card.value] if seat == viewer else []
        case events.Looked(seat=seat, cards=cards) | events.DrewTwo(seat=seat, cards=cards):
            return [card.value for card in cards] if seat == viewer else []
        case events.Swapped(face_up=False, replaced=card):
            return [card.value]
        case events.Kept(discarded=cards):
            return [card.value for card in cards]
    return cards_of(event)


def cards_of(value: Any) -> list[Card]:
    """All cards in an event or in a version of it."""
    if isinstance(value, Struct):
        return cards_of([getattr(value, name) for name in value.__struct_fields__])
    if isinstance(value, list | tuple):
        return [card for one in value for card in cards_of(one)]
    return [value] if isinstance(value, Traced) else []


def permuted(shuffles: dict[Shuffle, list[Card]], known: set[Place], dice: Random) -> dict[Any, Any]:
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
    open_stock = played.variant.flow == "two_deck"
    met = [card for event in game.events for card in may_learn(event, viewer, open_stock=open_stock)]
    if played.responses and isinstance(played.responses[-1], Discard):
        met.append(game.table.hand)  # POW-07: open from the answer on, though its event tells what is done with it
    known = {card.lies for card in met if isinstance(card, Traced)}
    _, changed = again(played, Deals(played, permuted(deals.shuffles, known, dice)), viewer, look)
    return moments != changed


@every_preset
@settings(max_examples=40, deadline=None)
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
    ("cambio", 6, {"slaps": True, "rounds": 2}),
    ("powers", 3, {"powers_draw_pile": True, "rounds": 1}),
    ("par-5", 4, {"rounds": 3, "arrange": "blind"}),
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


# Cards moved out of sight


class Moved(Struct):
    """Cards were moved unseen by some: the same match with the cards moved otherwise."""

    otherwise: Played
    insider: Viewer
    """The seat that knows how they were moved; None where nobody does."""


def hidden_moves(played: Played, dice: Random) -> Iterator[Moved]:
    """AMB-49, POW-14, POW-19, PAR-04: every move of the match that somebody may not follow, done otherwise."""
    game = Game(played.variant, played.seats, Deals(played))
    for at, response in enumerate(played.responses):
        question, shuffles = game.question, game.table.shuffles
        assert question is not None
        other, seat = moved_otherwise(game, question, response, dice)
        game.answer(response)
        responses = [*played.responses[:at], other, *played.responses[at + 1 :]]
        if other != response:
            yield Moved(replace(played, responses=responses), seat)
        if game.table.shuffles > shuffles:
            yield Moved(replace(played, turned=(game.table.round, game.table.shuffles)), None)


def moved_otherwise(game: Game, question: Question, response: Response, dice: Random) -> tuple[Response, int]:
    """Another response that looks the same to those who may not follow it, and whose it is; or the same one."""
    if isinstance(question, Sealed) and isinstance(response, tuple):
        seat = dice.randrange(game.table.seats)
        return tuple(arranged(action, dice) if one == seat else action for one, action in enumerate(response)), seat
    seat = question.seat if isinstance(question, Ask) else 0
    if isinstance(response, Rearrange):
        return replace(response, slots=tuple(dice.sample(response.slots, len(response.slots)))), seat
    if isinstance(response, SwapLines) and isinstance(question, Ask):
        axis, lines = dice.choice(("row", "column")), tuple(dice.sample(range(3), 2))
        other = replace(response, axis=axis, lines=lines)
        layout = game.table.layouts[response.seat]
        if len(layout) == 6 and all(slot and not slot.up for slot in layout) and admits(question.offers, other):
            return other, seat
    return response, seat


def arranged(action: Action, dice: Random) -> Action:
    """Another arrangement with the same top row, which will be turned up."""
    if not isinstance(action, Arrange):
        return action
    top, rest = action.slots[:2], action.slots[2:]
    return Arrange(slots=(*top, *dice.sample(rest, len(rest))))


def follows(played: Played, moved: Moved, viewer: Viewer) -> bool:
    """Whether the viewer can tell the two ways apart before it may see one of the cards that lie otherwise."""
    games = (
        Game(played.variant, played.seats, Deals(played)),
        Game(played.variant, played.seats, Deals(moved.otherwise)),
    )
    strays: set[Place] = set()
    for pair in zip(played.responses, moved.otherwise.responses, strict=True):
        since = len(games[0].events)
        for game, response in zip(games, pair, strict=True):
            game.answer(response)
        happened = [event for game in games for event in game.events[since:]]
        shown = [card for event in happened for card in may_learn(event, viewer)]
        if any(isinstance(event, events.Showdown) for event in happened):
            return False
        if strays & {card.lies for card in shown if isinstance(card, Traced)}:
            return False
        first, second = (moment(game, viewer, view, since) for game in games)
        if first != second:
            return True
        strays.update(place for lies in zip(*map(places, games), strict=True) if len(set(lies)) > 1 for place in lies)
    return False


def places(game: Game) -> list[Place | None]:
    """Slot by slot around the table: where the last shuffle of the pack put its card."""
    slots = [slot for layout in game.table.layouts for slot in layout]
    return [slot.card.lies if slot and isinstance(slot.card, Traced) else None for slot in slots]


HIDING: list[tuple[str, int, dict[str, Any]]] = [
    ("cambio", 3, {"jokers": 8, "rounds": 1}),
    (
        "cambio",
        4,
        {"slaps": True, "cambio_powers": {"5": "rearrange", "6": "exchange", "7": "peek_other"}, "rounds": 1},
    ),
    ("four-card", 3, {"initial_look": "all", "cambio_powers": {"9": "rearrange", "J": "peek_own"}, "rounds": 1}),
    ("powers", 2, {"rounds": 1}),
    ("powers", 4, {"rounds": 1, "initial_look": "any:3", "shield_uses": 2}),
    ("par-4", 3, {"rounds": 1}),
    ("no-par", 2, {"rounds": 1}),
]


@pytest.mark.parametrize(("preset", "seats", "options"), HIDING)
def test_inf_05_nobody_can_follow_what_was_moved_unseen(
    preset: str, seats: int, options: dict[str, Any], at_random: AtRandom
) -> None:
    variant, moves = customised(preset, options), 0
    for seed in range(25):
        played, dice = play(variant, seats, seed, at_random, haste=0.02), Random(seed)  # noqa: S311
        for moved in hidden_moves(played, dice):
            moves += 1
            for viewer in (None, *range(seats)):
                initiated = viewer is not None and viewer == moved.insider
                assert initiated or not follows(played, moved, viewer)
    assert moves > 5


@pytest.mark.parametrize("preset", ["cambio", "powers"])
def test_open_rearrangements_can_be_followed(preset: str, at_random: AtRandom) -> None:
    variant = customised(preset, {"rounds": 1, "hidden_rearrange": False})
    matches = [play(variant, 2, seed, at_random, haste=0.02) for seed in range(25)]
    ways = [(played, moved) for played in matches for moved in hidden_moves(played, Random(1))]  # noqa: S311
    assert any(follows(played, moved, None) for played, moved in ways)


# The checks themselves


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "two-deck"])
def test_the_check_finds_a_view_that_is_somebody_elses(preset: str, at_random: AtRandom) -> None:
    variant = customised(preset, {"course": (4,)} if preset == "par-course" else {"rounds": 1})

    def neighbours(event: Happening, _: Viewer) -> Any:
        return view(event, 1)

    assert any(leaks(play(variant, 3, seed, at_random), 0, Random(seed), neighbours) for seed in range(99))  # noqa: S311


def test_tdk_20_nothing_is_private_in_the_two_deck_game(at_random: AtRandom) -> None:
    played = play(customised("two-deck", {"rounds": 1}), 3, 1, at_random)
    game, _ = again(played, Deals(played), None, view)
    assert all(is_public(event) for event in game.events)


@every_preset
@settings(max_examples=20, deadline=None)
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
            told = may_learn(event, viewer, open_stock=preset == "two-deck")
            assert {card for card in told if card} <= set(cards_of(version))
        assert is_public(event) == all(version == versions[0] for version in versions)
