"""What has happened, in words that are short enough for a few lines of a terminal."""

from collections.abc import Iterator, Sequence

from protocol import events as wire
from referee.reports.narrate import NOTHING, Lying, in_words

NOTE_LIMIT = 300
"""How many characters of what was wrong with an answer are shown."""


def told(event: wire.Event, names: Sequence[str], lying: Lying = NOTHING) -> Iterator[str]:
    """The lines for an event, as `golfref replay` tells it; cards that nobody may see are not listed one by one.

    `lying` are the cards after it, by seat and slot, for a reader who sees all of them."""
    if isinstance(event, wire.Looked) and not any(event.cards):
        slots = " ".join(f"s{slot}" for slot in event.slots)
        yield f"{event.seat} {names[event.seat]} looks at {slots}"
    else:
        yield from in_words(event, names, lying)
