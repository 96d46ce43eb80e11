"""Nobody is told more than the rules allow (INF, CAC-39, C-202).

A match is played, then all cards that a viewer has not learnt are permuted and the same answers are given again: what
the viewer is sent must be the same. What a viewer may learn stands here once more, apart from the referee's own list.
Cards that were moved out of a viewer's sight are then moved in another way: until they show, that must change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct, field
from msgspec.structs import replace

from protocol import events
from protocol.actions import Action, Arrange, Discard, Rearrange, SwapLines
from protocol.cards import Card
from protocol.offers import admits
from referee.play.talk.script import table_message
from referee.rules.book.presets import PRESETS
from referee.rules.book.variant import Variant
from referee.rules.book.variants import customised
from referee.rules.game import Game
from referee.rules.table.asks import Ask, Question, Response, Sealed
from referee.rules.table.chance import Keyed
from referee.rules.table.seen import Happening, view

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
    """A random match: how to play it again."""

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
    return Played(variant, seats, key, responses)


def moments(played: Played, deals: Deals, viewer: Viewer, look: Look) -> Iterator[tuple[Game, Moment]]:
    """The match played again, answer by answer."""
    game = Game(played.variant, played.seats, deals)
    yield game, moment(game, viewer, look, since=0)
    for response in played.responses:
        since = len(game.events)
        game.answer(response)
        yield game, moment(game, viewer, look, since)


def happened(played: Played) -> Sequence[Happening]:
    """All events of the match."""
    *_, (game, _) = moments(played, Deals(played), None, view)
    return game.events


def moment(game: Game, viewer: Viewer, look: Look, since: int) -> Moment:
    question = game.question
    asks: tuple[Ask, ...] = () if question is None else (question,) if isinstance(question, Ask) else question.asks
    own = [ask for ask in asks if ask.seat == viewer]
    return Moment(
        seen=[look(event, viewer) for event in game.events[since:]],
        asked=[(ask.seat, ask.decision) for ask in asks],
        own=[*own, *(table_message(game.table) for ask in own if ask.opens_turn)],
    )


OPEN = (
    events.UpCard, events.TurnedUp, events.Drew, events.Swapped, events.Discarded, events.Traded, events.PairsDiscarded,
    events.PowerUsed, events.Shielded, events.CardRemoved, events.Planted, events.Exposed, events.Slapped,
    events.Showdown,
)  # fmt: skip
"""The events whose cards are all shown to everybody, but for what `Ears.hear` says."""


class Ears(Struct):
    """What the rules let a viewer learn (INF-02, INF-06..08, GEN-10, CAC-39, POW-29, PAR-24, TDK-20)."""

    viewer: Viewer
    variant: Variant
    turned_down: set[int] = field(default_factory=set)
    """Par golf: the seats whose top row lies face down (PAR-13)."""
    is_lap: bool = False
    """Whether a knock is pending."""

    def hear(self, event: Any) -> list[Card]:
        """The cards that the event, the next one, may tell the viewer for the first time."""
        self._note(event)
        match event:
            case events.Drew(source="stock", seat=seat, card=cards) | events.DrewTwo(seat=seat, cards=cards):
                public = seat == self.viewer or self.variant.stock_card_is_public
                return cards_of(cards) if public else self._shown_king(cards)
            case events.Peeked(seat=seat, card=cards) | events.Looked(seat=seat, cards=cards):
                return cards_of(cards) if seat == self.viewer else []
            case events.Swapped(face_up=False, replaced=cards) | events.Kept(discarded=cards):
                return cards_of(cards)
            case events.SwappedOwn(seat=seat, slots=slots, cards=cards):
                up = () if seat in self.turned_down else (0, 1)
                return cards_of([card for slot, card in zip(slots, cards, strict=True) if slot in up])
        return cards_of(event) if isinstance(event, OPEN) else []

    def _shown_king(self, cards: Any) -> list[Card]:
        """POW-22: the first of these cards that cancels a knock by being drawn."""
        kings = shown_kings(self.variant) if self.is_lap else ()
        return [card for card in cards_of(cards) if card in kings][:1]

    def _note(self, event: Any) -> None:
        match event:
            case events.Round():
                self.turned_down.clear()
                self.is_lap = False
            case events.Stroked(seat=seat, row=0):
                self.turned_down.add(seat)
            case events.Knocked() | events.KnockCancelled():
                self.is_lap = isinstance(event, events.Knocked)


def shown_kings(variant: Variant) -> tuple[Card, ...]:
    """The cards that cancel a knock by being drawn, and that everybody sees then (POW-22)."""
    return ("KS", "KC") if variant.has("black_king_cancels") and variant.options.black_king_cancels == "drawn" else ()


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


def leaks(played: Played, viewer: Viewer, dice: Random, look: Look = view, *, cuts: int = 4) -> bool:
    """Whether permuting what the viewer has not learnt up to some moment changes anything that it is sent before."""
    deals, ears = Deals(played), Ears(viewer, played.variant)
    told: list[Moment] = []
    known: list[set[Place]] = [set()]
    heard = 0
    for game, now in moments(played, deals, viewer, look):
        told.append(now)
        met = [card for event in game.events[heard:] for card in ears.hear(event)]
        heard = len(game.events)
        if len(told) > 1 and isinstance(played.responses[len(told) - 2], Discard):
            met += cards_of(game.table.hand)  # POW-07: open from the answer on, though the event waits for the power
        known.append(known[-1] | {card.lies for card in met if isinstance(card, Traced)})
    # Who draws in a final lap and shows no king has none: where kings lie must not change.
    kings = shown_kings(played.variant)
    fixed = {
        (shuffle, at) for shuffle, cards in deals.shuffles.items() for at, card in enumerate(cards) if card in kings
    }
    for cut in sorted(dice.sample(range(1, len(told) + 1), min(cuts, len(told)))):
        other = Deals(played, permuted(deals.shuffles, known[cut] | fixed, dice))
        changed = islice(moments(played, other, viewer, look), cut)
        if any(now != told[at] for at, (_, now) in enumerate(changed)):
            return True
    return False


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds)
def test_hidden_cards_change_nothing_that_a_seat_or_a_spectator_is_sent(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    played, dice = play(variant, seats, seed, at_random), Random(seed)  # noqa: S311
    for viewer in (None, dice.randrange(seats)):
        assert not leaks(played, viewer, dice)


EVERY_RANK = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

FULL_OF_POWERS: list[tuple[str, int, dict[str, Any]]] = [
    ("cambio", 3, {"cambio_powers": dict.fromkeys(EVERY_RANK, "peek_other")}),
    ("cambio", 2, {"cambio_powers": dict.fromkeys(EVERY_RANK, "exchange"), "slaps": True}),
    ("four-card", 3, {"initial_look": "near_row", "cambio_powers": dict.fromkeys(EVERY_RANK, "peek_own")}),
    ("powers", 2, {}),
    ("powers", 3, {"powers_draw_pile": True, "shield_uses": "unlimited"}),
    ("powers", 4, {"black_king_cancels": "drawn"}),
    ("cactus", 3, {"cactus_ranks": "KA"}),
]


@pytest.mark.parametrize(("preset", "seats", "options"), FULL_OF_POWERS)
def test_powers_tell_nothing_but_what_they_are_for(
    preset: str, seats: int, options: dict[str, Any], at_random: AtRandom
) -> None:
    variant = customised(preset, {"rounds": 1, **options})
    for seed in range(20):
        played, dice = play(variant, seats, seed, at_random, haste=0.03), Random(seed)  # noqa: S311
        for viewer in (None, *range(seats)):
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
    for seed in range(25):
        played, dice = play(variant, seats, seed, at_random, haste=0.02), Random(seed)  # noqa: S311
        assert not leaks(played, dice.randrange(seats), dice)
        reshuffles += sum(isinstance(event, events.Reshuffled) for event in happened(played))
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


def followers(played: Played, moved: Moved) -> list[Viewer]:
    """Who else than the insider can tell the two ways apart before it may see one of the cards that lie otherwise."""
    both = (played, moved.otherwise)
    games = [Game(played.variant, played.seats, Deals(one)) for one in both]
    watching = {
        viewer: [Ears(viewer, played.variant) for _ in both]
        for viewer in (None, *range(played.seats))
        if viewer is None or viewer != moved.insider
    }
    found: list[Viewer] = []
    strays: set[Place | None] = set()
    for pair in zip(played.responses, moved.otherwise.responses, strict=True):
        since = len(games[0].events)
        for game, response in zip(games, pair, strict=True):
            game.answer(response)
        news = [game.events[since:] for game in games]
        if any(isinstance(event, events.Showdown) for event in news[0]):
            break
        for viewer, ears in list(watching.items()):
            shown = [card for own, told in zip(ears, news, strict=True) for event in told for card in own.hear(event)]
            if strays & {card.lies for card in shown if isinstance(card, Traced)}:
                del watching[viewer]
                continue
            first, second = (moment(game, viewer, view, since) for game in games)
            if first != second:
                del watching[viewer]
                found.append(viewer)
        if not watching:
            break
        strays.update(place for lies in zip(*map(places, games), strict=True) if len(set(lies)) > 1 for place in lies)
    return found


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
    for seed in range(15):
        played, dice = play(variant, seats, seed, at_random, haste=0.02), Random(seed)  # noqa: S311
        for moved in hidden_moves(played, dice):
            moves += 1
            assert followers(played, moved) == []
    assert moves > 5


@pytest.mark.parametrize("preset", ["cambio", "powers"])
def test_open_rearrangements_can_be_followed(preset: str, at_random: AtRandom) -> None:
    variant = customised(preset, {"rounds": 1, "hidden_rearrange": False})
    matches = [play(variant, 2, seed, at_random, haste=0.02) for seed in range(25)]
    ways = [(played, moved) for played in matches for moved in hidden_moves(played, Random(1))]  # noqa: S311
    assert any(None in followers(played, moved) for played, moved in ways)


# The checks themselves


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "two-deck"])
def test_the_check_finds_a_view_that_is_somebody_elses(preset: str, at_random: AtRandom) -> None:
    variant = customised(preset, {"course": (4,)} if preset == "par-course" else {"rounds": 1})

    def neighbours(event: Happening, _: Viewer) -> Any:
        return view(event, 1)

    assert any(leaks(play(variant, 3, seed, at_random), 0, Random(seed), neighbours) for seed in range(99))  # noqa: S311


def test_tdk_20_nothing_is_private_in_the_two_deck_game(at_random: AtRandom) -> None:
    played = play(customised("two-deck", {"rounds": 1}), 3, 1, at_random)
    for event in happened(played):
        assert all(view(event, seat) == view(event, None) for seat in range(3))


@every_preset
@settings(max_examples=6)
@given(data=st.data(), seed=seeds)
def test_everybody_is_told_what_the_rules_let_it_learn(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    played = play(variant, seats, seed, at_random)
    everyone = (None, *range(seats))
    ears = [Ears(viewer, variant) for viewer in everyone]
    for event in happened(played):
        versions = [view(event, viewer) for viewer in everyone]
        for own, version in zip(ears, versions, strict=True):
            assert set(own.hear(event)) <= set(cards_of(version))
