"""What holds in every match, whatever the options and whatever the seats do: all of it checked along one random walk.

variant, seats = data.draw(tables)
check_walk(variant, seats, seed)
"""

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from random import Random
from typing import Any

import msgspec
import pytest
from at_random import AtRandom
from msgspec import Struct, field
from msgspec.structs import asdict

from protocol import actions, events
from protocol.actions import Action, Pass
from protocol.cards import Card, rank
from referee.match_states.follower import Follower
from referee.match_states.view import View
from referee.play.talk.script import table_message
from referee.rules.chance import Chance, Keyed, Recorded, Recorder
from referee.rules.game import Game
from referee.rules.questions import Ask, IllegalAnswer, Question, Response, Sealed, Slap, SlapOrder, Window
from referee.rules.secrets import TableEvent, insiders, view, views
from referee.rules.table import Table
from referee.rules.variants import Variant, deck, from_record

PLAYERS = AtRandom()

COPIED, REFUSED, FORFEITED = 0.04, 0.15, 0.005
"""How often on the way the game is copied, is given what it did not offer, and a seat forfeits."""

COPY_LASTS = 30
"""So many answers a copy is given what the game is given."""


class Walk(Struct, kw_only=True):
    """A match on its way, and what is noted of it."""

    game: Game
    followers: dict[int | None, Follower]
    """By viewer: the table as the events tell it."""
    told: int = 0
    """How many events they have followed."""
    turns: list[tuple[int, Ask]] = field(default_factory=list)
    """The asks that opened turns, each with the number of events before it."""
    left: dict[int, int] = field(default_factory=dict)
    """Seat -> the round in which it forfeited."""
    played: list[int | Response] = field(default_factory=list)
    """What was answered, and between the answers the seats that forfeited."""
    copies: list[tuple[int, Game]] = field(default_factory=list)
    """Copies of the game, each with the number of answers that it is still given."""


def check_walk(variant: Variant, seats: int, seed: int, *, haste: float = 0.1) -> Game:
    """Play a match of random legal answers to its end; AssertionError where something does not hold."""
    dice, chance = Random(seed), Keyed(b"walk%d" % seed, variant, seats)  # noqa: S311
    game = Game(variant, seats, chance)
    viewers = (None, 0, seats - 1)
    followers = {viewer: Follower(seats=seats, rows=variant.rows, columns=variant.columns) for viewer in viewers}
    walk = Walk(game=game, followers=followers)
    while (question := game.question) is not None:
        check_step(walk, question, dice)
        if dice.random() < FORFEITED:
            forfeit(walk, dice.choice(asks_of(question)).seat)
        answer(walk, PLAYERS.response(game, dice, haste=haste))
    check_end(walk, chance)
    return game


def check_step(walk: Walk, question: Question, dice: Random) -> None:
    game, table = walk.game, walk.game.table
    for happening in game.events[walk.told :]:
        check_views(happening, table.seats)
    for viewer, follower in walk.followers.items():
        for event in game.seen(viewer, walk.told):
            follower.follow(event)
        if not (isinstance(question, Ask) and question.decision == "par"):  # the next deal is to come
            check_followed(table, follower.view)
    walk.told = len(game.events)
    check_cards(table)
    check_sizes(table)
    if isinstance(question, Ask) and question.decision == "turn" and table.options.lines_leave:
        check_lines(table)
    assert all(is_offered(ask, ask.fallback) for ask in asks_of(question))
    if table.stock_has_run_out():  # GEN-08: no power, no slap window
        assert {ask.decision for ask in asks_of(question)} <= {"place", "flip", "give", "pick8", "par"}
    if isinstance(question, Ask) and question.opens_turn:
        walk.turns.append((len(game.events), question))
    if dice.random() < REFUSED:
        check_refusals(game, question, dice)
    if dice.random() < COPIED:
        copy = game.copy()
        assert stands(copy) == stands(game)
        walk.copies.append((COPY_LASTS, copy))


def answer(walk: Walk, response: Response) -> None:
    """Answer in the match and in its copies, which stand as it does when they have been given enough."""
    walk.played.append(response)
    copies, walk.copies = walk.copies, []
    for game in (walk.game, *(copy for _, copy in copies)):
        game.answer(response)
    for more, copy in copies:
        if more == 1 or walk.game.question is None:
            assert stands(copy) == stands(walk.game)
        else:
            walk.copies.append((more - 1, copy))


def forfeit(walk: Walk, seat: int) -> None:
    if seat not in walk.left:
        walk.left[seat] = walk.game.table.round
        walk.played.append(seat)
    for game in (walk.game, *(copy for _, copy in walk.copies)):
        game.forfeit(seat)
        game.forfeit(seat)


def check_end(walk: Walk, chance: Chance) -> None:
    check_result(walk.game, walk.left)
    course: list[TableEvent | Ask] = []
    for index, event in enumerate(walk.game.events):
        course += [ask for at, ask in walk.turns if at == index]
        course.append(event)
        if isinstance(event, events.Scored):
            check_round(walk.game.table, course)
            course = []
    check_replays(walk, chance)


def asks_of(question: Question) -> tuple[Ask, ...]:
    return (question,) if isinstance(question, Ask) else question.asks


def stands(game: Game) -> Any:
    """All that there is to know of a game, but for its source of chance."""
    table = asdict(game.table)
    del table["chance"]
    return table, game.question, game.answers, game.question is None and game.result


# At every question


def check_views(event: TableEvent, seats: int) -> None:
    """The versions of an event for a spectator and for its insiders are all that there are."""
    spectators, of_insiders = views(event)
    assert spectators == view(event, None)
    assert {seat for seat, _ in of_insiders} == insiders(event)
    assert [dict(of_insiders).get(seat, spectators) for seat in range(seats)] == [
        view(event, seat) for seat in range(seats)
    ]


def check_followed(table: Table, view: View) -> None:
    """The events tell all that happens to the cards: what is followed lies there, what is known is true, what lies open
    is known, and the `table` of a request shows just that (INF-03)."""
    public = table_message(table)
    followed = (view.pile[-1:], view.stock, view.knocker, view.totals, view.dealer)
    assert followed == (public.pile, public.stock, public.knocker, public.totals, public.dealer)
    assert list(map(len, view.shields)) == list(map(len, table.shields))
    for placed, layout, shown in zip(view.layouts, table.layouts, public.layouts, strict=True):
        for one, lies, face in zip_longest(placed, layout, shown):
            if lies is None:
                assert one is face is None
                continue
            assert one is not None
            known = view.known.get(one.number)
            assert one.up == lies.up
            assert face == (lies.card if lies.up else "?")
            assert known == lies.card or (known is None and not lies.up)
    held = [view.known.get(number) for number in view.hand.cards] if view.hand is not None else []
    truth = [card for card in (table.hand, *table.extra) if card is not None]
    assert all(known in (None, card) for known, card in zip(held, truth, strict=True))


def check_cards(table: Table) -> None:
    """No card is lost or doubled."""
    pack = deck(table.variant, table.seats) if table.layouts else ()  # PAR-28 comes before the deal
    assert Counter(cards_of(table)) == Counter(pack)


def cards_of(table: Table) -> Iterator[Card]:
    """Every card of the pack, wherever it is now."""
    for layout in table.layouts:
        yield from (slot.card for slot in layout if slot is not None)
    yield from (*table.stock, *table.pile, *table.extra)
    yield from (card for shields in table.shields for card in shields)
    if table.hand is not None:
        yield table.hand


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
        elif table.options.lines_leave:
            assert len(layout) == dealt_size
        else:
            assert len(layout) == held == dealt_size


def check_lines(table: Table) -> None:
    """KER-14: no line of equal open cards is left, and every empty slot is part of a line that is empty."""
    height, width = table.variant.rows, table.variant.columns
    places = [divmod(slot, width) for slot in range(height * width)]
    lines = [[place for place in places if place[1] == column] for column in range(width)]
    lines = lines if "col" in table.options.cancel else []
    lines += [[place for place in places if place[0] == row] for row in range(height) if "row" in table.options.cancel]
    for layout in table.layouts:
        empty: set[tuple[int, int]] = set()
        for line in lines:
            slots = [layout[row * width + column] for row, column in line]
            ranks = {rank(slot.card) if slot and slot.up else "" for slot in slots}
            assert len(ranks) > 1 or ranks == {""} or (ranks == {"X"} and table.options.joker_pair != "zero")
            empty.update(line if not any(slots) else ())
        if "diag" not in table.options.cancel:
            assert {place for place, slot in zip(places, layout, strict=True) if slot is None} == empty


def check_refusals(game: Game, question: Question, dice: Random) -> None:
    """What is not offered is refused and changes nothing."""
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


# At the end


def check_result(game: Game, left: dict[int, int]) -> None:
    """Totals are sums, and forfeits cost the most; `left` holds the round in which a seat forfeited."""
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


def check_round(table: Table, course: list[TableEvent | Ask]) -> None:
    """Turns go clockwise, and rounds end as the rules say.

    GEN-03, GEN-08, GEN-09, KER-09, KER-10, KER-12, CAC-18, CAC-20, POW-23, T4-03, PAR-14.
    """
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
    finished = isinstance(course[ended[-1]], events.Finished) and table.variant.play == "six_card"
    at_once = options.final_turns is None if finished else options.knock_ends_at_once
    assert lap == (0 if at_once else seats - 1) or (is_cut_off(table, course) and lap < seats)


def is_cut_off(table: Table, course: list[TableEvent | Ask]) -> bool:
    """Whether a round ended otherwise than by its ender's or its last seat's turn."""
    (scored,) = [one for one in course if isinstance(one, events.Scored)]
    (shown,) = [one for one in course if isinstance(one, events.Showdown)]
    stock = [one.stock for one in course if hasattr(one, "stock")][-1]
    ends_empty = table.options.stock_out == "end" or table.variant.play == "powers"
    emptied = any(all(card.value is None for card in layout) for layout in shown.layouts)
    return scored.capped or (stock == 0 and ends_empty) or (emptied and table.options.slaps)


def check_replays(walk: Walk, chance: Chance) -> None:
    """The same answers with the same chance, and with the recorded one and options, give the same match."""
    table = walk.game.table
    recorder = Recorder(chance)
    again = from_record(table.variant.preset, msgspec.json.decode(msgspec.json.encode(table.options)))
    for variant, source in ((table.variant, recorder), (again, Recorded(recorder.rounds))):
        game = Game(variant, table.seats, source)
        for one in walk.played:
            if isinstance(one, int):
                game.forfeit(one)
            else:
                game.answer(one)
        assert game.question is None
        assert game.events == walk.game.events
        assert game.result == walk.game.result
