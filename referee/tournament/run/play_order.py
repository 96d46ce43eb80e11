"""In which order the matches of a plan are played, and with which cards.

Where all rotations of a block share their cards, no two of them are out at a time, not even one whose bots only wait
for it: two processes of a bot could tell each other their cards. They come in an order that the master key draws, so
that it shows who gains by the cards of an earlier rotation, and other blocks are played between them.

A voided match has shown its cards, so others are dealt for it. Only where a rotation of its block has a result, all
others keep the cards of that one: they would tell nothing about each other otherwise, and whoever carries cards from
match to match has seen these anyway.

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
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.schedule import BasePlan, Place

OPEN_BLOCKS_PER_JOB = 4
"""A job has two matches out, the one that it plays and the next one. So there are other blocks to choose from."""

LEAST_OPEN_BLOCKS = 64
"""Blocks that are open together come to their ends together. One that was opened later is left over for the end, when
its matches are played one after another, and all cores but one are idle. So all blocks of a short run are open."""

MOST_RESTED = 64
"""Among so many of those that have rested longest the next match is chosen at most."""


class Hosts(Struct, frozen=True, kw_only=True):
    """Which matches compare bots, and so must not be played partly here and partly there."""

    timed: Collection[str] = ()
    """The variants with timed slaps."""
    host_of: Callable[[int], str] = lambda _: ""
    """Which host played a match that has a result; empty where nobody knows."""
    own: str = ""
    """What the host is called that plays where no other is named. It goes on with what nobody knows the host of."""


class _Cards(Struct, kw_only=True, eq=False):
    """Matches that share their cards, or a host: a block, or a match that has cards of its own."""

    waiting: deque[Fixture]
    """Those that are to be played, in this order."""
    part: Part
    has_result: bool
    shares: bool = False
    """Whether all have the same cards. Else each waits with the cards that it is to have."""
    redeals: int = 0
    """Of the cards that they share."""
    out: int = 0
    """How many of them are handed out."""
    is_timed: bool = False
    host: str | None = None
    """The only host that may play them. None where any may."""

    def dealt(self, plan: BasePlan, fixture: Fixture) -> Fixture:
        """The match with the cards that it has now."""
        return plan.dealt(fixture, self.redeals) if self.shares and self.redeals else fixture


class PlayOrder:
    """Hands out the matches of a plan that have no result yet, and takes back those that must be played again."""

    def __init__(  # noqa: PLR0913 - what has been played, and by whom
        self,
        plan: BasePlan,
        *,
        done: Collection[int],
        voids: Mapping[Place, int],
        redeals_of: Callable[[int], int],
        jobs: int,
        hosts: Hosts | None = None,
        by_block: bool = False,
        alone: Collection[str] = (),
    ) -> None:
        """`done` are the numbers of matches with a result. `voids` tells by place how often matches were voided.

        `redeals_of` tells of a match with a result how often its cards had been dealt anew. With `by_block` the matches
        are handed out by `next_block`. `alone` are the variants that one worker plays alone.
        """
        self._plan, self._done, self._voids, self._redeals_of = plan, done, voids, redeals_of
        self._hosts, self._by_block, self._alone = hosts or Hosts(), by_block, alone
        self._present: Collection[str] = ("", self._hosts.own)
        self._unopened = self._cards_from(0)
        self._most_open = max(LEAST_OPEN_BLOCKS, OPEN_BLOCKS_PER_JOB * jobs)
        self._open: deque[_Cards] = deque()
        """Where nothing is out and something waits. What was played least recently stands first."""
        self._elsewhere: list[_Cards] = []
        """What waits for hosts that are not there."""
        self._out: dict[int, _Cards] = {}
        """By the number of the match that is out."""

    def next(self, part: Part | None = None) -> Fixture | None:
        """The next match, where it is of this part or none is asked for.

        None where nothing is left, or only matches whose cards are being played with.
        """
        cards = None if part not in (None, self.part) else self._choose()
        return None if cards is None else self._hand_out(cards)

    def next_block(self) -> "Handed | None":
        """The next match, or where slaps are timed all that is left of a block. None as `next` has it."""
        if (cards := self._choose()) is None:
            return None
        has_result, count = cards.has_result, len(cards.waiting) if cards.is_timed else 1
        return Handed(
            fixtures=tuple(self._hand_out(cards) for _ in range(count)),
            is_block=cards.is_timed,
            has_result=has_result,
            host=cards.host or "",
        )

    def next_single(self, spare: int) -> Fixture | None:
        """Another match for a host that gets some already, none with timed slaps.

        None where there is none, or so few that no more than `spare` can be handed out at present.
        """
        while len(self._open) <= spare and (cards := next(self._unopened, None)) is not None:
            self._put(cards)
        if len(self._open) <= spare or (cards := self._choose(with_timed=False)) is None:
            return None
        return self._hand_out(cards)

    def hosts_are(self, names: Collection[str]) -> None:
        """These hosts play from now on."""
        self._present = frozenset(names)
        back = [cards for cards in self._elsewhere if self._may_play(cards)]
        self._elsewhere = [cards for cards in self._elsewhere if not self._may_play(cards)]
        self._open.extend(back)

    @property
    def part(self) -> Part | None:
        """Of which part the next match is. None where `next` has none."""
        self._open_more()
        parts = {cards.part for cards in self._open}
        return next((part for part in get_args(Part) if part in parts), None)

    @property
    def elsewhere(self) -> Counter[str]:
        """By host that is not there, how many matches wait for it alone."""
        found = Counter[str]()
        for cards in self._elsewhere:
            found[cards.host or ""] += len(cards.waiting)
        return found

    def _open_more(self) -> None:
        while not self._open or len(self._open) + len(self._out) < self._most_open:
            if (cards := next(self._unopened, None)) is None:
                break
            self._put(cards)

    def _choose(self, *, with_timed: bool = True) -> _Cards | None:
        while (part := self.part) is not None:
            # Of those that have rested longest the one with most to play, so that none is left over at the end for one
            # job.
            of_part = [cards for cards in self._open if cards.part == part]
            rested = of_part[: min((len(of_part) + 1) // 2, MOST_RESTED)]
            allowed = [cards for cards in rested if with_timed or not cards.is_timed]
            if not allowed:
                return None
            cards = max(allowed, key=lambda cards: len(cards.waiting))
            self._open.remove(cards)
            if self._may_play(cards):
                return cards
            self._elsewhere.append(cards)
        return None

    def _may_play(self, cards: _Cards) -> bool:
        return cards.host is None or cards.host in self._present

    def _put(self, cards: _Cards) -> None:
        (self._open if self._may_play(cards) else self._elsewhere).append(cards)

    def _hand_out(self, cards: _Cards) -> Fixture:
        fixture = cards.waiting.popleft()
        self._out[fixture.number] = cards
        cards.out += 1
        return cards.dealt(self._plan, fixture)

    def grown(self, matches: int) -> None:
        """The plan has grown, and had so many matches before. Everything of it had been handed out."""
        self._unopened = self._cards_from(matches)

    def again(self, fixture: Fixture, spoiled: int) -> Fixture:
        """What a match that is handed out is after so many more voids, where its block has a result by then."""
        return fixture if self._out[fixture.number].shares else self._plan.dealt(fixture, fixture.redeals + spoiled)

    def played(self, number: int, host: str | None = None) -> None:
        """A match that was handed out has its result; this host played it."""
        cards = self._out[number]
        cards.has_result = True
        if cards.is_timed:
            cards.host = self._hosts.own if host is None else host
        self._come_back(number)

    def voided(self, fixture: Fixture, *, again: bool) -> None:
        """A match that was handed out has been spoiled. It is handed out `again`, or given up."""
        cards = self._out[fixture.number]
        if not cards.shares:
            fixture = self._plan.dealt(fixture, fixture.redeals + 1)
        elif not cards.has_result:
            cards.redeals += 1
        if again:
            cards.waiting.appendleft(fixture)
        self._come_back(fixture.number)

    def put_back(self, fixture: Fixture) -> None:
        """A match that was handed out has not begun, and is handed out again with the same cards."""
        self._out[fixture.number].waiting.appendleft(fixture)
        self._come_back(fixture.number)

    def _come_back(self, number: int) -> None:
        cards = self._out.pop(number)
        cards.out -= 1
        if cards.waiting and cards.out == 0:
            self._put(cards)

    def _cards_from(self, number: int) -> Iterator[_Cards]:
        """What is to be played from a match on: each part in the order of the plan."""
        variants = {name for name, matches in self._plan.matches.items() if matches}
        if variants.difference(self._alone):
            yield from self._cards_of("together", number)
        if variants.intersection(self._alone):
            yield from self._cards_of("alone", number)

    def _cards_of(self, part: Part, number: int) -> Iterator[_Cards]:
        """What is to be played of a part, from a match on, in the order of the plan."""
        while number < len(self._plan):
            if number in self._done or part != self._part_of(self._plan.sitting(number).variant):
                number += 1
                continue
            fixture = self._plan[number]
            is_timed = fixture.variant in self._hosts.timed
            if self._plan.shares_cards(fixture) or (is_timed and self._by_block):
                yield self._block(fixture, is_timed=is_timed)
                number += len(fixture.lineup) - fixture.rotation
            else:
                yield self._single(fixture, is_timed=is_timed)
                number += 1

    def _part_of(self, variant: str) -> Part:
        return "alone" if variant in self._alone else "together"

    def _single(self, fixture: Fixture, *, is_timed: bool) -> _Cards:
        """A match with cards of its own. Where it is timed, it is for the host that has played others of its block."""
        host = self._host_of(self._done_of(fixture)) if is_timed else None
        waiting = deque([self._with_voids(fixture)])
        part = self._part_of(fixture.variant)
        return _Cards(waiting=waiting, part=part, has_result=False, is_timed=is_timed, host=host)

    def _block(self, fixture: Fixture, *, is_timed: bool) -> _Cards:
        """What is left of the block of a match."""
        first = fixture.number - fixture.rotation
        numbers = [first + rotation for rotation in self._plan.order_of_play(fixture)]
        done = self._done_of(fixture)
        shares = self._plan.shares_cards(fixture)
        left = (self._plan[number] for number in numbers if number not in self._done)
        redeals = 0
        if shares:
            redeals = self._redeals_of(done[0]) if done else sum(map(self._voids_of, numbers))
        return _Cards(
            waiting=deque(left if shares else map(self._with_voids, left)),
            part=self._part_of(fixture.variant),
            has_result=bool(done),
            shares=shares,
            redeals=redeals,
            is_timed=is_timed,
            host=self._host_of(done) if is_timed else None,
        )

    def _done_of(self, fixture: Fixture) -> list[int]:
        """The matches of a match's block that have a result."""
        first = fixture.number - fixture.rotation
        return [number for number in range(first, first + len(fixture.lineup)) if number in self._done]

    def _host_of(self, done: Collection[int]) -> str | None:
        """The host that has played these matches of a block; None where there are none."""
        return next(map(self._hosts.host_of, done), None)

    def _with_voids(self, fixture: Fixture) -> Fixture:
        """A match with cards of its own, after other cards have been dealt for each time it was voided."""
        voids = self._voids_of(fixture.number)
        return self._plan.dealt(fixture, voids) if voids else fixture

    def _voids_of(self, number: int) -> int:
        return self._voids.get(self._plan.place(self._plan[number]), 0) if self._voids else 0


class Handed(Struct, frozen=True, kw_only=True):
    """What is handed out together."""

    fixtures: tuple[Fixture, ...]
    """In the order of play."""
    is_block: bool
    """Whether it is all that is left of a block with timed slaps."""
    has_result: bool
    """Whether other matches of the block have a result."""
    host: str
    """The only host that may play it; empty where any may."""
