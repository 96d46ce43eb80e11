"""How many files this process may open at a time (`ulimit -n`), and how many it needs to play matches.

This module must not know what is played.
"""

import contextlib
import resource

from referee.play.faults import Missing
from referee.play.process.pool import MOST_KEPT, Reuse
from referee.play.process.thread_cache import MOST_OPEN

_OF_A_BOT = 8
"""Its pipes, and what holds its cell, its user id and its control group."""

_OF_A_PROCESS = 64 + MOST_OPEN
"""What a process needs beside its bots, and to look at them."""


def raise_limit() -> None:
    """Let this process open as many files at a time as it may let itself."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS calls it unlimited and refuses that
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def check_open_files(*, jobs: int, seats: int, reuse: Reuse) -> None:
    """Raise Missing where one process cannot open enough files for so many matches of so many bots at a time."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    of_a_job = 2 * seats * _OF_A_BOT  # it starts the bots of its next match meanwhile
    others = _OF_A_PROCESS + (MOST_KEPT * _OF_A_BOT if reuse == "tournament" else 0)
    needed = others + jobs * of_a_job
    if hard != resource.RLIM_INFINITY and hard < needed:
        fit = max(0, hard - others) // of_a_job
        raise Missing(
            f"for {jobs} matches of {seats} bots at a time a process needs {needed} open files, but may have {hard}",
            f"raise the limit (`ulimit -Hn {needed}` as root, LimitNOFILE={needed} of systemd, or --ulimit "
            f"nofile={needed} of docker), or lower `jobs`: {fit} in each process would fit",
        )
