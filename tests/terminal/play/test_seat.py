"""What a person's seat is told beside the events, and what is decided without asking."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from protocol.actions import Pass, Slap
from protocol.messages import Request
from referee.commands.match.bots import UsageError
from referee.commands.match.play import PlayOptions, setup_of
from referee.play.match import match_messages
from referee.play.spec import BadBot
from referee.rules.check_options import with_options
from referee.terminal.play.powers import power_in_words
from referee.terminal.play.seat import Seat

WINDOW = {"event": "window_closed"}
OURS = {"event": "slapped", "seat": 0, "target": [1, 0], "card": "9H", "verdict": "wrong", "new_slot": 4, "stock": 30}
THEIRS = OURS | {"seat": 1, "verdict": "right", "new_slot": None}
PASS_ONLY = [{"kind": "pass"}]
SLAPS = [*PASS_ONLY, {"kind": "slap", "target": {"one_of": [[1, 0]]}}]


def order(against: str) -> PlayOptions:
    return msgspec.convert(
        {"variant": "cactus", "against": [against], "seed": "s", "pace_s": 0.0},
        PlayOptions,
    )


def seated() -> Seat:
    seat = Seat(["human", "keeper"])
    match = next(iter(match_messages(setup_of(order("keeper")))))
    seat.hear(msgspec.json.encode(match))
    return seat


def asked(seat: Seat, legal: Sequence[Any], *events: Mapping[str, Any]) -> list[str]:
    """What is told before the question of a window."""
    table: dict[str, Any] = {"round": 1, "dealer": 0, "turn": 0, "knocker": None, "stock": 30, "pile": ["9C"]}
    table |= {"layouts": [["?"] * 4] * 2, "totals": [0, 0]}
    line = {"type": "request", "events": events, "id": "a", "decision": "slap", "legal": legal, "table": table}
    _, beats = seat.hear(msgspec.json.encode(line | {"time_s": 4.0, "bank_s": 9.0}))
    assert isinstance(seat.request, Request)
    return [words for beat in beats for words in beat.words]


def test_a_slap_that_finds_its_card_gone_is_told_to_the_one_who_slapped() -> None:
    void = "    your slap came after that, and finds no card"
    seat = seated()
    asked(seat, SLAPS)
    seat.answer(Slap(target=(1, 0)))
    assert void in asked(seat, SLAPS, THEIRS, WINDOW)
    seat.answer(Slap(target=(1, 0)))
    assert void not in asked(seat, SLAPS, OURS, WINDOW)
    seat.answer(Pass())
    assert void not in asked(seat, SLAPS, THEIRS, WINDOW)


def test_a_window_in_which_nothing_can_be_slapped_asks_nothing() -> None:
    seat = seated()
    asked(seat, PASS_ONLY)
    assert not seat.has_choice
    asked(seat, SLAPS)
    assert seat.has_choice


@pytest.mark.parametrize(
    ("variant", "changes", "card", "words"),
    [
        ("powers", {}, "8S", "draw two more"),
        ("powers", {}, "KS", "cancels a knock"),
        ("powers", {}, "2S", "two different powers"),
        ("powers", {}, "KH", ""),
        ("powers", {}, "QH", ""),
        ("cactus", {}, "JH", "look at any card"),
        ("cactus", {}, "10H", ""),
        ("cambio", {}, "QH", "look at one card of another seat"),
        ("cambio", {}, "9H", ""),
        ("six-card", {}, "QH", ""),
    ],
)
def test_the_power_of_a_card_is_known_before_it_is_discarded(
    variant: str, changes: dict[str, Any], card: str, words: str
) -> None:
    said = power_in_words(with_options(variant, changes), card)
    assert words in said if words else not said


def test_rivals_are_named_as_people_write_them() -> None:
    assert [bot.name for bot in setup_of(order("keeper, greedy")).bots] == ["human", "keeper", "greedy"]
    with pytest.raises(BadBot, match="did you mean `keeper`"):
        setup_of(order("keper,greedy"))
    with pytest.raises(UsageError, match=r"--against 'python3 nowhere\.py': there is no file `nowhere\.py` in [^;]*$"):
        setup_of(order("python3 nowhere.py"))
