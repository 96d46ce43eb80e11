"""Which match is played when, with which cards; and nothing is forgotten."""

from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
import trio
import trio.testing
from in_store import Silent, bot, result_of

from referee.commands.tournament.prepare import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import Job, Part, Spoiled
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import BlockKey, PlannedMatch
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.run.order import OPEN, PlayOrder
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
NOTHING: Mapping[BlockKey, int] = {}


def plan(rotations: Rotations = "same", *, bots: int = 4, deals: int = 3) -> Plan:
    variants = [PlannedVariant(variant=f"v{seats}", seats=seats, rotations=rotations) for seats in (2, 3)]
    return Plan(
        WholeDeals(master_key=bytes(32), bots=[f"bot {one}" for one in range(bots)], variants=variants, deals=deals)
    )


def play_order(
    made: Plan, *, done: Collection[int] = (), voids: Mapping[BlockKey, int] = NOTHING, alone: Collection[str] = ()
) -> PlayOrder:
    return PlayOrder(made, done=done, voids=voids, alone=alone)


class Play:
    """Plays a plan in memory, so many matches at a time, in an order of ends that the dice give."""

    def __init__(self, made: Plan, seed: int, *, out: int, spoils: float = 0.0, alone: Collection[str] = ()) -> None:
        self.order = play_order(made, alone=alone)
        self.out: dict[int, PlannedMatch] = {}
        self.begun: list[PlannedMatch] = []
        self.played: list[PlannedMatch] = []
        self._dice, self._most, self._spoils = Random(seed), out, spoils  # noqa: S311

    def run(self) -> None:
        """Each part by workers of its own, as a crew does."""
        while (part := self.order.part) is not None:
            self._play(part)

    def _play(self, part: Part) -> None:
        while True:
            while len(self.out) < self._most and (found := self.order.next(part, places=self._most)) is not None:
                self.out.update((planned_match.number, planned_match) for planned_match in found.matches)
                self.begun += found.matches
            if not self.out:
                return
            planned_match = self.out.pop(self._dice.choice(list(self.out)))
            if self._dice.random() < self._spoils:
                self.order.voided(planned_match, again=True)
            elif self._dice.random() < self._spoils:
                self.order.put_back(planned_match)
            else:
                self.order.played(planned_match.number)
                self.played.append(planned_match)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
@pytest.mark.parametrize("alone", ["v2", "v3"])
def test_what_one_worker_plays_alone_comes_when_all_else_has_been_played(alone: str, rotations: Rotations) -> None:
    """Also where some of it is voided."""
    made = plan(rotations)
    play = Play(made, 5, out=4, spoils=0.2, alone={alone})
    play.run()
    assert sorted(planned_match.number for planned_match in play.played) == list(range(len(made)))
    first = next(place for place, planned_match in enumerate(play.begun) if planned_match.variant == alone)
    assert {planned_match.variant for planned_match in play.begun[first:]} == {alone}


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_matches_are_played_in_the_order_of_the_plan(rotations: Rotations) -> None:
    """Also the rotations of a block that share their cards, which may be played at the same time."""
    made = plan(rotations, deals=20)
    play = Play(made, 3, out=3)
    play.run()
    assert [planned_match.number for planned_match in play.begun] == list(range(len(made)))


def test_whole_blocks_are_handed_out_and_in_the_end_as_much_as_leaves_enough_for_everybody() -> None:
    made, places, sizes = plan(deals=20), 3, list[int]()
    order = play_order(made)
    while (found := order.next(places=places)) is not None:
        assert len({planned_match.block for planned_match in found.matches}) == 1
        sizes.append(len(found.matches))
    assert sum(sizes) == len(made)
    assert set(sizes[:150]) == {2, 3}, "a block of two bots has two rotations"
    assert sizes[-2 * places :] == [1] * 2 * places


@pytest.mark.parametrize(("rotations", "redeals"), [("same", [0, 0, 0]), ("fresh", [0, 1, 2])])
def test_a_voided_match_is_played_again_after_those_that_are_open(rotations: Rotations, redeals: list[int]) -> None:
    """With other cards, unless its block shares them; so it goes on in a run that was interrupted."""
    made = plan(rotations, deals=40)
    order, attempts, between = play_order(made), list[PlannedMatch](), set[int]()
    while len(attempts) < 3 and (found := order.next(places=1)) is not None:
        for planned_match in found.matches:
            if planned_match.number == 0:
                attempts.append(planned_match)
                order.voided(planned_match, again=True)
            else:
                between.add(planned_match.block)
                order.played(planned_match.number)
    assert len(between) == 1 + 2 * (OPEN - 1)
    assert attempts == [made.dealt(made[0], count) for count in range(3)]
    assert [planned_match.redeals for planned_match in attempts] == redeals
    again = play_order(made, voids={made.place(made[0]): 2}).next(places=1)
    assert again is not None
    assert again.matches[0] == attempts[2]


def test_matches_that_did_not_begin_keep_their_cards_and_their_order() -> None:
    order = play_order(plan("fresh", deals=1))
    first = order.next(places=1)
    assert first is not None
    for planned_match in reversed(first.matches):
        order.put_back(planned_match)
    later = [planned_match for found in iter(lambda: order.next(places=1), None) for planned_match in found.matches]
    assert tuple(later[-2:]) == first.matches


def test_a_job_waits_for_a_match_that_may_come_back(tmp_path: Path) -> None:
    """It gets the next one as soon as there is one, and None only when nothing is left and nothing can come back."""
    (tmp_path / "run.toml").write_text(DUEL + bot("ann") + bot("bob"))
    prepared = prepare(load(tmp_path / "run.toml"), tmp_path / "run.golfref", fresh=False, may_change=False)
    got: list[Job | None] = []

    async def main(dispatcher: Dispatcher) -> None:
        async def wait() -> None:
            got.append(await dispatcher.next())

        async with trio.open_nursery() as nursery:
            jobs = await dispatcher.next(), await dispatcher.next()
            first, second = (one for job in jobs if job is not None for one in job.matches)
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            assert got == []
            await dispatcher.report(Spoiled(number=first.number, reason="the host"))
            await trio.testing.wait_all_tasks_blocked()
            again = got.pop()
            assert again is not None
            assert again.matches == (first,)
            nursery.start_soon(wait)
            await dispatcher.report(result_of(second, ("ann", "bob")))
            await trio.testing.wait_all_tasks_blocked()
            assert got == []
            await dispatcher.report(result_of(first, ("ann", "bob")))
        assert got == [None]

    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        trio.run(main, prepared.run(store, Silent()).dispatcher())
