"""No document tells its viewer more than he was told: by cards, by who knows what, by times, lines or marks.

A match is played twice. The second time the cards that a viewer was not told lie otherwise, and what was moved out of
his sight is moved otherwise. As far as he is told the same events, his document must be the same, to the byte.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from random import Random
from typing import Any

import msgspec
import pytest
from at_random import AtRandom
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from made_up_records import made_up, played
from msgspec.structs import replace
from states_shown import check_at_every_question, states

from protocol import events as wire
from protocol.actions import Action, Arrange, Rearrange, SwapLines
from protocol.cards import Card
from protocol.offers import admits
from referee.match_states.documents import documents
from referee.match_states.follower import Follower
from referee.match_states.replay import Replay
from referee.match_states.states import Document
from referee.match_states.view import OPEN, Viewer
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.questions import Ask, IllegalAnswer, Response, Sealed, check
from referee.rules.record import Record, walk
from referee.rules.secrets import TableEvent, view
from referee.rules.variants import PRESETS, Variant


class Otherwise(Keyed):
    """The same cards, but for those of one round that are hidden, which lie otherwise; sets are shuffled otherwise."""

    def __init__(self, key: bytes, variant: Variant, seats: int, hidden: dict[int, set[Card]], dice: Random) -> None:
        super().__init__(key, variant, seats)
        self._hidden, self._dice = hidden, dice

    def deck(self, number: int) -> tuple[Card, ...]:
        cards = list(super().deck(number))
        places = [place for place, card in enumerate(cards) if card in self._hidden.get(number, ())]
        for place, card in zip(places, self._dice.sample([cards[one] for one in places], len(places)), strict=True):
            cards[place] = card
        return tuple(cards)

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        del number, count
        return tuple(self._dice.sample(cards, len(cards)))


class Answers:
    """What is answered: as in another match, but otherwise where the viewer cannot see it; at last by chance."""

    def __init__(self, given: Sequence[Response], viewer: Viewer, dice: Random, at_random: AtRandom) -> None:
        self.given: list[Response] = []
        self._script, self._viewer, self._dice, self._at_random = list(given), viewer, dice, at_random

    def __call__(self, game: Game) -> Response:
        assert game.question is not None
        response = self._script.pop(0) if self._script else None
        try:
            if response is not None:
                response = self._unseen(game, response)
                check(game.question, response)
        except IllegalAnswer:
            response = None
        if response is None:
            self._script = []
            response = self._at_random.response(game, self._dice)
        self.given.append(response)
        return response

    def _unseen(self, game: Game, response: Response) -> Response:
        question = game.question
        if isinstance(question, Sealed) and isinstance(response, tuple):
            return tuple(
                action if ask.seat == self._viewer else self._arranged(action)
                for ask, action in zip(question.asks, response, strict=False)
            )
        if not isinstance(question, Ask) or question.seat == self._viewer or not game.table.options.hidden_rearrange:
            return response
        if isinstance(response, Rearrange):
            return replace(response, slots=tuple(self._dice.sample(response.slots, len(response.slots))))
        if isinstance(response, SwapLines):
            other = replace(response, axis="column", lines=tuple(self._dice.sample(range(3), 2)))
            all_down = all(slot is not None and not slot.up for slot in game.table.layouts[response.seat])
            return other if all_down and admits(question.offers, other) else response
        return response

    def _arranged(self, action: Action) -> Action:
        """With the same top row, which will be turned up."""
        if not isinstance(action, Arrange):
            return action
        return Arrange(slots=(*action.slots[:2], *self._dice.sample(action.slots[2:], len(action.slots) - 2)))


def texts(value: Any) -> Iterator[str]:
    """All texts in an event, those that are cards among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from texts(one)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from texts(getattr(value, name))


def two_matches(
    variant: Variant, seats: int, seed: int, viewer: Viewer, at_random: AtRandom
) -> tuple[Record, Record, int]:
    """Two matches that are told alike to the viewer, and for how many events."""
    dice, key = Random(seed), b"leaks%d" % seed  # noqa: S311
    first = Answers((), viewer, dice, at_random)
    record = played(variant, seats, Keyed(key, variant, seats), first)
    events = events_of(record)
    cut = dice.randrange(len(events))
    hidden: dict[int, set[Card]] = {0: set()}
    for event in events[: cut + 1]:
        if isinstance(event, wire.Round):
            hidden[event.round] = set(Keyed(key, variant, seats).deck(event.round))
        hidden[max(hidden)] -= set(texts(view(event, viewer)))
    others = Otherwise(key, variant, seats, hidden, dice)
    other = played(variant, seats, others, Answers(first.given, viewer, dice, at_random))
    pairs = zip(events, events_of(other), strict=False)
    return record, other, len(list(takewhile(lambda pair: view(pair[0], viewer) == view(pair[1], viewer), pairs)))


def events_of(record: Record) -> Sequence[TableEvent]:
    *_, (game, _) = walk(record)
    return game.events


def beginning(made: Document, steps: int) -> bytes:
    """A document up to a step."""
    return msgspec.json.encode(
        [
            made.start,
            made.steps[:steps],
            [one for one in made.rounds if one.last < steps],
            [one for one in made.windows if one.step + one.steps <= steps],
            [one for one in made.swings if one.step < steps],
            [[one for one in each.entries if one[0] < steps - 1] for each in made.wires],
        ]
    )


def compare(variant: Variant, seats: int, seed: int, viewer: Viewer, at_random: AtRandom) -> tuple[int, bool]:
    """How many steps were compared, and whether somebody who sees all cards can tell the two matches apart in them."""
    record, other, steps = two_matches(variant, seats, seed, viewer, at_random)
    pairs = zip(*(documents(one, [None, viewer, OPEN]) for one in (record, other)), strict=True)
    public, own, everything = [beginning(first, steps) == beginning(second, steps) for first, second in pairs]
    assert public
    assert own
    return steps, not everything


def short(preset: str) -> Variant:
    """A match of a few turns."""
    length: dict[str, Any] = {"rounds": 1} if PRESETS[preset].options.course is None else {"course": (3,)}
    return with_options(preset, {**length, "turn_cap": 5})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_card_that_a_viewer_was_not_shown_changes_his_document(preset: str, at_random: AtRandom) -> None:
    found: list[tuple[int, bool]] = []

    @settings(max_examples=2, phases=(Phase.generate,))
    @given(st.integers(0, 2**32), st.sampled_from((None, 0, 2)))
    def hide(seed: int, viewer: Viewer) -> None:
        found.append(compare(short(preset), 3, seed, viewer, at_random))

    hide()
    assert sum(steps for steps, _ in found) > 5
    assert any(differs for _, differs in found)


PEEKS = dict.fromkeys(("2", "3", "4", "5", "6", "7"), "peek_other")
MOVES_UNSEEN: dict[str, dict[str, Any]] = {
    "cambio": {"cambio_powers": PEEKS | dict.fromkeys(("8", "9", "10", "J", "Q"), "rearrange")},
    "four-card": {"initial_look": "near_row", "cambio_powers": PEEKS | {"9": "rearrange", "10": "exchange"}},
    "powers": {},
}


@pytest.mark.parametrize("preset", MOVES_UNSEEN)
def test_who_knows_a_card_shows_where_it_was_moved_unseen(preset: str, at_random: AtRandom) -> None:
    variant = with_options(preset, {**MOVES_UNSEEN[preset], "rounds": 1, "turn_cap": 12})
    for seed in range(8):
        compare(variant, 3, seed, (None, 0, 2)[seed % 3], at_random)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_document_shows_another_card_than_its_viewer_can_follow(preset: str, at_random: AtRandom) -> None:
    follow(made_up(short(preset), 3, len(preset), at_random))


def test_a_2_that_has_stood_in_for_a_card_is_in_hand_again(at_random: AtRandom) -> None:
    """POW-11: in this match a 2 is an 8 after it was another card that is used up."""
    record = made_up(with_options("powers", {"rounds": 1, "turn_cap": 12}), 3, 221, at_random)
    copied = [one.power for one in events_of(record) if isinstance(one, wire.PowerUsed) and one.card.value == "2H"]

    assert copied[0] == "2"
    assert {"5", "9"} & set(copied[:2])
    assert copied[2] == "8"
    follow(record)


def follow(record: Record) -> None:
    """Hold the documents against the table and against followers, which read the events as bots are told them."""
    replay, viewers = Replay(record), (None, 1)
    check_at_every_question(record)
    for viewer, made in zip(viewers, documents(record, viewers), strict=True):
        follower = Follower(seats=3, rows=replay.variant.rows, columns=replay.variant.columns)
        for step, state in zip(replay.steps, states(made), strict=True):
            seen = follower.follow(view(step.event, viewer))
            for seat, layout in enumerate(seen.layouts):
                known = [None if placed is None else seen.known.get(placed.number) for placed in layout]
                slots = state.seats[seat].slots
                assert [slot.card if slot else None for slot in slots] == known + [None] * (len(slots) - len(known))
            held = () if seen.hand is None else tuple(map(seen.known.get, seen.hand.cards))
            assert (() if state.hand is None else state.hand.cards) == held
