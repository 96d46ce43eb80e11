"""Golden transcripts: for every preset a short match between scripted bots, byte for byte as its seats see it.

`pytest tests/protocol/test_transcripts.py --write` writes protocol/transcripts/*.jsonl anew after a wanted change. Read
the difference before it is committed. The first line of a file says what is played; then comes one line for each line
on the wire, `us` being the microseconds between the write to that seat and the answer.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import combinations, islice, permutations
from math import perm
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import pytest
from golden import Golden
from msgspec import Struct

import protocol
from protocol.actions import Action, End
from protocol.codec import encode
from protocol.events import Event
from protocol.messages import Answer, Clocks, Decision, FaultPolicy, FromReferee, GameMessage, Hello, Limits, Request
from protocol.offers import ACTIONS, Choice, Offer, OneOf, Pick, size
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import Delivery, Reply
from referee.play.talk.inbox import Inbox
from referee.play.talk.script import announcements
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.keyed_streams import Stream, bot_seed
from referee.rules.variants import PRESETS

FOLDER = Path(protocol.__file__).parent / "transcripts"


class Case(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is played in a transcript: the head line of its file."""

    preset: str
    options: dict[str, Any]
    deal_key: str
    ready: tuple[dict[str, Any], ...]
    """By seat: the bot's `ready` message."""
    illegal: tuple[int, int] | None = None
    """A seat and the number of the request (from 1) that it answers with something illegal."""
    strikes: int = 10
    eager: tuple[str, ...] = ()
    """Kinds of action that the bots mostly choose where they are offered."""
    patience: int = 0
    """Up to its request of this number no bot knocks or ends a hole."""


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line on the wire: exact bytes, without the newline."""

    seat: int
    to: Literal["bot", "referee"]
    us: int = 0
    line: msgspec.Raw


ADA, BOB, CY, DEE = ({"name": name} for name in ("ada", "bob", "cy", "dee"))
NO_TABLE = {"table": False}


def case(preset: str, salt: int, *ready: dict[str, Any], options: dict[str, Any] | None = None, **play: Any) -> Case:
    """A match of one round from the deal key SHA-256 of `transcript/PRESET/SALT`."""
    key = sha256(f"transcript/{preset}/{salt}".encode()).hexdigest()
    bots = tuple({"type": "ready", **fields} for fields in ready)
    return Case(preset=preset, options=options or {"rounds": 1}, deal_key=key, ready=bots, **play)


SEVERAL = {
    "rounds": 1, "end_mode": "both", "final_turns": "one_each", "flip_instead": True, "jack_skip": True, "jokers": 2,
    "initial_up": 3,
}  # fmt: skip

SLAPS = {"rounds": 1, "slap_tries": 2, "slap_match": "points", "late_card": "slapper", "power_before_slaps": True}

CASES = {
    "six-card": case("six-card", 1515, ADA, BOB | NO_TABLE),
    "six-card-knock": case("six-card-knock", 18062, ADA, BOB, illegal=(1, 3)),
    "single-deck": case("single-deck", 4489, ADA, BOB, CY | NO_TABLE),
    "four-card": case("four-card", 50, ADA, BOB | NO_TABLE, CY | NO_TABLE, patience=4),
    "nine-card": case("nine-card", 844, ADA | NO_TABLE, BOB),
    "eight-card": case("eight-card", 843, ADA, BOB | NO_TABLE, illegal=(1, 4), strikes=1),
    "cutthroat": case("cutthroat", 3822, ADA, BOB | NO_TABLE, eager=("trade",)),
    "cambio": case(
        "cambio", 1152, ADA, BOB | NO_TABLE, eager=("exchange", "rearrange", "peek", "discard"), patience=10
    ),
    "powers": case(
        "powers",
        2005,
        ADA,
        BOB | NO_TABLE,
        CY | NO_TABLE,
        eager=("discard", "copy", "shield", "cancel_knock", "block", "hide"),
        patience=20,
    ),
    "cactus": case("cactus", 199849, ADA, BOB | NO_TABLE, CY | {"slaps": False}),
    "four-turns": case("four-turns", 1825, ADA, BOB | NO_TABLE),
    "two-deck": case("two-deck", 1867, ADA, BOB | NO_TABLE, eager=("discard",)),
    "par-3": case("par-3", 2064, ADA, BOB | NO_TABLE),
    "par-4": case("par-4", 299, ADA, BOB | NO_TABLE, CY | NO_TABLE),
    "par-5": case("par-5", 12, *(bot | NO_TABLE for bot in (ADA, BOB, CY, DEE)), eager=("stroke",)),
    "no-par": case("no-par", 3493, ADA, BOB | NO_TABLE, patience=5),
    "par-course": case("par-course", 888, ADA, BOB | NO_TABLE, options={"course": [4, 3]}, eager=("stroke",)),
    "nine-card-alone": case("nine-card", 6, ADA, patience=6),
    "par-chosen": case(
        "par-course", 2, ADA, BOB | NO_TABLE, options={"course": [3, 4], "par_choice": "dealer"}, eager=("stroke",)
    ),
    "powers-options": case(
        "powers",
        6464,
        ADA,
        BOB | NO_TABLE,
        options={"rounds": 1, "powers_draw_pile": True, "shield_uses": 2, "hidden_rearrange": False},
        eager=("shield", "add", "discard", "swap_lines", "expose"),
        patience=9,
    ),
    "cactus-options": case(
        "cactus", 28752, ADA, BOB | NO_TABLE, CY | NO_TABLE, options=SLAPS, eager=("slap", "peek", "switch"), patience=6
    ),
    "nine-card-options": case("nine-card", 3020, ADA, BOB | NO_TABLE, options=SEVERAL, patience=6),
}
"""By the name of the file: the presets (the course cut to two holes), and some of them with several options."""


class Scripted:
    """A bot in memory. Its choices and times are drawn from a stream of its own; it knows no game."""

    def __init__(self, chosen: Case, seat: int) -> None:
        self._case = chosen
        self._flips = with_options(chosen.preset, chosen.options).options.flip_on_discard != "never"
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
        if answer["action"]["kind"] == "discard" and self._dice.below(2) and self._flips:
            answer["then"] = {"kind": "none"}
        if request.decision == "stroke" and self._dice.below(2):
            answer["then"] = {"kind": "draw", "from": "stock"}
        return msgspec.json.encode(answer) + b"\n"

    def _choose(self, offers: Sequence[Offer]) -> Any:
        """One of all legal answers to one of the offers."""
        eager = [offer for offer in offers if offer.kind in self._case.eager]
        if eager and self._dice.below(4):
            offers = eager
        elif self._requests <= self._case.patience:
            offers = [offer for offer in offers if offer.kind not in {"knock", "end"}]
        offer = offers[self._dice.below(len(offers))]
        return filling(offer, self._dice.below(size(offer)))


def filling(offer: Offer, number: int) -> Any:
    """The answer of this number among all that the offer describes."""
    filled = {}
    for name, choice in reversed(offer.choices().items()):
        ways, count = _ways(choice)
        number, own = divmod(number, count)
        filled[name] = next(islice(ways, own, None))
    return msgspec.to_builtins(ACTIONS[offer.kind](**filled))


def _ways(choice: Choice) -> tuple[Iterable[object], int]:
    """The values of a choice in a fixed order, and how many there are."""
    if isinstance(choice, OneOf):
        return choice.one_of, len(choice.one_of)
    if isinstance(choice, Pick):
        return permutations(choice.of, choice.pick), perm(len(choice.of), choice.pick)
    some = (one for count in range(len(choice.any_of) + 1) for one in combinations(choice.any_of, count))
    return some, 2 ** len(choice.any_of)


def begin(chosen: Case) -> Game:
    variant, seats = with_options(chosen.preset, chosen.options), len(chosen.ready)
    return Game(variant, seats, Keyed(bytes.fromhex(chosen.deal_key), variant, seats))


def play(chosen: Case, game: Game) -> Iterator[Line]:
    """The match of a case, line by line."""
    seats = len(chosen.ready)
    key = bytes.fromhex(chosen.deal_key)
    games = (GameMessage(variant=chosen.preset, name=chosen.preset, seats=seats),)
    matches = announcements(
        game.table.variant,
        chosen.preset,
        seeds=[bot_seed(key, 0, seat) for seat in range(seats)],
        clocks=Clocks(),
        faults=FaultPolicy(strikes=chosen.strikes),
    )
    greeting = Hello(protocol=protocol.VERSION, referee="golfref", games=games, limits=Limits())
    steps = Conversation(game, game.table.chance, hello=greeting, matches=matches, id_key=bytes(16)).steps()
    bots = [Scripted(chosen, seat) for seat in range(seats)]
    inboxes = [Inbox(Limits()) for _ in range(seats)]
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
                    replies.append((yield from _hear(delivery, answer, inboxes[delivery.seat])))


def _write(delivery: Delivery, bot: Scripted) -> Generator[Line, None, tuple[bytes, int]]:
    """The lines to one seat; returns its answer to the last of them, and the microseconds that it takes."""
    answer = (b"", 0)
    for line in delivery.data.splitlines():
        yield Line(seat=delivery.seat, to="bot", line=msgspec.Raw(line))
        answer = bot.reply(line)
    return answer


def _hear(delivery: Delivery, answer: tuple[bytes, int], inbox: Inbox) -> Generator[Line, None, Reply]:
    """The line from one seat, if one comes; returns what the referee hears."""
    line, took_us = answer
    if delivery.awaits is not None:
        inbox.expect(delivery.awaits)
    if line:
        yield Line(seat=delivery.seat, to="referee", us=took_us, line=msgspec.Raw(line.rstrip()))
        inbox.feed(line)
    heard = inbox.hear()
    inbox.give_up()
    return Reply(seat=delivery.seat, heard=heard, elapsed_us=took_us, corrected_us=took_us)


def text(chosen: Case) -> bytes:
    """The golden file of a case."""
    return b"".join(msgspec.json.encode(one) + b"\n" for one in (chosen, *play(chosen, begin(chosen))))


# The golden files


@pytest.mark.parametrize("name", [*PRESETS, *(name for name in CASES if name not in PRESETS)])
def test_every_preset_has_a_transcript_and_plays_it_again(name: str, golden: Golden) -> None:
    assert name in CASES, f"add a case of {name} to CASES"
    golden.check(FOLDER / f"{name}.jsonl", text(CASES[name]))


def test_no_transcript_is_left_over(golden: Golden) -> None:
    golden.check_folder(FOLDER, {f"{name}.jsonl" for name in CASES})


def tags(union: Any) -> set[str]:
    """The words by which the members of a union are told apart."""
    return {str(kind.__struct_config__.tag) for kind in (getattr(one, "__origin__", one) for one in get_args(union))}


def said(to: str, pattern: str) -> set[str]:
    """What the pattern finds in all lines to bots, or to the referee."""
    lines = (line for path in FOLDER.iterdir() for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return {found for line in lines if f'"to":"{to}"' in line for found in re.findall(pattern, line)}


def test_the_transcripts_speak_the_whole_protocol() -> None:
    assert said("bot", r'"decision":"(\w+)"') == set(get_args(Decision))
    assert said("bot", r'"event":"(\w+)"') == tags(Event) | {"fault"}
    assert said("bot", r'"verdict":"(\w+)"') == {"right", "wrong", "late"}
    assert said("bot", r'\{"kind":"(\w+)"') == tags(Action)
    assert said("referee", r'\{"kind":"(\w+)"') == tags(Action)
    assert said("referee", r'"action":\{"kind":"(\w+)".*"then":\{') >= {"discard", "stroke", "none"}
