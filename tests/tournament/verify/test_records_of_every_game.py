"""Records that are kept verify in every later version that reads their format, and others are refused in a sentence."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from commands import golfref
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from referee.rules.record import NoRecord, read_record
from referee.rules.variants import PRESETS
from referee.tournament.verify.replay import check_record


@pytest.mark.parametrize("preset", PRESETS)
def test_a_kept_record_no_longer_verifies(preset: str) -> None:
    """`hello` tells the version of golfref, so that a record which claims another one is found too."""
    record = BY_PRESET[preset]
    assert list(check_record(record)) == []
    claimed = list(check_record(replace(record, golfref="0.1.0")))
    assert {finding.rpartition(": ")[2] for finding in claimed} == {"it was sent other bytes than the record tells"}


@pytest.mark.parametrize(
    ("format_", "what"),
    [
        (3, "format 3; golfref 0.8.0 reads it; this version reads format 4"),
        (5, "format 5; this version reads format 4"),
    ],
)
def test_a_record_of_another_format_is_not_refused_in_a_sentence(format_: int, what: str, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(msgspec.json.encode(replace(BY_PRESET["six-card"], format=format_)))
    assert golfref("verify", "one.json", cwd=tmp_path, code=2)[1] == f"golfref: one.json: a record of {what}\n"


Place = tuple[Any, Any]
"""A list or an object of JSON, and a key of it."""


def places(value: Any) -> Iterator[Place]:
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from places(one)


def spoil(within: Any, key: Any, dice: Random) -> None:
    """Put something in a place that may stand there by its type, or leave out what stands there."""
    found = within[key]
    if isinstance(found, bool):
        within[key] = not found
    elif isinstance(found, int | float):
        within[key] = dice.choice((0, 1, 7, found + 1, -found - 1, 10**6, -(2**62)))
    elif isinstance(found, str):
        within[key] = dice.choice(("", "x", found + "x", found[:-1]))
    elif isinstance(found, list) and found:
        dice.choice((found.pop, found.clear, found.reverse, lambda: found.append(found[0])))()
    else:
        del within[key]


@pytest.mark.parametrize("preset", ["cactus", "par-course", "powers", "two-deck"])
def test_a_record_that_cannot_be_breaks_the_check(preset: str) -> None:
    """What no game can have played is a finding, and raises nothing."""
    record = BY_PRESET[preset]
    dice = Random(1)  # noqa: S311 - the same records every time
    changed = [replace(record, options=record.options | {name: 1}) for name in record.options]
    changed += [replace(record, seats=seats) for seats in (record.seats[:1], record.seats * 5)]
    for part in ("rounds", "moves", "seats", "result", "counts") * 10:
        spoiled = msgspec.json.decode(msgspec.json.encode(record))
        spoil(*dice.choice([*places(spoiled[part])]), dice)
        with suppress(NoRecord):
            changed.append(read_record(msgspec.json.encode(spoiled)))
    for one in changed:
        list(check_record(one))
