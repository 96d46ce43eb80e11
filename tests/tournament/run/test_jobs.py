"""What a dispatcher hands out to several hosts: a block with timed slaps stays on one, whatever is lost or spoiled."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
import trio.testing
from in_store import Silent, history_findings, result_of
from msgspec import Struct
from msgspec.structs import replace

from referee.commands.tournament.prepare import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import ATTEMPTS, Job, Played, Spoiled
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.run.run import Run
from referee.tournament.store.disk import WriteFailed, locked
from referee.tournament.store.origins import Host
from referee.tournament.store.store import Store

CONFIG = """
[tournament]
name = "jobs"
seed = "jobs"
seats = 3
deals = {deals}
rotations = "{rotations}"

[[variants]]
preset = "cactus"

[[variants]]
preset = "six-card"
"""
NAMES = ("ann", "bob", "cid", "dan")
BOTS = "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in NAMES)
HOSTS = ("lab1", "lab2", "lab3")


class OpenRun(Struct, frozen=True):
    """A run while its store is open."""

    store: Store
    run: Run
    ids: dict[str, int]
    """The store's ids of the hosts."""


@contextmanager
def opened(folder: Path, *, rotations: str = "same", deals: int = 1) -> Iterator[OpenRun]:
    """The run in this folder, begun or gone on with, with three hosts."""
    config = folder / "run.toml"
    config.write_text(CONFIG.format(deals=deals, rotations=rotations) + BOTS)
    prepared = prepare(load(config), folder / "run.golfref", fresh=False, may_change=False)
    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        ids = {name: store.add(Host(name=name, golfref="0", protocol="1", host="here")) for name in HOSTS}
        on_a_cluster: Any = object()
        yield OpenRun(store, replace(prepared.run(store, Silent()), cluster=on_a_cluster, jobs=6), ids)


def dispatcher_for(opened_run: OpenRun, hosts: Collection[str] = HOSTS) -> Dispatcher:
    dispatcher = opened_run.run.dispatcher()
    dispatcher.hosts_are(hosts)
    return dispatcher


def outcome(job: Job, is_spoiled: Callable[[PlannedMatch], bool] = lambda _: False) -> list[Played | Spoiled]:
    """What a host reports of a job."""
    return [
        Spoiled(number=one.number, reason="a cable was pulled") if is_spoiled(one) else result_of(one, NAMES)
        for one in job.matches
    ]


def hosts_by_block(store: Store) -> dict[int, set[int]]:
    """By block of Cactus the ids of the hosts that played it."""
    found = defaultdict(set)
    for row in store.matches():
        if row.identity.variant == "cactus":
            found[row.result.block].add(row.host or 0)
    return found


async def until_none(dispatcher: Dispatcher, play: Callable[[Job], object]) -> None:
    while (job := await dispatcher.next()) is not None:
        play(job)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
@pytest.mark.parametrize("seed", range(4))
def test_no_block_mixes_hosts_and_every_match_counts_once(tmp_path: Path, rotations: str, seed: int) -> None:
    """Hosts spoil matches and leave the last ones of a job out, and jobs get lost and are played by others."""
    dice = Random(seed)  # noqa: S311
    out: list[Job] = []

    def is_spoiled(_: PlannedMatch) -> bool:
        return dice.random() < 0.2

    async def play() -> None:
        while True:
            with trio.move_on_after(0):
                while len(out) < 6 and (job := await dispatcher.next()) is not None:
                    out.append(job)
            if not out:
                return
            job = out.pop(dice.randrange(len(out)))
            if dice.random() < 0.2:
                dispatcher.put_back_job(job)
                continue
            reports = outcome(job, is_spoiled)
            if not job.is_whole:
                del reports[dice.randint(1, len(reports)) :]
            dispatcher.report_job(job, reports, opened_run.ids[job.host or dice.choice(HOSTS)])

    deals = 1 + seed % 2
    with opened(tmp_path, rotations=rotations, deals=deals) as opened_run:
        while len(opened_run.store.numbers()) < len(opened_run.run.plan):  # a match that is given up: the run goes on
            dispatcher = dispatcher_for(opened_run)
            trio.run(play)
            assert dispatcher.waiting_for_hosts == {}
        store = opened_run.store
        assert len(store.ids()) == len(opened_run.run.plan) == 4 * 3 * 2 * deals
        assert all(len(hosts) == 1 for hosts in hosts_by_block(store).values())
        assert history_findings(store) == []
        assert sum(store.void_reasons().values()) > 0
        assert all(void.host in opened_run.ids.values() for _, void in store.voids())


def test_a_block_with_timed_slaps_is_handed_out_whole_in_the_order_of_the_plan(tmp_path: Path) -> None:
    jobs: list[Job] = []

    def take(job: Job) -> None:
        jobs.append(job)
        dispatcher.report_job(job, outcome(job), opened_run.ids["lab1"])

    with opened(tmp_path) as opened_run:
        dispatcher = dispatcher_for(opened_run)
        trio.run(until_none, dispatcher, take)
    timed = [job for job in jobs if job.matches[0].variant == "cactus"]
    assert [[one.rotation for one in job.matches] for job in timed] == [[0, 1, 2]] * 4
    assert {job.is_whole for job in timed} == {True}
    assert not any(job.is_whole for job in jobs if job not in timed)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_a_host_plays_a_spoiled_match_of_a_block_again_with_the_right_cards(tmp_path: Path, rotations: str) -> None:
    """Cards that its block shares are the same, cards of its own are others each time."""
    with opened(tmp_path, rotations=rotations) as opened_run:
        dispatcher = dispatcher_for(opened_run)
        number = first_block(dispatcher_for(opened_run)).matches[1].number
        played: list[Job] = []

        def play(job: Job) -> None:
            spoiled = len(list(opened_run.store.voids()))
            played.append(job)
            reports = outcome(job, lambda one: one.number == number and spoiled < ATTEMPTS - 1)
            dispatcher.report_job(job, reports, opened_run.ids["lab2"])

        trio.run(until_none, dispatcher, play)
        assert [one.host for one in played if number in {match.number for match in one.matches}] == ["", "lab2", "lab2"]
        redeals = opened_run.store.planned(number).result.redeals
        assert redeals == (2 if rotations == "fresh" else 0)
        assert [void.attempt for _, void in opened_run.store.voids()] == [1, 2]
        assert history_findings(opened_run.store) == []


def first_block(dispatcher: Dispatcher) -> Job:
    """The first block of Cactus. What is handed out before it stays out."""

    async def find() -> Job:
        while (job := await dispatcher.next()) is not None:
            if job.is_whole:
                return job
        raise AssertionError("there is no block")

    return trio.run(find)


def begin_a_block(opened_run: OpenRun) -> int:
    """Have a host play all but one match of a block, whose number is returned."""
    dispatcher = dispatcher_for(opened_run)
    job = first_block(dispatcher)
    last = job.matches[2].number
    dispatcher.report_job(job, outcome(job, lambda one: one.number == last), opened_run.ids["lab2"])
    return last


def test_a_resumed_run_leaves_what_is_left_of_a_block_to_the_host_that_began_it(tmp_path: Path) -> None:
    with opened(tmp_path) as opened_run:
        last = begin_a_block(opened_run)
    got: list[Job] = []

    def play(job: Job) -> None:
        got.append(job)
        dispatcher.report_job(job, outcome(job), opened_run.ids[job.host or "lab1"])

    with opened(tmp_path) as opened_run:
        dispatcher = dispatcher_for(opened_run, ["lab1", "lab3"])
        trio.run(until_none, dispatcher, play)
        assert last not in {match.number for one in got for match in one.matches}
        assert dispatcher.waiting_for_hosts == {"lab2": 1}
        dispatcher.hosts_are(["lab2"])
        trio.run(until_none, dispatcher, play)
        assert dispatcher.waiting_for_hosts == {}
        assert (got[-1].host, [match.number for match in got[-1].matches]) == ("lab2", [last])
        assert all(len(hosts) == 1 for hosts in hosts_by_name(opened_run.store).values())
        assert len(opened_run.store.numbers()) == len(opened_run.run.plan)


def hosts_by_name(store: Store) -> dict[int, set[str]]:
    names = {id_: one.name for id_, one in store.hosts().items()}
    return {block: {names.get(id_, "") for id_ in ids} for block, ids in hosts_by_block(store).items()}


def test_a_block_that_one_machine_began_alone_is_not_for_a_cluster(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(CONFIG.format(deals=1, rotations="same") + BOTS)
    prepared = prepare(load(config), tmp_path / "run.golfref", fresh=False, may_change=False)

    async def play_one_of_cactus(dispatcher: Dispatcher) -> None:
        while (job := await dispatcher.next()) is not None:
            if job.is_whole:
                await dispatcher.report(result_of(job.matches[0], NAMES))
                return

    async def play_all(dispatcher: Dispatcher) -> None:
        while (job := await dispatcher.next()) is not None:
            for planned_match in job.matches:
                await dispatcher.report(result_of(planned_match, NAMES))

    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        trio.run(play_one_of_cactus, prepared.run(store, Silent()).dispatcher())
    with opened(tmp_path) as opened_run:
        dispatcher = dispatcher_for(opened_run)
        one = opened_run.ids["lab1"]
        trio.run(until_none, dispatcher, lambda job: dispatcher.report_job(job, outcome(job), one))
        assert dispatcher.waiting_for_hosts == {"": 2}
        assert len(opened_run.store.numbers()) == len(opened_run.run.plan) - 2
        trio.run(play_all, replace(opened_run.run, cluster=None).dispatcher())
        assert len(opened_run.store.numbers()) == len(opened_run.run.plan)
        assert all(len(hosts) == 1 or 0 in hosts for hosts in hosts_by_block(opened_run.store).values())


def test_a_job_is_kept_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the last match of it is to be kept."""
    with opened(tmp_path) as opened_run:
        store, dispatcher = opened_run.store, dispatcher_for(opened_run)
        job = first_block(dispatcher)
        reports, commit = outcome(job), store.commit

        def fails(played: Played, *where: object) -> None:
            if played is reports[-1]:
                raise WriteFailed("the disk is full")
            commit(played, *where)  # type: ignore[arg-type]

        monkeypatch.setattr(store, "commit", fails)
        with pytest.raises(WriteFailed):
            dispatcher.report_job(job, reports, opened_run.ids["lab1"])
        assert store.ids() == []
        monkeypatch.undo()
        again = first_block(dispatcher_for(opened_run))
        assert again.matches == job.matches


def test_whoever_waits_for_a_job_gets_one_when_its_host_comes(tmp_path: Path) -> None:
    """A job that waits for its host holds up no other, and is handed out as soon as that host is there."""

    async def main() -> None:
        out: list[Job] = []
        got: list[Job | None] = []

        async def wait() -> None:
            while (job := await dispatcher.next()) is not None:
                out.append(job)
            got.append(None)

        async def play_all_but(last: Job) -> None:
            while out:
                job = out.pop()
                dispatcher.report_job(job, outcome(job), opened_run.ids[job.host or "lab1"])
                await trio.testing.wait_all_tasks_blocked()
            out.append(last)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            await play_all_but(out.pop())
            assert (got, dispatcher.waiting_for_hosts) == ([], {"lab2": 1})
            dispatcher.hosts_are(["lab1", "lab2"])
            await trio.testing.wait_all_tasks_blocked()
            assert [job.host for job in out] == ["", "lab2"]
            await play_all_but(out[0])
            out.clear()
            assert got == [None]

    with opened(tmp_path) as opened_run:
        begin_a_block(opened_run)
        dispatcher = dispatcher_for(opened_run, ["lab1"])
        trio.run(main)
