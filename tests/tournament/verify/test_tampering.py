"""A record changed in one place is found out and the place is named, also where it is still a legal game.

Real matches are recorded; then one fact of the record is changed. test_every_field.py changes each field.
"""

import json
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import golfref
from quick import FILLER

from protocol.cards import rank
from referee.rules.record import BrokenRecord, Record, replay
from referee.tournament.verify.replay import check_record

BOT = (
    FILLER
    + """
start(name="mine")
for number, request in enumerate(messages(), start=1):
    if request["type"] == "request":
        chosen = right(request, "slap", "discard") | {"then": {"kind": "none"}}
        if number == 4:
            say(chosen | {"id": "guess"})
        say(chosen | ({"action": {"kind": "knock"}} if number == 6 and request["decision"] != "slap" else {}))
"""
)
"""Plays the first legal answer but for one, discards what it draws, slaps whenever it may, and once guesses an id."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Records by game, as JSON tells them, of the bot on seats 0 and 1 against a shipped one."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "mine.py").write_text(BOT)
    mine = f"{sys.executable} {folder / 'mine.py'}"
    found = {}
    for game, more in (("six-card", ()), ("cactus", ("--slap-s", "5"))):
        path = folder / f"{game}.json"
        bots = ["--bot", mine, "--bot", mine, "--bot", "builtin:random"]
        golfref("match", "--variant", game, "-o", "rounds=1", "--seed", "7", "--record", path, *bots, *more, cwd=folder)
        golfref("verify", path, cwd=folder)
        found[game] = json.loads(path.read_text())
    return found


Record_ = dict[str, Any]
Change = Callable[[Record_], None]


def moves(record: Record_, kind: str = "answer") -> list[dict[str, Any]]:
    """The moves of this kind; of answers those that a bot gave without a fault."""
    return [move for move in record["moves"] if move["move"] == kind and "fault" not in move]


def slapped(record: Record_) -> dict[str, Any]:
    """The first window that two seats slapped in."""
    return next(move for move in moves(record, "slaps") if len(move["order"]) > 1)


def swap_cards(record: Record_) -> None:
    deck = record["rounds"][0]["deck"]
    other = next(number for number, card in enumerate(deck) if rank(card) != rank(deck[0]))
    deck[0], deck[other] = deck[other], deck[0]


def play_otherwise(record: Record_) -> None:
    """The last answer for which there is another one that makes a whole match too."""
    others: tuple[dict[str, Any], ...] = ({"kind": "discard"}, *({"kind": "swap", "slot": slot} for slot in range(6)))
    for move in reversed(moves(record)):
        played = move["action"]
        for move["action"] in others:
            if move["action"] != played and is_a_match(record):
                return
        move["action"] = played
    raise AssertionError("no other answer would do")


def is_a_match(record: Record_) -> bool:
    try:
        again = msgspec.convert(record, Record)
        record["result"] = msgspec.to_builtins(replay(again).result)
    except BrokenRecord:
        return False
    return True


def set_time(record: Record_) -> None:
    moves(record)[0]["time_us"] = moves(record)[0].get("time_us", 0) + 5000


def change_answered_line(record: Record_) -> None:
    """The words of an answer; its length stays."""
    lines = record["seats"][2]["lines"]
    number = next(number for number, line in enumerate(lines) if '"draw"' in line[2])
    lines[number][2] = lines[number][2].replace("stock", "spile") if "stock" in lines[number][2] else "?" * 20


def cut_short(record: Record_) -> None:
    line = next(line for line in record["seats"][2]["lines"] if '"draw"' in line[2])
    line[2] = line[2][:9]


def exchange_slaps(record: Record_) -> None:
    reactions = {one["seat"]: one for one in slapped(record)["reactions"]}
    first, second = (reactions[seat] for seat in slapped(record)["order"][:2])
    for name in ("raw_us", "wait_us", "corrected_us"):
        first[name], second[name] = second[name], first[name]
    second["raw_us"] += 1000.0
    second["corrected_us"] = second["raw_us"] - second["wait_us"]
    first["corrected_us"] = first["raw_us"] = second["corrected_us"] + 90_000.0


def fault_of(record: Record_) -> dict[str, Any]:
    return next(move["fault"] for move in record["moves"] if move["move"] == "answer" and "fault" in move)


SENT = "it was sent other bytes than the record tells"

CHANGES: dict[str, tuple[str, Change, str]] = {
    "two cards of the deck": ("six-card", swap_cards, "round 1: the deck is not the one that the deal key gives"),
    "an answer": ("six-card", play_otherwise, "it answered otherwise than the record plays"),
    "a time": ("six-card", set_time, SENT),
    "a bot's answer": (
        "six-card",
        change_answered_line,
        "seat 2 random, round 1, turn: the line that it answered with is not there",
    ),
    "a line too few": (
        "six-card",
        lambda one: one["seats"][1]["lines"].pop(2),
        "the line that it answered with is not",
    ),
    "a line cut short": ("six-card", cut_short, "a line of it is longer or shorter than is kept of it"),
    "a count of slaps": ("cactus", lambda one: one["counts"][0]["slaps"].update(right=99), "its knocks, draws from"),
    "what a fault was": ("six-card", lambda one: fault_of(one).update(detail="nothing much"), SENT),
    "whether there was a fault": (
        "six-card",
        lambda one: next(move for move in one["moves"] if "fault" in move).pop("fault"),
        "it answered otherwise than the record plays",
    ),
    "an invented forfeit": (
        "six-card",
        lambda one: one["moves"].insert(4, {"move": "forfeit", "seat": 2, "fault": {"kind": "flood", "detail": "x"}}),
        f"seat 2 random: {SENT}",
    ),
    "the order of slaps": (
        "cactus",
        lambda one: slapped(one)["order"].reverse(),
        "the order does not follow from the times and the lots",
    ),
    "the times of slaps": ("cactus", exchange_slaps, "the order does not follow from the times and the lots"),
    "a time of a slap": (
        "cactus",
        lambda one: slapped(one)["reactions"][0].update(raw_us=1.0),
        "its times contradict each other",
    ),
    "who is asked first": ("cactus", lambda one: slapped(one)["asked"].reverse(), "in this order; it should be"),
    "the lots": ("cactus", lambda one: slapped(one)["lots"].reverse(), "the lots are not those"),
}
"""The game, the change, and what is found."""


@pytest.mark.parametrize("what", CHANGES)
def test_a_record_that_contradicts_itself_is_found_and_the_place_named(what: str, played: dict[str, Any]) -> None:
    game, change, finding = CHANGES[what]
    record = deepcopy(played[game])
    change(record)
    found = [*check_record(msgspec.convert(record, Record))]
    assert any(finding in one for one in found), found


def test_the_command_prints_what_it_finds(played: dict[str, Any], tmp_path: Path) -> None:
    record = deepcopy(played["six-card"])
    set_time(record)
    (tmp_path / "changed.json").write_text(json.dumps(record))
    assert SENT in golfref("verify", "changed.json", cwd=tmp_path, code=1)[0]


def test_a_slap_of_which_one_time_is_missing_does_not_contradict_itself(played: dict[str, Any]) -> None:
    record = deepcopy(played["cactus"])
    slapped(record)["reactions"][0]["corrected_us"] = None
    assert not any("contradict" in finding for finding in check_record(msgspec.convert(record, Record)))
