"""Which match is played when: two matches with the same cards are never out together, and nothing is forgotten."""

from collections.abc import Collection, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
import trio
import trio.testing
from in_store import Silent, bot, result_of

from referee.commands.opening import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import Order, Part, Spoiled
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.schedule import Place, Plan, PlannedVariant
from referee.tournament.run.desk import Desk
from referee.tournament.run.play_order import LEAST_OPEN_BLOCKS, PlayOrder
from referee.tournament.store.disk import locked

DUEL = """
[tournament]
name = "run"
seed = "abc"
deals = 1
rotations = "same"
[[variants]]
preset = "six-card"
"""
NOTHING: Mapping[Place, int] = {}


def plan(rotations: Rotations = "same", *, bots: int = 4, deals: int = 3) -> Plan:
    variants = [PlannedVariant(variant=f"v{seats}", seats=seats, rotations=rotations) for seats in (2, 3)]
    return Plan(master_key=bytes(32), bots=[f"bot {one}" for one in range(bots)], variants=variants, deals=deals)


def play_order(
    made: Plan,
    *,
    done: Mapping[int, int] | None = None,
    voids: Mapping[Place, int] = NOTHING,
    jobs: int = 1,
    alone: Collection[str] = (),
) -> PlayOrder:
    """`done` has the redeals of the matches with a result, by number."""
    done = done or {}
    return PlayOrder(made, done=done, voids=voids, redeals_of=done.__getitem__, jobs=jobs, alone=alone)


class Play:
    """Plays a plan in memory, so many matches at a time, in an order of ends that the dice give."""

    def __init__(
        self,
        made: Plan,
        seed: int,
        *,
        out: int,
        jobs: int | None = None,
        spoils: float = 0.0,
        alone: Collection[str] = (),
    ) -> None:
        self.order = play_order(made, jobs=jobs or out, alone=alone)
        self.out: dict[int, Fixture] = {}
        self.begun: list[Fixture] = []
        self.played: list[Fixture] = []
        self._dice, self._most, self._spoils = Random(seed), out, spoils  # noqa: S311

    def run(self) -> None:
        """Each part by workers of its own, as a crew does."""
        while (part := self.order.part) is not None:
            self._play(part)

    def _play(self, part: Part) -> None:
        while True:
            while len(self.out) < self._most and (fixture := self.order.next(part)) is not None:
                assert fixture.deal_key not in {one.deal_key for one in self.out.values()}
                self.out[fixture.number] = fixture
                self.begun.append(fixture)
            if not self.out:
                return
            fixture = self.out.pop(self._dice.choice(list(self.out)))
            if self._dice.random() < self._spoils:
                self.order.voided(fixture, again=True)
            elif self._dice.random() < self._spoils:
                self.order.put_back(fixture)
            else:
                self.order.played(fixture.number)
                self.played.append(fixture)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
@pytest.mark.parametrize("out", range(1, 10))
def test_matches_that_share_their_cards_are_never_out_together(out: int, rotations: Rotations) -> None:
    made = plan(rotations)
    play = Play(made, out, out=out, spoils=0.2)
    play.run()
    assert sorted(fixture.number for fixture in play.played) == list(range(len(made)))


@pytest.mark.parametrize("rotations", ["same", "fresh"])
@pytest.mark.parametrize("alone", ["v2", "v3"])
def test_what_one_worker_plays_alone_comes_when_all_else_has_been_played(alone: str, rotations: Rotations) -> None:
    """Also where some of it is voided."""
    made = plan(rotations)
    play = Play(made, 5, out=4, spoils=0.2, alone={alone})
    play.run()
    assert sorted(fixture.number for fixture in play.played) == list(range(len(made)))
    first = next(place for place, fixture in enumerate(play.begun) if fixture.variant == alone)
    assert {fixture.variant for fixture in play.begun[first:]} == {alone}


def test_rotations_are_played_in_the_order_that_the_key_draws_with_other_blocks_between() -> None:
    made = plan(deals=20)
    play = Play(made, 1, out=2)
    play.run()
    blocks: dict[int, list[int]] = {}
    for place, fixture in enumerate(play.begun):
        blocks.setdefault(fixture.block, []).append(place)
    for places in blocks.values():
        block = [play.begun[place] for place in places]
        assert [fixture.rotation for fixture in block] == made.order_of_play(block[0])
        if len(play.begun) - places[-1] > LEAST_OPEN_BLOCKS:
            assert min(later - place for place, later in pairwise(places)) > 2


def table_of_four(deals: int) -> Plan:
    """A line-up at one table, so that the blocks are as many as the deals."""
    variants = [PlannedVariant(variant="v4", seats=4, rotations="same")]
    return Plan(master_key=bytes(32), bots=["ann", "bea", "cid", "dan"], variants=variants, deals=deals)


def test_no_block_is_left_over_for_the_end() -> None:
    """Else one job would play its rotations one after another, while the others have nothing to do."""
    play = Play(plan(deals=20), 2, out=4)
    play.run()
    assert len({fixture.block for fixture in play.begun[-4:]}) == 4


@pytest.mark.parametrize("seed", range(4))
def test_no_block_is_left_over_for_the_end_of_a_short_run_where_each_job_has_two_matches_out(seed: int) -> None:
    play = Play(table_of_four(deals=9), seed, out=4, jobs=2)
    play.run()
    assert len({fixture.block for fixture in play.begun[-4:]}) >= 3


def test_with_fresh_cards_matches_are_played_in_the_order_of_the_plan() -> None:
    play = Play(plan("fresh"), 3, out=3)
    play.run()
    assert [fixture.number for fixture in play.begun] == list(range(len(play.begun)))


def test_cards_that_a_voided_match_has_shown_are_not_dealt_again() -> None:
    made = plan("same")
    order = play_order(made)
    first = next_of(order, block=0)
    order.voided(first, again=True)
    second = next_of(order, block=0)
    assert (second.number, second.redeals) == (first.number, 1)
    assert second.deal_key == made.dealt(first, 1).deal_key != first.deal_key
    order.played(second.number)
    assert next_of(order, block=0).deal_key == second.deal_key, "the whole block has these cards"


def test_once_a_block_has_a_result_its_other_rotations_keep_the_cards() -> None:
    order = play_order(plan("same"))
    first = next_of(order, block=0)
    order.played(first.number)
    second = next_of(order, block=0)
    order.voided(second, again=True)
    assert next_of(order, block=0) == second


def test_with_fresh_cards_a_void_changes_those_of_its_match_alone() -> None:
    made = plan("fresh")
    order = play_order(made)
    first = next_of(order, block=0)
    order.voided(first, again=True)
    others = []
    while (fixture := order.next()) is not None:
        order.played(fixture.number)
        others.append(fixture)
    assert [one for one in others if one.number == first.number] == [made.dealt(first, 1)]
    assert sum(one.redeals for one in others) == 1


def test_a_match_that_did_not_begin_keeps_its_cards() -> None:
    order = play_order(plan("same"))
    first = next_of(order, block=0)
    order.put_back(first)
    assert next_of(order, block=0) == first


def test_a_match_that_is_given_up_does_not_hold_up_its_block() -> None:
    order = play_order(plan("same", deals=1))
    first = next_of(order, block=0)
    order.voided(first, again=False)
    second = next_of(order, block=0)
    assert (second.rotation, second.redeals) == (1 - first.rotation, 1)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_a_run_that_goes_on_deals_nothing_that_was_shown_before(rotations: Rotations) -> None:
    made = plan(rotations)
    voids = {made.place(made[0]): 2}
    order = play_order(made, voids=voids)
    block = [fixture for fixture in iter(order.next, None) if fixture.block == 0]
    for fixture in block:
        order.played(fixture.number)
    order_of_rest = [fixture for fixture in iter(order.next, None) if fixture.block == 0]
    redeals = {fixture.number: fixture.redeals for fixture in (*block, *order_of_rest)}
    shared = rotations == "same"
    assert redeals == {number: 2 if shared or number == 0 else 0 for number in redeals}
    assert len(redeals) == len(made[0].lineup)


def test_a_block_that_was_begun_goes_on_with_its_cards() -> None:
    made = plan("same")
    one, other = made.order_of_play(made[0])[:2]
    voids = {made.place(made[one]): 1, made.place(made[other]): 1}
    order = play_order(made, done={one: 1}, voids=voids)
    fixture = next_of(order, block=0)
    assert fixture == made.dealt(made[other], 1)


def next_of(order: PlayOrder, *, block: int) -> Fixture:
    """The next match of this block. Whatever comes before it stays out."""
    return next(fixture for fixture in iter(order.next, None) if fixture.block == block)


def test_a_job_waits_for_a_match_as_long_as_one_with_the_same_cards_is_out(tmp_path: Path) -> None:
    """It gets the next one as soon as there is one, and None only when nothing is left and nothing can come back."""
    (tmp_path / "run.toml").write_text(DUEL + bot("ann") + bot("bob"))
    prepared = prepare(load(tmp_path / "run.toml"), tmp_path / "run.golfref", fresh=False, may_change=False)
    got: list[Order | None] = []

    async def main(desk: Desk) -> None:
        async def wait() -> None:
            got.append(await desk.next())

        async with trio.open_nursery() as nursery:
            first = await desk.next()
            assert first is not None
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            assert got == []
            await desk.report(Spoiled(number=first.fixture.number, reason="the host"))
            await trio.testing.wait_all_tasks_blocked()
            again = got.pop()
            assert again is not None
            assert (again.fixture.number, again.attempt, again.fixture.redeals) == (first.fixture.number, 2, 1)
            nursery.start_soon(wait)
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            await desk.report(result_of(again))
            await trio.testing.wait_all_tasks_blocked()
            last = got.pop()
            assert last is not None
            assert got == []
            assert {again.fixture.rotation, last.fixture.rotation} == {0, 1}
            assert again.fixture.deal_key == last.fixture.deal_key
            await desk.report(result_of(last))
        assert got == [None]

    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        trio.run(main, prepared.run(store, Silent()).desk())
