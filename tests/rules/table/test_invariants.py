"""What holds in every match, whatever the options and whatever the seats do: random tables, random legal play."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import actions, events
from protocol.actions import Action, Pass
from protocol.cards import Card
from referee.rules.book.presets import PRESETS
from referee.rules.book.variant import Variant, deck, deck_size
from referee.rules.book.variants import restored
from referee.rules.game import Game
from referee.rules.table.asks import Ask, IllegalAnswer, Question, Response, Sealed, Slap, SlapOrder, Window
from referee.rules.table.chance import Chance, Keyed, Recorded, Recorder
from referee.rules.table.seen import Happening
from referee.rules.table.table import Table

every_preset = pytest.mark.parametrize("preset", PRESETS)
seeds = st.integers(0, 2**32)
KEY = b"invariants"


def chance_of(variant: Variant, seats: int, seed: int) -> Chance:
    return Keyed(KEY + str(seed).encode(), variant, seats)


def playing(
    at_random: AtRandom, data: st.DataObject, preset: str, seed: int
) -> Iterator[tuple[Game, Question, Random]]:
    """A random match: yields the game at every question, then answers; at last the game that is over."""
    variant, seats = data.draw(at_random.tables(preset))
    game, dice = Game(variant, seats, chance_of(variant, seats, seed)), Random(seed)  # noqa: S311
    while (question := game.question) is not None:
        yield game, question, dice
        game.answer(at_random.response(game, dice))


def asks_of(question: Question) -> tuple[Ask, ...]:
    return (question,) if isinstance(question, Ask) else question.asks


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds)
def test_no_card_is_lost_or_doubled(preset: str, data: st.DataObject, seed: int, at_random: AtRandom) -> None:
    for game, _, _ in playing(at_random, data, preset, seed):
        pack = deck(game.table.variant, game.table.seats) if game.table.layouts else ()  # PAR-28 comes before the deal
        assert Counter(cards_of(game.table)) == Counter(pack)


@every_preset
@settings(max_examples=7)
@given(data=st.data())
def test_the_size_of_a_deck_is_told_without_making_it(preset: str, data: st.DataObject, at_random: AtRandom) -> None:
    variant, _ = data.draw(at_random.tables(preset))
    for seats in range(1, 13):
        assert deck_size(variant, seats) == len(deck(variant, seats))


def cards_of(table: Table) -> Iterator[Card]:
    """Every card of the pack, wherever it is now."""
    for layout in table.layouts:
        yield from (slot.card for slot in layout if slot is not None)
    yield from (*table.stock, *table.pile, *table.extra)
    yield from (card for shields in table.shields for card in shields)
    if table.hand is not None:
        yield table.hand


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds)
def test_fallbacks_are_offered_and_layouts_keep_their_size(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    for game, question, _ in playing(at_random, data, preset, seed):
        assert all(is_offered(ask, ask.fallback) for ask in asks_of(question))
        check_sizes(game.table)


def check_sizes(table: Table) -> None:
    """KER-08, TDK-06, CAC-44, POW-08: how many cards and slots a layout can have."""
    dealt_size = table.rows * table.variant.columns
    for layout in table.layouts:
        held = sum(slot is not None for slot in layout)
        if table.variant.play == "powers":
            assert dealt_size <= len(layout)
            assert len(layout) % 2 == 0
        elif table.options.slaps:
            assert dealt_size <= len(layout)
        elif table.variant.play == "two_deck":
            assert len(layout) == dealt_size
            assert all((layout[2 * row] is None) == (layout[2 * row + 1] is None) for row in range(table.rows))
            assert held > 0
        else:
            assert len(layout) == held == dealt_size


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds)
def test_fallbacks_alone_bring_a_match_to_its_end(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    game = Game(variant, seats, chance_of(variant, seats, seed))
    while (question := game.question) is not None:
        game.answer(fallback(question))
    assert game.result.rounds


def fallback(question: Question) -> Response:
    if isinstance(question, Window):
        return SlapOrder(slaps=())
    return tuple(ask.fallback for ask in question.asks) if isinstance(question, Sealed) else question.fallback


# Scores


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds, forfeits=st.integers(0, 3))
def test_totals_are_sums_and_forfeits_cost_the_most(
    preset: str, data: st.DataObject, seed: int, forfeits: int, at_random: AtRandom
) -> None:
    game: Game | None = None
    left: dict[int, int] = {}
    for game, question, dice in playing(at_random, data, preset, seed):
        asked = [ask.seat for ask in asks_of(question)]
        if len(left) < forfeits and dice.random() < 0.02 and (seat := dice.choice(asked)) not in left:
            left[seat] = game.table.round
            game.forfeit(seat)
            game.forfeit(seat)
    assert game is not None
    check_result(game, left)


def check_result(game: Game, left: dict[int, int]) -> None:
    """`left` holds the round in which a seat forfeited."""
    result = game.result
    counted = [one for one in result.rounds if not one.playoff]
    assert result.totals == tuple(sum(one.scores[seat] for one in counted) for seat in range(game.table.seats))
    for number, one in enumerate(result.rounds, start=1):
        for seat, since in left.items():
            assert number < since or one.scores[seat] == max(one.scores)
    playing_on = [seat for seat in range(game.table.seats) if seat not in left]
    assert len({result.ranks[seat] for seat in left}) <= 1
    assert all(result.ranks[seat] > result.ranks[other] for seat in left for other in playing_on)
    assert not playing_on or 1 in (result.ranks[seat] for seat in playing_on)
    plain = game.table.options.tiebreak == "shared" and not game.table.four_of_a_kind
    for seat in playing_on if plain else ():
        lower = sum(result.totals[other] < result.totals[seat] for other in playing_on)
        assert result.ranks[seat] == 1 + lower
    told = [event for event in game.events if isinstance(event, events.Scored)]
    assert [(one.raw, one.scores, one.ender, one.capped) for one in told] == [
        (one.raw, one.scores, one.ender, one.capped) for one in result.rounds
    ]
    assert told[-1].totals == result.totals
    assert [event.seat for event in game.events if isinstance(event, events.Forfeited)] == list(left)


# Refusals


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds)
def test_what_is_not_offered_is_refused_and_changes_nothing(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    for game, question, dice in playing(at_random, data, preset, seed):
        if dice.random() < 0.7:
            continue
        before = state(game.table)
        for response in wrong_responses(game, question, dice):
            with pytest.raises(IllegalAnswer):
                game.answer(response)
        assert state(game.table) == before
        assert game.question is question


def state(table: Table) -> list[str]:
    """Everything at the table that a rule could change, and how much has happened."""
    names = [name for name in Table.__struct_fields__ if name not in {"variant", "chance", "events"}]
    return [repr(getattr(table, name)) for name in names] + [str(len(table.events))]


def wrong_responses(game: Game, question: Question, dice: Random) -> Iterator[Response]:
    """Responses of the wrong shape, and of the right shape with an action that is not offered."""
    seats = game.table.seats
    asks = asks_of(question)
    wrong = [action for action in some_actions(seats, dice) if not is_offered(asks[0], action)]
    right = tuple(ask.fallback for ask in asks)
    if isinstance(question, Window):
        yield from (Pass(), (), right)
        for action in wrong:
            if isinstance(action, actions.Slap):
                yield SlapOrder(slaps=(Slap(seat=0, target=action.target),))
        target = (0, dice.choice(game.table.occupied(0)))
        twice = Slap(seat=1, target=target)
        yield SlapOrder(slaps=(twice, twice))
        yield SlapOrder(slaps=(Slap(seat=seats, target=target),))
        return
    yield SlapOrder(slaps=())
    if isinstance(question, Sealed):
        yield from (right[0], right[1:], (*right, right[0]))
        yield from ((action, *right[1:]) for action in wrong)
        return
    yield from (right, (right[0], right[0]), ())
    yield from wrong


def some_actions(seats: int, dice: Random) -> Iterator[Action]:
    """A handful of actions of all kinds, most of them legal somewhere."""
    slot = dice.randrange(-1, 8)
    target, other = (dice.randrange(seats + 1), dice.randrange(6)), (dice.randrange(seats), dice.randrange(6))
    yield from (actions.Knock(), actions.End(), actions.Discard(), actions.Nothing(), actions.Pass())
    yield from (actions.Draw(source="stock"), actions.Draw(source="pile"), actions.Stop())
    yield from (actions.Flip(slot=slot), actions.Swap(slot=slot), actions.Give(slot=slot))
    yield from (actions.Trade(target=target), actions.Peek(target=target), actions.Slap(target=target))
    yield from (actions.Switch(targets=(target, other)), actions.Switch(targets=(target, target)))
    seat, other_seat = target[0], other[0]
    yield from (actions.Exchange(slot=slot, target=other), actions.Plant(target=target), actions.Expose(target=target))
    yield from (actions.AddCard(seat=seat), actions.Shuffle(seat=other_seat), actions.RemoveCard(slot=slot))
    yield from (actions.Hide(slot=slot), actions.Shield(), actions.TakeTwo(), actions.CancelKnock(), actions.Block())
    yield from (actions.Allow(), actions.Copy(power="2"), actions.Copy(power=dice.choice(("3", "9", "Q", "BK"))))
    yield from (actions.Keep(card=dice.randrange(4), slot=slot), actions.Stroke(row=slot))
    for lines in ((0, 1), (1, 1), (0, 5)):
        yield actions.SwapLines(seat=seat, axis=dice.choice(("row", "column")), lines=lines)
    slots = tuple(dice.sample(range(8), dice.choice((0, 1, 2, 4, 6))))
    yield from (actions.Rearrange(seat=seat, slots=slots), actions.Arrange(slots=slots), actions.Look(slots=slots))
    for chosen in (slots, (0, 0), (slot, 7), ()):
        yield from (actions.TurnUp(slots=chosen), actions.DiscardPairs(rows=chosen))
        yield from (actions.SwapOwn(slots=(chosen[0], chosen[1])) for _ in range(len(chosen) == 2))


def is_offered(ask: Ask, action: Action) -> bool:
    """Whether one of the offers, as a bot reads them, describes the action."""
    wire = msgspec.to_builtins(action)
    offers = [msgspec.to_builtins(offer) for offer in ask.offers]
    return any(
        offer.keys() == wire.keys() and all(fits(choice, wire[name]) for name, choice in offer.items())
        for offer in offers
    )


def fits(choice: Any, value: Any) -> bool:
    """Whether a field of an offer allows the value (protocol/README.md)."""
    if isinstance(choice, str):
        return bool(choice == value)
    if "one_of" in choice:
        return value in choice["one_of"]
    if len(set(value)) != len(value):
        return False
    if "pick" in choice:
        return len(value) == choice["pick"] and all(one in choice["of"] for one in value)
    return all(one in choice["any_of"] for one in value)


# Turns


@every_preset
@settings(max_examples=15)
@given(data=st.data(), seed=seeds)
def test_turns_go_clockwise_and_rounds_end_only_as_the_rules_say(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    game: Game | None = None
    turns: list[tuple[int, Ask]] = []
    for game, question, _ in playing(at_random, data, preset, seed):
        if isinstance(question, Ask) and question.opens_turn:
            turns.append((len(game.events), question))
        if game.table.stock_has_run_out():  # GEN-08: no power, no slap window
            assert {ask.decision for ask in asks_of(question)} <= {"place", "flip", "give", "pick8", "par"}
    assert game is not None
    course: list[Happening | Ask] = []
    for index, event in enumerate(game.events):
        course += [ask for at, ask in turns if at == index]
        course.append(event)
        if isinstance(event, events.Scored):
            check_round(game.table, course)
            course = []


def check_round(table: Table, course: list[Happening | Ask]) -> None:
    """GEN-03, GEN-08, GEN-09, KER-09, KER-10, KER-12, CAC-18, CAC-20, POW-23, T4-03, PAR-14 for one round."""
    options, seats = table.options, table.seats
    (begun,) = [one for one in course if isinstance(one, events.Round)]
    (scored,) = [one for one in course if isinstance(one, events.Scored)]
    order = [one.seat for one in course if isinstance(one, Ask | events.Skipped)]
    assert order == [(begun.starter + step) % seats for step in range(len(order))]
    taken = sum(isinstance(one, Ask) for one in course)
    assert taken <= options.turn_cap * seats
    assert not scored.capped or taken == options.turn_cap * seats

    ended = [at for at, one in enumerate(course) if isinstance(one, events.Knocked | events.Finished)]
    cancelled = sum(isinstance(one, events.KnockCancelled) for one in course)
    assert len(ended) - cancelled == (scored.ender is not None)
    if scored.ender is None:
        assert is_cut_off(table, course) or taken == (table.variant.turns_each or 0) * seats
        return
    lap = sum(isinstance(one, Ask | events.Skipped) for one in course[ended[-1] :])
    at_once = isinstance(course[ended[-1]], events.Finished) and table.variant.play == "six_card"
    at_once = at_once and options.final_turns is None
    assert lap == (0 if at_once else seats - 1) or (is_cut_off(table, course) and lap < seats)


def is_cut_off(table: Table, course: list[Happening | Ask]) -> bool:
    """Whether a round ended otherwise than by its ender's or its last seat's turn."""
    (scored,) = [one for one in course if isinstance(one, events.Scored)]
    (shown,) = [one for one in course if isinstance(one, events.Showdown)]
    stock = [one.stock for one in course if hasattr(one, "stock")][-1]
    ends_empty = table.options.stock_out == "end" or table.variant.play == "powers"
    emptied = any(all(card.value is None for card in layout) for layout in shown.layouts)
    return scored.capped or (stock == 0 and ends_empty) or (emptied and table.options.slaps)


# Events and records


@every_preset
@settings(max_examples=7)
@given(data=st.data(), seed=seeds)
def test_a_replay_with_the_recorded_chance_is_the_same_match(
    preset: str, data: st.DataObject, seed: int, at_random: AtRandom
) -> None:
    variant, seats = data.draw(at_random.tables(preset))
    chance, dice = Recorder(chance_of(variant, seats, seed)), Random(seed)  # noqa: S311
    game = Game(variant, seats, chance)
    responses: list[Response] = []
    questions: list[Question | None] = [game.question]
    while game.question is not None:
        responses.append(at_random.response(game, dice))
        game.answer(responses[-1])
        questions.append(game.question)
    options = msgspec.json.decode(msgspec.json.encode(variant.options))
    again = Game(restored(preset, options), seats, Recorded(chance.rounds))
    for response, question in zip(responses, questions, strict=False):
        assert again.question == question
        again.answer(response)
    assert again.question is None
    assert again.events == game.events
    assert again.result == game.result
