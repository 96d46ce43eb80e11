"""The documents of a match made small for files that a page loads: without what can be made again from the rest.

Lists of things that are alike are told column by column, and what a bot was sent is told by what everybody was told,
which stands in the public file once. The viewer's unpack.js makes the documents again; nobody else reads this. Others
have the JSON of the documents themselves (README.md).
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from referee.match_states.documents import Documents
from referee.match_states.states import Wire
from referee.match_states.view import Viewer
from referee.reports.bot_match import Sent

Plain = Any
"""What JSON can hold."""

NEXT, OWN, SHARED = "\x01", "\x02", "\x03"
"""Marks in the texts that were sent, which as JSON hold no control characters.

NEXT stands for the next event as everybody was told it, OWN says that the text of this event follows as the seat was
told it, and SHARED with a digit stands for a part of the first messages that all seats were sent alike.
"""

_OF_ONE_SEAT = re.compile(r'"(?:seat|seed|matches_before)":\d+')
_ID = re.compile(r'"id":"([^"]*)"')


class Packer:
    """Packs the documents of a match."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._shared = _shared(documents.wires)

    def packed(self, viewer: Viewer) -> bytes:
        """The JSON for the file of a view."""
        documents = self._documents
        if viewer is None:
            told = {"told": documents.told(None), "shared": self._shared}
            return msgspec.json.encode({"document": squeezed(_plain(documents.public)), **told})
        additions = _plain(documents.additions(viewer))
        for wire in additions["wires"]:
            wire["entries"] = list(self._entries(wire))
        return msgspec.json.encode({"document": squeezed(additions)})

    def _entries(self, wire: Mapping[str, Plain]) -> Iterator[Plain]:
        """The entries without what follows from the rest."""
        own = self._documents.told(wire["seat"])
        number, wrote = 0, None
        for step, entry in wire["entries"]:
            match entry["what"]:
                case "sent":
                    found = _ID.findall(entry["text"])
                    if found and entry.get("awaits") == found[-1]:
                        del entry["awaits"]
                    entry["text"], number = self._sent(entry["text"], own, number)
                case "wrote":
                    wrote = entry["text"]
                    if entry["size"] == len(wrote.encode()):
                        del entry["size"]
                case "took":
                    action = _action(wrote)
                    if "action" not in entry:
                        entry["action"] = None
                    elif entry["action"] == action:
                        del entry["action"]
            yield [step, entry]

    def _sent(self, text: str, own: Sequence[str], number: int) -> tuple[str, int]:
        """The text with marks, and the number of the next event that the seat is to be told."""
        for digit, part in enumerate(self._shared):
            text = text.replace(part, f"{SHARED}{digit}", 1)
        head, mark, rest = text.partition('"events":[')
        told: list[str] = []
        while mark and rest and not rest.startswith("]"):
            comma, rest = ("," if told else ""), rest.removeprefix(",")
            if number < len(own) and rest.startswith(own[number]):
                is_alike = own[number] == self._documents.told(None)[number]
                told.append(comma + (NEXT if is_alike else OWN + own[number]))
                rest, number = rest[len(own[number]) :], number + 1
            else:  # a fault, of which the seat alone is told
                _, end = json.JSONDecoder().raw_decode(rest)
                told.append(comma + rest[:end])
                rest = rest[end:]
        return head + mark + "".join(told) + rest, number


def _shared(wires: Sequence[Wire]) -> list[str]:
    """The parts of `hello` and `match` that all seats were sent alike, at most ten."""
    first = [[entry.text for _, entry in wire.entries[:2] if isinstance(entry, Sent)] for wire in wires]
    parts = [one for text in first[0] for one in _OF_ONE_SEAT.split(text.split('{"type":"request"')[0])]
    return [one for one in parts if len(one) > 9 and all(any(one in text for text in seat) for seat in first)][:10]


def _action(wrote: str | None) -> Plain:
    """The action in a line that a bot wrote; None where it has none that can be read."""
    try:
        answer = json.loads(wrote or "")
    except ValueError:
        return None
    return answer.get("action") if isinstance(answer, dict) else None


def _plain(document: Any) -> Plain:
    return msgspec.json.decode(msgspec.json.encode(document))


# Columns


def squeezed(value: Plain) -> Plain:
    """The value with its lists told by columns.

    A list is told as a list whose first element says how: `l` its elements follow; `d` numbers, by their differences;
    `c` objects, by columns; `t` lists of one length, by columns; `f` lists, by their lengths and all their elements.
    """
    if isinstance(value, dict):
        return {key: squeezed(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > 1:
        if all(isinstance(one, dict) for one in value):
            return ["c", len(value), _columns(value)]
        if all(isinstance(one, list) for one in value):
            return _lists(value)
        if all(type(one) is int for one in value):
            return ["d", value[0], *(now - before for before, now in itertools.pairwise(value))]
    return ["l", *map(squeezed, value)]


def _columns(rows: Sequence[Mapping[str, Plain]]) -> Plain:
    """By key its column: which rows have it (0 for all of them), and the values."""
    found: dict[str, tuple[list[int], list[Plain]]] = {}
    for number, row in enumerate(rows):
        for key, value in row.items():
            numbers, values = found.setdefault(key, ([], []))
            numbers.append(number)
            values.append(value)
    return {
        key: [0 if len(numbers) == len(rows) else squeezed(numbers), squeezed(values)]
        for key, (numbers, values) in found.items()
    }


def _lists(rows: Sequence[Sequence[Plain]]) -> Plain:
    length = len(rows[0])
    if length and all(len(row) == length for row in rows):
        return ["t", *(squeezed(list(column)) for column in zip(*rows, strict=True))]
    return ["f", squeezed([len(row) for row in rows]), squeezed([one for row in rows for one in row])]
