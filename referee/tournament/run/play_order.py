"""In which order the matches of a plan are played, and with which cards.

Where all rotations of a block share their cards, no two of them are out at a time, not even one whose bots only wait
for it: two processes of a bot could tell each other their cards. They come in an order that the master key draws, so
that it shows who gains by the cards of an earlier rotation, and other blocks are played between them.

A voided match has shown its cards, so others are dealt for it. Only where a rotation of its block has a result, all
others keep the cards of that one: they would tell nothing about each other otherwise, and whoever carries cards from
match to match has seen these anyway.

Nothing here knows how matches are played, or where.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from referee.tournament.plan.schedule import BasePlan, Fixture, Place

OPEN_BLOCKS_PER_JOB = 4
"""A job has two matches out, the one that it plays and the next one. So there are other blocks to choose from."""

LEAST_OPEN_BLOCKS = 8


class _Cards(Struct, kw_only=True, eq=False):
    """Matches that share their cards: a block, or a match that has cards of its own."""

    waiting: deque[Fixture]
    """Those that are to be played, in this order."""
    has_result: bool
    redeals: int


class PlayOrder:
    """Hands out the matches of a plan that have no result yet, and takes back those that must be played again."""

    def __init__(
        self,
        plan: BasePlan,
        *,
        done: Collection[int],
        voids: Mapping[Place, int],
        redeals_of: Callable[[int], int],
        jobs: int,
    ) -> None:
        """`done` are the numbers of matches with a result. `voids` tells by place how often matches were voided.

        `redeals_of` tells of a match with a result how often its cards had been dealt anew.
        """
        self._plan, self._done, self._voids, self._redeals_of = plan, done, voids, redeals_of
        self._unopened = self._cards_from(0)
        self._most_open = max(LEAST_OPEN_BLOCKS, OPEN_BLOCKS_PER_JOB * jobs)
        self._open: deque[_Cards] = deque()
        """Where nothing is out and something waits. What was played least recently stands first."""
        self._out: dict[int, _Cards] = {}
        """By the number of the match that is out."""
        self._given_up: dict[int, _Cards] = {}
        """By the number of the match that was given up."""

    def next(self) -> Fixture | None:
        """The next match. None where nothing is left, or only matches whose cards are being played with."""
        while len(self._open) + len(self._out) < self._most_open and (cards := next(self._unopened, None)) is not None:
            self._open.append(cards)
        if not self._open:
            return None
        # Of those that have rested longest the one with most to play, so that none is left over at the end for one job.
        rested = islice(self._open, (len(self._open) + 1) // 2)
        cards = max(rested, key=lambda cards: len(cards.waiting))
        self._open.remove(cards)
        fixture = cards.waiting.popleft()
        self._out[fixture.number] = cards
        return self._plan.dealt(fixture, cards.redeals) if cards.redeals else fixture

    def grown(self, matches: int) -> None:
        """The plan has grown, and had so many matches before. Everything of it had been handed out."""
        self._unopened = self._cards_from(matches)

    def played(self, number: int) -> None:
        """A match that was handed out has its result."""
        self._out[number].has_result = True
        self._come_back(number)

    def voided(self, fixture: Fixture, *, again: bool) -> None:
        """A match that was handed out has been spoiled. It is handed out `again`, or given up."""
        cards = self._out[fixture.number]
        if not cards.has_result:
            cards.redeals += 1
        if again:
            cards.waiting.appendleft(fixture)
        else:
            self._given_up[fixture.number] = cards
        self._come_back(fixture.number)

    def order_again(self, fixture: Fixture) -> None:
        """A match that was given up is handed out again after all."""
        cards = self._given_up.pop(fixture.number)
        cards.waiting.append(fixture)
        if cards not in self._open and cards not in self._out.values():
            self._open.append(cards)

    def put_back(self, fixture: Fixture) -> None:
        """A match that was handed out has not begun, and is handed out again with the same cards."""
        self._out[fixture.number].waiting.appendleft(fixture)
        self._come_back(fixture.number)

    def _come_back(self, number: int) -> None:
        cards = self._out.pop(number)
        if cards.waiting:
            self._open.append(cards)

    def _cards_from(self, number: int) -> Iterator[_Cards]:
        """What is to be played from a match on, in the order of the plan."""
        while number < len(self._plan):
            if number in self._done:
                number += 1
                continue
            fixture = self._plan[number]
            if self._plan.shares_cards(fixture):
                yield self._block(fixture)
                number += len(fixture.lineup) - fixture.rotation
            else:
                yield _Cards(waiting=deque([fixture]), has_result=False, redeals=self._voids_of(number))
                number += 1

    def _block(self, fixture: Fixture) -> _Cards:
        """What is left of the block of a match."""
        first = fixture.number - fixture.rotation
        numbers = [first + rotation for rotation in self._plan.order_of_play(fixture)]
        done = [number for number in numbers if number in self._done]
        return _Cards(
            waiting=deque(self._plan[number] for number in numbers if number not in self._done),
            has_result=bool(done),
            redeals=self._redeals_of(done[0]) if done else sum(map(self._voids_of, numbers)),
        )

    def _voids_of(self, number: int) -> int:
        return self._voids.get(self._plan.place(self._plan[number]), 0) if self._voids else 0
