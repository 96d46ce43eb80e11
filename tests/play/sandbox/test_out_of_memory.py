"""A host that runs out of memory while bots play: whom its kernel kills then has done nothing wrong.

The host is a real one, but small: a control group around the referee and all its bots.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import Arena
from msgspec import convert
from needs import lacking

from referee.rules.record import Record

pytestmark = pytest.mark.isolation

HOST_MB = 160
"""The memory of the host. The referee needs 40 MB of it, each bot 10 MB."""

CROWD = "16"
"""So many processes of 8 MB fill the host, however much of the interpreter they share with programs outside it."""

ROOMY = {"memory_mb": 512, "processes": 64}

WITHOUT_GROUPS = 'umount -R -l /sys/fs/cgroup; exec "$@"'
"""Takes the control groups away from the referee, so that it has none for its bots."""


@pytest.fixture
def small_host(mark: dict[str, str]) -> Iterator[list[str]]:
    """Words that let a command run on the host; it has not more than HOST_MB."""
    roots = {"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"}
    name = f"golf-host-{mark['GOLFREF_TEST'][:12]}"
    for root, bound in roots.items():
        group = Path(root, name)
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / bound).write_text(str(HOST_MB << 20))
            yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
            return
        except OSError:
            continue
        finally:
            for inner, _, _ in os.walk(group, topdown=False):
                os.rmdir(inner)
    lacking("this user cannot make a control group that bounds memory")


def test_whom_the_kernel_kills_because_a_rival_fills_the_host_is_not_blamed(
    arena: Arena, small_host: list[str]
) -> None:
    if shutil.which("unshare") is None:
        lacking("unshare (util-linux) is not installed")
    outcome = arena.outcome(
        arena.bot("crowds_out", CROWD),
        arena.bot("honest_and_large", "40"),
        under=[*small_host, "unshare", "--mount", "sh", "-c", WITHOUT_GROUPS, "sh"],
        limits=ROOMY,
    )

    assert outcome["record"] is None
    assert "the host ran out of memory, and its kernel killed the bot honest_and_large" in outcome["void"]
    assert outcome["void"].endswith("; crowds_out held the most, within its bound")


def test_a_control_group_tells_that_it_was_not_for_its_own_bound(arena: Arena, small_host: list[str]) -> None:
    outcome = arena.outcome(
        arena.bot("crowds_out", CROWD), arena.bot("honest_and_large", "40"), under=small_host, limits=ROOMY
    )

    assert outcome["record"] is None
    assert "its kernel killed the bot honest_and_large" in outcome["void"]


def test_a_control_group_tells_that_it_was_for_its_own_bound(arena: Arena, small_host: list[str]) -> None:
    outcome = arena.outcome(
        arena.bot("honest"), arena.bot("honest_and_large", "100"), under=small_host, limits={"memory_mb": 64}
    )

    assert outcome["void"] == ""
    record = convert(outcome["record"], Record)
    assert [seat.faults for seat in record.seats] == [{}, {"start_failed": 1}]
