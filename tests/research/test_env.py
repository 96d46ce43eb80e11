"""Env: what it tells each seat is what bots are sent, its numbers are the legal moves, and mistakes are explained."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from at_random import AtRandom
from golden import Golden
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from wandering import moves_of, record_of, reset_as_referee

import referee
from protocol.actions import Action, Arrange, Discard, Knock, Pass, Slap, Swap
from protocol.events import Slapped
from protocol.messages import Clocks, End, FaultPolicy, GameMessage, Hello, Limits, Match, Request
from protocol.offers import admits, every_action, size
from referee.play.talk.retell import Retelling
from referee.research import Env
from referee.research.arguments import default_seats
from referee.research.moves import NOTHING_BEGUN, Begin, Begun, Then
from referee.rules.check_options import seat_problem
from referee.rules.dice import any_action
from referee.rules.keyed_streams import bot_seed, seed_key
from referee.rules.questions import IllegalAnswer
from referee.rules.record import SeatRecord, walk
from referee.rules.variants import PRESETS


def play(env: Env, dice: Random) -> None:
    """Play on to the end by the dice."""
    while env.seat is not None:
        env.step(dice.choice(env.numbers()))


def sent_to_bots(env: Env) -> list[list[bytes]]:
    """What bots that give the same answers are sent in a match with the same key, by seat."""
    key = seed_key(env.seed)
    seats = [SeatRecord(name="bot", ready=True, seed=bot_seed(key, 0, seat)) for seat in range(env.seats)]
    preset, id_key = env.variant.preset, sha256(b"golfref/research-id\0" + key).digest()[:16]
    record = replace(
        record_of(env),
        golfref=referee.__version__,
        name=preset,
        id_key=id_key.hex(),
        games=(GameMessage(variant=preset, name=preset, seats=env.seats),),
        bounds=Limits(),
        clocks=Clocks(),
        faults=FaultPolicy(),
        seats=tuple(seats),
    )
    sent: list[list[bytes]] = [[] for _ in seats]
    retelling = Retelling(record)
    deliveries = [delivery for game, move in walk(record) for delivery, _ in retelling.before(game, move)]
    for delivery in [*deliveries, *retelling.after()]:
        sent[delivery.seat] += delivery.data.splitlines(keepends=True)
    return sent


@pytest.mark.parametrize("preset", PRESETS)
def test_a_seat_is_sent_what_a_bot_is_sent(preset: str) -> None:
    env = Env(preset)
    reset_as_referee(env, "same bytes")
    dice = Random(1)  # noqa: S311 - no secret
    seen: list[int] = []
    while env.seat is not None:
        seen.append(len(env.lines()))
        assert isinstance(env.observe()[-1], Request)
        env.step(dice.choice(env.numbers()))

    assert [list(env.lines(seat)) for seat in range(env.seats)] == sent_to_bots(env)
    kinds = [type(message) for message in env.observe(0)]
    assert kinds[:3] == [Hello, Match, Request]
    assert kinds[-1] is End
    assert len(set(seen)) > 1


# Numbers


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=2)
def test_every_legal_action_has_one_path_of_numbers_and_back(preset: str, data: st.DataObject) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    env = Env.of(variant, seats)
    env.reset(data.draw(st.integers(0, 9999)))
    dice = Random(env.seed)  # noqa: S311 - no secret
    for _ in range(80):
        ask = env.ask
        if ask is None:
            break
        if sum(map(size, ask.offers)) <= 100:
            check_paths(env)
        action = any_action(ask.offers, dice)
        while env.ask is ask:
            check_moves(env)
            env.step(env.number(action))
        assert env.history[-1][0] == ask.seat
        assert same(env.history[-1][1], action)


def check_moves(env: Env) -> None:
    """The mask, the numbers and the moves say the same, and every number stands for one move."""
    numbers, moves = env.numbers(), moves_of(env).values()
    assert numbers == tuple(sorted(set(numbers)))
    assert [number for number, legal in enumerate(env.mask()) if legal] == list(numbers)
    assert len(set(moves)) == len(moves) == len(numbers) > 0
    ask = env.ask
    assert ask is not None
    for number, move in moves_of(env).items():
        assert env.codec.moves.of_seat(number, ask.seat) == move
        assert isinstance(move, (Begin, Then)) or (admits(ask.offers, move) and env.number(move) == number)


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


def check_paths(env: Env) -> None:
    """No legal action is left out, and none has two paths."""
    assert env.ask is not None
    paths: dict[tuple[int, ...], Action] = {}
    for action in every_action(env.ask.offers):
        assert same(paths.setdefault(path_to(env, action), action), action)
    assert set(paths) == set(leaves(env, NOTHING_BEGUN, ()))


def path_to(env: Env, action: Action) -> tuple[int, ...]:
    """The numbers that give this answer, one after another."""
    assert env.ask is not None
    moves, begun, path = env.codec.moves, NOTHING_BEGUN, list[int]()
    while isinstance(begun, Begun):
        path.append(moves.towards(env.ask, begun, action))
        begun = moves.after(env.ask, begun, path[-1])  # type: ignore[assignment]
    return tuple(path)


def leaves(env: Env, begun: Begun, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All sequences of legal numbers that give an answer to what is asked now."""
    assert env.ask is not None
    moves = env.codec.moves
    for number in moves.legal(env.ask, begun).numbers:
        after = moves.after(env.ask, begun, number)
        if isinstance(after, Begun):
            yield from leaves(env, after, (*path, number))
        else:
            yield (*path, number)


def test_numbers_and_fields_stay_as_they_are(golden: Golden) -> None:
    lines = ["# game seats: numbers, their fingerprint; codes, length of the tensor, fingerprint of its fields"]
    for preset, variant in PRESETS.items():
        for seats in sorted({default_seats(variant), variant.seats[1]}):
            env = Env(preset, seats)
            fields = sha256(msgspec.json.encode([(field.name, field.shape) for field in env.codec.fields])).hexdigest()
            numbers = f"{env.codec.size} {env.codec.moves.fingerprint[:16]}"
            lines.append(f"{preset} {seats}: {numbers}; {env.codec.code_count} {env.codec.shape[0]} {fields[:16]}")
    golden.check(Path(__file__).with_name("numbers.txt"), "\n".join([*lines, ""]).encode())


# Rewards


@pytest.mark.parametrize("reward", ["match", "rounds", "ranks"])
@pytest.mark.parametrize(("preset", "seats"), [("six-card", 3), ("cactus", 4), ("nine-card", 1), ("par-course", 2)])
def test_rewards_add_up_to_nothing_and_come_when_they_are_due(preset: str, seats: int, reward: Any) -> None:
    env, dice = Env(preset, seats, reward=reward), Random(1)  # noqa: S311 - no secret
    env.reset(3)
    together, times = np.zeros(seats), 0
    while env.seat is not None:
        env.step(dice.choice(env.numbers()))
        times += any(env.rewards())
        together += env.rewards()
        assert seats == 1 or abs(sum(env.rewards())) < 1e-9

    totals, ranks = env.result.totals, env.result.ranks
    if reward == "ranks":
        assert np.abs(together).max() <= 1.0
        assert seats == 1 or together.argmax() == ranks.index(1)
    else:
        unit = 10 * env.variant.rows * env.variant.columns
        mean = [(sum(totals) - own) / (seats - 1) if seats > 1 else 0.0 for own in totals]
        assert together.tolist() == pytest.approx(
            [(other - own) / unit for other, own in zip(mean, totals, strict=True)]
        )
    rounds = len(env.result.rounds)
    assert times <= (rounds if reward == "rounds" else 1)
    assert reward != "rounds" or times > rounds // 2
    assert seats == 1 or list(ranks) == sorted_ranks(totals)


def sorted_ranks(totals: Sequence[int]) -> list[int]:
    return [1 + sum(other < own for other in totals) for own in totals]


# Windows and sealed questions


def test_a_window_is_settled_by_the_lot_once_all_have_answered() -> None:
    env = Env("cactus", 3)
    assert env.variant.options.slap_order == "lottery"
    env.reset("window")
    while env.ask is None or env.ask.decision != "slap":
        env.step(env.numbers()[-1] if env.ask is not None and env.ask.decision == "place" else env.numbers()[0])
    before, discarder = [env.lines(seat) for seat in range(3)], env.game.table.turn
    events = len(env.game.events)
    assert [ask.seat for ask in env.asks] == [0, 1, 2]

    for seat in range(2):
        assert env.seat == seat
        slap = next(move for move in moves_of(env).values() if isinstance(move, Slap) and move.target[0] == seat)
        env.step(slap)
        assert [env.lines(seat) for seat in range(3)] == before
        assert len(env.game.events) == events
    env.step(Pass())

    assert len(env.game.events) > events
    slapped = [event.seat for event in env.game.events[events:] if isinstance(event, Slapped)]
    lots = env._chance.lots(1, 1)
    assert slapped == [seat for seat in lots if seat != discarder and seat < 2] + [discarder] * (discarder < 2)


def test_the_same_seed_begins_the_same_match() -> None:
    one, other = Env("four-card"), Env("four-card")
    one.reset(5)
    other.reset("5")
    assert one.game.table.stock == other.game.table.stock
    other.reset(6)
    assert one.game.table.stock != other.game.table.stock
    one.reset()
    other.reset()
    assert one.game.table.stock != other.game.table.stock
    one.reset(other.seed)
    assert one.game.table.stock == other.game.table.stock


# Mistakes


def test_an_illegal_move_says_who_what_and_what_else_and_changes_nothing() -> None:
    env = Env("six-card-knock", 2)
    env.reset(1)
    with pytest.raises(
        ValueError, match=r"seat 0 may not answer Knock\(\) to `turn_up`, which offers turn_up with slots 2"
    ):
        env.step(Knock())
    env.step(0)
    env.step(0)
    lines, history = env.lines(), list(env.history)
    number = env.codec.size - 1
    wrong: list[Any] = [number, -1, 999, np.int64(number), Discard(), "knock", None, Swap(slot=3), Then(value=1)]
    wrong += [Swap(slot=cast(Any, [1])), 0.5]
    for move in wrong:
        with pytest.raises(
            ValueError, match=r"^seat 1 may not answer .* to `turn`, which offers draw with from one of"
        ):
            env.step(move)
    assert (env.lines(), env.history, env.seat) == (lines, history, 1)
    with pytest.raises(IllegalAnswer, match=r"number 999 \(there are 0 to 31\) to `turn`"):
        env.step(999)
    with pytest.raises(IllegalAnswer, match=rf"number {number} \({re.escape(str(env.codec.moves[number]))}\)"):
        env.move(number)
    with pytest.raises(IllegalAnswer, match="Discard"):
        env.number(Discard())


def test_a_step_of_an_action_that_does_not_fit_says_what_comes_next() -> None:
    env = Env("par-3", 2)
    env.reset(1)
    first = {move: number for number, move in moves_of(env).items()}
    env.step(first[Begin(kind="arrange", value=2)])
    with pytest.raises(
        IllegalAnswer, match=r"number 0 \(.*\) to `arrange`, which offers arrange with Then\(value=0\), or"
    ):
        env.step(0)
    with pytest.raises(IllegalAnswer, match="Arrange"):
        env.step(Arrange(slots=(0, 1, 2, 3, 4, 5)))
    for slot in (0, 1, 3, 4):
        env.step(next(number for number, move in moves_of(env).items() if move == Then(value=slot)))
    assert env.history == [(0, Arrange(slots=(2, 0, 1, 3, 4, 5)))]


def test_a_match_that_is_over_or_has_not_begun_says_so() -> None:
    env = Env("four-turns", 2)
    for use in (env.numbers, env.mask, env.rewards, env.observe, env.codes, env.step):
        with pytest.raises(LookupError, match=r"call reset\(seed\) first"):
            use(*([0] if use == env.step else []))
    for field in ("history", "begun", "seed"):
        with pytest.raises(LookupError, match="no match has begun"):
            getattr(env, field)
    env.reset(1)
    play(env, Random(1))  # noqa: S311 - no secret
    assert (env.asks, env.numbers()) == ((), ())
    assert not env.mask().any()
    with pytest.raises(ValueError, match=r"the match is over, 0 comes too late: call reset"):
        env.step(0)
    with pytest.raises(ValueError, match="name the seat"):
        env.observe()
    with pytest.raises(ValueError, match="there is no seat 2; the seats are 0 to 1"):
        env.codes(2)


@pytest.mark.parametrize(
    ("preset", "seats", "options", "text"),
    [
        ("six-crad", None, {}, "unknown variant `six-crad`; did you mean `six-card`?"),
        ("six-card", None, {"rond": 1}, "rond: unknown option; did you mean `rounds`?"),
        ("six-card", 99, {}, "seats: six-card is for 2 to 8 seats"),
        ("six-card", cast(Any, "two"), {}, "seats: expected a whole number, got 'two'"),
        (cast(Any, None), None, {}, 'preset: expected the name of a game, such as "six-card", got None'),
        ("six-card", None, {"rounds": 0}, "rounds: expected an integer from 1 up"),
        ("six-card", None, {"slaps": True}, "slaps: does not go with six-card"),
        ("cactus", None, {"slap_order": "reaction"}, "slap_order: nobody's time is taken here"),
        ("six-card", None, {"seed": 4}, "seed: is no option: give it to reset(seed)"),
        ("six-card", None, {"move_s": 4}, "move_s: is no option here: nobody's time is taken"),
        ("six-card", None, {"reward": "points"}, 'reward: expected "match", "rounds" or "ranks", got \'points\''),
    ],
)
def test_what_no_game_has_is_told(preset: str, seats: int | None, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text)):
        Env(preset, seats, **options)


def test_the_repr_says_game_seats_and_round() -> None:
    env = Env("four-card", 3, rounds=1)
    assert repr(env) == "<Env four-card, 3 seats, no match>"
    env.reset(1)
    assert repr(env) == "<Env four-card, 3 seats, round 1>"
    while env.seat is not None:
        env.step(env.numbers()[0])
    assert repr(env) == "<Env four-card, 3 seats, the match is over>"


def test_what_is_of_a_wrong_kind_names_its_field() -> None:
    env: Any = Env("six-card", cast(Any, np.int64(2)), rounds=np.int64(1))
    env.reset(np.int64(7))
    uses: dict[str, Callable[[], object]] = {
        "seed": lambda: env.reset(-1),
        "seat": lambda: env.observe("0"),
        "number": lambda: env.move([]),
        "dice": lambda: env.resample(0, np.random.default_rng(1)),
    }
    for field, use in uses.items():
        with pytest.raises(ValueError, match=f"^{field}: expected .*, got "):
            use()
    with pytest.raises(IllegalAnswer, match="seat 0 may not answer True to `turn_up`"):
        env.step(True)
    assert (env.seed, env.history) == ("7", [])


def test_the_import_takes_the_rules_and_numpy_alone() -> None:
    libraries = {"trio", "scipy", "typer", "tree_sitter", "dask", "pettingzoo", "gymnasium", "pyspiel", "pyarrow"}
    code = f"import referee.research, sys; print({libraries} & {{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
