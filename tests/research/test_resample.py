"""Another state that a seat cannot tell from the present one: the seat is told the same, and the rest is drawn anew."""

import pickle
from collections import Counter
from itertools import chain
from typing import Any

import numpy as np
import pytest
import wandering
from at_random import AtRandom
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from wandering import dice, record_of, wander

from protocol.actions import Block, Discard, Pass, Shield, Slap, SwapLines, Target
from protocol.cards import Card, rank
from protocol.events import Slapped
from referee.research import Env
from referee.research.moves import Begin
from referee.research.resample import TooRare, other_state
from referee.research.resample import replay as resampling
from referee.rules.check_options import BadOptions
from referee.rules.record import replay
from referee.rules.variants import PRESETS


def cards_on_the_table(env: Env) -> list[list[Card | None]]:
    return [[None if slot is None else slot.card for slot in layout] for layout in env.game.table.layouts]


def all_cards(env: Env) -> Counter[Card]:
    """Every card of the round, wherever it lies."""
    table = env.game.table
    lying = [slot.card for layout in table.layouts for slot in layout if slot is not None]
    hand = [] if table.hand is None else [table.hand]
    return Counter(map(str, chain(lying, table.stock, table.pile, hand, table.extra, *table.shields)))


def known_cards(env: Env, seat: int) -> dict[Target, bool]:
    """Every card in a layout, and whether the seat knows it."""
    rows = enumerate(env.game.table.layouts)
    return {(of, slot): bool(lies.known_by >> seat & 1) for of, row in rows for slot, lies in enumerate(row) if lies}


@pytest.mark.parametrize("preset", PRESETS)
@given(seed=st.integers(0, 2**32), before=st.integers(0, 150))
@settings(max_examples=2)
def test_the_seat_is_told_the_same_and_the_match_can_be_played_to_its_end(preset: str, seed: int, before: int) -> None:
    env = Env(preset)
    env.reset(seed)
    env.codes(0)  # from here on its codes follow the match, while those of other states begin with the round
    wander(env, dice(seed), before)
    for seat in range(env.seats):
        other = env.resample(seat, dice(seed))
        assert other.lines(seat) == env.lines(seat)
        assert np.array_equal(other.codes(seat), env.codes(seat))
        assert (other.seat, other.asks[:1] and other.asks[0].seat) == (env.seat, env.asks[:1] and env.asks[0].seat)
        if env.seat == seat:
            assert (other.numbers(), other.begun) == (env.numbers(), env.begun)
        assert all_cards(other) == all_cards(env)
        assert known_cards(other, seat) == known_cards(env, seat)
        for (of, slot), is_known in known_cards(env, seat).items():
            assert not is_known or cards_on_the_table(other)[of][slot] == cards_on_the_table(env)[of][slot]
        assert other.game.events[: env.game.events_before] == env.game.events[: env.game.events_before]
        assert other.game.table.totals == env.game.table.totals
        again = env.resample(seat, dice(seed))
        assert again.history == other.history
        assert cards_on_the_table(again) == cards_on_the_table(other)
    wander(other, dice(2), 10_000, haste=0.5)
    assert replay(record_of(other)).result == other.result


@given(data=st.data())
@settings(max_examples=15)
def test_at_any_table_another_state_is_found_unless_it_is_too_rare(data: st.DataObject) -> None:
    """With any options and up to 12 seats."""
    variant, seats = data.draw(AtRandom().tables(data.draw(st.sampled_from(tuple(PRESETS)))))
    try:
        env = Env.of(variant, seats)
    except BadOptions:  # of options that need more seats
        assume(False)
    env.reset(data.draw(st.integers(0, 2**32)))
    wander(env, dice(seats), data.draw(st.integers(0, 200)), haste=0.05)
    seat = data.draw(st.integers(0, seats - 1))
    try:
        other = env.resample(seat, dice(seat))
    except TooRare:
        assume(False)
    assert other.lines(seat) == env.lines(seat)
    assert np.array_equal(other.codes(seat), env.codes(seat))
    assert other.seat == env.seat
    assert all_cards(other) == all_cards(env)


# What the true future and the hidden answers of others leave in the new state: nothing


def until(env: Env, decision: str, seat: int, *, haste: float = 0.3) -> Env:
    """Play on to a question of this kind to this seat."""
    chance = dice(decision)
    while env.ask is None or env.ask.decision != decision or env.seat != seat:
        assert env.seat is not None
        wander(env, chance, 1, haste)
    return env


def begun(preset: str, seed: int | str, seats: int | None = None, **options: Any) -> Env:
    env = Env(preset, seats, **options)
    env.reset(seed)
    return env


def test_later_rounds_are_dealt_anew() -> None:
    env = begun("four-turns", 1, rounds=3)
    others = [env.resample(0, dice(number)) for number in range(3)]
    for one in (env, *others):
        wander(one, dice("the same moves"), 60)
    assert len({tuple(one.game.table.stock) for one in (env, *others)}) == 4
    assert [one.seed for one in others] == [""] * 3


def test_slaps_that_others_have_sealed_are_asked_for_again_and_one_s_own_stays() -> None:
    env = until(begun("cactus", 5, 3), "slap", 0)
    env.step(Pass())
    env.step(next(move for move in wandering.moves_of(env).values() if isinstance(move, Slap)))
    mine, theirs = env.resample(2, dice(1)), env.resample(1, dice(1))
    assert [ask.seat for ask in mine.asks] == [2, 0, 1]
    assert [ask.seat for ask in theirs.asks] == [2, 0]
    assert theirs.history[-1] == env.history[-1]
    assert mine.history == env.history[:-2]
    assert theirs.resample(0, dice(1)).lines(0) == theirs.lines(0)
    for other in (mine, theirs):
        again = pickle.loads(pickle.dumps(other))  # noqa: S301
        assert (again.asks, again.history, again.lines(1)) == (other.asks, other.history, other.lines(1))
        while other.ask is not None and other.ask.decision == "slap":
            other.step(Pass())
        assert other.clone().lines(0) == other.lines(0)


def test_slaps_that_came_too_late_to_be_seen_become_passes() -> None:
    """CAC-33: a card that an earlier slap took."""
    for seed in range(100):
        env = until(begun("cactus", seed, 4), "slap", 0)
        while env.ask is not None and env.ask.decision == "slap":
            env.step(
                next(one for one in wandering.moves_of(env).values() if isinstance(one, Slap) and one.target == (0, 0))
            )
        if env.seat is not None and env.game.table.round == 1 and env.game.events_before == 0:
            slapped = [event.seat for event in env.game.events if isinstance(event, Slapped)]
            if len(slapped) < 4:
                break
    viewer = slapped[0]
    other = env.resample(viewer, dice(1))
    now = dict(other.history[len(env.history) - 4 :]) if len(other.history) == len(env.history) else {}
    assert {seat for seat, action in now.items() if isinstance(action, Slap)} == set(slapped)
    assert other.lines(viewer) == env.lines(viewer)


def test_a_card_that_another_seat_holds_is_any_card_whatever_it_began_to_do_with_it() -> None:
    """A card of Powers whose power is asked for is in hand, and nobody has been told of it."""
    env = until(begun("powers", 2, 2), "power", 0, haste=0.1)
    held = env.game.table.hand
    assert env.history[-1] == (0, Discard())
    others = [env.resample(1, dice(number)) for number in range(60)]
    assert {other.seat for other in others} == {0}
    assert {other.ask and other.ask.decision for other in others} == {"place"}
    ranks = {rank(other.game.table.hand or "") for other in others}
    assert "Q" in ranks, "it has no power, and so it would not have led to this question"
    assert env.resample(0, dice(0)).game.table.hand == held


def test_lines_that_an_attack_would_swap_are_not_known_before_it_is_blocked_or_not() -> None:
    env, chance = begun("powers", 5, 2), dice(5)
    while env.ask is not None and env.ask.decision != "block":
        moves = wandering.moves_of(env)
        swaps = [one for one in moves if isinstance(moves[one], Begin) and "swap_lines" in str(moves[one])]
        shields = [one for one in moves if isinstance(moves[one], Shield | Discard)]
        env.step((swaps or shields or [wandering.move(env, chance, 0.0)])[0])
    assert isinstance(env.history[-1][1], SwapLines)
    victim = env.seat
    assert victim is not None
    lines = Counter(str(env.resample(victim, dice(number)).history[-1][1]) for number in range(50))
    assert len(lines) == 4 * 2  # the rows, or two of three columns, in either order
    assert env.resample(1 - victim, dice(1)).history[-1] == env.history[-1]
    env.step(Block())
    blocked = len(env.history) - 2
    lines = Counter(str(env.resample(victim, dice(number)).history[blocked][1]) for number in range(20))
    assert len(lines) > 4, "nobody is told what a blocked attack would have done"
    assert env.resample(1 - victim, dice(1)).history[blocked] == env.history[blocked]


# Bounds


def test_where_nothing_is_found_in_bounded_time_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    env = begun("six-card", 1)
    wander(env, dice(1), 12)
    monkeypatch.setattr(resampling, "MOST_DEALS", 0)
    with pytest.raises(TooRare, match=r"seat 1: no other state was found .* in round 1, after 11 answers; ask again"):
        env.resample(1)


def test_all_proposals_for_a_state_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    env = begun("powers", 5, 2)
    wander(env, dice(5), 100, haste=0.0)
    proposals = other_state(env.game, 1, env.seat, dice(5)).proposals
    assert proposals > 65
    monkeypatch.setattr(resampling, "MOST_PROPOSALS", proposals)
    assert other_state(env.game, 1, env.seat, dice(5)).proposals == proposals
    monkeypatch.setattr(resampling, "MOST_PROPOSALS", proposals - 1)
    with pytest.raises(TooRare):
        env.resample(1, dice(5))


def test_a_seat_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="there is no seat 2; the seats are 0 to 1"):
        begun("six-card", 1).resample(2)
    with pytest.raises(LookupError, match="reset"):
        Env("six-card").resample(0)
