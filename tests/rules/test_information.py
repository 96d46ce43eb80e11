"""Everybody is told what the rules allow, and no more (INF, CAC-39, TDK-20, C-202).

A match is played at random. Now and then all cards that a viewer has not learnt are permuted, and the round is played
again with the same answers: what the viewer is sent must be the same. What a viewer may learn stands here once more,
apart from the referee's own list. Cards that are moved out of a viewer's sight are also moved in another way, and both
matches are played on: until such a card shows, what the viewer is sent must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import asks_of
from msgspec import Struct, field
from msgspec.structs import replace

from protocol import events
from protocol.actions import Action, Allow, Arrange, Discard, Rearrange, Shuffle, SwapLines
from protocol.cards import Card
from protocol.offers import admits
from referee.play.talk.script import table_message
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask, Question, Response, Sealed
from referee.rules.secrets import TableEvent, view
from referee.rules.table import Slot, Table
from referee.rules.variants import PRESETS, Variant

every_preset = pytest.mark.parametrize("preset", PRESETS)
seeds = st.integers(0, 2**32)

Viewer = int | None
Look = Callable[[TableEvent, Viewer], Any]
Shuffling = tuple[int, int]
"""The round and the number of the shuffle in it: 0 for the deal, then the reshuffles."""
Place = tuple[Shuffling, int]

CHECKED = 0.05
"""How often a question is one at which what a viewer has been sent is checked."""


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

    def __init__(self, seed: int, variant: Variant, seats: int) -> None:
        super().__init__(b"information%d" % seed, variant, seats)
        self.seed, self.variant, self.seats = seed, variant, seats
        self.shuffles: dict[Shuffling, list[Card]] = {}
        self.turned: Shuffling | None = None
        """The round and the number of a shuffle of a set that comes out otherwise."""

    def otherwise(self, shuffles: dict[Shuffling, list[Card]], turned: Shuffling | None = None) -> Deals:
        """The same chance, but for these shuffles."""
        other = Deals(self.seed, self.variant, self.seats)
        other.shuffles, other.turned = shuffles, turned
        return other

    def deck(self, number: int) -> tuple[Card, ...]:
        return self._note((number, 0), super().deck(number))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        shuffled = self._note((number, count), super().reshuffle(number, count, cards))
        assert sorted(shuffled) == sorted(cards)
        return shuffled

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        shuffled = super().shuffle(number, count, cards)
        return shuffled[1:] + shuffled[:1] if (number, count) == self.turned else shuffled

    def _note(self, shuffle: Shuffling, cards: Sequence[Card]) -> tuple[Card, ...]:
        order = self.shuffles.setdefault(shuffle, list(cards))
        return tuple(Traced(card, (shuffle, place)) for place, card in enumerate(order))


class Moment(Struct):
    """What a viewer is sent when a question is open."""

    seen: list[Any]
    """The viewer's versions of what has happened since the last question."""
    asked: list[tuple[int, str]]
    """Who is asked what. Nobody is told of others' questions, but how long others take can be heard (INF-09)."""
    own: list[Any]
    """The viewer's own questions, and the table that goes with the first of a turn."""
    knowers: list[tuple[int, int] | None]
    """By slot of whom everybody can tell that they know its card, and since when the viewer knows it, if it does."""


def moment(game: Game, viewer: Viewer, look: Look, since: int) -> Moment:
    asks = asks_of(game.question) if game.question else ()
    own = [ask for ask in asks if ask.seat == viewer]
    return Moment(
        seen=[look(event, viewer) for event in game.events[since:]],
        asked=[(ask.seat, ask.decision) for ask in asks],
        own=[*own, *(table_message(game.table) for ask in own if ask.opens_turn)],
        knowers=[
            None if slot is None else (slot.openly_known_by, slot.shown_at if knows(game.table, viewer, slot) else -1)
            for layout in game.table.layouts
            for slot in layout
            if all(ask.decision != "par" for ask in asks)  # before the deal the cards of the round before lie there
        ],
    )


def knows(table: Table, viewer: Viewer, slot: Slot) -> bool:
    return bool(slot.known_by >> (table.seats if viewer is None else viewer) & 1)


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

    def copy(self) -> Ears:
        return replace(self, turned_down=set(self.turned_down))

    def hear(self, event: Any) -> list[Card]:
        """The cards that the event, the next one, may tell the viewer for the first time."""
        self._note(event)
        match event:
            case events.Drew(source="stock", seat=seat, card=cards) | events.DrewTwo(seat=seat, cards=cards):
                public = seat == self.viewer or self.variant.play == "two_deck"
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


class Watcher(Struct):
    """What a viewer has been sent in the round, and which cards it has learnt."""

    viewer: Viewer
    ears: Ears
    began: int = -1
    """How many events there were when the round began."""
    told: list[Moment] = field(default_factory=list)
    known: set[Place] = field(default_factory=set)

    def watch(self, game: Game, since: int, response: Response | None, look: Look) -> None:
        """Note what has come of a response."""
        met: list[Card] = []
        for event in game.events[since:]:
            heard, version = self.ears.hear(event), look(event, self.viewer)
            assert look is not view or set(heard) <= set(cards_of(version)), "a viewer is told less than it may learn"
            met += heard
        if isinstance(response, Discard):
            met += cards_of(game.table.hand)  # POW-07: open from the answer on, though the event waits for the power
        self.known |= {card.lies for card in met if isinstance(card, Traced)}
        if self.began != game.events_before:
            self.began, self.told = game.events_before, []
        self.told.append(moment(game, self.viewer, look, max(since, self.began)))

    def is_told_otherwise(self, game: Game, dice: Random, look: Look) -> bool:
        """Whether the round had been told otherwise if the cards that the viewer has not learnt lay otherwise."""
        deals = game.table.chance
        assert isinstance(deals, Deals)
        other = game.round_again(deals.otherwise(self._permuted(deals, game.table.round, dice)))
        now = moment(other, self.viewer, look, self.began)
        for told, response in zip(self.told, game.answers, strict=False):
            if now != told:
                return True
            since = len(other.events)
            other.answer(response)
            now = moment(other, self.viewer, look, since)
        return now != self.told[-1]

    def _permuted(self, deals: Deals, number: int, dice: Random) -> dict[Shuffling, list[Card]]:
        """The shuffles of the round with all cards at places that are not known in another order."""
        # Who draws in a final lap and shows no king has none: where kings lie must not change.
        kings = shown_kings(deals.variant)
        others = {shuffle: list(cards) for shuffle, cards in deals.shuffles.items() if shuffle[0] == number}
        for shuffle, cards in others.items():
            hidden = [at for at, card in enumerate(cards) if (shuffle, at) not in self.known and card not in kings]
            mixed = [cards[at] for at in dice.sample(hidden, len(hidden))]
            for at, card in zip(hidden, mixed, strict=True):
                cards[at] = card
        return others


def leaks(
    variant: Variant, seats: int, seed: int, at_random: AtRandom, *, haste: float = 0.1, look: Look = view
) -> bool:
    """Play a match at random: whether cards that a viewer has not learnt change what it is sent."""
    dice = Random(seed)  # noqa: S311
    game, since, response = Game(variant, seats, Deals(seed, variant, seats)), 0, None
    watchers = [Watcher(viewer, Ears(viewer, variant)) for viewer in (None, *range(seats))]
    while True:
        for watcher in watchers:
            watcher.watch(game, since, response, look)
        since = len(game.events)
        is_checked = game.question is None or dice.random() < CHECKED
        if is_checked and dice.choice(watchers).is_told_otherwise(game, dice, look):
            return True
        if game.question is None:
            return False
        response = at_random.response(game, dice, haste=haste)
        game.answer(response)


@every_preset
@settings(max_examples=6)
@given(data=st.data(), seed=seeds)
def test_hidden_cards_change_nothing_that_a_seat_or_a_spectator_is_sent(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    assert not leaks(*data.draw(at_random.tables(preset)), seed, at_random)


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
    variant = with_options(preset, {"rounds": 1, **options})
    assert not any(leaks(variant, seats, seed, at_random, haste=0.03) for seed in range(7))


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
    variant, reshuffles = with_options(preset, options), 0

    def counting(event: TableEvent, viewer: Viewer) -> Any:
        nonlocal reshuffles
        reshuffles += isinstance(event, events.Reshuffled)
        return view(event, viewer)

    assert not any(leaks(variant, seats, seed, at_random, haste=0.02, look=counting) for seed in range(7))
    assert reshuffles > 5


# Cards moved out of sight


class Fork(Struct):
    """Two matches that differ by how one seat, or chance, moved cards that others may not follow."""

    games: tuple[Game, Game]
    responses: tuple[Response, Response]
    insider: Viewer
    """The seat that knows how they were moved; None where nobody does."""
    ears: list[Ears]


def followers(fork: Fork, dice: Random, at_random: AtRandom) -> list[Viewer]:
    """Who can tell the two ways apart before it may see one of the cards that lie otherwise.

    Both matches are played on to the end of the round, at random and alike.
    """
    watching = {ears.viewer: (ears.copy(), ears.copy()) for ears in fork.ears}
    if fork.insider is not None:
        del watching[fork.insider]
    found: list[Viewer] = []
    strays: set[Place | None] = set()
    first, second = fork.games
    answers = fork.responses
    while True:
        since = len(first.events)
        for game, response in zip(fork.games, answers, strict=True):
            game.answer(response)
        if any(isinstance(event, events.Showdown) for event in first.events[since:]):
            return found
        for viewer, both in list(watching.items()):
            shown = [
                card
                for ears, game in zip(both, fork.games, strict=True)
                for event in game.events[since:]
                for card in ears.hear(event)
            ]
            if strays & {card.lies for card in shown if isinstance(card, Traced)}:
                del watching[viewer]
            elif moment(first, viewer, view, since) != moment(second, viewer, view, since):
                del watching[viewer]
                found.append(viewer)
        if not watching:
            return found
        strays |= {at for both in zip(places(first), places(second), strict=True) if len(set(both)) > 1 for at in both}
        answers = (at_random.response(first, dice, haste=0.02),) * 2


def forks(variant: Variant, seats: int, seed: int, at_random: AtRandom) -> Iterator[Fork]:
    """AMB-49, POW-14, POW-19, PAR-04: moves of a random match that somebody may not follow, each done otherwise too."""
    dice = Random(seed)  # noqa: S311
    game, since = Game(variant, seats, Deals(seed, variant, seats)), 0
    ears = [Ears(viewer, variant) for viewer in (None, *range(seats))]
    while (question := game.question) is not None:
        for own in ears:
            for event in game.events[since:]:
                own.hear(event)
        since, shuffles = len(game.events), game.table.shuffles
        response = at_random.response(game, dice, haste=0.02)
        other, seat = moved_otherwise(game, question, response, dice)
        if other != response:
            yield Fork((apart(game), apart(game)), (response, other), seat, ears)
        before = game.copy() if isinstance(response, Shuffle | Allow) else None
        game.answer(response)
        if before and game.table.shuffles > shuffles:
            turned = (game.table.round, game.table.shuffles)
            yield Fork((apart(before), apart(before, turned)), (response, response), None, ears)


def apart(game: Game, turned: Shuffling | None = None) -> Game:
    """A copy with shuffles of its own from here on."""
    copy, deals = game.copy(), game.table.chance
    assert isinstance(deals, Deals)
    copy.table.chance = deals.otherwise(dict(deals.shuffles), turned)
    return copy


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
    variant, moves = with_options(preset, options), 0
    for seed in range(6):
        for fork in forks(variant, seats, seed, at_random):
            moves += 1
            assert followers(fork, Random(seed), at_random) == []  # noqa: S311
    assert moves > 2


@pytest.mark.parametrize("preset", ["cambio", "powers"])
def test_inf_05_everybody_can_follow_open_rearrangements(preset: str, at_random: AtRandom) -> None:
    variant = with_options(preset, {"rounds": 1, "hidden_rearrange": False})
    found = [fork for seed in range(25) for fork in forks(variant, 2, seed, at_random)]
    assert any(None in followers(fork, Random(1), at_random) for fork in found)  # noqa: S311


# The checks themselves


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "two-deck"])
def test_the_check_finds_a_view_that_is_somebody_elses(preset: str, at_random: AtRandom) -> None:
    variant = with_options(preset, {"course": (4,)} if preset == "par-course" else {"rounds": 1})

    def neighbours(event: TableEvent, viewer: Viewer) -> Any:
        return view(event, 1 if viewer == 0 else viewer)

    assert any(leaks(variant, 3, seed, at_random, look=neighbours) for seed in range(99))
