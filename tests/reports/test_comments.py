"""Comments stand with the answers that they came with, are safe to show, and are shown to nobody who plays."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import golfref
from commented import commented
from msgspec.structs import replace
from quick import FILLER
from recorded_matches import BY_PRESET

from protocol.actions import Action, Pass, Slap
from referee.match_states.documents import document
from referee.match_states.replay import Replay
from referee.match_states.step_view import StepView
from referee.match_states.view import OPEN
from referee.reports.comments import Comments
from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Mishap, Record
from referee.tournament.verify.replay import check_record

HARMFUL = "\x1b]0;golf\x07</script>\u202e"
HARMLESS = r"\x1b]0;golf\x07</script>\u202e"

COMMENTS = """
start()
comments = [{harmful!r}, 42, None, {{"a": 1}}, "x" * 10_000]
for number, request in enumerate(requests()):
    say(right(request) | {{"comment": comments[number % len(comments)]}})
"""
"""A bot whose comments are of all kinds."""


def found(record: Record) -> Iterator[tuple[Action, str]]:
    """Each action that was played after a request, and was legal, with the comment on it."""
    comments = Comments(record)
    for move in record.moves:
        by_seat = comments.of(move)
        if isinstance(move, GivenSlaps):
            for one in move.reactions:
                if one.seat in move.asked and one.fault is None:
                    yield Pass() if one.target is None else Slap(target=one.target), by_seat.get(one.seat, "")
        elif not isinstance(move, Forfeit):
            for given in move.answers if isinstance(move, GivenTogether) else (move,):
                if not given.joined and given.fault is None:
                    yield given.action, by_seat.get(given.seat, "")


@pytest.mark.parametrize("preset", BY_PRESET)
def test_a_comment_stands_with_another_answer(preset: str) -> None:
    record = commented(BY_PRESET[preset], lambda _, said: json.dumps(said["action"]))

    assert list(check_record(record)) == []
    pairs = list(found(record))
    assert pairs
    for action, comment in pairs:
        assert msgspec.json.decode(comment, type=Action) == action


@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        (HARMFUL, HARMLESS),
        ("x" * 10_000, 199 * "x" + "…"),
        ("\u3042" * 200, "\u3042" * 200),
        (42, ""),
        (None, ""),
        (["a"], ""),
        ("", ""),
    ],
    ids=["harmful", "long", "200 characters", "number", "null", "array", "empty"],
)
def test_a_comment_is_shown_otherwise(comment: Any, shown: str) -> None:
    assert {text for _, text in found(commented(BY_PRESET["six-card"], lambda *_: comment))} == {shown}


def test_nothing_is_shown_of_a_comment_whose_end_is_not_kept() -> None:
    """200 times twelve bytes are more than is kept of a line."""
    record = commented(BY_PRESET["six-card"], lambda *_: "\U0001f600" * 200)

    assert all(re.fullmatch("\U0001f600{100,199}…", text) for _, text in found(record))


def test_an_answer_that_came_too_late_has_a_comment() -> None:
    record = commented(BY_PRESET["six-card"], lambda *_: "well")
    late = Mishap(kind="timeout", detail="nothing came")
    moves = [replace(one, fault=late) if isinstance(one, Given) else one for one in record.moves]

    comments = Comments(replace(record, moves=tuple(moves)))
    assert not any(comments.of(move) for move in moves if isinstance(move, Given))


def test_a_viewer_is_shown_comments_of_others() -> None:
    record = commented(BY_PRESET["cactus"], lambda seat, _: f"I am {seat}")
    replay = Replay(record)
    everybody = {f"I am {seat}" for seat in range(3)}

    def told(viewer: int | None) -> set[str]:
        lines = [line for step in replay.steps for line in StepView(replay, step.number, viewer).notes]
        return {line.partition(" comments: ")[2] for line in lines if " comments: " in line}

    def written(viewer: int | None) -> set[str]:
        found = document(record, viewer)
        answers = {one.comment for step in found.steps for one in step.answers} - {""}
        slaps = {one.comment for window in found.windows for one in window.reactions} - {""}
        assert bool(answers) == bool(slaps) == (viewer is not None)
        return answers | slaps

    assert (told(None), told(OPEN), told(1)) == (everybody, everybody, {"I am 1"})
    assert (written(None), written(OPEN), written(1)) == (set(), everybody, {"I am 1"})


def test_another_bot_is_sent_a_comment_or_the_command_shows_it_otherwise(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(FILLER + COMMENTS.format(harmful=HARMFUL))
    bots = ("--bot", f"{sys.executable} bot.py", "--bot", "builtin:random")
    golfref("match", "--variant", "six-card", "-o", "rounds=1", *bots, "--record", "m.jsonl", cwd=tmp_path)

    assert golfref("verify", "m.jsonl", cwd=tmp_path)[0] == "m.jsonl: all holds: 1 match replayed\n"
    for words in ((), ("--seat", "0")):
        told = golfref("replay", "m.jsonl", *words, cwd=tmp_path)[0]
        assert {line.partition(" comments: ")[2] for line in told.splitlines() if " comments: " in line} == {
            HARMLESS,
            199 * "x" + "…",
        }
    own, other = (golfref("transcript", "m.jsonl", "--bot", bot, cwd=tmp_path)[0] for bot in "01")
    assert '"comment": "\\u001b]0;golf\\u0007</script>\\u202e"' in own
    for told in (other, golfref("replay", "m.jsonl", "--seat", "1", cwd=tmp_path)[0]):
        assert "comment" not in told
        assert "golf\\" not in told
