"""Slaps and powers by the cards: the worked examples of tournaments/HIGHLIGHTS.md in games that are played."""

import re
from itertools import pairwise

import pytest
from msgspec.structs import replace
from recorded_matches import BY_PRESET
from scripted import Script, Start

from protocol import events as wire
from referee.highlights.course import Course, SlapMade, Watcher, course_of, has_slaps_or_powers
from referee.highlights.highlight import Found, Match, parts_of, sentence_of
from referee.highlights.powers import best_power
from referee.highlights.slaps import dearest_wrong_slap, longest_run
from referee.rules.match import MatchResult
from referee.rules.variants import PRESETS, from_record

ZERO = "(2S) (3S) / (4S) (QD)"
ONE = "(2H) (1H) / -- --"
TWO = "(2D) (7D) / (4D) (5D)"


def watched(match: Script, text: str) -> Course:
    """What is noted of a game that goes like this; in a quiet turn a card of the stock is discarded."""
    watcher = Watcher(match.game)
    text = re.sub(r"(\d) quiet", r"\1 turn: draw stock; \1 place: discard; window: nobody", text)
    lines = text.split("; ")
    for line, then in pairwise(lines):
        watcher.look()
        match.play(f"{line}\n{then.partition(':')[0]}")
    watcher.look()
    return watcher.course()


def match_of(course: Course, result: MatchResult | None = None) -> Match:
    some = result or BY_PRESET["cactus"].result
    return Match(variant="game", bots=("ann", "bob", "cy"), result=some, course=course)


def told(found: Found | None) -> str:
    assert found is not None
    return sentence_of(parts_of(found.words), ("ann", "bob", "cy"))


# Wrong slaps


def test_a_wrong_slap_costs_what_its_card_comes_to_at_the_showdown(start: Start) -> None:
    """CAC-41: the knocker has more than 5 points because of it, and they are doubled."""
    match = start("cactus", [ZERO, ONE, TWO], stock="7C 9D 3H 3D", rounds=1)
    course = watched(
        match, "0 turn: draw stock; 0 place: discard; window: 1 at 1 s0; 1 turn: knock; 2 quiet; 0 quiet; end"
    )

    (wrong,) = course.wrong
    assert (wrong.scored, wrong.without, wrong.cost) == (24, 3, 21)
    found = dearest_wrong_slap(match_of(course, match.game.result))
    assert found is not None
    assert (found.score, found.seats, found.round) == (21, (1,), 1)
    assert isinstance(match.game.events[found.event or 0], wire.Slapped)
    assert told(found) == (
        "bob slaps a wrong card of its own in round 1 and must take another. At the end of the round it scores 24 "
        "instead of 3: the slap costs 21 strokes and the match."
    )


def test_what_lies_in_the_slot_in_the_end_counts(start: Start) -> None:
    """The slapper has swapped the penalty card for a 0 by then."""
    match = start("cactus", [ZERO, ONE, TWO], stock="7C 9D 0H 3D 3H", rounds=1)
    course = watched(
        match,
        "0 turn: draw stock; 0 place: discard; window: 1 at 1 s0; 1 turn: draw stock; "
        "1 place: swap s4; window: nobody; 2 turn: knock; 0 quiet; 1 quiet; end",
    )

    assert [one.cost for one in course.wrong] == [0]
    assert dearest_wrong_slap(match_of(course)) is None


def test_a_wrong_card_of_another_seat_costs_what_it_is_worth(start: Start) -> None:
    match = start("cactus", [ZERO, ONE, TWO], stock="7C 3H 3D", rounds=1)
    course = watched(
        match, "0 turn: draw stock; 0 place: discard; window: 2 at 0 s3; 1 turn: knock; 2 quiet; 0 quiet; end"
    )

    assert told(dearest_wrong_slap(match_of(course, match.game.result))) == (
        "cy slaps a wrong card of ann in round 1 and must keep it. At the end of the round it scores 28 instead of 18: "
        "the slap costs 10 strokes."
    )


# Runs of slaps


def test_a_run_of_right_slaps_ends_with_a_wrong_one_and_not_with_a_late_one() -> None:
    verdicts = ("right", "right", "late", "right", "wrong", "right")
    slaps = [
        SlapMade(seat=seat, owner=seat, verdict=verdict, round=1 + place // 3, event=10 * place + seat)  # type: ignore[arg-type]
        for place, verdict in enumerate(verdicts)
        for seat in ([0, 1] if verdict == "wrong" else [1])
    ]

    found = longest_run(match_of(Course(slaps=tuple(slaps), wrong=(), powers=())))

    assert found is not None
    assert (found.score, found.seats, found.round, found.event) == (3, (1,), 1, 1)
    assert told(found) == "bob makes 3 right slaps, none wrong between them, from round 1 to round 2."


def test_one_right_slap_is_no_run() -> None:
    slap = SlapMade(seat=0, owner=1, verdict="right", round=1, event=4)

    assert longest_run(match_of(Course(slaps=(slap,), wrong=(), powers=()))) is None
    assert longest_run(replace(match_of(Course(slaps=(), wrong=(), powers=())), course=None)) is None


# Powers


def test_a_power_gains_what_falls_here_and_rises_there(start: Start) -> None:
    match = start("cactus", [ZERO, "(2H) (7H) / (4H) (5H)", TWO], stock="JC")

    course = watched(match, "0 quiet; 0 power: switch 0 s3, 1 s0; 1 turn")

    (use,) = course.powers
    assert (use.before, use.after, use.gain) == ((19, 18, 18), (11, 26, 18), 16)
    found = best_power(match_of(course))
    assert found is not None
    assert (found.score, found.seats, found.round) == (16, (0, 1), 1)
    assert isinstance(match.game.events[found.event or 0], wire.Switched)
    assert told(found) == (
        "ann uses a power in round 1 and swaps two cards: its own cards fall from 19 to 11 points, those of bob rise "
        "from 18 to 26 points."
    )


def test_a_power_that_ends_the_round_is_measured_by_its_own_showdown(start: Start) -> None:
    """The next round has been dealt by the time at which anybody looks."""
    match = start("cactus", [ZERO, ONE, TWO], stock="3H 3C JC", rounds=2, limit=200)
    course = watched(match, "0 quiet; 1 turn: knock; 2 quiet; 0 quiet; 0 power: switch 0 s3, 2 s0; 2 turn")

    (use,) = course.powers
    assert (use.round, use.before, use.after, use.gain) == (1, (19, 3, 18), (11, 3, 26), 16)


def test_a_high_card_for_who_has_knocked_counts_as_the_showdown_would_count_it(start: Start) -> None:
    """CAC-41: seat 1 has knocked, and doubles what is more than 5."""
    match = start("cactus", [ZERO, ONE, TWO], stock="3H JC")

    course = watched(match, "0 quiet; 1 turn: knock; 2 quiet; 2 power: switch 2 s1, 1 s1; 0 turn")

    (use,) = course.powers
    assert (use.before, use.after, use.gain) == ((19, 3, 18), (19, 18, 12), 21)
    assert told(best_power(match_of(course))) == (
        "cy uses a power in round 1 and swaps two cards: its own cards fall from 18 to 12 points, those of bob, which "
        "has knocked, rise from 3 to 18 points."
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_a_replay_notes_all_slaps_and_powers_of_a_match(preset: str) -> None:
    record = BY_PRESET[preset]
    course = course_of(record)
    slaps = [one.slaps for one in record.counts if one.slaps is not None]

    assert len(course.slaps) == sum(one.right + one.wrong + one.late for one in slaps)
    assert has_slaps_or_powers(from_record(record.preset, record.options)) or not (course.slaps or course.powers)
