"""A match as one of its bots knows it: nothing that its seat may not know changes a byte of it."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from protocol.messages import Clocks
from referee.reports.bot_match import BotMatch, Took, bot_match, is_bot_match, read_bot_match
from referee.reports.transcript_text import wire_json, wire_lines
from referee.rules.record import (
    Forfeit,
    Given,
    GivenSlaps,
    GivenTogether,
    Line,
    Mishap,
    Move,
    Reaction,
    Record,
    SeatRecord,
    replay,
    walk,
)

SEATS = range(3)

SECRET: dict[str, Callable[[Any], Any]] = {
    "seed": lambda _: "a seed",
    "deal_key": lambda _: "ff" * 32,
    "stacked": lambda _: True,
    "cgroups": lambda _: ("memory",),
    "counts_cpu": lambda counts: not counts,
    "host": lambda _: "Plan9 on a toaster",
    "counts": lambda _: (),
}
"""Fields of a record that no seat is told, each with another value."""

TOLD = {
    *("format", "golfref", "protocol", "preset", "name", "options", "games", "bounds", "clocks", "faults"),
    *("id_key", "isolation", "limits", "lag_us", "seats", "rounds", "moves", "result"),
}
"""Fields that are told, in whole or in part: `seats`, `rounds` and `moves` are looked at by the tests below.

The ids of the bot's own requests follow from `id_key`. `isolation`, `limits` and `lag_us` are published of all matches.
"""

FAULT = Mishap(kind="timeout", detail="the other one was slow", line="its line")

SECRET_OF_OTHERS: dict[str, Any] = {
    "ready": True,
    "ready_name": "another name",
    "version": "another version",
    "author": "somebody",
    "owner": "somebody else",
    "command": ("./secret", "--of", "another"),
    "wants_slaps": False,
    "wants_table": False,
    "seed": 4711,
    "clocks": Clocks(move_s=77.0, bank_s=777.0),
    "matches_before": 9,
    "faults": {"timeout": 8},
    "late_slaps": 77,
    "nearest_miss_us": 5,
    "idle_cpu_ms": 123,
    "unasked_lines": 12,
    "stderr_bytes": 99,
    "stderr": "my plan is to knock",
    "forfeited": True,
    "sent_bytes": 1,
    "sent_sha256": "00",
    "wrote_lines": 1,
    "wrote_bytes": 1,
    "lines": (Line(1, 9, "a secret\n"),),
}
"""All that a record has of a bot but its name, each with another value: of another bot none of it is told."""

TIMES: dict[str, Any] = {"raw_us": 1.5, "wait_us": 2.5, "corrected_us": 3.5, "late": True, "hint": "it slept"}
"""What a record has of the time of a slap."""


def told(record: Record, seat: int) -> bytes:
    return msgspec.json.encode(bot_match(record, seat))


def with_others(record: Record, seat: int, **changes: Any) -> Record:
    """The record with these values for every other seat."""
    seats = (one if number == seat else replace(one, **changes) for number, one in enumerate(record.seats))
    return replace(record, seats=tuple(seats))


def of_others(move: Move, seat: int) -> Move:
    """The move with other times and faults of the other seats."""
    match move:
        case Given():
            return move if move.seat == seat else replace(move, time_us=77_000, waived_us=5, fault=FAULT)
        case GivenTogether():
            answers = (
                one if one.seat == seat else replace(one, time_us=77_000, waived_us=5, fault=FAULT)
                for one in move.answers
            )
            return replace(move, answers=tuple(answers))
        case GivenSlaps():
            reactions = (one if one.seat == seat else replace(one, **TIMES, fault=FAULT) for one in move.reactions)
            return replace(
                move, reactions=tuple(reactions), asked=move.asked[::-1], lots=move.lots[::-1], disturbed="a lot"
            )
        case Forfeit():
            return move


def test_every_field_is_known_to_be_told_or_secret() -> None:
    """A new field of a record has to be put on one of the lists."""
    assert set(Record.__struct_fields__) == {*SECRET} | TOLD
    assert set(SeatRecord.__struct_fields__) == {*SECRET_OF_OTHERS} | {"name"}
    assert set(Reaction.__struct_fields__) == {*TIMES} | {"seat", "target", "fault"}
    assert set(GivenSlaps.__struct_fields__) == {
        *("round", "window", "asked", "reactions", "lots", "order", "disturbed"),
    }
    assert set(Given.__struct_fields__) == {"seat", "action", "time_us", "waived_us", "joined", "fault"}
    assert set(Forfeit.__struct_fields__) == {"seat", "fault"}


@pytest.mark.parametrize("preset", BY_PRESET)
def test_nothing_that_a_seat_may_not_know_changes_a_byte(preset: str) -> None:
    record = BY_PRESET[preset]
    moves = record.moves
    for seat in SEATS:
        plain = told(record, seat)
        changed = replace(record, **{name: change(getattr(record, name)) for name, change in SECRET.items()})
        changed = with_others(changed, seat, **SECRET_OF_OTHERS)
        changed = replace(changed, moves=tuple(of_others(move, seat) for move in moves))
        assert told(changed, seat) == plain


OF_NO_USE = {
    *("ready", "ready_name", "version", "author", "owner", "wants_slaps", "unasked_lines"),
    *("sent_bytes", "sent_sha256"),
}
"""Fields that are not told of the bot itself either: its lines, and those that it was sent, hold what it needs."""


@pytest.mark.parametrize("name", SECRET_OF_OTHERS)
def test_what_is_secret_of_others_is_told_of_the_bot_itself(name: str) -> None:
    """Else a match of which nothing is told would keep all secrets."""
    record = BY_PRESET["cactus"]
    seats = (replace(record.seats[0], **{name: SECRET_OF_OTHERS[name]}), *record.seats[1:])

    assert (told(replace(record, seats=seats), 0) != told(record, 0)) == (name not in OF_NO_USE)


@pytest.mark.parametrize("preset", BY_PRESET)
def test_cards_that_stay_in_the_stock_are_not_told(preset: str) -> None:
    record = BY_PRESET[preset]
    left = len(replay(record).table.stock)
    last = record.rounds[-1]
    if left < 2 or last.reshuffles:
        pytest.skip("the whole pack was seen")
    deck = (*last.deck[:-left], *reversed(last.deck[-left:]))
    other = replace(record, rounds=(*record.rounds[:-1], replace(last, deck=deck)))

    assert deck != last.deck
    for seat in SEATS:
        assert told(other, seat) == told(record, seat)


@settings(max_examples=25)
@given(data=st.data(), seat=st.sampled_from(SEATS))
def test_a_bot_that_has_forfeited_is_told_nothing_more(data: st.DataObject, seat: int) -> None:
    """Not the cards that are drawn after that, nor what becomes of them."""
    record = BY_PRESET["six-card"]
    stocks = [len(game.table.stock) for game, _ in walk(record)]
    place = data.draw(st.integers(1, len(stocks) - 2))
    gone = Forfeit(seat=seat, fault=FAULT)
    left = replace(record, moves=(*record.moves[:place], gone, *record.moves[place:]))
    (one,) = left.rounds
    drawn, rest = one.deck[: -stocks[place]], one.deck[-stocks[place] :]
    deck = (*drawn, *data.draw(st.permutations(rest)))
    otherwise = replace(left, rounds=(replace(one, deck=deck),))

    assert told(otherwise, seat) == told(left, seat)
    assert len(told(left, seat)) < len(told(record, seat))


@pytest.mark.parametrize("preset", BY_PRESET)
def test_a_match_of_a_bot_is_read_as_it_was_written(preset: str) -> None:
    data = told(BY_PRESET[preset], 1)
    match = read_bot_match(data)

    assert is_bot_match(data)
    assert not is_bot_match(msgspec.json.encode(BY_PRESET[preset]))
    assert msgspec.json.encode(match) == data
    assert list(wire_lines(match)) == list(wire_lines(bot_match(BY_PRESET[preset], 1)))


def json_lines(match: BotMatch) -> list[Any]:
    return [msgspec.json.decode(line) for line in wire_json(match)]


BOTH = ("bot", "referee")


class OnTheWire(msgspec.Struct):
    """What stands as `line`, as it stands there."""

    to: str = ""
    line: msgspec.Raw = msgspec.Raw()


@pytest.mark.parametrize("preset", ["cactus", "six-card"])
def test_json_lines_have_what_was_sent_and_written_byte_for_byte_with_times(preset: str) -> None:
    record = BY_PRESET[preset]
    match = bot_match(record, 0)
    heading, *lines = wire_json(match)

    assert msgspec.json.decode(heading)["bots"] == ["faulty", "random", "greedy"]
    wire = [msgspec.json.decode(line, type=OnTheWire) for line in lines]
    sent, wrote = (b"".join(b"%b\n" % one.line for one in wire if bytes(one.line) and one.to == to) for to in BOTH)
    assert len(sent) == record.seats[0].sent_bytes
    assert sha256(sent).hexdigest() == record.seats[0].sent_sha256
    assert wrote.decode() == "".join(line.text for line in record.seats[0].lines)
    objects = json_lines(match)[1:]
    assert [one["detail"] for one in objects if "fault" in one] != []
    answers = [one for one in objects if "us" in one]
    assert len(answers) == sum(isinstance(entry, Took) for entry in match.wire) > 5
    windows = [move for move in record.moves if isinstance(move, GivenSlaps) and 0 in move.asked]
    assert len(windows) == sum(one["line"]["action"]["kind"] in ("slap", "pass") for one in answers)


def test_what_a_bot_wrote_steers_no_terminal_in_json_either() -> None:
    record = BY_PRESET["six-card"]
    (first, *rest) = record.seats[0].lines
    evil = Line(first.after, 40, '{"type":"ready","name":"\x9b2J\u202e"}\n')
    seats = (replace(record.seats[0], lines=(evil, *rest)), *record.seats[1:])
    lines = [line.decode() for line in wire_json(bot_match(replace(record, seats=seats), 0))]

    assert all(line.isprintable() for line in lines)
    (said,) = [one["text"] for one in map(msgspec.json.decode, lines) if "text" in one]
    assert said == evil.text


def test_an_answer_whose_line_is_not_kept_is_told_by_what_was_played() -> None:
    record = BY_PRESET["six-card"]
    seats = (replace(record.seats[0], lines=record.seats[0].lines[:3]), *record.seats[1:])
    match = bot_match(replace(record, seats=seats), 0)

    played = [one for one in json_lines(match) if "played" in one]
    assert len(played) > 3
    assert all({"us", "played"} < set(one) for one in played if not one.get("joined"))
    assert sum("its line is not kept" in line for line in wire_lines(match)) == len(
        [one for one in played if not one.get("joined")]
    )
