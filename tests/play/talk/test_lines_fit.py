"""The referee keeps the bound that it demands of bots: none of its lines is longer than `line_bytes`."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from at_random import AtRandom
from hypothesis import given, settings
from hypothesis import strategies as st
from live_matches import match_setup

from protocol.codec import encode
from protocol.messages import Clocks, FaultPolicy, Limits
from referee.play.spec import LONGEST_NAME
from referee.play.talk.script import Script, announcements, hello
from referee.rules.chance import Keyed
from referee.rules.check_options import BadOptions, with_options
from referee.rules.game import Game
from referee.rules.par_table import MOST_POINTS, MOST_RULES
from referee.rules.questions import Ask
from referee.rules.variants import PRESETS, Variant

PLAYERS = AtRandom()
NAME = LONGEST_NAME * "\U0001f0a1"
LENGTH = Limits().line_bytes


def script_of(game: Game, variant: Variant, seats: int) -> Script:
    matches = announcements(variant, NAME, seeds=[2**53 - 1] * seats, clocks=Clocks(), faults=FaultPolicy())
    script = Script(game, hello=hello((), Limits()), matches=matches, id_key=b"key")
    for seat in script.seats:
        seat.wants_table = True
    return script


def lines(variant: Variant, seats: int, dice: Random, haste: float) -> Iterator[bytes]:
    """What all seats are sent by players who do anything that is legal; seat 0 has renounced slaps."""
    game = Game(variant, seats, Keyed(bytes(32), variant, seats))
    script = script_of(game, variant, seats)
    while (question := game.question) is not None:
        for ask in (question,) if isinstance(question, Ask) else question.asks:
            if ask.seat or ask.decision != "slap":
                yield from script.request(ask).data.splitlines(keepends=True)
        game.answer(PLAYERS.response(game, dice, haste=haste))
    for seat in range(seats):
        yield from script.end(seat).data.splitlines(keepends=True)


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=5)
@given(data=st.data())
def test_no_line_of_a_match_is_too_long_with_the_most_seats(preset: str, data: st.DataObject) -> None:
    variant, _ = data.draw(PLAYERS.tables(preset))
    dice = Random(data.draw(st.integers(0, 99)))  # noqa: S311 - a simulation
    haste = data.draw(st.sampled_from((0.02, 0.1, 0.5)))
    assert max(map(len, lines(variant, variant.seats[1], dice, haste))) <= LENGTH


def largest_table(rules: int = MOST_RULES, points: int = MOST_POINTS) -> dict[str, Any]:
    condition = {
        "same_rank": False, "same_suit": False, "same_colour": False, "ranks": ["10", "10"], "gap": 12, "any": True
    }  # fmt: skip
    values = dict.fromkeys(("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"), -points)
    return {"name": 40 * "\U0001f0a1", "values": values, "rules": rules * [{"if": condition, "score": -points}]}


def test_the_largest_scoring_table_fits_into_the_line_of_a_match() -> None:
    variant = with_options("par-course", {"par_table": largest_table(), "course": 100 * [5]})
    matches = announcements(variant, NAME, seeds=[2**53 - 1], clocks=Clocks(), faults=FaultPolicy())
    assert len(encode(matches[0])) <= LENGTH


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("par-4", {"par_table": largest_table(rules=MOST_RULES + 1)}),
        ("par-4", {"par_table": largest_table(rules=1, points=MOST_POINTS + 1)}),
        ("six-card", {"values": {"A": MOST_POINTS + 1}}),
    ],
)
def test_a_table_that_would_not_fit_is_refused(preset: str, changes: dict[str, Any]) -> None:
    with pytest.raises(BadOptions):
        with_options(preset, changes)


def test_a_bound_that_the_referee_would_not_keep_is_refused() -> None:
    with pytest.raises(ValueError, match="line_bytes: expected at least 65536"):
        match_setup((), limits=Limits(line_bytes=1000))
