"""Golden transcripts: for every preset a short match between scripted bots, byte for byte as its seats see it.

`python tests/test_transcripts.py --write` writes protocol/transcripts/*.jsonl anew after a wanted change; read the
difference before it is committed. The first line of a file says what is played; then comes one line for each line on
the wire, `us` being the microseconds between the write to that seat and the answer.
"""

import re
import sys
from collections.abc import Generator, Iterator, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

import protocol
from protocol.actions import End
from protocol.codec import decode_answer, decode_ready, encode
from protocol.messages import Answer, Clocks, FaultPolicy, FromReferee, Hello, Limits, Request
from protocol.messages import Game as GameMessage
from protocol.offers import Offer, fillings
from referee.play.bots import BotSpec
from referee.play.connection import Connection
from referee.play.conversation import Conversation
from referee.play.exchange import READY, Delivery, Reply
from referee.play.match import MatchSetup, match_messages
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.streams import Stream, bot_seed
from referee.rules.variants import PRESETS, customised

FOLDER = Path(protocol.__file__).parent / "transcripts"


class Case(Struct, frozen=True, kw_only=True):
    """What is played in a transcript: the head line of its file."""

    preset: str
    options: dict[str, Any]
    deal_key: str
    ready: tuple[dict[str, Any], ...]
    """By seat: the bot's `ready` message."""
    illegal: tuple[int, int] | None = None
    """A seat and the number of the request (from 1) that it answers with something illegal."""


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line on the wire: exact bytes, without the newline."""

    seat: int
    to: Literal["bot", "referee"]
    us: int = 0
    line: msgspec.Raw


def case(preset: str, salt: str, *ready: dict[str, Any], illegal: tuple[int, int] | None = None) -> Case:
    """A match of one round from the deal key SHA-256 of `transcript/PRESET/SALT`."""
    key = sha256(f"transcript/{preset}/{salt}".encode()).hexdigest()
    bots = tuple({"type": "ready", **fields} for fields in ready)
    return Case(preset=preset, options={"rounds": 1}, deal_key=key, ready=bots, illegal=illegal)


CASES = {
    one.preset: one
    for one in (
        case("six-card", "1515", {"name": "ada"}, {"name": "bob", "table": False}),
        case("six-card-knock", "18062", {"name": "ada"}, {"name": "bob"}, illegal=(1, 3)),
        case("single-deck", "4489", {"name": "ada"}, {"name": "bob"}, {"name": "cy", "table": False}),
        case("cactus", "199849", {"name": "ada"}, {"name": "bob", "table": False}, {"name": "cy", "slaps": False}),
    )
}  # fmt: skip
"""By preset."""


class Scripted:
    """A bot in memory. Its choices and times are drawn from a stream of its own; it knows no game."""

    def __init__(self, chosen: Case, seat: int) -> None:
        self._ready = chosen.ready[seat]
        self._illegal = chosen.illegal[1] if chosen.illegal and chosen.illegal[0] == seat else None
        self._dice = Stream(bytes.fromhex(chosen.deal_key), f"script/{seat}")
        self._requests = 0

    def reply(self, line: bytes) -> tuple[bytes, int]:
        """The line that answers one of the referee's (empty: none), and the microseconds that it took."""
        message = msgspec.json.decode(line, type=FromReferee)
        if isinstance(message, Hello):
            return msgspec.json.encode(self._ready) + b"\n", 30_000
        if not isinstance(message, Request):
            return b"", 0
        self._requests += 1
        answer, took_us = self._answer(message), 40 + self._dice.below(100)
        return (b"", 0) if message.decision == "slap" and self._dice.below(8) == 0 else (answer, took_us)

    def _answer(self, request: Request) -> bytes:
        if self._requests == self._illegal:
            return encode(Answer(id=request.id, action=End()))
        answer: dict[str, Any] = {"type": "answer", "id": request.id, "action": self._choose(request.legal)}
        if answer["action"]["kind"] == "discard" and self._dice.below(2):
            answer["then"] = {"kind": "none"}
        return msgspec.json.encode(answer) + b"\n"

    def _choose(self, offers: Sequence[Offer]) -> dict[str, object]:
        """One of all legal answers to one of the offers."""
        ways = list(fillings(offers[self._dice.below(len(offers))]))
        return ways[self._dice.below(len(ways))]


def play(chosen: Case) -> Iterator[Line]:
    """The match of a case, line by line."""
    seats = len(chosen.ready)
    key = bytes.fromhex(chosen.deal_key)
    variant = customised(chosen.preset, chosen.options)
    chance = Keyed(key, variant, seats)
    games = (GameMessage(variant=chosen.preset, name=chosen.preset, seats=seats),)
    setup = MatchSetup(
        variant=variant,
        name=chosen.preset,
        bots=tuple(BotSpec(name=f"bot{seat}", command=("bot",), dir="/", env={}) for seat in range(seats)),
        seeds=tuple(bot_seed(key, 0, seat) for seat in range(seats)),
        deal_key=key,
        clocks=Clocks(),
        faults=FaultPolicy(),
        isolation="none",
        games=games,
    )
    numbers = count(1)
    steps = Conversation(
        Game(variant, seats, chance),
        chance,
        hello=Hello(protocol=protocol.VERSION, referee="golfref", games=games, limits=Limits()),
        matches=match_messages(setup),
        new_id=lambda: f"id{next(numbers)}",
    ).steps()
    bots = [Scripted(chosen, seat) for seat in range(seats)]
    connections = [Connection(Limits()) for _ in range(seats)]
    replies: list[Reply] | None = None
    while True:
        try:
            exchange = next(steps) if replies is None else steps.send(replies)
        except StopIteration:
            return
        replies = []
        for group in [(one,) for one in exchange.deliveries] if exchange.timed else [exchange.deliveries]:
            answers = []
            for delivery in group:
                answers.append((yield from _write(delivery, bots[delivery.seat])))
            for delivery, answer in zip(group, answers, strict=True):
                if delivery.awaits is not None:
                    replies.append((yield from _hear(delivery, answer, connections[delivery.seat])))


def _write(delivery: Delivery, bot: Scripted) -> Generator[Line, None, tuple[bytes, int]]:
    """The lines to one seat; returns its answer to the last of them, and the microseconds that it takes."""
    answer = (b"", 0)
    for line in delivery.data.splitlines():
        yield Line(seat=delivery.seat, to="bot", line=msgspec.Raw(line))
        answer = bot.reply(line)
    return answer


def _hear(delivery: Delivery, answer: tuple[bytes, int], connection: Connection) -> Generator[Line, None, Reply]:
    """The line from one seat, if one comes; returns what the referee hears."""
    line, took_us = answer
    if delivery.awaits == READY:
        connection.expect_ready()
    elif delivery.awaits is not None:
        connection.expect(delivery.awaits)
    if line:
        yield Line(seat=delivery.seat, to="referee", us=took_us, line=msgspec.Raw(line.rstrip()))
        connection.feed(line)
    heard = connection.hear()
    connection.give_up()
    return Reply(seat=delivery.seat, heard=heard, elapsed_us=took_us, corrected_us=took_us)


def text(chosen: Case) -> bytes:
    """The golden file of a case."""
    return b"".join(msgspec.json.encode(one) + b"\n" for one in (chosen, *play(chosen)))


# The golden files


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_transcript_and_plays_it_again(preset: str) -> None:
    golden = (FOLDER / f"{preset}.jsonl").read_bytes().splitlines()

    played = text(CASES[preset]).splitlines()

    for number, (expected, line) in enumerate(zip(golden, played, strict=False), start=1):
        assert line == expected, f"{preset}.jsonl, line {number}"
    assert len(played) == len(golden)


def test_no_transcript_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PRESETS)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_every_line_of_a_transcript_is_a_message(path: Path) -> None:
    for line in path.read_bytes().splitlines()[1:]:
        shown = msgspec.json.decode(line, type=Line)
        if shown.to == "bot":
            message = msgspec.json.decode(shown.line, type=FromReferee)
            assert encode(message) == bytes(shown.line) + b"\n"
        else:
            decode = decode_ready if b'"ready"' in bytes(shown.line) else decode_answer
            decode(bytes(shown.line))


def test_the_transcripts_show_what_a_bot_must_understand() -> None:
    lines = b"".join(path.read_bytes() for path in FOLDER.iterdir())
    asked = set(re.findall(rb'"decision":"(\w+)"', lines))
    happened = set(re.findall(rb'"event":"(\w+)"', lines))
    verdicts = set(re.findall(rb'"verdict":"(\w+)"', lines))

    assert asked == {b"turn_up", b"turn", b"place", b"flip", b"power", b"slap", b"give"}
    assert happened == {
        b"round", b"turned_up", b"looked", b"drew", b"swapped", b"discarded", b"knocked", b"finished", b"peeked",
        b"switched", b"slapped", b"gave", b"window_closed", b"showdown", b"scored", b"fault",
    }  # fmt: skip
    assert verdicts == {b"right", b"wrong", b"late"}


# What a seat is told, checked without the referee's own redaction


class Witness:
    """Keeps the books of what lies open, from the events of one seat alone."""

    def __init__(self, seats: int) -> None:
        self.open: list[dict[int, str]] = [{} for _ in range(seats)]

    def see(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "round":
                self.open = [{} for _ in self.open]
            case "turned_up":
                self.open[event["seat"]].update(zip(event["slots"], event["cards"], strict=True))
            case "swapped" if event["face_up"]:
                self.open[event["seat"]][event["slot"]] = event["card"]
            case "traded":
                seat, slot = event["target"]
                self.open[seat][slot] = event["given"]


CARD = re.compile(r"(?:[0-9AJQK]|10)[A-Z]|X[1-9][0-9]*")


def cards_in(value: Any) -> list[str]:
    """Every card code anywhere in a JSON value."""
    if isinstance(value, dict):
        return [card for one in value.values() for card in cards_in(one)]
    if isinstance(value, list):
        return [card for one in value for card in cards_in(one)]
    return [value] if isinstance(value, str) and CARD.fullmatch(value) else []


def audience(event: dict[str, Any], drawn_from: str) -> tuple[str, int | None]:
    """The field of an event that only one seat may see, and that seat (CAC-39, SIX-07); "" where all is public."""
    match event["event"]:
        case "looked":
            return "cards", event["seat"]
        case "peeked":
            return "card", event["seat"]
        case "drew" if event["from"] == "stock":
            return "card", event["seat"]
        case "swapped" if not event["face_up"] and drawn_from == "stock":
            return "card", event["seat"]
    return "", None


def check_secrets(told: Sequence[dict[str, Any]], drawn_from: str) -> None:
    """The versions of one event by seat: the secret field for one of them, all else alike for everybody."""
    field, insider = audience(told[0], drawn_from)
    for seat, event in enumerate(told):
        public = {name: value for name, value in event.items() if name != field}
        assert public == {name: value for name, value in told[0].items() if name != field}
        if field:
            assert bool(cards_in(event[field])) == (seat == insider), (seat, event)


GAMES: Sequence[tuple[str, dict[str, Any]]] = (
    *((preset, {}) for preset in PRESETS),
    ("six-card", {"jack_skip": True, "stock_out": "end"}),
    ("six-card-knock", {"cutthroat_trade": True, "jokers": 2}),
    ("cactus", {"slap_order": "lottery", "stock_out": "reshuffle"}),
    ("cactus", {"cactus_ranks": "KA", "protect_ender": True}),
)


@settings(max_examples=60, deadline=None)
@given(game=st.sampled_from(GAMES), key=st.binary(min_size=32, max_size=32), seats=st.integers(2, 4))
def test_no_seat_is_told_a_card_that_it_may_not_know(game: tuple[str, dict[str, Any]], key: bytes, seats: int) -> None:
    preset, changes = game
    chosen = Case(preset=preset, options={"rounds": 2, **changes}, deal_key=key.hex(), ready=({},) * seats)
    told: list[list[dict[str, Any]]] = [[] for _ in range(seats)]
    witnesses = [Witness(seats) for _ in range(seats)]

    for line in play(chosen):
        message = msgspec.json.decode(line.line)
        if line.to == "referee":
            continue
        for event in message.get("events", ()):
            told[line.seat].append(event)
            witnesses[line.seat].see(event)
        assert not cards_in(message.get("legal", []))
        if "table" in message:
            shown = [{slot: card for slot, card in enumerate(layout) if card not in (None, "?")}
                     for layout in message["table"]["layouts"]]  # fmt: skip
            assert shown == witnesses[line.seat].open

    drawn_from = ""
    for versions in zip(*told, strict=True):
        check_secrets(versions, drawn_from)
        drawn_from = versions[0].get("from", drawn_from)


if __name__ == "__main__" and "--write" in sys.argv:
    for name, chosen_case in CASES.items():
        (FOLDER / f"{name}.jsonl").write_bytes(text(chosen_case))
