"""What a job runner does with a job: how long it plays it, what it gives back, and when it starts bots."""

from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from referee.play.faults import HostFault
from referee.tournament.orders import Begun, Job, Report, Spoiled, Unplayed
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.workers import job_runner
from referee.tournament.workers.job_runner import LONGEST_JOB_S, JobRunner


class Source:
    """Gives jobs of so many matches each, with numbers from 0, and keeps the reports."""

    def __init__(self, *sizes: int, is_whole: bool = False) -> None:
        self.stopping = trio.Event()
        self.reports: list[Report] = []
        first = iter(range(100))
        self._jobs = deque(
            Job(id=id_, part="together", matches=tuple(match(next(first)) for _ in range(size)), is_whole=is_whole)
            for id_, size in enumerate(sizes)
        )

    async def next(self) -> Job | None:
        return self._jobs.popleft() if self._jobs else None

    async def report(self, report: Report) -> None:
        self.reports.append(report)

    def numbers(self, kind: type[Begun | Spoiled | Unplayed]) -> list[int]:
        """The numbers of the matches of which this was reported, in that order."""
        return [one.number for one in self.reports if isinstance(one, kind)]


def match(number: int) -> PlannedMatch:
    return PlannedMatch(number=number, variant="", block=0, lineup=(), rotation=0, deal=0, deal_key=b"")


class MadeUpMatch:
    """A match that lasts for 0.6 s, and then fails, so that it needs no bots; it notes what is done with them."""

    seconds = 0.6
    bots: list[tuple[str, int]]
    """What was done with the bots of which match."""

    def __init__(self, _pump: object, number: int, _pool: object) -> None:
        self._number = number

    async def seat(self) -> None:
        self.bots.append(("start", self._number))

    def pause(self) -> None:
        self.bots.append(("pause", self._number))

    async def play(self) -> None:
        self.bots.append(("play", self._number))
        await trio.sleep(self.seconds)
        raise HostFault("the match has ended")

    async def dismiss(self) -> None:
        self.bots.append(("end", self._number))


@pytest.fixture(autouse=True)
def bots(monkeypatch: pytest.MonkeyPatch) -> Sequence[tuple[str, int]]:
    """What is done with the bots of made-up matches."""
    MadeUpMatch.bots = []
    monkeypatch.setattr(job_runner, "LiveMatch", MadeUpMatch)
    return MadeUpMatch.bots


def run(source: Source, *, stop_after_s: float | None = None) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            pump: Any = None
            setup: Any = SimpleNamespace(match_setup=lambda planned_match: planned_match.number)
            nursery.start_soon(JobRunner(pump, setup, source, None).run)
            if stop_after_s is not None:
                await trio.sleep(stop_after_s)
                source.stopping.set()

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_what_is_left_of_a_job_after_a_second_goes_back_and_the_next_job_has_a_second_of_its_own() -> None:
    """The bots of the third match are started before the second is over; the last match is put back first."""
    assert 0.6 < LONGEST_JOB_S < 1.2
    source = Source(5, 4)
    run(source)
    assert source.numbers(Begun) == source.numbers(Spoiled) == [0, 1, 2, 5, 6, 7]
    assert source.numbers(Unplayed) == [4, 3, 8]


def test_a_job_that_must_stay_whole_is_played_however_long_it_takes() -> None:
    source = Source(5, is_whole=True)
    run(source)
    assert source.numbers(Spoiled) == [0, 1, 2, 3, 4]
    assert source.numbers(Unplayed) == []


def test_a_runner_that_is_to_stop_ends_its_match_and_gives_back_all_others(bots: Sequence[tuple[str, int]]) -> None:
    """Also the one whose bots are started, which leaves no process."""
    source = Source(3, 3)
    run(source, stop_after_s=0.1)
    assert source.numbers(Spoiled) == [0]
    assert source.numbers(Unplayed) == [2, 1]
    assert [number for what, number in bots if what == "start"] == [0, 1]
    assert {number for what, number in bots if what == "end"} == {0, 1}


def test_the_bots_of_the_next_job_are_started_and_paused_while_the_last_match_of_a_job_is_played(
    bots: Sequence[tuple[str, int]],
) -> None:
    run(Source(1, 1))
    assert bots == [
        ("start", 0),
        ("play", 0),
        ("start", 1),
        ("pause", 1),
        ("end", 0),
        ("play", 1),
        ("end", 1),
    ]
