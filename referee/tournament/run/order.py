"""In which order the matches of a plan are played, and with which cards.

They are handed out block by block, in the order of the plan. A voided match is played again after the blocks that are
open by then. Where each match has cards of its own, others are dealt for it each time, since it has shown them.

The games in which one worker times slaps alone are handed out when no other match of the round is left, so that all
workers can play the others.

Timed slaps of two machines cannot be compared. So where a variant has any, all that is left of a block is handed out at
once, and a block that one host has begun is for that host alone.

Nothing here knows how matches are played.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import get_args

from msgspec import Struct

from referee.tournament.orders import Job, Part
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import BlockKey, PlannedMatch

OPEN = 64
"""So many blocks are open at least. A voided match is played again after these, when the host may be calmer."""


class Hosts(Struct, frozen=True, kw_only=True):
    """Which matches compare bots, and so must not be played partly here and partly there."""

    timed: Collection[str] = ()
    """The variants with timed slaps."""
    host_of: Callable[[int], str] = lambda _: ""
    """Which host played a match that has a result; empty where the store names none."""
    own: str = ""
    """What the host is called that plays where no other is named. It goes on with blocks of which no host is known."""


class _Block(Struct, kw_only=True, eq=False):
    """What is left of a block."""

    waiting: deque[PlannedMatch]
    """The matches that are to be played, in this order."""
    part: Part
    is_timed: bool = False
    out: int = 0
    """How many of its matches are handed out."""
    host: str | None = None
    """The only host that may play them. None where any may."""
    is_queued: bool = False
    """Whether it is among the open ones, or waits for its host."""


class PlayOrder:
    """Hands out the matches of a plan that have no result yet, and takes back those that must be played again."""

    def __init__(
        self,
        plan: Plan,
        *,
        done: Collection[int],
        voids: Mapping[BlockKey, int],
        hosts: Hosts | None = None,
        alone: Collection[str] = (),
    ) -> None:
        """`done` are the numbers of matches with a result. `voids` has by place how often matches were voided.

        `alone` are the variants that one worker plays alone.
        """
        self._plan, self._done, self._voids = plan, done, voids
        self._hosts, self._alone = hosts or Hosts(), alone
        self._present: Collection[str] = ("", self._hosts.own)
        self._unopened = self._blocks_from(0)
        self._open: deque[_Block] = deque()
        self._waiting_for_hosts: list[_Block] = []
        self._out: dict[int, _Block] = {}
        """By the number of the match that is out."""
        self._handed_out = 0
        """How many jobs have been handed out."""

    def next(self, part: Part | None = None, *, places: int) -> Job | None:
        """The next matches of a block as a job, where they are of this part or none is asked for.

        `places` is how many jobs can be out at a time. While at least twice as many blocks wait, whole ones are handed
        out, and then fewer and fewer matches, so that all hosts and workers have something to do to the end.

        None where nothing is left but what is out, or waits for hosts.
        """
        self._open_up_to(2 * places)
        if self.part is None or part not in (None, self.part):
            return None
        blocks = [block for block in self._open if block.part == self.part]
        block, count = blocks[0], sum(len(one.waiting) for one in blocks)
        size = len(block.waiting)
        if not block.is_timed:
            size = min(size, max(1, count // (2 * places)))
        planned_matches = tuple(block.waiting.popleft() for _ in range(size))
        self._out.update((planned_match.number, block) for planned_match in planned_matches)
        block.out += size
        if block.is_timed or not block.waiting:
            self._open.remove(block)
            block.is_queued = False
        self._handed_out += 1
        return Job(
            id=self._handed_out,
            part=block.part,
            matches=planned_matches,
            is_whole=block.is_timed,
            host=block.host or "",
        )

    def hosts_are(self, names: Collection[str]) -> None:
        """These hosts play from now on."""
        self._present = frozenset(names)
        waiting = *self._open, *self._waiting_for_hosts
        self._open.clear()
        self._waiting_for_hosts.clear()
        for block in waiting:
            self._queue(block)

    @property
    def part(self) -> Part | None:
        """Of which part the next match is. None where `next` has none."""
        self._open_up_to(OPEN)
        parts = {block.part for block in self._open}
        return next((part for part in get_args(Part) if part in parts), None)

    @property
    def waiting_for_hosts(self) -> Counter[str]:
        """By host that is not there, how many matches wait for it alone."""
        found = Counter[str]()
        for block in self._waiting_for_hosts:
            found[block.host or ""] += len(block.waiting)
        return found

    def grown(self, matches: int) -> None:
        """The plan has grown, and had so many matches before. Everything of it had been handed out."""
        self._unopened = self._blocks_from(matches)

    def played(self, number: int, host: str | None = None) -> None:
        """A match that was handed out has its result; this host played it."""
        block = self._out[number]
        if block.is_timed:
            block.host = self._hosts.own if host is None else host
        self._come_back(number)

    def voided(self, planned_match: PlannedMatch, *, again: bool) -> None:
        """A match that was handed out has been spoiled. It is handed out `again`, or given up."""
        if again:
            self._out[planned_match.number].waiting.append(self._plan.dealt(planned_match, planned_match.redeals + 1))
        self._come_back(planned_match.number)

    def put_back(self, planned_match: PlannedMatch) -> None:
        """A match that was handed out has not begun, and is handed out again with the same cards."""
        self._out[planned_match.number].waiting.appendleft(planned_match)
        self._come_back(planned_match.number)

    def _come_back(self, number: int) -> None:
        block = self._out.pop(number)
        block.out -= 1
        if block.waiting and not block.is_queued and not (block.is_timed and block.out):
            self._queue(block)

    def _queue(self, block: _Block) -> None:
        block.is_queued = True
        is_absent = block.host is not None and block.host not in self._present
        (self._waiting_for_hosts if is_absent else self._open).append(block)

    def _open_up_to(self, count: int) -> None:
        while len(self._open) < count and (block := next(self._unopened, None)) is not None:
            self._queue(block)

    def _blocks_from(self, number: int) -> Iterator[_Block]:
        """What is to be played from a match on: each part in the order of the plan."""
        variants = {name for name, matches in self._plan.matches.items() if matches}
        if variants.difference(self._alone):
            yield from self._blocks_of("together", number)
        if variants.intersection(self._alone):
            yield from self._blocks_of("alone", number)

    def _blocks_of(self, part: Part, number: int) -> Iterator[_Block]:
        """What is to be played of a part, from the first match of a block on, in the order of the plan."""
        while number < len(self._plan):
            sitting = self._plan.block_at(number)[1]
            numbers = range(number, number + len(sitting.lineup))
            number = numbers.stop
            if (sitting.variant in self._alone) != (part == "alone"):
                continue
            left = [one for one in numbers if one not in self._done]
            if not left:
                continue
            is_timed = sitting.variant in self._hosts.timed
            has_begun = is_timed and len(left) < len(numbers)
            yield _Block(
                waiting=deque(self._with_voids(self._plan[one]) for one in left),
                part=part,
                is_timed=is_timed,
                host=self._hosts.host_of(next(one for one in numbers if one in self._done)) if has_begun else None,
            )

    def _with_voids(self, planned_match: PlannedMatch) -> PlannedMatch:
        """The match after all its voids."""
        voids = self._voids.get(self._plan.place(planned_match), 0) if self._voids else 0
        return self._plan.dealt(planned_match, planned_match.redeals + voids) if voids else planned_match
