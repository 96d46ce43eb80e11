"""Env: what it tells each seat is what bots are sent, its numbers are the legal moves, and mistakes are explained."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random

import pytest
from at_random import AtRandom
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protocol.actions import Action
from protocol.messages import Answer, Clocks, End, FaultPolicy, GameMessage, Hello, Limits, Match, Ready, Request
from protocol.offers import admits
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import READY, Reply
from referee.play.talk.script import announcements, hello
from referee.research import Env
from referee.research.actions import Begin, Further, Then
from referee.rules.book.presets import PRESETS
from referee.rules.book.variants import seat_problem
from referee.rules.game import Game
from referee.rules.table.chance import Keyed
from referee.rules.table.dice import any_action
from referee.rules.table.streams import bot_seed, seed_key


def play(env: Env, dice: Random) -> None:
    """Play on to the end by the dice."""
    while env.seat is not None:
        env.step(dice.choice(env.numbers()))


def sent_to_bots(env: Env) -> list[list[bytes]]:
    """What bots that give the same answers are sent in a match with the same key, by seat."""
    key = seed_key(env.seed)
    chance = Keyed(key, env.variant, env.seats)
    greeting = hello((GameMessage(variant=env.variant.preset, name=env.variant.preset, seats=env.seats),), Limits())
    seeds = [bot_seed(key, 0, seat) for seat in range(env.seats)]
    matches = announcements(env.variant, env.variant.preset, seeds=seeds, clocks=Clocks(), faults=FaultPolicy())
    id_key = sha256(b"golfref/research-id\0" + key).digest()[:16]
    talk = Conversation(Game(env.variant, env.seats, chance), chance, hello=greeting, matches=matches, id_key=id_key)
    answers = {seat: iter([action for who, action in env.history if who == seat]) for seat in range(env.seats)}
    sent: list[list[bytes]] = [[] for _ in range(env.seats)]
    steps = talk.steps()
    replies: Sequence[Reply] | None = None
    while True:
        try:
            exchange = next(steps) if replies is None else steps.send(replies)
        except StopIteration:
            return sent
        for one in exchange.deliveries:
            sent[one.seat] += one.data.splitlines(keepends=True)
        replies = [
            Reply(
                seat=one.seat,
                heard=Ready() if one.awaits == READY else Answer(id=one.awaits, action=next(answers[one.seat])),
                elapsed_us=0.0,
            )
            for one in exchange.deliveries
            if one.awaits is not None
        ]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_seat_is_told_what_a_bot_is_sent(preset: str) -> None:
    env = Env(preset, deals="keyed")
    env.reset("same bytes")
    dice = Random(1)  # noqa: S311 - no secret
    seen: list[int] = []
    while env.seat is not None:
        seen.append(len(env.lines()))
        assert isinstance(env.observe()[-1], Request)
        env.step(dice.choice(env.numbers()))
    told = [list(env.lines(seat)) for seat in range(env.seats)]

    assert told == sent_to_bots(env)
    kinds = [type(message) for message in env.observe(0)]
    assert kinds[:3] == [Hello, Match, Request]
    assert kinds[-1] is End
    assert len(set(seen)) > 1


# Numbers


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_every_legal_action_has_its_numbers_and_back(preset: str, data: st.DataObject) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    env = Env.of(variant, seats)
    env.reset(data.draw(st.integers(0, 9999)))
    dice = Random(env.seed)  # noqa: S311 - no secret
    for _ in range(120):
        ask = env.ask
        if ask is None:
            break
        check_moves(env)
        action = any_action(ask.offers, dice)
        for number in env.path(action):
            check_moves(env)
            env.step(number)
        assert env.history[-1][0] == ask.seat
        assert same(env.history[-1][1], action)


def check_moves(env: Env) -> None:
    """The mask, the numbers and the moves say the same, and every number stands for one move."""
    numbers, moves = env.numbers(), env.legal()
    assert numbers == tuple(sorted(set(numbers)))
    assert [number for number, legal in enumerate(env.mask()) if legal] == list(numbers)
    assert len(set(moves)) == len(moves) == len(numbers) > 0
    assert sorted(env.number(move) for move in moves) == list(numbers)
    assert all(env.number(env.move(number)) == number for number in numbers)
    assert env.ask is not None
    assert all(isinstance(move, (Begin, Then, Further)) or admits(env.ask.offers, move) for move in moves)


def same(one: Action, other: Action) -> bool:
    """Whether two actions do the same: what takes slots in any order may have them in another one."""
    order = {"turn_up": "slots", "look": "slots", "swap_own": "slots", "discard_pairs": "rows"}
    order |= {"switch": "targets", "swap_lines": "lines"}
    name = order.get(str(one.__struct_config__.tag))
    if name is None or type(one) is not type(other):
        return one == other
    fields = [field for field in one.__struct_fields__ if field != name]
    return sorted(getattr(one, name)) == sorted(getattr(other, name)) and all(
        getattr(one, field) == getattr(other, field) for field in fields
    )
