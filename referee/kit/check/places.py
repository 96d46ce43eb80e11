"""The place in a bot's line that is wrong, as a column of that line.

This module asks the codec's words and the offers where something is wrong; it does not judge what is right.
"""

import json
import re

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from protocol.actions import Action
from protocol.codec import BadLine, decode_answer
from protocol.offers import FIELDS, Choice, OneOf, Pick, admits
from protocol.text import printable
from referee.kit.check.lines import present
from referee.rules.questions import Ask
from referee.rules.record import Mishap

AROUND = 110
"""How many characters of a long line are shown before the place, and about as many after it."""

_BYTE = re.compile(r"byte (\d+) of the line")
_PATH = re.compile(r"at `\$([^`]*)`")
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_ODD = re.compile(r"-?\b(?:NaN|Infinity)\b|\\u[dD][89a-fA-F]|[\[{]{9}")
_SPACE = re.compile(r"[ \t\r\n]*")
_SCANNER = json.JSONDecoder()


class Place(Struct, frozen=True, kw_only=True):
    """A place in a line, ready to be shown: what stands around it and where in that the place is."""

    text: str
    """The line, escaped, with an ellipsis where it was cut."""
    marker: str
    """Blanks and a `^` that stands under the place."""
    column: int
    """The column in the whole line, in characters, from 1."""


def place_in(line: bytes, start: int) -> Place:
    """The place that begins at this character of the line."""
    text = line.decode("utf-8", "replace").rstrip("\n")
    start = min(max(0, start), len(text))
    first, last = max(0, start - AROUND), start + AROUND
    before = ("…" if first else "") + printable(text[first:start] or " ", 9 * AROUND) * (start > 0)
    after = printable(text[start:last] or " ", 9 * AROUND) + ("…" if last < len(text) else "")
    return Place(text=(before + after).rstrip(" "), marker=" " * len(before) + "^", column=start + 1)


def place_of(mishap: Mishap, line: bytes, ask: Ask | None) -> Place:
    """Where in a line the fault is; its start where that is not known."""
    return place_in(line, _start_of(mishap, line, ask))


def _start_of(mishap: Mishap, line: bytes, ask: Ask | None) -> int:
    text = line.decode("utf-8", "replace")
    start = 0
    if mishap.kind == "illegal_action" and ask is not None:
        start = _illegal(text, ask)
    elif mishap.kind == "timeout" and text.endswith("\n"):  # an answer with another id
        start = find(text, ".id")
    elif mishap.kind in ("line_too_long", "timeout", "start_timeout"):
        start = len(text)
    elif "debugging to standard error" in mishap.detail:
        start = len(text) - len(text.lstrip())
    elif "not JSON" in mishap.detail or "nested too deeply" in mishap.detail:
        start = _broken(text)
    elif found := _BYTE.search(mishap.detail):
        start = len(line[: int(found[1]) - 1].decode("utf-8", "replace"))
    elif found := _PATH.search(mishap.detail):
        start = find(text, found[1])
    return start


def _broken(text: str) -> int:
    """Where a text ceases to be JSON as the codec reads it."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return min(error.pos, len(text.rstrip("\r\n")))
    except RecursionError:
        pass
    # What Python's reader takes: numbers that are none, half a surrogate pair, and deep nests.
    found = _ODD.search(text)
    return found.start() if found else 0


def find(text: str, path: str) -> int:
    """The index in a JSON text at which the value of a path begins, such as `.action.slots[0]`.

    Where the path leads nowhere, it is the last value on the way. `[...]` stands for the first element that is no
    integer and no array of integers.
    """
    at = _skip(text, 0)
    try:
        for name, index in _STEP.findall(path):
            at = _member(text, at, name) if name else _element(text, at, index)
    except (ValueError, IndexError, KeyError):
        pass
    return at


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _member(text: str, at: int, name: str) -> int:
    """Where the value of the last key of this name begins, in the object that begins at `at`."""
    if text[at] != "{":
        raise KeyError(name)
    found, here = None, _skip(text, at + 1)
    while text[here] != "}":
        key, here = _SCANNER.raw_decode(text, here)
        here = _skip(text, _skip(text, here) + 1)
        if key == name:
            found = here
        _, here = _SCANNER.raw_decode(text, here)
        here = _skip(text, here)
        here = _skip(text, here + 1) if text[here] == "," else here
    if found is None:
        raise KeyError(name)
    return found


def _element(text: str, at: int, index: str) -> int:
    if text[at] != "[":
        raise KeyError(index)
    number, here = 0, _skip(text, at + 1)
    while text[here] != "]":
        value, end = _SCANNER.raw_decode(text, here)
        if str(number) == index or (index == "..." and not _is_integers(value)):
            return here
        here = _skip(text, end)
        here = _skip(text, here + 1) if text[here] == "," else here
        number += 1
    raise KeyError(index)


def _is_integers(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_integers(one) for one in value)
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9999


def _illegal(text: str, ask: Ask) -> int:
    """Where in an answer the field is that was not offered; the action where no single field is to blame."""
    try:
        action = decode_answer(present(text.encode())).action
    except BadLine:
        return 0
    name = culprit(ask, action)
    return find(text, ".action" if name is None else f".action.{name}")


def culprit(ask: Ask, action: Action) -> str | None:
    """The field, as it is called on the wire, without which the action would be legal; None where there is no such one.

    It is `kind` where no offer is of this kind. The offers themselves are asked.
    """
    kind = action.__struct_config__.tag
    alike = [offer for offer in ask.offers if offer.kind == kind]
    if not alike or admits(ask.offers, action):  # it would be legal if kinds still had their present names
        return "kind"
    wire = {field.name: field.encode_name for field in fields(action)}
    for offer in alike:
        for name in FIELDS[offer.kind]:
            mended = msgspec.structs.replace(action, **{name: first_value(offer.choices()[name])})
            if admits(ask.offers, mended):
                return wire[name]
    return None


def first_value(choice: Choice) -> object:
    """A value that the choice allows."""
    if isinstance(choice, OneOf):
        return choice.one_of[0]
    return choice.of[: choice.pick] if isinstance(choice, Pick) else ()
