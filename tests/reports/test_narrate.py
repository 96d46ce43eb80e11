"""Events in words for `golfref replay`: every kind has its sentence, and what a seat may not know is not in it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import protocol
from protocol import events as wire
from protocol.messages import End, Fault, FromReferee, Request
from referee.reports.narrate import HIDDEN, SENTENCES, in_words

NAMES = ("ada", "bob", "cy", "dee")
TRANSCRIPTS = sorted((Path(protocol.__file__).parent / "transcripts").iterdir())

SAID: dict[str, Any] = {
    "0 ada turns up s4 KH, s1 2C": wire.TurnedUp(seat=0, slots=(4, 1), cards=("KH", "2C")),
    "1 bob looks at s2 a hidden card, s3 a hidden card": wire.Looked(seat=1, slots=(2, 3), cards=(None, None)),
    "AS is turned up and starts the pile, 39 cards in the stock": wire.UpCard(card="AS", stock=39),
    "0 ada arranges its cards: now those of s1 s0 s3 s2": wire.Arranged(seat=0, slots=(1, 0, 3, 2)),
    "0 ada arranges its cards: the order is hidden": wire.Arranged(seat=0, slots=None),
    "0 ada puts a hidden card face down into s3 and 9D on the pile": wire.Swapped(
        seat=0, slot=3, card=None, face_up=False, replaced="9D"
    ),
    "1 bob swaps two own cards: s0 4H, s5 a hidden card now": wire.SwappedOwn(seat=1, slots=(0, 5), cards=("4H", None)),
    "0 ada discards the pairs of rows 0 2: 7H, 7S, KD, KC": wire.PairsDiscarded(
        seat=0, rows=(0, 2), cards=("7H", "7S", "KD", "KC")
    ),
    "2 cy uses the power of 6 with 6S, against 0 ada, at its own s1 and seat 0 s4": wire.PowerUsed(
        seat=2, card="6S", power="6", against=0, targets=((2, 1), (0, 4))
    ),
    "2 cy uses the power of the black king with 2S": wire.PowerUsed(
        seat=2, card="2S", power="BK", against=None, targets=()
    ),
    "0 ada swaps columns 0 3 of 1 bob: ? KH -- ? now": wire.LinesSwapped(
        seat=0, of=1, axis="column", lines=(0, 3), layout=("?", "KH", None, "?")
    ),
    "0 ada swaps two lines, hidden which, of 1 bob: ? KH now": wire.LinesSwapped(
        seat=0, of=1, axis=None, lines=None, layout=("?", "KH")
    ),
    "1 bob keeps a hidden card face down in s2, 8H, 4C, JD go to the pile": wire.Kept(
        seat=1, slot=2, card=None, discarded=("8H", "4C", "JD")
    ),
    "0 ada draws two more: no card": wire.DrewTwo(seat=0, cards=(), stock=0),
    "1 bob slaps seat 0 s2: 7H, wrong, a card comes to its s4": wire.Slapped(
        seat=1, target=(0, 2), card="7H", verdict="wrong", new_slot=4, stock=20
    ),
    "0 ada slaps its own s2: 7H, right": wire.Slapped(
        seat=0, target=(0, 2), card="7H", verdict="right", new_slot=None, stock=20
    ),
    "1 bob blocks with a shield, 1 left": wire.Blocked(seat=1, shields=1, shield=None),
    "1 bob blocks with a shield, 0 left, 5C goes to the pile": wire.Blocked(seat=1, shields=0, shield="5C"),
    "the knock of 1 bob is cancelled": wire.KnockCancelled(knocker=1),
}
"""What is said, and of what event."""


CARDS = {(0, 0): "KH", (1, 0): "3C", (1, 1): "AS", (1, 5): "9D"}

SEEN: dict[str, wire.Event] = {
    "1 bob arranges its cards: now 3C AS 9D": wire.Arranged(seat=1, slots=(1, 0, 5)),
    "0 ada rearranges the cards of 1 bob: now 3C AS 9D": wire.Rearranged(seat=0, of=1, slots=None),
    "0 ada swaps rows 0 1 of 1 bob: 3C AS -- now": wire.LinesSwapped(
        seat=0, of=1, axis="row", lines=(0, 1), layout=("?", "?", None)
    ),
    "1 bob swaps two own cards: s0 3C, s5 9D now": wire.SwappedOwn(seat=1, slots=(0, 5), cards=(None, None)),
}
"""What is said to somebody who sees these cards lie there, whatever the event hides."""


@pytest.mark.parametrize("sentence", [*SAID, *SEEN])
def test_an_event_in_words(sentence: str) -> None:
    event, cards = (SEEN[sentence], CARDS) if sentence in SEEN else (SAID[sentence], {})
    assert list(in_words(event, NAMES, cards)) == [sentence]


def events_told(path: Path) -> Iterator[wire.Event]:
    """All events of a transcript that were sent to its seats."""
    for line in path.read_bytes().splitlines()[1:]:
        shown = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        if bytes(shown["to"]) == b'"bot"':
            message = msgspec.json.decode(shown["line"], type=FromReferee)
            if isinstance(message, Request | End):
                yield from (event for event in message.events if not isinstance(event, Fault))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_all_that_a_seat_is_told_is_said_without_gaps(path: Path) -> None:
    for event in events_told(path):
        lines = list(in_words(event, NAMES))

        assert lines
        assert not any(re.search(r"None|[{}\[\]]", line) for line in lines), lines
        assert (HIDDEN in " ".join(lines)) == bool(re.search(rb'"cards?":\[?[^]:]*null', msgspec.json.encode(event)))


def test_every_kind_of_event_has_words() -> None:
    kinds = {getattr(one, "__origin__", one) for one in get_args(wire.Event)}

    assert kinds == {*SENTENCES, wire.Round, wire.Showdown, wire.Scored}
