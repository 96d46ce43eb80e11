"""In which order the matches of a plan are played, and with which cards.

They are played in the order of the plan. A voided match is played again after those that are open by then. Where each
match has cards of its own, others are dealt for it each time, since it has shown them.

The games in which one worker times slaps alone are handed out when no other match of the round is left, so that all
workers can play the others.

Timed slaps of two machines cannot be compared. So where a variant has any, a block that one host has begun is for that
host alone; what knows more than one host asks for what is left of such a block as a whole (`next_block`).

Nothing here knows how matches are played.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import get_args

from msgspec import Struct

from referee.tournament.orders import Part
from referee.tournament.plan.fixture import BlockKey, PlannedMatch
from referee.tournament.plan.plan import Plan

OPEN = 64
"""So many matches are open at a time. A voided one is played again after these, when the host may be calmer."""


class Hosts(Struct, frozen=True, kw_only=True):
    """Which matches compare bots, and so must not be played partly here and partly there."""

    timed: Collection[str] = ()
    """The variants with timed slaps."""
    host_of: Callable[[int], str] = lambda _: ""
    """Which host played a match that has a result; empty where nobody knows."""
    own: str = ""
    """What the host is called that plays where no other is named. It goes on with what nobody knows the host of."""


class _Unit(Struct, kw_only=True, eq=False):
    """What one host plays: a match, or what is left of a block with timed slaps."""

    waiting: deque[PlannedMatch]
    """The matches that are to be played, in this order."""
    part: Part
    has_result: bool = False
    """Whether other matches of the block have a result."""
    out: int = 0
    """How many of them are handed out."""
    is_timed: bool = False
    host: str | None = None
    """The only host that may play them. None where any may."""


class PlayOrder:
    """Hands out the matches of a plan that have no result yet, and takes back those that must be played again."""

    def __init__(  # noqa: PLR0913 - what has been played, and by whom
        self,
        plan: Plan,
        *,
        done: Collection[int],
        voids: Mapping[BlockKey, int],
        hosts: Hosts | None = None,
        by_block: bool = False,
        alone: Collection[str] = (),
    ) -> None:
        """`done` are the numbers of matches with a result. `voids` has by place how often matches were voided.

        With `by_block` the matches are handed out by `next_block`. `alone` are the variants that one worker plays
        alone.
        """
        self._plan, self._done, self._voids = plan, done, voids
        self._hosts, self._by_block, self._alone = hosts or Hosts(), by_block, alone
        self._present: Collection[str] = ("", self._hosts.own)
        self._unopened = self._units_from(0)
        self._open: deque[_Unit] = deque()
        """Where nothing is out and something waits."""
        self._elsewhere: list[_Unit] = []
        """What waits for hosts that are not there."""
        self._out: dict[int, _Unit] = {}
        """By the number of the match that is out."""

    def next(self, part: Part | None = None) -> PlannedMatch | None:
        """The next match, where it is of this part or none is asked for. None where nothing is left but what is out."""
        unit = None if part not in (None, self.part) else self._choose()
        return None if unit is None else self._hand_out(unit)

    def next_block(self) -> "Handed | None":
        """The next match, or where slaps are timed all that is left of a block. None as `next` has it."""
        if (unit := self._choose()) is None:
            return None
        return Handed(
            fixtures=tuple(self._hand_out(unit) for _ in range(len(unit.waiting))),
            is_block=unit.is_timed,
            has_result=unit.has_result,
            host=unit.host or "",
        )

    def next_single(self, spare: int) -> PlannedMatch | None:
        """Another match for a host that gets some already, none with timed slaps.

        None where there is none, or so few that no more than `spare` can be handed out at present.
        """
        self._open_up_to(spare + 1)
        if len(self._open) <= spare or (unit := self._choose(with_timed=False)) is None:
            return None
        return self._hand_out(unit)

    def hosts_are(self, names: Collection[str]) -> None:
        """These hosts play from now on."""
        self._present = frozenset(names)
        waiting = *self._open, *self._elsewhere
        self._open.clear()
        self._elsewhere.clear()
        for unit in waiting:
            self._put(unit)

    @property
    def part(self) -> Part | None:
        """Of which part the next match is. None where `next` has none."""
        self._open_up_to(OPEN)
        parts = {unit.part for unit in self._open}
        return next((part for part in get_args(Part) if part in parts), None)

    @property
    def elsewhere(self) -> Counter[str]:
        """By host that is not there, how many matches wait for it alone."""
        found = Counter[str]()
        for unit in self._elsewhere:
            found[unit.host or ""] += len(unit.waiting)
        return found

    def _open_up_to(self, count: int) -> None:
        while len(self._open) < count and (unit := next(self._unopened, None)) is not None:
            self._put(unit)

    def _choose(self, *, with_timed: bool = True) -> _Unit | None:
        part = self.part
        unit = next((one for one in self._open if one.part == part and (with_timed or not one.is_timed)), None)
        if unit is not None:
            self._open.remove(unit)
        return unit

    def _put(self, unit: _Unit) -> None:
        is_elsewhere = unit.host is not None and unit.host not in self._present
        (self._elsewhere if is_elsewhere else self._open).append(unit)

    def _hand_out(self, unit: _Unit) -> PlannedMatch:
        fixture = unit.waiting.popleft()
        self._out[fixture.number] = unit
        unit.out += 1
        return fixture

    def grown(self, matches: int) -> None:
        """The plan has grown, and had so many matches before. Everything of it had been handed out."""
        self._unopened = self._units_from(matches)

    def again(self, fixture: PlannedMatch, spoiled: int) -> PlannedMatch:
        """The match after so many more voids."""
        return self._plan.dealt(fixture, fixture.redeals + spoiled)

    def played(self, number: int, host: str | None = None) -> None:
        """A match that was handed out has its result; this host played it."""
        unit = self._out[number]
        unit.has_result = True
        if unit.is_timed:
            unit.host = self._hosts.own if host is None else host
        self._come_back(number)

    def voided(self, fixture: PlannedMatch, *, again: bool) -> None:
        """A match that was handed out has been spoiled. It is handed out `again`, or given up."""
        unit, fixture = self._out[fixture.number], self.again(fixture, 1)
        if again:
            unit.waiting.appendleft(fixture)
        self._come_back(fixture.number)

    def put_back(self, fixture: PlannedMatch) -> None:
        """A match that was handed out has not begun, and is handed out again with the same cards."""
        self._out[fixture.number].waiting.appendleft(fixture)
        self._come_back(fixture.number)

    def _come_back(self, number: int) -> None:
        unit = self._out.pop(number)
        unit.out -= 1
        if unit.waiting and unit.out == 0:
            self._put(unit)

    def _units_from(self, number: int) -> Iterator[_Unit]:
        """What is to be played from a match on: each part in the order of the plan."""
        variants = {name for name, matches in self._plan.matches.items() if matches}
        if variants.difference(self._alone):
            yield from self._units_of("together", number)
        if variants.intersection(self._alone):
            yield from self._units_of("alone", number)

    def _units_of(self, part: Part, number: int) -> Iterator[_Unit]:
        """What is to be played of a part, from a match on, in the order of the plan."""
        while number < len(self._plan):
            variant = self._plan.block_at(number)[1].variant
            if number in self._done or (variant in self._alone) != (part == "alone"):
                number += 1
                continue
            fixture = self._plan[number]
            block = range(number - fixture.rotation, number - fixture.rotation + len(fixture.lineup))
            is_timed = variant in self._hosts.timed
            numbers = block[fixture.rotation :] if is_timed and self._by_block else [number]
            done = [one for one in block if one in self._done] if is_timed else []
            yield _Unit(
                waiting=deque(self._with_voids(self._plan[one]) for one in numbers if one not in self._done),
                part=part,
                has_result=bool(done),
                is_timed=is_timed,
                host=self._hosts.host_of(done[0]) if done else None,
            )
            number = numbers[-1] + 1

    def _with_voids(self, fixture: PlannedMatch) -> PlannedMatch:
        """The match after all its voids."""
        voids = self._voids.get(self._plan.place(fixture), 0) if self._voids else 0
        return self.again(fixture, voids) if voids else fixture


class Handed(Struct, frozen=True, kw_only=True):
    """What is handed out together."""

    fixtures: tuple[PlannedMatch, ...]
    """In the order of play."""
    is_block: bool
    """Whether it is all that is left of a block with timed slaps."""
    has_result: bool
    """Whether other matches of the block have a result."""
    host: str
    """The only host that may play it; empty where any may."""
