"""Balanced samples of line-ups, where not all are played, and what an amendment of the tournament leaves of them.

Every bot is in about equally many line-ups of a sample, and pairs meet about equally often. Who is drawn follows from
a stream of the master key, so that anybody can draw a sample again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import ceil

from msgspec import Struct

from referee.rules.table.streams import Stream
from referee.tournament.plan.fixture import Lineup
from referee.tournament.plan.lineups import AllLineups

Names = tuple[str, ...]
"""A line-up by the names of its bots, in their order."""

_MOST_LOOKED_AT = 500
"""Among how many line-ups one is sought that can be changed or given up: the sample may hold very many."""

_SCANNED = 20
"""Among how many line-ups for each that is wanted those are sought that were played when all were to be played."""


class Chosen(Struct, frozen=True, kw_only=True):
    """The line-ups of a variant in a stage of a run, and those that it has had before."""

    names: Sequence[str]
    """Of the bots of that stage, in order; line-ups have their indexes."""
    lineups: Sequence[Lineup] | AllLineups
    since: Mapping[Lineup, int] = {}
    """From which stage on the run has had a line-up of the sample; where nothing is told, from the first one on."""
    gone: Mapping[Names, int] = {}
    """Line-ups that earlier samples had, the last ones first, with the stage from which on they had them."""

    def by_name(self) -> dict[Names, int]:
        """The line-ups of the sample with the stage from which on the run has had them. None where all are played."""
        if isinstance(self.lineups, AllLineups):
            return {}
        return {tuple(self.names[bot] for bot in lineup): self.since.get(lineup, 0) for lineup in self.lineups}


def choose_lineups(stream: Stream, every: AllLineups, wanted: int | None) -> list[Lineup] | AllLineups:
    """All line-ups, or a balanced sample where fewer are wanted. Each is in rising order."""
    if wanted is None or wanted >= len(every):
        return every
    if not every.is_plain:
        sample = _Sample(stream, every)
        sample.fill(wanted, stage=0)
        sample.balance(stage=0)
        return list(sample.lineups)
    if wanted <= len(every) // 2:
        return balanced_sample(stream, every, wanted)
    # All line-ups together are balanced, so what a balanced sample leaves of them is balanced too.
    left_out = set(balanced_sample(stream, every, len(every) - wanted))
    return [lineup for lineup in every if lineup not in left_out]


def balanced_sample(stream: Stream, every: AllLineups, count: int) -> list[Lineup]:
    """Distinct random line-ups of all, each in rising order. `count` must be at most half of all there are.

    Every bot is in equally many, give or take one, and pairs meet about equally often. Each line-up is put together
    bot by bot: the next bot is one of those in the fewest line-ups, among these one that has met the bots already in
    it least often, and among these it is drawn by lot.
    """
    sample = _Sample(stream, every)
    for _ in range(count):
        lineup = sample.draw()
        if lineup in sample.lineups:
            lineup = sample.make_room(lineup)
        sample.add(lineup)
    return list(sample.lineups)


def keep_lineups(  # noqa: PLR0913 - what a sample follows from
    stream: Stream, every: AllLineups, wanted: int | None, *, names: Sequence[str], before: Chosen, stage: int
) -> Chosen:
    """The line-ups of a stage that an amendment began, of bots with these `names`: as many of those before as fit.

    Line-ups without a bot that has left stay. In place of the others come, first, line-ups that an earlier stage had
    with a bot that is back, then others that an earlier stage had, then new ones. Where a bot is in more line-ups than
    another one by two or more, it gives a seat to it in one of them, the newest first.
    """
    had = before.by_name()
    gone = had | {names: since for names, since in before.gone.items() if names not in had}
    if wanted is None or wanted >= len(every):
        return Chosen(names=names, lineups=every, gone=gone)
    index = {name: bot for bot, name in enumerate(names)}
    sample = _Sample(stream, every)
    sample.take(_fitting(had, index, every), wanted)
    returned = {index[name] for name in names if name not in before.names}
    sample.bring_back(_fitting(before.gone, index, every), returned, wanted)
    sample.take(_fitting(before.gone, index, every), wanted)
    if isinstance(before.lineups, AllLineups):
        first = (tuple(before.names[bot] for bot in lineup) for lineup in before.lineups)
        sample.take(_fitting(dict.fromkeys(islice(first, _SCANNED * wanted), 0), index, every), wanted)
    sample.fill(wanted, stage)
    sample.balance(stage)
    now = {tuple(names[bot] for bot in lineup) for lineup in sample.lineups}
    return Chosen(
        names=names,
        lineups=list(sample.lineups),
        since=sample.lineups,
        gone={names: since for names, since in gone.items() if names not in now},
    )


def _fitting(lineups: Mapping[Names, int], index: Mapping[str, int], every: AllLineups) -> Iterator[tuple[Lineup, int]]:
    """Those line-ups whose bots are all there and may still meet, each with its stage."""
    for names, since in lineups.items():
        if all(name in index for name in names):
            lineup = tuple(sorted(index[name] for name in names))
            if every.allows(lineup):
                yield lineup, since


class _Sample:
    """The line-ups of a sample so far, how many each bot is in, and how often each pair meets."""

    def __init__(self, stream: Stream, every: AllLineups) -> None:
        self.lineups: dict[Lineup, int] = {}
        """With the stage from which on the run has had each."""
        self._stream, self._every = stream, every
        self._played = [0] * every.bots
        self._met = [[0] * every.bots for _ in range(every.bots)]
        self._of: list[dict[Lineup, None]] = [{} for _ in range(every.bots)]

    def draw(self) -> Lineup:
        """The next line-up by the rule of balanced_sample. It may be a known one where no other last bot is left."""
        lineup: Lineup = ()
        met = [0] * self._every.bots
        while len(lineup) < self._every.seats:
            free = self._every.next_bots(lineup)
            fewest = min(self._played[bot] for bot in free)
            able = [bot for bot in free if self._played[bot] == fewest]
            if len(lineup) == self._every.seats - 1:
                able = [bot for bot in able if tuple(sorted((*lineup, bot))) not in self.lineups] or able
            least = min(met[bot] for bot in able)
            able = [bot for bot in able if met[bot] == least]
            bot = able[self._stream.below(len(able))]
            lineup = (*lineup, bot)
            met = [before + more for before, more in zip(met, self._met[bot], strict=True)]
        return tuple(sorted(lineup))

    def add(self, lineup: Lineup, since: int = 0) -> None:
        """Take the line-up into the sample."""
        self.lineups[lineup] = since
        self._count(lineup, 1)
        for bot in lineup:
            self._of[bot][lineup] = None

    def remove(self, lineup: Lineup) -> None:
        """Take the line-up out of the sample."""
        del self.lineups[lineup]
        self._count(lineup, -1)
        for bot in lineup:
            del self._of[bot][lineup]

    def make_room(self, lineup: Lineup) -> Lineup:
        """A new line-up in place of a known one, made by exchanging a bot with one of the sample, which changes too.

        Every bot is in as many as before. A sample of at most half of all line-ups leaves such an exchange.
        """
        other, mine, theirs = next(self._exchanges(lineup))
        self.remove(other)
        self.add(theirs)
        return mine

    def take(self, lineups: Iterable[tuple[Lineup, int]], wanted: int) -> None:
        """Take in those of the line-ups for which there is room, up to so many in all; all of them, if they fit.

        Where there are more than fit, those come first that no bot has too many of already.
        """
        new = [(lineup, since) for lineup, since in lineups if lineup not in self.lineups]
        has_room = not self.lineups and len(new) <= wanted
        for lineup, since in new:
            if len(self.lineups) == wanted:
                return
            if has_room or all(self._played[bot] < self._share(bot, wanted) for bot in lineup):
                self.add(lineup, since)

    def bring_back(self, lineups: Iterable[tuple[Lineup, int]], returned: set[int], wanted: int) -> None:
        """Give bots that are back their share of the line-ups that they had, in place of the newest of the others."""
        oldest_first = sorted(
            (one for one in self.lineups if returned.isdisjoint(one)), key=lambda one: (self.lineups[one], one)
        )
        for lineup, since in lineups:
            back = returned.intersection(lineup)
            if not back or any(self._played[bot] >= self._share(bot, wanted) for bot in back):
                continue
            if len(self.lineups) == wanted:
                newest = oldest_first[-_MOST_LOOKED_AT:]
                if not newest:
                    return
                place = max(range(len(newest)), key=lambda one: self._weight(newest[one]))
                self.remove(oldest_first.pop(place - len(newest)))
            self.add(lineup, since)

    def fill(self, wanted: int, stage: int) -> None:
        """Draw new line-ups until there are so many."""
        while len(self.lineups) < wanted:
            lineup = self.draw()
            self.add(lineup if lineup not in self.lineups else self._another(lineup), stage)

    def balance(self, stage: int) -> None:
        """Let bots that are in more line-ups than others by two or more give them seats, as far as that can be done."""
        while (found := next(self._unequal(), None)) is not None:
            more, fewer, able = found
            least = min(able, key=lambda one: self._cost(one, more, fewer))
            cost = self._cost(least, more, fewer)
            cheapest = [one for one in able if self._cost(one, more, fewer) == cost]
            lineup = cheapest[self._stream.below(len(cheapest))]
            self.remove(lineup)
            self.add(_exchanged(lineup, more, fewer), stage)

    def _weight(self, lineup: Lineup) -> tuple[int, int]:
        """What speaks for giving a line-up up: that the run has had it for a short time, and its bots have many."""
        return self.lineups[lineup], sum(self._played[bot] for bot in lineup)

    def _unequal(self) -> Iterator[tuple[int, int, list[Lineup]]]:
        """A bot with too many line-ups, one with too few, and in which of them the one can give its seat to the other.

        Where anybody may meet anybody, there always is such a line-up. Challengers give seats to challengers only.
        """
        bots = sorted(range(self._every.bots), key=lambda bot: (-self._played[bot], bot))
        for more in bots:
            for fewer in reversed(bots):
                if self._played[more] - self._played[fewer] < 2:
                    break
                if (more in self._every.challengers) == (fewer in self._every.challengers):
                    able = list(islice(self._able(more, fewer), _MOST_LOOKED_AT))
                    if able:
                        yield more, fewer, able

    def _able(self, more: int, fewer: int) -> Iterator[Lineup]:
        """The line-ups in which one bot can give its seat to another, those that came last first."""
        for lineup in reversed(self._of[more]):
            if fewer not in lineup:
                changed = _exchanged(lineup, more, fewer)
                if changed not in self.lineups and self._every.allows(changed):
                    yield lineup

    def _cost(self, lineup: Lineup, more: int, fewer: int) -> tuple[bool, int, int]:
        """What speaks against giving the seat in this line-up: that a pair meets too often then; its age; its pairs."""
        others = [bot for bot in lineup if bot != more]
        pairs = self._every.bots * (self._every.bots - 1)
        usual = len(self.lineups) * self._every.seats * (self._every.seats - 1) // pairs
        is_crowded = any(self._met[fewer][bot] > usual for bot in others)
        met = sum(self._met[fewer][bot] - self._met[more][bot] for bot in others)
        return is_crowded, -self.lineups[lineup], met

    def _share(self, bot: int, wanted: int) -> int:
        """In how many line-ups a bot is at most, if every bot is in about equally many."""
        if not self._every.challengers:
            return ceil(wanted * self._every.seats / self._every.bots)
        if bot in self._every.challengers:
            return ceil(wanted / len(self._every.challengers))
        return ceil(wanted * (self._every.seats - 1) / (self._every.bots - len(self._every.challengers)))

    def _another(self, lineup: Lineup) -> Lineup:
        """A line-up that the sample does not have, as near to a known one as can be. There must be one."""
        fewest = sorted(range(self._every.bots), key=lambda bot: (self._played[bot], bot))
        for bot in fewest:
            for given in lineup:
                changed = _exchanged(lineup, given, bot)
                if bot not in lineup and changed not in self.lineups and self._every.allows(changed):
                    return changed
        count = len(self._every)
        first = self._stream.below(min(count, 2**32))
        places = ((first + step) % count for step in range(count))
        return next(one for one in map(self._every.__getitem__, places) if one not in self.lineups)

    def _exchanges(self, lineup: Lineup) -> Iterator[tuple[Lineup, Lineup, Lineup]]:
        """A line-up of the sample, and what this one and that one become by an exchange that makes both new."""
        for other in self._stream.shuffled(self.lineups):
            for given in (bot for bot in lineup if bot not in other):
                for taken in (bot for bot in other if bot not in lineup):
                    mine, theirs = _exchanged(lineup, given, taken), _exchanged(other, taken, given)
                    if mine not in self.lineups and theirs not in self.lineups:
                        yield other, mine, theirs

    def _count(self, lineup: Lineup, by: int) -> None:
        for bot in lineup:
            self._played[bot] += by
            for other in lineup:
                self._met[bot][other] += by


def _exchanged(lineup: Lineup, given: int, taken: int) -> Lineup:
    """The line-up with a bot in another one's place."""
    return tuple(sorted((*(bot for bot in lineup if bot != given), taken)))
