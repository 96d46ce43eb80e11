"""What has happened, in words that are short enough for a few lines of a terminal."""

from collections.abc import Iterator, Sequence

from protocol import events as wire
from referee.reports.narrate import in_words


def told(event: wire.Event, names: Sequence[str]) -> Iterator[str]:
    """The lines for an event, as `golfref replay` tells it; cards that nobody may see are not listed one by one."""
    if isinstance(event, wire.Looked) and not any(event.cards):
        slots = " ".join(f"s{slot}" for slot in event.slots)
        yield f"{event.seat} {names[event.seat]} looks at {slots}"
    else:
        yield from in_words(event, names)
