"""What a desk hands out to several hosts: a block with timed slaps stays on one, whatever is lost or told twice.

Short matches of other games go out together.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest
import trio
import trio.testing
from in_store import Silent, history_findings, result_of
from msgspec import Struct
from msgspec.structs import replace

from referee.commands.opening import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import ATTEMPTS, Bundle, Job, Played, Spoiled
from referee.tournament.run.desk import Desk
from referee.tournament.run.pace import BUNDLE_S, MOST_ORDERS, Pace
from referee.tournament.run.run import Run
from referee.tournament.run.turns import LONGEST_BUNDLE_S, TimedTurns, Turns
from referee.tournament.store.disk import WriteFailed, locked
from referee.tournament.store.hosts import Host
from referee.tournament.store.store import Store

CONFIG = """
[tournament]
name = "bundles"
seed = "bundles"
seats = 3
deals = {deals}
rotations = "{rotations}"

[[variants]]
preset = "cactus"

[[variants]]
preset = "six-card"
"""
BOTS = "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in ("ann", "bob", "cid", "dan"))
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
        yield OpenRun(store, prepared.run(store, Silent()), ids)


def desk_for(opened_run: OpenRun) -> Desk:
    desk = opened_run.run.desk(by_block=True)
    desk.hosts_are(HOSTS)
    return desk


def outcome(bundle: Bundle, is_spoiled: Callable[[Job], bool] = lambda _: False) -> list[Played | Spoiled]:
    """What a host reports of a bundle."""
    turns = Turns(bundle)
    while (order := turns.order) is not None:
        number = order.fixture.number
        turns.take(Spoiled(number=number, reason="a cable was pulled") if is_spoiled(order) else result_of(order))
    return turns.reports


def hosts_by_block(store: Store) -> dict[int, set[int]]:
    """By block of Cactus the ids of the hosts that played it."""
    found = defaultdict(set)
    for row in store.matches():
        if row.identity.variant == "cactus":
            found[row.result.block].add(row.host or 0)
    return found


async def until_none(desk: Desk, play: Callable[[Bundle], object]) -> None:
    while (bundle := await desk.next_bundle()) is not None:
        play(bundle)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
@pytest.mark.parametrize("seed", range(4))
def test_no_block_mixes_hosts_and_every_match_counts_once(tmp_path: Path, rotations: str, seed: int) -> None:
    """Hosts spoil matches, bundles get lost and are played by others, reports come late and twice.

    Half of the desks bundle short matches, of which hosts leave the last ones out at times.
    """
    dice = Random(seed)  # noqa: S311
    out: list[Bundle] = []
    late: list[tuple[Bundle, list[Played | Spoiled], int]] = []
    together: list[int] = []

    def is_spoiled(_: Job) -> bool:
        return dice.random() < 0.2

    async def play() -> None:
        while True:
            with trio.move_on_after(0):
                while len(out) < 6 and (bundle := await desk.next_bundle(1 if seed % 2 else None)) is not None:
                    out.append(bundle)
            if not out:
                return
            bundle = out.pop(dice.randrange(len(out)))
            host = opened_run.ids[bundle.host or dice.choice(HOSTS)]
            reports = outcome(bundle, is_spoiled)
            if not bundle.is_block:
                del reports[dice.randint(1, len(reports)) :]
                together.append(len(bundle.orders))
            if dice.random() < 0.2:
                desk.put_back_bundle(bundle.id)
                late.append((bundle, reports, host))
                continue
            assert desk.report_bundle(bundle.id, reports, host, [0.01] * len(reports))
            late.append((bundle, reports, opened_run.ids[dice.choice(HOSTS)]))
            for old, told, where in late:
                assert not desk.report_bundle(old.id, told, where)

    deals = 1 + seed % 2
    with opened(tmp_path, rotations=rotations, deals=deals) as opened_run:
        while len(opened_run.store.numbers()) < len(opened_run.run.plan):  # a match that is given up: the run goes on
            late.clear()
            desk = desk_for(opened_run)
            trio.run(play)
            assert desk.elsewhere == {}
        store = opened_run.store
        assert len(store.ids()) == len(opened_run.run.plan) == 4 * 3 * 2 * deals
        assert all(len(hosts) == 1 for hosts in hosts_by_block(store).values())
        assert history_findings(store) == []
        assert sum(store.void_reasons().values()) > 0
        assert all(void.host in opened_run.ids.values() for _, void in store.voids())
        assert (max(together) > 1) == bool(seed % 2)


def test_a_block_is_handed_out_whole_in_the_order_of_the_plan(tmp_path: Path) -> None:
    bundles: list[Bundle] = []

    def take(bundle: Bundle) -> None:
        bundles.append(bundle)
        desk.report_bundle(bundle.id, outcome(bundle), opened_run.ids["lab1"])

    with opened(tmp_path) as opened_run:
        desk = desk_for(opened_run)
        trio.run(until_none, desk, take)
    timed = [bundle for bundle in bundles if bundle.orders[0].fixture.variant == "cactus"]
    assert len(timed) == 4
    for bundle in timed:
        assert [order.fixture.rotation for order in bundle.orders] == [0, 1, 2]
    others = [bundle for bundle in bundles if bundle not in timed]
    assert all(len(bundle.orders) == 1 and not bundle.is_block for bundle in others)
    assert len(others) == 12


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_a_host_plays_a_spoiled_match_of_a_block_again_with_the_right_cards(tmp_path: Path, rotations: str) -> None:
    """Cards that its block shares are the same, cards of its own are others each time."""
    with opened(tmp_path, rotations=rotations) as opened_run:
        desk = desk_for(opened_run)
        bundle = first_block(desk)
        second = bundle.orders[1].fixture
        reports = outcome(bundle, lambda order: order.fixture.number == second.number and order.attempt < ATTEMPTS)
        assert [type(report) for report in reports] == [Played, Spoiled, Spoiled, Played, Played]
        assert desk.report_bundle(bundle.id, reports, opened_run.ids["lab2"])
        redeals = opened_run.store.planned(second.number).result.redeals
        assert redeals == (2 if rotations == "fresh" else 0)
        assert [void.attempt for _, void in opened_run.store.voids()] == [1, 2]
        assert history_findings(opened_run.store) == []


def first_block(desk: Desk) -> Bundle:
    """The first block of Cactus. What is handed out before it stays out."""

    async def find() -> Bundle:
        while (bundle := await desk.next_bundle()) is not None:
            if bundle.is_block:
                return bundle
        raise AssertionError("there is no block")

    return trio.run(find)


def test_a_resumed_run_leaves_what_is_left_of_a_block_to_the_host_that_began_it(tmp_path: Path) -> None:
    with opened(tmp_path) as opened_run:
        desk = desk_for(opened_run)
        bundle = first_block(desk)
        last = bundle.orders[2].fixture.number
        reports = outcome(bundle, lambda order: order.fixture.number == last)
        assert desk.report_bundle(bundle.id, reports, opened_run.ids["lab2"])
    got: list[Bundle] = []

    def play(bundle: Bundle) -> None:
        got.append(bundle)
        desk.report_bundle(bundle.id, outcome(bundle), opened_run.ids[bundle.host or "lab1"])

    with opened(tmp_path) as opened_run:
        desk = opened_run.run.desk(by_block=True)
        desk.hosts_are(["lab1", "lab3"])
        trio.run(until_none, desk, play)
        assert last not in {order.fixture.number for one in got for order in one.orders}
        assert desk.elsewhere == {"lab2": 1}
        desk.hosts_are(["lab2"])
        trio.run(until_none, desk, play)
        assert desk.elsewhere == {}
        assert (got[-1].host, [order.fixture.number for order in got[-1].orders]) == ("lab2", [last])
        assert all(len(hosts) == 1 for hosts in hosts_by_name(opened_run.store).values())
        assert len(opened_run.store.numbers()) == len(opened_run.run.plan)


def test_short_matches_go_out_together_and_enough_is_left_for_everybody(tmp_path: Path) -> None:
    """Once it is known how short they are."""
    most_out, out, sizes = 3, list[Bundle](), list[int]()

    async def play() -> None:
        while True:
            with trio.move_on_after(0):
                while len(out) < most_out and (bundle := await desk.next_bundle(most_out)) is not None:
                    out.append(bundle)
                    sizes.append(len(bundle.orders))
            if not out:
                return
            left = len(opened_run.run.plan) - len(opened_run.store.numbers()) - sum(len(one.orders) for one in out)
            assert len(out) == most_out or left == 0, "somebody has nothing to do"
            bundle = out.pop(0)
            reports = outcome(bundle)
            desk.report_bundle(bundle.id, reports, opened_run.ids[bundle.host or "lab1"], [0.02] * len(reports))

    with opened(tmp_path, deals=8) as opened_run:
        desk = desk_for(opened_run)
        trio.run(play)
        assert len(opened_run.store.ids()) == len(opened_run.run.plan)
    assert max(sizes) > 8
    assert (sizes[0], sizes[-1]) == (1, 3), "a block of Cactus has 3 rotations, and comes last"


def test_a_bundle_takes_about_as_long_in_every_game_and_has_a_greatest_size() -> None:
    pace = Pace()
    assert not pace.has_room(["cactus"])
    pace.took("cactus", BUNDLE_S / 4)
    pace.took("six-card", BUNDLE_S / 1000)
    assert [pace.has_room(["cactus"] * count) for count in (3, 4)] == [True, False]
    assert [pace.has_room(["six-card"] * count) for count in (MOST_ORDERS - 1, MOST_ORDERS)] == [True, False]
    for _ in range(50):
        pace.took("six-card", BUNDLE_S)
    assert not pace.has_room(["six-card"])


def test_a_host_ends_a_bundle_that_lasts_too_long_and_the_rest_is_handed_out_with_the_same_cards(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, deals=2) as opened_run:
        desk = desk_for(opened_run)
        bundle = trio.run(first_of_several, desk, opened_run.ids["lab1"])
        times = iter((0.0, 1.0, LONGEST_BUNDLE_S + 1.5))
        turns = TimedTurns(bundle, clock=lambda: next(times))
        while (order := turns.order) is not None:
            turns.take(result_of(order))
        assert (len(turns.reports), turns.seconds) == (2, [1.0, LONGEST_BUNDLE_S + 0.5])
        assert desk.report_bundle(bundle.id, turns.reports, opened_run.ids["lab1"], turns.seconds)
        orders: list[Job] = []

        def take(bundle: Bundle) -> None:
            orders.extend(bundle.orders)
            desk.report_bundle(bundle.id, outcome(bundle), opened_run.ids["lab2"])

        trio.run(until_none, desk, take)
        assert all(order in orders for order in bundle.orders[2:])
        assert not any(order in orders for order in bundle.orders[:2])
        assert history_findings(opened_run.store) == []


async def first_of_several(desk: Desk, host: int) -> Bundle:
    """The first bundle of several short matches; those before it have been played by this host."""
    while (bundle := await desk.next_bundle(1)) is not None:
        if not bundle.is_block and len(bundle.orders) > 2:
            return bundle
        reports = outcome(bundle)
        desk.report_bundle(bundle.id, reports, host, [0.1] * len(reports))
    raise AssertionError("no matches went out together")


def hosts_by_name(store: Store) -> dict[int, set[str]]:
    hosts = store.hosts()
    return {
        block: {hosts[id_].name if id_ in hosts else "" for id_ in ids} for block, ids in hosts_by_block(store).items()
    }


def test_a_block_that_one_machine_began_alone_is_not_for_a_cluster(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(CONFIG.format(deals=1, rotations="same") + BOTS)
    prepared = prepare(load(config), tmp_path / "run.golfref", fresh=False, may_change=False)

    async def play_one_of_cactus(desk: Desk) -> None:
        while (order := await desk.next()) is not None:
            if order.fixture.variant == "cactus":
                await desk.report(result_of(order))
                return

    async def play_all(desk: Desk) -> None:
        while (order := await desk.next()) is not None:
            await desk.report(result_of(order))

    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        trio.run(play_one_of_cactus, prepared.run(store, Silent()).desk())
    with opened(tmp_path) as opened_run:
        desk = desk_for(opened_run)
        one = opened_run.ids["lab1"]
        trio.run(until_none, desk, lambda bundle: desk.report_bundle(bundle.id, outcome(bundle), one))
        assert desk.elsewhere == {"": 2}
        assert len(opened_run.store.numbers()) == len(opened_run.run.plan) - 2
        trio.run(play_all, opened_run.run.desk())
        assert len(opened_run.store.numbers()) == len(opened_run.run.plan)
        assert all(len(hosts) == 1 or 0 in hosts for hosts in hosts_by_block(opened_run.store).values())


def test_a_bundle_is_kept_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the last match of it is to be kept."""
    with opened(tmp_path) as opened_run:
        store, desk = opened_run.store, desk_for(opened_run)
        bundle = first_block(desk)
        reports, commit = outcome(bundle), store.commit

        def fails(played: Played, *where: object) -> None:
            if played is reports[-1]:
                raise WriteFailed("the disk is full")
            commit(played, *where)  # type: ignore[arg-type]

        monkeypatch.setattr(store, "commit", fails)
        with pytest.raises(WriteFailed):
            desk.report_bundle(bundle.id, reports, opened_run.ids["lab1"])
        assert store.ids() == []
        monkeypatch.undo()
        again = first_block(desk_for(opened_run))
        assert [order.fixture for order in again.orders] == [order.fixture for order in bundle.orders]


def test_reports_that_are_not_those_of_the_bundle_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as opened_run:
        desk, host = desk_for(opened_run), opened_run.ids["lab1"]
        bundle = first_block(desk)
        reports = outcome(bundle)
        last = reports[-1]
        assert isinstance(last, Played)
        other_cards = replace(last, result=replace(last.result, redeals=1))
        for wrong in (reports[:-1], reports[1:], [*reports, last], [*reports[:-1], other_cards]):
            with pytest.raises(ValueError, match="report of match"):
                desk.report_bundle(bundle.id, wrong, host)
        assert opened_run.store.ids() == []
        assert desk.report_bundle(bundle.id, reports, host)


def test_whoever_waits_for_a_bundle_gets_one_when_its_host_comes(tmp_path: Path) -> None:
    """What waits for a host holds nobody up, and is handed out as soon as that host is there."""

    async def main() -> None:
        out: list[Bundle] = []
        got: list[Bundle | None] = []

        async def wait() -> None:
            while (bundle := await desk.next_bundle()) is not None:
                out.append(bundle)
            got.append(None)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            last = out.pop()
            for bundle in iter(lambda: out.pop() if out else None, None):
                desk.report_bundle(bundle.id, outcome(bundle), opened_run.ids["lab1"])
                await trio.testing.wait_all_tasks_blocked()
            assert (got, desk.elsewhere) == ([], {"lab2": 1})
            desk.hosts_are(["lab1", "lab2"])
            await trio.testing.wait_all_tasks_blocked()
            assert [bundle.host for bundle in out] == ["lab2"]
            out.append(last)
            for bundle in iter(lambda: out.pop() if out else None, None):
                desk.report_bundle(bundle.id, outcome(bundle), opened_run.ids[bundle.host or "lab1"])
                await trio.testing.wait_all_tasks_blocked()
            assert got == [None]

    with opened(tmp_path) as opened_run:
        begins = desk_for(opened_run)
        bundle = first_block(begins)
        last = bundle.orders[2].fixture.number
        reports = outcome(bundle, lambda order: order.fixture.number == last)
        begins.report_bundle(bundle.id, reports, opened_run.ids["lab2"])
        desk = opened_run.run.desk(by_block=True)
        desk.hosts_are(["lab1"])
        trio.run(main)
