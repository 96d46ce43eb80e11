"""Codec: what a seat may know as numbers, the same from an environment and from the lines of a bot.

test_resample.py holds that states which a seat cannot tell apart have the same codes.
"""

import sys
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from at_random import AtRandom
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from wandering import dice, move, moves_of

from protocol.actions import Draw, Slap, Swap
from protocol.cards import rank
from referee.match_states.follower import Follower
from referee.match_states.view import View
from referee.research import Codec, Env
from referee.research.__main__ import main
from referee.research.columns import KNOWN
from referee.research.tensors import Field
from referee.rules.check_options import seat_problem
from referee.rules.variants import PRESETS, rank_of


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=3)
def test_the_lines_of_a_bot_give_the_codes_the_mask_and_the_actions_of_the_environment(
    preset: str, data: st.DataObject
) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    follow_by_lines(Env.of(variant, seats), data.draw(st.integers(0, 9999)))


def test_cards_whose_lines_were_swapped_in_secret_are_followed_no_further() -> None:
    for seed in (13, 14):
        follow_by_lines(Env("powers", 2, rounds=1, turn_cap=25), seed)


def follow_by_lines(env: Env, seed: int) -> None:
    chance, seats = dice(seed), env.seats
    env.reset(chance.randrange(9999))
    codecs, read = [Codec.of(env.variant, seats) for _ in range(seats)], [0] * seats
    for _ in range(200):
        if (seat := env.seat) is None:
            break
        codec, lines, answered = codecs[seat], env.lines(), len(env.history)
        for line in lines[read[seat] :]:
            is_request = codec.feed(line)
        read[seat] = len(lines)
        assert is_request
        while len(env.history) == answered:
            if chance.random() < 0.5:  # codes do not depend on who has looked before
                env.codes(chance.randrange(seats))
            assert codec.codes().tolist() == env.codes().tolist()
            assert codec.mask().tolist() == env.mask().tolist()
            number = move(env, chance)
            action = codec.action(number)
            env.step(number)
        assert env.history[-1] == (seat, action)


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=1)
def test_codes_have_the_cards_that_the_seat_can_follow_by_its_events_and_no_other_ones(
    preset: str, data: st.DataObject
) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    env = Env.of(variant, seats)
    env.reset(data.draw(st.integers(0, 9999)))
    chance, seat, told = dice(env.seed), data.draw(st.integers(0, seats - 1)), 0
    follower = Follower(seats=seats, rows=variant.rows, columns=variant.columns)
    for _ in range(150):
        if env.seat is None:
            break
        env.step(chance.choice(env.numbers()))
        for event in env.game.seen(seat, told):
            follower.follow(event)
        told = len(env.game.events)
        check_cards(env, follower.view, seat)


def check_cards(env: Env, seen: View, seat: int) -> None:
    layout, count = env.codec.layout, len(env.codec.kinds)
    codes = env.codes(seat)[layout.at["cards"] :]
    for owner, lying in enumerate(env.game.table.layouts):
        if len(lying) > layout.places:
            continue  # cards in high slots have the places of empty ones
        for number, lies in enumerate(lying):
            code = codes[(owner - seat) % env.seats * layout.places + number]
            placed = seen.layouts[owner][number]
            assert (code == 0) == (lies is None) == (placed is None)
            if lies is not None and placed is not None:
                card = seen.known.get(placed.number)
                kind = None if code < KNOWN else (code - KNOWN) % count
                assert kind == (None if card is None else layout.kinds[card])
                assert (code >= KNOWN + count) == lies.up


def test_cards_beyond_the_places_have_no_numbers_and_something_is_always_legal() -> None:
    env, chance, counts = Env("cactus", 3, stock_out="reshuffle"), Random(1), set()  # noqa: S311 - no secret
    for seed in range(2):
        env.reset(seed)
        for _ in range(400):
            if env.seat is None:
                break
            counts.add(max(sum(slot is not None for slot in layout) for layout in env.game.table.layouts))
            numbers = env.numbers()
            assert np.flatnonzero(env.mask()).tolist() == list(numbers)
            moves = moves_of(env).items()
            assert all(env.number(one) == number for number, one in moves if isinstance(one, Slap | Swap))
            env.step(chance.choice([n for n in numbers if "Knock" not in str(env.move(n))]))
    assert max(counts) > env.codec.moves.places


def fields(codec: Codec) -> dict[str, Field]:
    return {field.name: field for field in codec.fields}


@pytest.mark.parametrize("preset", PRESETS)
def test_tensors_are_within_their_bounds_and_their_fields_cover_them(preset: str) -> None:
    env, chance = Env(preset, derived=True), dice(preset)
    env.reset(1)
    kept = [env.codes(seat) for seat in range(env.seats)]
    while env.seat is not None:
        env.step(chance.choice(env.numbers()))
        kept += [env.codes(seat) for seat in range(env.seats)]

    codec = env.codec
    together = codec.one_hot(np.array(kept))
    assert together.dtype == np.float32
    assert together.shape == (len(kept), *codec.shape)
    assert np.abs(together).max() == 1.0
    assert np.array_equal(together[-1], env.tensor(env.seats - 1))
    assert [field.start for field in codec.fields[1:]] == [field.stop for field in codec.fields[:-1]]
    assert codec.fields[-1].stop == codec.shape[0]
    named = {name: field.of(together) for name, field in fields(codec).items()}
    assert (named["one"] == 1.0).all()
    assert (named["turn"].sum(axis=1) == 1.0).all()
    assert (named["decision"].sum(axis=1) <= 1.0).all()


def test_a_tensor_tells_what_the_seat_sees() -> None:
    env = Env("cambio", 2)
    env.reset("seen")
    named, table = fields(env.codec), env.game.table
    cards, knows = named["cards"].of(env.tensor(0)), named["knows"].of(env.tensor(0))

    assert cards[0, :, 2].tolist() == [0.0, 0.0, 1.0, 1.0]  # the near row, at which it has looked
    assert cards[1, :, 2].tolist() == [0.0] * 4
    assert cards[:, :, 0].tolist() == [[1.0] * 4] * 2
    assert knows[1, 2].tolist() == [0.0, 1.0]  # seat 1 knows its card
    kinds = env.codec.layout.kinds
    for slot in (2, 3):
        lies = table.layouts[0][slot]
        assert lies is not None
        assert cards[0, slot, 3 + kinds[lies.card]] == 1.0
    assert named["top"].of(env.tensor(1))[kinds[table.pile[-1]]] == 1.0
    assert env.seat == 1
    env.step(Draw(source="stock"))
    assert named["hand_of"].of(env.tensor(0)).tolist() == [0.0, 1.0]
    assert named["hand"].of(env.tensor(0)).sum() == 0.0
    assert named["hand"].of(env.tensor(1)).sum() == 1.0


def test_derived_fields_are_what_the_open_cards_say() -> None:
    env, chance = Env("six-card", 2, derived=True), dice(1)
    named = fields(env.codec)
    for seed in range(20):
        env.reset(seed)
        for _ in range(20):
            if env.seat is None or env.ask is None or env.ask.decision == "turn_up":
                env.step(env.numbers()[0])
                continue
            table, seen, seat = env.game.table, env.tensor(), env.seat
            own = [slot.card if slot is not None and slot.up else None for slot in table.layouts[seat]]
            top = rank(table.pile[-1]) if table.pile else ""
            assert named["like_top"].of(seen)[0].tolist() == [card is not None and rank(card) == top for card in own]
            like = [
                card is not None and other is not None and rank_of(card) == rank_of(other)
                for card, other in zip(own, own[3:] + own[:3], strict=True)
            ]
            assert named["like_column"].of(seen)[0].tolist() == like
            points = [sum(env.variant.worth[card] for card in own[at::3] if card is not None) / 10 for at in range(3)]
            assert named["column_points"].of(seen)[0].tolist() == pytest.approx(np.clip(points, -1, 1).tolist())
            env.step(chance.choice(env.numbers()))
            if env.seat is None:
                break


def test_a_codec_says_what_it_lacks_and_copies_begin_before_the_match() -> None:
    codec, env = Codec("six-card", 2, rounds=1), Env("six-card", 3)
    for use in (codec.codes, codec.mask):
        with pytest.raises(LookupError, match="feed the line"):
            use()
    env.reset(1)
    _, match = env.lines()[:2]
    with pytest.raises(ValueError, match=r"this codec is for six-card with 2 seats .* the match is six-card with 3"):
        codec.feed(match)
    env = Env("six-card", 2, rounds=1)
    env.reset(1)
    for line in env.lines():
        codec.feed(line)
    with pytest.raises(ValueError, match="number 30 is not legal; legal are 0, 1, 2"):
        codec.action(30)
    with pytest.raises(ValueError, match=r"no number of seat 0 leads to Draw"):
        codec.number(Draw(source="pile"))
    copied: Any = deepcopy(codec)
    with pytest.raises(LookupError, match="feed the line"):
        copied.codes()
    assert copied.fields == codec.fields


def test_the_kinds_of_cards_are_public_in_the_order_of_the_codes() -> None:
    codec = Codec("four-card")
    assert [{rank(card) for card in kind} for kind in codec.kinds] == [
        {one} for one in ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    ]


def test_the_table_of_a_game_names_every_code_and_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["referee.research", "powers", "2"])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "powers, 2 seats: 165 codes, 753 values, 163 moves"
    codec = Codec("powers", 2, derived=True)
    assert {line.split()[0] for line in lines[2:]} == {*codec.layout.at, *fields(codec)}
