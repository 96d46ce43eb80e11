"""What the kernel counts for a user or for the host, and what one bot leaves of it to another and to the referee.

These are the rows of the table of accounts in tournaments/ISOLATION.md, for root, for an ordinary user with subordinate
ids, and for one without. That the other accounts there are out of reach is tested in test_hostile_reach.py, the memory
in test_hostile.py, and the watches in test_watches.py.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arena import Arena
from needs import OURSELVES, Organiser, need_lent_ids, need_no_ids

from referee.rules.record import Record

LIMITS = {"memory_mb": 2048, "processes": 48, "files": 256}
"""A referee without control groups counts memory that processes share for each of them."""

UNTOUCHED = {
    "pages of a pipe": "16",
    "watch": "fine",
    "descriptor under way": "fine",
    "signal": "fine",
    "process": "fine",
    "open files": "fine",
}
"""What a bot gets whose rival has taken nothing."""

PlayAs = Callable[[Organiser], Record]


@pytest.fixture
def play_as(mark: dict[str, str]) -> Iterator[PlayAs]:
    """Plays a match between a bot that takes what it gets and one that needs a little, refereed by this user."""
    folder = Path(tempfile.mkdtemp(prefix="golfref-test-"))  # pytest's are closed to other users

    def play(organiser: Organiser) -> Record:
        arena = Arena(folder, mark, organiser)
        record = arena.play(arena.bot("fills_accounts"), arena.bot("feels_accounts"), limits=LIMITS)
        arena.close()
        return record

    try:
        yield play
    finally:
        shutil.rmtree(folder)


def said(record: Record, seat: int) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in record.seats[seat].stderr.splitlines() if ": " in line)


def check_that_all_is_bounded(record: Record) -> None:
    assert all((seat.faults, seat.forfeited) == ({}, False) for seat in record.seats)
    taken = {name: words.split() for name, words in said(record, 0).items()}
    assert int(taken["processes"][0]) < LIMITS["processes"]
    assert int(taken["open files"][0]) < LIMITS["files"]
    assert int(taken["descriptors under way"][0]) <= LIMITS["files"] + 1
    assert int(taken["signals"][0]) <= LIMITS["processes"]
    assert int(taken["locked pages"][0]) * os.sysconf("SC_PAGE_SIZE") <= 1 << 16
    assert taken["processes full of pipes"] == ["20", "and", "no", "refusal"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user needs subordinate ids for it, as below")
def test_a_bot_of_root_leaves_its_rival_all(play_as: PlayAs) -> None:
    record = play_as(OURSELVES)
    check_that_all_is_bounded(record)
    assert said(record, 1) == UNTOUCHED


def test_a_bot_with_a_lent_id_leaves_its_rival_all(play_as: PlayAs) -> None:
    record = play_as(need_lent_ids())
    check_that_all_is_bounded(record)
    assert said(record, 1) == UNTOUCHED


def test_bots_without_ids_share_what_the_kernel_counts_for_a_user_and_no_limit_bounds(play_as: PlayAs) -> None:
    record = play_as(need_no_ids())
    check_that_all_is_bounded(record)
    assert said(record, 1) == UNTOUCHED | {"pages of a pipe": "2", "descriptor under way": "ETOOMANYREFS"}
