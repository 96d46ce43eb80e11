"""The place in a bot's line that is wrong, as a column of that line.

The codec and the offers know what is wrong; nothing here judges that.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from protocol.actions import Action
from protocol.offers import FIELDS, Choice, OneOf, Pick, admits
from protocol.text import printable
from referee.rules.questions import Ask

AROUND = 110
"""How many characters of a long line are shown before the place, and about as many after it."""


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


def culprit(ask: Ask, action: Action) -> str | None:
    """The field, as it is called on the wire, without which the action would be legal; None where there is no such one.

    It is `kind` where no offer is of this kind. The offers themselves are asked.
    """
    alike = [offer for offer in ask.offers if offer.kind == action.__struct_config__.tag]
    if not alike:
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
