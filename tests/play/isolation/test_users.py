"""A user id of its own for every bot: what one uses up of a user's accounts, neither its rival nor the referee lacks.

Root's bots have had them always; for an ordinary user they come from /etc/subuid.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import Arena
from needs import Organiser, need_lent_ids

from referee.rules.record import Record

ROOMY = {"memory_mb": 512, "processes": 128, "files": 256}
A_PIPE = str(16 * os.sysconf("SC_PAGE_SIZE"))
"""How much a new pipe holds as long as its user may have more pipes."""


@pytest.fixture
def organiser() -> Organiser:
    return need_lent_ids()


@pytest.fixture
def lent(organiser: Organiser, mark: dict[str, str]) -> Iterator[Arena]:
    """An arena of an ordinary user who has subordinate ids."""
    folder = Path(tempfile.mkdtemp(prefix="golfref-test-"))
    try:
        arena = Arena(folder, mark, organiser)
        yield arena
        arena.close()
    finally:
        shutil.rmtree(folder)


def said(record: Record, seat: int) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in record.seats[seat].stderr.splitlines() if ": " in line)


def check_that_nothing_is_felt(record: Record) -> None:
    assert said(record, 0).keys() == {"descriptors", "signals", "large pipes", "small pipes", "tiny pipes"}
    assert said(record, 1) == {"pipe": A_PIPE, "descriptor": "sent", "signal": "queued"}
    assert all((seat.faults, seat.forfeited) == ({}, False) for seat in record.seats)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user needs subordinate ids for it, as below")
def test_bots_of_root_share_no_account_of_a_user(arena: Arena) -> None:
    check_that_nothing_is_felt(arena.play(arena.bot("fills_accounts"), arena.bot("feels_accounts"), limits=ROOMY))


def test_bots_with_lent_ids_share_no_account_of_a_user(lent: Arena) -> None:
    check_that_nothing_is_felt(lent.play(lent.bot("fills_accounts"), lent.bot("feels_accounts"), limits=ROOMY))
