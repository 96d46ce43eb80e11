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
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

import protocol
from protocol.actions import Action, End
from protocol.codec import decode_answer, decode_ready, encode
from protocol.events import Event
from protocol.messages import Answer, Clocks, Decision, FaultPolicy, FromReferee, GameMessage, Hello, Limits, Request
from protocol.offers import ACTIONS, Choice, Offer, OneOf, Pick, size
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import Delivery, Reply
from referee.play.talk.inbox import Inbox
from referee.play.talk.script import announcements
from referee.rules.book.presets import PRESETS
from referee.rules.book.variants import customised
from referee.rules.game import Game
from referee.rules.table.chance import Keyed
from referee.rules.table.streams import Stream, bot_seed

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
        self._flips = customised(chosen.preset, chosen.options).options.flip_on_discard != "never"
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
    variant, seats = customised(chosen.preset, chosen.options), len(chosen.ready)
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
    check_what_is_told(CASES[name])


def test_no_transcript_is_left_over(golden: Golden) -> None:
    golden.check_folder(FOLDER, {f"{name}.jsonl" for name in CASES})


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


def test_both_joined_decisions_are_shown() -> None:
    assert said("referee", r'"action":\{"kind":"(\w+)".*"then":\{') >= {"discard", "stroke", "none"}


# What seats and spectators are told, checked without the referee's own redaction


class Witness:
    """Keeps the books of what lies open, from the events of one seat alone."""

    def __init__(self, seats: int) -> None:
        self.open: list[dict[int, str]] = [{} for _ in range(seats)]

    def see(self, event: dict[str, Any]) -> None:
        self._see_layouts(event)
        self._see_cards(event)

    def _see_layouts(self, event: dict[str, Any]) -> None:
        """Events of several cards of a layout."""
        match event:
            case {"event": "round"}:
                self.open = [{} for _ in self.open]
            case {"event": "turned_up", "seat": seat, "slots": slots, "cards": cards}:
                self.open[seat].update(zip(slots, cards, strict=True))
            case {"event": "swapped_own", "seat": seat, "slots": slots, "cards": cards}:
                shown = {slot: card for slot, card in zip(slots, cards, strict=True) if card}
                assert shown.keys() == self.open[seat].keys() & set(slots)
                self.open[seat].update(shown)
            case {"event": "stroked", "seat": seat, "row": row}:
                self._clear(seat, [row])
            case {"event": "pairs_discarded", "seat": seat, "rows": rows}:
                self._clear(seat, rows)
            case {"event": "shuffled", "of": seat}:
                self.open[seat] = {}
            case {"event": "lines_swapped", "of": seat, "layout": layout}:
                self.open[seat] = lying_open(layout)

    def _see_cards(self, event: dict[str, Any]) -> None:
        """Events of one card, or two that change places."""
        match event:
            case {"event": "swapped", "seat": seat, "slot": slot, "card": card, "face_up": face_up}:
                self._lie(seat, slot, card if face_up else None)
            case {"event": "kept", "seat": seat, "slot": slot}:
                self._lie(seat, slot, None)
            case {"event": "traded", "target": [seat, slot], "given": card}:
                self._lie(seat, slot, card)
            case {"event": "exposed", "target": [seat, slot], "card": card}:
                self._lie(seat, slot, card)
            case {"event": "hidden" | "removed" | "planted", "target": [seat, slot]}:
                self._lie(seat, slot, None)
            case {"event": "switched", "targets": [[seat, slot], [other, place]]}:
                mine, theirs = self.open[seat].get(slot), self.open[other].get(place)
                self._lie(seat, slot, theirs)
                self._lie(other, place, mine)

    def _lie(self, seat: int, slot: int, card: str | None) -> None:
        self.open[seat].pop(slot, None)
        if card:
            self.open[seat][slot] = card

    def _clear(self, seat: int, rows: Sequence[int]) -> None:
        for row in rows:
            for slot in (2 * row, 2 * row + 1):
                self._lie(seat, slot, None)


def lying_open(layout: Sequence[str | None]) -> dict[int, str]:
    """The face-up cards of a layout as `table` shows it, by slot."""
    return {slot: card for slot, card in enumerate(layout) if card not in (None, "?")}


CARD = re.compile(r"(?:[0-9AJQK]|10)[A-Z]|X[1-9][0-9]*")


def cards_in(value: Any) -> list[str]:
    """Every card code anywhere in a JSON value."""
    if isinstance(value, dict):
        return [card for one in value.values() for card in cards_in(one)]
    if isinstance(value, list):
        return [card for one in value for card in cards_in(one)]
    return [value] if isinstance(value, str) and CARD.fullmatch(value) else []


class Hearing(Struct):
    """What the events before say of the secrets of the next one."""

    preset: str
    hides: bool
    """Whether `hidden_rearrange` is on."""
    drawn_from: str = ""
    two: Sequence[str] = ()
    """The cards that were last drawn for an 8."""

    def secrets(self, event: dict[str, Any]) -> tuple[str, ...]:
        """The fields that only the event's seat may see, of its own version (CAC-39, POW-29, PAR-24, TDK-20)."""
        match event["event"]:
            case "drew" if event["from"] == "stock" and self.preset != "two-deck":
                return ("card",)
            case "swapped" if not event["face_up"] and self.drawn_from == "stock":
                return ("card",)
            case "kept" if event["card"] in self.two:
                return ("card",)
            case "rearranged" if self.hides:
                return ("slots",)
            case "lines_swapped" if self.hides:
                return ("axis", "lines")
            case kind:
                return SECRETS.get(kind, ())

    def check(self, told: Sequence[dict[str, Any]]) -> None:
        """The versions of one event, by seat and last a spectator's: its secrets for its own seat, all else alike."""
        event = told[0]
        own = told[event.get("seat", 0)]
        if event["event"] == "kept" and own["card"] in (set(self.two) & set(own["discarded"])):
            return  # with several decks it may be the 8 itself or a card that was drawn: nothing here tells
        secrets = self.secrets(own)
        for seat, heard in enumerate(told):  # a spectator's number is no seat's
            assert heard | dict.fromkeys(secrets) == event | dict.fromkeys(secrets)
            for name in secrets:
                hidden = {None} == set(heard[name] if isinstance(heard[name], list) else [heard[name]])
                assert hidden == (seat != event["seat"]), (seat, heard)
        self.drawn_from = event.get("from", self.drawn_from)
        self.two = own["cards"] if event["event"] == "drew_two" else self.two


SECRETS = {"looked": ("cards",), "peeked": ("card",), "arranged": ("slots",), "drew_two": ("cards",)}
"""By kind of event, where nothing else decides."""


# Powers with one pack: a card code is then one card, and `kept` tells which.
GAMES: Sequence[tuple[str, dict[str, Any]]] = (
    *((preset, {"decks": 1} if preset == "powers" else {}) for preset in PRESETS),
    ("six-card", {"jack_skip": True, "stock_out": "end"}),
    ("six-card-knock", {"cutthroat_trade": True, "jokers": 2}),
    ("four-card", {"initial_look": "any:2", "cambio_powers": {"J": "rearrange", "5": "exchange"}}),
    ("cambio", {"slaps": True, "hidden_rearrange": False}),
    ("cambio", {"initial_look": "any:2", "protect_ender": True}),
    ("powers", {"decks": 1, "powers_draw_pile": True, "hidden_rearrange": False, "shield_uses": 2}),
    ("powers", {"decks": 1, "stock_out": "end", "protect_ender": True}),
    ("cactus", {"slap_order": "lottery", "stock_out": "reshuffle"}),
    ("cactus", {"cactus_ranks": "KA", "protect_ender": True}),
    ("par-3", {"arrange": "blind", "strokes_per_turn": "unlimited"}),
)


@st.composite
def games(draw: st.DrawFn) -> Case:
    """A game of two rounds at most, played by the dice; patient bots let it come to something."""
    preset, changes = draw(st.sampled_from(GAMES))
    options = {"course": [4, 3]} if preset == "par-course" else {"rounds": 2, **changes}
    fewest, most = customised(preset, options).seats
    seats = draw(st.integers(fewest, min(most, max(fewest, 4))))
    key = draw(st.binary(min_size=32, max_size=32))
    eager = ("discard", "rearrange", "swap_lines", "take_two", "discard_pairs", "trade")
    return Case(
        preset=preset, options=options, deal_key=key.hex(), ready=({"type": "ready"},) * seats, eager=eager, patience=9
    )


@settings(max_examples=50)
@given(chosen=games())
def test_nobody_is_told_a_card_that_it_may_not_know(chosen: Case) -> None:
    check_what_is_told(chosen)


def check_what_is_told(chosen: Case) -> None:
    """The versions of each event differ in its secrets alone, and `table` shows what the events turned up."""
    seats, game = len(chosen.ready), begin(chosen)
    told: list[list[dict[str, Any]]] = [[] for _ in range(seats)]
    witnesses = [Witness(seats) for _ in range(seats)]

    for line in play(chosen, game):
        message = msgspec.json.decode(line.line)
        if line.to == "referee":
            continue
        for event in message.get("events", ()):
            if event["event"] != "fault":
                told[line.seat].append(event)
                witnesses[line.seat].see(event)
        assert not cards_in([{**offer, "power": None} for offer in message.get("legal", [])])
        if "table" in message:
            assert [lying_open(layout) for layout in message["table"]["layouts"]] == witnesses[line.seat].open

    spectator = msgspec.json.decode(msgspec.json.encode(game.seen(None)))
    hearing = Hearing(preset=chosen.preset, hides=game.table.options.hidden_rearrange)
    for versions in zip(*told, spectator, strict=chosen.strikes > 1):  # a seat that forfeits is told no more
        hearing.check(versions)
